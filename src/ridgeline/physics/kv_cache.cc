#include "ridgeline/physics/kv_cache.h"

#include <algorithm>
#include <string>

namespace ridgeline::physics {
namespace {

Error lacks(const char* key) {
  return Error{ErrorCode::missing, std::string("/") + key,
               std::string("the KV cache cannot be sized: ") + key + " is missing",
               std::string("add ") + key + " to the model"};
}

Status check_sizes(const Attention& a, MlaForm form) {
  if (a.kind == AttentionKind::mla) {
    if (a.kv_lora_rank + a.qk_rope_head_dim == 0) return lacks("kv_lora_rank");
    if (form == MlaForm::latent) return Ok{};
    if (a.heads == 0) return lacks("num_attention_heads");
    if (a.v_head_dim == 0) return lacks("v_head_dim");
    if (a.qk_nope_head_dim == 0) return lacks("qk_nope_head_dim");
    return Ok{};
  }
  if (a.kv_heads == 0) return lacks("num_attention_heads");
  if (a.head_dim == 0) return lacks("head_dim");
  return Ok{};
}

// Cached tokens per token of context that never stop growing.
double growing_share(const Attention& a) {
  if (a.compress_ratio > 0) return 1.0 / static_cast<double>(a.compress_ratio);
  return cached_window(a) > 0 ? 0.0 : 1.0;
}

double index_elements_per_token(const Attention& a) {
  if (a.index_heads == 0) return 0;
  const double ratio = a.compress_ratio > 0 ? static_cast<double>(a.compress_ratio) : 1.0;
  return static_cast<double>(a.index_head_dim) / ratio;
}

}  // namespace

bool has_cache(const Attention& a) {
  return (a.kind == AttentionKind::softmax || a.kind == AttentionKind::mla) && !a.reuses_cache;
}

double kv_elements_per_token(const Attention& a, MlaForm form) {
  if (!has_cache(a)) return 0;
  if (a.kind == AttentionKind::softmax) {
    return static_cast<double>(a.kv_heads * (a.head_dim + a.value_head_dim));
  }
  if (form == MlaForm::latent) return static_cast<double>(a.kv_lora_rank + a.qk_rope_head_dim);
  return static_cast<double>(a.heads * (a.qk_nope_head_dim + a.qk_rope_head_dim + a.v_head_dim));
}

std::int64_t cached_window(const Attention& a) {
  return a.window > 0 ? a.window : a.chunk;
}

Result<KvCache> kv_cache(const Model& model, Precision kv, MlaForm form) {
  const double width = bytes_per_element(kv);
  KvCache out;
  for (const std::uint8_t index : model.layers) {
    const Attention& a = model.kinds[index].attention;
    if (!has_cache(a)) continue;
    RIDGELINE_CHECK(check_sizes(a, form));
    const double bytes = kv_elements_per_token(a, form) * width;
    const auto window = static_cast<double>(cached_window(a));
    const double compressed = a.compress_ratio > 0 ? bytes * growing_share(a) : 0.0;
    out.layers += 1;
    out.bytes_per_token += bytes + compressed;
    out.bytes_per_token_beyond_window += bytes * growing_share(a);
    out.fixed_bytes_per_sequence += bytes * window;
    out.index_bytes_per_token += index_elements_per_token(a) * width;
  }
  return out;
}

double kept_tokens(const Attention& a, double tokens, double window_extra) {
  const auto window = static_cast<double>(cached_window(a));
  if (window == 0) return tokens;
  const double compressed = a.compress_ratio > 0 ? growing_share(a) * tokens : 0.0;
  return std::min(tokens, window + window_extra) + compressed;
}

double kv_elements(const Attention& a, MlaForm form, double tokens, double window_extra) {
  return kv_elements_per_token(a, form) * kept_tokens(a, tokens, window_extra);
}

std::int64_t state_elements(const Attention& a) {
  if (a.kind != AttentionKind::recurrent) return 0;
  const std::int64_t kept = a.conv_kernel > 0 ? a.conv_kernel - 1 : 0;
  return a.state_heads * a.state_key_dim * a.state_value_dim + kept * a.conv_channels;
}

}  // namespace ridgeline::physics
