// Bytes that a sequence keeps between steps: the KV cache, the indexer's cache, recurrent state.
//
//   kv(n) = sum over layers of e min(n, W) + e' n                                           (1)
//         = slope n + fixed                     for n >= every window                       (2)
//   e     cached elements per token: softmax h_kv (d_k + d_v); MLA c + r latent, h (d_k + d_v)
//   expanded W     window or chunk of the layer; without one the whole context e'    e / ratio in a
//   layer that also keeps compressed entries [deepseek-v4], else 0
#pragma once

#include <cstdint>

#include "ridgeline/base/result.h"
#include "ridgeline/spec/model.h"
#include "ridgeline/spec/precision.h"

namespace ridgeline::physics {

enum class MlaForm : std::uint8_t {
  latent,    // the compressed latent and one rope key per token
  expanded,  // keys and values of every head
};

// Has the layer a cache of its own?
bool has_cache(const Attention& attention);

// Cached elements of one layer per token inside its window, all KV heads, one copy (e of (1)).
double kv_elements_per_token(const Attention& attention, MlaForm form);

// Tokens after which the layer's cache stops growing, window or chunk; 0: never.
std::int64_t cached_window(const Attention& attention);

struct KvCache {
  double bytes_per_token = 0;                // every layer, windowed ones as inside their window
  double bytes_per_token_beyond_window = 0;  // slope of (2)
  double fixed_bytes_per_sequence = 0;       // fixed of (2)
  double index_bytes_per_token = 0;          // of sparse-attention indexers; 0 without
  std::int64_t layers = 0;                   // layers that have a cache
};

// Error `missing`: `where` is the config key that the model lacks ("/num_attention_heads").
Result<KvCache> kv_cache(const Model& model, Precision kv, MlaForm form);

// Tokens of a context of `tokens` that the layer keeps, as if all were alike; windowed layers keep
// `window_extra` more.
double kept_tokens(const Attention& attention, double tokens, double window_extra);

// Cache elements that one layer holds for `tokens` of context, (1); windowed layers keep
// `window_extra` tokens more.
double kv_elements(const Attention& attention, MlaForm form, double tokens, double window_extra);

// Elements that the layer's recurrent state takes per sequence, convolution inputs included.
std::int64_t state_elements(const Attention& attention);

}  // namespace ridgeline::physics
