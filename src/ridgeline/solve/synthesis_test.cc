#include "ridgeline/solve/synthesis.h"

#include <gtest/gtest.h>

#include "tests/support/solver_inputs.h"

namespace ridgeline::solve::synthesis {
namespace {

Inputs llama(double milliseconds) {
  Inputs in{.model = testing::llama_70b_totals(), .setting = testing::flat(0.5)};
  in.setting.attention_count = physics::AttentionCount::none;
  in.target_latency = milliseconds * millisecond;
  return in;
}

// 141.2 GB in 50 ms: 2.824 TB/s; 141.2 GFLOP at half the peak: 5.648 TFLOP/s.
TEST(Synthesis, MatchesAHandWorkedCase) {
  const Output out = solve(llama(50)).output;
  EXPECT_DOUBLE_EQ(out.required_bandwidth->base(), 2.824e12);
  EXPECT_DOUBLE_EQ(out.required->base(), 5.648e12);
  EXPECT_DOUBLE_EQ(out.required_memory.base(), 141.2e9);
  EXPECT_DOUBLE_EQ(*out.balance_flop_per_byte, 2);
}

// Trust: a device of just these rates takes the target's time.
TEST(Synthesis, KeepsItsTrustStatement) {
  for (const std::int64_t batch : {1, 64, 1000}) {
    Inputs in = llama(50);
    in.batch_size = batch;
    in.setting.step_overhead = 1 * millisecond;
    const Output out = solve(in).output;
    Hardware device = testing::round_device();
    device.rates.fill(*out.required);
    device.memory_bandwidth = out.required_bandwidth;
    device.memory_capacity = out.required_memory;
    const single_node::Inputs pass{
        .model = in.model, .hardware = device, .setting = in.setting, .batch_size = batch};
    EXPECT_NEAR(single_node::solve(pass).latency.base(), 0.050, 1e-15);
    EXPECT_TRUE(single_node::solve(pass).feasible);
  }
}

// Overheads alone take longer than the target.
TEST(Synthesis, SaysWhenNoDeviceCould) {
  Inputs in = llama(1);
  in.setting.step_overhead = 2 * millisecond;
  const Output out = solve(in).output;
  EXPECT_FALSE(out.feasible);
  EXPECT_EQ(out.reason, Reason::overhead);
  EXPECT_FALSE(out.required_bandwidth);
}

TEST(Synthesis, ListsCandidatesByPrice) {
  Inputs in = llama(50);
  Hardware big = testing::round_device();
  big.memory_capacity = 200 * gigabyte;
  Hardware dear = big;
  dear.unit_cost = 40'000 * dollar;
  Hardware unpriced = big;
  unpriced.unit_cost.reset();
  in.candidates = {
      {"unpriced", unpriced}, {"dear", dear}, {"small", testing::round_device()}, {"cheap", big}};
  const auto answer = solve(in);
  ASSERT_EQ(answer.rows.size(), 3U);
  EXPECT_EQ(answer.rows[0].name.view(), "cheap");
  EXPECT_EQ(answer.rows[1].name.view(), "dear");
  EXPECT_EQ(answer.rows[2].name.view(), "unpriced");
  EXPECT_EQ(answer.output.candidates_count, 4);
}

TEST(Synthesis, RefusesWhatHasNoMeaning) {
  EXPECT_EQ(check(llama(0)).error().where, "target_latency");
}

}  // namespace
}  // namespace ridgeline::solve::synthesis
