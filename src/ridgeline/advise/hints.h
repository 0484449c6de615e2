// Hints: what to change in a plan and why. Conditions: docs/chiplet-model.md section 11, in its
// order.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ridgeline/base/few.h"
#include "ridgeline/spec/machine.h"
#include "ridgeline/spec/model.h"
#include "ridgeline/spec/plan.h"
#include "ridgeline/spec/step.h"
#include "ridgeline/spec/workload.h"

namespace ridgeline::advise {

enum class HintId : std::uint8_t {
  ffn_scope_tp,
  ffn_scope_dp,
  kv_replicate,
  kv_over_attn,
  cp_cross_sip,
  tp_cross_cube,
  sip_ring_to_torus,
  tp_le_hkv,
  placement_invalid,
  decode_memory_bound,
  decode_kv_ring,
  over_capacity,
  batch_padding,
};
enum class HintCategory : std::uint8_t { space, comm, compute, layout };
enum class Severity : std::uint8_t { info, warn, good };

inline std::span<const char* const> names_of(HintId) {
  static constexpr std::array<const char*, 13> kNames = {
      "ffn_scope_tp",      "ffn_scope_dp",        "kv_replicate",      "kv_over_attn",
      "cp_cross_sip",      "tp_cross_cube",       "sip_ring_to_torus", "tp_le_hkv",
      "placement_invalid", "decode_memory_bound", "decode_kv_ring",    "over_capacity",
      "batch_padding"};
  return kNames;
}
inline std::span<const char* const> names_of(HintCategory) {
  static constexpr std::array<const char*, 4> kNames = {"space", "comm", "compute", "layout"};
  return kNames;
}
inline std::span<const char* const> names_of(Severity) {
  static constexpr std::array<const char*, 3> kNames = {"info", "warn", "good"};
  return kNames;
}

struct HintValue {
  const char* name;  // "now_bytes", "cubes", ...; `reasons` are those of the layout
  double value;
};

struct Hint {
  HintId id;
  HintCategory category;
  Severity severity;
  Few<HintValue, 4> values;
};

std::vector<Hint> hints_of(const Model& model, const Machine& machine, const Workload& work,
                           const Plan& plan, const Step& step);

}  // namespace ridgeline::advise
