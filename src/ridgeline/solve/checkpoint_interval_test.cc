#include "ridgeline/solve/checkpoint_interval.h"

#include <gtest/gtest.h>

namespace ridgeline::solve::checkpoint_interval {
namespace {

// delta 50, M 10 000: tau = sqrt(1e6) = 1000; 50/1000 + 1000/20 000 = 0.1.
TEST(CheckpointInterval, MatchesAHandWorkedCase) {
  const Output out = solve({50 * second, 10'000 * second});
  EXPECT_DOUBLE_EQ(out.interval.base(), 1000);
  EXPECT_DOUBLE_EQ(out.write_share_fraction, 0.05);
  EXPECT_DOUBLE_EQ(out.rework_share_fraction, 0.05);
  EXPECT_DOUBLE_EQ(out.waste_fraction, 0.1);
}

// Trust: equal shares, and no other interval wastes less.
TEST(CheckpointInterval, KeepsItsTrustStatement) {
  const Output out = solve({60 * second, 131835.9375 * second});
  EXPECT_DOUBLE_EQ(out.write_share_fraction, out.rework_share_fraction);
  for (double tau = 100; tau < 20'000; tau += 10) {
    EXPECT_LE(out.waste_fraction, 60 / tau + tau / (2 * 131835.9375) + 1e-15);
  }
}

TEST(CheckpointInterval, RejectsWhatHasNoMeaning) {
  EXPECT_EQ(check({Seconds{}, 1 * day}).error().where, "write_time");
  EXPECT_EQ(check({1 * second, -1 * day}).error().where, "mtbf");
}

}  // namespace
}  // namespace ridgeline::solve::checkpoint_interval
