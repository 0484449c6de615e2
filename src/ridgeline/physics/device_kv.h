// What one device keeps of the sequences in flight, on a run of layers of one pipeline stage.
//
//   held(n) = 1/cp sum over layers of e' min(n, W + extra) + e'' n + index n + state        (1)
//   e'    cached elements of one device: max(1, h_kv/tp) heads; an MLA latent is on every tp rank
//   held is linear, slope n + rest, for n >= every W + extra                                (2)
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ridgeline/physics/kv_cache.h"
#include "ridgeline/physics/weights.h"
#include "ridgeline/spec/model.h"
#include "ridgeline/spec/precision.h"

namespace ridgeline::physics {

struct CacheOptions {
  std::int64_t tp = 1;
  std::int64_t cp = 1;
  Precision kv = Precision::bf16;
  Precision state = Precision::bf16;
  MlaForm mla = MlaForm::latent;
  bool full_kv = false;           // windowed layers keep the whole context
  std::int64_t window_extra = 0;  // tokens kept beyond a window
};

class DeviceCache {
 public:
  // REQUIRES: kv_cache(model, ...) answers; tp divides or is divided by every layer's kv heads.
  DeviceCache(const Model& model, const CacheOptions& options, const StageLayers& stage);

  // Bytes of one sequence of n tokens: all of it, and what of it is no recurrent state.
  double bytes(double tokens) const;
  double kv_bytes(double tokens) const;       // keys and values alone
  double full_bytes(double tokens) const;     // of which in layers that see everything
  double sliding_bytes(double tokens) const;  // and in windows
  double index_bytes(double tokens) const;
  double state_bytes() const { return state_; }

  // Keys and values per token of every layer, windowed ones as inside their window.
  double bytes_per_token() const { return per_token_; }

  // Tokens of the longest sequence that `bytes` hold; empty when it can grow without end.
  std::optional<std::int64_t> longest(double bytes) const;

 private:
  struct Windowed {
    double tokens;           // W + extra
    double bytes_per_token;  // until then
  };
  std::vector<Windowed> windows_;
  double growing_ = 0;  // bytes per token that never stop, (2)
  double index_ = 0;    // of which the indexer, on top of growing_
  double per_token_ = 0;
  double state_ = 0;
};

// The layer as one device of tp ranks caches it.
Attention device_attention(const Attention& attention, std::int64_t tp);

// Key and value heads of one device, most over the layers; empty when no layer caches heads, as
// latents are none.
std::optional<std::int64_t> kv_heads_per_device(const Model& model, std::int64_t tp,
                                                MlaForm mla = MlaForm::latent);

}  // namespace ridgeline::physics
