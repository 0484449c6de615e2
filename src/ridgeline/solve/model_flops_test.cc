#include "ridgeline/solve/model_flops.h"

#include <gtest/gtest.h>

#include "tests/support/published_models.h"

namespace ridgeline::solve::model_flops {
namespace {

using namespace ridgeline::testing;
using physics::AttentionCount;

Output answer(const Inputs& in, const Model& model) {
  const Subject subject{&model};
  const auto checked = check(in, subject);
  EXPECT_TRUE(checked.has_value());
  return solve(*checked, subject);
}

// Llama-2-7B, N = 6 738 415 616 - 131 072 000: 4 x 8192 tokens x 6 N, and 4 x 3 x 4 x 32 x 4096 x
// 8192^2 of attention, half of it causal.
TEST(ModelFlops, CountTheCausalHalf) {
  Inputs in{Pass::train, 4, 8192, AttentionCount::causal};
  const Output causal = answer(in, llama_2_7b());
  EXPECT_DOUBLE_EQ(causal.weight->base(), 32768 * 6 * 6607343616.0);
  EXPECT_NEAR(causal.attention->base(), 211.11e12, 0.01e12);
  EXPECT_NEAR(causal.total->base(), 1510.11e12, 1.5e12);
  in.attention_count = AttentionCount::full;
  EXPECT_NEAR(answer(in, llama_2_7b()).attention->base(), 422.21e12, 0.02e12);
  in.attention_count = AttentionCount::none;
  EXPECT_EQ(answer(in, llama_2_7b()).attention->base(), 0);
}

TEST(ModelFlops, QueryHeadsDecideTheScores) {
  for (const std::int64_t kv : {32, 8}) {
    const Model model = llama({1, 4096, 32, kv, 128, 11008, 32000});
    EXPECT_EQ(answer({Pass::infer, 1, 4096, AttentionCount::full}, model).attention->base(),
              274877906944.0);
  }
}

// Qwen3-0.6B ties its head: the table's 151936 x 1024 parameters count once, their products do too.
TEST(ModelFlops, ATiedHeadIsStillMultiplied) {
  const Output out = answer({}, qwen_3_0_6b());
  EXPECT_EQ(out.head->base(), 311164928);
  EXPECT_GT(out.weight->base(), out.head->base());
  EXPECT_EQ(*out.params_in_flop, 596049920);
}

// LoRA: gradients pass through frozen weights but are not made for them: 4 N rather than 6 N.
TEST(ModelFlops, FrozenWeightsCostTwoThirds) {
  const struct {
    const char* name;
    Model model;
    double trainable, per_token;
  } kCases[] = {
      {"7B full", llama_2_7b(), 1, 39644061696},
      {"7B LoRA", llama_2_7b(), 0.002, 26429374464},
      {"13B full", llama_2_13b(), 1, 77112145920},
      {"13B LoRA", llama_2_13b(), 0.002, 51408097280},
      {"70B full", llama_2_70b(), 1, 412287025152},
      {"70B LoRA", llama_2_70b(), 0.002, 274858016768},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const Output out = answer({Pass::train, 1, 4096, AttentionCount::causal, c.trainable}, c.model);
    EXPECT_NEAR(*out.weight_flop_per_token, c.per_token, 0.015 * c.per_token);
  }
}

TEST(ModelFlops, TotalsHaveWeightsAlone) {
  const Totals totals{.params = 70e9, .active_params = 13e9};
  const Subject subject{nullptr, &totals};
  const Output out = solve({Pass::train, 1, 1000}, subject);
  EXPECT_DOUBLE_EQ(out.weight->base(), 6e3 * 13e9);
  EXPECT_FALSE(out.attention.has_value());
  EXPECT_FALSE(out.head.has_value());
}

TEST(ModelFlops, APartialModelSaysWhatItCan) {
  const Output out = answer({}, partial_model(2, softmax_heads(32, 8, 128), 4096));
  EXPECT_FALSE(out.weight.has_value());
  EXPECT_TRUE(out.attention.has_value());
}

// Trust: twice the sequence is twice the weights' part and four times the scores'.
TEST(ModelFlops, KeepTheirTrustStatement) {
  for (const Model& model : {llama_3_8b(), deepseek_v3_fp8(), qwen_3_235b()}) {
    const Output one = answer({Pass::train, 2, 4096}, model);
    const Output two = answer({Pass::train, 2, 8192}, model);
    EXPECT_DOUBLE_EQ(two.weight->base(), 2 * one.weight->base());
    EXPECT_DOUBLE_EQ(two.attention->base(), 4 * one.attention->base());
  }
}

TEST(ModelFlops, RejectWhatHasNoMeaning) {
  const Model model = llama_3_8b();
  EXPECT_EQ(check({Pass::infer, 0, 1}, {&model}).error().where, "batch_size");
  EXPECT_EQ(check({Pass::infer, 1, 0}, {&model}).error().where, "seq_len");
  EXPECT_EQ(check({}, {}).error().where, "model");
  Inputs in;
  in.trainable_fraction = 1.5;
  EXPECT_EQ(check(in, {&model}).error().where, "trainable_fraction");
}

}  // namespace
}  // namespace ridgeline::solve::model_flops
