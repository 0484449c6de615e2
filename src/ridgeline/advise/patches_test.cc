#include "ridgeline/advise/patches.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ridgeline/physics/lower.h"
#include "tests/support/models.h"

namespace ridgeline::advise {
namespace {

Scenario scenario(const Plan& plan) {
  Scenario at{default_chiplet(), {}, plan};
  at.work.context = 131072;
  return at;
}

std::vector<Hint> hints(const Model& model, const Scenario& at) {
  Step step;
  physics::Lowering(model, at.machine, at.work).lower(at.plan, step);
  return hints_of(model, at.machine, at.work, at.plan, step);
}

// The tries of one scenario, with the lowering that they share.
struct Tried {
  Tried(const Model& model, const Scenario& at)
      : scenario(at),
        fields(scalar_fields(at.machine)),
        lowering(model, scenario.machine, scenario.work),
        tries(lowering, scenario, fields) {}

  Scenario scenario;
  std::vector<ScalarField> fields;
  physics::Lowering lowering;
  Tries tries;
};

TEST(Patches, OfKvReplicateSplitsTheCacheAndSavesWhatTheHintSays) {
  const Model model = testing::llama_70b();
  const Scenario at = scenario({.cp = 16, .tp = 32, .kv_shard_mode = KvShardMode::replicate});
  const auto all = hints(model, at);
  const auto hint = std::find_if(all.begin(), all.end(),
                                 [](const Hint& h) { return h.id == HintId::kv_replicate; });
  ASSERT_NE(hint, all.end());
  const Patch patch = Tried(model, at).tries.patch_of(*hint);
  ASSERT_EQ(patch.size(), 1U);
  EXPECT_EQ(patch[0].field.path, "plan.kv_shard_mode");
  // The cache: 80 layers x 131,072/16 tokens x 2 x 8 x 128 x 4/32 elements x 2 B = 335,544,320 B, a
  // quarter stays. W_K, W_V: 80 x 8,192 x 2 x (128 - 32) x 2 B = 251,658,240 B as well. The buffer
  // that receives the ring's K and V: 131,072/16 x 2 x (128 - 32) x 2 B = 3,145,728 B, and the K
  // and V of the token: 2 x (128 - 32) x 2 B = 384 B; parts are rounded up to whole bytes.
  const Effect before = effect_of(model, at), after = effect_of(model, patched(at, patch));
  EXPECT_NEAR(static_cast<double>(before.total_bytes - after.total_bytes),
              2 * 251'658'240.0 + 3'145'728 + 384, 500);
}

TEST(Patches, NeverMakeTheirSubjectWorse) {
  const Model model = testing::llama_70b();
  for (const std::int64_t cp : {1, 4, 16}) {
    for (const std::int64_t tp : {1, 8, 32}) {
      const Scenario at = scenario({.cp = cp, .tp = tp, .ffn_shard_scope = FfnShardScope::tp});
      const Effect before = effect_of(model, at);
      Tried tried(model, at);
      for (const Hint& hint : hints(model, at)) {
        const Patch patch = tried.tries.patch_of(hint);
        if (patch.empty()) continue;
        EXPECT_EQ(tried.tries.effect_of(patch).latency_s,
                  effect_of(model, patched(at, patch)).latency_s);
        const Effect after = effect_of(model, patched(at, patch));
        EXPECT_TRUE(after.placement_valid);
        if (hint.category == HintCategory::space && hint.id != HintId::over_capacity) {
          EXPECT_LT(after.total_bytes, before.total_bytes);
        }
        if (hint.category == HintCategory::comm) {
          EXPECT_LE(after.latency_s, before.latency_s);
        }
      }
    }
  }
}

TEST(Mends, RunWhereThePlanDidNot) {
  const Model model = testing::llama_70b();
  const Scenario too_large = scenario({.tp = 8});
  EXPECT_FALSE(effect_of(model, too_large).runs());
  Tried tried(model, too_large);
  const auto& mends = tried.tries.mends();
  EXPECT_FALSE(mends.empty());
  EXPECT_LE(mends.size(), 3U);
  for (const Patch& patch : mends) EXPECT_TRUE(effect_of(model, patched(too_large, patch)).runs());
}

}  // namespace
}  // namespace ridgeline::advise
