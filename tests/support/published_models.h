// Models of published checkpoints, every parameter counted, built by hand from their
// configurations.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "ridgeline/spec/model.h"
#include "tests/support/models.h"

namespace ridgeline::testing {

// A Llama: RMS norms, no biases, untied head.
inline Model llama(const DenseSizes& s) {
  Model model = dense_model(s);
  model.kinds[0].norm_params = 2 * s.hidden;
  model.final_norm_params = s.hidden;
  return model;
}

inline Model llama_1_7b() {
  return llama({32, 4096, 32, 32, 128, 11008, 32000});
}
inline Model llama_2_7b() {
  return llama({32, 4096, 32, 32, 128, 11008, 32000});
}
inline Model llama_2_13b() {
  return llama({40, 5120, 40, 40, 128, 13824, 32000});
}
inline Model llama_2_70b() {
  return llama({80, 8192, 64, 8, 128, 28672, 32000});
}
inline Model llama_3_8b() {
  return llama({32, 4096, 32, 8, 128, 14336, 128256});
}
inline Model llama_3_70b() {
  return llama({80, 8192, 64, 8, 128, 28672, 128256});
}
inline Model llama_3_405b() {
  return llama({126, 16384, 128, 8, 128, 53248, 128256});
}

// A Qwen 2.5: biases of q, k and v.
inline Model qwen_2_5(const DenseSizes& s) {
  Model model = llama(s);
  model.kinds[0].attention.vector_params = (s.heads + 2 * s.kv_heads) * s.head_dim;
  return model;
}
inline Model qwen_2_5_7b() {
  return qwen_2_5({28, 3584, 28, 4, 128, 18944, 152064});
}
inline Model qwen_2_5_14b() {
  return qwen_2_5({48, 5120, 40, 8, 128, 13824, 152064});
}

// A Qwen 3: norms of queries and keys.
inline Model qwen_3_0_6b() {
  Model model = llama({28, 1024, 16, 8, 128, 3072, 151936});
  model.kinds[0].attention.vector_params = 2 * 128;
  model.tied_embeddings = true;
  return model;
}
inline Model qwen_3_moe(const DenseSizes& s, std::int64_t expert_width) {
  Model model = llama(s);
  LayerKind& kind = model.kinds[0];
  kind.attention.vector_params = 2 * s.head_dim;
  kind.ffn = {.width = 0, .experts = 128, .top_k = 8, .expert_width = expert_width};
  kind.ffn.router_params = s.hidden * 128;
  return model;
}
inline Model qwen_3_235b() {
  return qwen_3_moe({94, 4096, 64, 4, 128, 0, 151936}, 1536);
}
inline Model qwen_3_30b() {
  return qwen_3_moe({48, 2048, 32, 4, 128, 0, 151936}, 768);
}

// DeepSeek-V3 and R1: the checkpoint is FP8 in blocks of 128 x 128.
inline Model deepseek_v3_fp8() {
  Model model = deepseek_v3();
  for (LayerKind& kind : model.kinds) {
    kind.norm_params = 2 * 7168;
    kind.attention.vector_params = 1536 + 512;
    if (kind.moe()) kind.ffn.router_params = 7168 * 256 + 256;
  }
  model.final_norm_params = 7168;
  model.quantization = Quantization{"fp8", Precision::fp8, {}, 128 * 128, 32, 0};
  return model;
}

// gpt-oss: windows on even layers, sinks, biases everywhere; experts in MXFP4.
inline Model gpt_oss(std::int64_t layers, std::int64_t experts) {
  Model model = llama({layers, 2880, 64, 8, 64, 0, 201088});
  LayerKind& full = model.kinds[0];
  full.attention.vector_params = (64 + 2 * 8) * 64 + 2880 + 64;
  full.ffn = {.width = 0, .experts = experts, .top_k = 4, .expert_width = 2880};
  full.ffn.router_params = 2880 * experts + experts;
  full.ffn.expert_vector_params = 2 * 2880 + 2880;
  LayerKind windowed = full;
  windowed.attention.window = 128;
  model.kinds.push_back(windowed);
  for (std::size_t i = 0; i < model.layers.size(); i += 2) model.layers[i] = 1;
  model.quantization = Quantization{
      "mxfp4",
      Precision::mxfp4,
      {"model.layers.*.self_attn", "model.layers.*.mlp.router", "model.embed_tokens", "lm_head"},
      0,
      0,
      0};
  return model;
}
inline Model gpt_oss_120b() {
  return gpt_oss(36, 128);
}
inline Model gpt_oss_20b() {
  return gpt_oss(24, 32);
}

// Gemma 3 4B: five layers with a window of 1024 to one that sees everything; 29 + 5 in all.
inline Model gemma_3_4b() {
  Model model = llama({34, 2560, 8, 4, 256, 10240, 262208});
  model.tied_embeddings = true;
  LayerKind windowed = model.kinds[0];
  windowed.attention.window = 1024;
  model.kinds.push_back(windowed);
  for (std::size_t i = 0; i < model.layers.size(); ++i) model.layers[i] = (i + 1) % 6 == 0 ? 0 : 1;
  return model;
}

// Gemma 4 26B-A4B: heads of the five full layers have another shape, V is drawn from K.
inline Model gemma_4_26b() {
  Model model = llama({30, 2816, 16, 2, 512, 2112, 262144});
  model.tied_embeddings = true;
  model.kinds[0].attention.shared_key_value = true;
  LayerKind windowed = model.kinds[0];
  windowed.attention = {.kind = AttentionKind::softmax,
                        .heads = 16,
                        .kv_heads = 8,
                        .head_dim = 256,
                        .value_head_dim = 256,
                        .window = 1024};
  model.kinds.push_back(windowed);
  for (std::size_t i = 0; i < model.layers.size(); ++i) model.layers[i] = (i + 1) % 6 == 0 ? 0 : 1;
  return model;
}

// Llama 4 Maverick, as far as its cache goes: chunks of 8192 but on every fourth layer.
inline Model llama_4_maverick() {
  Model model = llama({48, 5120, 40, 8, 128, 16384, 202048});
  LayerKind chunked = model.kinds[0];
  chunked.attention.chunk = 8192;
  model.kinds.push_back(chunked);
  for (std::size_t i = 0; i < model.layers.size(); ++i) model.layers[i] = (i + 1) % 4 == 0 ? 0 : 1;
  return model;
}

// GLM-4.5-Air, as far as its split goes.
inline Model glm_4_5_air() {
  Model model = llama({46, 4096, 96, 8, 128, 10944, 151552});
  LayerKind moe = model.kinds[0];
  moe.ffn = {.width = 0, .experts = 128, .top_k = 8, .expert_width = 1408, .shared_width = 1408};
  model.kinds.push_back(moe);
  for (std::size_t i = 1; i < model.layers.size(); ++i) model.layers[i] = 1;
  return model;
}

// GPT-3 175B.
inline Model gpt_3_175b() {
  Model model = llama({96, 12288, 96, 96, 128, 49152, 51200});
  model.kinds[0].ffn.matrices = 2;
  model.tied_embeddings = true;
  return model;
}

// Only what a user told: nothing can be counted.
inline Model partial_model(std::int64_t layers, const Attention& attention,
                           std::int64_t hidden = 0) {
  LayerKind kind;
  kind.attention = attention;
  Model model;
  model.hidden = model.embedding_width = hidden;
  model.kinds = {kind};
  model.layers.assign(static_cast<std::size_t>(layers), 0);
  model.why_no_count = "the parameters cannot be counted: vocab_size is missing";
  return model;
}

inline Attention softmax_heads(std::int64_t heads, std::int64_t kv_heads, std::int64_t head_dim) {
  return {.kind = AttentionKind::softmax,
          .heads = heads,
          .kv_heads = kv_heads,
          .head_dim = head_dim,
          .value_head_dim = head_dim};
}

inline std::vector<Model> published_models() {
  return {llama_2_7b(),  llama_2_13b(),     llama_2_70b(),  llama_3_8b(),
          llama_3_70b(), qwen_2_5_14b(),    qwen_3_0_6b(),  qwen_3_235b(),
          qwen_3_30b(),  deepseek_v3_fp8(), gpt_oss_120b(), gpt_oss_20b(),
          gemma_3_4b(),  gemma_4_26b(),     glm_4_5_air(),  llama_4_maverick()};
}

}  // namespace ridgeline::testing
