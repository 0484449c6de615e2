// Step: what one pass costs a device in work, before any rate is known. Cost: the same in time.
//
// A Step is made by physics/lower.h from Model x Workload x Plan on the shape of a Machine. It
// holds no bandwidth, peak or latency, so one Step serves every hardware point of the same shape.
// Raw doubles in base units: this is the hot path of `explore`.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ridgeline/base/few.h"
#include "ridgeline/spec/machine.h"

namespace ridgeline {

enum class StageName : std::uint8_t {
  s1,
  s2,
  s3,
  s4,
  s5,
  s6,
  s7,
  s8,
  s9,
  s10,
  f1,
  f2,
  f3,
  f4,
  f5,
  f6,
  emb,
  head,
  p2p
};
inline constexpr std::size_t kLayerStages = 16;
inline constexpr std::size_t kEdges = 3;

inline std::span<const char* const> names_of(StageName) {
  static constexpr std::array<const char*, 19> kNames = {
      "S1", "S2", "S3", "S4", "S5", "S6", "S7",  "S8",   "S9", "S10",
      "F1", "F2", "F3", "F4", "F5", "F6", "EMB", "HEAD", "P2P"};
  return kNames;
}

// Serialised traffic of a stage: per level, hops (each costs a latency) and bytes on one link.
struct Traffic {
  std::array<double, kMaxLevels> hops{};
  std::array<double, kMaxLevels> link_bytes{};

  bool any(std::size_t levels) const {
    for (std::size_t l = 0; l < levels; ++l) {
      if (hops[l] != 0 || link_bytes[l] != 0) return true;
    }
    return false;
  }
};

// Work of one stage on one device.
struct StageWork {
  double matrix_flop = 0;
  double vector_flop = 0;
  double memory_bytes = 0;
  Traffic traffic;
};

struct LayerWork {
  bool windowed = false;
  bool moe = false;
  std::int64_t count = 0;  // layers of this kind in the whole model
  double ring_visits = 1;  // R: blocks of the context that one CP rank attends to in turn
  std::array<StageWork, kLayerStages> stages;
};

// Whole bytes on the device that holds most (the first of equals), by class.
struct MemoryUse {
  std::int64_t attn_weights = 0;
  std::int64_t ffn_weights = 0;
  std::int64_t kv_cache = 0;
  std::int64_t embedding = 0;
  std::int64_t head = 0;
  std::int64_t activations = 0;
  std::int64_t stage = 0;  // pipeline stage of that device

  std::int64_t total() const {
    return attn_weights + ffn_weights + kv_cache + embedding + head + activations;
  }
};

// Members of a rank group at each level, innermost first: their product is the group's size.
struct Span {
  std::array<std::int64_t, kMaxLevels> members;
  std::array<std::int64_t, kMaxLevels> stride;  // between neighbours, in members of that level

  std::int64_t size(std::size_t levels) const {
    std::int64_t n = 1;
    for (std::size_t l = 0; l < levels; ++l) n *= members[l];
    return n;
  }
};

// Why a plan cannot be placed, in the order in which reasons are reported.
enum class InvalidReason : std::uint8_t {
  tp_gt_4hq,
  pp_gt_layers,
  cp_gt_s_kv,
  pe_group_not_whole_cubes,
  cube_group_not_whole_sips,
  not_enough_sips,
  ep_without_experts,
  ep_not_dividing_experts,
  ep_not_dividing_ffn_copies,
  tp_not_dividing_heads,
  group_not_whole_levels,
  not_enough_devices,
};

inline std::span<const char* const> names_of(InvalidReason) {
  static constexpr std::array<const char*, 12> kNames = {"tp_gt_4hq",
                                                         "pp_gt_layers",
                                                         "cp_gt_s_kv",
                                                         "pe_group_not_whole_cubes",
                                                         "cube_group_not_whole_sips",
                                                         "not_enough_sips",
                                                         "ep_without_experts",
                                                         "ep_not_dividing_experts",
                                                         "ep_not_dividing_ffn_copies",
                                                         "tp_not_dividing_heads",
                                                         "group_not_whole_levels",
                                                         "not_enough_devices"};
  return kNames;
}

// Where the ranks of a plan stand on the machine.
struct Layout {
  Span tp, cp, dp;
  std::int64_t devices_used = 0;
  // groups_used[l]: groups of level l in use; on the chiplet machine [0] cubes, [1] SIPs.
  std::array<std::int64_t, kMaxLevels> groups_used{};
  std::array<double, kMaxLevels>
      sharing{};  // kappa: devices that use one link of the level at once
  Few<InvalidReason, 8> invalid_reasons;

  bool valid() const { return invalid_reasons.empty(); }
};

struct Step {
  Layout layout;
  MemoryUse memory;
  std::vector<LayerWork> layers;  // one per kind that occurs; empty when the plan is not valid
  std::array<StageWork, kEdges> edges;  // EMB, HEAD, P2P; zero when not valid
};

enum class Bound : std::uint8_t { compute, memory, network };

inline std::span<const char* const> names_of(Bound) {
  static constexpr std::array<const char*, 3> kNames = {"compute", "memory", "network"};
  return kNames;
}

struct StageCost {
  double compute_s = 0;
  double memory_s = 0;
  double network_s = 0;
  double total_s = 0;  // max(compute, memory) + network
  Bound bound = Bound::compute;
};

}  // namespace ridgeline
