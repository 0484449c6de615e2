#include "ridgeline/base/random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ridgeline {
namespace {

// Known answers of philox4x32 with ten rounds, published with Random123 [salmon2011].
TEST(Random, PhiloxGivesItsPublishedAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (RandomBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (RandomBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (RandomBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// Mean and variance of a uniform number are 1/2 and 1/12, of a normal one 0 and 1. The standard
// error of a mean of n is sqrt(variance/n); of a variance sqrt((kurtosis - 1)/n) of it: 0.9, 1.4
// over sqrt(n). Five of them: n = 1e5 gives 0.0046, 0.0012, 0.016 and 0.022.
TEST(Random, HasTheMomentsOfItsDistribution) {
  constexpr int kDraws = 100'000;
  double sum = 0, squares = 0, normal_sum = 0, normal_squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double u = uniform_pair(7, 3, static_cast<std::uint64_t>(i)).first;
    const double z = standard_normal(7, 4, static_cast<std::uint64_t>(i));
    ASSERT_GT(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
    squares += (u - 0.5) * (u - 0.5);
    normal_sum += z;
    normal_squares += z * z;
  }
  EXPECT_NEAR(sum / kDraws, 0.5, 0.0046);
  EXPECT_NEAR(squares / kDraws, 1.0 / 12, 0.0012);
  EXPECT_NEAR(normal_sum / kDraws, 0, 0.016);
  EXPECT_NEAR(normal_squares / kDraws, 1, 0.022);
}

TEST(Random, DependsOnSeedStreamAndPlace) {
  const double here = uniform_pair(1, 2, 3).first;
  EXPECT_EQ(uniform_pair(1, 2, 3).first, here);
  EXPECT_NE(uniform_pair(2, 2, 3).first, here);
  EXPECT_NE(uniform_pair(1, 3, 3).first, here);
  EXPECT_NE(uniform_pair(1, 2, 4).first, here);
}

}  // namespace
}  // namespace ridgeline
