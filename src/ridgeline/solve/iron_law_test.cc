#include "ridgeline/solve/iron_law.h"

#include <gtest/gtest.h>

namespace ridgeline::solve::iron_law {
namespace {

// 4, 1 and 0.5 ms, memory twice as fast: 5.5 -> 3.5, 4.5 -> 2.5 ms.
TEST(IronLaw, MatchesAHandWorkedCase) {
  const Output out = solve({.memory_time = 4 * millisecond,
                            .compute_time = 1 * millisecond,
                            .overhead = 0.5 * millisecond,
                            .memory_speedup = 2});
  EXPECT_DOUBLE_EQ(out.sequential_time.base(), 5.5e-3);
  EXPECT_DOUBLE_EQ(out.overlapped_time.base(), 4.5e-3);
  EXPECT_DOUBLE_EQ(out.upgraded_sequential_time.base(), 3.5e-3);
  EXPECT_DOUBLE_EQ(out.upgraded_overlapped_time.base(), 2.5e-3);
}

// Arithmetic is hidden under memory: making it faster gains nothing but in sequence.
TEST(IronLaw, KeepsItsTrustStatement) {
  for (const double c : {0.0, 1.0, 4.0, 9.0}) {
    const Output out = solve({.memory_time = 4 * millisecond,
                              .compute_time = c * millisecond,
                              .overhead = 1 * millisecond,
                              .compute_speedup = 3});
    EXPECT_LE(out.overlapped_time, out.sequential_time);
    EXPECT_EQ(out.upgraded_overlapped_time<out.overlapped_time, c> 4);
  }
}

}  // namespace
}  // namespace ridgeline::solve::iron_law
