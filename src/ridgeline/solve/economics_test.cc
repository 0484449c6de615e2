#include "ridgeline/solve/economics.h"

#include <gtest/gtest.h>

namespace ridgeline::solve::economics {
namespace {

constexpr auto kPerKwh = 1 / 3.6e6;

Inputs round_inputs() {
  Inputs in;
  in.fleet.devices = 64;
  in.fleet.duration = 30 * day;
  in.fleet.tdp = 700 * watt;
  in.fleet.pue = 1.12;
  in.kwh_price = DollarsPerJoule::from_base(0.12 * kPerKwh);
  in.unit_cost = 25000 * dollar;
  return in;
}

Output answer(const Inputs& in) {
  const auto checked = check(in);
  EXPECT_TRUE(checked.has_value()) << (checked ? "" : checked.error().message);
  return solve(*checked);
}

// 1.6e6/3 x 30/365 = 43 835.62; 64 x 0.7 kW x 720 h x 1.12 x 0.12 = 4 335.21; with 5 % maintenance
// 1.6e6 x 0.05 x 30/365 = 6 575.34 in all 54 746.17.
TEST(Economics, MatchesTheWorkedExample) {
  const Output out = answer(round_inputs());
  EXPECT_NEAR(out.capex->base(), 43835.62, 5e-3);
  EXPECT_NEAR(out.energy->base(), 4335.21, 5e-3);
  EXPECT_NEAR(out.maintenance->base(), 6575.34, 5e-3);
  EXPECT_NEAR(out.tco->base(), 54746.17, 5e-3);
  EXPECT_NEAR(out.per_device_hour->base(), 54746.17 / 64 / 720, 1e-6);
}

// Trust: linear in days, no discount is the straight line, equal cost at the break-even.
TEST(Economics, KeepsItsTrustStatement) {
  Inputs in = round_inputs();
  const double month = answer(in).tco->base();
  in.fleet.duration = 90 * day;
  EXPECT_NEAR(answer(in).tco->base(), 3 * month, 1e-6);
  in = round_inputs();
  in.discount_rate = 1e-9;
  EXPECT_NEAR(answer(in).capex->base(), 43835.62, 5e-3);
  in = round_inputs();
  in.hourly_rental_price = DollarsPerSecond::from_base(2.0 / 3600);
  const Output out = answer(in);
  EXPECT_NEAR(out.cloud->base(), 64 * 720 * 2, 1e-6);
  EXPECT_NEAR(*out.break_even_utilization_fraction * out.cloud->base(), out.tco->base(), 1e-6);
}

// 10 % for 3 years: 0.1/(1 - 1.1^-3) = 0.4021148 of the investment a year.
TEST(Economics, DiscountIsAnAnnuity) {
  Inputs in = round_inputs();
  in.discount_rate = 0.1;
  EXPECT_NEAR(answer(in).capex->base(), 1.6e6 * 0.4021148 * 30 / 365, 0.01);
  in.discount_rate = 0;
  in.residual_fraction = 0.4;
  EXPECT_NEAR(answer(in).capex->base(), 0.6 * 43835.62, 5e-3);
}

TEST(Economics, TokensShareTheBill) {
  Inputs in = round_inputs();
  in.tokens_per_s = 1000;
  in.utilization_fraction = 0.5;
  const double seconds = 30 * 86400 * 0.5;
  EXPECT_NEAR(answer(in).per_million_tokens->base(), 54746.17 / (1000 * seconds) * 1e6, 1e-4);
  in.input_tokens_per_s = 4000;
  in.prefill_time_fraction = 0.25;
  const Output out = answer(in);
  const double both =
      out.per_million_input_tokens->base() * 4000 + out.per_million_output_tokens->base() * 1000;
  EXPECT_NEAR(both * seconds / 1e6, 54746.17, 0.01);
}

// 2 788 000 device hours at 2 USD: 5 576 000 USD, with nothing known of the hardware.
TEST(Economics, RentingNeedsAPriceAlone) {
  Inputs in;
  in.fleet.device_hours = 2'788'000;
  in.hourly_rental_price = DollarsPerSecond::from_base(2.0 / 3600);
  const Output out = answer(in);
  EXPECT_NEAR(out.cloud->base(), 5'576'000, 1e-6);
  EXPECT_FALSE(out.tco.has_value());
}

// Peer: electricity cost 0.12 USD/kWh everywhere, and devices without a price nothing.
TEST(Economics, NothingIsFreeUnlessItIsSaid) {
  Inputs in = round_inputs();
  in.unit_cost.reset();
  EXPECT_EQ(check(in).error().where, "unit_cost");
  in = round_inputs();
  in.kwh_price.reset();
  EXPECT_EQ(check(in).error().where, "kwh_price");
  in.kwh_price = DollarsPerJoule{};
  EXPECT_EQ(answer(in).energy->base(), 0);
}

TEST(Economics, PeakPowerAndStaffArePaidByTime) {
  Inputs in = round_inputs();
  in.demand_charge_per_kw_month = 10 * dollar;
  in.staff_per_year = 365000 * dollar;
  const Output out = answer(in);
  const double peak_kw = 64 * 0.7 * 1.12;
  EXPECT_NEAR(out.energy->base(), 4335.2064 + peak_kw * 10 * 12 * 30 / 365, 1e-6);
  EXPECT_NEAR((*out.opex - *out.energy - *out.maintenance).base(), 30000, 1e-6);
}

// Peer: negative days, prices and multipliers were accepted; 0 years divided by zero.
TEST(Economics, RejectsWhatHasNoMeaning) {
  Inputs in = round_inputs();
  in.fleet.duration = -30 * day;
  EXPECT_EQ(check(in).error().where, "duration");
  in = round_inputs();
  in.amortization_years = 0;
  EXPECT_EQ(check(in).error().where, "amortization_years");
  in = round_inputs();
  in.infrastructure_multiplier = -1;
  EXPECT_EQ(check(in).error().where, "infrastructure_multiplier");
  in = round_inputs();
  in.fleet.mfu = 1.5;
  EXPECT_EQ(check(in).error().where, "mfu");
}

}  // namespace
}  // namespace ridgeline::solve::economics
