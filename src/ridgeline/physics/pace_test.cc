#include "ridgeline/physics/pace.h"

#include <gtest/gtest.h>

#include "tests/support/solver_inputs.h"

namespace ridgeline::physics {
namespace {

using testing::flat;

TEST(Pace, FlatSettingIsIdealInWhatItLeavesOut) {
  Hardware hw = testing::round_device();
  hw.sustained.compute = 0.7;
  hw.sustained.memory = 0.8;
  hw.sustained.layer_overhead = 10 * microsecond;
  const Pace given = pace_of(hw, flat(0.5), Precision::bf16);
  EXPECT_DOUBLE_EQ(given.rate.base(), 5e14);
  EXPECT_DOUBLE_EQ(given.bandwidth.base(), 4e12);
  EXPECT_DOUBLE_EQ(given.overhead(32).base(), 0);
  const Pace measured = pace_of(hw, {}, Precision::bf16);
  EXPECT_DOUBLE_EQ(measured.rate.base(), 7e14);
  EXPECT_DOUBLE_EQ(measured.bandwidth.base(), 3.2e12);
  EXPECT_DOUBLE_EQ(measured.overhead(32).base(), 320e-6);
  EXPECT_DOUBLE_EQ(pace_of(testing::round_device(), {}, Precision::bf16).rate.base(), 1e15);
}

TEST(Pace, BasisSaysWhereEfficienciesComeFrom) {
  Hardware hw = testing::round_device();
  EXPECT_EQ(basis_of(hw, flat(0.5)), Basis::estimate);
  EXPECT_EQ(basis_of(hw, {}), Basis::datasheet);
  hw.sustained.compute = 0.7;
  EXPECT_EQ(basis_of(hw, {}), Basis::estimate);
  hw.sustained.measured = true;
  EXPECT_EQ(basis_of(hw, {}), Basis::calibrated);
}

// Shares by number format: fp8 reaches half of its peak, attention a quarter of the 16-bit one; the
// rest 0.7 of theirs. 3e12 FLOP of which 1e12 are attention: 2e12/1e15 + 1e12/0.25e15 s.
TEST(Pace, MeasuredSharesFollowFormatAndOperation) {
  Hardware hw = testing::round_device();
  hw.sustained.compute = 0.7;
  hw.sustained.memory = 0.9;
  hw.sustained.compute_at[static_cast<std::size_t>(Precision::fp8)] = 0.5;
  hw.sustained.memory_at[static_cast<std::size_t>(Precision::int4)] = 0.6;
  hw.sustained.attention = 0.25;
  const Pace fp8 = pace_of(hw, {}, Precision::fp8);
  EXPECT_DOUBLE_EQ(fp8.rate.base(), 1e15);
  EXPECT_DOUBLE_EQ(fp8.compute_time(Flops::from_base(3e12), Flops::from_base(1e12)).base(),
                   2e-3 + 4e-3);
  EXPECT_DOUBLE_EQ(pace_of(hw, {}, Precision::bf16).rate.base(), 0.7e15);
  Setting narrow;
  narrow.precision = Precision::int4;
  EXPECT_DOUBLE_EQ(pace_of(hw, narrow, Precision::bf16).bandwidth.base(), 2.4e12);
  const Pace flat_pace = pace_of(hw, flat(0.5), Precision::fp8);
  EXPECT_EQ(flat_pace.rate, flat_pace.attention_rate);
}

TEST(Pace, TiesAreBrokenInOrder) {
  const Seconds one = 1 * second;
  EXPECT_EQ((StepTime{one, one, one, one}).bound(), TimeBound::compute);
  EXPECT_EQ((StepTime{Seconds{}, one, one, one}).bound(), TimeBound::memory);
  EXPECT_EQ((StepTime{Seconds{}, Seconds{}, one, one}).bound(), TimeBound::network);
  EXPECT_EQ((StepTime{Seconds{}, Seconds{}, Seconds{}, one}).bound(), TimeBound::overhead);
  EXPECT_DOUBLE_EQ((StepTime{one, 2 * one, one, one}).total().base(), 4);
}

// 700 W, idle share 0.3, u = 0.4: 700 x (0.3 + 0.7 x 0.4) = 406 W.
TEST(Pace, EnergyIsLinearInUtilization) {
  EXPECT_NEAR(energy_of(700 * watt, 0.3, 0.4, 1 * second).base(), 406, 1e-9);
  EXPECT_NEAR(energy_of(700 * watt, 0.3, 1, 1 * second).base(), 700, 1e-9);
}

TEST(Pace, UnnamedFormatFallsBackToTheDevices) {
  const Hardware hw = testing::round_device();  // has no fp4
  Totals totals = testing::round_7b();
  EXPECT_EQ(compute_precision(hw, totals, {}), Precision::bf16);
  EXPECT_EQ(compute_precision(hw, totals, {.precision = Precision::fp4}), Precision::fp4);
}

}  // namespace
}  // namespace ridgeline::physics
