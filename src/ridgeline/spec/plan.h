// Plan: how a model is spread over a machine.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <tuple>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/integers.h"

namespace ridgeline {

enum class KvShardMode : std::uint8_t { split, replicate };
enum class FfnShardScope : std::uint8_t { tp, tp_cp, tp_cp_dp };
enum class Spread : std::uint8_t { pe, cube };  // ranks of the axis packed on PEs or one per cube
enum class CpRing : std::uint8_t { kv, qoml };  // what travels: K and V, or Q with (O, m, l)
enum class Axis : std::uint8_t { tp, cp, pp, dp };

inline std::span<const char* const> names_of(KvShardMode) {
  static constexpr std::array<const char*, 2> kNames = {"split", "replicate"};
  return kNames;
}
inline std::span<const char* const> names_of(FfnShardScope) {
  static constexpr std::array<const char*, 3> kNames = {"TP", "TP+CP", "TP+CP+DP"};
  return kNames;
}
inline std::span<const char* const> names_of(Spread) {
  static constexpr std::array<const char*, 2> kNames = {"pe", "cube"};
  return kNames;
}
inline std::span<const char* const> names_of(CpRing) {
  static constexpr std::array<const char*, 2> kNames = {"kv", "qoml"};
  return kNames;
}
inline std::span<const char* const> names_of(Axis) {
  static constexpr std::array<const char*, 4> kNames = {"tp", "cp", "pp", "dp"};
  return kNames;
}

struct Plan {
  std::int64_t cp = 1;
  std::int64_t tp = 1;
  std::int64_t pp = 1;
  std::int64_t dp = 1;
  std::int64_t ep = 1;
  KvShardMode kv_shard_mode = KvShardMode::split;
  FfnShardScope ffn_shard_scope = FfnShardScope::tp_cp;
  Spread tp_placement = Spread::cube;  // chiplet machine only
  Spread cp_placement = Spread::pe;    // chiplet machine only
  CpRing cp_ring_variant = CpRing::kv;
  std::array<Axis, 4> order = {Axis::tp, Axis::cp, Axis::pp,
                               Axis::dp};  // inside out; tree machines

  // Stops at the largest value: degrees that no machine can place are asked about all the same.
  std::int64_t ranks() const {
    return saturating_product(saturating_product(tp, cp), saturating_product(pp, dp));
  }
  bool scope_has_cp() const { return ffn_shard_scope != FfnShardScope::tp; }
  bool scope_has_dp() const { return ffn_shard_scope == FfnShardScope::tp_cp_dp; }

  // `order` is read and written on its own: it is a list.
  static constexpr auto fields() {
    return std::tuple(
        field(&Plan::cp, "cp", "CP", "context-parallel ranks"),
        field(&Plan::tp, "tp", "TP", "tensor-parallel ranks"),
        field(&Plan::pp, "pp", "PP", "pipeline stages"),
        field(&Plan::dp, "dp", "DP", "data-parallel replicas"),
        field(&Plan::ep, "ep", "EP", "expert-parallel ranks, taken from CP x DP"),
        field(&Plan::kv_shard_mode, "kv_shard_mode", "",
              "KV heads beyond h_kv: split or replicate"),
        field(&Plan::ffn_shard_scope, "ffn_shard_scope", "",
              "axes that shard the feed-forward part"),
        field(&Plan::tp_placement, "tp_placement", "", "TP ranks on PEs or one per cube"),
        field(&Plan::cp_placement, "cp_placement", "", "CP ranks on PEs or one per cube"),
        field(&Plan::cp_ring_variant, "cp_ring_variant", "",
              "the ring moves K and V (kv) or Q with partial outputs (qoml)"));
  }
  friend bool operator==(const Plan&, const Plan&) = default;
};

}  // namespace ridgeline
