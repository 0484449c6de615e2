#include "ridgeline/solve/efficiency.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/solver_inputs.h"

namespace ridgeline::solve::efficiency {
namespace {

Answer<Output, Loss> answer(const Inputs& in) {
  const auto checked = check(in);
  EXPECT_TRUE(checked) << (checked ? "" : checked.error().where + ": " + checked.error().message);
  return solve(*checked);
}

double factor(const Answer<Output, Loss>& answer, Cause cause) {
  for (const Loss& loss : answer.rows) {
    if (loss.cause == cause) return loss.factor;
  }
  ADD_FAILURE() << "no such loss";
  return 0;
}

// 1 PFLOP/s and 4 TB/s.
Inputs product(std::int64_t m, std::int64_t n, std::int64_t k) {
  Inputs in;
  in.hardware = testing::round_device();
  in.m = m;
  in.n = n;
  in.k = k;
  return in;
}

// Curves of that device: 132 units, half of the peak, 5 us to launch; 100 GB/s between devices.
Kernels curves() {
  Kernels out{.name = "d", .bandwidth = 4000 * gigabyte_per_second, .units = 132};
  GemmCurve gemm;
  gemm.format = "bf16";
  gemm.peak = 1000 * teraflop_per_second;
  gemm.launch = 5 * microsecond;
  gemm.compute_share = 0.5;
  gemm.error = {100, 0.05, 0.2};
  out.gemm = {gemm};
  out.attention = {{.launch = 10 * microsecond, .compute_share = 0.25, .error = {50, 0.1, 0.3}}};
  out.collectives = {{"all_reduce",
                      "nccl",
                      8 * microsecond,
                      1 * microsecond,
                      50 * gigabyte_per_second,
                      8,
                      {20, 0.1, 0.2}}};
  return out;
}

// Trust: 7 x 19 = 133 tiles of 128 x 128 on 132 units are 2 waves: 133/264.
TEST(Efficiency, CountsWavesOfTiles) {
  Inputs in = product(7 * 128, 19 * 128, 8192);
  in.units = 132;
  const auto out = answer(in);
  EXPECT_DOUBLE_EQ(factor(out, Cause::tile), 1);
  EXPECT_DOUBLE_EQ(factor(out, Cause::wave), 133.0 / 264);
  EXPECT_NEAR(out.output.efficiency_fraction, 0.504, 0.0005);
  EXPECT_EQ(out.output.basis, physics::Basis::datasheet);
}

// 900 of 8 x 128 rows: 0.87890625; half of the rate is asked for: 0.439453125.
TEST(Efficiency, CountsWhatTilesWaste) {
  Inputs in = product(900, 12800, 8192);
  in.setting.efficiency = 0.5;
  const auto out = answer(in);
  EXPECT_DOUBLE_EQ(factor(out, Cause::tile), 0.87890625);
  EXPECT_DOUBLE_EQ(factor(out, Cause::kernel), 0.5);
  EXPECT_DOUBLE_EQ(out.output.efficiency_fraction, 0.439453125);
  EXPECT_EQ(out.output.basis, physics::Basis::estimate);
}

// One row of 4096 x 4096 in 16 bits: 33.57 MB at 4 TB/s = 8.39 us against 33.6 ns of arithmetic.
TEST(Efficiency, SaysThatMemoryBinds) {
  const auto out = answer(product(1, 4096, 4096));
  const double bytes = 2 * (4096.0 * 4096 + 2 * 4096);
  EXPECT_NEAR(out.output.time.base(), bytes / 4e12, 1e-15);
  EXPECT_NEAR(factor(out, Cause::memory), 128 * 2 * 4096.0 * 4096 / 1e15 / (bytes / 4e12), 1e-12);
}

// 2 x 4096^3 at 500 TFLOP/s = 274.88 us and 5 us to launch; the bounds are 1/1.2 and 1/0.8 of it.
TEST(Efficiency, TakesCurvesWhereThereAreSome) {
  const Kernels kernels = curves();
  Inputs in = product(4096, 4096, 4096);
  in.kernels = &kernels;
  const auto out = answer(in);
  const double busy = 2 * std::pow(4096, 3) / 500e12, T = busy + 5e-6;
  EXPECT_NEAR(out.output.time.base(), T, 1e-12);
  EXPECT_NEAR(out.output.efficiency_fraction, busy / 2 / T, 1e-12);
  EXPECT_NEAR(factor(out, Cause::launch), busy / T, 1e-12);
  EXPECT_EQ(out.output.basis, physics::Basis::calibrated);
  EXPECT_EQ(*out.output.fit_rows, 100);
  ASSERT_EQ(out.output.interval.size(), 2U);
  EXPECT_DOUBLE_EQ(out.output.interval[0], out.output.efficiency_fraction / 1.2);
  EXPECT_DOUBLE_EQ(out.output.interval[1], out.output.efficiency_fraction / 0.8);
  in.setting.efficiency = 0.5;
  EXPECT_EQ(answer(in).output.basis, physics::Basis::estimate);
  EXPECT_TRUE(answer(in).output.interval.empty());
}

TEST(Efficiency, FactorsMultiplyToTheWhole) {
  const Kernels kernels = curves();
  for (const Kernels* given : {static_cast<const Kernels*>(nullptr), &kernels}) {
    for (const Operator what : {Operator::gemm, Operator::attention, Operator::norm, Operator::conv,
                                Operator::collective}) {
      Inputs in = product(300, 5000, 700);
      in.what = what;
      in.kernels = given;
      in.units = 132;
      in.heads = 32;
      in.kv_heads = 8;
      in.seq_len = 1000;
      in.bytes = 1e6 * byte;
      in.ranks = 8;
      in.link_bandwidth = 100 * gigabyte_per_second;
      const auto out = answer(in);
      double whole = 1;
      for (const Loss& loss : out.rows) whole *= loss.factor;
      EXPECT_NEAR(whole, out.output.efficiency_fraction, 1e-12);
      EXPECT_GT(whole, 0);
      EXPECT_LE(whole, 1);
    }
  }
}

// Trust: it grows to the curve's plateau.
TEST(Efficiency, GrowsWithSizeToItsPlateau) {
  const Kernels kernels = curves();
  double last = 0;
  for (std::int64_t size = 128; size <= 32768; size *= 2) {
    Inputs in = product(size, size, size);
    in.kernels = &kernels;
    const double e = answer(in).output.efficiency_fraction;
    EXPECT_GT(e, last);
    last = e;
  }
  EXPECT_NEAR(last, 0.5, 0.001);
}

// 8 tiles a row: 36 tiles of 128^2 of 32 heads of 128, 4 x 128 FLOP each, at 250 TFLOP/s.
TEST(Efficiency, TimesAttentionByItsOwnCurve) {
  const Kernels kernels = curves();
  Inputs in = product(1, 1, 1);
  in.what = Operator::attention;
  in.kernels = &kernels;
  in.heads = 32;
  in.seq_len = 1024;
  const auto out = answer(in);
  EXPECT_NEAR(out.output.time.base(), 10e-6 + 32 * 36 * 4 * std::pow(128, 3) / 250e12, 1e-12);
  EXPECT_DOUBLE_EQ(factor(out, Cause::tile), 1024.0 * 1025 / 2 / (36 * 128 * 128));
}

// 8 us and 7 of 1 us; 2 x 7/8 of 100 MB at 50 GB/s = 3.5 ms, of a link of 100 GB/s.
TEST(Efficiency, TimesCollectivesByTheirCurve) {
  const Kernels kernels = curves();
  Inputs in = product(1, 1, 1);
  in.what = Operator::collective;
  in.kernels = &kernels;
  in.bytes = 100e6 * byte;
  in.ranks = 8;
  in.link_bandwidth = 100 * gigabyte_per_second;
  EXPECT_NEAR(answer(in).output.time.base(), 3.515e-3, 1e-9);
  EXPECT_NEAR(factor(answer(in), Cause::kernel), 0.5, 1e-12);
  in.ranks = 16;  // more than were measured: 2 x 15/16 of 100 MB on the link
  EXPECT_NEAR(answer(in).output.time.base(), 1.875e-3, 1e-9);
  EXPECT_EQ(answer(in).output.basis, physics::Basis::datasheet);
}

// 50 GB/s to the host, and no links of their own.
TEST(Efficiency, DevicesWithoutLinksMeetOverTheHost) {
  Inputs in = product(1, 1, 1);
  in.what = Operator::collective;
  in.bytes = 100e6 * byte;
  in.ranks = 2;
  EXPECT_NEAR(answer(in).output.time.base(), 2e-3, 1e-12);
  in.hardware.host_link.reset();
  EXPECT_EQ(check(in).error().where, "link_bandwidth");
}

TEST(Efficiency, NamesWhatIsMissing) {
  Inputs in = product(1, 1, 1);
  in.k.reset();
  EXPECT_EQ(check(in).error().where, "k");
  in.what = Operator::attention;
  EXPECT_EQ(check(in).error().where, "heads");
  in.heads = 32;
  in.seq_len = 1;
  in.kv_heads = 5;
  EXPECT_EQ(check(in).error().where, "kv_heads");
  in.what = Operator::collective;
  in.kv_heads = 8;
  EXPECT_EQ(check(in).error().where, "bytes");
  in = product(1, 1, 1);
  in.setting.precision = Precision::int4;
  EXPECT_EQ(check(in).error().where, "precision");
}

}  // namespace
}  // namespace ridgeline::solve::efficiency
