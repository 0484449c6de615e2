#include "ridgeline/explore/plans.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <tuple>

#include "ridgeline/physics/cost.h"
#include "ridgeline/physics/lower.h"
#include "tests/support/models.h"
#include "tests/support/spaces.h"

namespace ridgeline::explore {
namespace {

std::int64_t sum_of_weights(const PlanList& list) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < list.size(); ++i) sum += list.weight(i);
  return sum;
}

// docs/chiplet-model.md section 8.
TEST(Plans, CountsAreThoseOfTheModel) {
  const Machine machine = default_chiplet();
  const PlanList reduced({}, testing::reduced_plans(machine), RingRule::by_phase);
  EXPECT_EQ(reduced.listed_count(), 1920);
  EXPECT_EQ(reduced.size(), 1760u);
  EXPECT_EQ(sum_of_weights(reduced), 1920);

  const PlanList full({}, testing::full_plans(machine), RingRule::as_given);
  EXPECT_EQ(full.listed_count(), 46080);
  EXPECT_EQ(full.size(), 33075u);  // 5 x 21 x 315
  EXPECT_EQ(sum_of_weights(full), 46080);

  // Without the ring variant where CP is 1: the eighth of the list that has CP 1 shrinks by half.
  std::vector<Axis> one_cp = testing::full_plans(machine), more_cp = one_cp;
  one_cp[0].values = {1};
  one_cp.pop_back();
  more_cp[0].values.erase(more_cp[0].values.begin());
  EXPECT_EQ(PlanList({}, one_cp, RingRule::as_given).listed_count() +
                PlanList({}, more_cp, RingRule::as_given).listed_count(),
            43200);
}

TEST(Plans, LastAxisRunsFastestAndTheLeastStandsForItsClass) {
  const Machine machine = default_chiplet();
  const PlanList list({},
                      std::vector<Axis>{testing::axis(machine, "plan.kv_shard_mode", {1, 0}),
                                        testing::axis(machine, "plan.tp", {2, 1})},
                      RingRule::as_given);
  ASSERT_EQ(list.size(), 3u);  // TP 1: replicate is split
  EXPECT_EQ(list.at(0, Phase::decode).tp, 2);
  EXPECT_EQ(list.at(0, Phase::decode).kv_shard_mode, KvShardMode::replicate);
  EXPECT_EQ(list.at(1, Phase::decode).tp, 2);
  EXPECT_EQ(list.at(1, Phase::decode).kv_shard_mode, KvShardMode::split);
  EXPECT_EQ(list.at(2, Phase::decode).tp, 1);
  EXPECT_EQ(list.at(2, Phase::decode).kv_shard_mode, KvShardMode::split);
  EXPECT_EQ(list.weight(2), 2);
}

TEST(Plans, RingFollowsThePhaseUnlessItIsAnAxis) {
  const Machine machine = default_chiplet();
  const Axis cp = testing::axis(machine, "plan.cp", {1, 2});
  const PlanList ruled({}, std::vector<Axis>{cp}, RingRule::by_phase);
  EXPECT_EQ(ruled.at(0, Phase::decode).cp_ring_variant, CpRing::kv);
  EXPECT_EQ(ruled.at(1, Phase::decode).cp_ring_variant, CpRing::qoml);
  EXPECT_EQ(ruled.at(1, Phase::prefill).cp_ring_variant, CpRing::kv);
  const Axis ring = testing::axis(machine, "plan.cp_ring_variant", {0});
  const PlanList listed({}, std::vector<Axis>{cp, ring}, RingRule::by_phase);
  EXPECT_EQ(listed.at(1, Phase::decode).cp_ring_variant, CpRing::kv);
}

// What folding leaves out scores as what it keeps: the same latency key, memory and devices.
RC_GTEST_PROP(Plans, FoldedPlansScoreAlike, ()) {
  const Model model = testing::any_model();
  const Machine machine = testing::any_chiplet();
  const Workload work = testing::any_work();
  Plan plan = testing::any_plan();
  plan.tp = testing::pick({1, 1, plan.tp});
  plan.cp = testing::pick({1, 1, plan.cp});
  plan.dp = testing::pick({1, 1, plan.dp});
  std::vector<Axis> axes = testing::full_plans(machine);
  for (Axis& axis : axes) {
    const Scenario at{machine, work, plan};
    if (axis.field.kind == ScalarKind::integer) axis.values = {get_scalar(at, axis.field)};
  }
  const PlanList list(plan, axes, RingRule::as_given);
  physics::Lowering lowering(model, machine, work);
  const physics::Rates rates = physics::rates_of(machine, work.activation_precision);
  const auto score = [&](const Plan& p) {
    Step step;
    lowering.lower(p, step);
    const bool valid = step.layout.valid();
    return std::tuple(
        valid ? physics::latency_key(physics::latency_s(step, rates)) : -1, step.memory.total(),
        step.layout.devices_used,
        valid ? std::size_t{0} : static_cast<std::size_t>(step.layout.invalid_reasons[0]));
  };
  std::multiset<decltype(score(plan))> listed, folded;
  for (int kv : {0, 1}) {
    for (int scope : {0, 1, 2}) {
      for (int places : {0, 1, 2, 3}) {
        for (int ring : {0, 1}) {
          plan.kv_shard_mode = static_cast<KvShardMode>(kv);
          plan.ffn_shard_scope = static_cast<FfnShardScope>(scope);
          plan.tp_placement = static_cast<Spread>(places / 2);
          plan.cp_placement = static_cast<Spread>(places % 2);
          plan.cp_ring_variant = static_cast<CpRing>(ring);
          listed.insert(score(plan));
        }
      }
    }
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (std::int64_t n = 0; n < list.weight(i); ++n) folded.insert(score(list.at(i, work.phase)));
  }
  RC_ASSERT(listed == folded);
}

}  // namespace
}  // namespace ridgeline::explore
