#include "ridgeline/solve/batching.h"

#include <gtest/gtest.h>

#include "ridgeline/solve/serving.h"
#include "ridgeline/solve/serving_capacity.h"
#include "tests/support/solver_inputs.h"

namespace ridgeline::solve::batching {
namespace {

Inputs round_inputs() {
  Inputs in;
  in.service.model = testing::llama_8b_totals();
  in.service.hardware = testing::round_device();
  in.service.setting = testing::flat(0.5);
  in.service.setting.precision = Precision::bf16;
  in.qps = 4;
  in.sla.p99 = 10 * second;
  in.max_seq_len = 1024;
  return in;
}

Answer<Output, Point> answer(const Inputs& in) {
  const auto checked = check(in);
  EXPECT_TRUE(checked.has_value()) << (checked ? "" : checked.error().message);
  return solve(*checked);
}

// A batch of nine at 4/s is full after 8/4 = 2 s: 1 s for the mean request. All wait for the
// longest output, 256 steps, and the prefill is that of nine prompts at once.
TEST(Batching, StaticBatchesWaitUntilTheyAreFull) {
  Inputs in = round_inputs();
  in.policy = Policy::batched;
  in.max_output_tokens = 256;
  const Point nine = answer(in).rows[8];
  EXPECT_EQ(nine.batch, 9);
  EXPECT_DOUBLE_EQ(nine.fill_wait_mean.base(), 1);
  serving::Inputs batch;
  batch.service = in.service;
  batch.batch_size = 9;
  batch.seq_len = 1024;
  const serving::Output made = serving::solve(*serving::check(batch));
  EXPECT_EQ(nine.itl, made.itl);
  const Seconds service = made.prefill + 256 * made.itl;
  EXPECT_NEAR(nine.base.base(), 2 + service.base(), 1e-12);
  EXPECT_NEAR(nine.tokens_per_s, 9 * 128 / service.base(), 1e-9);
  EXPECT_GE(*nine.p99_latency, nine.base);
}

// One point of the curve is serving-capacity at that batch.
TEST(Batching, PricesABatchAsServingCapacityDoes) {
  const Inputs in = round_inputs();
  const Answer<Output, Point> found = answer(in);
  for (const std::int64_t B : {1, 7, 64}) {
    serving_capacity::Inputs one{.service = in.service, .qps = 4};
    one.target_p99_latency = *in.sla.p99;
    one.max_seq_len = in.max_seq_len;
    one.max_batch_size = B;
    const auto expected = serving_capacity::solve(*serving_capacity::check(one));
    const Point& point = found.rows[static_cast<std::size_t>(B - 1)];
    EXPECT_EQ(point.itl, *expected.itl);
    EXPECT_EQ(point.base, *expected.base_latency);
    EXPECT_EQ(point.required_replicas, expected.required_replicas);
    EXPECT_EQ(*point.p99_latency, *expected.p99_latency);
    EXPECT_EQ(*point.ttft_p99, *expected.ttft_p99);
    EXPECT_DOUBLE_EQ(point.tokens_per_s, *expected.per_replica_qps * 128);
  }
}

// A batch of one is the same under both policies.
TEST(Batching, OneRequestIsNoBatch) {
  Inputs in = round_inputs();
  in.max_search_batch = 1;
  const Point alone = answer(in).rows[0];
  in.policy = Policy::batched;
  const Point batch = answer(in).rows[0];
  EXPECT_EQ(batch.base, alone.base);
  EXPECT_EQ(*batch.p99_latency, *alone.p99_latency);
  EXPECT_EQ(batch.fill_wait_mean, Seconds{});
}

// Trust: a looser target never lowers the best, and none is inside a target below the prefill.
TEST(Batching, KeepsItsTrustStatement) {
  for (const Policy policy : {Policy::continuous, Policy::batched}) {
    double last = 0;
    for (const double target : {0.5, 1.0, 2.0, 5.0, 30.0}) {
      Inputs in = round_inputs();
      in.policy = policy;
      in.sla.p99 = target * second;
      const Output out = answer(in).output;
      EXPECT_GE(out.tokens_per_s.value_or(0), last);
      last = out.tokens_per_s.value_or(0);
    }
    EXPECT_GT(last, 0);
    Inputs in = round_inputs();
    in.policy = policy;
    in.sla = {.ttft = 1 * millisecond};
    EXPECT_FALSE(answer(in).output.feasible);
    EXPECT_EQ(answer(in).output.reason, Reason::ttft);
  }
}

TEST(Batching, KeepsEveryTarget) {
  Inputs in = round_inputs();
  in.sla = {.ttft = 60 * millisecond, .itl = 6 * millisecond, .p99 = 3 * second};
  const Answer<Output, Point> found = answer(in);
  ASSERT_TRUE(found.output.feasible);
  const double best = *found.output.tokens_per_s;
  for (const Point& point : found.rows) {
    EXPECT_EQ(point.inside, point.reason == Reason::none);
    if (!point.inside) continue;
    EXPECT_LE(*point.ttft_p99, *in.sla.ttft);
    EXPECT_LE(point.itl, *in.sla.itl);
    EXPECT_LE(*point.p99_latency, *in.sla.p99);
    EXPECT_LE(point.tokens_per_s, best);
  }
  const Rejected& r = found.output.rejected;
  std::int64_t inside = 0;
  for (const Point& point : found.rows) inside += point.inside ? 1 : 0;
  EXPECT_EQ(inside + r.memory + r.itl + r.ttft + r.base_latency + r.capacity + r.tail_latency, 256);
}

// 16.06 GB of weights in 20 GB leave 30 059 tokens of 131 072 B: 29 requests of 1024.
TEST(Batching, TriesOnlyWhatTheMemoryHolds) {
  Inputs in = round_inputs();
  in.service.hardware.memory_capacity = 20 * gigabyte;
  in.service.setting.memory_utilization = 1;
  const Answer<Output, Point> found = answer(in);
  EXPECT_EQ(found.rows.size(), 29U);
  EXPECT_EQ(found.output.rejected.memory, 256 - 29);
  in.service.hardware.memory_capacity = 16 * gigabyte;
  EXPECT_EQ(answer(in).output.reason, Reason::memory);
  EXPECT_FALSE(answer(in).output.feasible);
}

TEST(Batching, TakesTargetsUnderTheirOtherNames) {
  Inputs in = round_inputs();
  const Output one = answer(in).output;
  in.qps.reset();
  in.arrival_rate_qps = 4;
  in.sla = {};
  in.target_p99_latency = 10 * second;
  EXPECT_EQ(answer(in).output.best_batch, one.best_batch);
  in.sla_latency = 9 * second;
  EXPECT_EQ(check(in).error().where, "sla_latency");
  in = round_inputs();
  in.sla = {};
  EXPECT_EQ(check(in).error().where, "sla");
  in.qps.reset();
  EXPECT_EQ(check(in).error().where, "qps");
}

}  // namespace
}  // namespace ridgeline::solve::batching
