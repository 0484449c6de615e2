#include "ridgeline/solve/tail_latency.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ridgeline::solve::tail_latency {
namespace {

Inputs queue(double arrivals, std::int64_t replicas) {
  Inputs in;
  in.arrival_rate_qps = arrivals;
  in.service_latency = 0.1 * second;
  in.num_replicas = replicas;
  return in;
}

Output answer(const Inputs& in) {
  const auto checked = check(in);
  EXPECT_TRUE(checked.has_value()) << (checked ? "" : checked.error().message);
  return solve(*checked);
}

// Peer: 0.1 s. lambda 0.1, s 0.1: 0.1 x ln 100/0.99 = 0.465169 s.
TEST(TailLatency, MatchesTheWorkedExample) {
  EXPECT_NEAR(answer(queue(0.1, 1)).latency_p99->base(), 0.465169, 1e-6);
}

// Trust: one replica, Poisson and exponential: s ln 100/(1 - rho) exactly.
TEST(TailLatency, KeepsItsTrustStatement) {
  for (const double rho : {0.01, 0.3, 0.5, 0.9, 0.999}) {
    const double exact = 0.1 * std::log(100) / (1 - rho);
    EXPECT_NEAR(answer(queue(10 * rho, 1)).latency_p99->base() / exact, 1, 1e-9);
  }
}

TEST(TailLatency, WithoutArrivalsThereIsServiceAlone) {
  const Output out = answer(queue(0, 4));
  EXPECT_NEAR(out.latency_p99->base(), 0.1 * std::log(100), 1e-12);
  EXPECT_EQ(out.wait_p99->base(), 0);
  EXPECT_NEAR(answer(queue(50, 100'000)).latency_p99->base(), 0.1 * std::log(100), 1e-12);
}

TEST(TailLatency, OneQueueBeatsTwo) {
  EXPECT_LT(*answer(queue(18, 2)).latency_p99, *answer(queue(9, 1)).latency_p99);
}

// Little: 9/s in and 1 s in the house of M/M/1 at rho 0.9 are 9 requests, rho/(1 - rho).
TEST(TailLatency, LittlesLawHolds) {
  EXPECT_NEAR(9 * answer(queue(9, 1)).latency_mean->base(), 0.9 / 0.1, 1e-9);
}

// Peer: overload was capped at 1. 20/s on one of 0.1 s: 2.
TEST(TailLatency, OverloadShowsItsLoad) {
  const Output out = answer(queue(20, 1));
  EXPECT_FALSE(out.stable);
  EXPECT_DOUBLE_EQ(out.utilization_fraction, 2);
  EXPECT_FALSE(out.latency_p99.has_value());
  EXPECT_FALSE(answer(queue(10, 1)).stable);
}

TEST(TailLatency, LargeFleetsDoNotOverflow) {
  const Output out = answer(queue(999'000, 100'000));
  EXPECT_TRUE(std::isfinite(out.latency_p99->base()));
  EXPECT_GT(*out.wait_probability_fraction, 0);
}

TEST(TailLatency, VariabilityStretchesWaits) {
  Inputs in = queue(9, 1);
  const Output markov = answer(in);
  in.service_time_cv = 0;
  EXPECT_NEAR(answer(in).wait_p99->base(), markov.wait_p99->base() / 2, 1e-12);
  EXPECT_NEAR((*answer(in).latency_p99 - *answer(in).wait_p99).base(), 0.1, 1e-12);
  in.service_time_cv = 2;
  EXPECT_GT(*answer(in).latency_p99, *markov.latency_p99);
  in = queue(9, 1);
  in.arrival_cv = 3;
  EXPECT_GT(*answer(in).latency_p99, *markov.latency_p99);
}

// A request to 100 leaves waits for the slowest: its median is a leaf's 99.3rd percentile.
TEST(TailLatency, FanOutTakesTheSlowestLeaf) {
  Inputs in = queue(0, 1);
  in.fan_out = 100;
  EXPECT_NEAR(answer(in).latency_p50->base(), -0.1 * std::log(1 - std::pow(0.5, 0.01)), 1e-9);
}

TEST(TailLatency, SlackCountsFromTheTarget) {
  Inputs in = queue(5, 1);
  in.target_p99_latency = 1 * second;
  EXPECT_NEAR(answer(in).slo_slack->base(), 1 - 0.921034037, 1e-8);
  EXPECT_EQ(answer(in).latency_quantiles_s.size(), 4U);
}

// Peer: negative arrivals, a service of 0 and 0 replicas were accepted.
TEST(TailLatency, RejectsWhatHasNoMeaning) {
  Inputs in = queue(-1, 1);
  EXPECT_EQ(check(in).error().where, "arrival_rate_qps");
  in = queue(1, 0);
  EXPECT_EQ(check(in).error().where, "num_replicas");
  in = queue(1, 1);
  in.service_latency = Seconds{};
  EXPECT_EQ(check(in).error().where, "service_latency");
  in = queue(std::numeric_limits<double>::quiet_NaN(), 1);
  EXPECT_EQ(check(in).error().where, "arrival_rate_qps");
}

}  // namespace
}  // namespace ridgeline::solve::tail_latency
