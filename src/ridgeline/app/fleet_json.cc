// `inputs` and `result` of a fleet search.
#include <fmt/format.h>

#include "ridgeline/app/fleet.h"
#include "ridgeline/app/input.h"
#include "ridgeline/base/text.h"

namespace ridgeline::app {
namespace {

using explore::FleetMetric;
using explore::FleetObjective;
using explore::FleetRow;

Json objectives_json(const FleetSearch& found) {
  Json out = Json::array();
  for (const FleetObjective& one : found.objectives) {
    const bool less = one.of_fleet || one.plain.sense == explore::Sense::minimize;
    out.push_back({{less ? "minimize" : "maximize", fleet_key(one, found.trains())}});
  }
  return out;
}

void put_bill(const FleetSearch& found, const FleetRow& row, Json& out) {
  const auto names = names_of(FleetMetric{});
  const auto put = [&out](const std::string& key, const std::optional<double>& value) {
    out[key] = value ? Json(*value) : Json(nullptr);
  };
  for (std::size_t i = 0; i < names.size(); ++i) put(names[i], row.bill.metrics[i]);
  if (!found.trains()) return;
  out["run_time_s"] = row.pass.latency.base() * found.steps(row);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto metric = static_cast<FleetMetric>(i);
    const double times =
        metric == FleetMetric::j_per_token ? *found.train_tokens : found.millions();
    const auto& value = row.bill.metrics[i];
    put(run_key(metric), value ? std::optional(*value * times) : std::nullopt);
  }
}

Json plan_json(const explore::TrainingCandidate& candidate) {
  solve::fit_training::Choice choice = candidate.choice;
  Json out = members_json(members_of(choice));
  for (const char* elsewhere : {"devices", "total_bytes", "fits"}) out.erase(elsewhere);
  return out;
}

Json row_json(const FleetSearch& found, const FleetRow& row) {
  const auto& machine = found.machines[row.machine];
  const std::string& site = found.sites[row.site].name;
  Json out{{"machine", machine.name}, {"site", site.empty() ? Json(nullptr) : Json(site)}};
  if (found.trains()) {
    const explore::TrainingCandidate& plan = found.plan_of(row);
    out["plan"] = plan_json(plan);
    out["step_s"] = row.pass.latency.base();
    out["pes_used"] = row.pass.devices;
    out["tokens_per_s"] = plan.speed.tokens_per_s;
    out["mfu_fraction"] = plan.speed.mfu_fraction;
    out["memory_bytes"] = plan.choice.total.base();
  } else {
    PointRows rows(machine.search);
    const explore::Point& point = found.point_of(row);
    out["batch"] = point.scenario.work.batch;
    out.update(rows.json_with_bound(point));
  }
  put_bill(found, row, out);
  return out;
}

Json rows_json(const FleetSearch& found, const std::vector<FleetRow>& rows) {
  Json out = Json::array();
  for (const FleetRow& row : rows) out.push_back(row_json(found, row));
  return out;
}

Json sensitivity_json(const FleetSearch& found) {
  Json out = Json::array();
  const auto names = names_of(FleetMetric{});
  for (const explore::FleetSensitivity& one : found.sensitivity) {
    const auto shown = [&](double value) {
      return one.knob ? scalar_json(*one.knob, value) : Json(value);
    };
    Json changes{{"latency_fraction", one.latency_change}};
    for (std::size_t i = 0; i < names.size(); ++i) {
      changes[std::string(names[i]) + "_fraction"] =
          one.changes[i] ? Json(*one.changes[i]) : Json(nullptr);
    }
    out.push_back({{"knob", one.knob ? knob_name(*one.knob) : std::string(one.name.view())},
                   {"baseline", shown(one.baseline)},
                   {"doubled", shown(one.doubled)},
                   {"changes", std::move(changes)}});
  }
  return out;
}

}  // namespace

Json fleet_inputs(const Request& request, const FleetSearch& found) {
  const Search& first = found.machines.front().search;
  std::vector<std::string> chosen = first.space.axis_paths;
  if (found.trains()) {
    for (const ScalarField& field : first.c.fields) {
      if (field.owner == ScalarOwner::plan) chosen.push_back(field.path);
    }
  }
  Json out = inputs_of(first.c, chosen);
  if (found.trains()) out.erase("plan");
  out.erase("machine");
  Json machines = Json::array(), sites = Json::array();
  for (const auto& machine : found.machines) machines.push_back(machine.name);
  for (const auto& site : found.sites) {
    if (!site.name.empty()) sites.push_back(site.given);
  }
  out["machines"] = std::move(machines);
  out["sites"] = std::move(sites);
  for (const auto& [key, value] : first.space.shown.items()) {
    if (key != "objectives") out[key] = value;
  }
  out["objectives"] = objectives_json(found);
  explore::Terms terms;
  const std::vector<Member> members = members_of(terms);
  for (const auto& [key, value] : request.input.items()) {
    double factor = 0;
    const bool named = key == "site" || key == "grid" || key == "device" || key == "train_tokens";
    if (named || find_member(members, lower(key), factor) != nullptr) out[key] = value;
  }
  return out;
}

Json fleet_result(const FleetSearch& found) {
  Json machines = Json::array();
  for (const auto& machine : found.machines) {
    machines.push_back({{"name", machine.name},
                        {"evaluated_count", machine.search.found.evaluated_count},
                        {"feasible_count", machine.search.found.feasible_count +
                                               static_cast<std::int64_t>(machine.plans.size())}});
  }
  Json out{{"machines", std::move(machines)},
           {"site_count", found.sites.size()},
           {"evaluated_count", found.evaluated_count},
           {"feasible_count", found.feasible_count}};
  out["best"] = found.front.empty() ? Json(nullptr) : row_json(found, found.front.front());
  out["pareto"] = rows_json(found, found.front);
  out["places"] = rows_json(found, found.places);
  out["sensitivity"] = sensitivity_json(found);
  out["elapsed_s"] = found.elapsed_s;
  return out;
}

}  // namespace ridgeline::app
