// Kernels: what single kernels of a device reach, as curves fitted to measurements of each alone.
// The forms are in physics/kernels.h; the numbers are data (data/kernels/).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ridgeline/base/units.h"

namespace ridgeline {

// How well a curve fits the rows it was fitted to.
struct FitError {
  std::int64_t rows = 0;
  double median = 0, p90 = 0;  // of the absolute relative error
};

// Matrix products of one number format.
struct GemmCurve {
  std::string format;  // "bf16", "fp8", "fp8-block", "nvfp4", "int8"; "int8-weights": only they
  FlopsPerSecond peak;
  double weight_bytes = 2, activation_bytes = 2;  // of an element
  Seconds launch;
  double compute_share = 1, memory_share = 1;
  bool smooth = false;         // parts join by a soft maximum
  double k_fill = 0;           // depth that fills the pipeline
  BytesPerSecond unit_stream;  // one compute unit's share of the caches; zero: no such term
  double requant_bytes = 0;    // per activation that is quantised first
  FlopsPerSecond large;        // median rate of large products
  BytesPerSecond weight_stream;
  FitError error;
};

struct AttentionCurve {
  bool decodes = false;
  bool latent = false;  // MLA
  Seconds launch;
  double compute_share = 1, memory_share = 1;
  Seconds tile_wave;        // decode: one wave of tiles over all units
  double softmax_rate = 0;  // prefill: exponentials per second; zero: no such term
  FitError error;
};

// A fused layer of routed experts on one rank.
struct ExpertCurve {
  std::string format;
  bool skewed = false;  // routing as in service; else balanced
  FlopsPerSecond peak;
  double weight_bytes = 2;
  Seconds launch;
  double compute_share = 1, memory_share = 1;
  double permute_passes = 0, routing_skew = 1, hot_rank_factor = 1;
  FitError error;
};

// A collective inside a node.
struct CollectiveCurve {
  std::string op;              // "all_reduce", "all_gather", "reduce_scatter", "alltoall"
  std::string implementation;  // "nccl", or an engine's own
  Seconds base, per_peer;
  BytesPerSecond bus_bandwidth;
  std::int64_t most_devices = 8;
  FitError error;
};

struct Kernels {
  std::string name;  // of the accelerator
  BytesPerSecond bandwidth;
  std::int64_t units = 1;  // compute units that tiles are spread over
  std::vector<GemmCurve> gemm;
  std::vector<AttentionCurve> attention;
  std::vector<ExpertCurve> experts;
  std::vector<CollectiveCurve> collectives;

  const GemmCurve* gemm_of(std::string_view format) const {
    for (const GemmCurve& curve : gemm) {
      if (curve.format == format) return &curve;
    }
    return nullptr;
  }
  const AttentionCurve* attention_of(bool decodes, bool latent) const {
    for (const AttentionCurve& curve : attention) {
      if (curve.decodes == decodes && curve.latent == latent) return &curve;
    }
    return nullptr;
  }
  const CollectiveCurve* collective_of(std::string_view op, std::string_view implementation) const {
    for (const CollectiveCurve& curve : collectives) {
      if (curve.op == op && curve.implementation == implementation) return &curve;
    }
    return nullptr;
  }
};

}  // namespace ridgeline
