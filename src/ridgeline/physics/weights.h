// Weights: exact bytes of a model under a format, as a whole and on one device of a plan.
//
//   bits of a quantised element = b + (scale + zero) / group                              (1)
//   held on a device: attention and dense matrices, tables     1 / tp
//                     keys and values                          max(1, h_kv / tp) / h_kv   (2)
//                     routed experts                           1 / (ep etp)
//                     MLA's down projections, indexers, routers, norms, biases    whole   (3)
//   A tied table is held by the first and the last pipeline stage.                        (4)
//
// Quantised are the matrices inside the layers; table, head, norms, biases, routers and what the
// checkpoint names stay at the wider precision. MXFP4 checkpoints hold only experts so [gpt-oss].
// (2)-(4) are what [megatron-lm] and [vllm] do with these modules.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ridgeline/spec/formats.h"
#include "ridgeline/spec/model.h"

namespace ridgeline::physics {

// What a layer's parameters are made of: matrices first, then what is never quantised.
enum class WeightPart : std::uint8_t {
  query,
  key,
  value,
  output,
  latent_down,  // MLA: to the latents, of queries and of keys and values
  latent_up,    // MLA: from the latents to the heads
  mixer,        // all projections of a recurrent or other mixer
  indexer,
  dense_up,  // up, and gate where there is one
  dense_down,
  shared_up,  // of shared experts
  shared_down,
  expert_up,
  expert_down,
  attention_vectors,
  router,
  expert_vectors,
  ffn_vectors,
  norms
};
inline constexpr std::size_t kMatrixParts = 14;
inline constexpr std::size_t kWeightParts = 19;

template <class T>
using PerPart = std::array<T, kWeightParts>;

// Degrees that divide weights.
struct WeightSplit {
  std::int64_t tp = 1;
  std::int64_t ep = 1;
  std::int64_t etp = 1;
};

// A run of layers on one pipeline stage.
struct StageLayers {
  std::int64_t first = 0;
  std::int64_t count = 0;
  bool is_first = true;
  bool is_last = true;
};

// Parameters of one layer by part: of the model, and on one device.
PerPart<std::int64_t> layer_parts(const LayerKind& kind, std::int64_t hidden);
PerPart<double> held_parts(const LayerKind& kind, std::int64_t hidden, const WeightSplit& split);

// Bits of one element of every part of every layer, and of what stands outside the layers.
struct WeightBits {
  std::vector<PerPart<double>> layers;
  double embedding = 16;
  double head = 16;
  double vectors = 16;  // final norm, position table, other parameters
};

// Bits of one element of a matrix by (1).
double matrix_bits(const Model& model, const WeightRequest& request);

// The number format of the matrices: the request's, else the checkpoint's.
Precision matrix_precision(const Model& model, const WeightRequest& request);

WeightBits weight_bits(const Model& model, const WeightRequest& request);

struct StageWeights {
  double params = 0;         // all of the below
  double dense_params = 0;   // divided by tp, or by nothing
  double expert_params = 0;  // routed experts
  std::int64_t norm_params = 0;
  double layer_params = 0;  // without tables, final norm and what else stands outside the layers
  double largest_layer_params = 0;
  double largest_matrix_params = 0;  // one expert's alone; no tables
  double bytes = 0;
};

// One device of a stage. REQUIRES: model.why_no_count is empty; degrees of at least 1.
StageWeights stage_weights(const Model& model, const WeightBits& bits, const WeightSplit& split,
                           const StageLayers& stage);

// The whole model, one copy, a tied table once.
StageWeights model_weights(const Model& model, const WeightBits& bits);

// The stages of a model: `sizes` where given, else as even as can be, longer ones first.
std::vector<StageLayers> stages_of(std::int64_t layers, std::int64_t pp,
                                   const std::vector<std::int64_t>& sizes);

// Key and value heads of one device: max(1, h_kv / tp).
std::int64_t held_kv_heads(std::int64_t kv_heads, std::int64_t tp);

}  // namespace ridgeline::physics
