#include "ridgeline/physics/totals.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ridgeline/physics/parameters.h"
#include "ridgeline/physics/weights.h"
#include "tests/support/models.h"
#include "tests/support/solver_inputs.h"

namespace ridgeline::physics {
namespace {

using testing::flat;

// Keeps a pointer into `totals` where they have layers.
ModelSums bf16(const Totals& totals) {
  Setting s = flat(0.5);
  s.precision = Precision::bf16;
  return sums_of(totals, s);
}

// Mixtral: x = (46.7 - 12.9)e9/6 = 5.6333e9 an expert, S_0 = 12.9e9 - 2 x = 1.6333e9. One token
// meets 2 of 8: b_w (S_0 + 2 x) = 2 x 12.9e9. Four meet 8 (1 - 0.75^4) = 5.46875.
TEST(Totals, StepReadsTheExpertsThatItsTokensTouch) {
  const ModelSums m = bf16(testing::mixtral_totals());
  EXPECT_NEAR(m.shared_weights, 2 * 1.63333333e9, 1e1);
  EXPECT_NEAR(touched_weights(m, 1).base(), 2 * 12.9e9, 1);
  EXPECT_NEAR(touched_experts(8, 2, 4), 5.46875, 1e-12);
  EXPECT_NEAR(touched_weights(m, 1e6).base(), 2 * 46.7e9, 1);
  EXPECT_DOUBLE_EQ(touched_weights(bf16(testing::round_7b()), 1).base(), 14e9);
}

// 2 x 32 layers x 8 heads x 128 x 2 B = 131 072 B a token; over 2 ranks half of it, over 16 an
// eighth: heads are copied beyond H_k.
TEST(Totals, CacheIsDividedByHeadsAndNoFurther) {
  const ModelSums m = bf16(testing::llama_8b_totals());
  EXPECT_DOUBLE_EQ(kv_per_token(m, 1).base(), 131072);
  EXPECT_DOUBLE_EQ(kept_kv(m, 1000, 2).base(), 1000 * 65536.0);
  EXPECT_DOUBLE_EQ(kept_kv(m, 1000, 16).base(), 1000 * 16384.0);
  EXPECT_TRUE(has_linear_kv(m));
}

// DeepSeek-V3: one latent of 512 + 64 elements in 61 layers, the same on every rank.
TEST(Totals, LatentIsOnEveryRank) {
  Totals t = testing::totals(671e9, 61, 7168, 128, 128);
  t.kv_lora_rank = 512;
  t.qk_rope_head_dim = 64;
  const ModelSums m = bf16(t);
  EXPECT_DOUBLE_EQ(kv_per_token(m, 1).base(), 61 * 576 * 2.0);
  EXPECT_DOUBLE_EQ(kept_kv(m, 10, 8).base(), 610 * 576 * 2.0);
}

// 4 L H h = 4 x 32 x 4096 = 524 288 FLOP a pair. 3 new tokens after 5: 3 x 5 + 6 = 21 causal pairs;
// of 8 in all: 24 full ones.
TEST(Totals, CountsPairsByMode) {
  const ModelSums m = bf16(testing::llama_8b_totals());
  const PromptPart part{3, 5, 8};
  EXPECT_DOUBLE_EQ(prompt_attention(m, AttentionCount::causal, part).base(), 524288 * 21.0);
  EXPECT_DOUBLE_EQ(prompt_attention(m, AttentionCount::full, part).base(), 524288 * 24.0);
  EXPECT_DOUBLE_EQ(prompt_attention(m, AttentionCount::none, part).base(), 0);
  EXPECT_DOUBLE_EQ(decode_attention(m, AttentionCount::causal, 8.5).base(), 524288 * 8.5);
}

// Parts of a prompt add up to the whole; one token after c is a decode step at c + 1.
TEST(Totals, PartsOfAPromptAddUp) {
  const ModelSums m = bf16(testing::llama_8b_totals());
  const auto flop = [&](std::int64_t n, std::int64_t c) {
    return prompt_attention(m, AttentionCount::causal, {n, c, 1000}).base();
  };
  EXPECT_DOUBLE_EQ(flop(300, 0) + flop(450, 300) + flop(250, 750), flop(1000, 0));
  EXPECT_DOUBLE_EQ(flop(1, 999), decode_attention(m, AttentionCount::causal, 1000).base());
}

// B = 4 at S = 1000: F = 4 (14e9 + 524 288 000), Q = 14e9 + 4 x 131 072 000.
TEST(Totals, DecodeStepIsEquationTen) {
  const ModelSums m = bf16(testing::round_7b());
  const StepWork w =
      decode_work(m, AttentionCount::causal, {.sequences = 4, .context = 1000, .tp = 1});
  EXPECT_DOUBLE_EQ(w.flop.base(), 4 * (14e9 + 524288e3));
  EXPECT_DOUBLE_EQ(w.bytes().base(), 14e9 + 4 * 131072e3);
  const StepWork half =
      decode_work(m, AttentionCount::causal, {.sequences = 4, .context = 1000, .tp = 2});
  EXPECT_DOUBLE_EQ(2 * half.flop.base(), w.flop.base());
  EXPECT_DOUBLE_EQ(2 * half.bytes().base(), w.bytes().base());
}

TEST(Totals, MixedStepReadsTheWeightsOnce) {
  const ModelSums m = bf16(testing::round_7b());
  const DecodeLoad decode{.sequences = 4, .context = 1000};
  const PrefillLoad prefill{.part = {100, 0, 100}};
  const StepWork a = decode_work(m, AttentionCount::causal, decode);
  const StepWork b = prefill_work(m, AttentionCount::causal, prefill);
  const StepWork both = mixed_work(m, AttentionCount::causal, decode, prefill);
  EXPECT_DOUBLE_EQ(both.flop.base(), (a.flop + b.flop).base());
  EXPECT_DOUBLE_EQ(both.bytes().base(), a.bytes().base() + b.bytes().base() - 14e9);
}

TEST(Totals, TrainingTakesThreeTimesTheForwardOrFour) {
  EXPECT_DOUBLE_EQ(hardware_factors(Recompute::none, 1).weights, 3);
  EXPECT_DOUBLE_EQ(hardware_factors(Recompute::full, 1).weights, 4);
  EXPECT_DOUBLE_EQ(hardware_factors(Recompute::full, 1).attention, 4);
  EXPECT_DOUBLE_EQ(hardware_factors(Recompute::selective, 1).weights, 3);
  EXPECT_DOUBLE_EQ(hardware_factors(Recompute::selective, 1).attention, 4);
  EXPECT_DOUBLE_EQ(model_factors(0).weights, 2);  // frozen weights have no gradients
}

// ---- full models ----

TEST(Totals, FullModelHasTheSumsOfItsLayers) {
  const Model model = testing::llama_8b();
  const Totals t = totals_of(model);
  EXPECT_EQ(t.params, static_cast<double>(count_parameters(model).total));
  EXPECT_EQ(t.flop_per_unit, 2.0 * static_cast<double>(forward_params(model)));
  const ModelSums m = bf16(t);
  EXPECT_DOUBLE_EQ(m.weights, 2 * t.params);
  EXPECT_DOUBLE_EQ(m.weights - touched_weights(m, 1).base(), 2 * 128256 * 4096.0);  // the table
  EXPECT_DOUBLE_EQ(kv_per_token(m, 1).base(), 131072);
  EXPECT_DOUBLE_EQ(decode_attention(m, AttentionCount::causal, 100).base(), 524288 * 100.0);
}

// Half of Gemma's layers stop at 4096: at 8192 the cache is 23 (8192 + 4096) layer-tokens.
TEST(Totals, WindowedLayersStopGrowing) {
  const Model model = testing::gemma_2_27b();
  const Totals t = totals_of(model);
  const ModelSums m = bf16(t);
  const double per_layer = 2 * 16 * 128 * 2;
  EXPECT_DOUBLE_EQ(kept_kv(m, 8192, 1).base(), 23 * (8192 + 4096) * per_layer);
  EXPECT_DOUBLE_EQ(kept_kv(m, 1000, 1).base(), 46 * 1000 * per_layer);
  EXPECT_FALSE(has_linear_kv(m));
  const double pair = 4 * 32 * 128;
  EXPECT_DOUBLE_EQ(decode_attention(m, AttentionCount::causal, 8192).base(),
                   23 * (8192 + 4096) * pair);
}

// DeepSeek-V3: 2 x 128 (192 + 128) FLOP a pair in prefill, absorbed 2 x 128 (2 x 512 + 64).
TEST(Totals, LatentAttentionCostsMoreInDecode) {
  const Model model = testing::deepseek_v3();
  const Totals t = totals_of(model);
  const ModelSums m = bf16(t);
  const PromptPart one{1, 0, 1};
  EXPECT_DOUBLE_EQ(prompt_attention(m, AttentionCount::causal, one).base(), 61 * 2 * 128 * 320.0);
  EXPECT_DOUBLE_EQ(decode_attention(m, AttentionCount::causal, 1).base(), 61 * 2 * 128 * 1088.0);
  EXPECT_EQ(m.moe_layers, 58);
}

// int4 in groups of 128 with 16-bit scales: 4.125 bits on matrices, 16 on the table and head.
TEST(Totals, TablesStayWide) {
  const Model model = testing::llama_8b();
  const Totals t = totals_of(model);
  Setting s = flat(0.5);
  s.precision = Precision::int4;
  s.group_size = 128;
  const double table = 128256.0 * 4096;
  EXPECT_DOUBLE_EQ(sums_of(t, s).weights, (t.params - 2 * table) * 4.125 / 8 + 2 * table * 2);
  const WeightBits bits = weight_bits(model, {.precision = Precision::int4, .group_size = 128});
  EXPECT_DOUBLE_EQ(sums_of(t, s).weights, model_weights(model, bits).bytes);
}

TEST(Totals, FormatIsTheCheckpointsUnlessAskedFor) {
  Model model = testing::mixtral_8x7b();
  model.quantization = Quantization{.method = "fp8", .precision = Precision::fp8};
  const Totals t = totals_of(model);
  EXPECT_EQ(weight_precision(t, {}), Precision::fp8);
  EXPECT_DOUBLE_EQ(sums_of(t, {}).weights, model_weights(model, weight_bits(model, {})).bytes);
  EXPECT_EQ(activation_precision(t, {.precision = Precision::mxfp4}), Precision::fp4);
}

}  // namespace
}  // namespace ridgeline::physics
