// Fleet: what passes of a model cost in money, energy, carbon, water and device time on machines at
// sites, and the front over all of them.
//
//   x = N T/tokens    device time of a token                                               (1)
//   u = F/(N R T)     F: FLOP of the model in the pass, which the power follows
//                                                          [chowdhery2022] [barroso2007]  (2)
//   USD               an hour of the devices over its tokens: owned, else rented
//                                                                        solve/economics  (3)
//   energy, kgCO2e, water of the same hour                           solve/sustainability  (4)
//
// F/tokens and R are the same for all pairs of one machine that differ in plan and batch, and (3)
// and (4) are affine in N T and in u N T R = F: per token they grow with x and depend on nothing
// else of a pair. So whatever is on the front over machines and sites is among the pairs of its
// machine that none beats in both x and the other objectives: ours.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/label.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"
#include "ridgeline/explore/explore.h"
#include "ridgeline/spec/model.h"

namespace ridgeline::explore {

// Money and site of one machine.
struct Terms {
  std::optional<Dollars> unit_cost;
  std::optional<DollarsPerSecond> hourly_rental_price;
  std::optional<Watts> tdp;
  std::optional<Emissions> embodied_per_device;
  double amortization_years = 3;
  double infrastructure_multiplier = 1;
  double maintenance_fraction_per_year = 0.05;
  double service_life_years = 5;
  double utilization_fraction = 1;
  double idle_power_fraction = 0.3;  // [barroso2007]
  std::optional<double> pue;
  std::optional<EmissionsPerJoule> carbon_intensity;
  std::optional<DollarsPerJoule> kwh_price;
  std::optional<WaterPerJoule> wue;
  WaterPerJoule source_water;

 private:  // the parts of fields()
  static constexpr double kPerKwh = 1 / 3.6e6;
  static constexpr auto device_fields() {
    return std::tuple(
        field(&Terms::unit_cost, "unit_cost", "", "price of one device"),
        field(&Terms::hourly_rental_price, "hourly_rental_price", "",
              "of one device, where none is bought", {"hourly_rental_price_usd", 1.0 / 3600}),
        field(&Terms::tdp, "tdp", "TDP", "of a device, with its share of the node"),
        field(&Terms::embodied_per_device, "embodied_per_device", "",
              "emitted in making one device", {"embodied_kgco2e_per_device", 1}),
        field(&Terms::amortization_years, "amortization_years", "", "of the investment"),
        field(&Terms::infrastructure_multiplier, "infrastructure_multiplier", "",
              "of building, network and hosts"),
        field(&Terms::maintenance_fraction_per_year, "maintenance_fraction_per_year", "",
              "of the investment"),
        field(&Terms::service_life_years, "service_life_years", "", "of a device"),
        field(&Terms::utilization_fraction, "utilization_fraction", "",
              "of the time, that yields tokens"),
        field(&Terms::idle_power_fraction, "idle_power_fraction", "i",
              "share of the power drawn when idle"));
  }
  static constexpr auto site_fields() {
    return std::tuple(
        field(&Terms::pue, "pue", "PUE", "facility over IT energy of the site"),
        field(&Terms::carbon_intensity, "carbon_intensity", "CI", "of the site's electricity",
              {"carbon_intensity_kgco2e_per_kwh", kPerKwh}),
        field(&Terms::kwh_price, "kwh_price", "", "of electricity", {"kwh_price_usd", kPerKwh}),
        field(&Terms::wue, "wue", "WUE", "water of the site per IT energy",
              {"wue_l_per_kwh", kPerKwh}),
        field(&Terms::source_water, "source_water", "", "water that generating power takes",
              {"source_water_l_per_kwh", kPerKwh}));
  }

 public:
  static constexpr auto fields() { return std::tuple_cat(device_fields(), site_fields()); }
};

enum class FleetMetric : std::uint8_t {
  usd_per_million_tokens,
  kgco2e_per_million_tokens,
  j_per_token,
  l_per_million_tokens,
  device_hours_per_million_tokens
};
inline constexpr std::size_t kFleetMetricCount = 5;

inline std::span<const char* const> names_of(FleetMetric) {
  static constexpr std::array<const char*, kFleetMetricCount> kNames = {
      "usd_per_million_tokens", "kgco2e_per_million_tokens", "j_per_token", "l_per_million_tokens",
      "device_hours_per_million_tokens"};
  return kNames;
}

// A pass, or a step of training.
struct Pass {
  Seconds latency;
  double tokens = 0;
  std::int64_t devices = 1;
  double utilization = 0;  // u
};

// Where the terms tell too little, a metric is empty.
struct Bill {
  std::array<std::optional<double>, kFleetMetricCount> metrics;
  const std::optional<double>& metric(FleetMetric m) const {
    return metrics[static_cast<std::size_t>(m)];
  }
};

// Errors: `where` is a field of Terms; missing where what one of `wanted` needs is not given.
Status check_terms(const Terms& terms, std::span<const FleetMetric> wanted);

// REQUIRES: checked terms; positive latency and tokens.
Bill bill_of(const Pass& pass, const Terms& terms);

// The pass of a pair. REQUIRES: the model's layers are known.
Pass pass_of(const Model& model, const Point& point);

struct FleetObjective {
  bool of_fleet = false;
  Objective plain;                                          // else
  FleetMetric fleet = FleetMetric::usd_per_million_tokens;  // always minimised
};

// What the pairs of one machine are searched for, so that the front can be found among theirs.
std::vector<Objective> search_objectives(std::span<const FleetObjective> objectives);

// One pair, or one plan of training, at one site. `candidate`: which of its machine's, the
// caller's number.
struct FleetRow {
  std::size_t machine = 0, site = 0, candidate = 0;
  Pass pass;
  std::array<double, kMetricCount> metrics{};
  Bill bill;
};
FleetRow row_of(const Pass& pass, const std::array<double, kMetricCount>& metrics,
                const Terms& terms);

// The front of `rows`, in the order of the objectives, the first before the second; of rows equal
// in all the first stays. A row without a value of an objective is left out.
std::vector<FleetRow> fleet_front(std::vector<FleetRow> rows,
                                  std::span<const FleetObjective> objectives);

// What doubling an input does to a row: of terms and of the machine's knobs. Shares of the value
// before; empty where it has none.
struct FleetSensitivity {
  Label name;                        // of a term, or of a knob of training
  std::optional<ScalarField> knob;   // else
  double baseline = 0, doubled = 0;  // base units, or a term's key unit
  double latency_change = 0;
  std::array<std::optional<double>, kFleetMetricCount> changes;
};
std::vector<FleetSensitivity> sensitivity_to_terms(const FleetRow& row, const Terms& terms);
std::vector<FleetSensitivity> sensitivity_to_knobs(const Model& model, const Point& point,
                                                   const Terms& terms,
                                                   std::span<const ScalarField> knobs);

// What another pass changes, as shares of the bill before.
FleetSensitivity change_between(const FleetRow& before, const Pass& after, const Terms& terms);

}  // namespace ridgeline::explore
