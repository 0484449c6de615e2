#include "ridgeline/catalog/import_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "ridgeline/catalog/import_formats.h"

namespace ridgeline::catalog {
namespace {

std::int64_t or_class(const Draft& draft, std::int64_t of_class) {
  return draft.from_file ? of_class : 0;
}

std::int64_t read_kv_heads(Draft& draft, std::int64_t heads) {
  const std::int64_t of_class = or_class(draft, draft.family.traits->sizes.kv_heads);
  return draft.in.heads(
      {"num_key_value_heads", "num_kv_heads", "n_head_kv", "n_kv_heads", "multi_query_group_num"},
      of_class > 0 ? of_class : heads);
}

void check_width(Draft& draft, const Sizes& s, bool stated_head_dim) {
  if (!stated_head_dim && s.heads > 0 && s.hidden > 0 && s.hidden % s.heads != 0) {
    draft.in.fail(ErrorCode::bad_value, "num_attention_heads",
                  fmt::format("{} heads do not divide the width {}", s.heads, s.hidden),
                  "give head_dim, or heads that divide hidden_size");
  }
  check_heads(draft, s, "num_key_value_heads", "head_dim");
}

// The flag of the file as a whole wins: it is what the class that is loaded reads.
bool read_tied(Draft& draft) {
  const bool usual = draft.family.traits->tied;
  return draft.whole.flag({"tie_word_embeddings"}, draft.in.flag({"tie_word_embeddings"}, usual));
}

std::int64_t query_key_norm(Draft& draft, const Sizes& s) {
  const Traits& t = *draft.family.traits;
  if (t.qk_norm_key != nullptr && !draft.in.flag({t.qk_norm_key}, false)) return 0;
  switch (t.qk_norm) {
    case QueryKeyNorm::none: return 0;
    case QueryKeyNorm::per_head: return 2 * s.head_dim;
    case QueryKeyNorm::per_head_shift: return 4 * s.head_dim;
    case QueryKeyNorm::per_layer: return (s.heads + s.kv_heads) * s.head_dim;
  }
  return 0;
}

bool mlp_bias(Draft& draft) {
  const Traits& t = *draft.family.traits;
  return draft.in.flag({t.mlp_bias_key}, t.mlp_bias);
}

std::int64_t shared_width(Draft& draft, std::int64_t expert_width) {
  const std::int64_t whole =
      draft.in.integer({"shared_expert_intermediate_size", "moe_shared_expert_intermediate_size",
                        "shared_intermediate_size"},
                       0, 0, kMostWidth);
  const std::int64_t count = draft.in.integer(
      {"n_shared_experts", "num_shared_experts", "moe_num_shared_experts", "num_shared_expert"}, 0,
      0, kMostHeads);
  if (whole > 0)
    return draft.in.product(std::max<std::int64_t>(count, 1), whole, "n_shared_experts");
  return draft.in.product(count, expert_width, "n_shared_experts");
}

bool router_bias(Draft& draft) {
  if (draft.in.text({"topk_method"}) == "noaux_tc") return true;
  if (draft.in.has({"use_routing_bias"})) return draft.in.flag({"use_routing_bias"}, false);
  return draft.family.traits->router_bias;
}

bool one_of(const std::string& text, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* name) { return text == name; });
}

Reach reach_of_type(Draft& draft, const std::string& type, std::size_t index, std::int64_t window,
                    std::int64_t chunk) {
  Reach reach;
  if (one_of(type, {"full_attention", "attention", "global_attention", "global"})) return reach;
  if (one_of(type, {"sliding_attention", "local_attention", "local", "sliding_window"})) {
    reach.window = window;
  } else if (type == "chunked_attention") {
    reach.chunk = chunk;
  } else if (one_of(type, {"linear_attention", "mamba", "recurrent"})) {
    reach.recurrent = true;
  } else {
    draft.in.fail(ErrorCode::unsupported, fmt::format("layer_types/{}", index),
                  fmt::format("the layer type \"{}\" is not understood", type),
                  "full_attention, sliding_attention, chunked_attention or linear_attention");
  }
  return reach;
}

bool sees_window(Draft& draft, std::int64_t layer, std::int64_t pattern) {
  switch (draft.family.traits->windows) {
    case Windows::never: return false;
    case Windows::every: return true;
    case Windows::even: return layer % 2 == 0;
    case Windows::pattern:
    case Windows::chunks: return (layer + 1) % pattern != 0;
    case Windows::opt_in:
      return layer >= draft.in.integer({"max_window_layers"}, 0, 0, kMostLayers);
  }
  return false;
}

