#include "ridgeline/physics/weights.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "ridgeline/physics/gguf.h"
#include "ridgeline/physics/memory.h"
#include "ridgeline/physics/module_names.h"
#include "ridgeline/physics/parameters.h"

namespace ridgeline::physics {
namespace {

constexpr double kBitsPerByte = 8;
constexpr std::int64_t kUsualScaleBits = 16;

template <class T>
T& at(PerPart<T>& parts, WeightPart part) {
  return parts[static_cast<std::size_t>(part)];
}
template <class T>
const T& at(const PerPart<T>& parts, WeightPart part) {
  return parts[static_cast<std::size_t>(part)];
}

bool is_routed(WeightPart part) {
  return part == WeightPart::expert_up || part == WeightPart::expert_down ||
         part == WeightPart::expert_vectors;
}

void add_softmax(const Attention& a, std::int64_t d, PerPart<std::int64_t>& out) {
  const std::int64_t q = a.heads * a.head_dim;
  at(out, WeightPart::query) = d * (a.output_gate ? 2 * q : q);
  at(out, WeightPart::output) = d * a.heads * a.value_head_dim;
  if (a.reuses_cache) return;
  at(out, WeightPart::key) = d * a.kv_heads * a.head_dim;
  if (!a.shared_key_value) at(out, WeightPart::value) = d * a.kv_heads * a.value_head_dim;
}

void add_mla(const Attention& a, std::int64_t d, PerPart<std::int64_t>& out) {
  const std::int64_t q = a.heads * (a.qk_nope_head_dim + a.qk_rope_head_dim);
  at(out, WeightPart::latent_down) = d * (a.q_lora_rank + a.kv_lora_rank + a.qk_rope_head_dim);
  at(out, WeightPart::latent_up) =
      a.q_lora_rank * q + a.kv_lora_rank * a.heads * (a.qk_nope_head_dim + a.v_head_dim);
  if (a.q_lora_rank == 0) at(out, WeightPart::query) = d * q;
  at(out, WeightPart::output) = a.heads * a.v_head_dim * d;
}

void add_ffn(const Ffn& f, std::int64_t d, PerPart<std::int64_t>& out) {
  const std::int64_t up = f.matrices - 1;
  at(out, WeightPart::dense_up) = up * d * f.width;
  at(out, WeightPart::dense_down) = d * f.width;
  at(out, WeightPart::shared_up) = up * d * f.shared_width;
  at(out, WeightPart::shared_down) = d * f.shared_width;
  at(out, WeightPart::expert_up) = f.experts * up * d * f.expert_width;
  at(out, WeightPart::expert_down) = f.experts * d * f.expert_width;
  at(out, WeightPart::expert_vectors) = f.experts * f.expert_vector_params;
  at(out, WeightPart::router) = f.router_params;
  at(out, WeightPart::ffn_vectors) = f.vector_params;
}

// Share of a part that one device holds, (2) and (3).
double held_share(const LayerKind& kind, WeightPart part, const WeightSplit& split) {
  const auto tp = static_cast<double>(split.tp), ep = static_cast<double>(split.ep);
  switch (part) {
    case WeightPart::key:
    case WeightPart::value: {
      const std::int64_t heads = kind.attention.kv_heads;
      if (heads == 0) return 1;
      return static_cast<double>(held_kv_heads(heads, split.tp)) / static_cast<double>(heads);
    }
    case WeightPart::expert_up:
    case WeightPart::expert_down: return 1 / (ep * static_cast<double>(split.etp));
    case WeightPart::expert_vectors: return 1 / ep;
    case WeightPart::latent_down:
    case WeightPart::indexer:
    case WeightPart::attention_vectors:
    case WeightPart::router:
    case WeightPart::ffn_vectors:
    case WeightPart::norms: return 1;
    default: return 1 / tp;
  }
}

using Names = std::initializer_list<const char*>;

// Modules of published checkpoints that hold the part, by the names that patterns use.
Names modules_of(WeightPart part) {
  static constexpr Names kNone = {};
  static constexpr Names kQuery = {"self_attn.q_proj", "self_attn.qkv_proj", "attn.c_attn"};
  static constexpr Names kKey = {"self_attn.k_proj", "self_attn.qkv_proj", "attn.c_attn"};
  static constexpr Names kValue = {"self_attn.v_proj", "self_attn.qkv_proj", "attn.c_attn"};
  static constexpr Names kOutput = {"self_attn.o_proj", "self_attn.out_proj", "attn.c_proj"};
  static constexpr Names kDown = {"self_attn.q_a_proj", "self_attn.kv_a_proj_with_mqa"};
  static constexpr Names kUp = {"self_attn.q_b_proj", "self_attn.kv_b_proj"};
  static constexpr Names kMixer = {"linear_attn.in_proj", "mamba.in_proj", "mixer.in_proj",
                                   "self_attn.in_proj"};
  static constexpr Names kIndexer = {"self_attn.indexer"};
  static constexpr Names kDenseUp = {"mlp.up_proj", "mlp.gate_up_proj", "feed_forward.up_proj"};
  static constexpr Names kDenseDown = {"mlp.down_proj", "feed_forward.down_proj"};
  static constexpr Names kSharedUp = {"mlp.shared_experts.up_proj", "mlp.shared_expert.up_proj",
                                      "feed_forward.shared_expert.up_proj"};
  static constexpr Names kSharedDown = {"mlp.shared_experts.down_proj",
                                        "mlp.shared_expert.down_proj",
                                        "feed_forward.shared_expert.down_proj"};
  static constexpr Names kExpertUp = {"mlp.experts.0.up_proj", "mlp.experts.gate_up_proj",
                                      "block_sparse_moe.experts.0.w1",
                                      "feed_forward.experts.gate_up_proj"};
  static constexpr Names kExpertDown = {"mlp.experts.0.down_proj", "mlp.experts.down_proj",
                                        "block_sparse_moe.experts.0.w2",
                                        "feed_forward.experts.down_proj"};
  switch (part) {
    case WeightPart::query: return kQuery;
    case WeightPart::key: return kKey;
    case WeightPart::value: return kValue;
    case WeightPart::output: return kOutput;
    case WeightPart::latent_down: return kDown;
    case WeightPart::latent_up: return kUp;
    case WeightPart::mixer: return kMixer;
    case WeightPart::indexer: return kIndexer;
    case WeightPart::dense_up: return kDenseUp;
    case WeightPart::dense_down: return kDenseDown;
    case WeightPart::shared_up: return kSharedUp;
    case WeightPart::shared_down: return kSharedDown;
    case WeightPart::expert_up: return kExpertUp;
    case WeightPart::expert_down: return kExpertDown;
    default: return kNone;
  }
}

bool left_out(const ModulePatterns& patterns, std::int64_t layer, WeightPart part) {
  const Names names = modules_of(part);
  return std::any_of(names.begin(), names.end(),
                     [&](const char* name) { return patterns.name(layer, name); });
}

double bits(Precision p) {
  return kBitsPerByte * bytes_per_element(p);
}

PerPart<double> all_parts(double value) {
  PerPart<double> out;
  out.fill(value);
  return out;
}

// Quantised layers, one entry per layer.
std::vector<PerPart<double>> quantised_layers(const Model& model, const WeightRequest& request) {
  const double wide = bits(request.unquantized), narrow = matrix_bits(model, request);
  const bool experts_only = matrix_precision(model, request) == Precision::mxfp4;
  static const std::vector<std::string> kNothing;
  const ModulePatterns patterns(model.quantization ? model.quantization->not_converted : kNothing);
  std::vector<PerPart<double>> out(model.layers.size(), all_parts(wide));
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (i > 0 && !patterns.by_layer()) {
      out[i] = out[0];
      continue;
    }
    for (std::size_t p = 0; p < kMatrixParts; ++p) {
      const auto part = static_cast<WeightPart>(p);
      if (experts_only && !is_routed(part)) continue;
      if (!patterns.empty() && left_out(patterns, static_cast<std::int64_t>(i), part)) continue;
      out[i][p] = narrow;
    }
  }
  return out;
}

WeightBits uniform(const Model& model, double value) {
  return {std::vector<PerPart<double>>(model.layers.size(), all_parts(value)), value, value, value};
}

struct Tally {
  StageWeights sums;
  double stored_bits = 0;
  double norms = 0;

