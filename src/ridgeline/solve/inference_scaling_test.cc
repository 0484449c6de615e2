#include "ridgeline/solve/inference_scaling.h"

#include <gtest/gtest.h>

#include "ridgeline/solve/serving.h"
#include "tests/support/solver_inputs.h"

namespace ridgeline::solve::inference_scaling {
namespace {

Inputs llama() {
  Inputs in;
  in.service.model = testing::llama_8b_totals();
  in.service.hardware = testing::h100();
  in.service.setting = testing::flat(0.5);
  in.service.setting.attention_count = physics::AttentionCount::full;
  in.service.setting.prefill_overhead = 10 * microsecond;
  in.service.setting.decode_overhead = 320 * microsecond;
  return in;
}

Output answer(const Inputs& in) {
  const auto checked = check(in);
  EXPECT_TRUE(checked) << (checked ? "" : checked.error().message);
  return solve(*checked);
}

// ttft 0.07097 s; a step reads 16.06 GB and 131 072 B x (2048 + 199.5), at 3.35 TB/s, + 0.32 ms.
TEST(InferenceScaling, MatchesAHandWorkedCase) {
  const Output out = answer(llama());
  EXPECT_EQ(out.tokens, 400);
  EXPECT_NEAR(out.ttft.base(), 0.07097037, 1e-7);
  const double step = (16.06e9 + 131072 * (2048 + 199.5)) / 3.35e12 + 0.32e-3;
  EXPECT_NEAR(out.total.base(), out.ttft.base() + 400 * step, 1e-9);
  EXPECT_DOUBLE_EQ(out.final_kv.base(), 131072.0 * 2448);
}

// Trust: closed form = sum of single steps, also where memory and arithmetic change places; no
// tokens take ttft.
TEST(InferenceScaling, KeepsItsTrustStatement) {
  for (const std::int64_t batch : {1, 120, 400}) {
    Inputs in = llama();
    in.batch_size = batch;
    in.context_length = 64;
    in.reasoning_steps = 1;
    in.tokens_per_step = 300;
    double sum = 0;
    for (std::int64_t j = 0; j < 300; ++j) {
      serving::Inputs step{.service = in.service, .seq_len = 64 + j, .batch_size = batch};
      sum += serving::solve(*serving::check(step)).itl.base();
    }
    const Output out = answer(in);
    EXPECT_NEAR(out.total.base() - out.ttft.base(), sum, 1e-9 * sum) << batch;
  }
  Inputs none = llama();
  none.reasoning_steps = 0;
  EXPECT_DOUBLE_EQ(answer(none).total.base(), answer(none).ttft.base());
}

// p = 0.2, five samples: 1 - 0.8^5 = 0.67232. They share the prompt's cache.
TEST(InferenceScaling, SamplesShareThePrompt) {
  Inputs in = llama();
  in.samples = 5;
  in.success_probability = 0.2;
  const Output out = answer(in);
  EXPECT_NEAR(*out.pass_fraction, 0.67232, 1e-12);
  EXPECT_DOUBLE_EQ(out.final_kv.base(), 131072.0 * (2048 + 5 * 400));
  in.success_probability = 1;
  EXPECT_EQ(*answer(in).pass_fraction, 1);
}

// 3600 USD an hour: a dollar a second; energy lies between idle and full power.
TEST(InferenceScaling, CostsTimeAndPower) {
  Inputs in = llama();
  in.hourly_rental_price = DollarsPerSecond::from_base(1);
  const Output out = answer(in);
  EXPECT_DOUBLE_EQ(out.cost->base(), out.total.base());
  EXPECT_GT(out.energy->base(), 0.3 * 700 * out.total.base());
  EXPECT_LT(out.energy->base(), 700 * out.total.base());
}

TEST(InferenceScaling, SaysWhenTheCacheDoesNotFit) {
  Inputs in = llama();
  in.samples = 2000;
  EXPECT_FALSE(answer(in).feasible);
  EXPECT_EQ(answer(in).reason, Reason::memory);
}

}  // namespace
}  // namespace ridgeline::solve::inference_scaling
