#include "ridgeline/solve/reliability.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace ridgeline::solve::reliability {
namespace {

Inputs given(double mtbf_s, double write_s, double recovery_s) {
  Inputs in;
  in.mtbf = mtbf_s * second;
  in.checkpoint_time = write_s * second;
  in.avg_recovery_time = recovery_s * second;
  in.job_duration = 30 * day;
  return in;
}

Output answer(const Inputs& in) {
  const auto checked = check(in);
  EXPECT_TRUE(checked.has_value()) << (checked ? "" : checked.error().message);
  return solve(*checked);
}

// M = 527 343.75 s, delta 60, R 300: tau 7 954.95; 1 - 2 x 0.0075425 - 0.0005689 = 0.984346.
TEST(Reliability, MatchesTheWorkedExample) {
  const Output out = answer(given(527343.75, 60, 300));
  EXPECT_NEAR(out.interval.base(), 7954.95, 5e-3);
  EXPECT_NEAR(out.useful_fraction, 0.984346, 5e-7);
  EXPECT_DOUBLE_EQ(out.lost_checkpoint_fraction, out.lost_rework_fraction);
}

// Peer: rework was left out of the useful share: 0.983 rather than 0.968 on 1024 devices.
TEST(Reliability, WorkSinceTheLastSaveIsLost) {
  Inputs in;
  in.nodes = 128;
  in.parts = {{"device", 8, 50000 * hour}, {"nic", 8, 150000 * hour}};
  in.checkpoint_time = 60 * second;
  in.job_duration = 30 * day;
  EXPECT_NEAR(answer(in).useful_fraction, 0.968, 1e-3);
}

// 32 nodes of 8 at 50 000 h: 50 000/256 h.
TEST(Reliability, RatesOfPartsAdd) {
  Inputs in;
  in.nodes = 32;
  in.parts = {{"device", 8, 50000 * hour}, {"psu", 0, 100000 * hour}};
  in.checkpoint_time = 60 * second;
  in.job_duration = 100 * hour;
  EXPECT_DOUBLE_EQ(answer(in).mtbf.in(hour), 50000.0 / 256);
  EXPECT_EQ(*answer(in).largest_cause, 0);
  in.nodes = 64;
  EXPECT_DOUBLE_EQ(answer(in).mtbf.in(hour), 50000.0 / 512);
}

// RSC-1: 6.5 per 1000 node-days: 2048 nodes stop every 1.8 h [kokolis2024].
TEST(Reliability, NodeRatesGiveThePublishedInterval) {
  Inputs in;
  in.nodes = 2048;
  in.node_failures_per_1000_days = 6.5;
  in.checkpoint_time = 60 * second;
  EXPECT_NEAR(answer(in).mtbf.in(hour), 1.8, 0.01);
}

// Llama 3: 419 unexpected stops of 16 384 devices in 54 days, 148 by devices, 72 by HBM, 35 by the
// network [grattafiori2024]: parts with those rates give the counts back.
TEST(Reliability, PartsReproduceAPublishedRun) {
  const auto part = [](const char* name, double stops) {
    return Part{name, 8, 16384 * 54.0 / stops * day};
  };
  Inputs in;
  in.nodes = 2048;
  in.parts = {part("hbm", 72), part("device", 148), part("network", 35), part("other", 164)};
  in.checkpoint_time = 60 * second;
  in.job_duration = 54 * day;
  EXPECT_NEAR(answer(in).expected_failures, 419, 1e-9);
  EXPECT_EQ(*answer(in).largest_cause, 3);
  in.parts.pop_back();
  EXPECT_EQ(*answer(in).largest_cause, 1);
}

// Peer: the fleet's own time between failures was ignored.
TEST(Reliability, GivenIntervalBetweenFailuresWins) {
  Inputs in = given(1000, 1, 0);
  in.parts = {{"device", 8, 50000 * hour}};
  EXPECT_DOUBLE_EQ(answer(in).mtbf.base(), 1000);
}

// M 3600, delta 600, R 600: 0.256 by first order, 0.443 exactly.
TEST(Reliability, FirstOrderIsPessimisticWhereFailuresAreFrequent) {
  const Output out = answer(given(3600, 600, 600));
  EXPECT_NEAR(out.useful_fraction, 0.256, 5e-4);
  EXPECT_NEAR(out.useful_exact_fraction, 0.443, 5e-4);
  EXPECT_FALSE(out.trusted);
}

// Trust: at the corner of the range, against the exact model, its optimum found by search.
TEST(Reliability, KeepsItsTrustStatement) {
  const double M = 1e4, delta = M / 100, R = M / 50;
  Inputs in = given(M, delta, R);
  const Output out = answer(in);
  EXPECT_TRUE(out.trusted);
  double best = 0;
  for (double tau = 10; tau < M; tau += 1) {
    in.interval = tau * second;
    best = std::max(best, answer(in).useful_exact_fraction);
  }
  EXPECT_LE(1 - out.useful_exact_fraction, 1.001 * (1 - best));
  EXPECT_LE(1 - out.useful_fraction, 1.07 * (1 - out.useful_exact_fraction));
  in.interval.reset();
  in.interval_method = IntervalMethod::daly;
  EXPECT_NEAR(answer(in).useful_exact_fraction, best, 1e-6);
}

TEST(Reliability, PerfectSavesLoseNothing) {
  const Output out = answer(given(1e9, 1e-6, 0));
  EXPECT_NEAR(out.useful_fraction, 1, 1e-6);
  EXPECT_LE(out.useful_exact_fraction, 1);
}

TEST(Reliability, IntervalIsNotBelowTheWrite) {
  EXPECT_DOUBLE_EQ(answer(given(100, 1000, 0)).interval.base(), 1000);
  Inputs in = given(100, 1000, 0);
  in.interval_method = IntervalMethod::daly;
  EXPECT_DOUBLE_EQ(answer(in).interval.base(), 100);
  EXPECT_EQ(answer(in).useful_fraction, 0);
}

TEST(Reliability, RecoveryIsTheSumOfItsParts) {
  Inputs in = given(1e5, 60, 300);
  in.detect_time = 60 * second;
  in.restart_time = 180 * second;
  in.warm_up_time = 120 * second;
  EXPECT_DOUBLE_EQ(answer(in).lost_recovery_fraction, 360 / 1e5);
}

// Peer: a negative recovery gave a useful share of 7586.
TEST(Reliability, RejectsWhatHasNoMeaning) {
  EXPECT_EQ(check(given(1000, 60, -1)).error().where, "avg_recovery_time");
  EXPECT_EQ(check(given(1000, 0, 300)).error().where, "checkpoint_time");
  Inputs in = given(1000, 60, 300);
  in.mtbf.reset();
  EXPECT_EQ(check(in).error().where, "parts");
  in.parts = {{"device", 8, Seconds{}}};
  EXPECT_EQ(check(in).error().where, "parts/mttf");
}

}  // namespace
}  // namespace ridgeline::solve::reliability
