#include "ridgeline/physics/kernels.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ridgeline::physics {
namespace {

// 100 TFLOP/s, 1 TB/s, 10 units; half of the one, all of the other, 2 us to launch.
Kernels device() {
  Kernels out{.name = "d", .bandwidth = 1000 * gigabyte_per_second, .units = 10};
  GemmCurve curve;
  curve.format = "bf16";
  curve.peak = 100 * teraflop_per_second;
  curve.launch = 2 * microsecond;
  curve.compute_share = 0.5;
  out.gemm.push_back(curve);
  return out;
}

// 2 x 1000^3/50e12 = 40 us against 6 MB/1 TB/s = 6 us; of one row 2 MB of weights take 2.004 us.
TEST(Kernels, ProductsTakeTheLongerOfArithmeticAndTraffic) {
  const Kernels d = device();
  EXPECT_NEAR(gemm_time(d, d.gemm[0], {1000, 1000, 1000}).base(), 42e-6, 1e-12);
  EXPECT_NEAR(gemm_time(d, d.gemm[0], {1, 1000, 1000}).base(), 4.004e-6, 1e-12);
}

TEST(Kernels, CurvesGoByBothNumberFormats) {
  Kernels d = device();
  d.gemm.push_back({.format = "int8-weights"});
  EXPECT_EQ(gemm_curve(d, Precision::fp16, Precision::bf16), &d.gemm[0]);
  EXPECT_EQ(gemm_curve(d, Precision::int8, Precision::bf16), &d.gemm[1]);
  EXPECT_EQ(gemm_curve(d, Precision::int8, Precision::int8), nullptr);
  EXPECT_EQ(gemm_curve(d, Precision::fp8, Precision::bf16), nullptr);
  EXPECT_EQ(gemm_curve(d, Precision::fp8, Precision::fp8), nullptr);
}

// Both 40 us: 40 x 2^(1/6).
TEST(Kernels, SmoothCurvesJoinTheirParts) {
  Kernels d = device();
  d.gemm[0].smooth = true;
  d.gemm[0].memory_share = 6.0 / 40;
  EXPECT_NEAR(gemm_time(d, d.gemm[0], {1000, 1000, 1000}).base(),
              2e-6 + 40e-6 * std::pow(2, 1.0 / 6), 1e-12);
}

// One tile of 16 x 32 of depth 64 on one of ten units: (32 + 64) bytes x 64 at 1 GB/s = 6.144 us.
TEST(Kernels, UnitsStreamTheirTiles) {
  Kernels d = device();
  d.gemm[0].unit_stream = 1 * gigabyte_per_second;
  EXPECT_NEAR(gemm_time(d, d.gemm[0], {16, 32, 64}).base(), 2e-6 + 6.144e-6, 1e-12);
}

TEST(Kernels, QuantisingActivationsIsAPass) {
  Kernels d = device();
  const double before = gemm_time(d, d.gemm[0], {1000, 1000, 1000}).base();
  d.gemm[0].requant_bytes = 3;
  EXPECT_NEAR(gemm_time(d, d.gemm[0], {1000, 1000, 1000}).base() - before, 3e-6, 1e-12);
}

// 256 tokens: q = 2, 3 tiles a head, 8 heads: 24 x 4 x 128^3 FLOP at 50 TFLOP/s = 4.0265 us, and
// 24 x 128^2 exponentials at 1e12/s = 0.393 us.
TEST(Kernels, PrefillCountsTilesAndExponentials) {
  const Kernels d = device();
  const AttentionCurve curve{.launch = 1 * microsecond, .compute_share = 0.5, .softmax_rate = 1e12};
  const AttentionShapeOf shape{.heads = 8, .kv_heads = 8, .head_dim = 128, .tokens = 256};
  const double flop = 24 * 4 * std::pow(128, 3);
  EXPECT_NEAR(attention_time(d, curve, shape).base(), 1e-6 + flop / 50e12 + 24 * 128.0 * 128 / 1e12,
              1e-12);
}

// 1000 tokens x 8 heads x 128 x 2 x 2 bytes = 4.096 MB at 1 TB/s; 8 groups padded to 16 rows;
// 64 tiles are 7 waves of 10 units.
TEST(Kernels, DecodeReadsTheCacheInWaves) {
  const Kernels d = device();
  AttentionCurve curve{.decodes = true};
  const AttentionShapeOf shape{.heads = 64, .kv_heads = 8, .head_dim = 128, .tokens = 1000};
  EXPECT_NEAR(attention_time(d, curve, shape).base(), 4.096e-6, 1e-12);
  curve.tile_wave = 1 * microsecond;
  EXPECT_NEAR(attention_time(d, curve, shape).base(), 7e-6, 1e-12);
  curve.latent = true;
  EXPECT_NEAR(attention_time(d, curve, shape).base(), 2 * 64 * 1000 * 1088.0 / 100e12, 1e-12);
}

// 4 x 128 FLOP a score at 50 TFLOP/s are 10.24 ps; an exponential more of 10.24 ps halves it.
TEST(Kernels, AttentionsShareCountsItsExponentials) {
  Kernels d = device();
  EXPECT_EQ(attention_share(d), 0);
  d.attention.push_back({.compute_share = 0.5});
  EXPECT_DOUBLE_EQ(attention_share(d), 0.5);
  d.attention[0].softmax_rate = 50e12 / 512;
  EXPECT_DOUBLE_EQ(attention_share(d), 0.25);
}

// 8 ranks: 5 us + 7 x 1 us + 2 x 7/8 of 1 GB at 100 GB/s.
TEST(Kernels, CollectivesHaveAConstantAndABandwidth) {
  CollectiveCurve curve{"all_reduce", "nccl", 5 * microsecond, 1 * microsecond,
                        100 * gigabyte_per_second};
  EXPECT_NEAR(collective_time(curve, 8, gigabyte).base(), 12e-6 + 17.5e-3, 1e-12);
  curve.op = "all_gather";
  EXPECT_NEAR(collective_time(curve, 8, gigabyte).base(), 12e-6 + 8.75e-3, 1e-12);
}

}  // namespace
}  // namespace ridgeline::physics
