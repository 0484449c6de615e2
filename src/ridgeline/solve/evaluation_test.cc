#include "ridgeline/solve/evaluation.h"

#include <gtest/gtest.h>

#include "ridgeline/solve/evaluation_levers.h"

namespace ridgeline::solve::evaluation {
namespace {

// Eight devices of 1e15 FLOP/s at half of it, a model of 1e9 parameters and 10 layers.
Inputs eight_devices() {
  Inputs in;
  in.model.params = 1e9;
  in.model.flop_per_unit = 2e9;
  in.model.layers = 10;
  in.model.hidden = 1000;
  in.model.heads = 10;
  in.machine.devices_per_node = 8;
  Hardware& device = in.machine.device;
  device.rates[static_cast<std::size_t>(Precision::bf16)] = 1000 * teraflop_per_second;
  device.memory_capacity = 1000 * gigabyte;
  device.memory_bandwidth = 1000 * gigabyte_per_second;
  device.tdp = 1000 * watt;
  in.machine.intra_node_bandwidth = 400 * gigabyte_per_second;
  in.site.pue = 1.25;
  return in;
}

Inputs training_plan() {
  Inputs in = eight_devices();
  distributed::Inputs& run = in.training.emplace().run;
  run.setting.efficiency = 0.5;
  run.batch_size = 64;
  run.seq_len = 1024;
  in.training->tokens = 1e12;
  return in;
}

Inputs serving_plan() {
  Inputs in = eight_devices();
  serving_capacity::Inputs& load = in.serving.emplace().load;
  load.service.setting.efficiency = 0.5;
  load.qps = 50;
  load.target_p99_latency = 60 * second;
  return in;
}

Output answer(const Inputs& in) {
  const auto checked = check(in);
  EXPECT_TRUE(checked) << (checked ? "" : checked.error().where + checked.error().message);
  return solve(*checked);
}

TEST(Evaluation, SaysWhatItsSolversSay) {
  const Inputs in = *check(training_plan());
  const distributed::Output step = distributed::solve(in.training->run).output;
  const Output out = solve(in);
  EXPECT_EQ(*out.performance.step, step.step);
  EXPECT_EQ(out.performance.mfu_fraction, step.mfu_fraction);
  EXPECT_EQ(out.memory.training, step.memory.total);
  const Inputs serves = *check(serving_plan());
  const serving_capacity::Output served = serving_capacity::solve(serves.serving->load);
  EXPECT_EQ(solve(serves).performance.replicas, served.required_replicas);
}

// Without failures and saves the run takes tokens over rate, and nothing else.
TEST(Evaluation, WithoutLossesTheWallTimeIsTheRunTime) {
  const Output out = answer(training_plan());
  EXPECT_EQ(out.reliability.wall_time, out.performance.run_time);
  EXPECT_DOUBLE_EQ(out.performance.run_time->base(), 1e12 / *out.performance.training_tokens_per_s);
}

TEST(Evaluation, TokensAndDurationFollowFromEachOther) {
  const Output by_tokens = answer(training_plan());
  Inputs in = training_plan();
  in.training->tokens.reset();
  in.training->duration = *by_tokens.reliability.wall_time;
  EXPECT_NEAR(*answer(in).tokens, 1e12, 1e3);
  in.training->duration.reset();
  EXPECT_EQ(check(in).error().where, "training/tokens_count");
}

TEST(Evaluation, AddsUpTrainingAndServing) {
  Inputs both = training_plan();
  both.serving = serving_plan().serving;
  const Output trains = answer(training_plan()), serves = answer(serving_plan()),
               all = answer(both);
  EXPECT_DOUBLE_EQ(all.energy.facility->base(),
                   (*trains.energy.facility + *serves.energy.facility).base());
  EXPECT_EQ(all.performance.devices, trains.performance.devices + serves.performance.devices);
  // Eight devices train; those that serve do not exist.
  EXPECT_FALSE(all.feasible);
  EXPECT_EQ(all.reason, Reason::devices);
}

TEST(Evaluation, MoreFailuresNeverShortenTheRun) {
  Inputs in = training_plan();
  reliability::Inputs& fails = in.reliability.emplace();
  fails.checkpoint_time = 10 * second;
  Seconds before;
  for (const double hours : {1000.0, 100.0, 10.0}) {
    fails.mtbf = hours * hour;
    const Output out = answer(in);
    EXPECT_GT(*out.reliability.wall_time, before);
    before = *out.reliability.wall_time;
  }
}

TEST(Evaluation, ErrorsNameThePart) {
  Inputs in = training_plan();
  in.training->run.degrees.tp = 3;
  EXPECT_EQ(check(in).error().where.substr(0, 9), "training/");
  in = training_plan();
  in.limits.power = Watts{};
  EXPECT_EQ(check(in).error().where, "limits/power");
  in = training_plan();
  in.economics.unit_cost = 1000 * dollar;  // owning needs the price of power
  EXPECT_EQ(check(in).error().where, "economics/kwh_price");
}

// Levers re-evaluate the plan: what a lever promises is what the changed plan gives.
TEST(Evaluation, LeversKeepTheirPromise) {
  const Inputs in = training_plan();
  const Output out = answer(in);
  const std::vector<Lever> all = levers(in, out);
  ASSERT_FALSE(all.empty());
  Inputs moved = in;
  for (FlopsPerSecond& rate : moved.machine.device.rates) rate = 1.1 * rate;
  const double promised = *answer(moved).reliability.wall_time / *out.reliability.wall_time - 1;
  EXPECT_EQ(all.front().input, Label("peak FLOP/s"));
  EXPECT_NEAR(*all.front().training_time_change_fraction, promised, 1e-12);
  EXPECT_EQ(scorecard(all, out)[0].binds, all.front().input);
}

}  // namespace
}  // namespace ridgeline::solve::evaluation
