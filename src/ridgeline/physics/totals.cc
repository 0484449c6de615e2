#include "ridgeline/physics/totals.h"

#include <algorithm>
#include <cmath>

#include "ridgeline/physics/kv_cache.h"
#include "ridgeline/physics/parameters.h"
#include "ridgeline/physics/shapes.h"
#include "ridgeline/physics/weights.h"
#include "ridgeline/spec/plan.h"
#include "ridgeline/spec/workload.h"

namespace ridgeline::physics {
namespace {

constexpr double kBitsPerByte = 8;

double as_double(std::int64_t n) {
  return static_cast<double>(n);
}

// --- The facts of a full model ---

double pair_flop(const Attention& a, std::int64_t hidden, Phase phase) {
  if (a.kind != AttentionKind::softmax && a.kind != AttentionKind::mla) return 0;
  const AttentionShape shape = attention_shape(a, hidden, phase, Plan{});
  return 2 * (shape.q + shape.o);  // (9)
}

double index_elements(const Attention& a) {
  if (a.index_heads == 0) return 0;
  return as_double(a.index_head_dim) / (a.compress_ratio > 0 ? as_double(a.compress_ratio) : 1);
}

LayerGroup group_of(const Attention& a, std::int64_t hidden) {
  const StateFlop state = state_flop_per_token(a);
  return {.like = a,
          .layers = 1,
          .pair_flop = pair_flop(a, hidden, Phase::prefill),
          .decode_pair_flop = pair_flop(a, hidden, Phase::decode),
          .index_pair_flop = 2 * as_double(a.index_heads * a.index_head_dim),
          .kv_elements = kv_elements_per_token(a, MlaForm::latent),
          .index_elements = index_elements(a),
          .state_elements = as_double(state_elements(a)),
          .state_flop = state.convolution + state.update,
          .state_prefill_flop = state.chunk};
}

bool attend_alike(const Attention& a, const Attention& b) {
  return a.kind == b.kind && a.window == b.window && a.chunk == b.chunk &&
         a.kv_heads == b.kv_heads && a.compress_ratio == b.compress_ratio &&
         a.index_top_k == b.index_top_k && a.reuses_cache == b.reuses_cache;
}

double mean(double a, double weight, double b) {
  return (a * weight + b) / (weight + 1);
}

void join(LayerGroup& into, const LayerGroup& one) {
  const double w = into.layers;
  into.pair_flop = mean(into.pair_flop, w, one.pair_flop);
  into.decode_pair_flop = mean(into.decode_pair_flop, w, one.decode_pair_flop);
  into.index_pair_flop = mean(into.index_pair_flop, w, one.index_pair_flop);
  into.kv_elements = mean(into.kv_elements, w, one.kv_elements);
  into.index_elements = mean(into.index_elements, w, one.index_elements);
  into.state_elements = mean(into.state_elements, w, one.state_elements);
  into.state_flop = mean(into.state_flop, w, one.state_flop);
  into.state_prefill_flop = mean(into.state_prefill_flop, w, one.state_prefill_flop);
  into.layers += 1;
}

// A model with more kinds of attention than groups shares the last one among the rest.
void add_layer(const Attention& a, std::int64_t hidden, LayerFacts& facts) {
  if (a.kind == AttentionKind::none) return;
  const LayerGroup one = group_of(a, hidden);
  for (LayerGroup& group : facts.groups) {
    if (attend_alike(group.like, a)) return join(group, one);
  }
  if (facts.groups.size() < kMaxLayerGroups) {
    facts.groups.push_back(one);
  } else {
    join(facts.groups[kMaxLayerGroups - 1], one);
  }
}

bool is_expert_vector(std::size_t part) {
  return part == static_cast<std::size_t>(WeightPart::expert_vectors);
}
bool is_expert_matrix(std::size_t part) {
  return part == static_cast<std::size_t>(WeightPart::expert_up) ||
         part == static_cast<std::size_t>(WeightPart::expert_down);
}

// Sums of parameters and of their stored bits, by class.
struct ClassSum {
  double params = 0;
  double bits = 0;

