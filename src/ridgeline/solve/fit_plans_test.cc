#include "ridgeline/solve/fit_plans.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/published_models.h"

namespace ridgeline::solve::fit_plans {
namespace {

using namespace ridgeline::testing;

// A node of eight devices with so much memory each, otherwise like gpu_tree()'s.
Machine node(double gigabytes) {
  Machine machine = gpu_tree();
  machine.levels.clear();
  machine.levels.push_back(gpu_tree().levels[0]);
  machine.device.memory_capacity = gigabytes * gigabyte;
  return machine;
}

fit::Inputs asked(std::int64_t context) {
  fit::Inputs in;
  in.context = context;
  return in;
}

std::optional<Speed> speed(const fit::Inputs& in, const Model& model, const Machine& machine) {
  const Subject subject{&model, nullptr, &machine};
  const auto checked = fit::check(in, subject);
  EXPECT_TRUE(checked.has_value());
  return speed_of(*checked, subject, fit::solve(*checked, subject).output);
}

// 16 B parameters x 2 B less the table, and 131 072 B x 4096, at 3.35 TB/s: no faster than 4.6 ms.
TEST(FitPlans, DecodeReadsWeightsAndCache) {
  const std::optional<Speed> one = speed(asked(4096), llama_3_8b(), node(80));
  ASSERT_TRUE(one.has_value());
  const double floor_s = (2.0 * (8030261248 - 128256 * 4096) + 131072.0 * 4096) / 3.35e12;
  EXPECT_GE(one->decode_latency.in(second), floor_s);
  EXPECT_LE(one->decode_latency.in(second), 1.2 * floor_s);
  EXPECT_EQ(one->decode_bound, Bound::memory);
  EXPECT_EQ(one->basis, SpeedBasis::datasheet);
  EXPECT_DOUBLE_EQ(one->decode_tokens_per_s, 1 / one->decode_latency.in(second));
  fit::Inputs in = asked(4096);
  in.precision = Precision::fp8;
  EXPECT_LT(speed(in, llama_3_8b(), node(80))->decode_latency, one->decode_latency);
}

TEST(FitPlans, NoSpeedWithoutWhatItNeeds) {
  EXPECT_FALSE(speed({}, llama_3_8b(), node(80)).has_value());
  const Model partial = partial_model(4, softmax_heads(32, 8, 128));
  fit::Inputs in = asked(100);
  in.memory = 1 * gigabyte;
  in.weight_memory = in.activation_memory = 0.1 * gigabyte;
  EXPECT_FALSE(speed(in, partial, node(80)).has_value());
  Machine alone = node(80);
  alone.levels.clear();
  in = asked(100);
  in.tp = 2;
  EXPECT_FALSE(speed(in, llama_3_8b(), alone).has_value());
}

// Llama-3.1-70B in 16 bits is 141 GB: two devices of 80 GB hold 144 GB at 0.9, but not the runtime;
// four do. In 8 bits, 72.7 GB, two do. Totals are 8 x 24 = 192 GB against 4 x 80 = 320 GB.
TEST(FitPlans, FindsTheSmallestMachine) {
  const Model model = llama_3_70b();
  const std::vector<Machine> machines = {node(80), node(24), node(141), node(8)};
  const auto found = smallest_machines(asked(2048), {&model}, machines);
  ASSERT_EQ(found.rows.size(), 3U);
  EXPECT_EQ(found.output.fitting_count, 3);
  const Row& best = found.rows[static_cast<std::size_t>(*found.output.smallest)];
  EXPECT_EQ(best.machine, 1);
  EXPECT_EQ(best.devices, 8);
  for (const Row& row : found.rows) {
    constexpr std::int64_t kDevices[] = {4, 8, 2};
    EXPECT_EQ(row.devices, kDevices[row.machine]);
    EXPECT_TRUE(row.fits);
    EXPECT_GE(row.headroom->base(), 0);
  }
  fit::Inputs in = asked(2048);
  in.precision = Precision::fp8;
  EXPECT_EQ(smallest_machines(in, {&model}, std::vector<Machine>{node(80)}).rows[0].devices, 2);
}

TEST(FitPlans, NoMachineIsAnAnswerToo) {
  const Model model = llama_3_405b();
  const auto found = smallest_machines(asked(2048), {&model}, std::vector<Machine>{node(8)});
  EXPECT_TRUE(found.rows.empty());
  EXPECT_FALSE(found.output.smallest.has_value());
}

TEST(FitPlans, ListsEveryPlanOfTheDevices) {
  const Model model = llama_3_70b();
  const Machine machine = node(80);
  const auto found = plans_on(asked(8192), {&model, nullptr, &machine}, 8);
  EXPECT_EQ(found.rows.size(), 10U);  // tp x pp x dp = 8: (log 3 + 2 choose 2)
  ASSERT_TRUE(found.output.freest.has_value());
  const Row& freest = found.rows[static_cast<std::size_t>(*found.output.freest)];
  EXPECT_EQ(freest.dp, 1);
  bool still_fits = true;
  for (const Row& row : found.rows) {
    EXPECT_TRUE(still_fits || !row.fits);  // those that fit come first
    still_fits = row.fits;
    EXPECT_LE(row.headroom->base(), freest.headroom->base());
    EXPECT_FALSE(row.fits && row.dp == 8);
  }
  const Row& fastest = found.rows[static_cast<std::size_t>(*found.output.fastest)];
  EXPECT_EQ(fastest.tp, 8);
}

TEST(FitPlans, ExpertsMayBeSpreadOverAllRanks) {
  const Model model = qwen_3_30b();
  const Machine machine = node(80);
  const auto found = plans_on(asked(8192), {&model, nullptr, &machine}, 4);
  bool spread = false;
  for (const Row& row : found.rows) spread = spread || (row.dp == 4 && row.ep == 4);
  EXPECT_TRUE(spread);
}

TEST(FitPlans, TotalsFitByTheirWeights) {
  const Totals totals{.params = 70e9};
  const std::vector<Machine> machines = {node(80)};
  const auto found = smallest_machines({}, {nullptr, &totals}, machines);
  ASSERT_EQ(found.rows.size(), 1U);
  EXPECT_EQ(found.rows[0].devices, 2);
  EXPECT_FALSE(found.rows[0].decode_latency.has_value());
}

}  // namespace
}  // namespace ridgeline::solve::fit_plans
