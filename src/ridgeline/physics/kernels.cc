#include "ridgeline/physics/kernels.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ridgeline::physics {
namespace {

constexpr double kSharpness = 6;    // of the soft maximum
constexpr double kQueryTile = 128;  // rows and columns of a tile of scores
constexpr double kLeastDepth = 64;  // of one pass of a tile
constexpr double kOutputBytes = 2;
constexpr double kSplitSeconds = 0.5e-6;  // of adding up the parts of a split product
constexpr double kGroupRows = 16;         // to which a query group is padded
constexpr double kLatentElements = 576, kLatentFlop = 1088, kLatentPrefillFlop = 320;

struct Tile {
  double x, y;
};
constexpr std::array kTiles = {Tile{16, 32}, Tile{16, 64}, Tile{64, 64}, Tile{128, 128}};
constexpr std::array kSplits = {1.0, 2.0, 4.0, 8.0};

double unit_seconds(const Kernels& kernels, const GemmCurve& curve, const GemmShape& s) {
  const double units = static_cast<double>(kernels.units), W = kernels.bandwidth.base();
  double least = INFINITY;
  for (const Tile& tile : kTiles) {
    const double tiles = std::ceil(s.m / tile.x) * std::ceil(s.n / tile.y);
    const double row = tile.x * curve.activation_bytes + tile.y * curve.weight_bytes;
    for (const double split : kSplits) {
      const double waves = std::ceil(tiles * split / units);
      const double join = split > 1 ? kSplitSeconds + kOutputBytes * s.m * s.n * split / W : 0;
      least = std::min(
          least,
          waves * std::max(s.k / split, kLeastDepth) * row / curve.unit_stream.base() + join);
    }
  }
  return least;
}

double joined(bool smooth, double a, double b, double c) {
  const double most = std::max({a, b, c});
  if (!smooth || most == 0) return most;
  const auto part = [&](double x) { return std::pow(x / most, kSharpness); };
  return most * std::pow(part(a) + part(b) + part(c), 1 / kSharpness);
}

double peak_16_bit(const Kernels& kernels) {
  const GemmCurve* curve = kernels.gemm_of("bf16");
  return curve != nullptr ? curve->peak.base() : INFINITY;
}

double decode_seconds(const Kernels& kernels, const AttentionCurve& c, const AttentionShapeOf& s) {
  const double W = c.memory_share * kernels.bandwidth.base(),
               P = c.compute_share * peak_16_bit(kernels);
  if (c.latent) {
    const double bytes = s.batch * s.tokens * kLatentElements * s.kv_bytes;
    const double flop = 2 * s.batch * std::max(s.heads, kGroupRows) * s.tokens * kLatentFlop;
    return std::max(bytes / W, flop / P);  // (4)
  }
  const double bytes = 2 * s.batch * s.kv_heads * s.tokens * s.head_dim * s.kv_bytes;
  const double rows = std::ceil(s.heads / s.kv_heads / kGroupRows) * kGroupRows;
  const double flop = 4 * s.batch * s.kv_heads * rows * s.tokens * s.head_dim;
  const double waves = std::ceil(s.batch * s.kv_heads * std::ceil(s.tokens / kQueryTile) /
                                 static_cast<double>(kernels.units));
  return std::max({bytes / W, flop / P, waves * c.tile_wave.base()});  // (3)
}

double prefill_seconds(const Kernels& kernels, const AttentionCurve& c, const AttentionShapeOf& s) {
  const double W = c.memory_share * kernels.bandwidth.base(),
               P = c.compute_share * peak_16_bit(kernels);
  if (c.latent) return s.batch * s.heads * s.tokens * s.tokens * kLatentPrefillFlop / P;  // (4)
  const double q = std::ceil(s.tokens / kQueryTile);
  const double tiles = s.batch * s.heads * q * (q + 1) / 2, scores = kQueryTile * kQueryTile;
  const double exponentials = c.softmax_rate > 0 ? tiles * scores / c.softmax_rate : 0;
  const double bytes = s.batch * s.tokens * s.head_dim * 2 * (s.heads + s.kv_heads) * kOutputBytes;
  return std::max(tiles * 4 * scores * s.head_dim / P + exponentials, bytes / W);  // (2)
}

}  // namespace

Seconds gemm_time(const Kernels& kernels, const GemmCurve& curve, const GemmShape& s) {
  const double W = curve.memory_share * kernels.bandwidth.base();
  const double F = 2 * s.m * s.n * (s.k + curve.k_fill);
  const double B = curve.activation_bytes * s.m * s.k + curve.weight_bytes * s.n * s.k +
                   kOutputBytes * s.m * s.n;
  const double unit = curve.unit_stream.base() > 0 ? unit_seconds(kernels, curve, s) : 0;
  const double work =
      joined(curve.smooth, F / (curve.compute_share * curve.peak.base()), B / W, unit);
  return curve.launch + Seconds::from_base(curve.requant_bytes * s.m * s.k / W + work);  // (1)
}

const GemmCurve* gemm_curve(const Kernels& kernels, Precision weights, Precision activations) {
  const auto is_half = [](Precision p) { return p == Precision::bf16 || p == Precision::fp16; };
  if (is_half(activations)) {
    if (is_half(weights)) return kernels.gemm_of("bf16");
    if (weights == Precision::int8) return kernels.gemm_of("int8-weights");
    return weights == Precision::int4 ? kernels.gemm_of("int4-weights") : nullptr;
  }
  if (weights != activations) return nullptr;
  switch (weights) {
    case Precision::fp8: return kernels.gemm_of("fp8");
    case Precision::int8: return kernels.gemm_of("int8");
    case Precision::fp4:
    case Precision::nvfp4: return kernels.gemm_of("nvfp4");
    default: return nullptr;
  }
}

Seconds attention_time(const Kernels& kernels, const AttentionCurve& curve,
                       const AttentionShapeOf& shape) {
  const double work = curve.decodes ? decode_seconds(kernels, curve, shape)
                                    : prefill_seconds(kernels, curve, shape);
  return curve.launch + Seconds::from_base(work);
}

double attention_share(const Kernels& kernels) {
  const AttentionCurve* curve = kernels.attention_of(false, false);
  const double peak = peak_16_bit(kernels);
  if (curve == nullptr || !std::isfinite(peak)) return 0;
  constexpr double kHeadDim = 128;
  const double flop_per_score = 4 * kHeadDim;
  const double softmax = curve->softmax_rate > 0 ? 1 / curve->softmax_rate : 0;
  const double seconds = flop_per_score / (curve->compute_share * peak) + softmax;
  return flop_per_score / seconds / peak;
}

Seconds collective_time(const CollectiveCurve& curve, double ranks, Bytes bytes) {
  const double share = (ranks - 1) / ranks, f = curve.op == "all_reduce" ? 2 * share : share;
  return curve.base + (ranks - 1) * curve.per_peer + f * bytes / curve.bus_bandwidth;  // (5)
}

}  // namespace ridgeline::physics