  void add(double n, double bits_each) {
    params += n;
    bits += n * bits_each;
  }
  double mean_bits(double otherwise) const { return params > 0 ? bits / params : otherwise; }
};

// A matrix follows the format that is asked for unless the checkpoint leaves it out.
void count_weights(const Model& model, LayerFacts& facts) {
  const WeightBits stored = weight_bits(model, {});
  const WeightBits marked = weight_bits(model, {.precision = Precision::int8});
  const double narrow = kBitsPerByte * bytes_per_element(Precision::int8);
  ClassSum matrices, experts, vectors, expert_vectors;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const LayerKind& kind = model.kinds[model.layers[i]];
    const PerPart<std::int64_t> parts = layer_parts(kind, model.hidden);
    for (std::size_t p = 0; p < kWeightParts; ++p) {
      const auto n = as_double(parts[p]);
      const bool follows = marked.layers[i][p] == narrow;
      if (is_expert_vector(p))
        expert_vectors.add(n, stored.layers[i][p]);
      else if (is_expert_matrix(p))
        experts.add(n, stored.layers[i][p]);
      else if (follows)
        matrices.add(n, stored.layers[i][p]);
      else
        vectors.add(n, stored.layers[i][p]);
    }
    if (kind.moe()) facts.moe_layers += 1;
  }
  vectors.add(as_double(model.final_norm_params + model.position_params + model.other_params),
              stored.vectors);
  facts.matrices = matrices.params;
  facts.expert_matrices = experts.params;
  facts.vectors = vectors.params;
  facts.expert_vectors = expert_vectors.params;
  facts.matrix_bits = matrices.mean_bits(stored.vectors);
  facts.expert_bits = experts.mean_bits(stored.vectors);
  facts.vector_bits = vectors.mean_bits(stored.vectors);
  facts.table_bits = stored.embedding;
}

LayerFacts facts_of(const Model& model) {
  LayerFacts facts;
  facts.model = &model;
  facts.table = as_double(model.vocab * model.embedding_width);
  facts.tied = model.tied_embeddings;
  facts.head = facts.tied ? 0 : facts.table;
  facts.vocab = as_double(model.vocab);
  facts.max_context = model.max_context;
  count_weights(model, facts);
  for (const std::uint8_t kind : model.layers) {
    add_layer(model.kinds[kind].attention, model.hidden, facts);
  }
  return facts;
}

std::optional<std::int64_t> positive(std::int64_t n) {
  return n > 0 ? std::optional(n) : std::nullopt;
}

// Heads and widths of the first layer that has them.
void copy_shapes(const Model& model, Totals& out) {
  for (const std::uint8_t index : model.layers) {
    const LayerKind& kind = model.kinds[index];
    const Attention& a = kind.attention;
    if (!out.heads && a.heads > 0) {
      out.heads = a.heads;
      out.head_dim = positive(a.head_dim > 0 ? a.head_dim : a.v_head_dim);
      out.kv_heads = positive(a.kv_heads);
      out.kv_lora_rank = positive(a.kv_lora_rank);
      out.qk_rope_head_dim = positive(a.qk_rope_head_dim);
    }
    if (!out.experts && kind.moe()) {
      out.experts = kind.ffn.experts;
      out.active_experts = kind.ffn.top_k;
    }
  }
}

// --- A model at given formats ---

// Bits of elements that take the format that is asked for, and of those that stay wide.
struct Bits {
  double matrices, experts, vectors, table;
};

double narrow_bits(const Setting& s) {
  return matrix_bits(Model{}, {.precision = s.precision,
                               .group_size = s.group_size,
                               .scale_bits = s.scale_bits,
                               .zero_bits = s.zero_bits});
}

Bits bits_of(const LayerFacts& facts, const Setting& s) {
  if (s.bits_per_weight) {
    const double all = *s.bits_per_weight;
    return {all, all, all, all};
  }
  if (!s.precision)
    return {facts.matrix_bits, facts.expert_bits, facts.vector_bits, facts.table_bits};
  const double narrow = narrow_bits(s);
  if (!is_quantised(*s.precision)) return {narrow, narrow, narrow, narrow};
  const double wide = kBitsPerByte * bytes_per_element(s.unquantized_precision);
  const bool experts_only = *s.precision == Precision::mxfp4;
  return {experts_only ? wide : narrow, narrow, wide, wide};
}

void weigh_layers(const LayerFacts& facts, const Setting& setting, ModelSums& out) {
  const Bits bits = bits_of(facts, setting);
  const double table = facts.table * bits.table / kBitsPerByte;
  const double head = facts.head * bits.table / kBitsPerByte;
  out.head_bytes = facts.tied ? table : head;
  const double inside =
      (facts.matrices * bits.matrices + facts.vectors * bits.vectors) / kBitsPerByte;
  out.expert_weights =
      (facts.expert_matrices * bits.experts + facts.expert_vectors * bits.vectors) / kBitsPerByte;
  out.shared_weights = inside + out.head_bytes;
  out.weights = inside + out.expert_weights + table + head;
  out.head_flop = 2 * facts.table;
  out.moe_layers = facts.moe_layers;
}

void weigh_totals(const Totals& totals, const Setting& setting, ModelSums& out) {
  if (totals.params == 0) {
    out.weights = out.shared_weights = totals.size.base();
    return;
  }
  const double b_w = setting.bits_per_weight ? *setting.bits_per_weight / kBitsPerByte
                     : setting.precision     ? narrow_bits(setting) / kBitsPerByte
                                             : bytes_per_element(Precision::bf16);
  const Totals::Split split = totals.split();  // (6)
  out.weights = totals.params * b_w;
  out.shared_weights = split.shared * b_w;
  out.expert_weights = split.experts * b_w;
  out.moe_layers = split.experts > 0 ? out.layers : 0;
}

// All layers alike; none where the heads are not known.
LayerGroup group_of_totals(const Totals& t) {
  LayerGroup group;
  if (!t.layers || !t.heads || !(t.head_dim || t.hidden)) return group;
  const double H = as_double(*t.heads);
  const double h = t.head_dim ? as_double(*t.head_dim) : as_double(*t.hidden) / H;
  group.layers = as_double(*t.layers);
  group.pair_flop = group.decode_pair_flop = 4 * H * h;  // (9)
  group.like.kind = AttentionKind::softmax;
  group.like.heads = *t.heads;
  group.like.kv_heads = t.kv_heads.value_or(*t.heads);
  group.kv_elements = 2 * as_double(group.like.kv_heads) * h;  // (8)
  if (t.kv_lora_rank) {
    const double r = as_double(*t.kv_lora_rank);
    const double r_p = as_double(t.qk_rope_head_dim.value_or(0));
    group.like.kind = AttentionKind::mla;
    group.like.kv_heads = 0;
    group.decode_pair_flop = 2 * H * (2 * r + r_p);  // (9)
    group.kv_elements = r + r_p;                     // (8)
  }
  return group;
}

// Ranks of tp over which a group's cache is divided; the rest hold copies.
double cache_ranks(const LayerGroup& group, double tp) {
  const auto heads = as_double(group.like.kv_heads);
  return heads > 0 ? std::min(tp, heads) : 1;
}

// Bytes of cache that one decode step reads of a sequence, and the state that it reads and writes.
Bytes read_kv(const ModelSums& m, double context, double tp) {
  double bytes = 0;
  for (const LayerGroup& g : m.groups()) {
    const double kept = kept_tokens(g.like, context, 0);
    const double read =
        g.like.index_heads > 0 ? std::min(kept, as_double(g.like.index_top_k)) : kept;
    const double cache = g.kv_elements * read / cache_ranks(g, tp) + g.index_elements * context;
    bytes += g.layers * m.kv_width * (cache + 2 * g.state_elements / tp);
  }
  return Bytes::from_base(bytes);
}

double causal_between(const Attention& like, const PromptPart& part) {
  const double all = causal_pairs(like, part.cached + part.fresh);
  return part.cached > 0 ? all - causal_pairs(like, part.cached) : all;
}

double pairs_of(const Attention& like, AttentionCount count, const PromptPart& part) {
  switch (count) {
    case AttentionCount::causal: return causal_between(like, part);
    case AttentionCount::full: return as_double(part.fresh) * visible_context(like, part.whole);
    case AttentionCount::none: return 0;
  }
  return 0;
}

}  // namespace

