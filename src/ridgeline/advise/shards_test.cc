#include "ridgeline/advise/shards.h"

#include <gtest/gtest.h>

#include "ridgeline/physics/memory.h"

namespace ridgeline::advise {
namespace {

Model two_kinds() {
  Model m;
  m.hidden = 1024;
  m.vocab = 32000;
  LayerKind dense, moe;
  dense.attention = {.kind = AttentionKind::softmax,
                     .heads = 16,
                     .kv_heads = 4,
                     .head_dim = 64,
                     .value_head_dim = 64};
  dense.ffn.width = 4096;
  moe.attention = {.kind = AttentionKind::mla,
                   .heads = 16,
                   .q_lora_rank = 256,
                   .kv_lora_rank = 128,
                   .qk_nope_head_dim = 64,
                   .qk_rope_head_dim = 32,
                   .v_head_dim = 64};
  moe.ffn = {.experts = 8, .top_k = 2, .expert_width = 512, .shared_width = 512};
  m.kinds = {dense, moe};
  m.layers = {0, 1, 1};
  return m;
}

bool is_attention(ShardTensor t) {
  return t <= ShardTensor::indexer;
}
bool is_ffn(ShardTensor t) {
  return t >= ShardTensor::gate_up && t <= ShardTensor::router;
}

TEST(Shards, PartsAddUpToTheMemoryOfALayer) {
  const Model model = two_kinds();
  Workload work;
  work.batch = 4;
  for (const Phase phase : {Phase::decode, Phase::prefill}) {
    for (const std::int64_t tp : {1, 2, 8, 32}) {
      for (const auto mode : {KvShardMode::split, KvShardMode::replicate}) {
        Plan plan;
        plan.tp = tp;
        plan.cp = 2;
        plan.dp = 2;
        plan.kv_shard_mode = mode;
        work.phase = phase;
        double attention = 0, ffn = 0, cache = 0;
        for (const Shard& s : shards_of(model, work, plan)) {
          const double bytes = s.bytes * static_cast<double>(s.layers);
          if (is_attention(s.tensor)) attention += bytes;
          if (is_ffn(s.tensor)) ffn += bytes;
          if (s.tensor == ShardTensor::kv_cache) cache += bytes;
        }
        const auto one = physics::layer_bytes(model.kinds[0], model.hidden, work, plan);
        const auto two = physics::layer_bytes(model.kinds[1], model.hidden, work, plan);
        EXPECT_DOUBLE_EQ(attention, one.attn_weights + 2 * two.attn_weights);
        EXPECT_DOUBLE_EQ(ffn, one.ffn_weights + 2 * two.ffn_weights);
        EXPECT_DOUBLE_EQ(cache, one.kv_cache + 2 * two.kv_cache);
      }
    }
  }
}

TEST(Shards, CountCopiesByHand) {
  const Model model = two_kinds();
  Plan plan;
  plan.tp = 8;
  plan.cp = 2;
  plan.dp = 3;
  plan.kv_shard_mode = KvShardMode::replicate;
  for (const Shard& s : shards_of(model, {}, plan)) {
    SCOPED_TRACE(names_of(s.tensor)[static_cast<std::size_t>(s.tensor)]);
    switch (s.tensor) {
      case ShardTensor::query: EXPECT_DOUBLE_EQ(s.copies, 6); break;         // CP DP
      case ShardTensor::key: EXPECT_DOUBLE_EQ(s.copies, 12); break;          // 8 ranks, 4 KV heads
      case ShardTensor::latent_down: EXPECT_DOUBLE_EQ(s.copies, 48); break;  // every rank
      case ShardTensor::gate_up: EXPECT_DOUBLE_EQ(s.copies, 3); break;       // scope TP+CP
      case ShardTensor::embedding: EXPECT_DOUBLE_EQ(s.copies, 6); break;
      default: EXPECT_GE(s.copies, 1); break;
    }
  }
}

TEST(Shards, OfOneDeviceAreWhole) {
  for (const Shard& s : shards_of(two_kinds(), {}, {})) {
    EXPECT_DOUBLE_EQ(s.copies, 1);
    EXPECT_DOUBLE_EQ(s.part_rows * s.part_columns, s.rows * s.columns);
  }
}

}  // namespace
}  // namespace ridgeline::advise
