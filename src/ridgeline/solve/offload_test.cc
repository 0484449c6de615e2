#include "ridgeline/solve/offload.h"

#include <gtest/gtest.h>

namespace ridgeline::solve::offload {
namespace {

// 7e9 parameters with Adam on 80 GB: 84 GB of states, 28 of weights and gradients, 20 stored.
Inputs training() {
  Inputs in;
  in.stage = 1 * second;
  in.host_link = 50 * gigabyte_per_second;
  in.optimizer = 84 * gigabyte;
  in.activations = 20 * gigabyte;
  in.weights = 14 * gigabyte;
  in.resident = 14 * gigabyte;
  in.memory_capacity = 80 * gigabyte;
  return in;
}

// 1 GB in a layer of 20 ms takes 50 GB/s; over 25 GB/s 40 ms, of which 20 show.
TEST(Offload, MatchesAHandWorkedCase) {
  Inputs in{.stage = 20 * millisecond, .moved = 1 * gigabyte};
  EXPECT_DOUBLE_EQ(solve(*check(in)).output.required_bandwidth.base(), 50e9);
  EXPECT_FALSE(solve(*check(in)).output.exposed);
  in.host_link = 25 * gigabyte_per_second;
  EXPECT_DOUBLE_EQ(solve(*check(in)).output.exposed->base(), 0.02);
}

// 132 GB in 80: 52 are short; of optimizer states they move 52/3 GB, 0.347 s, all hidden.
TEST(Offload, MovesOptimizerStatesFirst) {
  const auto answer = solve(*check(training()));
  EXPECT_DOUBLE_EQ(answer.output.shortfall.base(), 52e9);
  EXPECT_NEAR(answer.output.moved.base(), 52e9 / 3, 1);
  EXPECT_EQ(answer.output.exposed->base(), 0);
  ASSERT_EQ(answer.rows.size(), 3U);
  EXPECT_EQ(answer.rows[0].part, Part::optimizer);
  EXPECT_DOUBLE_EQ(answer.rows[0].device.base(), 32e9);
  EXPECT_EQ(answer.rows[1].host.base(), 0);
}

// 40 GB: 92 are short, 84 of states and 8 of activations: 28 + 16 GB over 10 GB/s, 4.4 s.
TEST(Offload, ThenActivations) {
  Inputs in = training();
  in.memory_capacity = 40 * gigabyte;
  in.host_link = 10 * gigabyte_per_second;
  const auto answer = solve(*check(in));
  EXPECT_DOUBLE_EQ(answer.rows[1].host.base(), 8e9);
  EXPECT_NEAR(answer.output.moved.base(), 44e9, 1);
  EXPECT_NEAR(answer.output.exposed->base(), 3.4, 1e-9);
}

// The host holds 30 of 52 GB: 22 go to flash, of which a third moves over 5 GB/s: 1.4667 s.
TEST(Offload, FlashTakesWhatTheHostCannotHold) {
  Inputs in = training();
  in.host_capacity = 30 * gigabyte;
  EXPECT_EQ(solve(*check(in)).output.reason, Reason::host_memory);
  in.flash_bandwidth = 5 * gigabyte_per_second;
  const Output out = solve(*check(in)).output;
  EXPECT_TRUE(out.feasible);
  EXPECT_DOUBLE_EQ(out.flash.base(), 22e9);
  EXPECT_NEAR(out.transfer->base(), 22.0 / 15, 1e-9);
}

// Trust: an infinite link costs nothing; no byte leaves that need not.
TEST(Offload, KeepsItsTrustStatement) {
  Inputs in = training();
  in.host_link = 1e9 * gigabyte_per_second;
  for (const double memory : {14.0, 40.0, 80.0, 131.0, 200.0}) {
    in.memory_capacity = memory * gigabyte;
    const Output out = solve(*check(in)).output;
    EXPECT_EQ(out.exposed->base(), 0);
    EXPECT_DOUBLE_EQ(out.freed.base(), out.shortfall.base());
  }
}

TEST(Offload, SaysWhatCannotFit) {
  Inputs in = training();
  in.memory_capacity = 10 * gigabyte;
  const Output out = solve(*check(in)).output;
  EXPECT_FALSE(out.feasible);
  EXPECT_EQ(out.reason, Reason::memory);
}

TEST(Offload, NamesWhatIsMissing) {
  EXPECT_EQ(check({}).error().where, "stage");
  EXPECT_EQ(check({.stage = 1 * second}).error().where, "moved");
  Inputs in = training();
  in.memory_capacity.reset();
  EXPECT_EQ(check(in).error().where, "memory_capacity");
  in.moved = 1 * gigabyte;
  EXPECT_EQ(check(in).error().where, "moved");
}

}  // namespace
}  // namespace ridgeline::solve::offload