Totals totals_of(const Model& model) {
  const ParameterCount count = count_parameters(model);
  Totals out;
  out.params = as_double(count.total);
  out.active_params = as_double(count.active);
  out.flop_per_unit = 2 * as_double(forward_params(model));
  out.layers = model.layer_count();
  out.hidden = positive(model.hidden);
  copy_shapes(model, out);
  out.layered = facts_of(model);
  return out;
}

Precision weight_precision(const Totals& totals, const Setting& setting) {
  if (setting.precision) return *setting.precision;
  if (!totals.layered || totals.layered->model == nullptr) return Precision::bf16;
  return matrix_precision(*totals.layered->model, {});
}

Precision activation_precision(const Totals& totals, const Setting& setting) {
  if (setting.activation_precision) return *setting.activation_precision;
  const Precision p = weight_precision(totals, setting);
  return p == Precision::mxfp4 || p == Precision::nvfp4 ? Precision::fp4 : p;
}

ModelSums sums_of(const Totals& totals, const Setting& setting) {
  ModelSums out;
  out.layers = as_double(totals.layers.value_or(0));
  out.hidden = as_double(totals.hidden.value_or(0));
  out.flop_per_unit = totals.flop_per_unit.value_or(2 * totals.active());
  out.experts = as_double(totals.experts.value_or(0));
  out.chosen = as_double(totals.active_experts.value_or(0));
  out.kv_width = bytes_per_element(setting.kv_precision);
  out.activation_width = bytes_per_element(activation_precision(totals, setting));
  if (totals.layered) {
    out.facts = &*totals.layered;
    weigh_layers(*totals.layered, setting, out);
  } else {
    out.only = group_of_totals(totals);
    weigh_totals(totals, setting, out);
  }
  return out;
}

