#include "ridgeline/solve/speculative_decoding.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ridgeline/solve/serving.h"
#include "tests/support/solver_inputs.h"

namespace ridgeline::solve::speculative_decoding {
namespace {

Inputs by_ratio(double a, std::int64_t K, double c) {
  Inputs in;
  in.draft_acceptance_rate = a;
  in.draft_tokens = K;
  in.draft_cost_ratio = c;
  return in;
}

// 70e9 parameters with a draft of 1e9, 100 TB of memory.
Inputs large() {
  Inputs in;
  in.service.model = testing::llama_70b_totals();
  in.service.hardware = testing::round_device();
  in.service.hardware.memory_capacity = 1e5 * gigabyte;
  in.service.setting = testing::flat(0.5);
  in.draft_model = testing::totals(1e9, 16, 2048, 32, 8);
  return in;
}

Output answer(const Inputs& in) {
  const auto checked = check(in);
  EXPECT_TRUE(checked) << (checked ? "" : checked.error().message);
  return solve(*checked);
}

// a 0.8, K 4, c 0.05: X = (1 - 0.32768)/0.2 = 3.3616; 3.3616/1.2 = 2.8013. It pays from the a with
// 1 + a + a^2 + a^3 + a^4 = 1.2 on.
TEST(SpeculativeDecoding, MatchesAHandWorkedCase) {
  const Output out = answer(by_ratio(0.8, 4, 0.05));
  EXPECT_NEAR(out.accepted_tokens_per_step, 3.3616, 1e-12);
  EXPECT_NEAR(out.speedup, 2.801333333, 1e-9);
  const double a = *out.break_even_acceptance_fraction;
  EXPECT_NEAR(1 + a + a * a + a * a * a + a * a * a * a, 1.2, 1e-12);
  EXPECT_FALSE(out.itl);
}

// c 0.05, a 0.8: X/(c K + 1) is 3.0921 at K 7, 3.0922 at 8, 3.0778 at 9; one proposal that is never
// taken is worse than none.
TEST(SpeculativeDecoding, FindsTheBestNumberOfProposals) {
  const Output out = answer(by_ratio(0.8, 4, 0.05));
  double best = 1;
  std::int64_t at = 0;
  for (std::int64_t K = 1; K <= 16; ++K) {
    const double gain = answer(by_ratio(0.8, K, 0.05)).speedup;
    if (gain > best) best = gain, at = K;
  }
  EXPECT_EQ(out.best_draft_tokens, at);
  EXPECT_GT(at, 4);
  EXPECT_DOUBLE_EQ(out.best_speedup, best);
  EXPECT_EQ(answer(by_ratio(0, 4, 0.05)).best_draft_tokens, 0);
}

// Trust: a = 0 yields 1 and loses, a = 1 yields K + 1.
TEST(SpeculativeDecoding, KeepsItsTrustStatement) {
  Inputs in = large();
  in.draft_acceptance_rate = 0;
  EXPECT_EQ(answer(in).accepted_tokens_per_step, 1);
  EXPECT_LT(answer(in).speedup, 1);
  in.draft_acceptance_rate = 1;
  EXPECT_EQ(answer(in).accepted_tokens_per_step, 5);
}

TEST(SpeculativeDecoding, AgreesWithServing) {
  const Inputs in = large();
  serving::Inputs same{.service = in.service};
  same.draft_model = in.draft_model;
  const serving::Output served = serving::solve(*serving::check(same));
  const Output out = answer(in);
  EXPECT_DOUBLE_EQ(out.itl->base(), served.itl.base());
  EXPECT_DOUBLE_EQ(out.speedup, served.speculation_speedup);
  EXPECT_DOUBLE_EQ(out.memory_required->base(), served.memory_required.base());
}

// Bound by memory, t_v reads what t reads: the classic form.
TEST(SpeculativeDecoding, TendsToTheClassicForm) {
  Inputs in = large();
  in.service.hardware.rates.fill(FlopsPerSecond{});
  testing::set_rate(in.service.hardware, Precision::bf16, 1e20);
  const Output out = answer(in);
  const double c = *out.draft / *out.plain_itl;
  EXPECT_NEAR(out.speedup, out.accepted_tokens_per_step / (4 * c + 1), 1e-9);
}

// 2 x 70.6e9 x 5 B/5e14 s of arithmetic against 141.2e9/4e12: more batch ends the gain.
TEST(SpeculativeDecoding, EndsWithLargeBatches) {
  Inputs in = large();
  in.seq_len = 1;
  const Output out = answer(in);
  EXPECT_EQ(*out.compute_bound_batch, 25 + 1);  // 0.0353 s/(2 x 70.6e9 x 5/5e14 s) = 25.0, and KV
  ASSERT_TRUE(out.break_even_batch);
  in.batch_size = *out.break_even_batch;
  EXPECT_LE(answer(in).speedup, 1);
  in.batch_size -= 1;
  EXPECT_GT(answer(in).speedup, 1);
}

// Two ways from the root, 0.6 and 0.2, and one on from the first, 0.5: 1 + 0.6 + 0.2 + 0.3; two
// steps of the draft, four tokens to verify. A chain is a tree.
TEST(SpeculativeDecoding, CountsTrees) {
  Inputs in = large();
  in.tree_parents = {0, 0, 1};
  in.tree_acceptance = {0.6, 0.2, 0.5};
  const Output out = answer(in);
  EXPECT_NEAR(out.accepted_tokens_per_step, 2.1, 1e-12);
  EXPECT_NEAR(out.itl->base(), (2 * out.draft->base() + out.verify->base()) / 2.1, 1e-12);
  Inputs chain = large();
  chain.tree_parents = {0, 1, 2, 3};
  chain.tree_acceptance = {0.7, 0.7, 0.7, 0.7};
  EXPECT_NEAR(answer(chain).speedup, answer(large()).speedup, 1e-12);
}

// One layer of 80: an eightieth of the weights and of the cache.
TEST(SpeculativeDecoding, TakesAnMtpHead) {
  Inputs in = large();
  in.draft_model.reset();
  in.mtp_layers = 1;
  const Output out = answer(in);
  EXPECT_NEAR(*out.draft / *out.plain_itl, 1.0 / 80, 1e-9);
}

TEST(SpeculativeDecoding, NamesWhatIsWrong) {
  Inputs in = large();
  in.draft_model.reset();
  EXPECT_EQ(check(in).error().where, "draft_model");
  EXPECT_EQ(check({}).error().where, "model/parameters_count");
  in = large();
  in.tree_parents = {0, 0};
  EXPECT_EQ(check(in).error().where, "tree_acceptance");
  in.tree_acceptance = {0.7, 0.7};
  EXPECT_EQ(check(in).error().where, "tree_acceptance");
  in.tree_parents = {1};
  in.tree_acceptance = {0.7};
  EXPECT_EQ(check(in).error().where, "tree_parents");
  in = by_ratio(1.5, 4, 0.05);
  EXPECT_EQ(check(in).error().where, "draft_acceptance_rate");
  in = large();
  in.service.hardware.memory_capacity = 100 * gigabyte;
  EXPECT_FALSE(answer(in).feasible);
}

}  // namespace
}  // namespace ridgeline::solve::speculative_decoding
