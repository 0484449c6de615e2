// Parameter counts of a Model: matrices from the widths, vectors as counted by the importer.
//
//   softmax  q d + kv + o d, q = h d_h (twice with an output gate), k = h_kv d_h, v = h_kv d_v (1)
//   MLA      d q_r + q_r h (n + r), or d h (n + r); d (c + r) + c h (n + v); h v d (2) expert mats
//   d f_m                                                                          (3) total table
//   + positions + layers + final norm + head (none when tied) + other             (4) active total
//   less (E - k) experts in every MoE layer                                       (5)
#pragma once

#include <cstdint>

#include "ridgeline/spec/model.h"

namespace ridgeline::physics {

struct ParameterCount {
  std::int64_t attention = 0;  // matrices and vectors of the token mixers
  std::int64_t ffn = 0;        // dense parts, all experts, routers
  std::int64_t norms = 0;
  std::int64_t embedding = 0;  // the input table alone: vocabulary x width
  std::int64_t head = 0;       // 0 when tied
  std::int64_t other = 0;      // position table, embedding projections, head bias
  std::int64_t total = 0;
  std::int64_t active = 0;  // total less the routed experts that a token does not use
};

// Parameters of one layer's token mixer, matrices and vectors, its indexer included.
std::int64_t attention_params(const Attention& attention, std::int64_t hidden);

// Parameters of one routed expert.
std::int64_t expert_params(const Ffn& ffn, std::int64_t hidden);

// Parameters of one layer's feed-forward part: dense, shared, every routed expert, router.
std::int64_t ffn_params(const Ffn& ffn, std::int64_t hidden);

// Parameters of one layer, norms included.
std::int64_t layer_params(const LayerKind& layer, std::int64_t hidden);

// REQUIRES: model.why_no_count is empty.
ParameterCount count_parameters(const Model& model);

// Parameters of all `mtp_layers` modules: each a layer like the last one, a 2h x h projection,
// three norms, its own embedding and head.
std::int64_t mtp_params(const Model& model);

// Active parameters that multiply a token in one forward pass: no input table, the head also if
// tied.
std::int64_t forward_params(const Model& model);

// The total as a double, for sizes whose exact count would overflow.
double approximate_params(const Model& model);

}  // namespace ridgeline::physics
