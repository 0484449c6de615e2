#include "ridgeline/solve/fleet_energy.h"

#include "ridgeline/physics/pace.h"
#include "ridgeline/solve/model_checks.h"

namespace ridgeline::solve {

Status check_fleet(const FleetEnergy& f) {
  RIDGELINE_CHECK(check_number("devices", f.devices, 1));
  RIDGELINE_CHECK(check_amount("duration", f.duration));
  RIDGELINE_CHECK(check_amount("device_hours", f.device_hours));
  RIDGELINE_CHECK(check_amount("tdp", f.tdp));
  RIDGELINE_CHECK(check_fraction("mfu", f.mfu));
  RIDGELINE_CHECK(check_fraction("idle_power_fraction", f.idle_power_fraction));
  if (f.pue) RIDGELINE_CHECK(check_multiple("pue", *f.pue));
  RIDGELINE_CHECK(check_amount_or_zero("carbon_intensity", f.carbon_intensity));
  RIDGELINE_CHECK(check_amount_or_zero("wue", f.wue));
  return check_amount_or_zero("source_water", f.source_water);
}

Status check_has_time(const FleetEnergy& f) {
  if (f.device_hours && f.devices && f.duration) {
    return conflict("device_hours", "device_hours stand in place of devices and duration");
  }
  if (f.device_hours) return Ok{};
  if (!f.devices) return missing("devices", "the size of the fleet is missing");
  if (!f.duration) return missing("duration", "the period is missing");
  return Ok{};
}

Seconds device_time(const FleetEnergy& f) {
  if (f.device_hours) return *f.device_hours * hour;
  return static_cast<double>(*f.devices) * *f.duration;
}

Joules it_energy(const FleetEnergy& f) {
  return physics::energy_of(*f.tdp, f.idle_power_fraction, f.mfu, device_time(f));  // (1)
}

Joules facility_energy(const FleetEnergy& f) {
  return *f.pue * it_energy(f);
}  // (2)

Water water_use(const FleetEnergy& f) {
  return it_energy(f) * *f.wue + facility_energy(f) * f.source_water;  // (3)
}

}  // namespace ridgeline::solve
