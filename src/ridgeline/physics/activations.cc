#include "ridgeline/physics/activations.h"

#include <algorithm>

#include "ridgeline/physics/shapes.h"
#include "ridgeline/spec/plan.h"
#include "ridgeline/spec/workload.h"

namespace ridgeline::physics {
namespace {

constexpr double kSampledBytes = 4;  // logits are sampled in fp32

double as_double(std::int64_t n) {
  return static_cast<double>(n);
}

double attention_width(const Attention& attention, std::int64_t hidden, const WeightSplit& split) {
  Plan plan;
  plan.tp = split.tp;
  plan.kv_shard_mode = KvShardMode::replicate;
  const AttentionShape s = attention_shape(attention, hidden, Phase::prefill, plan);
  return 2 * as_double(hidden) + s.q + s.k + s.v + s.o;  // (1)
}

double ffn_width(const Ffn& f, std::int64_t hidden, const WeightSplit& split) {
  const double d = as_double(hidden), m = as_double(f.matrices);
  const double tp = as_double(split.tp), etp = as_double(split.etp);
  const double dense = m * as_double(f.width + f.shared_width) / tp;  // (2)
  const double fe = as_double(f.expert_width) / etp;
  const double copies = as_double(f.top_k) * etp / tp;
  return 3 * d + std::max(dense, copies * std::max(m * fe, fe + d));  // (3)
}

// Elements per token that one half of a layer keeps: whole on every tp rank unless sequences are
// split too; split over heads or widths; of the copies that experts receive and return.
struct Kept {
  double shared = 0;
  double split = 0;
  double copies = 0;
};

Kept attention_kept(const Attention& a, double d) {
  const double h = as_double(a.heads);
  switch (a.kind) {
    case AttentionKind::softmax:
      return {2 * d, h * as_double(a.head_dim + a.value_head_dim) +
                         as_double(a.kv_heads * (a.head_dim + a.value_head_dim))};  // (5)
    case AttentionKind::mla: {
      const double q = h * as_double(a.qk_nope_head_dim + a.qk_rope_head_dim);
      const double latents = as_double(2 * a.q_lora_rank + 2 * a.kv_lora_rank + a.qk_rope_head_dim);
      return {2 * d + latents, 2 * q + 2 * h * as_double(a.v_head_dim)};  // (6)
    }
    case AttentionKind::recurrent: {
      const double out = as_double(a.state_heads * a.state_value_dim);
      const double in = d > 0 ? as_double(a.projection_params) / d - out : 0;
      return {2 * d, 2 * in + 2 * out};
    }
    case AttentionKind::none: return {};
  }
  return {};
}

Kept ffn_kept(const Ffn& f, double d) {
  const double m = as_double(f.matrices), k = as_double(f.top_k);
  const double width = as_double(f.width + f.shared_width) + k * as_double(f.expert_width);
  if (width == 0) return {};
  return {2 * d, m * width, f.moe() ? 2 * d * k : 0};  // (7)
}

double on_device(const Kept& kept, double d, const TrainingLoad& load) {
  const double mask = kept.shared > 0 ? load.mask_bytes * d : 0;
  const double shared = load.bytes * kept.shared + mask;
  return (load.sequence_parallel ? shared / load.tp : shared) +
         load.bytes * (kept.split + kept.copies * load.etp) / load.tp;
}

// Softmax of the scores, kept when no kernel fuses it away: its input and output in b bytes, the
// output after dropout and a mask with dropout.
double score_bytes(const Attention& a, const TrainingLoad& load) {
  const bool kept = load.kernel == AttentionKernel::unfused && load.recompute == Recompute::none &&
                    (a.kind == AttentionKind::softmax || a.kind == AttentionKind::mla);
  if (!kept) return 0;
  const double per_pair = load.mask_bytes > 0 ? 2 * load.bytes + 1 : load.bytes;
  return per_pair * as_double(a.heads) * load.context / load.tp;
}

// Every second product of a matrix, the attention output and the block's input [torchtitan].
double selective_op_bytes(const LayerKind& kind, double d, const TrainingLoad& load) {
  const Attention& a = kind.attention;
  const Ffn& f = kind.ffn;
  const double q = as_double(a.heads * a.head_dim), kv = as_double(2 * a.kv_heads * a.head_dim);
  const double width =
      as_double(f.width + f.shared_width) + as_double(f.top_k) * as_double(f.expert_width);
  const double products = q + kv + d + as_double(f.matrices - 1) * width + d;
  return load.bytes * (d + q + products / 2) / load.tp;
}

// What is kept of a layer whose parts keep `all` bytes, the largest of them `largest`, under a
// policy; `input` bytes of one block's input.
struct LayerBytesKept {
  double all = 0;
  double largest = 0;
  double input = 0;
};

KeptActivations by_policy(const LayerBytesKept& bytes, Recompute recompute) {
  switch (recompute) {
    case Recompute::full: return {bytes.input, bytes.all};
    case Recompute::per_module: return {2 * bytes.input, bytes.largest};
    default: return {bytes.all, 0};
  }
}

double block_input(double d, const TrainingLoad& load) {
  return load.bytes * d / (load.sequence_parallel ? load.tp : 1);
}

}  // namespace

double forward_peak_bytes(const Model& model, const ForwardLoad& load, const StageLayers& stage) {
  double width = 0;
  for (std::int64_t i = stage.first; i < stage.first + stage.count; ++i) {
    const LayerKind& kind = model.kinds[model.layers[static_cast<std::size_t>(i)]];
    width = std::max({width, attention_width(kind.attention, model.hidden, load.split),
                      ffn_width(kind.ffn, model.hidden, load.split)});
  }
  const double b = bytes_per_element(load.precision);
  const double logits =
      stage.is_last ? load.sequences * as_double(model.vocab) * (b + kSampledBytes) : 0;  // (4)
  return std::max(b * load.tokens * width, logits);
}

KeptActivations kept_by_layer(const LayerKind& kind, std::int64_t hidden,
                              const TrainingLoad& load) {
  const double d = as_double(hidden), tokens = load.sequences * load.tokens;
  const double scores = score_bytes(kind.attention, load);
  const double attention = on_device(attention_kept(kind.attention, d), d, load) + scores;
  const double ffn = on_device(ffn_kept(kind.ffn, d), d, load);
  const bool two = attention > 0 && ffn > 0;
  if (load.recompute == Recompute::selective_op) {
    return {tokens * selective_op_bytes(kind, d, load), tokens * (attention + ffn)};
  }
  KeptActivations kept =
      by_policy({attention + ffn, std::max(attention, ffn), block_input(d, load)}, load.recompute);
  if (load.recompute == Recompute::per_module && !two) kept.stored = block_input(d, load);
  return {tokens * kept.stored, tokens * kept.working};
}

KeptActivations kept_by_gpt_layer(const GptShape& shape, const TrainingLoad& load) {
  constexpr double kSplit = 24, kShared = 10, kScores = 5, kPublishedBytes = 2;
  const double scale = load.bytes / kPublishedBytes;
  const double tokens = load.sequences * load.tokens, d = shape.hidden;
  const double shared = load.sequence_parallel ? kShared / load.tp : kShared;
  const double all = scale * d * (shared + kSplit / load.tp);  // (8)
  const double scores = load.recompute == Recompute::none
                            ? scale * kScores * shape.heads * load.context / load.tp
                            : 0;
  const KeptActivations kept =
      by_policy({all + scores, all / 2, block_input(d, load)}, load.recompute);
  return {tokens * kept.stored, tokens * kept.working};
}

}  // namespace ridgeline::physics
