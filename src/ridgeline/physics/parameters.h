// Parameter counts of a Model: matrices from the widths, vectors as counted by the importer.
#pragma once

#include <cstdint>

#include "ridgeline/spec/model.h"

namespace ridgeline::physics {

struct ParameterCount {
  std::int64_t attention = 0;      // matrices and vectors of the token mixers
  std::int64_t ffn = 0;            // dense parts, all experts, routers
  std::int64_t norms = 0;
  std::int64_t embedding = 0;      // the input table alone: vocabulary x width
  std::int64_t head = 0;           // 0 when tied
  std::int64_t other = 0;          // position table, embedding projections, head bias
  std::int64_t total = 0;
  std::int64_t active = 0;         // total less the routed experts that a token does not use
};

// Parameters of one layer's token mixer, matrices and vectors.
std::int64_t attention_params(const Attention& attention, std::int64_t hidden);

// Parameters of one routed expert.
std::int64_t expert_params(const Ffn& ffn, std::int64_t hidden);

// Parameters of one layer's feed-forward part: dense, shared, every routed expert, router.
std::int64_t ffn_params(const Ffn& ffn, std::int64_t hidden);

ParameterCount count_parameters(const Model& model);

}  // namespace ridgeline::physics
