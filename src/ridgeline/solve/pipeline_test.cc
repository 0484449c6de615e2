#include "ridgeline/solve/pipeline.h"

#include <gtest/gtest.h>

#include <vector>

namespace ridgeline::solve::pipeline {
namespace {

using physics::Schedule;

std::vector<double> held(const Inputs& in) {
  std::vector<double> out;
  for (const Row& row : solve(in).rows) out.push_back(row.in_flight_micro_batches);
  return out;
}

TEST(Pipeline, FirstStageOf1F1BHoldsAsManyAsThereAreStages) {
  EXPECT_EQ(held({4, 16, 1, Schedule::one_f_one_b}), (std::vector<double>{4, 3, 2, 1}));
  EXPECT_EQ(held({4, 2, 1, Schedule::one_f_one_b}), (std::vector<double>{2, 2, 2, 1}));
  EXPECT_EQ(held({2, 8, 1, Schedule::gpipe}), (std::vector<double>{8, 8}));
  EXPECT_EQ(held({4, 8, 1, Schedule::dualpipe}), (std::vector<double>{5, 5, 5, 5}));
}

// Korthikanti: p (1 + (p - 1)/(p v)) = 8 (1 + 7/24) = 31/3 at the first of 8 stages with 3 chunks.
TEST(Pipeline, InterleavingHoldsMore) {
  EXPECT_NEAR(held({8, 64, 3, Schedule::interleaved})[0], 31.0 / 3, 1e-12);
  EXPECT_EQ(held({8, 64, 3, Schedule::one_f_one_b}), held({8, 64, 3, Schedule::interleaved}));
}

// p 4, m 32: 3/32 over ideal, 3/35 of the step. Two chunks halve the first.
TEST(Pipeline, CountsIdleSlots) {
  EXPECT_DOUBLE_EQ(solve({4, 32, 1, Schedule::one_f_one_b}).output.bubble_over_ideal_fraction,
                   3.0 / 32);
  EXPECT_DOUBLE_EQ(solve({4, 32, 1, Schedule::one_f_one_b}).output.bubble_fraction, 3.0 / 35);
  EXPECT_DOUBLE_EQ(solve({4, 32, 2, Schedule::interleaved}).output.bubble_over_ideal_fraction,
                   3.0 / 64);
  // Zero bubble 1P: (p - 1)(1 + 2 - 2)/(3 m) = 3/(3 x 32).
  EXPECT_DOUBLE_EQ(solve({4, 32, 1, Schedule::zb1p}).output.bubble_over_ideal_fraction, 1.0 / 32);
  // DualPipe: (4/2 - 1)(3 + 2 - 3)/(3 x 32).
  EXPECT_DOUBLE_EQ(solve({4, 32, 1, Schedule::dualpipe}).output.bubble_over_ideal_fraction,
                   2.0 / 96);
}

// Trust: slot by slot, of 1F1B with equal stages: every stage waits p - 1 of its v m + p - 1 slots.
TEST(Pipeline, KeepsItsTrustStatement) {
  for (std::int64_t p = 1; p <= 16; ++p) {
    for (std::int64_t m = 1; m <= 16; ++m) {
      const double slots = static_cast<double>(m + p - 1);
      EXPECT_NEAR(solve({p, m, 1, Schedule::one_f_one_b}).output.bubble_fraction,
                  static_cast<double>(p - 1) / slots, 1e-12);
    }
  }
}

TEST(Pipeline, RejectsWhatHasNoMeaning) {
  EXPECT_EQ(check({0, 1, 1, Schedule::gpipe}).error().where, "pp");
  EXPECT_EQ(check({1, 0, 1, Schedule::gpipe}).error().where, "microbatch_count");
  EXPECT_EQ(check({1, 1, 0, Schedule::gpipe}).error().where, "v_stages");
  EXPECT_EQ(check({4, 8, 2, Schedule::gpipe}).error().where, "v_stages");
}

}  // namespace
}  // namespace ridgeline::solve::pipeline
