#include "ridgeline/solve/scaling.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ridgeline::solve::scaling {
namespace {

Inputs budget(double flop, Form form = Form::ratio) {
  Inputs in;
  in.compute_budget = Flops::from_base(flop);
  in.form = form;
  return in;
}

Output answer(const Inputs& in) {
  const auto checked = check(in);
  EXPECT_TRUE(checked) << (checked ? "" : checked.error().message);
  return solve(*checked);
}

// sqrt(1e24/120) = 9.12871e10, 20 times as many tokens.
TEST(Scaling, SplitsABudgetByTheRatio) {
  const Output out = answer(budget(1e24));
  EXPECT_NEAR(out.parameters_count, 9.12870929e10, 1e3);
  EXPECT_NEAR(out.tokens, 1.825741858e12, 1e4);
  EXPECT_DOUBLE_EQ(out.tokens_per_parameter, 20);
  EXPECT_FALSE(out.loss);
}

// 1000 device-days of 1 PFLOP/s at 40 %: 3.456e22 FLOP; at 7e9 parameters 8.22857e11 tokens.
TEST(Scaling, TakesDeviceTimeAndAPinnedSize) {
  Inputs in;
  in.device_time = 1000 * day;
  in.rate = 1000 * teraflop_per_second;
  in.target_parameters_count = 7e9;
  const Output out = answer(in);
  EXPECT_DOUBLE_EQ(out.compute.base(), 3.456e22);
  EXPECT_NEAR(out.tokens, 3.456e22 / 42e9, 1);
  EXPECT_NEAR(out.device_time->base(), 86'400'000, 1e-3);
}

// Trust: no other size of the same compute has a lower loss.
TEST(Scaling, KeepsItsTrustStatement) {
  const Output best = answer(budget(1e23, Form::loss));
  for (const double factor : {0.5, 0.9, 0.99, 1.01, 1.1, 2.0}) {
    Inputs in = budget(1e23, Form::loss);
    in.target_parameters_count = factor * best.parameters_count;
    EXPECT_GT(*answer(in).loss, *best.loss) << factor;
  }
}

// Trust: what is served makes the model smaller, trained longer, at the same loss, and no nearby
// size costs less over its life.
TEST(Scaling, InferenceWantsASmallerModel) {
  const Output plain = answer(budget(1e23, Form::loss));
  Inputs in = budget(1e23, Form::loss);
  in.inference_tokens = 1e13;
  const Output served = answer(in);
  EXPECT_LT(served.parameters_count, plain.parameters_count);
  EXPECT_GT(served.tokens, plain.tokens);
  EXPECT_NEAR(*served.loss, *plain.loss, 1e-12);
  EXPECT_LT(served.lifetime->base(),
            plain.compute.base() + 2 * plain.parameters_count * in.inference_tokens);
  in.inference_tokens = 1e15;
  EXPECT_LT(answer(in).parameters_count, served.parameters_count);
}

TEST(Scaling, NamesWhatIsMissing) {
  EXPECT_EQ(check(Inputs{}).error().where, "compute_budget");
  Inputs in;
  in.device_time = 1 * day;
  EXPECT_EQ(check(in).error().where, "rate");
  in = budget(1e20);
  in.inference_tokens = 1;
  EXPECT_EQ(check(in).error().where, "inference_tokens");
}

}  // namespace
}  // namespace ridgeline::solve::scaling
