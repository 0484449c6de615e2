// What an earlier tool got wrong about serving, and what is right. Faults that the solvers' own
// tests show already are listed with them in docs/known-faults.md.
#include <gtest/gtest.h>

#include <string>

#include "ridgeline/solve/continuous_batching.h"
#include "ridgeline/solve/inference_scaling.h"
#include "ridgeline/solve/serving.h"
#include "ridgeline/solve/serving_capacity.h"
#include "ridgeline/solve/tail_latency.h"
#include "ridgeline/solve/weight_streaming.h"
#include "tests/support/solver_inputs.h"

namespace ridgeline::solve {
namespace {

using physics::AttentionCount;

serving::Inputs serve(const Totals& model, AttentionCount count = AttentionCount::none) {
  serving::Inputs in;
  in.service.model = model;
  in.service.hardware = testing::round_device();
  in.service.setting = testing::flat(0.5);
  in.service.setting.precision = Precision::bf16;
  in.service.setting.attention_count = count;
  in.seq_len = 1000;
  return in;
}

serving::Output answer(const serving::Inputs& in) {
  const auto checked = serving::check(in);
  EXPECT_TRUE(checked.has_value()) << (checked ? "" : checked.error().message);
  return serving::solve(*checked);
}

// Peer: 10.2 ms for 1024 sequences. 1024 x 16.06e9 FLOP at 989e12 x 0.5 FLOP/s alone = 33.257 ms.
TEST(KnownFaultsServing, DecodeTakesAtLeastItsArithmetic) {
  serving::Inputs in = serve(testing::llama_8b_totals());
  in.service.hardware = testing::h100();
  in.seq_len = 128;
  in.batch_size = 1024;
  EXPECT_NEAR(answer(in).itl.base(), 33.257e-3, 1e-6);
}

Totals deepseek() {
  Totals t = testing::totals(671e9, 61, 7168, 128, 128);
  t.active_params = 37e9;
  t.experts = 256;
  t.active_experts = 8;
  t.kv_lora_rank = 512;
  t.qk_rope_head_dim = 64;
  return t;
}

// Peer: all 671e9 parameters, 18 times too slow. 2 x 37e9 x 8192 FLOP at 5e14 FLOP/s = 1.2124 s.
TEST(KnownFaultsServing, PrefillOfAMixtureComputesItsActivePart) {
  serving::Inputs in = serve(deepseek());
  in.seq_len = 8192;
  EXPECT_NEAR(answer(in).prefill.base(), 1.2124, 1e-4);
}

// Peer: every decode step read all experts. x = 33.8e9/6 each, S_0 = 12.9e9 - 2 x: one sequence
// touches 2, four 5.46875: 2 B x (S_0 + 5.46875 x) = 64.88125e9 B; and 131 072 000 B of cache each.
TEST(KnownFaultsServing, DecodeOfAMixtureReadsTheExpertsTouched) {
  serving::Inputs in = serve(testing::mixtral_totals());
  EXPECT_NEAR(answer(in).decode_read.base(), 2 * 12.9e9 + 131072e3, 1);
  in.batch_size = 4;
  EXPECT_NEAR(answer(in).decode_read.base(), 64.88125e9 + 4 * 131072e3, 1);
}

// Peer: attention took heads as 18432/48 = 384 wide; PaLM's are 256. 4 x 118 x 48 x 256 x 2048^2.
TEST(KnownFaultsServing, AttentionTakesTheModelsHeadWidth) {
  Totals palm = testing::totals(540e9, 118, 18432, 48, 1);
  palm.head_dim = 256;
  serving::Inputs in = serve(palm);
  in.seq_len = 2048;
  const Seconds without = answer(in).prefill;
  in.service.setting.attention_count = AttentionCount::full;
  const double attention = 4 * 118 * 48 * 256.0 * 2048 * 2048;
  EXPECT_NEAR((answer(in).prefill - without).base(), attention / 5e14, 1e-9);
}

serving::Inputs with_draft(double acceptance) {
  serving::Inputs in = serve(testing::round_7b());
  in.draft_model = testing::totals(0.7e9, 8, 2048, 16, 4);
  in.draft_acceptance_rate = acceptance;
  return in;
}

// Peer: verifying 5 tokens of 128 sequences was free: 5 x 128 x 14e9/5e14 = 17.92 ms, after four
// steps of the draft, each of (1.4e9 + 128 x 16.384e6) B/4e12 B/s = 0.874288 ms.
TEST(KnownFaultsServing, VerificationComputesEveryProposedToken) {
  serving::Inputs in = with_draft(1);
  in.batch_size = 128;
  EXPECT_NEAR(answer(in).itl.base(), (4 * 0.874288e-3 + 17.92e-3) / 5, 1e-9);
}

// Peer: a draft's steps had no overhead. Four of 1 ms over X = 2.7731 tokens.
TEST(KnownFaultsServing, DraftStepsHaveTheirOverhead) {
  serving::Inputs in = with_draft(0.7);
  const Seconds without = answer(in).itl;
  in.service.setting.draft_overhead = 1 * millisecond;
  EXPECT_NEAR((answer(in).itl - without).base(), 4e-3 / 2.7731, 1e-9);
}

// Peer: the draft's cache was not held. 2 x 8 x 4 x 128 x 2 B = 16 384 B a token beside the model's
// 131 072 B.
TEST(KnownFaultsServing, DraftHoldsACacheToo) {
  EXPECT_NEAR(answer(with_draft(0.7)).memory_required.base(), 14e9 + 131072e3 + 1.4e9 + 16384e3, 1);
}

// Peer: nothing accepted cost 44 % more without a word.
TEST(KnownFaultsServing, ADraftThatIsNeverRightIsSaidNotToPay) {
  const serving::Output out = answer(with_draft(0));
  EXPECT_EQ(out.accepted_tokens_per_step, 1);
  EXPECT_LT(out.speculation_speedup, 1);
}

// Peer: no energy. Prefill computes at half the peak: (0.3 + 0.7 x 0.5) x 1 kW x 28 ms = 18.2 J;
// a step of 3.532768 ms computes for 14 us of it: 0.3 x 3.532768 J + 0.7 x 0.014 J = 1.0696304 J.
TEST(KnownFaultsServing, ServingTakesEnergy) {
  EXPECT_NEAR(answer(serve(testing::round_7b())).energy->base(), 18.2 + 1.0696304, 1e-6);
}

serving_capacity::Inputs requests() {
  serving_capacity::Inputs in;
  in.service = serve(testing::llama_8b_totals()).service;
  in.qps = 100;
  in.target_p99_latency = 3 * second;
  return in;
}

serving_capacity::Output answer(const serving_capacity::Inputs& in) {
  const auto checked = serving_capacity::check(in);
  EXPECT_TRUE(checked.has_value()) << (checked ? "" : checked.error().message);
  return serving_capacity::solve(*checked);
}

// Peer: a replica of N requests at once was one server. It is N of them, of the full latency each.
TEST(KnownFaultsServing, AReplicaIsAsManyServersAsItsSlots) {
  const serving_capacity::Output out = answer(requests());
  ASSERT_TRUE(out.required_replicas.has_value());
  tail_latency::Inputs queue;
  queue.arrival_rate_qps = 100;
  queue.service_latency = *out.base_latency;
  queue.num_replicas = *out.required_replicas * out.active_batch_size;
  const auto slots = tail_latency::solve(*tail_latency::check(queue));
  EXPECT_DOUBLE_EQ(out.queue_wait_p99->base(), slots.wait_p99->base());
  EXPECT_NEAR(out.p99_latency->base(), (*out.base_latency + *slots.wait_p99).base(), 1e-12);
}

// Peer: time to first token was that of N prompts at once, though the queue counted single ones.
// 2048 x 16.06e9 FLOP at 5e14 FLOP/s = 65.78 ms for one, whatever the batch.
TEST(KnownFaultsServing, FirstTokensWaitForOnePrompt) {
  serving_capacity::Inputs in = requests();
  EXPECT_NEAR(answer(in).prefill.base(), 65.78e-3, 1e-5);
  in.max_batch_size = 1;
  EXPECT_NEAR(answer(in).prefill.base(), 65.78e-3, 1e-5);
}

// Peer: what never fits needed "max_replicas" with an infinite latency.
TEST(KnownFaultsServing, WhatNoFleetServesHasNoNumberOfReplicas) {
  serving_capacity::Inputs in = requests();
  in.qps = 1e9;
  const serving_capacity::Output out = answer(in);
  EXPECT_FALSE(out.feasible);
  EXPECT_EQ(out.bottleneck, serving_capacity::Bottleneck::capacity);
  EXPECT_FALSE(out.required_replicas || out.p99_latency || out.queue_wait_p99);
}

continuous_batching::Inputs batching(const Totals& model) {
  continuous_batching::Inputs in;
  in.service = serve(model, AttentionCount::causal).service;
  in.service.setting.memory_utilization = 1;
  in.max_seq_len = 8192;
  in.mean_request_tokens = 1024;
  return in;
}

continuous_batching::Output answer(const continuous_batching::Inputs& in) {
  const auto checked = continuous_batching::check(in);
  EXPECT_TRUE(checked.has_value()) << (checked ? "" : checked.error().message);
  return continuous_batching::solve(*checked);
}

// Peer: all B_max prompts at full length. One of the mean length, as serving has it.
TEST(KnownFaultsServing, TimeToFirstTokenIsThatOfOnePrompt) {
  continuous_batching::Inputs in = batching(testing::round_7b());
  serving::Inputs one = serve(testing::round_7b(), AttentionCount::causal);
  one.seq_len = 1024;
  for (const std::int64_t batch : {1, 64, 4096}) {
    in.max_batch_size = batch;
    EXPECT_EQ(answer(in).ttft, answer(one).prefill);
  }
}

// Peer: paging that alone fits a request was infinitely faster. 0.5e9/131072 = 3814 tokens hold no
// sequence of 8192.
TEST(KnownFaultsServing, NothingToCompareWithIsNoSpeedup) {
  continuous_batching::Inputs in = batching(testing::round_7b());
  in.service.hardware.memory_capacity = 14.5 * gigabyte;
  const continuous_batching::Output out = answer(in);
  EXPECT_EQ(out.static_max_active_requests, 0);
  EXPECT_GT(out.max_active_requests, 0);
  EXPECT_FALSE(out.speedup_vs_static.has_value());
}

// Peer: by default one request at a time, where paging cannot matter.
TEST(KnownFaultsServing, PagingServesMoreRequestsByDefault) {
  const continuous_batching::Output out = answer(batching(testing::round_7b()));
  EXPECT_GT(out.max_active_requests, out.static_max_active_requests);
  EXPECT_GT(*out.speedup_vs_static, 1);
}

// Peer: a step of a mixture read all experts. Two requests touch 8 (1 - 0.75^2) = 3.5 of 8.
TEST(KnownFaultsServing, BatchedMixturesReadTheExpertsTouched) {
  continuous_batching::Inputs in = batching(testing::mixtral_totals());
  in.max_batch_size = 2;
  const double each = 33.8e9 / 6, shared = 12.9e9 - 2 * each;
  const double bytes = 2 * (shared + 3.5 * each) + 2 * 1024 * 131072.0;
  EXPECT_NEAR(answer(in).itl->base(), bytes / 4e12, 1e-9);
}

weight_streaming::Inputs wafer(const Totals& model) {
  weight_streaming::Inputs in;
  in.model = model;
  in.hardware = testing::round_device();
  in.setting = testing::flat(0.5);
  in.setting.precision = Precision::bf16;
  in.injection_bandwidth = 1200 * gigabyte_per_second;
  return in;
}

// Peer: all experts streamed in for one token. 2 x 12.9e9 B over 32 layers at 1.2 TB/s.
TEST(KnownFaultsServing, OnlyTouchedExpertsStreamIn) {
  const auto out =
      weight_streaming::solve(*weight_streaming::check(wafer(testing::mixtral_totals())));
  EXPECT_NEAR(out.layer_injection.base(), 2 * 12.9e9 / 32 / 1.2e12, 1e-12);
}

// Peer: an efficiency of 0 divided by zero.
TEST(KnownFaultsServing, StreamingNeedsSomeEfficiency) {
  weight_streaming::Inputs in = wafer(testing::round_7b());
  in.setting.efficiency = 0;
  EXPECT_EQ(weight_streaming::check(in).error().where, "efficiency");
}

// Peer: no output length: every generated token saw the prompt's cache alone. The second half of
// 1000 tokens reads 500 x 131 072 B more a step than the first.
TEST(KnownFaultsServing, GeneratedTokensAreReadAgain) {
  inference_scaling::Inputs in;
  in.service = serve(testing::round_7b(), AttentionCount::causal).service;
  in.reasoning_steps = 1;
  in.tokens_per_step = 500;
  const auto solve = [](const inference_scaling::Inputs& given) {
    return inference_scaling::solve(*inference_scaling::check(given));
  };
  const auto half = solve(in);
  in.tokens_per_step = 1000;
  const auto whole = solve(in);
  const double first = (half.total - half.ttft).base(), both = (whole.total - whole.ttft).base();
  EXPECT_NEAR(both - 2 * first, 500 * 500 * 131072.0 / 4e12, 1e-9);
}

}  // namespace
}  // namespace ridgeline::solve
