#include "ridgeline/advise/replication.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "ridgeline/physics/lower.h"
#include "tests/support/models.h"

namespace ridgeline::advise {
namespace {

Replication report(const Model& model, const Workload& work, const Plan& plan) {
  const Machine machine = default_chiplet();
  physics::Lowering lowering(model, machine, work);
  Step step;
  lowering.lower(plan, step);
  return replication_of(model, work, plan, step);
}

RC_GTEST_PROP(Replication, HoldsAtLeastOneCopyOfEveryClass, ()) {
  Plan plan = testing::any_plan();
  plan.ep = 1;
  const Replication r = report(testing::any_model(), testing::any_work(), plan);
  double held = 0, unique = 0;
  for (const Holding& h : r.classes) {
    RC_ASSERT(h.held_bytes >= h.unique_bytes * (1 - 1e-12));
    held += h.held_bytes;
    unique += h.unique_bytes;
  }
  RC_ASSERT(held == r.total.held_bytes);
  RC_ASSERT(unique == r.total.unique_bytes);
  for (const ReplicationRow& row : r.rows) RC_ASSERT(row.copies > 1);
}

TEST(Replication, OfOneDeviceIsNone) {
  for (const Model& model : testing::all_models()) {
    const Replication r = report(model, {Phase::decode, 4096, 3}, Plan{});
    EXPECT_TRUE(r.rows.empty());
    EXPECT_DOUBLE_EQ(r.redundant_fraction(), 0);
  }
}

// TP 16 over 8 KV heads by copies: half of the cache is redundant; CP 8 copies attention 8 times.
TEST(Replication, OfLlama70bByHand) {
  Plan plan;
  plan.cp = 8;
  plan.tp = 16;
  plan.kv_shard_mode = KvShardMode::replicate;
  const Replication r = report(testing::llama_70b(), {Phase::decode, 131072, 1}, plan);
  ASSERT_EQ(r.rows.size(), 3u);
  EXPECT_EQ(r.rows[0].tensor, Tensor::attn_weights);
  EXPECT_EQ(r.rows[0].copies, 8);
  EXPECT_EQ(r.rows[1].tensor, Tensor::kv_cache);
  EXPECT_EQ(r.rows[1].copies, 2);
  EXPECT_EQ(r.rows[1].wasted_bytes, 671'088'640);
  EXPECT_DOUBLE_EQ(r.classes[2].redundant_bytes(), 42'949'672'960.0);
}

}  // namespace
}  // namespace ridgeline::advise
