// The decoder that most families share: softmax or latent attention, dense or routed feed-forward.
#include <algorithm>

#include "ridgeline/catalog/import_parts.h"

namespace ridgeline::catalog {
namespace {

Attention attention_of(Draft& draft, const Sizes& sizes) {
  if (draft.in.has({"kv_lora_rank"})) return latent_attention(draft, sizes);
  return softmax_attention(draft, sizes);
}

// Layers that see everything may have heads of their own.
Attention full_attention(Draft& draft, const Sizes& sizes, const Attention& usual) {
  ConfigReader& in = draft.in;
  if (!in.has({"num_global_key_value_heads", "global_head_dim"})) return usual;
  Sizes full = sizes;
  full.head_dim = in.heads({"global_head_dim"}, sizes.head_dim);
  full.kv_heads = in.heads({"num_global_key_value_heads"}, sizes.kv_heads);
  check_heads(draft, full, "num_global_key_value_heads", "global_head_dim");
  return softmax_attention(draft, full);
}

// A layer that takes its selection of tokens from the layer before.
void drop_indexer(Attention& attention) {
  attention.index_heads = attention.index_head_dim = attention.index_params = 0;
}

}  // namespace

void import_decoder(Draft& draft) {
  const Sizes s = read_sizes(draft);
  if (draft.in.failed()) return;
  const Traits& t = *draft.family.traits;
  const Attention attention = attention_of(draft, s), full = full_attention(draft, s, attention);
  const Ffn dense = dense_ffn(draft, s), routed = routed_ffn(draft, s);
  const std::vector<Reach> reach = reaches(draft, s.layers);
  const std::vector<bool> routes = routed_layers(draft, s.layers);
  const std::vector<std::string> indexers = per_layer(draft, "indexer_types", s.layers);
  if (draft.in.failed()) return;
  const std::int64_t norms = t.norms * norm_params(t.norm, s.hidden);
  for (std::size_t i = 0; i < reach.size(); ++i) {
    const bool local = reach[i].window > 0 || reach[i].chunk > 0;
    LayerKind kind{local ? attention : full, routed.moe() && routes[i] ? routed : dense, norms};
    if (!indexers.empty() && indexers[i] == "shared") drop_indexer(kind.attention);
    apply(reach[i], kind.attention);
    if (reach[i].recurrent) {
      kind.attention = {};
      kind.attention.kind = AttentionKind::recurrent;
      lack(draft.model, "linear_num_value_heads");
    }
    draft.add(kind);
  }
  finish(draft);
}

// DBRX: its own names, in two nested objects.
void import_dbrx(Draft& draft) {
  Sizes s = read_sizes(draft);
  ConfigReader attention = draft.in.child("attn_config");
  ConfigReader ffn = draft.in.child("ffn_config");
  s.kv_heads = attention.heads({"kv_n_heads"}, s.heads);
  s.intermediate = ffn.width({"ffn_hidden_size"});
  if (s.kv_heads > 0 && s.heads % s.kv_heads != 0) {
    attention.fail(ErrorCode::bad_value, "kv_n_heads", "kv_n_heads does not divide n_heads");
  }
  LayerKind kind{softmax_attention(draft, s), {}, 2 * s.hidden};
  kind.ffn.experts = ffn.heads({"moe_num_experts"});
  kind.ffn.top_k = ffn.heads({"moe_top_k"});
  kind.ffn.expert_width = s.intermediate;
  kind.ffn.router_params = s.hidden * kind.ffn.experts;
  if (kind.ffn.top_k > kind.ffn.experts || kind.ffn.top_k == 0) {
    ffn.fail(ErrorCode::bad_value, "moe_top_k", "moe_top_k must be from 1 to moe_num_experts");
  }
  if (draft.in.failed()) return;
  for (std::int64_t i = 0; i < s.layers; ++i) draft.add(kind);
  finish(draft);
}

// ChatGLM and GLM-4-9B under their first names.
void import_chatglm(Draft& draft) {
  Sizes s = read_sizes(draft);
  if (!draft.in.flag({"multi_query_attention"}, false)) s.kv_heads = s.heads;
  LayerKind kind{softmax_attention(draft, s), dense_ffn(draft, s), 2 * s.hidden};
  if (draft.in.failed()) return;
  for (std::int64_t i = 0; i < s.layers; ++i) draft.add(kind);
  finish(draft);
}

// Llama 4: chunked attention on rotary layers, routed layers at an interval with one shared expert.
void import_llama4(Draft& draft) {
  const Sizes s = read_sizes(draft);
  if (draft.in.failed()) return;
  const Attention attention = softmax_attention(draft, s);
  Sizes wide = s;
  wide.intermediate = draft.in.width({"intermediate_size_mlp"});
  const Ffn dense = dense_ffn(draft, wide);
  Ffn routed = routed_ffn(draft, s);
  routed.shared_width = s.intermediate;
  std::vector<Reach> reach = reaches(draft, s.layers);
  const std::vector<std::int64_t> rotary = draft.in.integers("no_rope_layers", 0, 1);
  std::vector<bool> routes = routed_layers(draft, s.layers);
  const std::vector<std::int64_t> listed = draft.in.integers("moe_layers", 0, kMostLayers);
  if (draft.in.failed()) return;
  if (!listed.empty()) routes.assign(routes.size(), false);
  for (const std::int64_t i : listed) {
    if (i < s.layers) routes[static_cast<std::size_t>(i)] = true;
  }
  for (std::size_t i = 0; i < reach.size(); ++i) {
    if (rotary.size() == reach.size() && rotary[i] == 0) reach[i].chunk = 0;
    LayerKind kind{attention, routed.moe() && routes[i] ? routed : dense, 2 * s.hidden};
    apply(reach[i], kind.attention);
    draft.add(kind);
  }
  finish(draft);
}

namespace {

struct Gemma4Parts {
  Attention sliding, full;
  Ffn ffn, shared_ffn;  // of layers with their own cache, and of those that reuse one
  std::int64_t norms = 0;
  std::int64_t first_shared = 0;
};

// Heads of their own width where all is seen, and V may be drawn from the projection of K.
Attention gemma4_full(Draft& draft, const Sizes& s) {
  ConfigReader& in = draft.in;
  const bool same = in.flag({"attention_k_eq_v"}, false);
  Sizes full = s;
  full.head_dim = in.heads({"global_head_dim"}, draft.from_file ? 512 : s.head_dim);
  if (same || !draft.from_file) {
    full.kv_heads = in.heads({"num_global_key_value_heads"}, s.kv_heads);
  }
  check_heads(draft, full, "num_global_key_value_heads", "global_head_dim");
  Attention a = softmax_attention(draft, full);
  a.shared_key_value = same;
  return a;
}

Ffn gemma4_ffn(Draft& draft, const Sizes& s) {
  Ffn ffn = dense_ffn(draft, s);
  if (!draft.in.flag({"enable_moe_block"}, false)) return ffn;
  const Ffn routed = routed_ffn(draft, s);
  ffn.experts = routed.experts;
  ffn.top_k = routed.top_k;
  ffn.expert_width = routed.expert_width;
  ffn.router_params = s.hidden * routed.experts + s.hidden + routed.experts;
  return ffn;
}

// Embeddings per layer: a table, its projection from the hidden state, and a gate in every layer.
std::int64_t gemma4_per_layer(Draft& draft, const Sizes& s) {
  ConfigReader& in = draft.in;
  const std::int64_t width =
      in.integer({"hidden_size_per_layer_input"}, draft.from_file ? 256 : 0, 0, kMostHeads);
  if (width == 0) return 0;
  const std::int64_t vocab =
      in.integer({"vocab_size_per_layer_input"}, draft.model.vocab, 1, kMostVocabulary);
  const std::int64_t all = in.product(width, s.layers, "hidden_size_per_layer_input");
  draft.model.other_params += vocab * all + s.hidden * all + width;
  return 2 * s.hidden * width + s.hidden;
}

Gemma4Parts gemma4_parts(Draft& draft, const Sizes& s) {
  Gemma4Parts p;
  p.sliding = softmax_attention(draft, s);
  p.full = gemma4_full(draft, s);
  p.ffn = gemma4_ffn(draft, s);
  p.shared_ffn = p.ffn;
  if (draft.in.flag({"use_double_wide_mlp"}, false)) p.shared_ffn.width *= 2;
  p.norms = (p.ffn.moe() ? 7 : 4) * s.hidden + gemma4_per_layer(draft, s);
  p.first_shared = s.layers - draft.in.integer({"num_kv_shared_layers"}, 0, 0,
                                               std::max<std::int64_t>(s.layers, 0));
  return p;
}

}  // namespace

void import_gemma4(Draft& draft) {
  const Sizes s = read_sizes(draft);
  if (draft.in.failed()) return;
  const Gemma4Parts p = gemma4_parts(draft, s);
  std::vector<Reach> reach = reaches(draft, s.layers);
  if (draft.in.failed()) return;
  reach.back() = {};  // the class makes the last layer a full one
  for (std::int64_t i = 0; i < s.layers; ++i) {
    const Reach& r = reach[static_cast<std::size_t>(i)];
    LayerKind kind{r.window > 0 ? p.sliding : p.full, p.ffn, p.norms};
    if (i >= p.first_shared && p.first_shared > 0) {
      kind.attention.reuses_cache = true;
      kind.attention.vector_params -= kind.attention.head_dim;  // no norm of K
      kind.ffn = p.shared_ffn;
    }
    apply(r, kind.attention);
    draft.add(kind);
  }
  finish(draft);
}

namespace {

std::int64_t deci_width(std::int64_t hidden, double multiple) {
  const auto raw = static_cast<std::int64_t>(2.0 * multiple * static_cast<double>(hidden) / 3.0);
  return (raw + 255) / 256 * 256;
}

Attention deci_attention(Draft& draft, ConfigReader block, Sizes s) {
  if (block.flag({"no_op"}, false)) return {};
  if (block.flag({"replace_with_linear"}, false)) {
    Attention linear;
    linear.projection_params = s.hidden * s.hidden;
    return linear;
  }
  const std::int64_t group = block.heads({"n_heads_in_group"}, 1);
  if (s.heads > 0 && s.heads % group != 0) {
    block.fail(ErrorCode::bad_value, "n_heads_in_group",
               "n_heads_in_group does not divide the heads");
    return {};
  }
  s.kv_heads = s.heads / group;
  Attention a = softmax_attention(draft, s);
  a.window = block.tokens({"window_length"});
  return a;
}

Ffn deci_ffn(Draft& draft, ConfigReader block, Sizes s) {
  if (block.flag({"no_op"}, false)) return {};
  if (block.flag({"replace_with_linear"}, false)) {
    Ffn linear;
    linear.matrices = 1;
    linear.width = s.hidden;
    return linear;
  }
  const double multiple = block.real({"ffn_mult"}, 0);
  if (multiple > 1024)
    block.fail(ErrorCode::out_of_range, "ffn_mult", "ffn_mult is too large", "at most 1024");
  s.intermediate =
      block.width({"intermediate_size"}, multiple > 0 ? deci_width(s.hidden, multiple) : 0);
  return dense_ffn(draft, s);
}

// First releases give only the key and value heads of each layer.
void import_deci_heads(Draft& draft, Sizes s) {
  const std::vector<std::int64_t> heads =
      draft.in.integers("num_key_value_heads_per_layer", 1, kMostHeads);
  if (static_cast<std::int64_t>(heads.size()) != s.layers) {
    draft.in.fail(ErrorCode::missing, "block_configs",
                  "block_configs is missing or of wrong length", "one entry per layer");
    return;
  }
  for (const std::int64_t kv : heads) {
    s.kv_heads = kv;
    draft.add({softmax_attention(draft, s), dense_ffn(draft, s), 2 * s.hidden});
  }
  finish(draft);
}

}  // namespace

// DeciLM: every layer is configured on its own, found by architecture search.
void import_deci(Draft& draft) {
  Sizes s = read_sizes(draft);
  if (draft.in.failed()) return;
  std::vector<ConfigReader> blocks = draft.in.children("block_configs");
  if (static_cast<std::int64_t>(blocks.size()) != s.layers) return import_deci_heads(draft, s);
  for (ConfigReader& block : blocks) {
    LayerKind kind{deci_attention(draft, block.child("attention"), s),
                   deci_ffn(draft, block.child("ffn"), s), 0};
    const bool mixes = !(kind.attention == Attention{});
    const bool feeds = !(kind.ffn == Ffn{});
    kind.norm_params = ((mixes ? 1 : 0) + (feeds ? 1 : 0)) * s.hidden;
    if (draft.in.failed()) return;
    draft.add(kind);
  }
  finish(draft);
}

}  // namespace ridgeline::catalog
