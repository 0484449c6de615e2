#include "ridgeline/explore/explore.h"

#include <gtest/gtest.h>

#include "tests/support/models.h"
#include "tests/support/spaces.h"

namespace ridgeline::explore {
namespace {

using testing::chiplet;
using testing::shipped_space;

Exploration run(const Model& model, const Scenario& base, const Space& space, Options options = {}) {
  Result<Exploration> found = explore(model, base, space, options);
  EXPECT_TRUE(found.has_value());
  return *std::move(found);
}

// docs/chiplet-model.md section 12, item 7.
TEST(Explore, FindsTheWorkedJointOptimum) {
  const Scenario base = chiplet(Phase::decode, 131072, 1);
  const Exploration found = run(testing::llama_70b(), base, shipped_space(base.machine, "balanced"));
  EXPECT_EQ(found.hardware_count, 64);
  EXPECT_EQ(found.parallelism_count, 1920);
  EXPECT_EQ(found.distinct_plan_count, 1760);
  EXPECT_EQ(found.evaluated_count, 122880);
  ASSERT_EQ(found.best.size(), 1u);
  const Point& best = found.best[0];
  EXPECT_NEAR(best.metric(Metric::latency_s), 0.004865471380892859, 1e-12);
  EXPECT_EQ(best.scenario.plan.cp, 16);
  EXPECT_EQ(best.scenario.plan.tp, 32);
  EXPECT_EQ(best.scenario.plan.pp, 1);
  EXPECT_EQ(best.scenario.plan.dp, 1);
  EXPECT_EQ(best.scenario.plan.kv_shard_mode, KvShardMode::replicate);
  EXPECT_EQ(best.scenario.plan.cp_ring_variant, CpRing::qoml);
  EXPECT_EQ(best.metric(Metric::cost_score), 11);
  EXPECT_EQ(best.metric(Metric::pes_used), 512);
  EXPECT_EQ(found.pareto.size(), 6u);
  EXPECT_NEAR(found.pareto.back().metric(Metric::latency_s), 0.008266192761785715, 1e-12);
  ASSERT_EQ(found.sensitivity.size(), 6u);
  EXPECT_EQ(found.sensitivity[0].knob.key, "bw_hbm_gbs");
  EXPECT_NEAR(found.sensitivity[0].speedup_fraction, 0.330316812850854, 1e-12);
  EXPECT_EQ(found.sensitivity[5].knob.key, "pe_hbm_gb");
  EXPECT_EQ(found.sensitivity[5].speedup_fraction, 0);
}

TEST(Explore, FastEqualsPlainOnShippedSpaces) {
  Options plain;
  plain.plain = true;
  plain.per_hardware = true;
  plain.top = 7;
  Options fast = plain;
  fast.plain = false;
  for (const char* name : {"two_stage", "balanced", "full"}) {
    SCOPED_TRACE(name);
    const Scenario base = chiplet(Phase::prefill, 8192, 2);
    const Space space = shipped_space(base.machine, name);
    EXPECT_EQ(testing::text_of(run(testing::gemma_2_27b(), base, space, fast)),
              testing::text_of(run(testing::gemma_2_27b(), base, space, plain)));
  }
}

}  // namespace
}  // namespace ridgeline::explore
