// Kernels: the time of one kernel alone on an idle device, by curves fitted to measurements.
// P peak, W memory bandwidth, U compute units, c and w shares of a curve.
//
//   gemm (m x k)(k x n), F = 2 m n (k + k_fill), B = a m k + b n k + 2 m n bytes
//     t = launch + q m k/(w W) + join(F/(c P), B/(w W), unit)                               (1)
//     unit = least over tiles x by y and splits s of
//       ceil(ceil(m/x) ceil(n/y) s/U) max(k/s, 64)(x a + y b)/stream + (s > 1)(0.5 us + 2 m n s/W)
//     join: the largest, or (sum of sixth powers)^(1/6) where the curve is smooth
//   prefill, q tiles of 128: tiles = B H q (q + 1)/2
//     t = launch + max(tiles 4 128^2 h/(c P) + tiles 128^2/softmax, QKVO bytes/(w W))       (2)
//   decode, query groups padded to 16 rows
//     t = launch + max(KV bytes/(w W), padded FLOP/(c P), ceil(B H_k ceil(S/128)/U) wave)   (3)
//   MLA decode 576 cached elements a token, 2 x 1088 FLOP a head and token; prefill 320 H S^2 (4)
//   collective of p ranks: t = base + per_peer (p - 1) + f M/bus, f = 2 (p - 1)/p for an
//     all-reduce, else (p - 1)/p                                                           (5)
// Fitted to measurements published in aiconfigurator-core [aiconfigurator-core].
#pragma once

#include <cstdint>

#include "ridgeline/base/units.h"
#include "ridgeline/spec/kernels.h"
#include "ridgeline/spec/precision.h"

namespace ridgeline::physics {

struct GemmShape {
  double m = 1, n = 1, k = 1;
};
Seconds gemm_time(const Kernels& kernels, const GemmCurve& curve, const GemmShape& shape);

// The curve of products of these number formats; null where there is none.
const GemmCurve* gemm_curve(const Kernels& kernels, Precision weights, Precision activations);

struct AttentionShapeOf {
  double batch = 1, heads = 1, kv_heads = 1, head_dim = 128;
  double tokens = 1;  // of the prompt, or of the cache
  double kv_bytes = 2;
};
// REQUIRES: the device has a curve of 16-bit products, whose peak counts.
Seconds attention_time(const Kernels& kernels, const AttentionCurve& curve,
                       const AttentionShapeOf& shape);

// Share of the 16-bit peak that causal attention over long prompts reaches with heads of 128;
// 0: not known.
double attention_share(const Kernels& kernels);

Seconds collective_time(const CollectiveCurve& curve, double ranks, Bytes bytes);

}  // namespace ridgeline::physics