// The window in tokens; 0 when the config has none or switches it off.
std::int64_t read_window(Draft& draft) {
  const Traits& t = *draft.family.traits;
  const bool usual = t.windows != Windows::opt_in;
  if (!draft.in.flag({"use_sliding_window"}, usual)) return 0;
  return draft.in.integer({"sliding_window", "sliding_window_size"},
                          or_class(draft, t.sizes.window), 1, kMostTokens);
}

void check_stated_types(Draft& draft, const std::vector<Reach>& out,
                        const std::vector<std::string>& types, bool switched_on) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool sliding = one_of(types[i], {"sliding_attention", "local_attention"});
    if (sliding && out[i].window == 0 && switched_on) {
      draft.in.fail(ErrorCode::missing, "sliding_window",
                    "layer_types has sliding layers, but sliding_window is missing");
    }
    if (types[i] == "chunked_attention" && out[i].chunk == 0) {
      draft.in.fail(ErrorCode::missing, "attention_chunk_size",
                    "layer_types has chunked layers, but attention_chunk_size is missing");
    }
  }
}

void find_lacks(Model& model) {
  if (model.hidden == 0) lack(model, "hidden_size");
  if (model.vocab == 0) lack(model, "vocab_size");
  for (const LayerKind& kind : model.kinds) {
    const Attention& a = kind.attention;
    const bool softmax = a.kind == AttentionKind::softmax, mla = a.kind == AttentionKind::mla;
    if ((softmax || mla) && a.heads == 0) lack(model, "num_attention_heads");
    if (softmax && a.head_dim == 0) lack(model, "head_dim");
    if (mla && a.qk_nope_head_dim == 0) lack(model, "qk_nope_head_dim");
    if (mla && a.v_head_dim == 0) lack(model, "v_head_dim");
    if (kind.moe() && kind.ffn.expert_width == 0) lack(model, "moe_intermediate_size");
    if (kind.ffn.width < 0) lack(model, "intermediate_size");
  }
}

}  // namespace

void lack(Model& model, const char* key) {
  if (model.why_no_count.empty()) {
    model.why_no_count = fmt::format("the parameters cannot be counted: {} is missing", key);
  }
}

std::vector<std::string> per_layer(Draft& draft, const char* key, std::int64_t layers) {
  std::vector<std::string> types = draft.in.texts(key);
  if (!types.empty() && static_cast<std::int64_t>(types.size()) != layers) {
    draft.in.fail(ErrorCode::bad_value, key,
                  fmt::format("{} has {} entries for {} layers", key, types.size(), layers),
                  "one entry per layer");
    types.clear();
  }
  return types;
}

void Draft::add(const LayerKind& kind) {
  const auto found = std::find(model.kinds.begin(), model.kinds.end(), kind);
  const auto index = static_cast<std::size_t>(found - model.kinds.begin());
  if (found == model.kinds.end()) {
    if (model.kinds.size() == 255) {
      in.fail(ErrorCode::unsupported, "num_hidden_layers", "more than 255 kinds of layers");
      return;
    }
    model.kinds.push_back(kind);
  }
  model.layers.push_back(static_cast<std::uint8_t>(index));
}

std::int64_t norm_params(Norm norm, std::int64_t width) {
  switch (norm) {
    case Norm::none: return 0;
    case Norm::scale: return width;
    case Norm::scale_and_shift: return 2 * width;
  }
  return 0;
}

std::int64_t read_layers(Draft& draft) {
  const std::int64_t layers = draft.in.integer(
      {"num_hidden_layers", "n_layer", "n_layers", "num_layers"}, 0, 1, kMostLayers);
  if (layers == 0) {
    draft.in.fail(ErrorCode::missing, "num_hidden_layers", "num_hidden_layers is missing",
                  "the number of layers, under num_hidden_layers, n_layer or n_layers");
  }
  draft.model.declared_layers = layers;
  return layers;
}

Sizes read_sizes(Draft& draft) {
  ConfigReader& in = draft.in;
  const ClassSizes& c = draft.family.traits->sizes;
  Sizes s;
  s.layers = read_layers(draft);
  s.hidden = in.width({"hidden_size", "n_embd", "d_model", "n_embed"}, or_class(draft, c.hidden));
  s.heads =
      in.heads({"num_attention_heads", "n_head", "n_heads", "num_heads"}, or_class(draft, c.heads));
  s.kv_heads = read_kv_heads(draft, s.heads);
  const bool stated =
      in.has({"head_dim", "attention_head_dim", "kv_channels"}) || or_class(draft, c.head_dim) > 0;
  const std::int64_t even = s.heads > 0 ? s.hidden / s.heads : 0;
  s.head_dim = in.heads({"head_dim", "attention_head_dim", "kv_channels"},
                        or_class(draft, c.head_dim) > 0 ? c.head_dim : even);
  s.intermediate = in.width({"intermediate_size", "n_inner", "ffn_hidden_size", "ffn_dim"},
                            or_class(draft, c.intermediate));
  check_width(draft, s, stated);
  Model& m = draft.model;
  m.hidden = m.embedding_width = s.hidden;
  m.vocab = in.integer({"vocab_size", "padded_vocab_size", "n_vocab"}, or_class(draft, c.vocab), 1,
                       kMostVocabulary);
  m.tied_embeddings = read_tied(draft);
  return s;
}

