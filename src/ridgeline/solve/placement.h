#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/label.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"
#include "ridgeline/solve/answer.h"
#include "ridgeline/solve/economics.h"

namespace ridgeline::solve::placement {

inline constexpr char kCard[] = R"(
In which region does a fleet cost least, when carbon and water have a price?

Equations, of each region
  (1) objective = tco + carbon price x operational tonnes + water price x m3
                tco, emissions and water of economics with the region's price, PUE and intensity
  (2) best      = the least objective among regions near enough to users; objectives equal within
                1e-6 USD: the first by name
Assumes     the same devices everywhere; what a region leaves out is what holds for the fleet.
Leaves out  taxes, building time, moving data.
Trust       at a carbon price of 0 the cheapest region wins, at an endless one the cleanest.
)";

struct Region {
  std::string name;
  std::optional<EmissionsPerJoule> carbon_intensity;
  std::optional<double> pue;
  std::optional<WaterPerJoule> wue, source_water;
  std::optional<DollarsPerJoule> kwh_price;
  std::optional<Seconds> latency_to_users;

  static constexpr auto fields() {
    constexpr double kPerKwh = 1 / 3.6e6;
    return std::tuple(
        field(&Region::name, "name", "", "of the region"),
        field(&Region::carbon_intensity, "carbon_intensity", "CI", "of its electricity",
              {"carbon_intensity_kgco2e_per_kwh", kPerKwh}),
        field(&Region::pue, "pue", "PUE", "facility over IT energy"),
        field(&Region::wue, "wue", "WUE", "water of the site per IT energy",
              {"wue_l_per_kwh", kPerKwh}),
        field(&Region::source_water, "source_water", "", "water that generating power takes",
              {"source_water_l_per_kwh", kPerKwh}),
        field(&Region::kwh_price, "kwh_price", "", "of electricity", {"kwh_price_usd", kPerKwh}),
        field(&Region::latency_to_users, "latency_to_users", "", "to those it serves"));
  }
};

using DollarsPerEmission = Quantity<Dim{.money = 1, .carbon = -1}>;
using DollarsPerWater = Quantity<Dim{.money = 1, .water = -1}>;

struct Inputs {
  economics::Inputs owner;
  std::vector<Region> regions;
  DollarsPerEmission carbon_price = DollarsPerEmission::from_base(0.1);
  DollarsPerWater water_price;
  std::optional<Seconds> max_latency_to_users;

  static constexpr auto fields() {
    return std::tuple(
        flat(&Inputs::owner), field(&Inputs::regions, "regions", "", "to choose among"),
        field(&Inputs::carbon_price, "carbon_price", "", "of a tonne of CO2e",
              {"carbon_price_usd_per_tonne", 1e-3}),
        field(&Inputs::water_price, "water_price", "", "of a cubic metre",
              {"water_price_usd_per_m3", 1e-3}),
        field(&Inputs::max_latency_to_users, "max_latency_to_users", "", "that is allowed"));
  }
};

struct Output {
  Label best_region;
  std::optional<Dollars> tco, objective;
  std::optional<Emissions> emissions;
  std::optional<Water> water;
  bool feasible = true;

  static constexpr auto fields() {
    return std::tuple(field(&Output::best_region, "best_region", "best", "the least objective"),
                      field(&Output::tco, "tco", "tco", "there, without carbon and water"),
                      field(&Output::emissions, "emissions", "", "there, in operation"),
                      field(&Output::objective, "objective", "objective", "there"),
                      field(&Output::water, "water", "", "there, of site and power"),
                      field(&Output::feasible, "feasible", "", "some region is near enough"));
  }
};

struct Choice {
  static constexpr const char* kListName = "regions";
  Label name;
  Dollars tco, objective;
  Emissions emissions;
  std::optional<Water> water;
  bool allowed = true;

  static constexpr auto fields() {
    return std::tuple(field(&Choice::name, "name", "", "of the region"),
                      field(&Choice::tco, "tco", "tco", "without carbon and water"),
                      field(&Choice::emissions, "emissions", "", "in operation"),
                      field(&Choice::objective, "objective", "objective", "with both"),
                      field(&Choice::water, "water", "", "of site and power"),
                      field(&Choice::allowed, "allowed", "", "near enough to users"));
  }
};

Result<Inputs> check(const Inputs& in);

// REQUIRES: `in` passed check(). Rows: the regions as given.
Answer<Output, Choice> solve(const Inputs& in);

}  // namespace ridgeline::solve::placement
