#include "ridgeline/explore/fleet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "ridgeline/explore/fleet_training.h"
#include "ridgeline/explore/pareto.h"
#include "ridgeline/solve/economics.h"
#include "ridgeline/solve/sustainability.h"
#include "tests/support/published_models.h"
#include "tests/support/solver_inputs.h"

namespace ridgeline::explore {
namespace {

using namespace ridgeline::testing;

constexpr double kPerKwh = 1 / 3.6e6;

// 26 280 USD over three years are 1 USD an hour; 1 kW; PUE 1.5; 0.4 kg, 0.1 USD and 1 l a kWh.
Terms round_terms() {
  Terms t;
  t.unit_cost = 26280 * dollar;
  t.maintenance_fraction_per_year = 0;
  t.tdp = 1000 * watt;
  t.pue = 1.5;
  t.carbon_intensity = EmissionsPerJoule::from_base(0.4 * kPerKwh);
  t.kwh_price = DollarsPerJoule::from_base(0.1 * kPerKwh);
  t.wue = WaterPerJoule::from_base(1 * kPerKwh);
  return t;
}

// A thousand tokens a second at full power: 3.6 million an hour.
Pass round_pass() {
  return {1 * second, 1000, 1, 1};
}

double metric(const Bill& bill, FleetMetric m) {
  return bill.metric(m).value_or(-1);
}

TEST(Fleet, BillsAnHourByHand) {
  const Bill bill = bill_of(round_pass(), round_terms());
  EXPECT_NEAR(metric(bill, FleetMetric::usd_per_million_tokens), 1.15 / 3.6, 1e-12);
  EXPECT_NEAR(metric(bill, FleetMetric::kgco2e_per_million_tokens), 0.6 / 3.6, 1e-12);
  EXPECT_NEAR(metric(bill, FleetMetric::j_per_token), 1.5, 1e-12);
  EXPECT_NEAR(metric(bill, FleetMetric::l_per_million_tokens), 1 / 3.6, 1e-12);
  EXPECT_NEAR(metric(bill, FleetMetric::device_hours_per_million_tokens), 1 / 3.6, 1e-12);
}

// Half the peak draws 0.3 + 0.7 x 0.5 = 0.65 of the power; half the tokens cost twice as much each.
TEST(Fleet, PowerFollowsUseAndTokensTheTime) {
  Pass pass = round_pass();
  pass.utilization = 0.5;
  EXPECT_NEAR(metric(bill_of(pass, round_terms()), FleetMetric::j_per_token), 0.65 * 1.5, 1e-12);
  Terms half = round_terms();
  half.utilization_fraction = 0.5;
  const Bill bill = bill_of(round_pass(), half);
  EXPECT_NEAR(metric(bill, FleetMetric::usd_per_million_tokens), 2 * 1.15 / 3.6, 1e-12);
}

TEST(Fleet, RentsWhereNothingIsBought) {
  Terms terms = round_terms();
  terms.unit_cost = std::nullopt;
  terms.hourly_rental_price = DollarsPerSecond::from_base(2.0 / 3600);
  EXPECT_NEAR(metric(bill_of(round_pass(), terms), FleetMetric::usd_per_million_tokens), 2 / 3.6,
              1e-12);
}

TEST(Fleet, AgreesWithTheSolversOfMoneyAndCarbon) {
  Terms terms = round_terms();
  terms.embodied_per_device = Emissions::from_base(150);
  terms.maintenance_fraction_per_year = 0.07;
  terms.infrastructure_multiplier = 1.6;
  const Pass pass{0.02 * second, 64, 8, 0.37};
  solve::FleetEnergy fleet;
  fleet.devices = 8;
  fleet.duration = 30 * day;
  fleet.tdp = terms.tdp;
  fleet.mfu = 0.37;
  fleet.pue = terms.pue;
  fleet.carbon_intensity = terms.carbon_intensity;
  fleet.wue = terms.wue;
  solve::economics::Inputs money;
  money.fleet = fleet;
  money.unit_cost = terms.unit_cost;
  money.kwh_price = terms.kwh_price;
  money.maintenance_fraction_per_year = 0.07;
  money.infrastructure_multiplier = 1.6;
  money.tokens_per_s = 64 / 0.02;
  solve::sustainability::Inputs footprint;
  footprint.fleet = fleet;
  footprint.embodied_per_device = terms.embodied_per_device;
  footprint.tokens_count = 64 / 0.02 * 30 * 86400;
  const Bill bill = bill_of(pass, terms);
  const double usd = solve::economics::solve(money).per_million_tokens->base();
  const double kg = solve::sustainability::solve(footprint).per_million_tokens->base();
  EXPECT_NEAR(metric(bill, FleetMetric::usd_per_million_tokens), usd, 1e-12 * usd);
  EXPECT_NEAR(metric(bill, FleetMetric::kgco2e_per_million_tokens), kg, 1e-12 * kg);
}

TEST(Fleet, NamesWhatIsMissing) {
  const FleetMetric usd[] = {FleetMetric::usd_per_million_tokens};
  const FleetMetric kg[] = {FleetMetric::kgco2e_per_million_tokens};
  const FleetMetric litres[] = {FleetMetric::l_per_million_tokens};
  const FleetMetric hours[] = {FleetMetric::device_hours_per_million_tokens};
  Terms terms;
  EXPECT_TRUE(check_terms(terms, hours).has_value());
  EXPECT_EQ(check_terms(terms, usd).error().where, "unit_cost");
  EXPECT_EQ(check_terms(terms, kg).error().where, "tdp");
  terms = round_terms();
  EXPECT_TRUE(check_terms(terms, usd).has_value());
  terms.kwh_price = std::nullopt;
  EXPECT_EQ(check_terms(terms, usd).error().where, "kwh_price");
  terms.wue = std::nullopt;
  EXPECT_EQ(check_terms(terms, litres).error().where, "wue");
  terms.carbon_intensity = std::nullopt;
  EXPECT_EQ(check_terms(terms, kg).error().where, "carbon_intensity");
  EXPECT_FALSE(bill_of(round_pass(), terms).metric(FleetMetric::kgco2e_per_million_tokens));
  terms.pue = 0.5;
  EXPECT_EQ(check_terms(terms, hours).error().where, "pue");
}

// ---- the front

Scenario node_of(double gigabytes, double terabytes_per_s) {
  Scenario out;
  out.machine = gpu_tree();
  out.machine.levels.clear();
  out.machine.levels.push_back(gpu_tree().levels[0]);
  out.machine.device.memory_capacity = gigabytes * gigabyte;
  out.machine.device.memory_bandwidth = 1000 * terabytes_per_s * gigabyte_per_second;
  out.work.context = 4096;
  return out;
}

Axis axis_of(const Scenario& base, const char* path, std::vector<double> values) {
  for (const ScalarField& field : scalar_fields(base.machine)) {
    if (field.path == path) return {field, std::move(values)};
  }
  ADD_FAILURE() << path;
  return {};
}

Space space_of(const Scenario& base) {
  Space out;
  out.axes = {axis_of(base, "batch", {1, 8, 32, 64}), axis_of(base, "plan.tp", {1, 2, 4, 8}),
              axis_of(base, "plan.dp", {1, 2, 4, 8}), axis_of(base, "plan.cp", {1, 2}),
              axis_of(base, "plan.pp", {1, 2})};
  return out;
}

using Values = std::vector<double>;

std::vector<Values> values_of(const std::vector<FleetRow>& rows) {
  std::vector<Values> out;
  for (const FleetRow& row : rows) {
    out.push_back({row.metrics[0], *row.bill.metric(FleetMetric::usd_per_million_tokens),
                   *row.bill.metric(FleetMetric::kgco2e_per_million_tokens)});
  }
  std::sort(out.begin(), out.end());
  return out;
}

// Every pair of every machine at every site, against those that the search keeps.
TEST(Fleet, TheFrontIsThatOfEveryPair) {
  const Model model = llama_3_8b();
  const std::vector<FleetObjective> objectives = {
      {},
      {true, {}, FleetMetric::usd_per_million_tokens},
      {true, {}, FleetMetric::kgco2e_per_million_tokens}};
  Terms cheap = round_terms(), clean = round_terms();
  clean.carbon_intensity = 0.1 * *clean.carbon_intensity;
  clean.kwh_price = 4 * *clean.kwh_price;
  std::vector<FleetRow> kept, all;
  for (const Scenario& base : {node_of(80, 3.35), node_of(192, 5.3), node_of(24, 1)}) {
    Space space = space_of(base);
    space.objectives = search_objectives(objectives);
    const auto found = explore(model, base, space, {});
    ASSERT_TRUE(found.has_value());
    for (const Terms& terms : {cheap, clean}) {
      for (const Point& point : found->pareto) {
        kept.push_back(row_of(pass_of(model, point), point.metrics, terms));
      }
      for_each_point(model, base, space, [&](const Point& point) {
        all.push_back(row_of(pass_of(model, point), point.metrics, terms));
        return true;
      });
    }
  }
  EXPECT_GT(all.size(), 10 * kept.size());
  const auto front = values_of(fleet_front(kept, objectives));
  EXPECT_EQ(front, values_of(fleet_front(all, objectives)));
  EXPECT_GT(front.size(), 8U);
}

TEST(Fleet, DoublingAPriceDoublesItsPart) {
  Terms terms = round_terms();
  const FleetRow row = row_of(round_pass(), {}, terms);
  const auto found = sensitivity_to_terms(row, terms);
  const auto change = [&](const char* name, FleetMetric m) {
    const auto it = std::find_if(found.begin(), found.end(),
                                 [&](const auto& one) { return one.name.view() == name; });
    EXPECT_NE(it, found.end()) << name;
    return it == found.end() ? -9 : it->changes[static_cast<std::size_t>(m)].value_or(-9);
  };
  EXPECT_NEAR(change("unit_cost", FleetMetric::usd_per_million_tokens), 1 / 1.15, 1e-12);
  EXPECT_NEAR(change("kwh_price", FleetMetric::usd_per_million_tokens), 0.15 / 1.15, 1e-12);
  EXPECT_NEAR(change("carbon_intensity", FleetMetric::kgco2e_per_million_tokens), 1, 1e-12);
  EXPECT_NEAR(change("carbon_intensity", FleetMetric::usd_per_million_tokens), 0, 1e-12);
}

// ---- training

// 256 sequences of 4,096 on a node: no plan that fits is faster, and none costs less.
TEST(FleetTraining, TheFastestPlanCostsLeast) {
  const Model model = llama_3_8b();
  const Scenario base = node_of(80, 3.35);
  const solve::Subject subject{.model = &model, .machine = &base.machine};
  solve::fit_training::Inputs in;
  in.training.batch_size = 64;
  in.training.seq_len = 4096;
  in = *solve::fit_training::check(in, subject);
  const Cluster cluster = round_cluster(1);
  const auto found = training_candidates(in, subject, cluster);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].choice.devices, 8);
  const Bill best = bill_of(pass_of(found[0]), round_terms());
  int tried = 0;
  for (std::int64_t tp = 1; tp <= 8; tp *= 2) {
    for (std::int64_t zero = 0; zero <= 3; ++zero) {
      TrainingCandidate other = found[0];
      auto& t = other.in.training;
      t.tp = tp;
      t.pp = 1;
      t.dp = 8 / tp;
      t.etp = std::nullopt;
      t.zero_stage = zero;
      t.microbatch_count = 64 / t.dp;
      const auto checked = solve::fit_training::check(other.in, subject);
      if (!checked || !*solve::fit_training::solve(*checked, subject).output.fits) continue;
      other.in = *checked;
      other.speed = *solve::fit_training::speed_of(*checked, subject, cluster);
      const Bill bill = bill_of(pass_of(other), round_terms());
      for (std::size_t m = 0; m < kFleetMetricCount; ++m) {
        EXPECT_LE(*best.metrics[m], *bill.metrics[m] * (1 + 1e-12));
      }
      ++tried;
    }
  }
  EXPECT_GT(tried, 4);
}

}  // namespace
}  // namespace ridgeline::explore