void check_heads(Draft& draft, const Sizes& s, const char* kv_key, const char* width_key) {
  if (s.heads > 0 && s.kv_heads > 0 && s.heads % s.kv_heads != 0) {
    draft.in.fail(ErrorCode::bad_value, kv_key,
                  fmt::format("{} key and value heads do not divide {} heads", s.kv_heads, s.heads),
                  "a divisor of num_attention_heads");
  }
  draft.in.product(std::max(s.heads, s.kv_heads), s.head_dim, width_key);
}

Bias attention_bias(Draft& draft) {
  const Traits& t = *draft.family.traits;
  if (!draft.in.has({t.bias_key})) return t.bias;
  return draft.in.flag({t.bias_key}, false) ? t.bias_if_true : Bias::none;
}

Attention softmax_attention(Draft& draft, const Sizes& s) {
  Attention a;
  a.kind = AttentionKind::softmax;
  a.heads = s.heads;
  a.kv_heads = s.kv_heads;
  a.head_dim = a.value_head_dim = s.head_dim;
  const Bias bias = attention_bias(draft);
  if (bias != Bias::none) a.vector_params += (s.heads + 2 * s.kv_heads) * s.head_dim;
  if (bias == Bias::all) a.vector_params += s.hidden;
  a.vector_params += query_key_norm(draft, s);
  if (draft.family.traits->sinks) a.vector_params += s.heads;
  return a;
}

Attention latent_attention(Draft& draft, const Sizes& s) {
  ConfigReader& in = draft.in;
  Attention a;
  a.kind = AttentionKind::mla;
  a.heads = s.heads;
  a.q_lora_rank = in.width({"q_lora_rank"});
  a.kv_lora_rank = in.width({"kv_lora_rank"});
  a.qk_nope_head_dim = in.heads({"qk_nope_head_dim"});
  a.qk_rope_head_dim = in.heads({"qk_rope_head_dim"});
  a.v_head_dim = in.heads({"v_head_dim"});
  in.product(s.heads, a.qk_nope_head_dim + a.qk_rope_head_dim, "qk_nope_head_dim");
  in.product(s.heads, a.qk_nope_head_dim + a.v_head_dim, "v_head_dim");
  const std::int64_t cached = a.kv_lora_rank + a.qk_rope_head_dim;
  a.vector_params = a.q_lora_rank + a.kv_lora_rank;  // the norms of the latents
  if (attention_bias(draft) != Bias::none) a.vector_params += a.q_lora_rank + cached + s.hidden;
  a.index_heads = in.heads({"index_n_heads"});
  if (a.index_heads > 0) {
    a.index_head_dim = in.heads({"index_head_dim"});
    a.index_top_k = in.tokens({"index_topk"});
    const std::int64_t width = in.product(a.index_heads, a.index_head_dim, "index_head_dim");
    a.index_params = a.q_lora_rank * width + s.hidden * (a.index_head_dim + a.index_heads) +
                     2 * a.index_head_dim;
  }
  return a;
}

Ffn dense_ffn(Draft& draft, const Sizes& s) {
  Ffn f;
  f.matrices = draft.family.traits->matrices;
  f.width = s.intermediate > 0 ? s.intermediate : -1;  // -1: unknown, see finish()
  if (mlp_bias(draft) && s.intermediate > 0) {
    f.vector_params = (f.matrices - 1) * s.intermediate + s.hidden;
  }
  return f;
}

