#include "ridgeline/advise/hints.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "ridgeline/physics/lower.h"
#include "tests/support/models.h"

namespace ridgeline::advise {
namespace {

std::vector<HintId> ids(const Model& model, const Workload& work, const Plan& plan,
                        const Machine& machine = default_chiplet()) {
  physics::Lowering lowering(model, machine, work);
  Step step;
  lowering.lower(plan, step);
  std::vector<HintId> out;
  for (const Hint& hint : hints_of(model, machine, work, plan, step)) out.push_back(hint.id);
  return out;
}

bool has(const std::vector<HintId>& list, HintId id) {
  return std::find(list.begin(), list.end(), id) != list.end();
}

constexpr Workload kDecode{Phase::decode, 131072, 1};

TEST(Hints, FireOnTheirConditions) {
  const Model model = testing::llama_70b();
  Plan plan;
  plan.cp = 8;
  plan.tp = 16;
  plan.ffn_shard_scope = FfnShardScope::tp;
  plan.kv_shard_mode = KvShardMode::replicate;
  const auto list = ids(model, kDecode, plan);
  EXPECT_TRUE(has(list, HintId::ffn_scope_tp));
  EXPECT_TRUE(has(list, HintId::kv_replicate));
  EXPECT_TRUE(has(list, HintId::tp_cross_cube));
  EXPECT_TRUE(has(list, HintId::decode_kv_ring));
  EXPECT_TRUE(has(list, HintId::over_capacity));
  EXPECT_FALSE(has(list, HintId::tp_le_hkv));
  plan.ffn_shard_scope = FfnShardScope::tp_cp;
  plan.kv_shard_mode = KvShardMode::split;
  plan.cp_ring_variant = CpRing::qoml;
  const auto better = ids(model, kDecode, plan);
  EXPECT_FALSE(has(better, HintId::ffn_scope_tp));
  EXPECT_FALSE(has(better, HintId::kv_replicate));
  EXPECT_FALSE(has(better, HintId::decode_kv_ring));
  EXPECT_FALSE(has(better, HintId::over_capacity));
}

TEST(Hints, MemoryBoundIsCheckedNotAssumed) {
  Machine fast_memory = default_chiplet();
  fast_memory.device.memory_bandwidth = 1e6 * gigabyte_per_second;
  EXPECT_TRUE(has(ids(testing::llama_8b(), kDecode, Plan{}), HintId::decode_memory_bound));
  EXPECT_FALSE(
      has(ids(testing::llama_8b(), kDecode, Plan{}, fast_memory), HintId::decode_memory_bound));
}

TEST(Hints, ATorusIsNamedOnlyWhereItShortensTheWorstPath) {
  Plan plan;
  plan.tp = 32;
  plan.cp = 64;  // 8 SIPs: ring 4 hops, torus of 2 x 4: 3
  EXPECT_TRUE(has(ids(testing::llama_70b(), kDecode, plan), HintId::sip_ring_to_torus));
  Machine torus = default_chiplet();
  torus.levels[2].topology = Topology::torus2d;
  EXPECT_FALSE(has(ids(testing::llama_70b(), kDecode, plan, torus), HintId::sip_ring_to_torus));
}

RC_GTEST_PROP(Hints, ComeInTheDocumentedOrder, ()) {
  const auto list =
      ids(testing::any_model(), testing::any_work(), testing::any_plan(), testing::any_chiplet());
  RC_ASSERT(std::is_sorted(list.begin(), list.end()));
  const bool invalid = has(list, HintId::placement_invalid);
  RC_ASSERT(!(invalid && has(list, HintId::decode_memory_bound)));
}

}  // namespace
}  // namespace ridgeline::advise
