#include "ridgeline/solve/continuous_batching.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ridgeline/solve/serving.h"
#include "tests/support/models.h"
#include "tests/support/solver_inputs.h"

namespace ridgeline::solve::continuous_batching {
namespace {

Inputs round_inputs() {
  Inputs in;
  in.service.model = testing::round_7b();
  in.service.hardware = testing::round_device();
  in.service.setting = testing::flat(0.5);
  in.service.setting.precision = Precision::bf16;
  in.service.setting.memory_utilization = 1;
  in.max_seq_len = 8192;
  in.mean_request_tokens = 1024;
  in.max_batch_size = 4096;
  return in;
}

Output answer(const Inputs& in) {
  const auto checked = check(in);
  EXPECT_TRUE(checked.has_value()) << (checked ? "" : checked.error().message);
  return solve(*checked);
}

// Max 8192, mean 1024, pages of 256: waste 0.11517 against 1 - 1024/8192 = 0.875.
TEST(ContinuousBatching, MatchesTheWorkedWaste) {
  Inputs in = round_inputs();
  in.page_size = 256;
  EXPECT_NEAR(answer(in).fragmentation_fraction, 0.11517, 5e-6);
  EXPECT_DOUBLE_EQ(answer(in).static_fragmentation_fraction, 0.875);
}

// 64 GB free, 131 072 B a token: 488 281 tokens.
TEST(ContinuousBatching, PoolHoldsWholeTokens) {
  Inputs in = round_inputs();
  in.service.hardware.memory_capacity = 78 * gigabyte;
  EXPECT_DOUBLE_EQ(answer(in).kv_capacity_tokens, 488281);
}

TEST(ContinuousBatching, FullLengthWastesNothing) {
  Inputs in = round_inputs();
  in.mean_request_tokens = 8192;
  const Output out = answer(in);
  EXPECT_DOUBLE_EQ(out.fragmentation_fraction, 0);
  EXPECT_EQ(out.max_active_requests, out.static_max_active_requests);
}

// Trust: waste is at most page/mean and grows with the page; one page of max is static.
TEST(ContinuousBatching, KeepsItsTrustStatement) {
  double last = -1;
  for (const std::int64_t page : {1, 16, 64, 256, 1024, 8192}) {
    Inputs in = round_inputs();
    in.page_size = page;
    const Output out = answer(in);
    EXPECT_LE(out.fragmentation_fraction, static_cast<double>(page) / 1024);
    EXPECT_GT(out.fragmentation_fraction, last);
    last = out.fragmentation_fraction;
    EXPECT_LE(out.kv.base(), 86e9);
    EXPECT_LE(*out.decode_tokens_per_s, 5e14 / 14e9);
    if (page == 8192) {
      EXPECT_EQ(out.max_active_requests, out.static_max_active_requests);
      EXPECT_NEAR(out.fragmentation_fraction, out.static_fragmentation_fraction, 1e-12);
    }
  }
}

// Peer: the same state had another step time than serving, and no compute bound.
TEST(ContinuousBatching, StepIsServings) {
  Inputs in = round_inputs();
  in.mean_request_tokens = 1000;
  in.service.setting.layer_overhead = 10 * microsecond;
  const Output out = answer(in);
  serving::Inputs same;
  same.service = in.service;
  same.seq_len = 1000;
  same.batch_size = out.max_active_requests;
  EXPECT_EQ(*out.itl, serving::solve(*serving::check(same)).itl);
}

TEST(ContinuousBatching, ManyRequestsAreBoundByCompute) {
  Inputs in = round_inputs();
  in.max_seq_len = 64;
  in.mean_request_tokens = 64;
  in.max_batch_size = 100'000;
  EXPECT_LT(*answer(in).decode_tokens_per_s, 5e14 / 14e9);
  EXPECT_GT(*answer(in).decode_tokens_per_s, 0.9 * 5e14 / 14e9);
}

// Peer: prefill took no time. N out/(N t_p + out step(N)).
TEST(ContinuousBatching, PrefillTakesItsShare) {
  Inputs in = round_inputs();
  in.output_tokens = 128;
  const Output out = answer(in);
  const auto N = static_cast<double>(out.max_active_requests);
  EXPECT_NEAR(*out.output_tokens_per_s, N * 128 / (N * out.ttft.base() + 128 * out.itl->base()),
              1e-9);
  EXPECT_LT(*out.output_tokens_per_s, *out.decode_tokens_per_s);
}

// Prompts of 896 and outputs of 128: 7 prefill tokens to a decode token, so 2048/8 requests.
TEST(ContinuousBatching, BudgetOfTokensLimitsRequests) {
  Inputs in = round_inputs();
  in.output_tokens = 128;
  in.token_budget = 2048;
  const Output out = answer(in);
  EXPECT_EQ(out.max_active_requests, 256);
  EXPECT_EQ(out.binding, Binding::token_budget);
  EXPECT_DOUBLE_EQ(*out.output_tokens_per_s, 256 / out.itl->base());
  EXPECT_GE(out.itl->base(), 2048 * 14e9 / 5e14);
  in.token_budget = 4;
  EXPECT_EQ(answer(in).reason, Reason::token_budget);
}

// Peer: weights that did not fit gave a step of 1e6 ms.
TEST(ContinuousBatching, WithoutRoomThereIsNoStep) {
  Inputs in = round_inputs();
  in.service.hardware.memory_capacity = 10 * gigabyte;
  const Output out = answer(in);
  EXPECT_FALSE(out.feasible);
  EXPECT_EQ(out.reason, Reason::weights);
  EXPECT_FALSE(out.itl.has_value());
  in.service.hardware.memory_capacity = 14.001 * gigabyte;
  EXPECT_EQ(answer(in).reason, Reason::memory);
}

TEST(ContinuousBatching, TraceIsTakenAsItIs) {
  Inputs in = round_inputs();
  in.length_distribution = LengthDistribution::trace;
  in.request_lengths = {10, 20, 40};  // pages of 16: 1 + 2 + 3 = 96 tokens for 70
  EXPECT_NEAR(answer(in).fragmentation_fraction, 1 - 70.0 / 96, 1e-12);
  in.request_lengths.clear();
  EXPECT_EQ(check(in).error().where, "request_lengths");
}

TEST(ContinuousBatching, WindowsHoldMoreRequests) {
  const Model model = testing::gemma_2_27b();
  Inputs in = round_inputs();
  in.service.model = physics::totals_of(model);
  in.mean_request_tokens = 8192;
  const auto each = 23 * (8192 + 4096) * 8192.0;
  const double pool = 100e9 - 2 * in.service.model.params;
  EXPECT_EQ(answer(in).static_max_active_requests, static_cast<std::int64_t>(pool / each));
}

TEST(ContinuousBatching, RejectsWhatHasNoMeaning) {
  Inputs in = round_inputs();
  in.page_size = 0;
  EXPECT_EQ(check(in).error().where, "page_size");
  in = round_inputs();
  in.mean_request_tokens = 8193;
  EXPECT_EQ(check(in).error().where, "mean_request_tokens");
  in = round_inputs();
  in.output_tokens = 2000;  // of a request of 1024
  EXPECT_EQ(check(in).error().where, "output_tokens");
}

}  // namespace
}  // namespace ridgeline::solve::continuous_batching
