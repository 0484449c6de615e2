#include "ridgeline/solve/batch_jobs.h"

#include <gtest/gtest.h>

#include "ridgeline/solve/batching.h"
#include "tests/support/solver_inputs.h"

namespace ridgeline::solve::batch_jobs {
namespace {

constexpr DollarsPerSecond kPerHour = DollarsPerSecond::from_base(1.0 / 3600);

Inputs round_job() {
  Inputs in;
  in.tokens = 1e9;
  in.tokens_per_s = 20'000;
  in.replicas = 4;
  return in;
}

Output answer(const Inputs& in) {
  const auto checked = check(in);
  EXPECT_TRUE(checked.has_value()) << (checked ? "" : checked.error().message);
  return solve(*checked);
}

// 1e9/(20 000 x 4) = 12 500 s. On eight devices each, at 2 USD/h: 32 x 12 500/3600 x 2 = 222.22
// USD. 1 kW at PUE 1.2: 32 x 12 500/3600 x 1.2 = 133.33 kWh.
TEST(BatchJobs, MatchesAHandWorkedCase) {
  Inputs in = round_job();
  EXPECT_DOUBLE_EQ(answer(in).makespan->base(), 12'500);
  EXPECT_FALSE(answer(in).cost.has_value());
  in.devices_per_replica = 8;
  in.hourly_rental_price = 2 * kPerHour;
  in.tdp = 1000 * watt;
  in.pue = 1.2;
  in.carbon_intensity = 0.5 * kilogram_co2e / kilowatt_hour;
  const Output out = answer(in);
  EXPECT_NEAR(out.cost->base(), 222.2222, 1e-4);
  EXPECT_NEAR(out.per_million_tokens->base(), 0.2222222, 1e-7);
  EXPECT_NEAR(*out.device_hours, 111.1111, 1e-4);
  EXPECT_NEAR(*out.kwh_per_million_tokens, 0.1333333, 1e-7);
  EXPECT_NEAR(*out.kgco2e_per_million_tokens, 0.0666667, 1e-7);
}

// An interruption every ten hours that loses 15 min: 2.5 % more time. At a third of the price it
// would take (3 - 1)/0.25 = 8 an hour to lose the gain.
TEST(BatchJobs, TaxesInterruptibleDevices) {
  Inputs in = round_job();
  in.hourly_rental_price = 3 * kPerHour;
  in.interruptible_price = 1 * kPerHour;
  in.interruptions_per_h = 0.1;
  in.restart_time = 300 * second;
  in.rework_time = 600 * second;
  const Output out = answer(in);
  EXPECT_NEAR(out.tax_fraction, 0.025, 1e-15);
  EXPECT_NEAR(out.makespan->base(), 12'812.5, 1e-9);
  EXPECT_NEAR(out.cost->base(), 4 * 12'812.5 / 3600, 1e-9);
  EXPECT_NEAR(out.on_demand_cost->base(), 3 * 4 * 12'500 / 3600.0, 1e-9);
  EXPECT_NEAR(*out.break_even_interruption_per_h, 8, 1e-12);
}

// Trust: without interruptions the same time; at the break-even rate the same cost.
TEST(BatchJobs, KeepsItsTrustStatement) {
  Inputs in = round_job();
  in.hourly_rental_price = 3 * kPerHour;
  in.interruptible_price = 1.25 * kPerHour;
  in.restart_time = 100 * second;
  in.rework_time = 1000 * second;
  const Output never = answer(in);
  EXPECT_EQ(*never.makespan, *never.on_demand_makespan);
  in.interruptions_per_h = *never.break_even_interruption_per_h;
  const Output even = answer(in);
  EXPECT_NEAR(*even.cost / *even.on_demand_cost, 1, 1e-12);
}

// The speed of a model is that of its best batch, whatever the latency.
TEST(BatchJobs, WorksAtTheBestBatch) {
  Inputs in = round_job();
  in.tokens_per_s.reset();
  in.service.model = testing::llama_8b_totals();
  in.service.hardware = testing::round_device();
  in.service.setting = testing::flat(0.5);
  in.service.setting.precision = Precision::bf16;
  const Output out = answer(in);
  batching::Inputs batches;
  batches.service = in.service;
  batches.qps = 1;
  batches.sla.p99 = 1e6 * second;
  const auto points = batching::solve(*batching::check(batches)).rows;
  double most = 0;
  for (const batching::Point& point : points) most = std::max(most, point.tokens_per_s);
  EXPECT_DOUBLE_EQ(*out.tokens_per_s, most);
  EXPECT_NEAR(out.makespan->base(), 1e9 / (4 * most), 1e-6);
  EXPECT_GT(*out.kwh_per_million_tokens, 0);  // by the power of the device
  in.service.hardware.memory_capacity = 10 * gigabyte;
  EXPECT_EQ(answer(in).reason, Reason::memory);
  EXPECT_FALSE(answer(in).feasible);
}

TEST(BatchJobs, SaysWhenItIsLate) {
  Inputs in = round_job();
  in.deadline = 3 * hour;
  EXPECT_EQ(answer(in).reason, Reason::deadline);
  in.replicas = 8;
  EXPECT_TRUE(answer(in).feasible);
  in.tokens = 0;
  EXPECT_EQ(check(in).error().where, "tokens");
}

}  // namespace
}  // namespace ridgeline::solve::batch_jobs
