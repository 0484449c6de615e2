#include "ridgeline/solve/decode_bound.h"

#include <gtest/gtest.h>

#include "tests/support/solver_inputs.h"

namespace ridgeline::solve::decode_bound {
namespace {

Inputs llama(std::int64_t batch) {
  Inputs in{.model = testing::llama_70b_totals(), .hardware = testing::h100()};
  in.setting = testing::flat(1);
  in.setting.precision = Precision::fp16;
  in.batch_size = batch;
  return in;
}

// 141.2 GB/3.35 TB/s = 42.149 ms against 8 x 141.2 GFLOP/989 TFLOP/s = 1.142 ms.
TEST(DecodeBound, MatchesAHandWorkedCase) {
  const Output out = solve(llama(8));
  EXPECT_NEAR(out.memory.base(), 42.149254e-3, 1e-9);
  EXPECT_NEAR(out.compute.base(), 1.142164e-3, 1e-9);
  EXPECT_NEAR(out.memory_share_fraction, 42.149254 / 43.291418, 1e-7);
  EXPECT_DOUBLE_EQ(out.intensity_flop_per_byte, 8);
  EXPECT_NEAR(out.attainable.base(), 8 * 3.35e12, 1);
  EXPECT_EQ(out.bound, physics::TimeBound::memory);
}

// Trust: R b_w/(2 BW) = 989e12/3.35e12 = 295.2: 295 is bound by memory, 296 by arithmetic.
TEST(DecodeBound, KeepsItsTrustStatement) {
  EXPECT_NEAR(solve(llama(1)).crossover_batch, 989.0 / 3.35, 1e-9);
  EXPECT_EQ(solve(llama(295)).bound, physics::TimeBound::memory);
  EXPECT_EQ(solve(llama(296)).bound, physics::TimeBound::compute);
}

TEST(DecodeBound, TensorParallelismDividesBoth) {
  Inputs in = llama(8);
  in.tp = 4;
  EXPECT_DOUBLE_EQ(solve(in).memory.base(), solve(llama(8)).memory.base() / 4);
  EXPECT_DOUBLE_EQ(solve(in).compute.base(), solve(llama(8)).compute.base() / 4);
}

// Two of eight experts for one token: 12.9e9 of 46.7e9 parameters are read.
TEST(DecodeBound, ReadsTheExpertsThatATokenMeets) {
  Inputs in{.model = testing::mixtral_totals(), .hardware = testing::h100()};
  in.setting = testing::flat(1);
  EXPECT_NEAR(solve(in).memory.base(), 2 * 12.9e9 / 3.35e12, 1e-12);
}

}  // namespace
}  // namespace ridgeline::solve::decode_bound
