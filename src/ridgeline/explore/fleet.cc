#include "ridgeline/explore/fleet.h"

#include <algorithm>
#include <string>
#include <type_traits>

#include "ridgeline/explore/pareto.h"
#include "ridgeline/physics/cost.h"
#include "ridgeline/physics/totals.h"
#include "ridgeline/solve/economics.h"
#include "ridgeline/solve/sustainability.h"

namespace ridgeline::explore {
namespace {

namespace economics = solve::economics;
namespace sustainability = solve::sustainability;

constexpr double kMillion = 1e6;
constexpr Seconds kPeriod = hour;  // of a bill; all is linear in it

solve::FleetEnergy energy_of(const Pass& pass, const Terms& terms) {
  solve::FleetEnergy out;
  out.devices = pass.devices;
  out.duration = kPeriod;
  out.tdp = terms.tdp;
  out.mfu = pass.utilization;
  out.idle_power_fraction = terms.idle_power_fraction;
  out.pue = terms.pue;
  out.carbon_intensity = terms.carbon_intensity;
  out.wue = terms.wue;
  out.source_water = terms.source_water;
  return out;
}

economics::Inputs money_of(const Pass& pass, const Terms& terms) {
  economics::Inputs out;
  out.fleet = energy_of(pass, terms);
  out.unit_cost = terms.unit_cost;
  out.kwh_price = terms.kwh_price;
  out.amortization_years = terms.amortization_years;
  out.infrastructure_multiplier = terms.infrastructure_multiplier;
  out.maintenance_fraction_per_year = terms.maintenance_fraction_per_year;
  out.hourly_rental_price = terms.hourly_rental_price;
  out.utilization_fraction = terms.utilization_fraction;
  out.tokens_per_s = pass.tokens / pass.latency.base();
  return out;
}

double tokens_of(const Pass& pass, const Terms& terms) {
  return pass.tokens / pass.latency.base() * kPeriod.base() * terms.utilization_fraction;
}

// Zeros where nothing is known: what is asked for was checked.
sustainability::Inputs footprint_of(const Pass& pass, const Terms& terms) {
  sustainability::Inputs out;
  out.fleet = energy_of(pass, terms);
  if (!out.fleet.wue) out.fleet.wue = WaterPerJoule{};
  if (!out.fleet.carbon_intensity) out.fleet.carbon_intensity = EmissionsPerJoule{};
  out.embodied_per_device = terms.embodied_per_device.value_or(Emissions{});
  out.service_life_years = terms.service_life_years;
  out.tokens_count = tokens_of(pass, terms);
  return out;
}

bool can_own(const Terms& t) {
  return t.unit_cost && t.tdp && t.pue && t.kwh_price;
}

std::optional<double> dollars_per_million(const Pass& pass, const Terms& terms) {
  economics::Inputs in = money_of(pass, terms);
  if (!can_own(terms)) in.unit_cost = std::nullopt;
  if (!in.unit_cost && !in.hourly_rental_price) return std::nullopt;
  const economics::Output out = economics::solve(in);
  if (out.per_million_tokens) return out.per_million_tokens->base();
  return kMillion * out.cloud->base() / tokens_of(pass, terms);
}

Error needs(const char* what, const char* why) {
  return {ErrorCode::missing, what, std::string(what) + " is not known", why};
}

Status check_wanted(const Terms& t, FleetMetric wanted) {
  switch (wanted) {
    case FleetMetric::usd_per_million_tokens:
      if (can_own(t) || (t.hourly_rental_price && !t.unit_cost)) return Ok{};
      if (!t.unit_cost) return needs("unit_cost", "give it, or hourly_rental_price");
      if (!t.tdp) return needs("tdp", "give the power of a device");
      if (!t.pue) return needs("pue", "give it, or a site that has it");
      return needs("kwh_price", "give it, or a grid that has it");
    case FleetMetric::kgco2e_per_million_tokens:
    case FleetMetric::j_per_token:
    case FleetMetric::l_per_million_tokens: break;
    case FleetMetric::device_hours_per_million_tokens: return Ok{};
  }
  if (!t.tdp) return needs("tdp", "give the power of a device");
  if (!t.pue) return needs("pue", "give it, or a site that has it");
  if (wanted == FleetMetric::kgco2e_per_million_tokens && !t.carbon_intensity) {
    return needs("carbon_intensity", "give it, or a grid");
  }
  if (wanted == FleetMetric::l_per_million_tokens && !t.wue) {
    return needs("wue", "give it, or a site that has it");
  }
  return Ok{};
}

// Any pass will do: terms are checked by the solvers that take them.
constexpr Pass kAnyPass{1 * second, 1, 1, 1};

double value_of(const FleetRow& row, const FleetObjective& objective) {
  if (objective.of_fleet) return *row.bill.metric(objective.fleet);
  const double metric = row.metrics[static_cast<std::size_t>(objective.plain.metric)];
  const double value = objective.plain.metric == Metric::latency_s
                           ? static_cast<double>(physics::latency_key(metric))
                           : metric;
  return objective.plain.sense == Sense::maximize ? -value : value;
}

bool is_complete(const FleetRow& row, std::span<const FleetObjective> objectives) {
  return std::all_of(objectives.begin(), objectives.end(), [&](const FleetObjective& o) {
    return !o.of_fleet || row.bill.metric(o.fleet).has_value();
  });
}

std::array<std::optional<double>, kFleetMetricCount> changes_of(const Bill& before,
                                                                const Bill& after) {
  std::array<std::optional<double>, kFleetMetricCount> out;
  for (std::size_t i = 0; i < kFleetMetricCount; ++i) {
    const auto &a = before.metrics[i], &b = after.metrics[i];
    if (a && b && *a > 0) out[i] = *b / *a - 1;
  }
  return out;
}

// Calls f(name, value in the key's unit, terms with it doubled) for each number that is given.
template <class F>
void for_each_doubled(const Terms& terms, F f) {
  for_each_field<Terms>([&](const auto& one) {
    Terms doubled = terms;
    auto& value = doubled.*one.member;
    const double unit = one.key.text != nullptr ? one.key.unit : 1;
    const auto twice = [&](auto& number) {
      number = 2 * number;
      if constexpr (std::is_same_v<std::decay_t<decltype(number)>, double>) {
        f(one.name, number / 2 / unit, doubled);
      } else {
        f(one.name, number.base() / 2 / unit, doubled);
      }
    };
    if constexpr (requires { value.has_value(); }) {
      if (value) twice(*value);
    } else {
      twice(value);
    }
  });
}

}  // namespace

Status check_terms(const Terms& terms, std::span<const FleetMetric> wanted) {
  economics::Inputs money = money_of(kAnyPass, terms);
  if (!can_own(terms)) money.unit_cost = std::nullopt;
  if (!money.unit_cost && !money.hourly_rental_price)
    money.hourly_rental_price = DollarsPerSecond{};
  if (const auto checked = economics::check(money); !checked) return checked.error();
  sustainability::Inputs footprint = footprint_of(kAnyPass, terms);
  if (!footprint.fleet.tdp) footprint.fleet.tdp = 1 * watt;
  if (!footprint.fleet.pue) footprint.fleet.pue = 1;
  if (const auto checked = sustainability::check(footprint); !checked) return checked.error();
  for (const FleetMetric metric : wanted) RIDGELINE_CHECK(check_wanted(terms, metric));
  return Ok{};
}

Bill bill_of(const Pass& pass, const Terms& terms) {
  Bill out;
  const auto put = [&out](FleetMetric m, double value) {
    out.metrics[static_cast<std::size_t>(m)] = value;
  };
  const double tokens = tokens_of(pass, terms);
  const double device_hours = static_cast<double>(pass.devices) * kPeriod.in(hour);
  put(FleetMetric::device_hours_per_million_tokens, kMillion * device_hours / tokens);
  if (const auto dollars = dollars_per_million(pass, terms)) {
    put(FleetMetric::usd_per_million_tokens, *dollars);
  }
  if (!terms.tdp || !terms.pue) return out;
  const auto footprint = sustainability::solve(footprint_of(pass, terms));
  put(FleetMetric::j_per_token, footprint.facility_energy.base() / tokens);
  if (terms.carbon_intensity) {
    put(FleetMetric::kgco2e_per_million_tokens, footprint.per_million_tokens->base());
  }
  if (terms.wue) {
    put(FleetMetric::l_per_million_tokens, kMillion * footprint.water.base() / tokens);
  }
  return out;
}

Pass pass_of(const Model& model, const Point& point) {
  const Scenario& at = point.scenario;
  const Totals totals = physics::totals_of(model);
  physics::Setting setting;
  setting.precision = at.work.precision;
  const physics::ModelSums sums = physics::sums_of(totals, setting);
  const auto batch = static_cast<double>(at.work.batch);
  const bool decode = at.work.phase == Phase::decode;
  const std::int64_t n = at.work.context;
  const Flops flop =
      decode ? physics::decode_work(sums, setting.attention_count,
                                    {.sequences = batch, .context = static_cast<double>(n)})
                   .flop
             : physics::prefill_work(sums, setting.attention_count,
                                     {.part = {n, 0, n}, .sequences = batch})
                   .flop;
  Pass out;
  out.latency = Seconds::from_base(point.metric(Metric::latency_s));
  out.tokens = point.metric(Metric::tokens_per_s) * out.latency.base();
  out.devices = static_cast<std::int64_t>(point.metric(Metric::pes_used));
  const Accelerator& device = at.machine.device;
  const double rate = physics::rates_of(at.machine, at.work.activation_precision).flop_per_s;
  const double peak = rate / device.compute_util * static_cast<double>(out.devices);
  out.utilization = std::min(1.0, flop.base() / (peak * out.latency.base()));  // (2)
  return out;
}

std::vector<Objective> search_objectives(std::span<const FleetObjective> objectives) {
  std::vector<Objective> out;
  for (const FleetObjective& one : objectives) {
    if (!one.of_fleet) out.push_back(one.plain);
  }
  out.push_back({Metric::tokens_per_s_per_pe, Sense::maximize});  // 1/x
  return out;
}

std::vector<FleetRow> fleet_front(std::vector<FleetRow> rows,
                                  std::span<const FleetObjective> objectives) {
  std::erase_if(rows, [&](const FleetRow& row) { return !is_complete(row, objectives); });
  const std::size_t n = objectives.size();
  const auto values_of = [&](const FleetRow& row) {
    std::vector<double> out;
    for (const FleetObjective& one : objectives) out.push_back(value_of(row, one));
    return out;
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const FleetRow& a, const FleetRow& b) {
    return values_of(a) < values_of(b);
  });
  rows.erase(std::unique(rows.begin(), rows.end(),
                         [&](const FleetRow& a, const FleetRow& b) {
                           return values_of(a) == values_of(b);
                         }),
             rows.end());
  std::vector<double> values;
  for (const FleetRow& row : rows) {
    for (const double value : values_of(row)) values.push_back(value);
  }
  std::vector<FleetRow> out;
  for (const std::size_t i : pareto_front(values, n)) out.push_back(std::move(rows[i]));
  return out;
}

