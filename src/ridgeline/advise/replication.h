// Replication report: which bytes stand more than once on the machine, and how many are redundant.
// Equations: docs/chiplet-model.md section 10.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ridgeline/spec/model.h"
#include "ridgeline/spec/plan.h"
#include "ridgeline/spec/step.h"
#include "ridgeline/spec/workload.h"

namespace ridgeline::advise {

enum class Tensor : std::uint8_t {
  attn_weights,
  ffn_weights,
  kv_cache,
  embed_and_head,
  dp_footprint
};

inline std::span<const char* const> names_of(Tensor) {
  static constexpr std::array<const char*, 5> kNames = {"attn_weights", "ffn_weights", "kv_cache",
                                                        "embed_and_head", "dp_footprint"};
  return kNames;
}

struct ReplicationRow {
  Tensor tensor;
  std::int64_t per_device_bytes;
  const char* replicated_across;  // "CP", "CP x DP / EP", "TP", "DP"
  double copies;
  std::int64_t wasted_bytes;  // (copies - 1) x per-device bytes, rounded up
  bool overlaps;              // counts bytes of other rows again
};

struct Holding {
  double held_bytes = 0;    // over all devices
  double unique_bytes = 0;  // what one copy of everything takes
  double redundant_bytes() const { return held_bytes - unique_bytes; }
};

struct Replication {
  std::vector<ReplicationRow> rows;  // only those with copies > 1
  std::array<Holding, 4> classes{};  // attn_weights, ffn_weights, kv_cache, embed_and_head
  Holding total;
  double redundant_fraction() const {
    return total.held_bytes > 0 ? total.redundant_bytes() / total.held_bytes : 0;
  }
};

Replication replication_of(const Model& model, const Workload& work, const Plan& plan,
                           const Step& step);

}  // namespace ridgeline::advise
