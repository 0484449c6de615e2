#include "ridgeline/validate/findings.h"

#include <gtest/gtest.h>

namespace ridgeline::validate {
namespace {

Prediction row(double measured, double predicted) {
  return {"r", {"a/b", "a/all"}, "time", measured, predicted};
}

// Errors +0.1, -0.2, +0.3: |.| median 0.2, mean 0.2, p90 0.2 + 0.8 x 0.1; bias 0.2/3.
TEST(Findings, ScoresEachClassAndQuantity) {
  Findings findings;
  findings.predictions = {row(10, 11), row(10, 8), row(10, 13)};
  findings.skipped = {{"s", {"a/b", "a/all"}, "time", "no time"}, {"t", {"c"}, "other", "unknown"}};
  const std::vector<Score> scores = scores_of(findings);
  ASSERT_EQ(scores.size(), 3U);
  EXPECT_EQ(scores[0].row_class, "a/all");
  const Score& s = scores[1];
  EXPECT_EQ(s.row_class, "a/b");
  EXPECT_EQ(s.rows, 3);
  EXPECT_EQ(s.skipped, 1);
  EXPECT_NEAR(s.median_abs_error, 0.2, 1e-12);
  EXPECT_NEAR(s.mean_abs_error, 0.2, 1e-12);
  EXPECT_NEAR(s.p90_abs_error, 0.28, 1e-12);
  EXPECT_NEAR(s.bias, 0.2 / 3, 1e-12);
  EXPECT_LT(s.interval_coverage, 0);
  EXPECT_EQ(scores[2].row_class, "c");
  EXPECT_EQ(scores[2].rows, 0);
  EXPECT_DOUBLE_EQ(scores[2].skipped_share(), 1);
}

// Measured over predicted 1, 2, ... 21, the interval of each from the other 20: with it left out
// the 10th percentile is rank 1.9 and the 90th rank 17.1 of 0..19. Left out 1: 3.9 is above it; 2:
// [2.9, ..] is above; 3: of 1, 2, 4, ..: 2 + 0.9 x 2 = 3.8 is above; from the top 19, 20 and 21 the
// same way. 15 of 21 lie inside.
TEST(Findings, IntervalsLeaveTheRowItselfOut) {
  Findings findings;
  for (int i = 1; i <= 21; ++i) findings.predictions.push_back(row(i, 1));
  EXPECT_NEAR(scores_of(findings)[0].interval_coverage, 15.0 / 21, 1e-12);
  findings.predictions.pop_back();
  EXPECT_LT(scores_of(findings)[0].interval_coverage, 0);
}

TEST(Findings, QuantilesAreLinearBetweenRanks) {
  EXPECT_DOUBLE_EQ(quantile({3}, 0.9), 3);
  EXPECT_DOUBLE_EQ(quantile({1, 3}, 0.25), 1.5);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 2, 3}, 0.5), 2.5);
}

TEST(Findings, AZeroThatIsPredictedIsNoError) {
  EXPECT_EQ(row(0, 0).error(), 0);
}

}  // namespace
}  // namespace ridgeline::validate
