// FLOP of a model over whole sequences, whatever a device does of them.
//
//   weights      2 N per token forward; N = active parameters without the input table        (1)
//   attention    2 H (h_qk + h_v) per query-key pair and layer                               (2)
//   pairs        full: S^2, in a window of W < S: 2 S W - W^2; causal: half of full          (3)
//                an indexer sees all pairs, 2 H_i h_i each; attention then min(S, k) of them
//   recurrent    6 H k v per token, and 2 c H (k + v) for chunks of c = 64                   (4)
// (1)-(3) [kaplan2020] [chowdhery2022]; (4) [gated-delta-net], an estimate.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ridgeline/spec/model.h"

namespace ridgeline::physics {

enum class AttentionCount : std::uint8_t { causal, full, none };

inline std::span<const char* const> names_of(AttentionCount) {
  static constexpr std::array<const char*, 3> kNames = {"causal", "full", "none"};
  return kNames;
}

// Query-key pairs of one sequence in one layer.
double counted_pairs(const Attention& attention, double seq_len, AttentionCount count);

// Forward FLOP of the scores and values of one sequence, all layers.
double attention_flop(const Model& model, double seq_len, AttentionCount count);

// Forward FLOP of the states of recurrent layers, one sequence.
double state_flop(const Model& model, double seq_len);

}  // namespace ridgeline::physics
