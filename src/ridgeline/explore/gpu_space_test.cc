// A user's space of GPU clusters against every pair of it, evaluated one by one here: fields of the
// machine set by hand, lowered and costed by physics alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "ridgeline/explore/explore.h"
#include "ridgeline/physics/cost.h"
#include "ridgeline/physics/lower.h"
#include "tests/support/models.h"
#include "tests/support/published_models.h"
#include "tests/support/spaces.h"

namespace ridgeline::explore {
namespace {

// HBM bandwidth, peak, links of node and pod, node size; tp, pp, cp, dp.
const std::vector<std::vector<double>> kMachines = {
    {3.35e12, 4.8e12, 8e12}, {1e15, 2.5e15}, {450e9, 900e9}, {50e9, 100e9}, {8, 16}};
const std::vector<std::vector<double>> kPlans = {
    {1, 2, 4, 8, 16, 32}, {1, 2, 4, 8, 16}, {1, 2, 4, 8}, {1, 2, 4}};

template <class F>
void for_each_choice(const std::vector<std::vector<double>>& axes, const F& f) {
  std::size_t count = 1;
  for (const auto& values : axes) count *= values.size();
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<double> choice;
    std::size_t rest = i;
    for (const auto& values : axes) {
      choice.push_back(values[rest % values.size()]);
      rest /= values.size();
    }
    f(choice);
  }
}

// 16 nodes; weights of 812 GB, so that one node of 8 does not hold them.
Scenario cluster() {
  Scenario base;
  base.machine = testing::gpu_tree();
  base.machine.levels[1].count = 16;
  base.work.phase = Phase::decode;
  base.work.context = 8192;
  base.work.batch = 8;
  return base;
}

Space space_of(const Machine& machine) {
  constexpr std::array kMachinePaths = {
      "machine.device.memory_bandwidth_bytes_per_s", "machine.device.peak_flop_per_s",
      "machine.levels.node.link.bandwidth_bytes_per_s",
      "machine.levels.pod.link.bandwidth_bytes_per_s", "machine.levels.node.count"};
  constexpr std::array kPlanPaths = {"plan.tp", "plan.pp", "plan.cp", "plan.dp"};
  Space space;
  for (std::size_t i = 0; i < kMachinePaths.size(); ++i) {
    space.axes.push_back(testing::axis(machine, kMachinePaths[i], kMachines[i]));
  }
  for (std::size_t i = 0; i < kPlanPaths.size(); ++i) {
    space.axes.push_back(testing::axis(machine, kPlanPaths[i], kPlans[i]));
  }
  return space;
}

using Value = std::pair<std::int64_t, double>;  // latency in whole picoseconds, cost

// Latency and cost of every plan that can be placed and fits on this machine.
void add_plans(const Model& model, const Scenario& at, double cost, std::vector<Value>& out) {
  physics::Lowering lowering(model, at.machine, at.work);
  const physics::Rates rates = physics::rates_of(at.machine, at.work.activation_precision);
  for_each_choice(kPlans, [&](const std::vector<double>& choice) {
    Plan plan = at.plan;
    plan.tp = static_cast<std::int64_t>(choice[0]);
    plan.pp = static_cast<std::int64_t>(choice[1]);
    plan.cp = static_cast<std::int64_t>(choice[2]);
    plan.dp = static_cast<std::int64_t>(choice[3]);
    Step step;
    lowering.lower(plan, step);
    if (!step.layout.valid()) return;
    const physics::StepFacts facts =
        physics::facts_of(step, at.machine, at.work, plan.tp * plan.cp * plan.dp);
    const auto held = static_cast<double>(facts.memory_bytes);
    if (held > at.machine.device.memory_capacity.base()) return;
    out.emplace_back(physics::latency_key(physics::latency_s(step, rates)), cost);
  });
}

// Cost: the sum of what is swept over what the machine has.
std::vector<Value> every_pair(const Model& model, const Scenario& base) {
  std::vector<Value> out;
  for_each_choice(kMachines, [&](const std::vector<double>& v) {
    Scenario at = base;
    at.machine.device.memory_bandwidth = BytesPerSecond::from_base(v[0]);
    at.machine.device.peak[static_cast<std::size_t>(Precision::bf16)] =
        FlopsPerSecond::from_base(v[1]);
    at.machine.levels[0].bandwidth = BytesPerSecond::from_base(v[2]);
    at.machine.levels[1].bandwidth = BytesPerSecond::from_base(v[3]);
    at.machine.levels[0].count = static_cast<std::int64_t>(v[4]);
    const double cost = v[0] / 3350e9 + v[1] / 989.5e12 + v[2] / 450e9 + v[3] / 50e9 + v[4] / 8;
    add_plans(model, at, cost, out);
  });
  return out;
}

// Those that nothing beats in both.
std::vector<Value> front_of(std::vector<Value> values) {
  std::sort(values.begin(), values.end());
  std::vector<Value> out;
  for (const Value& v : values) {
    if (out.empty() || v.second < out.back().second) out.push_back(v);
  }
  return out;
}

TEST(GpuSpace, FrontIsThatOfEveryPair) {
  const Model model = testing::llama_3_405b();
  const Scenario base = cluster();
  const auto found = explore(model, base, space_of(base.machine), {});
  ASSERT_TRUE(found.has_value());
  const std::vector<Value> pairs = every_pair(model, base);
  EXPECT_EQ(found->evaluated_count, 48 * 360);
  EXPECT_EQ(found->feasible_count, static_cast<std::int64_t>(pairs.size()));
  const std::vector<Value> front = front_of(pairs);
  ASSERT_EQ(found->pareto.size(), front.size());
  EXPECT_GT(front.size(), 4U);
  for (std::size_t i = 0; i < front.size(); ++i) {
    EXPECT_EQ(found->pareto[i].latency_key, front[i].first);
    EXPECT_NEAR(found->pareto[i].metric(Metric::cost_score), front[i].second, 1e-9);
  }
  EXPECT_EQ(found->best[0].latency_key, front[0].first);
}

}  // namespace
}  // namespace ridgeline::explore
