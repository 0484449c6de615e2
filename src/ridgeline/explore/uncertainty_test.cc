#include "ridgeline/explore/uncertainty.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ridgeline::explore {
namespace {

// out = a x + b y
Sampled sum_of(const std::vector<Distribution>& inputs, double a, double b,
               const Sampling& sampling) {
  return sample(inputs, 1, sampling, 1e-7,
                [&](std::size_t, std::span<const double> in, std::span<double> out) {
                  out[0] = a * in[0] + b * in[1];
                  return true;
                });
}

const Distribution kStandard{Shape::normal, 0, 1, {}};

// The sum of normals 3 x + 4 y is normal with deviation 5: p5 = -1.6449 x 5 = -8.2243, p95 the
// same above. Standard error of a 5th percentile: sqrt(0.05 x 0.95/n)/density, density 0.10314/5:
// 0.0334 at n = 1e5; of the median sqrt(1/4/n)/(0.39894/5) = 0.0198; of the mean 5/sqrt(n) =
// 0.0158. Five of each are allowed.
TEST(Uncertainty, MeetsThePercentilesOfAClosedForm) {
  const Sampled got = sum_of({kStandard, kStandard}, 3, 4, {.samples = 100'000, .seed = 11});
  const Spread& s = got.outputs[0];
  EXPECT_EQ(s.count, 100'000U);
  EXPECT_NEAR(s.p5, -8.2243, 0.167);
  EXPECT_NEAR(s.p95, 8.2243, 0.167);
  EXPECT_NEAR(s.p50, 0, 0.099);
  EXPECT_NEAR(s.mean, 0, 0.079);
}

// Pearson's r with x is 3/5; of normals the rank correlation is 6/pi asin(r/2) = 0.5823, with y
// (0.8) 0.7859; squared 0.339 and 0.618. The standard error is below 1/sqrt(n) = 0.0032.
TEST(Uncertainty, SharesTheSpreadAmongInputs) {
  const Sampled got = sum_of({kStandard, kStandard}, 3, 4, {.samples = 100'000, .seed = 12});
  EXPECT_NEAR(*got.outputs[0].correlations[0], 0.5823, 0.016);
  EXPECT_NEAR(*got.outputs[0].correlations[1], 0.7859, 0.016);
  const Sampled falls = sum_of({kStandard, kStandard}, -1, 0, {.samples = 1000});
  EXPECT_NEAR(*falls.outputs[0].correlations[0], -1, 1e-12);
}

TEST(Uncertainty, ZeroSpreadIsTheCentralValueToTheBit) {
  const std::vector<Distribution> exact = {{Shape::lognormal, 0.1, 0, {}},
                                           {Shape::uniform, 0.7, 0.7, {}}};
  const Sampled got = sum_of(exact, 1, 1, {.samples = 1001});
  const double plain = 1 * central(exact[0]) + 1 * central(exact[1]);
  for (const double value :
       {got.outputs[0].p5, got.outputs[0].p50, got.outputs[0].p95, got.outputs[0].mean}) {
    EXPECT_EQ(value, plain);
  }
  EXPECT_FALSE(got.outputs[0].correlations[0].has_value());
}

TEST(Uncertainty, DoesNotDependOnThreads) {
  const std::vector<Distribution> inputs = {{Shape::uniform, 1, 2, {}},
                                            {Shape::choice, 0, 0, {3, 5, 9}}};
  const Sampled one = sum_of(inputs, 1, 1, {.samples = 20'000, .seed = 5, .threads = 1});
  for (const int threads : {2, 7}) {
    const Sampled many = sum_of(inputs, 1, 1, {.samples = 20'000, .seed = 5, .threads = threads});
    EXPECT_EQ(many.outputs[0].mean, one.outputs[0].mean);
    EXPECT_EQ(many.outputs[0].p95, one.outputs[0].p95);
    EXPECT_EQ(many.outputs[0].correlations, one.outputs[0].correlations);
  }
  const Sampled other = sum_of(inputs, 1, 1, {.samples = 20'000, .seed = 6, .threads = 1});
  EXPECT_NE(other.outputs[0].mean, one.outputs[0].mean);
}

// A lognormal of median 10 and sigma 0.5: p95 = 10 e^(1.6449 x 0.5) = 22.76, mean 10 e^0.125 =
// 11.33. Five standard errors at n = 1e5, sqrt(p(1 - p)/n)/density: 0.099 of p50, 0.38 of p95; of
// the mean 5 x 6.04/sqrt(n) = 0.095.
TEST(Uncertainty, LognormalIsGivenByItsMedian) {
  const Sampled got =
      sum_of({{Shape::lognormal, 10, 0.5, {}}, kStandard}, 1, 0, {.samples = 100'000, .seed = 3});
  EXPECT_NEAR(got.outputs[0].p50, 10, 0.1);
  EXPECT_NEAR(got.outputs[0].p95, 22.76, 0.38);
  EXPECT_NEAR(got.outputs[0].mean, 11.33, 0.11);
}

TEST(Uncertainty, LeavesOutWhatHasNoMeaning) {
  const Sampled got = sample(std::vector{kStandard}, 1, {.samples = 10'000}, 1e-7,
                             [](std::size_t, std::span<const double> in, std::span<double> out) {
                               out[0] = std::sqrt(in[0]);
                               return in[0] >= 0;
                             });
  EXPECT_NEAR(static_cast<double>(got.rejected), 5000, 250);  // five standard errors of 50
  EXPECT_EQ(got.rejected + got.outputs[0].count, 10'000U);
}

}  // namespace
}  // namespace ridgeline::explore
