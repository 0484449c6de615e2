#include "ridgeline/solve/economics.h"

#include <cmath>

#include "ridgeline/solve/model_checks.h"

namespace ridgeline::solve::economics {
namespace {

constexpr double kDaysPerYear = 365, kMonthsPerYear = 12, kMillion = 1e6;
constexpr Watts kKilowatt = 1000 * watt;

// Years of device time: n x days/365.
double device_years(const Inputs& in) {
  return device_time(in.fleet).in(day) / kDaysPerYear;
}

Dollars invested_per_device(const Inputs& in) {
  return in.infrastructure_multiplier * *in.unit_cost;  // (1)
}

// Share of the investment that a year takes, (2).
double yearly_share(const Inputs& in) {
  const double years = in.amortization_years, i = in.discount_rate;
  if (i == 0) return (1 - in.residual_fraction) / years;
  const double lost = -std::expm1(-years * std::log1p(i));  // 1 - (1 + i)^-years, exact for small i
  return (1 - in.residual_fraction * (1 - lost)) * i / lost;
}

Dollars energy_cost(const Inputs& in) {
  Dollars cost = facility_energy(in.fleet) * *in.kwh_price;
  if (in.demand_charge_per_kw_month.base() > 0) {
    const double kilowatts = *in.fleet.pue * (*in.fleet.tdp / kKilowatt);
    cost = cost + kilowatts * kMonthsPerYear * device_years(in) * in.demand_charge_per_kw_month;
  }
  return cost;  // (3)
}

Dollars staff_cost(const Inputs& in) {
  if (!in.fleet.duration) return {};
  return in.fleet.duration->in(day) / kDaysPerYear * in.staff_per_year;
}

void put_owning(const Inputs& in, Output& out) {
  const Dollars C = invested_per_device(in);
  const double years = device_years(in);
  out.capex = yearly_share(in) * years * C;  // (2)
  out.energy = energy_cost(in);
  out.maintenance = in.maintenance_fraction_per_year * years * C;  // (4)
  out.opex = *out.energy + *out.maintenance + staff_cost(in);
  out.tco = *out.capex + *out.opex;  // (5)
  out.per_device_hour = *out.tco / device_time(in.fleet).in(hour);
}

// Prices per million tokens; of input and output by their shares of the device time, (6).
void put_tokens(const Inputs& in, Output& out) {
  if (!in.tokens_per_s || !in.fleet.duration || !out.tco) return;
  const double seconds = in.fleet.duration->base() * in.utilization_fraction;
  const auto per_million = [&](double share, double rate) {
    return share * kMillion / (rate * seconds) * *out.tco;
  };
  out.per_million_tokens = per_million(1, *in.tokens_per_s);
  if (!in.prefill_time_fraction || !in.input_tokens_per_s) return;
  const double prefill = *in.prefill_time_fraction;
  out.per_million_input_tokens = per_million(prefill, *in.input_tokens_per_s);
  out.per_million_output_tokens = per_million(1 - prefill, *in.tokens_per_s);
}

Status check_money(const Inputs& in) {
  RIDGELINE_CHECK(check_amount_or_zero("unit_cost", in.unit_cost));
  RIDGELINE_CHECK(check_amount_or_zero("kwh_price", in.kwh_price));
  RIDGELINE_CHECK(check_amount("amortization_years", in.amortization_years));
  RIDGELINE_CHECK(check_fraction("residual_fraction", in.residual_fraction));
  RIDGELINE_CHECK(check_fraction("discount_rate", in.discount_rate));
  RIDGELINE_CHECK(check_amount("infrastructure_multiplier", in.infrastructure_multiplier));
  RIDGELINE_CHECK(
      check_amount_or_zero("maintenance_fraction_per_year", in.maintenance_fraction_per_year));
  RIDGELINE_CHECK(check_amount_or_zero("staff_per_year", in.staff_per_year));
  RIDGELINE_CHECK(
      check_amount_or_zero("demand_charge_per_kw_month", in.demand_charge_per_kw_month));
  return check_amount_or_zero("hourly_rental_price", in.hourly_rental_price);
}

Status check_tokens(const Inputs& in) {
  RIDGELINE_CHECK(check_share("utilization_fraction", in.utilization_fraction));
  RIDGELINE_CHECK(check_amount("tokens_per_s", in.tokens_per_s));
  RIDGELINE_CHECK(check_amount("input_tokens_per_s", in.input_tokens_per_s));
  if (in.prefill_time_fraction) {
    RIDGELINE_CHECK(check_fraction("prefill_time_fraction", *in.prefill_time_fraction));
  }
  return Ok{};
}

// Owning needs the device's price, its power and the site's numbers; renting alone needs none.
Status check_owning(const Inputs& in) {
  if (!in.unit_cost && in.hourly_rental_price) return Ok{};
  if (!in.unit_cost) {
    return missing("unit_cost", "the price of a device is missing",
                   "unit_cost; or hourly_rental_price alone for renting");
  }
  if (!in.fleet.tdp) return missing("tdp", "the power of a device is missing");
  if (!in.fleet.pue) return missing("pue", "the site's PUE is missing", "pue, or a site");
  if (!in.kwh_price) {
    return missing("kwh_price", "the price of electricity is missing", "kwh_price, or a site");
  }
  if (in.staff_per_year.base() > 0 && !in.fleet.duration) {
    return missing("duration", "staff is paid by the year");
  }
  return Ok{};
}

}  // namespace

Result<Inputs> check(const Inputs& in) {
  RIDGELINE_CHECK(check_fleet(in.fleet));
  RIDGELINE_CHECK(check_has_time(in.fleet));
  RIDGELINE_CHECK(check_money(in));
  RIDGELINE_CHECK(check_tokens(in));
  RIDGELINE_CHECK(check_owning(in));
  return in;
}

Output solve(const Inputs& in) {
  Output out;
  const FleetEnergy& fleet = in.fleet;
  if (fleet.tdp) out.it_energy = it_energy(fleet);
  if (fleet.tdp && fleet.pue) {
    out.facility_energy = facility_energy(fleet);
    if (fleet.carbon_intensity) out.emissions = *out.facility_energy * *fleet.carbon_intensity;
    if (fleet.wue) out.water = water_use(fleet);
  }
  if (in.unit_cost) put_owning(in, out);
  put_tokens(in, out);
  if (in.hourly_rental_price) {
    out.cloud = device_time(fleet) * *in.hourly_rental_price;  // (7)
    if (out.tco && out.cloud->base() > 0) {
      out.break_even_utilization_fraction = *out.tco / *out.cloud;
    }
  }
  return out;
}

}  // namespace ridgeline::solve::economics