StepWork operator+(const StepWork& a, const StepWork& b) {
  return {a.flop + b.flop, a.weights + b.weights, a.kv + b.kv, a.activations + b.activations,
          a.attention + b.attention};
}

double touched_experts(double experts, double chosen, double tokens) {
  if (chosen >= experts) return experts;
  return -experts * std::expm1(tokens * std::log1p(-chosen / experts));
}

Bytes touched_weights(const ModelSums& m, double tokens) {
  if (m.expert_weights == 0) return Bytes::from_base(m.shared_weights);
  const double share = touched_experts(m.experts, m.chosen, tokens) / m.experts;
  return Bytes::from_base(m.shared_weights + m.expert_weights * share);  // (7)
}

Bytes kept_kv(const ModelSums& m, double context, double tp) {
  double bytes = 0;
  for (const LayerGroup& g : m.groups()) {
    const double cache = g.kv_elements * kept_tokens(g.like, context, 0) / cache_ranks(g, tp);
    bytes += g.layers * m.kv_width *
             (cache + g.index_elements * context + g.state_elements / tp);  // (8)
  }
  return Bytes::from_base(bytes);
}

Bytes kv_per_token(const ModelSums& m, double tp) {
  double bytes = 0;
  for (const LayerGroup& g : m.groups()) {
    bytes += g.layers * m.kv_width * (g.kv_elements / cache_ranks(g, tp) + g.index_elements);
  }
  return Bytes::from_base(bytes);
}

