#include "ridgeline/physics/lower.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "ridgeline/physics/cost.h"
#include "ridgeline/physics/memory.h"
#include "ridgeline/physics/shapes.h"
#include "tests/support/models.h"

namespace ridgeline::physics {
namespace {

struct Lowered {
  Step step;
  Machine machine;
  Workload work;

  const StageWork& stage(StageName name, std::size_t layer = 0) const {
    return step.layers[layer].stages[static_cast<std::size_t>(name)];
  }
};

Lowered lower(const Model& model, const Workload& work, const Plan& plan,
              const Machine& machine = default_chiplet()) {
  Lowered out{{}, machine, work};
  Lowering lowering(model, machine, work);
  lowering.lower(plan, out.step);
  return out;
}

Workload decode_at(std::int64_t context) {
  return {Phase::decode, context, 1};
}

bool near(double a, double b) {
  return std::fabs(a - b) <= 1e-9 * std::max(std::fabs(a), std::fabs(b));
}

// 80 layers x 131,072 tokens x 2 x 8 heads x 128 x 2 B = 42,949,672,960 B in all; CP 8 x TP 16
// ranks hold 1/128 of it each, twice that where 16 ranks share 8 heads by copies.
TEST(Lower, KvCacheOfLlama70bByHand) {
  Plan plan;
  plan.cp = 8;
  plan.tp = 16;
  EXPECT_EQ(lower(testing::llama_70b(), decode_at(131072), plan).step.memory.kv_cache, 335'544'320);
  plan.kv_shard_mode = KvShardMode::replicate;
  EXPECT_EQ(lower(testing::llama_70b(), decode_at(131072), plan).step.memory.kv_cache, 671'088'640);
}

// Attention 80 (2 x 8192^2 + 2 x 8192 x 1024)/16 x 2 B; FFN over TP x CP: 80 x 3 x 8192 x 28672/128
// x 2 B.
TEST(Lower, WeightsOfLlama70bByHand) {
  Plan plan;
  plan.cp = 8;
  plan.tp = 16;
  const MemoryUse m = lower(testing::llama_70b(), decode_at(131072), plan).step.memory;
  EXPECT_EQ(m.attn_weights, 1'509'949'440);
  EXPECT_EQ(m.ffn_weights, 880'803'840);
}

// S2 on TP 16: n = 8192 x 512; (2n + 17,408) B at 256 GB/s = 32,836 ns; 2n at 5.6 TFLOP/s = 1,498
// ns.
TEST(Lower, QueryProjectionByHand) {
  Plan plan;
  plan.tp = 16;
  const Lowered l = lower(testing::llama_70b(), decode_at(131072), plan);
  const StageCost cost = cost_of(l.stage(StageName::s2), rates_of(l.machine, Precision::bf16));
  EXPECT_NEAR(cost.memory_s, 32836e-9, 0.5e-9);
  EXPECT_NEAR(cost.compute_s, 1498e-9, 0.5e-9);
  EXPECT_EQ(cost.bound, Bound::memory);
}

// W 4096, S 8192: 4096 x 4097/2 = 8,390,656 pairs inside, 4096 x 4096 after; all: 33,558,528.
TEST(Lower, CausalPairsUnderAWindowByHand) {
  Attention a;
  a.kind = AttentionKind::softmax;
  EXPECT_EQ(causal_pairs(a, 8192), 33'558'528);
  a.window = 4096;
  EXPECT_EQ(causal_pairs(a, 8192), 25'167'872);
  a.window = 0;
  a.chunk = 3000;  // chunks of 3000, 3000 and 2192 tokens
  EXPECT_EQ(causal_pairs(a, 8192), 2 * 4'501'500.0 + 2'403'528.0);
}

// Mixtral, 4 tokens, EP 1: 1 - 0.75^4 = 0.68359375 of the experts are read.
TEST(Lower, ExpertsTouchedByHand) {
  Workload work{Phase::decode, 4096, 4};
  const Lowered l = lower(testing::mixtral_8x7b(), work, Plan{});
  const double weights = 8 * 0.68359375 * 14336;
  const double rows = 4 * 2;
  EXPECT_DOUBLE_EQ(l.stage(StageName::f5).memory_bytes,
                   4096 * weights * 2 + (rows * 14336 + rows * 4096) * 2);
}

TEST(Lower, OneDeviceHasNoTrafficAndAllParameters) {
  for (const Model& model : testing::all_models()) {
    const Lowered l = lower(model, decode_at(4096), Plan{});
    for (const LayerWork& layer : l.step.layers) {
      for (const StageWork& w : layer.stages) EXPECT_FALSE(w.traffic.any(3));
    }
    for (const StageWork& w : l.step.edges) EXPECT_FALSE(w.traffic.any(3));
  }
  // Llama-3.1-8B: 8,030,261,248 parameters, of which 65 norms of 4096.
  const MemoryUse m = lower(testing::llama_8b(), decode_at(4096), Plan{}).step.memory;
  EXPECT_EQ(m.attn_weights + m.ffn_weights + m.embedding + m.head, 2 * (8'030'261'248 - 65 * 4096));
}

// Section 13.1: per-device work times TP CP DP is the model's, times documented copies.
RC_GTEST_PROP(Lower, ConservesWorkOverDevices, ()) {
  const Model model = testing::any_model();
  const Workload work = testing::any_work();
  const Plan plan = testing::any_plan();
  const Lowered l = lower(model, work, plan, testing::any_chiplet());
  RC_PRE(l.step.layout.valid());
  const auto ranks = static_cast<double>(plan.tp * plan.cp * plan.dp);
  const bool decode = work.phase == Phase::decode;
  const auto cp = static_cast<double>(plan.cp), tp = static_cast<double>(plan.tp);
  const double x = decode ? cp : 1;
  const double sequences = sequences_per_replica(work, plan) * static_cast<double>(plan.dp);
  const double tokens = sequences * (decode ? 1 : static_cast<double>(work.context));
  const Plan one;
  for (std::size_t i = 0; i < l.step.layers.size(); ++i) {
    const auto match =
        std::find_if(model.kinds.begin(), model.kinds.end(), [&](const LayerKind& k) {
          return k.windowed() == l.step.layers[i].windowed && k.moe() == l.step.layers[i].moe;
        });
    const Attention& a = match->attention;
    const AttentionShape whole = attention_shape(a, model.hidden, work.phase, one);
    const bool mla = a.kind == AttentionKind::mla;
    const auto total = [&](StageName s) { return ranks * l.stage(s, i).matrix_flop; };
    if (!mla) {
      const bool copies = plan.kv_shard_mode == KvShardMode::replicate;
      const double kv = copies ? std::max(1.0, tp / static_cast<double>(a.kv_heads)) : 1;
      RC_ASSERT(near(total(StageName::s2), 2 * tokens * whole.query_params * x));
      RC_ASSERT(near(total(StageName::s3), 2 * tokens * whole.key_value_params * x * kv));
      RC_ASSERT(near(total(StageName::s9), 2 * tokens * whole.output_params * x));
    }
    const double pairs = decode ? visible_context(a, work.context) : causal_pairs(a, work.context);
    const double again = decode && plan.cp_ring_variant == CpRing::kv ? cp : 1;
    RC_ASSERT(near(total(StageName::s5), 2 * sequences * pairs * whole.q * again));
    RC_ASSERT(near(total(StageName::s7), 2 * sequences * pairs * whole.o * again));
    if (!match->moe()) {
      const double y = decode && plan.ffn_shard_scope == FfnShardScope::tp ? cp : 1;
      const double ffn = total(StageName::f3) + total(StageName::f5);
      RC_ASSERT(
          near(ffn, 2 * static_cast<double>(match->ffn.matrices * model.hidden * match->ffn.width) *
                        tokens * y));
    }
  }
}

RC_GTEST_PROP(Lower, NothingIsNegativeOrMissing, ()) {
  const Model model = testing::any_model();
  const Plan plan = testing::any_plan();
  const Lowered l = lower(model, testing::any_work(), plan, testing::any_chiplet());
  const MemoryUse& m = l.step.memory;
  RC_ASSERT(m.attn_weights > 0);
  RC_ASSERT(m.ffn_weights > 0);
  RC_ASSERT(m.kv_cache > 0);
  RC_ASSERT(m.activations > 0);
  for (const LayerWork& layer : l.step.layers) {
    for (const StageWork& w : layer.stages) {
      RC_ASSERT(w.matrix_flop >= 0 && w.vector_flop >= 0 && w.memory_bytes >= 0);
      for (std::size_t i = 0; i < 3; ++i) {
        RC_ASSERT(w.traffic.hops[i] >= 0 && w.traffic.link_bytes[i] >= 0);
        RC_ASSERT(std::isfinite(w.traffic.hops[i]) && std::isfinite(w.traffic.link_bytes[i]));
      }
    }
  }
}

TEST(Supported, ChipletMachineRefusesForeignLayersByName) {
  Model model = testing::llama_8b();
  model.kinds[0].attention.kind = AttentionKind::recurrent;
  model.kinds[0].attention.state_heads = 8;
  const Status refused = check_supported(model, default_chiplet());
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::unsupported);
  EXPECT_TRUE(check_supported(model, testing::gpu_tree()).has_value());
  EXPECT_FALSE(check_supported(Model{}, default_chiplet()).has_value());
}

// A tree of one level and one device is the single-device roofline too.
TEST(Lower, TreeMachinesShareTheSameStages) {
  const Model model = testing::llama_70b();
  Plan plan;
  plan.kv_shard_mode = KvShardMode::replicate;
  const Lowered tree = lower(model, decode_at(8192), plan, testing::gpu_tree());
  const Lowered chiplet = lower(model, decode_at(8192), plan);
  for (std::size_t i = 0; i < kLayerStages; ++i) {
    EXPECT_DOUBLE_EQ(tree.step.layers[0].stages[i].matrix_flop,
                     chiplet.step.layers[0].stages[i].matrix_flop);
    EXPECT_DOUBLE_EQ(tree.step.layers[0].stages[i].memory_bytes,
                     chiplet.step.layers[0].stages[i].memory_bytes);
  }
}

// Two all-reduces of one token's vector per layer over eight devices behind a switch.
TEST(Lower, TensorParallelDecodeOnANode) {
  Plan plan;
  plan.tp = 8;
  const Lowered l = lower(testing::llama_70b(), decode_at(8192), plan, testing::gpu_tree());
  ASSERT_TRUE(l.step.layout.valid());
  EXPECT_EQ(l.stage(StageName::s9).traffic.hops[0], 6);  // tree: 2 x ceil(log2 8)
  EXPECT_EQ(l.stage(StageName::s9).traffic.link_bytes[0], 2 * 8192 * 2.0);
}

}  // namespace
}  // namespace ridgeline::physics
