#include "ridgeline/solve/single_node.h"

#include <gtest/gtest.h>

#include "tests/support/models.h"
#include "tests/support/solver_inputs.h"

namespace ridgeline::solve::single_node {
namespace {

Inputs round_inputs() {
  Inputs in;
  in.model = testing::round_7b();
  in.hardware = testing::round_device();
  in.setting = testing::flat(0.5);
  in.setting.precision = Precision::bf16;
  in.setting.attention_count = physics::AttentionCount::none;
  return in;
}

Output answer(const Inputs& in) {
  const auto checked = check(in);
  EXPECT_TRUE(checked.has_value()) << (checked ? "" : checked.error().message);
  return solve(*checked);
}

// 14e9 B/4e12 B/s = 3.5 ms against 14e9 FLOP/5e14 FLOP/s = 0.028 ms; at B = 125 both 3.5 ms.
TEST(SingleNode, MatchesTheWorkedExample) {
  Inputs in = round_inputs();
  EXPECT_DOUBLE_EQ(answer(in).memory.base(), 3.5e-3);
  EXPECT_DOUBLE_EQ(answer(in).compute.base(), 0.028e-3);
  EXPECT_EQ(answer(in).bound, physics::TimeBound::memory);
  in.batch_size = 125;
  EXPECT_DOUBLE_EQ(answer(in).compute.base(), answer(in).memory.base());
  EXPECT_DOUBLE_EQ(answer(in).intensity_flop_per_byte.value(), answer(in).ridge_flop_per_byte);
}

// Trust: R e/O = 5e14/14e9 = 35 714 tokens/s; BW/W = 4e12/14e9 = 285.7.
TEST(SingleNode, KeepsItsTrustStatement) {
  Inputs in = round_inputs();
  EXPECT_DOUBLE_EQ(answer(in).throughput_per_s, 4e12 / 14e9);
  in.batch_size = 1'000'000;
  EXPECT_DOUBLE_EQ(answer(in).throughput_per_s, 5e14 / 14e9);
}

TEST(SingleNode, NarrowWeightsAreReadFaster) {
  Inputs in = round_inputs();
  const Output wide = answer(in);
  in.setting.precision = Precision::int4;
  in.setting.activation_precision = Precision::bf16;
  const Output narrow = answer(in);
  EXPECT_DOUBLE_EQ(4 * narrow.memory.base(), wide.memory.base());
  EXPECT_EQ(narrow.compute, wide.compute);
}

// Peer: 10 % of the weights per sample capped the MFU at 3.3 % for ever.
TEST(SingleNode, LargeBatchesComputeAtTheEfficiency) {
  Inputs in = round_inputs();
  in.batch_size = 4096;
  EXPECT_GT(answer(in).mfu_fraction, 0.49);
  EXPECT_EQ(answer(in).bound, physics::TimeBound::compute);
}

// Peer: one token of a mixture of experts streamed all of them. 2 x 12.9e9 B/4e12 B/s = 6.45 ms.
TEST(SingleNode, OneTokenReadsItsExperts) {
  Inputs in = round_inputs();
  in.model = testing::mixtral_totals();
  EXPECT_NEAR(answer(in).memory.base(), 6.45e-3, 1e-12);
  EXPECT_DOUBLE_EQ(answer(in).memory_required.base(), 93.4e9);
}

// Peer: a training step counted one token per sequence.
TEST(SingleNode, TrainingCountsEveryToken) {
  Inputs in = round_inputs();
  in.phase = Pass::train;
  in.seq_len = 2048;
  in.hardware.memory_capacity = 1000 * gigabyte;
  EXPECT_DOUBLE_EQ(answer(in).compute.base(), 3 * 14e9 * 2048 / 5e14);
  EXPECT_DOUBLE_EQ(answer(in).mfu_fraction,
                   answer(in).compute.base() * 0.5 / answer(in).latency.base());
  EXPECT_GT(answer(in).memory_required.base(), 16 * 7e9);  // states, and activations on top
}

// Peer: when it did not fit, all traffic crossed the link. 12 GB of 14: 2 GB spill; 12e9/4e12 = 3
// ms main, 2e9/50e9 = 40 ms link.
TEST(SingleNode, OnlyTheSpillCrossesTheLink) {
  Inputs in = round_inputs();
  in.hardware.memory_capacity = 12 * gigabyte;
  EXPECT_FALSE(answer(in).feasible);
  EXPECT_EQ(answer(in).reason, Reason::memory);
  in.offload = Offload::host;
  EXPECT_TRUE(answer(in).feasible);
  EXPECT_DOUBLE_EQ(answer(in).spill.base(), 2e9);
  EXPECT_NEAR(answer(in).memory.base(), 40e-3, 1e-12);
  in.offload_overlap = false;
  EXPECT_NEAR(answer(in).memory.base(), 43e-3, 1e-12);
}

// Peer: a part with an 8-bit rate alone computed in fp16 at that rate.
TEST(SingleNode, FormatNeedsARate) {
  Inputs in = round_inputs();
  in.hardware.rates = {};
  testing::set_rate(in.hardware, Precision::int8, 92e12);
  const auto refused = check(in);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().where, "precision");
  EXPECT_NE(refused.error().hint.find("int8"), std::string::npos);
}

TEST(SingleNode, WeightsLieInTheInnermostMemoryThatHoldsThem) {
  Inputs in = round_inputs();
  in.hardware.sram_capacity = 20 * gigabyte;
  in.hardware.sram_bandwidth = 40000 * gigabyte_per_second;
  EXPECT_DOUBLE_EQ(answer(in).memory.base(), 0.35e-3);
  in.hardware.sram_capacity = 10 * gigabyte;
  in.hardware.flash_bandwidth = 7 * gigabyte_per_second;
  EXPECT_DOUBLE_EQ(answer(in).memory.base(), 2);
}

// One token after 999: 131 072 B of cache for each of 1000.
TEST(SingleNode, ContextIsReadAndHeld) {
  Inputs in = round_inputs();
  in.setting.attention_count = physics::AttentionCount::causal;
  in.context_len = 999;
  EXPECT_DOUBLE_EQ(answer(in).memory_required.base(), 14e9 + 131072e3);
  EXPECT_DOUBLE_EQ(answer(in).memory.base(), (14e9 + 131072e3) / 4e12);
}

TEST(SingleNode, FullModelIsAnsweredToo) {
  const Model model = testing::llama_8b();
  Inputs in = round_inputs();
  in.model = physics::totals_of(model);
  const Output out = answer(in);
  EXPECT_NEAR(out.memory.base(), (in.model.params - 128256 * 4096.0) * 2 / 4e12, 1e-9);
  in.phase = Pass::train;
  in.seq_len = 2048;
  EXPECT_FALSE(answer(in).feasible);  // 16 B a parameter are 128 GB
}

TEST(SingleNode, MoreOfAnythingIsNeverSlower) {
  const Inputs in = round_inputs();
  for (const std::int64_t batch : {1, 64, 512}) {
    Inputs base = in, faster = in, wider = in;
    base.batch_size = faster.batch_size = wider.batch_size = batch;
    testing::set_rate(faster.hardware, Precision::bf16, 2e15);
    wider.hardware.memory_bandwidth = 8000 * gigabyte_per_second;
    EXPECT_LE(answer(faster).latency, answer(base).latency);
    EXPECT_LE(answer(wider).latency, answer(base).latency);
  }
}

TEST(SingleNode, RejectsWhatHasNoMeaning) {
  Inputs in = round_inputs();
  in.batch_size = 0;
  EXPECT_EQ(check(in).error().where, "batch_size");
  in = round_inputs();
  in.setting.efficiency = 0;
  EXPECT_EQ(check(in).error().where, "efficiency");
  in = round_inputs();
  in.model = {};
  EXPECT_EQ(check(in).error().where, "model/parameters_count");
  in = round_inputs();
  in.hardware.memory_bandwidth.reset();
  EXPECT_EQ(check(in).error().where, "hardware/memory_bandwidth");
}

}  // namespace
}  // namespace ridgeline::solve::single_node
