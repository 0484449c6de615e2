// GPT-2 and what came of it, and other decoders with layer norms and two feed-forward matrices.
#include <algorithm>

#include "ridgeline/catalog/import_parts.h"

namespace ridgeline::catalog {
namespace {

// Sizes whose feed-forward width is four times the model's where the config is silent.
Sizes read_gpt_sizes(Draft& draft) {
  Sizes s = read_sizes(draft);
  if (s.intermediate == 0) s.intermediate = 4 * s.hidden;
  return s;
}

void add_alike(Draft& draft, std::int64_t layers, const LayerKind& kind) {
  if (draft.in.failed()) return;
  for (std::int64_t i = 0; i < layers; ++i) draft.add(kind);
  finish(draft);
}

std::int64_t position_table(Draft& draft, ConfigReader::Keys keys, std::int64_t extra) {
  const std::int64_t positions = draft.in.integer(keys, 0, 1, kMostVocabulary);
  if (positions == 0 && draft.model.why_no_count.empty()) {
    draft.model.why_no_count = std::string("the parameters cannot be counted: ") + *keys.begin() +
                               " is missing (it sizes the position table)";
  }
  return positions == 0 ? 0 : (positions + extra) * draft.model.hidden;
}

void make_multi_query(Sizes& s) {
  s.kv_heads = s.heads > 0 ? 1 : 0;
}

}  // namespace

// GPT-2, GPT-J and GPTBigCode; what differs are traits and two flags.
void import_gpt2(Draft& draft) {
  Sizes s = read_gpt_sizes(draft);
  const bool big_code = draft.family.model_type == "gpt_bigcode";
  if (draft.in.flag({"multi_query"}, big_code)) make_multi_query(s);
  if (draft.family.model_type != "gptj") {
    draft.model.position_params = position_table(draft, {"n_positions", "n_ctx"}, 0);
  }
  const Traits& t = *draft.family.traits;
  add_alike(draft, s.layers,
            {softmax_attention(draft, s), dense_ffn(draft, s), t.norms * 2 * s.hidden});
}

// GPT-Neo: biases on the output projection only; every second layer sees 256 tokens.
void import_gpt_neo(Draft& draft) {
  const Sizes s = read_gpt_sizes(draft);
  draft.model.position_params = position_table(draft, {"max_position_embeddings"}, 0);
  LayerKind kind{softmax_attention(draft, s), dense_ffn(draft, s), 4 * s.hidden};
  kind.attention.vector_params = s.hidden;
  const std::int64_t window = draft.in.tokens({"window_size"}, 256);
  if (draft.in.failed()) return;
  for (std::int64_t i = 0; i < s.layers; ++i) {
    kind.attention.window = i % 2 == 1 ? window : 0;
    draft.add(kind);
  }
  finish(draft);
}

// BLOOM: a norm after the embedding, no position table.
void import_bloom(Draft& draft) {
  const Sizes s = read_gpt_sizes(draft);
  draft.model.final_norm_params = 4 * s.hidden;
  add_alike(draft, s.layers, {softmax_attention(draft, s), dense_ffn(draft, s), 4 * s.hidden});
}

// Falcon, both decoders: the old one shares one norm and one KV head, the new one has groups.
void import_falcon(Draft& draft) {
  ConfigReader& in = draft.in;
  Sizes s = read_gpt_sizes(draft);
  const bool grouped = in.flag({"new_decoder_architecture"}, false);
  if (!grouped) {
    s.kv_heads = s.heads;
    if (in.flag({"multi_query"}, true)) make_multi_query(s);
  }
  const bool parallel = in.flag({"parallel_attn"}, true);
  const std::int64_t norms =
      grouped ? in.integer({"num_ln_in_parallel_attn"}, 2, 1, 2) : (parallel ? 1 : 2);
  add_alike(draft, s.layers,
            {softmax_attention(draft, s), dense_ffn(draft, s), norms * 2 * s.hidden});
}

// MPT: all sizes under MosaicML's names; `no_bias` also takes the shift of the norms away.
void import_mpt(Draft& draft) {
  ConfigReader& in = draft.in;
  Sizes s = read_sizes(draft);
  ConfigReader attention = in.child("attn_config");
  const std::string type = attention.text({"attn_type"}, "multihead_attention");
  s.kv_heads = attention.heads({"kv_n_heads"}, s.heads);
  if (type == "multiquery_attention") make_multi_query(s);
  const std::int64_t ratio = in.integer({"expansion_ratio"}, 4, 1, 1024);
  s.intermediate = in.product(ratio, s.hidden, "expansion_ratio");
  const bool plain = in.flag({"no_bias"}, true);
  const bool alibi = attention.flag({"alibi"}, false) || attention.flag({"rope"}, false);
  LayerKind kind{softmax_attention(draft, s), dense_ffn(draft, s), (plain ? 2 : 4) * s.hidden};
  if (!plain) {
    kind.attention.vector_params += (s.heads + 2 * s.kv_heads) * s.head_dim + s.hidden;
    kind.ffn.vector_params += s.intermediate + s.hidden;
  }
  if (attention.flag({"qk_ln"}, false)) {
    kind.attention.vector_params += (s.heads + s.kv_heads) * s.head_dim * (plain ? 1 : 2);
  }
  draft.model.final_norm_params = (plain ? 1 : 2) * s.hidden;
  if (!alibi && in.flag({"learned_pos_emb"}, true)) {
    draft.model.position_params = position_table(draft, {"max_seq_len"}, 0);
  }
  add_alike(draft, s.layers, kind);
}

// OPT: two positions in front of the table; the 350M model has narrow embeddings and no final norm.
void import_opt(Draft& draft) {
  ConfigReader& in = draft.in;
  const Sizes s = read_sizes(draft);
  Model& m = draft.model;
  m.embedding_width = in.width({"word_embed_proj_dim"}, s.hidden);
  if (m.embedding_width != s.hidden) m.other_params = 2 * m.embedding_width * s.hidden;
  m.position_params = position_table(draft, {"max_position_embeddings"}, 2);
  const bool bias = in.flag({"enable_bias"}, true);
  const std::int64_t norm = in.flag({"layer_norm_elementwise_affine"}, true) ? 2 * s.hidden : 0;
  const bool before = in.flag({"do_layer_norm_before"}, true);
  LayerKind kind{softmax_attention(draft, s), dense_ffn(draft, s), 2 * norm};
  if (!bias) kind.attention.vector_params = kind.ffn.vector_params = 0;
  if (before && !in.flag({"_remove_final_layer_norm"}, false)) m.final_norm_params = norm;
  add_alike(draft, s.layers, kind);
}

}  // namespace ridgeline::catalog