FleetRow row_of(const Pass& pass, const std::array<double, kMetricCount>& metrics,
                const Terms& terms) {
  FleetRow out;
  out.pass = pass;
  out.metrics = metrics;
  out.bill = bill_of(pass, terms);
  return out;
}

std::vector<FleetSensitivity> sensitivity_to_terms(const FleetRow& row, const Terms& terms) {
  std::vector<FleetSensitivity> out;
  for_each_doubled(terms, [&](const char* name, double value, const Terms& doubled) {
    if (value == 0 || !check_terms(doubled, {})) return;
    FleetSensitivity one;
    one.name = name;
    one.baseline = value;
    one.doubled = 2 * value;
    one.changes = changes_of(row.bill, bill_of(row.pass, doubled));
    out.push_back(one);
  });
  return out;
}

FleetSensitivity change_between(const FleetRow& before, const Pass& after, const Terms& terms) {
  FleetSensitivity out;
  out.latency_change = after.latency / before.pass.latency - 1;
  out.changes = changes_of(before.bill, bill_of(after, terms));
  return out;
}

std::vector<FleetSensitivity> sensitivity_to_knobs(const Model& model, const Point& point,
                                                   const Terms& terms,
                                                   std::span<const ScalarField> knobs) {
  const FleetRow row = row_of(pass_of(model, point), point.metrics, terms);
  std::vector<FleetSensitivity> out;
  for (const SensitivityRow& one : sensitivity_at(model, point.scenario, knobs)) {
    Point changed = point;
    const double before = point.metric(Metric::latency_s);
    changed.metrics[static_cast<std::size_t>(Metric::latency_s)] = one.doubled_latency_s;
    changed.metrics[static_cast<std::size_t>(Metric::tokens_per_s)] *=
        before / one.doubled_latency_s;
    set_scalar(changed.scenario, one.knob, one.doubled);
    FleetSensitivity change = change_between(row, pass_of(model, changed), terms);
    change.knob = one.knob;
    change.baseline = one.baseline;
    change.doubled = one.doubled;
    out.push_back(std::move(change));
  }
  return out;
}

}  // namespace ridgeline::explore
