// Model: the architecture facts of one transformer (or hybrid), layer by layer.
//
// Matrices follow from the widths; everything else that has parameters (norms, biases, sinks,
// position tables) is counted where it stands, so that the total equals the published count to the
// unit (physics/parameters.h adds them up). Layers that are alike share one LayerKind.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ridgeline/spec/precision.h"

namespace ridgeline {

enum class AttentionKind : std::uint8_t {
  none,       // the block has no token mixer
  softmax,    // MHA, GQA, MQA
  mla,        // multi-head latent attention [deepseek-v2]
  recurrent,  // linear attention or a state-space mixer
};

inline std::span<const char* const> names_of(AttentionKind) {
  static constexpr std::array<const char*, 4> kNames = {"none", "softmax", "mla", "recurrent"};
  return kNames;
}

// Sizes of one layer's token mixer. Unused fields are zero.
struct Attention {
  AttentionKind kind = AttentionKind::none;
  std::int64_t heads = 0;     // query heads
  std::int64_t kv_heads = 0;  // softmax: key and value heads
  std::int64_t head_dim = 0;  // softmax: width of a query and a key head
  std::int64_t value_head_dim =
      0;                     // softmax: width of a value head (= head_dim in nearly all models)
  std::int64_t window = 0;   // tokens a query sees, itself included; 0: all
  std::int64_t chunk = 0;    // chunked attention: tokens per chunk; 0: none
  bool output_gate = false;  // the query projection also yields a gate of the same width
  bool shared_key_value = false;    // one projection yields both K and V [gemma-4]; both are cached
  bool reuses_cache = false;        // reads K and V of an earlier layer: no projections, no cache
  std::int64_t compress_ratio = 0;  // > 0: also keeps one entry per so many tokens [deepseek-v4]

  // MLA
  std::int64_t q_lora_rank = 0;  // 0: queries are projected directly
  std::int64_t kv_lora_rank = 0;
  std::int64_t qk_nope_head_dim = 0;
  std::int64_t qk_rope_head_dim = 0;
  std::int64_t v_head_dim = 0;

  // Sparse attention with an indexer [deepseek-v3.2]; index_heads 0: none
  std::int64_t index_heads = 0;
  std::int64_t index_head_dim = 0;
  std::int64_t index_top_k = 0;
  std::int64_t index_params = 0;  // every parameter of the indexer

  // Recurrent: state of value_heads matrices state_key_dim x state_value_dim per sequence
  std::int64_t state_heads = 0;
  std::int64_t state_key_dim = 0;
  std::int64_t state_value_dim = 0;
  std::int64_t conv_channels = 0;  // causal convolution before the mixer
  std::int64_t conv_kernel = 0;
  // Matrices in and out of the mixer. Other kinds: > 0 stands in place of what the widths give.
  std::int64_t projection_params = 0;

  // Vectors: biases, query/key norms, sinks, decay rates, convolution weights
  std::int64_t vector_params = 0;

  friend bool operator==(const Attention&, const Attention&) = default;
};

// Sizes of one layer's feed-forward part. A layer may have a dense and a routed part side by side.
struct Ffn {
  std::int64_t width = 0;     // dense intermediate size; 0: no dense part
  std::int64_t matrices = 3;  // 3: gated (gate, up, down); 2: plain (up, down); experts the same
  std::int64_t experts = 0;   // routed experts; 0: no routed part
  std::int64_t top_k = 0;     // routed experts per token
  std::int64_t expert_width = 0;
  std::int64_t shared_width = 0;          // of all shared experts together
  std::int64_t router_params = 0;         // router matrix and what belongs to it
  std::int64_t expert_vector_params = 0;  // biases of ONE routed expert
  std::int64_t vector_params = 0;         // dense biases, shared-expert gate

  bool moe() const { return experts > 0; }
  friend bool operator==(const Ffn&, const Ffn&) = default;
};

struct LayerKind {
  Attention attention;
  Ffn ffn;
  std::int64_t norm_params = 0;  // layer norms of the block, biases included

  bool windowed() const { return attention.window > 0; }
  bool moe() const { return ffn.moe(); }
  friend bool operator==(const LayerKind&, const LayerKind&) = default;
};

struct Quantization {
  std::string method;                     // "fp8", "awq", "gptq", "mxfp4", ...; empty: none
  Precision precision = Precision::bf16;  // of the quantised matrices
  std::vector<std::string> not_converted;
  std::int64_t group_size = 0;  // elements that share a scale; 0: none worth counting
  std::int64_t scale_bits = 0;  // per group
  std::int64_t zero_bits = 0;   // per group
};

struct Model {
  std::string name;
  std::string architecture;  // "LlamaForCausalLM"
  std::string source;        // where the facts come from
  std::int64_t hidden = 0;
  std::int64_t vocab = 0;
  bool tied_embeddings = false;
  std::int64_t embedding_width = 0;  // = hidden but for factorised embeddings (OPT-350M: 512)
  std::int64_t position_params = 0;  // learned position table
  std::int64_t final_norm_params = 0;
  std::int64_t other_params = 0;     // embedding projections, head bias, ...
  std::vector<LayerKind> kinds;      // distinct; at most 255
  std::vector<std::uint8_t> layers;  // layers[i] indexes kinds; in order
  std::int64_t declared_layers =
      0;                         // `num_hidden_layers` of the config (blocks of a pattern string)
  std::int64_t mtp_layers = 0;   // multi-token-prediction modules, not part of the totals
  std::int64_t max_context = 0;  // 0: not stated
  Precision weight_precision = Precision::bf16;
  std::optional<Quantization> quantization;
  std::optional<std::int64_t> published_params;  // total of the publisher, where one is known
  std::string why_no_count;  // set where the total cannot be computed from the config, and says why

  std::int64_t layer_count() const { return static_cast<std::int64_t>(layers.size()); }
};

}  // namespace ridgeline
