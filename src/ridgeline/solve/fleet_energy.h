// Fleet energy: what devices draw over a period, at a site. Taken by economics and sustainability.
//
//   IT       = TDP (i + (1 - i) u) n hours                                     [barroso2007]  (1)
//   facility = IT PUE                                                         [iso-30134-2]  (2)
//   water    = IT WUE + facility x source water                              [iso-30134-9]  (3)
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"

namespace ridgeline::solve {

struct FleetEnergy {
  std::optional<std::int64_t> devices;
  std::optional<Seconds> duration;
  std::optional<double> device_hours;
  std::optional<Watts> tdp;
  double mfu = 1;
  double idle_power_fraction = 0.3;  // [barroso2007]
  std::optional<double> pue;
  std::optional<EmissionsPerJoule> carbon_intensity;
  std::optional<WaterPerJoule> wue;
  WaterPerJoule source_water;

  static constexpr auto fields() {
    constexpr double kPerKwh = 1 / 3.6e6;
    return std::tuple(
        field(&FleetEnergy::devices, "devices", "n", "of the fleet"),
        field(&FleetEnergy::duration, "duration", "days", "of the period",
              {"duration_days", 86400}),
        field(&FleetEnergy::device_hours, "device_hours", "", "in place of devices and duration"),
        field(&FleetEnergy::tdp, "tdp", "TDP", "of a device, with its share of the node"),
        field(&FleetEnergy::mfu, "mfu", "u", "share of the peak, which the power follows"),
        field(&FleetEnergy::idle_power_fraction, "idle_power_fraction", "i",
              "share of the power drawn when idle"),
        field(&FleetEnergy::pue, "pue", "PUE", "facility over IT energy of the site"),
        field(&FleetEnergy::carbon_intensity, "carbon_intensity", "CI", "of the site's electricity",
              {"carbon_intensity_kgco2e_per_kwh", kPerKwh}),
        field(&FleetEnergy::wue, "wue", "WUE", "water of the site per IT energy",
              {"wue_l_per_kwh", kPerKwh}),
        field(&FleetEnergy::source_water, "source_water", "", "water that generating power takes",
              {"source_water_l_per_kwh", kPerKwh}));
  }
};

// The values that are given. Devices or device hours must be, with a duration to the first.
Status check_fleet(const FleetEnergy& fleet);
Status check_has_time(const FleetEnergy& fleet);

// REQUIRES: check_has_time().
Seconds device_time(const FleetEnergy& fleet);

// REQUIRES: tdp is given; pue, too; wue, too.
Joules it_energy(const FleetEnergy& fleet);
Joules facility_energy(const FleetEnergy& fleet);
Water water_use(const FleetEnergy& fleet);

}  // namespace ridgeline::solve