  void add_outside(double params, double element_bits) {
    sums.params += params;
    stored_bits += params * element_bits;
  }
};

double largest_matrix(const LayerKind& kind, const PerPart<double>& held,
                      const WeightSplit& split) {
  double most = 0;
  const double experts = static_cast<double>(kind.ffn.experts) / static_cast<double>(split.ep);
  for (std::size_t p = 0; p < kMatrixParts; ++p) {
    const bool many = is_routed(static_cast<WeightPart>(p)) && experts > 0;
    most = std::max(most, many ? held[p] / experts : held[p]);
  }
  return most;
}

void add_layers(const Model& model, const WeightBits& bits_of, const WeightSplit& split,
                const StageLayers& stage, Tally& out) {
  std::vector<PerPart<double>> held;
  held.reserve(model.kinds.size());
  for (const LayerKind& kind : model.kinds) held.push_back(held_parts(kind, model.hidden, split));
  for (std::int64_t i = stage.first; i < stage.first + stage.count; ++i) {
    const auto layer = static_cast<std::size_t>(i);
    const PerPart<double>& parts = held[model.layers[layer]];
    double params = 0;
    for (std::size_t p = 0; p < kWeightParts; ++p) {
      params += parts[p];
      out.stored_bits += parts[p] * bits_of.layers[layer][p];
      if (is_routed(static_cast<WeightPart>(p))) out.sums.expert_params += parts[p];
    }
    out.norms += at(parts, WeightPart::norms);
    out.sums.layer_params += params;
    out.sums.largest_layer_params = std::max(out.sums.largest_layer_params, params);
    out.sums.largest_matrix_params =
        std::max(out.sums.largest_matrix_params,
                 largest_matrix(model.kinds[model.layers[layer]], parts, split));
  }
}

// What stands outside the layers: tables on the stages at the ends.
void add_tables(const Model& model, const WeightBits& bits_of, const WeightSplit& split,
                const StageLayers& stage, Tally& out) {
  const auto tp = static_cast<double>(split.tp);
  const double table = static_cast<double>(model.vocab * model.embedding_width) / tp;
  if (stage.is_first) {
    out.add_outside(table, bits_of.embedding);
    out.add_outside(static_cast<double>(model.position_params), bits_of.vectors);
    out.add_outside(static_cast<double>(model.other_params) / tp, bits_of.vectors);
  }
  if (stage.is_last) {
    out.add_outside(static_cast<double>(model.final_norm_params), bits_of.vectors);
    out.norms += static_cast<double>(model.final_norm_params);
    const bool copied = model.tied_embeddings && !stage.is_first;  // (4)
    if (!model.tied_embeddings || copied) out.add_outside(table, bits_of.head);
  }
}

}  // namespace

