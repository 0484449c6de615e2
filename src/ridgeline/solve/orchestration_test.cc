#include "ridgeline/solve/orchestration.h"

#include <gtest/gtest.h>

namespace ridgeline::solve::orchestration {
namespace {

Inputs jobs(double per_day, double days, std::int64_t servers = 1) {
  Inputs in{.arrival_rate_jobs_per_day = per_day, .avg_job_duration = days * day};
  in.servers = servers;
  return in;
}

Output answer(const Inputs& in) {
  const auto checked = check(in);
  EXPECT_TRUE(checked) << (checked ? "" : checked.error().message);
  return solve(*checked);
}

// rho 0.8: wait 0.8 x 2 days/(2 x 0.2) = 4 days, 1.6 jobs in the queue. With random durations
// (cv 1) twice that.
TEST(Orchestration, MatchesAHandWorkedCase) {
  const Output out = answer(jobs(0.4, 2));
  EXPECT_DOUBLE_EQ(out.utilization_fraction, 0.8);
  EXPECT_NEAR(out.wait->base(), 345'600, 1e-6);
  EXPECT_NEAR(*out.queue_length, 1.6, 1e-12);
  Inputs in = jobs(0.4, 2);
  in.job_duration_cv = 1;
  EXPECT_NEAR(answer(in).wait->base(), 2 * 345'600, 1e-6);
}

TEST(Orchestration, CountsPlacesFromDevices) {
  Inputs in{.arrival_rate_jobs_per_day = 1, .avg_job_duration = 1 * day};
  in.devices = 100;
  in.devices_per_job = 32;
  EXPECT_EQ(answer(in).servers, 3);
  in.devices_per_job = 128;
  EXPECT_EQ(check(in).error().where, "devices_per_job");
}

TEST(Orchestration, KeepsItsTrustStatement) {
  double before = 1e18;
  for (std::int64_t c = 2; c < 12; ++c) {
    const Output out = answer(jobs(3, 0.5, c));
    EXPECT_NEAR(*out.queue_length, 3 * out.wait->in(day), 1e-12);
    EXPECT_LT(out.wait->base(), before);
    before = out.wait->base();
  }
  const Output full = answer(jobs(1, 1));
  EXPECT_FALSE(full.stable);
  EXPECT_FALSE(full.wait || full.queue_length);
  EXPECT_DOUBLE_EQ(full.utilization_fraction, 1);
}

TEST(Orchestration, RefusesNegativeRates) {
  EXPECT_EQ(check(jobs(-1, 2)).error().where, "arrival_rate_jobs_per_day");
}

}  // namespace
}  // namespace ridgeline::solve::orchestration
