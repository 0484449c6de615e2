#include "ridgeline/solve/power_and_cooling.h"

#include <fmt/format.h>

#include <cmath>

#include "ridgeline/solve/model_checks.h"

namespace ridgeline::solve::power_and_cooling {
namespace {

constexpr double kWater = 4186, kAir = 1005;  // J/(kg K)
constexpr Watts kMegawatt = 1e6 * watt;

double heat_capacity(const Inputs& in) {
  return in.coolant_heat_capacity.value_or(in.cooling == Cooling::liquid ? kWater : kAir);
}

void put_racks(const Inputs& in, Output& out) {
  if (!in.rack_limit) return;
  if (in.tdp) {
    out.devices_per_rack = static_cast<std::int64_t>(std::floor(*in.rack_limit / *in.tdp));
    out.feasible = *out.devices_per_rack > 0;
  }
  if (!out.feasible) {
    out.reason = Reason::rack_limit;
  } else if (in.devices && in.tdp) {
    out.racks = (*in.devices - 1) / *out.devices_per_rack + 1;  // (3)
  } else {
    out.racks = static_cast<std::int64_t>(std::ceil(out.it / *in.rack_limit));  // (3)
  }
}

Status check_power(const Inputs& in) {
  if (in.it_power && in.devices) {
    return conflict("it_power", "the power is given, and the devices as well", "one of both");
  }
  if (in.it_power) return Ok{};
  if (!in.devices) return missing("devices", "the devices are missing", "devices, or it_power");
  if (!in.tdp) return missing("tdp", "the power of a device is missing");
  return Ok{};
}

}  // namespace

Result<Inputs> check(const Inputs& in) {
  RIDGELINE_CHECK(check_number("devices", in.devices, 1));
  RIDGELINE_CHECK(check_amount("tdp", in.tdp));
  RIDGELINE_CHECK(check_amount("it_power", in.it_power));
  if (in.pue) RIDGELINE_CHECK(check_multiple("pue", *in.pue));
  RIDGELINE_CHECK(check_amount("rack_limit", in.rack_limit));
  RIDGELINE_CHECK(check_amount("coolant_rise_k", in.coolant_rise_k));
  RIDGELINE_CHECK(check_fraction("coolant_heat_fraction", in.coolant_heat_fraction));
  RIDGELINE_CHECK(check_amount("coolant_heat_capacity", in.coolant_heat_capacity));
  RIDGELINE_CHECK(check_power(in));
  return in;
}

Output solve(const Inputs& in) {
  Output out;
  out.it = in.it_power ? *in.it_power : static_cast<double>(*in.devices) * *in.tdp;  // (1)
  if (in.pue) out.site = *in.pue * out.it;                                           // (2)
  put_racks(in, out);
  out.coolant_kg_per_s =
      in.coolant_heat_fraction * out.it.base() / (heat_capacity(in) * in.coolant_rise_k);  // (4)
  if (in.pue && in.tdp) out.devices_per_mw = kMegawatt / (*in.pue * *in.tdp);              // (5)
  return out;
}

}  // namespace ridgeline::solve::power_and_cooling
