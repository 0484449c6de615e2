#include "ridgeline/solve/serving.h"

#include <gtest/gtest.h>

#include "tests/support/models.h"
#include "tests/support/solver_inputs.h"

namespace ridgeline::solve::serving {
namespace {

Inputs round_inputs() {
  Inputs in;
  in.service.model = testing::round_7b();
  in.service.hardware = testing::round_device();
  in.service.setting = testing::flat(0.5);
  in.service.setting.precision = Precision::bf16;
  in.seq_len = 1000;
  return in;
}

Output answer(const Inputs& in) {
  const auto checked = check(in);
  EXPECT_TRUE(checked.has_value()) << (checked ? "" : checked.error().message);
  return solve(*checked);
}

// Peer: the prefill of one token took 0.042 ms; reading 16.06 GB at 3.35 TB/s takes 4.794 ms.
TEST(Serving, PrefillReadsTheWeights) {
  Inputs in = round_inputs();
  in.service.model = testing::llama_8b_totals();
  in.service.hardware = testing::h100();
  in.seq_len = 1;
  EXPECT_NEAR(answer(in).prefill.base(), 4.794e-3, 1e-6);
  EXPECT_EQ(answer(in).prefill_bound, physics::TimeBound::memory);
}

// (14e9 + 131 072 000)/4e12 = 3.532768 ms in decode.
TEST(Serving, DecodeReadsWeightsAndCache) {
  const Output out = answer(round_inputs());
  EXPECT_DOUBLE_EQ(out.itl.base(), (14e9 + 131072e3) / 4e12);
  EXPECT_DOUBLE_EQ(out.decode_read.base(), 14e9 + 131072e3);
  EXPECT_DOUBLE_EQ(out.tokens_per_s, 1 / out.itl.base());
  EXPECT_DOUBLE_EQ(out.memory_required.base(), 14e9 + 131072e3);
}

// Peer: decode had no compute bound. 4096 x 14e9/5e14 = 114.7 ms without attention.
TEST(Serving, DecodeOfManySequencesComputes) {
  Inputs in = round_inputs();
  in.seq_len = 1;
  in.batch_size = 4096;
  EXPECT_GE(answer(in).itl.base(), 4096 * 14e9 / 5e14);
  EXPECT_EQ(answer(in).decode_bound, physics::TimeBound::compute);
}

// Peer: prefill of a mixture of experts used all parameters, 3.6 times too slow.
TEST(Serving, PrefillUsesActiveParameters) {
  Inputs in = round_inputs();
  in.service.model = testing::mixtral_totals();
  in.service.setting.attention_count = physics::AttentionCount::none;
  in.seq_len = 8192;
  EXPECT_NEAR(answer(in).prefill.base(), 2 * 12.9e9 * 8192 / 5e14, 1e-9);
}

// Peer: attention counted full pairs; causal ones are n (n + 1)/2.
TEST(Serving, AttentionIsCausalUnlessAskedFor) {
  Inputs in = round_inputs();
  in.seq_len = 4096;
  const Seconds causal = answer(in).prefill;
  in.service.setting.attention_count = physics::AttentionCount::full;
  const Seconds full = answer(in).prefill;
  in.service.setting.attention_count = physics::AttentionCount::none;
  const Seconds none = answer(in).prefill;
  EXPECT_NEAR((full - none) / (causal - none), 2 * 4096.0 / 4097, 1e-9);
}

// Peer: head width was d/H even where the model states another (PaLM: 256, not 384).
TEST(Serving, HeadWidthIsTheModels) {
  Inputs in = round_inputs();
  in.service.model.head_dim = 64;
  EXPECT_DOUBLE_EQ(answer(in).kv.base(), 131072e3 / 2);
}

TEST(Serving, ChunksDoTheSameArithmeticAndReadMore) {
  Inputs in = round_inputs();
  in.seq_len = 8192;
  const Output whole = answer(in);
  in.prefill_chunk_tokens = 512;
  const Output chunked = answer(in);
  EXPECT_EQ(chunked.prefill_steps, 16);
  EXPECT_NEAR(chunked.prefill.base(), whole.prefill.base(), 1e-9);  // both bound by compute
  EXPECT_LT(chunked.decode_stall, whole.decode_stall);
  in.prefill_chunk_tokens = 1;  // every token reads the weights
  EXPECT_GT(answer(in).prefill.base(), 8192 * 14e9 / 4e12);
}

TEST(Serving, PrefillOfTheLastTokenIsADecodeStep) {
  Inputs in = round_inputs();
  in.cached_prefix_len = in.seq_len - 1;
  EXPECT_DOUBLE_EQ(answer(in).prefill.base(), answer(in).itl.base());
  EXPECT_DOUBLE_EQ(answer(in).prefix_hit_fraction, 0.999);
}

TEST(Serving, SameHardwareBehindAnEndlessLinkIsOneMachine) {
  Inputs in = round_inputs();
  const Output one = answer(in);
  in.decode_hardware = in.service.hardware;
  in.network_bandwidth = BytesPerSecond::from_base(1e26);
  const Output two = answer(in);
  EXPECT_NEAR(two.ttft.base(), one.ttft.base(), 1e-12);
  EXPECT_EQ(two.itl, one.itl);
}

// Peer: the whole cache was shipped after the prefill, the cached part too. 131 072 B x 500 tokens
// at 1 GB/s = 65.5 ms, of which no more is hidden than the prefill lasts.
TEST(Serving, TransferHidesUnderThePrefill) {
  Inputs in = round_inputs();
  in.decode_hardware = in.service.hardware;
  in.network_bandwidth = 1 * gigabyte_per_second;
  in.decode_cached_prefix_len = 500;
  const Output out = answer(in);
  EXPECT_DOUBLE_EQ(out.kv_transfer.base(), 131072 * 500 / 1e9);
  EXPECT_DOUBLE_EQ(out.ttft.base(), out.kv_transfer.base());  // prefill is the shorter
  in.kv_transfer_overlap = 0;
  EXPECT_DOUBLE_EQ(answer(in).ttft.base(), (out.prefill + out.kv_transfer).base());
}

// Peer: 141 GB were feasible on a prefill machine of 16.
TEST(Serving, PrefillMachineHoldsTheModelToo) {
  Inputs in = round_inputs();
  in.decode_hardware = in.service.hardware;
  in.service.hardware.memory_capacity = 10 * gigabyte;
  EXPECT_FALSE(answer(in).feasible);
  EXPECT_EQ(answer(in).reason, Reason::prefill_memory);
}

// K = 4, a = 0.7: X = (1 - 0.16807)/0.3 = 2.7731.
TEST(Serving, DraftYieldsAGeometricSum) {
  Inputs in = round_inputs();
  in.draft_model = testing::totals(0.7e9, 8, 2048, 16, 4);
  EXPECT_NEAR(answer(in).accepted_tokens_per_step, 2.7731, 1e-12);
  in.draft_acceptance_rate = 1;
  EXPECT_DOUBLE_EQ(answer(in).accepted_tokens_per_step, 5);
  EXPECT_GT(answer(in).speculation_speedup, 1);
  EXPECT_GT(answer(in).memory_required.base(), 14e9 + 131072e3 + 1.4e9);  // with its cache
}

// Trust: without acceptance a draft only costs; a step is never below its bytes.
TEST(Serving, KeepsItsTrustStatement) {
  Inputs in = round_inputs();
  const Output plain = answer(in);
  in.draft_model = testing::totals(0.7e9, 8, 2048, 16, 4);
  in.draft_acceptance_rate = 0;
  EXPECT_GE(answer(in).itl, plain.itl);
  EXPECT_LT(answer(in).speculation_speedup, 1);
  for (const std::int64_t batch : {1, 16, 256}) {
    in = round_inputs();
    in.batch_size = batch;
    EXPECT_GE(answer(in).itl.base(), 14e9 / 4e12);
    EXPECT_GE(answer(in).prefill.base(), 14e9 / 4e12);
  }
}

// Over 2 ranks: half the work, and 2 x 32 all-reduces of 4096 x 2 B.
TEST(Serving, RanksShareTheWorkAndSendActivations) {
  Inputs in = round_inputs();
  in.service.machine = testing::round_cluster(1);
  const Output one = answer(in);
  in.service.tp_size = 2;
  const Output two = answer(in);
  const double reduce = 8192 / 400e9 + 2 * 0.5e-6;
  EXPECT_NEAR(two.itl.base(), one.itl.base() / 2 + 64 * reduce, 1e-12);
  EXPECT_DOUBLE_EQ(two.memory_required.base(), one.memory_required.base() / 2);
  in.service.tp_size = 1;
  in.service.pp_size = 2;
  EXPECT_NEAR(answer(in).itl.base(), one.itl.base() + 8192 / 400e9 + 0.5e-6, 1e-12);
  EXPECT_DOUBLE_EQ(answer(in).memory_required.base(), one.memory_required.base() / 2);
}

TEST(Serving, PagesRoundTheCacheUp) {
  Inputs in = round_inputs();
  in.page_size = 256;
  EXPECT_DOUBLE_EQ(answer(in).kv.base(), 1024 * 131072.0);
  in = round_inputs();
  in.service.setting.efficiency.reset();  // as an engine: pages of 16
  EXPECT_DOUBLE_EQ(answer(in).kv.base(), 1008 * 131072.0);
}

TEST(Serving, FullModelStopsAtItsWindows) {
  const Model model = testing::gemma_2_27b();
  Inputs in = round_inputs();
  in.service.model = physics::totals_of(model);
  in.seq_len = 8192;
  EXPECT_DOUBLE_EQ(answer(in).kv.base(), 23 * (8192 + 4096) * 8192.0);
}

TEST(Serving, RejectsWhatHasNoMeaning) {
  const auto where = [](auto change) {
    Inputs in = round_inputs();
    change(in);
    const auto checked = check(in);
    return checked ? std::string("nothing") : checked.error().where;
  };
  EXPECT_EQ(where([](Inputs& in) { in.seq_len = 0; }), "seq_len");
  EXPECT_EQ(where([](Inputs& in) { in.cached_prefix_len = 1000; }), "cached_prefix_len");
  EXPECT_EQ(where([](Inputs& in) { in.draft_acceptance_rate = 1.5; }), "draft_acceptance_rate");
  EXPECT_EQ(where([](Inputs& in) { in.prefill_chunk_tokens = 0; }), "prefill_chunk_tokens");
  EXPECT_EQ(where([](Inputs& in) {
              in.seq_len = 1'000'000'000;
              in.prefill_chunk_tokens = 1;
            }),
            "prefill_chunk_tokens");
  EXPECT_EQ(where([](Inputs& in) { in.service.tp_size = 3; }), "tp_size");
  EXPECT_EQ(where([](Inputs& in) { in.service.tp_size = 2; }), "machine");
  EXPECT_EQ(where([](Inputs& in) { in.service.setting.efficiency = 1.01; }), "efficiency");
  EXPECT_EQ(where([](Inputs& in) { in.service.model.layers.reset(); }), "model/layers");
}

}  // namespace
}  // namespace ridgeline::solve::serving
