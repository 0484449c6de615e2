#include "ridgeline/solve/moe_routing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/support/solver_inputs.h"

namespace ridgeline::solve::moe_routing {
namespace {

Inputs round_inputs() {
  Inputs in;
  in.model = testing::mixtral_totals();
  in.machine = testing::round_cluster(4);
  in.setting = testing::flat(0.5);
  in.setting.precision = Precision::bf16;
  in.ep_size = 8;
  return in;
}

Output answer(const Inputs& in) {
  const auto checked = check(in);
  EXPECT_TRUE(checked.has_value()) << (checked ? "" : checked.error().message);
  return solve(*checked);
}

// 8 choose 2: one token 2 experts, four 8 (1 - 0.75^4) = 5.46875, many all.
TEST(MoeRouting, TokensTouchExperts) {
  Inputs in = round_inputs();
  EXPECT_NEAR(answer(in).experts_touched_count, 2, 1e-12);
  in.batch_size = 4;
  EXPECT_NEAR(answer(in).experts_touched_count, 5.46875, 1e-12);
  in.batch_size = 10'000;
  EXPECT_NEAR(answer(in).experts_touched_count, 8, 1e-12);
}

TEST(MoeRouting, RoutedCopiesDoNotDependOnRanks) {
  for (const std::int64_t ep : {1, 2, 4, 8}) {
    Inputs in = round_inputs();
    in.ep_size = ep;
    in.seq_len = 2048;
    EXPECT_DOUBLE_EQ(answer(in).routed_tokens_count, 4096);
  }
}

TEST(MoeRouting, OneRankSendsNothing) {
  Inputs in = round_inputs();
  in.ep_size = 1;
  EXPECT_DOUBLE_EQ(answer(in).all_to_all->base(), 0);
  EXPECT_DOUBLE_EQ(answer(in).dispatch.base(), 0);
  in.machine.reset();
  EXPECT_FALSE(answer(in).all_to_all.has_value());
}

// Peer: imbalance scaled attention and shared weights, and the number of experts.
TEST(MoeRouting, ImbalanceLoadsTheHotRankOnly) {
  Inputs in = round_inputs();
  in.seq_len = 100;
  const Output even = answer(in);
  in.routing_imbalance_factor = 1.5;
  const Output uneven = answer(in);
  EXPECT_EQ(uneven.experts_touched_count, even.experts_touched_count);
  EXPECT_EQ(uneven.active_parameters_count, 12.9e9);
  EXPECT_EQ(uneven.dispatch, even.dispatch);
  EXPECT_DOUBLE_EQ(uneven.hot_rank_dispatch.base(), 1.5 * even.dispatch.base());
  in.routing_imbalance_factor = 100;  // one rank can hold no more than all
  EXPECT_DOUBLE_EQ(answer(in).imbalance_factor, 8);
}

// Peer: the inner link was never used.
TEST(MoeRouting, GroupInsideANodeUsesItsLink) {
  Inputs in = round_inputs();
  in.seq_len = 1000;
  const double M = 1000 * 2 * 4096 * 2;
  EXPECT_NEAR(answer(in).all_to_all->base(), 0.875 * M / 400e9 + 3.5e-6, 1e-12);
  in.etp_size = 4;  // two ranks to a node
  EXPECT_NEAR(answer(in).all_to_all->base(), M / 8 / 400e9 + 0.5e-6 + 6 * M / 8 / 50e9 + 30e-6,
              1e-12);
}

TEST(MoeRouting, StepIsAllDirectionsOfAllLayers) {
  Inputs in = round_inputs();
  EXPECT_DOUBLE_EQ(answer(in).per_step->base(), 4 * 32 * answer(in).all_to_all->base());
  in.activation_recomputation = physics::Recompute::full;
  EXPECT_DOUBLE_EQ(answer(in).per_layer->base(), 6 * answer(in).all_to_all->base());
  in.phase = Pass::infer;
  EXPECT_DOUBLE_EQ(answer(in).per_layer->base(), 2 * answer(in).all_to_all->base());
}

// T = 4 tokens, p = 1/4 of the copies, capacity 1 token: excess of binomial(4, 1/4) over 1 is
// 6 x 9/256 x 1 + 4 x 3/256 x 2 + 1/256 x 3 = 81/256, over a mean of 1.
TEST(MoeRouting, OverflowIsTheBinomialTail) {
  Inputs in = round_inputs();
  in.batch_size = 4;
  in.capacity_factor = 1;
  EXPECT_NEAR(*answer(in).dropped_fraction, 81.0 / 256, 1e-12);
  in.capacity_factor = 4;
  EXPECT_NEAR(*answer(in).dropped_fraction, 0, 1e-12);
  in.capacity_factor = 1;
  double last = 1;
  for (const std::int64_t tokens : {100, 10'000, 100'000, 10'000'000}) {  // sum, then normal
    in.batch_size = tokens;
    EXPECT_LT(*answer(in).dropped_fraction, last);
    last = *answer(in).dropped_fraction;
    EXPECT_NEAR(last, std::sqrt(3.0 / static_cast<double>(tokens) / 2 / std::acos(-1.0)),
                0.01 * last);
  }
}

// Trust: 8 ranks, 1536 copies each: the mean largest load over the mean, simulated.
TEST(MoeRouting, KeepsItsTrustStatement) {
  Inputs in = round_inputs();
  in.batch_size = 768;
  std::mt19937_64 random(20261130);
  std::uniform_int_distribution<int> rank(0, 7);
  double sum = 0;
  const int rounds = 200;
  for (int r = 0; r < rounds; ++r) {
    int load[8] = {};
    for (int i = 0; i < 8 * 1536; ++i) ++load[rank(random)];
    sum += *std::max_element(load, load + 8) / 1536.0;
  }
  EXPECT_NEAR(answer(in).expected_imbalance_factor, 1.052, 1e-3);
  EXPECT_NEAR(sum / rounds, 1.036, 5e-3);
  EXPECT_GE(answer(in).expected_imbalance_factor, sum / rounds);
}

// Popularity 1, 1/2, ... 1/8 on two ranks: the first four have 25/12 of 761/280.
TEST(MoeRouting, PopularExpertsMakeAHotRank) {
  Inputs in = round_inputs();
  in.ep_size = 2;
  in.zipf_exponent = 1;
  EXPECT_NEAR(answer(in).expected_imbalance_factor, 2 * (25.0 / 12) / (761.0 / 280), 1e-12);
  in.zipf_exponent = 0;
  EXPECT_NEAR(answer(in).expected_imbalance_factor, 1, 1e-12);
}

TEST(MoeRouting, RejectsWhatHasNoMeaning) {
  Inputs in = round_inputs();
  in.model = testing::round_7b();
  EXPECT_EQ(check(in).error().where, "model");
  in = round_inputs();
  in.ep_size = 16;  // peer: accepted
  EXPECT_EQ(check(in).error().where, "ep_size");
  in = round_inputs();
  in.routing_imbalance_factor = 0.5;
  EXPECT_EQ(check(in).error().where, "routing_imbalance_factor");
}

}  // namespace
}  // namespace ridgeline::solve::moe_routing
