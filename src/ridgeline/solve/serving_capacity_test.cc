#include "ridgeline/solve/serving_capacity.h"

#include <gtest/gtest.h>

#include "tests/support/models.h"
#include "tests/support/solver_inputs.h"

namespace ridgeline::solve::serving_capacity {
namespace {

Inputs round_inputs() {
  Inputs in;
  in.service.model = testing::llama_8b_totals();
  in.service.hardware = testing::h100();
  in.service.setting = testing::flat(0.5);
  in.service.setting.precision = Precision::bf16;
  in.qps = 100;
  in.target_p99_latency = 5 * second;
  return in;
}

Output answer(const Inputs& in) {
  const auto checked = check(in);
  EXPECT_TRUE(checked.has_value()) << (checked ? "" : checked.error().message);
  return solve(*checked);
}

// Peer: one replica served 100 prompts/s of 8192 tokens. Full attention takes 0.33721 s each, so
// that prefill alone needs 33.7 of them.
TEST(ServingCapacity, PrefillTakesReplicas) {
  Inputs in = round_inputs();
  in.service.setting.attention_count = physics::AttentionCount::full;
  in.max_seq_len = 8192;
  in.output_tokens = 1;
  in.target_p99_latency = 60 * second;
  const Output out = answer(in);
  EXPECT_NEAR(out.prefill.base(), 0.33721, 1e-5);
  EXPECT_EQ(*out.required_replicas, 34);
}

TEST(ServingCapacity, LatencyIsLittlesLawOfAFullReplica) {
  const Output out = answer(round_inputs());
  const double N = static_cast<double>(out.active_batch_size);
  EXPECT_DOUBLE_EQ(out.base_latency->base(), N * out.prefill.base() + 128 * out.itl->base());
  EXPECT_DOUBLE_EQ(*out.per_replica_qps * out.base_latency->base(), N);
  EXPECT_NEAR((*out.ttft_p99 - *out.queue_wait_p99).base(), (out.prefill + *out.itl).base(), 1e-12);
}

// Trust: never fewer than prefill alone needs; a tighter target never needs fewer.
TEST(ServingCapacity, KeepsItsTrustStatement) {
  std::int64_t last = 0;
  for (const double target : {60.0, 10.0, 5.0, 4.0, 3.6}) {
    Inputs in = round_inputs();
    in.target_p99_latency = target * second;
    const Output out = answer(in);
    EXPECT_GE(static_cast<double>(*out.required_replicas), 100 * out.prefill.base());
    EXPECT_GE(*out.required_replicas, last);
    EXPECT_LE(*out.p99_latency, in.target_p99_latency);
    last = *out.required_replicas;
  }
}

// The answer is the smallest: one replica less misses.
TEST(ServingCapacity, OneReplicaLessIsTooFew) {
  Inputs in = round_inputs();
  in.target_p99_latency = 3.6 * second;
  const Output out = answer(in);
  in.max_replicas = *out.required_replicas - 1;
  EXPECT_FALSE(answer(in).feasible);
}

TEST(ServingCapacity, ReplicasGrowWithTheRate) {
  Inputs in = round_inputs();
  in.max_replicas = 100'000;
  in.qps = 10'000;
  const auto many = static_cast<double>(*answer(in).required_replicas);
  in.qps = 20'000;
  EXPECT_NEAR(static_cast<double>(*answer(in).required_replicas) / many, 2, 0.01);
  in.mean_request_tokens = 1024;
  EXPECT_LE(*answer(in).required_replicas, 2 * many);
}

// Peer: base latency was never the answer; all replicas were scanned.
TEST(ServingCapacity, FullReplicaTooSlowIsSaidAtOnce) {
  Inputs in = round_inputs();
  in.target_p99_latency = 2 * second;
  const Output out = answer(in);
  EXPECT_EQ(out.bottleneck, Bottleneck::base_latency);
  EXPECT_FALSE(out.required_replicas.has_value());
  ASSERT_GT(*out.largest_batch_within_target, 0);
  in.max_batch_size = *out.largest_batch_within_target;
  EXPECT_LE(*answer(in).base_latency, in.target_p99_latency);
  in.max_batch_size += 1;
  EXPECT_EQ(answer(in).bottleneck, Bottleneck::base_latency);
}

TEST(ServingCapacity, SaysWhatStopsIt) {
  Inputs in = round_inputs();
  in.max_replicas = 5;
  EXPECT_EQ(answer(in).bottleneck, Bottleneck::capacity);
  // As many replicas as the rate alone needs, and a target that leaves no time to wait.
  in = round_inputs();
  in.target_p99_latency = 1e6 * second;
  const Output patient = answer(in);
  in.max_replicas = *patient.required_replicas;
  in.target_p99_latency = *patient.base_latency * 1.0001;
  EXPECT_EQ(answer(in).bottleneck, Bottleneck::tail_latency);
  in = round_inputs();
  in.service.hardware.memory_capacity = 10 * gigabyte;
  EXPECT_EQ(answer(in).bottleneck, Bottleneck::memory);
  EXPECT_FALSE(answer(in).feasible);
}

// Peer: prompt and output could exceed the model's context.
TEST(ServingCapacity, RequestsFitTheModelsContext) {
  Model model = testing::llama_8b();
  model.max_context = 2048;
  Inputs in = round_inputs();
  in.service.model = physics::totals_of(model);
  EXPECT_EQ(check(in).error().where, "output_tokens");
  in.mean_request_tokens = 1920;
  EXPECT_TRUE(check(in).has_value());
}

TEST(ServingCapacity, RejectsWhatHasNoMeaning) {
  Inputs in = round_inputs();
  in.qps = 0;
  EXPECT_EQ(check(in).error().where, "qps");
  in = round_inputs();
  in.target_p99_latency = -1 * second;
  EXPECT_EQ(check(in).error().where, "target_p99_latency");
}

}  // namespace
}  // namespace ridgeline::solve::serving_capacity