double cached_elements(const ModelSums& m, double tp) {
  double elements = 0;
  for (const LayerGroup& g : m.groups()) elements += g.layers * g.kv_elements / cache_ranks(g, tp);
  return elements;
}

bool has_linear_kv(const ModelSums& m) {
  const auto groups = m.groups();
  return std::all_of(groups.begin(), groups.end(), [](const LayerGroup& g) {
    return cached_window(g.like) == 0 && g.state_elements == 0;
  });
}

Flops prompt_attention(const ModelSums& m, AttentionCount count, const PromptPart& part) {
  if (count == AttentionCount::none) return {};
  double flop = 0;
  for (const LayerGroup& g : m.groups()) {
    flop += g.layers * g.pair_flop * pairs_of(g.like, count, part);  // (9)
    flop += g.layers * g.index_pair_flop *
            pairs_of(Attention{.kind = AttentionKind::softmax}, count, part);
    flop += g.layers * (g.state_flop + g.state_prefill_flop) * as_double(part.fresh);
  }
  return Flops::from_base(flop);
}

Flops decode_attention(const ModelSums& m, AttentionCount count, double context) {
  if (count == AttentionCount::none) return {};
  double flop = 0;
  for (const LayerGroup& g : m.groups()) {
    flop += g.layers * (g.decode_pair_flop * visible_tokens(g.like, context) +
                        g.index_pair_flop * context + g.state_flop);  // (9)
  }
  return Flops::from_base(flop);
}

StepWork decode_work(const ModelSums& m, AttentionCount count, const DecodeLoad& load) {
  const double B = load.sequences, tokens = B * load.tokens;
  const Flops attention = decode_attention(m, count, load.context);
  const Flops each = Flops::from_base(m.flop_per_unit) + attention;
  return {.flop = tokens * each / load.tp,
          .weights = touched_weights(m, tokens) / load.tp,
          .kv = B * read_kv(m, load.context, load.tp),
          .activations = Bytes::from_base(load.activation_bytes * B),
          .attention = tokens * attention / load.tp};  // (10)
}

StepWork prefill_work(const ModelSums& m, AttentionCount count, const PrefillLoad& load) {
  const double B = load.sequences, n = as_double(load.part.fresh);
  const Flops attention = prompt_attention(m, count, load.part);
  const Flops each = Flops::from_base(m.flop_per_unit * n) + attention;
  const double seen = as_double(load.part.cached + load.part.fresh);
  return {.flop = B * each / load.tp,
          .weights = touched_weights(m, n * B) / load.tp,
          .kv = B * kept_kv(m, seen, load.tp),
          .activations = Bytes::from_base(load.activation_bytes * B),
          .attention = B * attention / load.tp};  // (11)
}

StepWork mixed_work(const ModelSums& m, AttentionCount count, const DecodeLoad& decode,
                    const PrefillLoad& prefill) {
  StepWork both = decode_work(m, count, decode) + prefill_work(m, count, prefill);
  const double tokens =
      decode.sequences * decode.tokens + prefill.sequences * as_double(prefill.part.fresh);
  both.weights = touched_weights(m, tokens) / decode.tp;  // (11)
  return both;
}

TrainingFactors hardware_factors(Recompute recompute, double trainable_fraction) {
  TrainingFactors mu = model_factors(trainable_fraction);
  if (recompute == Recompute::full || recompute == Recompute::per_module) mu.weights += 1;
  if (recompute != Recompute::none) mu.attention += 1;
  return mu;  // (12)
}

TrainingFactors model_factors(double trainable_fraction) {
  return {2 + trainable_fraction, 3};
}

}  // namespace ridgeline::physics
