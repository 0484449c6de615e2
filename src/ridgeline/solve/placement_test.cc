#include "ridgeline/solve/placement.h"

#include <gtest/gtest.h>

namespace ridgeline::solve::placement {
namespace {

constexpr double kPerKwh = 1 / 3.6e6;

Region region(const char* name, double kg_per_kwh, double pue, double usd_per_kwh = 0.12) {
  Region out{.name = name};
  out.carbon_intensity = EmissionsPerJoule::from_base(kg_per_kwh * kPerKwh);
  out.pue = pue;
  out.wue = WaterPerJoule::from_base(1.8 * kPerKwh);
  out.kwh_price = DollarsPerJoule::from_base(usd_per_kwh * kPerKwh);
  return out;
}

Inputs fleet() {
  Inputs in;
  in.owner.fleet.devices = 64;
  in.owner.fleet.duration = 30 * day;
  in.owner.fleet.tdp = 700 * watt;
  in.owner.unit_cost = 25'000 * dollar;
  in.regions = {region("US", 0.429, 1.12), region("Quebec", 0.02, 1.06)};
  return in;
}

// 64 x 25 000 USD: 43 835.62 of capex and 6 575.34 of maintenance; 32 256 kWh x 1.06 x 0.12 =
// 4 102.96; 683.83 kg at 100 USD a tonne.
TEST(Placement, MatchesAHandWorkedCase) {
  const Output out = solve(*check(fleet())).output;
  EXPECT_EQ(out.best_region.view(), "Quebec");
  EXPECT_NEAR(out.tco->base(), 54'513.92, 0.01);
  EXPECT_NEAR(out.emissions->base(), 32256 * 1.06 * 0.02, 1e-6);
  EXPECT_NEAR(out.objective->base(), 54'582.30, 0.01);
}

// Trust: carbon at no price: the cheapest; at a high one: the cleanest.
TEST(Placement, KeepsItsTrustStatement) {
  Inputs in = fleet();
  in.regions.push_back(region("Cheap", 0.8, 1.2, 0.03));
  in.carbon_price = DollarsPerEmission{};
  EXPECT_EQ(solve(in).output.best_region.view(), "Cheap");
  in.carbon_price = DollarsPerEmission::from_base(100);
  EXPECT_EQ(solve(in).output.best_region.view(), "Quebec");
}

TEST(Placement, NamesBreakTies) {
  Inputs in = fleet();
  in.regions = {region("b", 0.1, 1.1), region("a", 0.1, 1.1)};
  EXPECT_EQ(solve(in).output.best_region.view(), "a");
}

TEST(Placement, LeavesOutWhatIsTooFar) {
  Inputs in = fleet();
  in.max_latency_to_users = 20 * millisecond;
  EXPECT_EQ(check(in).error().where, "latency_to_users");
  in.regions[0].latency_to_users = 10 * millisecond;
  in.regions[1].latency_to_users = 30 * millisecond;
  EXPECT_EQ(solve(*check(in)).output.best_region.view(), "US");
  in.max_latency_to_users = 1 * millisecond;
  EXPECT_FALSE(solve(*check(in)).output.feasible);
}

// 32 256 kWh x 1.8 l = 58.06 m3 at 10 USD.
TEST(Placement, WaterHasAPrice) {
  Inputs in = fleet();
  const double before = solve(in).output.objective->base();
  in.water_price = DollarsPerWater::from_base(0.01);
  EXPECT_NEAR(solve(in).output.objective->base() - before, 580.6, 0.1);
}

// Each region has its own price, no default stands in for a missing one.
TEST(Placement, NamesWhatIsMissing) {
  Inputs in = fleet();
  in.regions[1].kwh_price.reset();
  EXPECT_EQ(check(in).error().where, "kwh_price");
  in.regions.clear();
  EXPECT_EQ(check(in).error().where, "regions");
}

}  // namespace
}  // namespace ridgeline::solve::placement
