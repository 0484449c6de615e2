#include "ridgeline/solve/sustainability.h"

#include "ridgeline/solve/carbon_window.h"
#include "ridgeline/solve/model_checks.h"

namespace ridgeline::solve::sustainability {
namespace {

constexpr double kDaysPerYear = 365, kMillion = 1e6;

Emissions embodied(const Inputs& in) {
  const Emissions e = *in.embodied_per_device;
  if (in.embodied_charge == EmbodiedCharge::all) {
    return static_cast<double>(in.fleet.devices.value_or(0)) * e;
  }
  return device_time(in.fleet).in(day) / (kDaysPerYear * in.service_life_years) * e;  // (3)
}

Status check_profile(const Inputs& in) {
  if (in.intensity_profile.empty()) {
    if (in.fleet.carbon_intensity) return Ok{};
    return missing("carbon_intensity", "the intensity of the electricity is missing",
                   "carbon_intensity, a site, or an intensity_profile");
  }
  RIDGELINE_CHECK(check_intensity_profile("intensity_profile", in.intensity_profile));
  if (in.fleet.duration) return Ok{};
  return missing("duration", "a profile by hours needs the run's duration");
}

Status check_needs(const Inputs& in) {
  if (!in.fleet.tdp) return missing("tdp", "the power of a device is missing");
  if (!in.fleet.pue) return missing("pue", "the site's PUE is missing", "pue, or a site");
  if (!in.fleet.wue) return missing("wue", "the site's WUE is missing", "wue, or a site");
  if (!in.embodied_per_device) {
    return missing("embodied_per_device", "the embodied carbon of a device is missing",
                   "a value; 0 leaves it out");
  }
  const bool charged = in.embodied_per_device->base() > 0;
  if (charged && in.embodied_charge == EmbodiedCharge::all && !in.fleet.devices) {
    return missing("devices", "embodied carbon in all is charged by devices");
  }
  return Ok{};
}

}  // namespace

Result<Inputs> check(const Inputs& in) {
  RIDGELINE_CHECK(check_fleet(in.fleet));
  RIDGELINE_CHECK(check_has_time(in.fleet));
  RIDGELINE_CHECK(check_amount_or_zero("embodied_per_device", in.embodied_per_device));
  RIDGELINE_CHECK(check_amount("service_life_years", in.service_life_years));
  RIDGELINE_CHECK(check_amount("tokens_count", in.tokens_count));
  RIDGELINE_CHECK(check_profile(in));
  RIDGELINE_CHECK(check_needs(in));
  return in;
}

Output solve(const Inputs& in) {
  const Joules facility = facility_energy(in.fleet);  // (1)
  Output out{.it_energy = it_energy(in.fleet), .facility_energy = facility};
  if (in.intensity_profile.empty()) {
    out.operational = facility * *in.fleet.carbon_intensity;  // (2)
  } else {
    const CarbonStart start = best_start(in.intensity_profile, in.fleet.duration->in(hour),
                                         static_cast<std::int64_t>(in.intensity_profile.size()));
    out.operational = Emissions::from_base(facility.base() * start.now);  // (2)
    out.best_hour = start.hour;
    out.saved = Emissions::from_base(facility.base() * (start.now - start.best));  // (5)
  }
  out.embodied = embodied(in);
  out.emissions = out.operational + out.embodied;
  out.water = water_use(in.fleet);  // (4)
  out.pue = *in.fleet.pue;
  if (in.tokens_count) out.per_million_tokens = kMillion / *in.tokens_count * out.emissions;
  return out;
}

}  // namespace ridgeline::solve::sustainability
