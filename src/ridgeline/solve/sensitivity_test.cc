#include "ridgeline/solve/sensitivity.h"

#include <gtest/gtest.h>

#include "tests/support/solver_inputs.h"

namespace ridgeline::solve::sensitivity {
namespace {

// 8.03e9 parameters in 16 bits at 3.35 TB/s: 4.794 ms of memory, and 0.33 ms.
Inputs llama(std::int64_t batch = 1) {
  Inputs in;
  in.pass.model = testing::llama_8b_totals();
  in.pass.hardware = testing::h100();
  in.pass.setting = testing::flat(0.5);
  in.pass.setting.attention_count = physics::AttentionCount::none;
  in.pass.setting.step_overhead = 0.33 * millisecond;
  in.pass.batch_size = batch;
  return in;
}

double elasticity(const Answer<Output, Knob>& answer, std::string_view path) {
  for (const Knob& knob : answer.rows) {
    if (knob.path.view() == path) return knob.elasticity;
  }
  ADD_FAILURE() << path;
  return 0;
}

// 4.794/1.1 + 0.33 over 5.124: -0.08505.
TEST(Sensitivity, MatchesAHandWorkedCase) {
  const auto answer = solve(*check(llama()));
  EXPECT_NEAR(*answer.output.change_memory_bandwidth_fraction, -0.08505, 1e-5);
  EXPECT_EQ(*answer.output.change_peak_flops_fraction, 0);
  EXPECT_EQ(answer.output.binding.view(), "memory_bandwidth");
}

// Trust: the rates' elasticities sum to minus what is not overhead, in the limit; unused inputs 0.
TEST(Sensitivity, KeepsItsTrustStatement) {
  for (const std::int64_t batch : {1, 3000}) {
    Inputs in = llama(batch);
    in.perturbation_fraction = 1e-6;
    const auto answer = solve(*check(in));
    const double overhead = 0.33e-3 / answer.output.baseline_latency.base();
    EXPECT_NEAR(elasticity(answer, "peak_flops") + elasticity(answer, "memory_bandwidth"),
                -(1 - overhead), 1e-6);
    EXPECT_EQ(elasticity(answer, "hardware/host_link"), 0);
  }
}

// At a batch of thousands arithmetic binds: the batch is free.
TEST(Sensitivity, FollowsTheBatch) {
  EXPECT_EQ(solve(*check(llama(3000))).output.binding.view(), "peak_flops");
}

TEST(Sensitivity, MovesAnyNumberByItsPath) {
  Inputs in = llama();
  in.paths = {"step_overhead", "model/parameters_count", "hardware/memory_bandwidth"};
  const auto answer = solve(*check(in));
  ASSERT_EQ(answer.rows.size(), 3U);
  EXPECT_NEAR(elasticity(answer, "step_overhead"), 0.33 / 5.124, 1e-3);
  EXPECT_GT(elasticity(answer, "model/parameters_count"), 0.9);
  in.paths = {"hardware/colour"};
  EXPECT_EQ(check(in).error().where, "paths");
}

TEST(Sensitivity, SaysThatMemoryBindsWhatDoesNotFit) {
  Inputs in = llama();
  in.pass.model = testing::llama_70b_totals();
  const Output out = solve(*check(in)).output;
  EXPECT_FALSE(out.feasible);
  EXPECT_EQ(out.binding.view(), "memory_capacity");
  EXPECT_GT(out.shortfall.base(), 0);
}

TEST(Sensitivity, RefusesToMoveByNothingOrAll) {
  for (const double x : {0.0, 1.0, -0.1}) {
    Inputs in = llama();
    in.perturbation_fraction = x;
    EXPECT_EQ(check(in).error().where, "perturbation_fraction");
  }
}

}  // namespace
}  // namespace ridgeline::solve::sensitivity
