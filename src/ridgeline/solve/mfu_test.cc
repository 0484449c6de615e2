#include "ridgeline/solve/mfu.h"

#include <gtest/gtest.h>

#include "tests/support/published_models.h"

namespace ridgeline::solve::mfu {
namespace {

using namespace ridgeline::testing;
using physics::AttentionCount;

Output answer(const Inputs& in, const Subject& subject) {
  const auto checked = check(in, subject);
  EXPECT_TRUE(checked.has_value());
  return solve(*checked, subject);
}

// 6 x 70e9 x 16 384 000/(16 x 13.5 x 3600 x 312e12) = 0.02836.
TEST(Mfu, DividesByEveryDevice) {
  const Totals totals{.params = 70e9};
  const Inputs in{.tokens = 16384000,
                  .time = 13.5 * 3600 * second,
                  .devices = 16,
                  .peak = 312 * teraflop_per_second};
  EXPECT_NEAR(*answer(in, {nullptr, &totals}).mfu_fraction, 0.02836340614, 1e-9);
}

// DeepSeek-V3's published hours: 6 x 37e9 x 14.8e12/(2 664 000 x 3600 x 989e12).
TEST(Mfu, CountsActiveParameters) {
  const Totals totals{.params = 671e9, .active_params = 37e9};
  const Inputs in{.tokens = 14.8e12, .device_hours = 2664000, .peak = 989 * teraflop_per_second};
  EXPECT_NEAR(*answer(in, {nullptr, &totals}).mfu_fraction, 0.34640302587724225, 1e-9);
}

// A public trainer's table: N with the input table, all pairs counted [torchtitan-performance].
TEST(Mfu, MatchesAPublicTrainersConvention) {
  const struct {
    const char* name;
    Model model;
    double seq_len, tokens_per_s, peak, fraction;
  } kRows[] = {
      {"8B", llama_3_8b(), 8192, 2904, 312, 0.568},
      {"8B compiled", llama_3_8b(), 8192, 2973, 312, 0.582},
      {"70B", llama_3_70b(), 8192, 331, 312, 0.517},
      {"13B", llama_2_13b(), 4096, 2162, 312, 0.611},
      {"2-70B", llama_2_70b(), 4096, 355, 312, 0.508},
      {"405B", llama_3_405b(), 8192, 109, 989, 0.29},
  };
  for (const auto& r : kRows) {
    SCOPED_TRACE(r.name);
    const Inputs in{.tokens_per_s_per_device = r.tokens_per_s,
                    .peak = r.peak * teraflop_per_second,
                    .seq_len = r.seq_len,
                    .attention_count = AttentionCount::full,
                    .count_embedding = true};
    EXPECT_NEAR(*answer(in, {&r.model}).mfu_fraction, r.fraction, 0.005 * r.fraction);
  }
}

// A vendor's rows count no input table: 16 847 tokens/s of Llama-2-7B are 776 TFLOP/s.
TEST(Mfu, GivesTheRateThatAVendorPrints) {
  const struct {
    const char* name;
    Model model;
    double seq_len, tokens_per_s, flop_per_s;
  } kRows[] = {
      {"7B", llama_2_7b(), 4096, 16847, 776e12},
      {"70B", llama_2_70b(), 4096, 1707, 759e12},
      {"3-8B", llama_3_8b(), 8192, 12036, 697e12},
      {"3-70B", llama_3_70b(), 8192, 1533, 738e12},
  };
  for (const auto& r : kRows) {
    SCOPED_TRACE(r.name);
    const Inputs in{.tokens_per_s_per_device = r.tokens_per_s,
                    .seq_len = r.seq_len,
                    .attention_count = AttentionCount::full};
    const Output out = answer(in, {&r.model});
    EXPECT_NEAR(*out.achieved_flop_per_s_per_device, r.flop_per_s, 0.004 * r.flop_per_s);
    EXPECT_FALSE(out.mfu_fraction.has_value());
  }
}

TEST(Mfu, FollowsWhateverChainIsGiven) {
  const Output hours = answer({.devices = 2048, .device_hours = 180000}, {});
  EXPECT_NEAR(hours.time->in(second), 316406.25, 1e-6);
  const Output days =
      answer({.tokens = 10e12, .devices = 1024, .tokens_per_s_per_device = 16634}, {});
  EXPECT_NEAR(days.time->in(second), 587088.1928580017, 1e-6);
  // 100 TFLOP/s on 8 devices at 6e9 FLOP per token: 1e6 tokens take 6e15/8e14 = 7.5 s.
  const Totals totals{.params = 1e9};
  const Output time = answer({.tokens = 1e6, .devices = 8, .achieved = 100 * teraflop_per_second},
                             {nullptr, &totals});
  EXPECT_DOUBLE_EQ(time.time->in(second), 7.5);
}

// Trust: the convention is in the answer, and moves it.
TEST(Mfu, KeepsItsTrustStatement) {
  const Model model = llama_3_8b();
  Inputs in{.tokens_per_s_per_device = 1000, .peak = 989 * teraflop_per_second};
  EXPECT_EQ(answer(in, {&model}).attention_count, AttentionCount::none);
  in.seq_len = 8192;
  const Output causal = answer(in, {&model});
  EXPECT_EQ(causal.attention_count, AttentionCount::causal);
  in.attention_count = AttentionCount::full;
  EXPECT_GT(*answer(in, {&model}).mfu_fraction, *causal.mfu_fraction);
}

TEST(Mfu, RejectsWhatHasNoMeaning) {
  const Model model = llama_3_8b();
  EXPECT_EQ(check({.attention_count = AttentionCount::full}, {&model}).error().where, "seq_len");
  EXPECT_EQ(check({.tokens = -1}, {&model}).error().where, "tokens");
  EXPECT_EQ(check({.time = 1 * second, .devices = 10, .device_hours = 1}, {}).error().where,
            "device_hours");
  const Totals totals{.params = 1e9};
  EXPECT_EQ(
      check({.tokens = 1e9, .time = 1 * second, .devices = 1, .achieved = 1 * teraflop_per_second},
            {nullptr, &totals})
          .error()
          .where,
      "achieved");
}

}  // namespace
}  // namespace ridgeline::solve::mfu
