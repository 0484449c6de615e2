// Models with layers that keep a state in place of a cache: linear attention and state-space
// mixers; and DeepSeek V4, whose cache is compressed.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "ridgeline/catalog/import_parts.h"

namespace ridgeline::catalog {
namespace {

constexpr std::int64_t kMostState = std::int64_t{1} << 40;

// A size of the mixers; where it is missing nothing can be counted, but the cache can.
std::int64_t need(Draft& draft, const char* key, std::int64_t most = kMostHeads) {
  const std::int64_t value = draft.in.integer({key}, 0, 1, most);
  if (value == 0) lack(draft.model, key);
  return value;
}

void check_state(ConfigReader& in, const Attention& a, const char* key) {
  if (a.state_heads * a.state_key_dim * a.state_value_dim > kMostState) {
    in.fail(ErrorCode::out_of_range, key, "the recurrent state is too large");
  }
}

// Gated delta rule of Qwen3-Next: projections of q, k, v, z and of two gates per value head.
Attention delta_attention(Draft& draft, const Sizes& s) {
  ConfigReader& in = draft.in;
  const std::int64_t key_heads = need(draft, "linear_num_key_heads");
  const std::int64_t value_heads = need(draft, "linear_num_value_heads");
  const std::int64_t key_dim = need(draft, "linear_key_head_dim");
  const std::int64_t value_dim = need(draft, "linear_value_head_dim");
  Attention a;
  a.kind = AttentionKind::recurrent;
  a.state_heads = value_heads;
  a.state_key_dim = key_dim;
  a.state_value_dim = value_dim;
  a.conv_kernel = in.heads({"linear_conv_kernel_dim"}, 4);
  const std::int64_t keys = in.product(key_heads, key_dim, "linear_key_head_dim");
  const std::int64_t values = in.product(value_heads, value_dim, "linear_value_head_dim");
  a.conv_channels = 2 * keys + values;
  a.projection_params = s.hidden * (2 * keys + 3 * values + 2 * value_heads);
  a.vector_params = a.conv_channels * a.conv_kernel + 2 * value_heads + value_dim;
  check_state(in, a, "linear_num_value_heads");
  return a;
}

struct Mamba1 {
  std::int64_t inner = 0, state = 0, kernel = 0, rank = 0;
  bool conv_bias = true, projection_bias = false;
  bool inner_norms = false;
};

Attention mamba1(ConfigReader& in, std::int64_t d, const Mamba1& m) {
  Attention a;
  a.kind = AttentionKind::recurrent;
  a.state_heads = m.inner;
  a.state_key_dim = m.state;
  a.state_value_dim = 1;
  a.conv_channels = m.inner;
  a.conv_kernel = m.kernel;
  a.projection_params =
      d * 2 * m.inner + m.inner * (m.rank + 2 * m.state) + m.rank * m.inner + m.inner * d;
  a.vector_params = m.inner * m.kernel + (m.conv_bias ? m.inner : 0)  // convolution
                    + m.inner                                         // bias of the step
                    + m.inner * m.state + m.inner                     // A and D
                    + (m.projection_bias ? 2 * m.inner + d : 0) +
                    (m.inner_norms ? m.rank + 2 * m.state : 0);
  check_state(in, a, "hidden_size");
  return a;
}

struct Mamba2 {
  std::int64_t heads = 0, head_dim = 0, groups = 1, state = 0, kernel = 0;
  bool conv_bias = true, projection_bias = false;
};

Attention mamba2(ConfigReader& in, std::int64_t d, const Mamba2& m) {
  const std::int64_t inner = in.product(m.heads, m.head_dim, "num_heads");
  const std::int64_t grouped = in.product(m.groups, m.state, "n_groups");
  Attention a;
  a.kind = AttentionKind::recurrent;
  a.state_heads = m.heads;
  a.state_key_dim = m.state;
  a.state_value_dim = m.head_dim;
  a.conv_channels = inner + 2 * grouped;
  a.conv_kernel = m.kernel;
  const std::int64_t into = inner + a.conv_channels + m.heads;
  a.projection_params = d * into + inner * d;
  a.vector_params = a.conv_channels * (m.kernel + (m.conv_bias ? 1 : 0)) + 3 * m.heads + inner +
                    (m.projection_bias ? into + d : 0);
  check_state(in, a, "num_heads");
  return a;
}

}  // namespace

// Qwen3-Next and Qwen3.5: three layers of the delta rule to one of gated softmax attention.
void import_qwen3_next(Draft& draft) {
  ConfigReader& in = draft.in;
  const Sizes s = read_sizes(draft);
  if (in.failed()) return;
  Attention full = softmax_attention(draft, s);
  full.output_gate = in.flag({"attn_output_gate"}, true);
  const Attention linear = delta_attention(draft, s);
  const Ffn dense = dense_ffn(draft, s), routed = routed_ffn(draft, s);
  const bool listed = in.is_list("layer_types");
  const std::vector<Reach> reach = reaches(draft, s.layers);
  const std::vector<bool> routes = routed_layers(draft, s.layers);
  const std::int64_t interval = in.integer({"full_attention_interval"}, 4, 1, kMostLayers);
  if (in.failed()) return;
  for (std::size_t i = 0; i < reach.size(); ++i) {
    const bool recurrent =
        listed ? reach[i].recurrent : (static_cast<std::int64_t>(i) + 1) % interval != 0;
    draft.add(
        {recurrent ? linear : full, routed.moe() && routes[i] ? routed : dense, 2 * s.hidden});
  }
  finish(draft);
}

// Jamba: one softmax layer in a period of Mamba layers; experts in every other layer.
void import_jamba(Draft& draft) {
  ConfigReader& in = draft.in;
  const Sizes s = read_sizes(draft);
  if (in.failed()) return;
  Mamba1 m;
  m.inner = in.product(in.heads({"mamba_expand"}, 2), s.hidden, "mamba_expand");
  m.state = in.heads({"mamba_d_state"}, 16);
  m.kernel = in.heads({"mamba_d_conv"}, 4);
  m.rank = in.is_text("mamba_dt_rank") ? (s.hidden + 15) / 16
                                       : in.heads({"mamba_dt_rank"}, (s.hidden + 15) / 16);
  m.conv_bias = in.flag({"mamba_conv_bias"}, true);
  m.projection_bias = in.flag({"mamba_proj_bias"}, false);
  m.inner_norms = in.flag({"mamba_inner_layernorms"}, true);
  const Attention softmax = softmax_attention(draft, s), mamba = mamba1(in, s.hidden, m);
  const Ffn dense = dense_ffn(draft, s), routed = routed_ffn(draft, s);
  const std::int64_t period = in.integer({"attn_layer_period"}, 8, 1, kMostLayers);
  const std::int64_t offset = in.integer({"attn_layer_offset"}, 4, 0, kMostLayers);
  const std::int64_t expert_period = in.integer({"expert_layer_period"}, 2, 1, kMostLayers);
  const std::int64_t expert_offset = in.integer({"expert_layer_offset"}, 1, 0, kMostLayers);
  const std::int64_t window = in.tokens({"sliding_window"});
  if (in.failed()) return;
  for (std::int64_t i = 0; i < s.layers; ++i) {
    const bool attends = (i - offset) % period == 0,
               routes = (i - expert_offset) % expert_period == 0;
    LayerKind kind{attends ? softmax : mamba, routed.moe() && routes ? routed : dense,
                   2 * s.hidden};
    if (attends) kind.attention.window = window;
    draft.add(kind);
  }
  finish(draft);
}

namespace {

// One letter per block of Nemotron-H: M mixer, * attention, - feed-forward, E experts.
std::string block_pattern(Draft& draft, std::int64_t layers) {
  ConfigReader& in = draft.in;
  std::string pattern = in.text({"hybrid_override_pattern"});
  for (const std::string& type : in.texts("layers_block_type")) {
    pattern += type == "mamba"       ? 'M'
               : type == "attention" ? '*'
               : type == "mlp"       ? '-'
               : type == "moe"       ? 'E'
                                     : '?';
  }
  if (pattern.empty())
    in.fail(ErrorCode::missing, "hybrid_override_pattern", "hybrid_override_pattern is missing");
  if (static_cast<std::int64_t>(pattern.size()) != layers) {
    in.fail(ErrorCode::bad_value, "hybrid_override_pattern",
            fmt::format("the pattern has {} blocks for {} layers", pattern.size(), layers),
            "one letter per layer");
  }
  const std::size_t odd = pattern.find_first_not_of("M*-E");
  if (odd != std::string::npos) {
    in.fail(ErrorCode::bad_value, "hybrid_override_pattern",
            fmt::format("block {} of the pattern is not understood", odd), "letters M, *, - and E");
  }
  return pattern;
}

Mamba2 nemotron_mixer(Draft& draft) {
  ConfigReader& in = draft.in;
  Mamba2 m;
  m.heads = need(draft, "mamba_num_heads");
  m.head_dim = need(draft, "mamba_head_dim");
  m.groups = in.heads({"n_groups", "mamba_n_groups"}, 8);
  m.state = need(draft, "ssm_state_size");
  m.kernel = in.heads({"conv_kernel"}, 4);
  m.conv_bias = in.flag({"use_conv_bias"}, true);
  m.projection_bias = in.flag({"mamba_proj_bias"}, in.flag({"use_bias"}, false));
  return m;
}

}  // namespace

// Nemotron-H: each block is a mixer, attention, feed-forward part or experts, behind one norm.
void import_nemotron_h(Draft& draft) {
  ConfigReader& in = draft.in;
  const Sizes s = read_sizes(draft);
  const std::string pattern = block_pattern(draft, s.layers);
  if (in.has({"moe_latent_size"})) {
    in.fail(ErrorCode::unsupported, "moe_latent_size",
            "experts in a latent space are not understood");
  }
  if (in.failed()) return;
  const LayerKind attends{softmax_attention(draft, s), {}, s.hidden};
  const LayerKind feeds{{}, dense_ffn(draft, s), s.hidden};
  const bool mixes_any = pattern.find('M') != std::string::npos;
  const LayerKind mixes{
      mixes_any ? mamba2(in, s.hidden, nemotron_mixer(draft)) : Attention{}, {}, s.hidden};
  const bool routes_any = pattern.find('E') != std::string::npos;
  const LayerKind routes{{}, routes_any ? routed_ffn(draft, s) : Ffn{}, s.hidden};
  if (in.failed()) return;
  for (const char block : pattern) {
    draft.add(block == 'M' ? mixes : block == '*' ? attends : block == '-' ? feeds : routes);
  }
  finish(draft);
}

// Mamba: only mixers.
void import_mamba(Draft& draft) {
  ConfigReader& in = draft.in;
  const Sizes s = read_sizes(draft);
  Mamba1 m;
  m.inner =
      s.intermediate > 0 ? s.intermediate : in.product(in.heads({"expand"}, 2), s.hidden, "expand");
  m.state = in.heads({"state_size"}, 16);
  m.kernel = in.heads({"conv_kernel"}, 4);
  m.rank = in.is_text("time_step_rank") ? (s.hidden + 15) / 16
                                        : in.heads({"time_step_rank"}, (s.hidden + 15) / 16);
  m.conv_bias = in.flag({"use_conv_bias"}, true);
  m.projection_bias = in.flag({"use_bias"}, false);
  const LayerKind kind{mamba1(in, s.hidden, m), {}, s.hidden};
  if (in.failed()) return;
  for (std::int64_t i = 0; i < s.layers; ++i) draft.add(kind);
  finish(draft);
}

// Mamba-2: only mixers.
void import_mamba2(Draft& draft) {
  ConfigReader& in = draft.in;
  const Sizes s = read_sizes(draft);
  Mamba2 m;
  m.heads = need(draft, "num_heads");
  m.head_dim = in.heads({"head_dim"}, 64);
  m.groups = in.heads({"n_groups"}, 8);
  m.state = in.heads({"state_size"}, 128);
  m.kernel = in.heads({"conv_kernel"}, 4);
  m.conv_bias = in.flag({"use_conv_bias"}, true);
  m.projection_bias = in.flag({"use_bias"}, false);
  const LayerKind kind{mamba2(in, s.hidden, m), {}, s.hidden};
  if (in.failed()) return;
  for (std::int64_t i = 0; i < s.layers; ++i) draft.add(kind);
  finish(draft);
}

// MiniMax-Text-01: lightning attention with a gate, softmax attention where the list has a 1.
void import_minimax_text(Draft& draft) {
  ConfigReader& in = draft.in;
  const Sizes s = read_sizes(draft);
  if (in.failed()) return;
  const std::int64_t width = in.product(s.heads, s.head_dim, "head_dim");
  Attention lightning;
  lightning.kind = AttentionKind::recurrent;
  lightning.state_heads = s.heads;
  lightning.state_key_dim = lightning.state_value_dim = s.head_dim;
  lightning.projection_params = 5 * s.hidden * width;  // q, k, v, gate and output
  lightning.vector_params = width;                     // norm of the output
  check_state(in, lightning, "head_dim");
  const Attention softmax = softmax_attention(draft, s);
  const Ffn routed = routed_ffn(draft, s), dense = dense_ffn(draft, s);
  std::vector<std::int64_t> types = in.integers("attn_type_list", 0, 1);
  const std::vector<Reach> reach = reaches(draft, s.layers);
  if (types.empty()) {
    for (const Reach& r : reach) types.push_back(r.recurrent ? 0 : 1);
  }
  if (types.size() != reach.size()) {
    in.fail(ErrorCode::bad_value, "attn_type_list", "attn_type_list needs one entry per layer");
  }
  if (in.failed()) return;
  for (const std::int64_t type : types) {
    draft.add({type == 1 ? softmax : lightning, routed.moe() ? routed : dense, 2 * s.hidden});
  }
  finish(draft);
}

namespace {

// Two compressors and an indexer over their entries (ratio 4), or one compressor (ratio 128); the
// modules and their shapes are those of the published class [deepseek-v4].
void add_compressor(Draft& draft, const Sizes& s, std::int64_t ratio, Attention& a) {
  ConfigReader& in = draft.in;
  a.compress_ratio = ratio;
  const std::int64_t streams = ratio == 4 ? 2 : 1, width = streams * s.head_dim;
  a.projection_params += 2 * s.hidden * width;
  a.vector_params += ratio * width + s.head_dim;
  if (ratio != 4) return;
  a.index_heads = need(draft, "index_n_heads");
  a.index_head_dim = need(draft, "index_head_dim");
  a.index_top_k = need(draft, "index_topk", kMostWidth);
  const std::int64_t pair = 2 * a.index_head_dim;
  const std::int64_t queries = in.product(a.index_heads, a.index_head_dim, "index_head_dim");
  a.index_params = 2 * s.hidden * pair + ratio * pair + a.index_head_dim + a.q_lora_rank * queries +
                   s.hidden * a.index_heads;
}

Attention shared_latent_attention(Draft& draft, const Sizes& s, std::int64_t ratio) {
  ConfigReader& in = draft.in;
  Attention a;
  a.kind = AttentionKind::softmax;
  a.heads = s.heads;
  a.kv_heads = 1;
  a.head_dim = s.head_dim;  // of the one latent that is both key and value: value_head_dim stays 0
  a.shared_key_value = true;
  a.window = need(draft, "sliding_window", kMostWidth);
  if (a.window == 0) in.fail(ErrorCode::missing, "sliding_window", "sliding_window is missing");
  a.q_lora_rank = need(draft, "q_lora_rank", kMostWidth);
  const std::int64_t groups = need(draft, "o_groups");
  const std::int64_t rank = need(draft, "o_lora_rank", kMostWidth);
  const std::int64_t queries = in.product(s.heads, s.head_dim, "head_dim");
  const std::int64_t mixed = in.product(groups, rank, "o_lora_rank");
  if (groups > 0 && queries % groups != 0) {
    in.fail(ErrorCode::bad_value, "o_groups", "o_groups does not divide the heads' width");
    return a;
  }
  a.projection_params = s.hidden * a.q_lora_rank + a.q_lora_rank * queries + s.hidden * s.head_dim +
                        (groups > 0 ? queries / groups : 0) * mixed + mixed * s.hidden;
  a.vector_params = a.q_lora_rank + s.head_dim + s.heads;  // norms and sinks
  if (ratio > 0) add_compressor(draft, s, ratio, a);
  return a;
}

// Weights that mix `streams` residual streams: a projection, its offsets and three scales.
std::int64_t hyper_connection(std::int64_t streams, std::int64_t d) {
  const std::int64_t outputs = (2 + streams) * streams;
  return outputs * streams * d + outputs + 3;
}

}  // namespace

void import_deepseek_v4(Draft& draft) {
  ConfigReader& in = draft.in;
  const Sizes s = read_sizes(draft);
  const std::int64_t streams = in.integer({"hc_mult"}, 4, 1, 64);
  std::vector<std::int64_t> ratios = in.integers("compress_ratios", 0, 128);
  if (in.failed()) return;
  if (static_cast<std::int64_t>(ratios.size()) < s.layers) {
    in.fail(ErrorCode::missing, "compress_ratios", "compress_ratios needs one entry per layer");
    return;
  }
  ratios.resize(static_cast<std::size_t>(s.layers));  // what follows belongs to prediction modules
  const Ffn routed = routed_ffn(draft, s);
  const std::int64_t norms = 2 * s.hidden + 2 * hyper_connection(streams, s.hidden);
  const std::int64_t hashed = in.integer({"num_hash_layers"}, 3, 0, kMostLayers);
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    if (ratios[i] != 0 && ratios[i] != 4 && ratios[i] != 128) {
      in.fail(ErrorCode::unsupported, fmt::format("compress_ratios/{}", i),
              fmt::format("a compression of {} is not understood", ratios[i]), "0, 4 or 128");
    }
    LayerKind kind{shared_latent_attention(draft, s, ratios[i]), routed, norms};
    if (static_cast<std::int64_t>(i) < hashed) kind.ffn.router_params = s.hidden * routed.experts;
    if (in.failed()) return;
    draft.add(kind);
  }
  draft.model.other_params = streams * streams * s.hidden + streams + 1;  // joins the streams
  finish(draft);
}

}  // namespace ridgeline::catalog
