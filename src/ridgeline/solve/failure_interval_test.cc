#include "ridgeline/solve/failure_interval.h"

#include <gtest/gtest.h>

namespace ridgeline::solve::failure_interval {
namespace {

Output answer(const Inputs& in) {
  const auto checked = check(in);
  EXPECT_TRUE(checked.has_value()) << (checked ? "" : checked.error().message);
  return solve(*checked);
}

// 1.8e8 s over 1e4 parts: 18 000 s; in 30 days 2 592 000/18 000 = 144 stops, 4.8 a day.
TEST(FailureInterval, MatchesTheWorkedExample) {
  const Output out =
      answer({.n_components = 10'000, .component_mtbf = 1.8e8 * second, .run_duration = 30 * day});
  EXPECT_DOUBLE_EQ(out.mtbf.base(), 18'000);
  EXPECT_DOUBLE_EQ(*out.expected_failures, 144);
  EXPECT_DOUBLE_EQ(out.failures_per_day, 4.8);
}

// Trust: 419 stops of 16 384 devices in 54 days [grattafiori2024]: 3.09 h between two.
TEST(FailureInterval, KeepsItsTrustStatement) {
  const Output out =
      answer({.n_components = 16'384, .observed_failures = 419, .run_duration = 54 * day});
  EXPECT_NEAR(out.mtbf.in(hour), 3.09, 5e-3);
  EXPECT_NEAR(out.component_mtbf / out.mtbf, 16'384, 1e-9);
  EXPECT_NEAR(*out.expected_failures, 419, 1e-9);
}

TEST(FailureInterval, RejectsWhatHasNoMeaning) {
  EXPECT_EQ(check({}).error().where, "component_mtbf");
  EXPECT_EQ(check({.observed_failures = 3}).error().where, "run_duration");
  EXPECT_EQ(check({.n_components = 0, .component_mtbf = 1 * day}).error().where, "n_components");
  EXPECT_EQ(check({.component_mtbf = 1 * day, .observed_failures = 3}).error().where,
            "observed_failures");
}

}  // namespace
}  // namespace ridgeline::solve::failure_interval
