#include "ridgeline/solve/latency_slo.h"

#include <gtest/gtest.h>

#include "ridgeline/solve/serving_capacity.h"
#include "ridgeline/solve/tail_latency.h"
#include "tests/support/solver_inputs.h"

namespace ridgeline::solve::latency_slo {
namespace {

Output answer(const Inputs& in) {
  const auto checked = check(in);
  EXPECT_TRUE(checked) << (checked ? "" : checked.error().message);
  return solve(*checked);
}

// M/M/1: P(T > t) = e^(-(10 - qps) t) is 1 % at ln 100/(10 - qps) = 0.921034 s: qps 5, of which
// 99 % are in time.
TEST(LatencySlo, MatchesAHandWorkedCase) {
  Inputs in{.service_latency = 0.1 * second, .target_p99_latency = 0.92103404 * second};
  const Output out = answer(in);
  EXPECT_NEAR(out.qps, 5, 1e-7);
  EXPECT_NEAR(out.goodput_requests_per_s, 4.95, 1e-7);
  EXPECT_EQ(out.binding, Binding::latency);
  EXPECT_DOUBLE_EQ(*out.qps_capacity, 10);
  // The service alone takes 0.1 ln 100 = 0.4605 s in 99 % of cases.
  in.target_p99_latency = 0.46 * second;
  EXPECT_FALSE(answer(in).feasible);
  EXPECT_EQ(answer(in).qps, 0);
}

Inputs llama() {
  Inputs in;
  in.service.model = testing::llama_8b_totals();
  in.service.hardware = testing::h100();
  in.service.setting = testing::flat(0.5);
  in.max_seq_len = 1024;
  in.num_replicas = 4;
  in.target_p99_latency = 10 * second;
  return in;
}

// The largest load of a target is one at which serving-capacity finds that many replicas enough,
// and one replica less, or a little more load, too little.
TEST(LatencySlo, IsTheInverseOfServingCapacity) {
  const Inputs in = llama();
  const Output out = answer(in);
  EXPECT_NEAR(out.latency->base(), 10, 1e-9);
  serving_capacity::Inputs back;
  back.service = in.service;
  back.max_seq_len = in.max_seq_len;
  back.target_p99_latency = 10 * second;
  back.qps = out.qps * (1 - 1e-9);
  EXPECT_EQ(*serving_capacity::solve(*serving_capacity::check(back)).required_replicas, 4);
  back.qps = out.qps * (1 + 1e-6);
  EXPECT_EQ(*serving_capacity::solve(*serving_capacity::check(back)).required_replicas, 5);
}

// Trust: a looser target never lowers the load, the quantile at that load is the target.
TEST(LatencySlo, KeepsItsTrustStatement) {
  Inputs in = llama();
  double last = 0;
  for (const double target : {0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 60.0}) {
    in.target_p99_latency = target * second;
    const Output out = answer(in);
    EXPECT_GE(out.qps, last) << target;
    EXPECT_LE(out.latency.value_or(Seconds{}).base(), target * (1 + 1e-12));
    last = out.qps;
  }
  EXPECT_LT(last, *answer(in).qps_capacity);
  for (const double target : {0.2, 0.5, 1.0, 5.0}) {
    in.target_ttft = target * second;
    const double qps = answer(in).qps;
    EXPECT_LE(qps, last);
  }
  Inputs alone{.service_latency = 0.2 * second, .target_p99_latency = 2 * second};
  alone.num_replicas = 7;
  alone.service_time_cv = 0.5;
  tail_latency::Inputs tail{.arrival_rate_qps = answer(alone).qps, .service_latency = 0.2 * second};
  tail.num_replicas = 7;
  tail.service_time_cv = 0.5;
  EXPECT_NEAR(tail_latency::solve(*tail_latency::check(tail)).latency_p99->base(), 2, 1e-6);
}

TEST(LatencySlo, NamesTheTargetThatBinds) {
  Inputs in = llama();
  in.target_ttft = 0.1 * second;
  const Output out = answer(in);
  EXPECT_EQ(out.binding, Binding::ttft);
  EXPECT_NEAR(out.ttft->base(), 0.1, 1e-9);
  in.target_ttft = 1 * millisecond;  // a prompt alone takes longer
  EXPECT_EQ(answer(in).reason, Binding::ttft);
  in = llama();
  in.target_itl = 1 * millisecond;  // the weights take 4.79 ms to read
  EXPECT_EQ(answer(in).reason, Binding::itl);
  in.target_itl = 20 * millisecond;
  in.target_p99_latency.reset();
  EXPECT_EQ(answer(in).binding, Binding::capacity);
  EXPECT_EQ(answer(in).qps, *answer(in).qps_capacity);
  in = llama();
  in.target_p99_latency = 0.7 * second;  // one request takes 128 x 4.8 ms + its prefill
  EXPECT_EQ(answer(in).reason, Binding::latency);
  EXPECT_GE(*answer(in).largest_batch_within_target, 1);
  in.service.model = testing::llama_70b_totals();
  EXPECT_EQ(answer(in).reason, Binding::memory);
}

TEST(LatencySlo, NamesWhatIsMissing) {
  EXPECT_EQ(check({}).error().where, "target_p99_latency");
  EXPECT_EQ(check({.target_p99_latency = 1 * second}).error().where, "model");
  Inputs in{.service_latency = 0.1 * second, .target_ttft = 1 * second};
  EXPECT_EQ(check(in).error().where, "model");
  in = llama();
  in.service_latency = 1 * second;
  EXPECT_EQ(check(in).error().where, "service_latency");
}

}  // namespace
}  // namespace ridgeline::solve::latency_slo
