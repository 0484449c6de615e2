// Shards: how each tensor is cut over the ranks of one pipeline stage, and how many copies there
// are.
//
//   part elements x TP CP DP = full elements x copies, for every tensor                       (1)
// Parts add up to the bytes of physics/memory.h. A fraction of a head is kept as a fraction.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ridgeline/spec/model.h"
#include "ridgeline/spec/plan.h"
#include "ridgeline/spec/workload.h"

namespace ridgeline::advise {

enum class ShardTensor : std::uint8_t {
  query,
  query_down,
  query_up,
  key,
  value,
  latent_down,
  key_up,
  value_up,
  output,
  mixer,
  indexer,
  gate_up,
  down,
  shared_gate_up,
  shared_down,
  expert_gate_up,
  expert_down,
  router,
  kv_cache,
  state,
  embedding,
  head,
};

inline std::span<const char* const> names_of(ShardTensor) {
  static constexpr std::array<const char*, 22> kNames = {"W_Q",         "W_DQ",
                                                         "W_UQ",        "W_K",
                                                         "W_V",         "W_DKV",
                                                         "W_UK",        "W_UV",
                                                         "W_O",         "mixer",
                                                         "indexer",     "gate_up",
                                                         "down",        "shared_gate_up",
                                                         "shared_down", "expert_gate_up",
                                                         "expert_down", "router",
                                                         "KV cache",    "state",
                                                         "embedding",   "head"};
  return kNames;
}

struct Shard {
  ShardTensor tensor;
  std::int64_t layers;  // that have such a tensor; 1 for the tables
  double rows, columns;
  const char* sharded_over;  // "TP", "TP x CP", "EP x TP", "-"
  double part_rows, part_columns;
  double bytes;   // of one layer's part on one device
  double copies;  // over the TP x CP x DP ranks of a stage
};

// The part of a tensor that one rank of a stage holds, counted in equal pieces.
struct Piece {
  std::int64_t row_pieces = 1, column_pieces = 1;
  std::int64_t row = 0, column = 0;
};

// REQUIRES: ranks within the plan's degrees.
Piece piece_of(const Shard& shard, const Plan& plan, std::int64_t tp, std::int64_t cp,
               std::int64_t dp);

// Kinds of layers in the order of the model; per kind attention, feed-forward part, cache; then
// tables.
std::vector<Shard> shards_of(const Model& model, const Workload& work, const Plan& plan);

}  // namespace ridgeline::advise
