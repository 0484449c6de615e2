#include "ridgeline/solve/weight_streaming.h"

#include <gtest/gtest.h>

#include "tests/support/solver_inputs.h"

namespace ridgeline::solve::weight_streaming {
namespace {

Inputs round_inputs() {
  Inputs in;
  in.model = testing::totals(70e9, 80, 8192, 64, 8);
  in.hardware = testing::round_device();
  in.hardware.memory_capacity = 1e6 * gigabyte;
  testing::set_rate(in.hardware, Precision::bf16, 1.25e17);
  in.setting = testing::flat(0.5);
  in.setting.precision = Precision::bf16;
  in.injection_bandwidth = 1200 * gigabyte_per_second;
  return in;
}

Output answer(const Inputs& in) {
  const auto checked = check(in);
  EXPECT_TRUE(checked.has_value()) << (checked ? "" : checked.error().message);
  return solve(*checked);
}

// 70e9 x 2/80 = 1.75e9 B a layer, over 1.2e12 B/s: 1.458 ms, 116.7 ms for a step of 80.
TEST(WeightStreaming, MatchesTheWorkedExample) {
  EXPECT_NEAR(answer(round_inputs()).layer_injection.base(), 1.4583e-3, 1e-7);
  EXPECT_NEAR(answer(round_inputs()).tokens_per_s, 1 / 0.116667, 1e-4);
  EXPECT_EQ(answer(round_inputs()).bound, Bound::injection);
}

// Trust: linear below the balanced batch, flat above it without attention.
TEST(WeightStreaming, KeepsItsTrustStatement) {
  Inputs in = round_inputs();
  in.setting.attention_count = physics::AttentionCount::none;
  const std::int64_t balanced = *answer(in).balanced_batch;
  const double one = answer(in).tokens_per_s;
  in.batch_size = balanced;
  EXPECT_NEAR(answer(in).tokens_per_s / (static_cast<double>(balanced) * one), 1, 1e-12);
  const double most = answer(in).tokens_per_s;
  in.batch_size = 2 * balanced;
  EXPECT_NEAR(answer(in).tokens_per_s / most, 1, 1e-4);
  EXPECT_EQ(answer(in).bound, Bound::compute);
}

TEST(WeightStreaming, FasterInjectionBalancesMoreSequences) {
  Inputs in = round_inputs();
  const auto once = static_cast<double>(*answer(in).balanced_batch);
  in.injection_bandwidth = 600 * gigabyte_per_second;
  EXPECT_NEAR(static_cast<double>(*answer(in).balanced_batch) / once, 2, 1e-4);
}

// Peer: KV heads and 2 FLOP a pair, 16 times too few; none in decode. 4 x 64 x 128 a pair, layer.
TEST(WeightStreaming, AttentionCountsQueryHeads) {
  Inputs in = round_inputs();
  in.seq_len = 1000;
  EXPECT_NEAR(answer(in).layer_compute.base(), (140e9 / 80 + 4 * 8192 * 1000.0) / 6.25e16, 1e-12);
  in.phase = Phase::prefill;
  EXPECT_NEAR(answer(in).layer_compute.base(), (140e12 / 80 + 4 * 8192 * 500500.0) / 6.25e16,
              1e-12);
}

// Peer: MLA was ignored.
TEST(WeightStreaming, LatentShrinksTheCache) {
  Inputs in = round_inputs();
  const Bytes heads = answer(in).memory_required;
  in.model.kv_lora_rank = 512;
  in.model.qk_rope_head_dim = 64;
  EXPECT_NEAR(answer(in).memory_required / heads, 576.0 / (2 * 8 * 128), 1e-12);
}

TEST(WeightStreaming, CacheThatDoesNotFitServesNothing) {
  Inputs in = round_inputs();
  in.hardware.memory_capacity = 0.1 * gigabyte;
  EXPECT_FALSE(answer(in).feasible);
  EXPECT_EQ(answer(in).tokens_per_s, 0);
  EXPECT_GT(answer(in).utilization_fraction, 1);
}

// Peer: efficiency 5, seq_len -5 and batch 0 were accepted; the link had a silent default.
TEST(WeightStreaming, RejectsWhatHasNoMeaning) {
  Inputs in = round_inputs();
  in.injection_bandwidth.reset();
  EXPECT_EQ(check(in).error().where, "injection_bandwidth");
  in.hardware.injection_bandwidth = 1200 * gigabyte_per_second;
  EXPECT_TRUE(check(in).has_value());
  in.setting.efficiency = 5;
  EXPECT_EQ(check(in).error().where, "efficiency");
  in = round_inputs();
  in.seq_len = -5;
  EXPECT_EQ(check(in).error().where, "seq_len");
  in = round_inputs();
  in.batch_size = 0;
  EXPECT_EQ(check(in).error().where, "batch_size");
}

}  // namespace
}  // namespace ridgeline::solve::weight_streaming
