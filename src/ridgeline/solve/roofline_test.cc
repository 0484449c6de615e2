#include "ridgeline/solve/roofline.h"

#include <gtest/gtest.h>

namespace ridgeline::solve::roofline {
namespace {

constexpr PerSecond per_second = PerSecond::from_base(1);

Output answer(const Inputs& in, const Subject& subject = {}) {
  const auto checked = check(in, subject);
  EXPECT_TRUE(checked.has_value());
  return solve(*checked);
}

// A decode step reads 4.68 GB: 273/4.68 = 58.33 and 1008/4.68 = 215.4 tokens/s.
TEST(Roofline, BoundsADecodeStepByItsBytes) {
  Inputs in;
  in.bytes = 4.68 * gigabyte;
  in.bandwidth = 273 * gigabyte_per_second;
  in.measured_rate = 6.203 * per_second;
  EXPECT_NEAR(answer(in).throughput->base(), 58.3, 0.1);
  EXPECT_NEAR(*answer(in).roofline_fraction, 0.1063, 1e-3);
  in.bandwidth = 1008 * gigabyte_per_second;
  in.measured_rate = 171.5 * per_second;
  EXPECT_NEAR(answer(in).throughput->base(), 215.4, 0.1);
  EXPECT_NEAR(*answer(in).roofline_fraction, 0.796, 1e-3);
  in = {.bytes = 17.2337 * gigabyte,
        .bandwidth = 936.2 * gigabyte_per_second,
        .measured_rate = 36.15 * per_second};
  EXPECT_NEAR(*answer(in).roofline_fraction, 0.665, 1e-3);
  EXPECT_FALSE(answer(in).compute.has_value());
}

// 2e12 FLOP at 1e12/s and 1e12 B at 4e12 B/s: 2 s against 0.25 s; ridge 0.25 FLOP/B.
TEST(Roofline, TakesTheLargerTime) {
  const Output out = answer({.flop = 2e12 * flop,
                             .bytes = 1e12 * byte,
                             .peak = 1.0 * teraflop_per_second,
                             .bandwidth = 4000 * gigabyte_per_second});
  EXPECT_DOUBLE_EQ(out.compute->in(second), 2);
  EXPECT_DOUBLE_EQ(out.memory->in(second), 0.25);
  EXPECT_DOUBLE_EQ(out.latency->in(second), 2);
  EXPECT_DOUBLE_EQ(*out.ridge_flop_per_byte, 0.25);
}

TEST(Roofline, TakesRatesFromTheMachine) {
  Machine machine;
  machine.device.peak[static_cast<std::size_t>(Precision::fp8)] = 100 * teraflop_per_second;
  machine.device.memory_bandwidth = 1000 * gigabyte_per_second;
  const Subject subject{nullptr, nullptr, &machine};
  const Output out = answer({.flop = 1e14 * flop, .precision = Precision::fp8}, subject);
  EXPECT_DOUBLE_EQ(out.latency->in(second), 1);
  EXPECT_EQ(check({.flop = 1e14 * flop}, subject).error().where, "precision");
}

// Trust: public measurements of decode steps stay below the bound; one above it would show.
TEST(Roofline, KeepsItsTrustStatement) {
  const struct {
    double bytes, bandwidth, rate;
  } kMeasured[] = {{4.68e9, 273e9, 6.203}, {4.68e9, 1008e9, 171.5}, {17.2337e9, 936.2e9, 36.15}};
  for (const auto& m : kMeasured) {
    const Output out = answer({.bytes = m.bytes * byte,
                               .bandwidth = BytesPerSecond::from_base(m.bandwidth),
                               .measured_rate = m.rate * per_second});
    EXPECT_LE(*out.roofline_fraction, 1);
  }
  const Output impossible = answer({.bytes = 1 * gigabyte,
                                    .bandwidth = 1 * gigabyte_per_second,
                                    .measured_rate = 2 * per_second});
  EXPECT_DOUBLE_EQ(*impossible.roofline_fraction, 2);
}

TEST(Roofline, RejectsWhatHasNoMeaning) {
  EXPECT_EQ(check({}, {}).error().where, "flop");
  EXPECT_EQ(check({.flop = 1 * flop}, {}).error().where, "peak");
  EXPECT_EQ(check({.bytes = 1 * byte}, {}).error().where, "bandwidth");
  EXPECT_EQ(check({.bytes = -1 * byte, .bandwidth = 1 * gigabyte_per_second}, {}).error().where,
            "bytes");
  EXPECT_EQ(check({.bytes = 1 * byte, .bandwidth = 0 * gigabyte_per_second}, {}).error().where,
            "bandwidth");
}

}  // namespace
}  // namespace ridgeline::solve::roofline
