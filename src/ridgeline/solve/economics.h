#pragma once

#include <optional>
#include <tuple>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"
#include "ridgeline/solve/fleet_energy.h"

namespace ridgeline::solve::economics {

inline constexpr char kCard[] = R"(
What does it cost to own or rent a fleet for a period, what does a million tokens cost, and which is
cheaper?

Equations
  (1) C           = unit_cost n multiplier                                       [barroso2018]
  (2) capex       = C (1 - residual)/years x days/365; with a discount rate i the annuity
                    C (1 - residual (1 + i)^-years) i/(1 - (1 + i)^-years) x days/365
  (3) energy      = facility kWh x price + peak kW x demand charge x months     sustainability (1)
  (4) maintenance = fraction x C x days/365,  opex = energy + maintenance + staff
  (5) tco         = capex + opex
  (6) $/Mtoken    = tco/(tokens/s x seconds x utilisation) x 1e6; of input tokens by the device
                    seconds of prefill, of output tokens by the rest
  (7) cloud       = price x n x hours,  break-even utilisation = tco/cloud
Assumes     straight-line use of the investment over its years; energy whatever the utilisation.
Leaves out  taxes, idle spares, price changes over the period.
Trust       linear in days; a discount rate of 0 is the straight line; at the break-even
            utilisation owning and renting cost the same.
)";

struct Inputs {
  FleetEnergy fleet;
  std::optional<Dollars> unit_cost;
  std::optional<DollarsPerJoule> kwh_price;
  double amortization_years = 3;
  double residual_fraction = 0;
  double discount_rate = 0;
  double infrastructure_multiplier = 1;
  double maintenance_fraction_per_year = 0.05;
  Dollars staff_per_year;
  Dollars demand_charge_per_kw_month;
  std::optional<DollarsPerSecond> hourly_rental_price;
  double utilization_fraction = 1;
  std::optional<double> tokens_per_s, input_tokens_per_s, prefill_time_fraction;

  static constexpr auto fields() {
    return std::tuple(
        flat(&Inputs::fleet), field(&Inputs::unit_cost, "unit_cost", "unit_cost", "of one device"),
        field(&Inputs::kwh_price, "kwh_price", "price", "of electricity",
              {"kwh_price_usd", 1 / 3.6e6}),
        field(&Inputs::amortization_years, "amortization_years", "years", "of the investment"),
        field(&Inputs::residual_fraction, "residual_fraction", "residual", "left after them"),
        field(&Inputs::discount_rate, "discount_rate", "i", "per year"),
        field(&Inputs::infrastructure_multiplier, "infrastructure_multiplier", "multiplier",
              "of building, network and hosts"),
        field(&Inputs::maintenance_fraction_per_year, "maintenance_fraction_per_year", "fraction",
              "of the investment"),
        field(&Inputs::staff_per_year, "staff_per_year", "staff", "for the fleet",
              {"staff_usd_per_year", 1}),
        field(&Inputs::demand_charge_per_kw_month, "demand_charge_per_kw_month", "",
              "for the peak power", {"demand_charge_usd_per_kw_month", 1}),
        field(&Inputs::hourly_rental_price, "hourly_rental_price", "", "of one device",
              {"hourly_rental_price_usd", 1.0 / 3600}),
        field(&Inputs::utilization_fraction, "utilization_fraction", "utilisation",
              "of the period that produces tokens"),
        field(&Inputs::tokens_per_s, "tokens_per_s", "", "output of the fleet"),
        field(&Inputs::input_tokens_per_s, "input_tokens_per_s", "", "input of the fleet"),
        field(&Inputs::prefill_time_fraction, "prefill_time_fraction", "",
              "of the device time, spent on input"));
  }
};

struct Output {
  std::optional<Dollars> capex, energy, maintenance, opex, tco;
  std::optional<Dollars> per_device_hour, per_million_tokens;
  std::optional<Dollars> per_million_input_tokens, per_million_output_tokens;
  std::optional<Dollars> cloud;
  std::optional<double> break_even_utilization_fraction;
  std::optional<Joules> it_energy, facility_energy;
  std::optional<Emissions> emissions;
  std::optional<Water> water;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::capex, "capex", "capex", "of the period"),
        field(&Output::energy, "energy", "energy", "electricity", {"energy_usd", 1}),
        field(&Output::maintenance, "maintenance", "maintenance", "of the investment"),
        field(&Output::opex, "opex", "opex", "energy, maintenance and staff"),
        field(&Output::tco, "tco", "tco", "all of it"),
        field(&Output::per_device_hour, "per_device_hour", "", "owned", {"usd_per_device_hour", 1}),
        field(&Output::per_million_tokens, "per_million_tokens", "$/Mtoken", "owned",
              {"usd_per_million_tokens", 1}),
        field(&Output::per_million_input_tokens, "per_million_input_tokens", "", "owned",
              {"usd_per_million_input_tokens", 1}),
        field(&Output::per_million_output_tokens, "per_million_output_tokens", "", "owned",
              {"usd_per_million_output_tokens", 1}),
        field(&Output::cloud, "cloud", "cloud", "the same device time rented"),
        field(&Output::break_even_utilization_fraction, "break_even_utilization_fraction", "",
              "at which owning costs as much as renting only what is used"),
        field(&Output::it_energy, "it_energy", "", "of the devices"),
        field(&Output::facility_energy, "facility_energy", "", "of the site"),
        field(&Output::emissions, "emissions", "", "in operation"),
        field(&Output::water, "water", "", "of the site and of its power"));
  }
};

Result<Inputs> check(const Inputs& in);

// Pure and allocation-free. REQUIRES: `in` passed check().
Output solve(const Inputs& in);

}  // namespace ridgeline::solve::economics
