#include "ridgeline/physics/flop_count.h"

#include <gtest/gtest.h>

#include "tests/support/published_models.h"

namespace ridgeline::physics {
namespace {

using namespace ridgeline::testing;

TEST(FlopCount, CausalIsHalfOfFull) {
  Attention a = softmax_heads(32, 8, 128);
  EXPECT_EQ(counted_pairs(a, 4096, AttentionCount::full), 4096.0 * 4096);
  EXPECT_EQ(counted_pairs(a, 4096, AttentionCount::causal), 4096.0 * 2048);
  EXPECT_EQ(counted_pairs(a, 4096, AttentionCount::none), 0);
  a.window = 1024;  // 2 x 4096 x 1024 - 1024^2
  EXPECT_EQ(counted_pairs(a, 4096, AttentionCount::full), 7340032);
  a.window = 5000;
  EXPECT_EQ(counted_pairs(a, 4096, AttentionCount::full), 4096.0 * 4096);
  a.window = 0;
  a.chunk = 1000;  // four chunks of 1000, one of 96
  EXPECT_EQ(counted_pairs(a, 4096, AttentionCount::full), 4 * 1e6 + 96 * 96);
}

// Query heads count, whatever the number of kv heads: 4 x 4096 x 4096^2.
TEST(FlopCount, GroupedHeadsDoNotSaveScores) {
  for (const std::int64_t kv : {32, 8, 1}) {
    const Model model = partial_model(1, softmax_heads(32, kv, 128));
    EXPECT_EQ(attention_flop(model, 4096, AttentionCount::full), 274877906944.0);
  }
}

// 2 x 128 x (192 + 128) per pair and layer.
TEST(FlopCount, LatentAttentionHasItsOwnWidths) {
  EXPECT_EQ(attention_flop(deepseek_v3_fp8(), 100, AttentionCount::full),
            61.0 * 2 * 128 * 320 * 100 * 100);
}

TEST(FlopCount, StatesGrowWithTokensOnly) {
  Attention mixer;
  mixer.kind = AttentionKind::recurrent;
  mixer.state_heads = 32;
  mixer.state_key_dim = 128;
  mixer.state_value_dim = 64;
  const Model model = partial_model(2, mixer);
  // 2 layers x (6 x 32 x 128 x 64 + 2 x 64 x 32 x 192) per token.
  EXPECT_EQ(state_flop(model, 10), 2 * 10 * (6.0 * 32 * 128 * 64 + 2.0 * 64 * 32 * 192));
  EXPECT_EQ(state_flop(llama_3_8b(), 10), 0);
}

}  // namespace
}  // namespace ridgeline::physics