PerPart<std::int64_t> layer_parts(const LayerKind& kind, std::int64_t d) {
  PerPart<std::int64_t> out{};
  const Attention& a = kind.attention;
  if (a.projection_params > 0) {
    at(out, WeightPart::mixer) = a.projection_params;
  } else if (a.kind == AttentionKind::softmax) {
    add_softmax(a, d, out);
  } else if (a.kind == AttentionKind::mla) {
    add_mla(a, d, out);
  }
  at(out, WeightPart::indexer) = a.index_params;
  at(out, WeightPart::attention_vectors) = a.vector_params;
  add_ffn(kind.ffn, d, out);
  at(out, WeightPart::norms) = kind.norm_params;
  return out;
}

PerPart<double> held_parts(const LayerKind& kind, std::int64_t d, const WeightSplit& split) {
  const PerPart<std::int64_t> whole = layer_parts(kind, d);
  PerPart<double> out{};
  for (std::size_t p = 0; p < kWeightParts; ++p) {
    out[p] = static_cast<double>(whole[p]) * held_share(kind, static_cast<WeightPart>(p), split);
  }
  return out;
}

Precision matrix_precision(const Model& model, const WeightRequest& request) {
  if (request.precision) return *request.precision;
  return model.quantization ? model.quantization->precision : model.weight_precision;
}

double matrix_bits(const Model& model, const WeightRequest& request) {
  const Precision p = matrix_precision(model, request);
  Quantization q;  // of the checkpoint, unless a precision is asked for
  if (!request.precision && model.quantization) q = *model.quantization;
  const std::int64_t group = request.group_size.value_or(q.group_size);
  if (group == 0) return bits(p);
  const std::int64_t of_checkpoint = q.group_size > 0 ? q.scale_bits : kUsualScaleBits;
  const std::int64_t scale = request.scale_bits.value_or(of_checkpoint);
  const std::int64_t zero = request.zero_bits.value_or(q.group_size > 0 ? q.zero_bits : 0);
  const bool has_own_scale = p == Precision::mxfp4 || p == Precision::nvfp4;
  const double element = has_own_scale ? bits(Precision::fp4) : bits(p);
  return element + static_cast<double>(scale + zero) / static_cast<double>(group);  // (1)
}

WeightBits weight_bits(const Model& model, const WeightRequest& request) {
  if (request.bits_per_weight) return uniform(model, *request.bits_per_weight);
  if (request.gguf) return gguf_bits(model, *request.gguf);
  const Precision p = matrix_precision(model, request);
  if (!is_quantised(p)) return uniform(model, bits(p));
  const double wide = bits(request.unquantized);
  return {quantised_layers(model, request), wide, wide, wide};
}

StageWeights stage_weights(const Model& model, const WeightBits& bits_of, const WeightSplit& split,
                           const StageLayers& stage) {
  Tally tally;
  add_layers(model, bits_of, split, stage, tally);
  add_tables(model, bits_of, split, stage, tally);
  StageWeights out = tally.sums;
  out.params += out.layer_params;
  out.dense_params = out.params - out.expert_params;
  out.norm_params = std::llround(tally.norms);
  out.bytes = tally.stored_bits / kBitsPerByte;
  return out;
}

StageWeights model_weights(const Model& model, const WeightBits& bits_of) {
  return stage_weights(model, bits_of, {}, {0, model.layer_count(), true, true});
}

std::vector<StageLayers> stages_of(std::int64_t layers, std::int64_t pp,
                                   const std::vector<std::int64_t>& sizes) {
  std::vector<StageLayers> out;
  std::int64_t first = 0;
  for (std::int64_t s = 0; s < pp; ++s) {
    const std::int64_t count =
        sizes.empty() ? layers_of_stage(layers, pp, s) : sizes[static_cast<std::size_t>(s)];
    out.push_back({first, count, s == 0, s + 1 == pp});
    first += count;
  }
  return out;
}

std::int64_t held_kv_heads(std::int64_t kv_heads, std::int64_t tp) {
  return std::max<std::int64_t>(1, kv_heads / tp);
}

}  // namespace ridgeline::physics
