#include "ridgeline/physics/shapes.h"

#include <algorithm>

namespace ridgeline::physics {
namespace {

// Score groups: TP ranks beyond H_g share the scores of one head.
void split_scores(AttentionShape& s, double heads, double groups, double tp) {
  s.score_ranks = std::max(1.0, tp / groups);
  s.score_heads = heads / std::min(tp, groups);
}

AttentionShape softmax_shape(const Attention& a, double d, const Plan& plan) {
  const auto tp = static_cast<double>(plan.tp);
  const auto hq = static_cast<double>(a.heads), hkv = static_cast<double>(a.kv_heads);
  const auto dh = static_cast<double>(a.head_dim), dv = static_cast<double>(a.value_head_dim);
  const bool replicate = plan.kv_shard_mode == KvShardMode::replicate;
  AttentionShape s;
  s.kv_copies = replicate ? std::max(1.0, tp / hkv) : 1;
  s.q = hq * dh / tp;
  s.o = hq * dv / tp;
  s.k = hkv * dh * s.kv_copies / tp;
  s.v = hkv * dv * s.kv_copies / tp;
  s.cache = s.k + s.v;
  s.rope = s.q + s.k;
  split_scores(s, hq, replicate ? hq : hkv, tp);
  s.query_out = s.q * (a.output_gate ? 2 : 1);
  s.query_params = d * s.query_out;
  s.key_value_params = d * (a.shared_key_value ? s.k : s.k + s.v);
  s.key_value_out = s.k + s.v;
  s.output_in = s.o;
  s.output_params = d * s.o;
  s.held_params =
      s.query_params + s.key_value_params + s.output_params + static_cast<double>(a.index_params);
  return s;
}

AttentionShape mla_shape(const Attention& a, double d, Phase phase, const Plan& plan) {
  const auto tp = static_cast<double>(plan.tp), hq = static_cast<double>(a.heads);
  const auto c = static_cast<double>(a.kv_lora_rank), r = static_cast<double>(a.qk_rope_head_dim);
  const auto nope = static_cast<double>(a.qk_nope_head_dim), dv = static_cast<double>(a.v_head_dim);
  const auto lora = static_cast<double>(a.q_lora_rank);
  const bool replicate = plan.kv_shard_mode == KvShardMode::replicate;
  const bool decode = phase == Phase::decode;
  AttentionShape s;
  s.kv_copies = replicate ? tp : 1;
  s.cache = (c + r) * s.kv_copies / tp;
  s.q = hq * (decode ? c + r : nope + r) / tp;
  s.o = hq * (decode ? c : dv) / tp;
  s.k = decode ? s.cache : hq * (nope + r) / tp;
  s.v = decode ? 0 : hq * dv / tp;
  s.rope = (hq / tp + 1) * r;
  split_scores(s, hq, decode && !replicate ? 1 : hq, tp);
  s.query_out = hq * (nope + r) / tp;
  s.query_params = lora > 0 ? d * lora + lora * s.query_out : d * s.query_out;
  s.key_value_params = d * (c + r);
  s.key_value_out = c + r;
  const double expand = c * hq * (nope + dv) / tp;
  s.expand_params = decode ? 0 : expand;
  s.absorb_params = decode ? c * hq * nope / tp : 0;
  s.value_up_params = decode ? c * hq * dv / tp : 0;
  s.output_in = hq * dv / tp;
  s.output_params = s.output_in * d;
  s.held_params = s.query_params + s.key_value_params + expand + s.output_params +
                  static_cast<double>(a.index_params);
  return s;
}

// Linear attention and state-space mixers: all projections stand in S2 (REFERENCES: design note in
// docs/chiplet-model.md; an estimate). The state is what a sequence keeps, whatever its length.
AttentionShape recurrent_shape(const Attention& a, const Plan& plan) {
  const auto tp = static_cast<double>(plan.tp);
  AttentionShape s;
  s.q = static_cast<double>(a.state_heads * a.state_key_dim) / tp;
  s.o = static_cast<double>(a.state_heads * a.state_value_dim) / tp;
  s.query_params = static_cast<double>(a.projection_params) / tp;
  s.query_out = s.q + s.o;
  s.output_in = s.o;
  s.held_params = s.query_params;
  return s;
}

}  // namespace

AttentionShape attention_shape(const Attention& attention, std::int64_t hidden, Phase phase,
                               const Plan& plan) {
  const auto d = static_cast<double>(hidden);
  switch (attention.kind) {
    case AttentionKind::softmax: return softmax_shape(attention, d, plan);
    case AttentionKind::mla: return mla_shape(attention, d, phase, plan);
    case AttentionKind::recurrent: return recurrent_shape(attention, plan);
    case AttentionKind::none: return {};
  }
  return {};
}

double most_kv_copies(const Model& model, Phase phase, const Plan& plan) {
  double copies = 1;
  for (const LayerKind& kind : model.kinds) {
    copies = std::max(copies, attention_shape(kind.attention, model.hidden, phase, plan).kv_copies);
  }
  return copies;
}

double visible_context(const Attention& attention, std::int64_t context) {
  return visible_tokens(attention, static_cast<double>(context));
}

double visible_tokens(const Attention& attention, double context) {
  if (attention.kind == AttentionKind::none || attention.kind == AttentionKind::recurrent) return 0;
  double seen = context;
  const auto limit = [&seen](std::int64_t most) {
    seen = std::min(seen, static_cast<double>(most));
  };
  if (attention.window > 0) limit(attention.window);
  if (attention.chunk > 0) limit(attention.chunk);
  if (attention.index_heads > 0) limit(attention.index_top_k);
  return seen;
}

StateFlop state_flop_per_token(const Attention& a) {
  constexpr double kChunkTokens = 64;
  const auto heads = static_cast<double>(a.state_heads);
  const auto k = static_cast<double>(a.state_key_dim), v = static_cast<double>(a.state_value_dim);
  return {.convolution = 2 * static_cast<double>(a.conv_kernel * a.conv_channels),
          .update = 6 * heads * k * v,
          .chunk = 2 * kChunkTokens * heads * (k + v)};
}

double causal_pairs(const Attention& attention, std::int64_t context) {
  const auto s = static_cast<double>(context);
  const double seen = visible_context(attention, context);
  const auto triangle = [](double n) { return n * (n + 1) / 2; };
  if (attention.chunk > 0 && attention.chunk < context) {
    const auto chunks = static_cast<double>(context / attention.chunk);
    return chunks * triangle(seen) + triangle(s - chunks * seen);
  }
  return triangle(seen) + (s - seen) * seen;
}

double ffn_ranks(const Plan& plan) {
  return static_cast<double>(plan.tp * (plan.scope_has_cp() ? plan.cp : 1) *
                             (plan.scope_has_dp() ? plan.dp : 1));
}

double ffn_held_params(const Ffn& ffn, std::int64_t hidden, const Plan& plan) {
  const double g = ffn_ranks(plan);
  const auto d = static_cast<double>(hidden), mats = static_cast<double>(ffn.matrices);
  const auto dense = static_cast<double>(ffn.width);
  if (!ffn.moe()) return mats * d * dense / g;
  const auto experts = static_cast<double>(ffn.experts);
  const auto fm = static_cast<double>(ffn.expert_width);
  const auto fs = static_cast<double>(ffn.shared_width) + dense;
  return mats * d * (experts * fm / static_cast<double>(plan.ep) + fs) / g + d * experts;
}

}  // namespace ridgeline::physics