Ffn routed_ffn(Draft& draft, const Sizes& s) {
  ConfigReader& in = draft.in;
  const Traits& t = *draft.family.traits;
  Ffn f;
  f.matrices = t.matrices;
  f.experts = in.integer({"num_local_experts", "n_routed_experts", "num_experts", "moe_num_experts",
                          "num_routed_experts"},
                         0, 0, kMostHeads);
  if (f.experts <= 1) return Ffn{};  // one expert is a dense layer
  f.top_k = in.heads({"num_experts_per_tok", "top_k_experts", "experts_per_token", "moe_top_k",
                      "moe_topk", "moe_k", "num_experts_per_token"});
  if (f.top_k == 0) {
    in.fail(ErrorCode::missing, "num_experts_per_tok", "num_experts_per_tok is missing",
            "how many experts a token uses");
  }
  if (f.top_k > f.experts) {
    in.fail(ErrorCode::out_of_range, "num_experts_per_tok",
            fmt::format("{} experts per token of {}", f.top_k, f.experts),
            "at most the number of experts");
  }
  f.expert_width = in.width({"moe_intermediate_size"}, s.intermediate);
  f.shared_width = shared_width(draft, f.expert_width);
  f.router_params = s.hidden * f.experts + (router_bias(draft) ? f.experts : 0);
  if (t.expert_bias) f.expert_vector_params = (t.matrices - 1) * f.expert_width + s.hidden;
  if (t.shared_gate && f.shared_width > 0) f.vector_params = s.hidden;
  return f;
}

std::vector<bool> routed_layers(Draft& draft, std::int64_t layers) {
  ConfigReader& in = draft.in;
  std::vector<bool> out(static_cast<std::size_t>(layers), true);
  const std::int64_t first =
      in.integer({"first_k_dense_replace", "moe_layer_start_index"}, 0, 0, kMostLayers);
  const std::int64_t last = in.integer({"moe_layer_end_index"}, kMostLayers, -1, kMostLayers);
  const std::int64_t step =
      in.integer({"decoder_sparse_step", "interleave_moe_layer_step", "moe_layer_interval"}, 1, 1,
                 kMostLayers);
  const bool listed = in.is_list("moe_layer_freq");
  const std::int64_t every = listed ? 1 : in.integer({"moe_layer_freq"}, 1, 1, kMostLayers);
  for (std::int64_t i = 0; i < layers; ++i) {
    out[static_cast<std::size_t>(i)] =
        i >= first && (last < 0 || i <= last) && (i + 1) % step == 0 && i % every == 0;
  }
  if (listed) {
    const std::vector<std::int64_t> flags = in.integers("moe_layer_freq", 0, 1);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = i < flags.size() && flags[i] == 1;
  }
  for (const std::int64_t i : in.integers("mlp_only_layers", 0, kMostLayers)) {
    if (i < layers) out[static_cast<std::size_t>(i)] = false;
  }
  const std::vector<std::string> types = per_layer(draft, "mlp_layer_types", layers);
  for (std::size_t i = 0; i < types.size(); ++i) out[i] = types[i] != "dense";
  return out;
}

std::vector<Reach> reaches(Draft& draft, std::int64_t layers) {
  const Traits& t = *draft.family.traits;
  const std::int64_t window = read_window(draft);
  const std::int64_t chunk = draft.in.tokens({"attention_chunk_size"});
  const std::vector<std::string> types = per_layer(draft, "layer_types", layers);
  std::vector<Reach> out(static_cast<std::size_t>(layers));
  if (!types.empty()) {
    for (std::size_t i = 0; i < types.size(); ++i) {
      out[i] = reach_of_type(draft, types[i], i, window, chunk);
    }
    check_stated_types(draft, out, types, draft.in.flag({"use_sliding_window"}, true));
    return out;
  }
  const std::int64_t pattern =
      draft.in.is_text("sliding_window_pattern")
          ? std::max<std::int64_t>(t.pattern, 1)
          : draft.in.integer({"sliding_window_pattern", "_sliding_window_pattern"},
                             std::max<std::int64_t>(t.pattern, 1), 1, kMostLayers);
  for (std::int64_t i = 0; i < layers; ++i) {
    if (!sees_window(draft, i, pattern)) continue;
    Reach& reach = out[static_cast<std::size_t>(i)];
    (t.windows == Windows::chunks ? reach.chunk : reach.window) =
        t.windows == Windows::chunks ? chunk : window;
  }
  return out;
}

void apply(const Reach& reach, Attention& attention) {
  attention.window = reach.window;
  attention.chunk = reach.chunk;
}

void finish(Draft& draft) {
  Model& m = draft.model;
  const Traits& t = *draft.family.traits;
  if (m.final_norm_params == 0) m.final_norm_params = norm_params(t.final_norm, m.hidden);
  if (t.head_bias) m.other_params += m.vocab;
  find_lacks(m);
  for (LayerKind& kind : m.kinds) kind.ffn.width = std::max<std::int64_t>(kind.ffn.width, 0);
  m.max_context = read_max_context(draft);
  m.mtp_layers = draft.in.integer({"num_nextn_predict_layers"}, 0, 0, 64);
  read_formats(draft);
}

}  // namespace ridgeline::catalog
