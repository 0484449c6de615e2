#include "ridgeline/physics/device_kv.h"

#include <algorithm>
#include <cmath>

namespace ridgeline::physics {
namespace {

constexpr double kMostTokens = 9e15;  // a count that is whole in a double

}  // namespace

Attention device_attention(const Attention& attention, std::int64_t tp) {
  Attention a = attention;
  if (a.kv_heads > 0) a.kv_heads = held_kv_heads(a.kv_heads, tp);
  a.heads = a.heads / tp;
  return a;
}

std::optional<std::int64_t> kv_heads_per_device(const Model& model, std::int64_t tp, MlaForm mla) {
  std::optional<std::int64_t> most;
  for (const LayerKind& kind : model.kinds) {
    const Attention& a = kind.attention;
    const bool expanded = a.kind == AttentionKind::mla && mla == MlaForm::expanded;
    const std::int64_t heads = expanded ? a.heads : a.kv_heads;
    if (!has_cache(a) || heads == 0) continue;
    most = std::max(most.value_or(0), held_kv_heads(heads, tp));
  }
  return most;
}

DeviceCache::DeviceCache(const Model& model, const CacheOptions& options,
                         const StageLayers& stage) {
  const double share = 1.0 / static_cast<double>(options.cp);
  const double width = bytes_per_element(options.kv) * share;
  const double state_width = bytes_per_element(options.state) / static_cast<double>(options.tp);
  for (std::int64_t i = stage.first; i < stage.first + stage.count; ++i) {
    const LayerKind& kind = model.kinds[model.layers[static_cast<std::size_t>(i)]];
    const Attention a = device_attention(kind.attention, options.tp);
    state_ += static_cast<double>(state_elements(a)) * state_width;
    if (!has_cache(a)) continue;
    const double per_token = kv_elements_per_token(a, options.mla) * width;
    const double ratio = a.compress_ratio > 0 ? static_cast<double>(a.compress_ratio) : 1;
    per_token_ += per_token;
    if (a.index_heads > 0) index_ += static_cast<double>(a.index_head_dim) / ratio * width;
    const bool windowed = cached_window(a) > 0 && !options.full_kv;
    if (!windowed) {
      growing_ += per_token;
      continue;
    }
    const auto window = static_cast<double>(cached_window(a) + options.window_extra);
    windows_.push_back({window, per_token});
    if (a.compress_ratio > 0) {
      growing_ += per_token / ratio;
      per_token_ += per_token / ratio;
    }
  }
}

double DeviceCache::full_bytes(double tokens) const {
  return growing_ * tokens;
}

double DeviceCache::sliding_bytes(double tokens) const {
  double sum = 0;
  for (const Windowed& w : windows_) sum += w.bytes_per_token * std::min(tokens, w.tokens);
  return sum;
}

double DeviceCache::index_bytes(double tokens) const {
  return index_ * tokens;
}

double DeviceCache::kv_bytes(double tokens) const {
  return full_bytes(tokens) + sliding_bytes(tokens);
}

double DeviceCache::bytes(double tokens) const {
  return kv_bytes(tokens) + index_bytes(tokens) + state_;
}

std::optional<std::int64_t> DeviceCache::longest(double available) const {
  double bend = 0;  // where the last window is full
  for (const Windowed& w : windows_) bend = std::max(bend, w.tokens);
  const double slope = growing_ + index_;
  if (available < state_) return 0;
  if (bytes(bend) <= available) {  // (2)
    if (slope == 0) return std::nullopt;
    const double tokens = bend + std::floor((available - bytes(bend)) / slope);
    return static_cast<std::int64_t>(std::min(tokens, kMostTokens));
  }
  auto low = std::int64_t{0}, high = static_cast<std::int64_t>(bend);  // low fits, high does not
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (bytes(static_cast<double>(middle)) <= available ? low : high) = middle;
  }
  return low;
}

}  // namespace ridgeline::physics
