#include "ridgeline/app/fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "ridgeline/app/conditions.h"
#include "ridgeline/app/input.h"
#include "ridgeline/app/json_view.h"
#include "ridgeline/physics/lower.h"

namespace ridgeline::app {
namespace {

using explore::FleetRow;
using explore::Terms;

constexpr std::size_t kMostMachines = 64;

Status check_axes(const Search& search) {
  for (const explore::Axis& axis : search.space.space.axes) {
    if (axis.field.owner != ScalarOwner::workload || axis.field.path == "batch") continue;
    return Error{ErrorCode::unsupported, "/space",
                 fmt::format("{} cannot be an axis where costs are compared", axis.field.path),
                 "ask for each of its values"};
  }
  return Ok{};
}

Status resolve(const Request& request, const Context& context, Search& out) {
  RIDGELINE_TRY(out.c, resolve_case(request, context));
  const auto supported = physics::check_supported(out.c.model, out.c.scenario.machine);
  if (!supported) return request.origins.placed(supported.error(), "/model");
  if (out.c.model.why_no_count.empty()) return Ok{};
  return Error{ErrorCode::unsupported, request.origins.where("/model"),
               fmt::format("its FLOP are not known: {}", out.c.model.why_no_count), ""};
}

// ---- serving

Status search_pairs(const Request& request, const Context& context, const FleetSearch& fleet,
                    Search& out) {
  RIDGELINE_TRY(out.space, space_of(request, context, out.c));
  if (const Status axes = check_axes(out); !axes) return request.origins.placed(axes.error(), "");
  RIDGELINE_TRY(const Command* command, find_command(request.command));
  const InputReader reader(request.input, request.origins, *command);
  constexpr std::int64_t kMostThreads = 1024;
  RIDGELINE_TRY(const std::int64_t threads, reader.count("threads", 0, kMostThreads));
  out.options.threads = static_cast<int>(threads);
  out.options.progress = context.progress;
  out.space.space.objectives = search_objectives(fleet.objectives);
  auto found = explore::explore(out.c.model, out.c.scenario, out.space.space, out.options);
  if (!found) return request.origins.placed(found.error(), "/space");
  if (found->stopped) {
    return Error{ErrorCode::internal, "", "the search was stopped before its end", ""};
  }
  out.found = *std::move(found);
  return Ok{};
}

// ---- training

Status search_plans(const Request& request, const Context& context, FleetSearch::Machine& out) {
  const Workload& work = out.search.c.scenario.work;
  for (const char* due : {"batch", "context"}) {
    if (request.input.contains(due)) continue;
    return Error{ErrorCode::missing, request.origins.where(fmt::format("/{}", due)),
                 "a training run needs the sequences of a step and their length",
                 "give batch and context"};
  }
  Names names(context);
  if (!request.input.contains("machine")) {
    return Error{ErrorCode::missing, request.origins.where("/machines"),
                 "a training run needs a machine", "see: ridgeline list machines"};
  }
  RIDGELINE_TRY(out.cluster, names.cluster(request.input["machine"]));
  solve::fit_training::Inputs in;
  in.training.batch_size = work.batch;
  in.training.seq_len = work.context;
  in.training.precision = work.precision;
  const solve::Subject subject{&out.search.c.model, nullptr, &out.search.c.scenario.machine};
  const auto checked = solve::fit_training::check(in, subject);
  if (!checked) {
    Error error = checked.error();
    error.where = request.origins.where("/" + error.where);
    return error;
  }
  out.plans = explore::training_candidates(*checked, subject, *out.cluster);
  return Ok{};
}

// ---- both

Status search_machine(const Request& request, const Context& context, const FleetSearch& fleet,
                      FleetSearch::Machine& out) {
  RIDGELINE_CHECK(resolve(request, context, out.search));
  out.name = out.search.c.scenario.machine.name;
  return fleet.trains() ? search_plans(request, context, out)
                        : search_pairs(request, context, fleet, out.search);
}

Status search_machines(const Request& request, const Context& context, FleetSearch& out) {
  Json names = list_of(request.input, "machines");
  if (names.size() > kMostMachines) {
    return Error{ErrorCode::out_of_range, request.origins.where("/machines"),
                 fmt::format("{} machines", names.size()),
                 fmt::format("at most {}", kMostMachines)};
  }
  if (!names.empty() && request.input.contains("machine")) {
    return Error{ErrorCode::conflict, request.origins.where("/machine"),
                 "machine and machines are both given", "keep one of them"};
  }
  if (names.empty()) names.push_back(nullptr);
  for (std::size_t i = 0; i < names.size(); ++i) {
    Request one = request_for(request, names[i]);
    if (!names[i].is_null()) one.origins.typed["/machine"] = request.origins.where("/machines");
    FleetSearch::Machine machine;
    RIDGELINE_CHECK(search_machine(one, context, out, machine));
    const auto plans = static_cast<std::int64_t>(machine.plans.size());
    out.evaluated_count += machine.search.found.evaluated_count;
    out.feasible_count += machine.search.found.feasible_count + plans;
    out.machines.push_back(std::move(machine));
  }
  return Ok{};
}

std::vector<FleetRow> rows_of(const FleetSearch& found, std::size_t machine, std::size_t site) {
  const FleetSearch::Machine& at = found.machines[machine];
  const Terms& terms = found.terms_of(machine, site);
  std::vector<FleetRow> out;
  const auto add = [&](const explore::Pass& pass, const auto& metrics) {
    FleetRow row = explore::row_of(pass, metrics, terms);
    row.machine = machine;
    row.site = site;
    row.candidate = out.size();
    out.push_back(row);
  };
  for (const explore::Point& point : at.search.found.pareto) {
    add(explore::pass_of(at.search.c.model, point), point.metrics);
  }
  for (const explore::TrainingCandidate& plan : at.plans) {
    add(explore::pass_of(plan), explore::metrics_of(plan));
  }
  return out;
}

void find_front(FleetSearch& out) {
  std::vector<FleetRow> rows;
  std::vector<explore::FleetObjective> cheapest = out.objectives;
  if (cheapest.size() > 1) cheapest.erase(cheapest.begin());
  for (std::size_t i = 0; i < out.machines.size(); ++i) {
    for (std::size_t j = 0; j < out.sites.size(); ++j) {
      const std::vector<FleetRow> here = rows_of(out, i, j);
      const auto best = explore::fleet_front(here, cheapest);
      if (!best.empty()) out.places.push_back(best.front());
      rows.insert(rows.end(), here.begin(), here.end());
    }
  }
  out.front = explore::fleet_front(std::move(rows), out.objectives);
}

void find_sensitivity(FleetSearch& out) {
  if (out.front.empty()) return;
  const FleetRow& best = out.front.front();
  const FleetSearch::Machine& machine = out.machines[best.machine];
  const Terms& terms = out.terms_of(best.machine, best.site);
  const Case& c = machine.search.c;
  out.sensitivity = explore::sensitivity_to_terms(best, terms);
  const auto more = out.trains()
                        ? explore::sensitivity_to_rates(out.plan_of(best),
                                                        {&c.model, nullptr, &c.scenario.machine},
                                                        *machine.cluster, terms)
                        : explore::sensitivity_to_knobs(c.model, out.point_of(best), terms,
                                                        hardware_knobs(c.scenario.machine));
  out.sensitivity.insert(out.sensitivity.end(), more.begin(), more.end());
}

void note_gaps(FleetSearch& out) {
  const bool embodied = std::all_of(out.terms.begin(), out.terms.end(), [](const Terms& t) {
    return t.embodied_per_device.has_value();
  });
  if (!embodied) {
    out.notes.push_back({"embodied_not_counted",
                         "the making of devices is not counted where embodied_per_device is not "
                         "known",
                         "/embodied_per_device"});
  }
  for (const FleetSearch::Machine& machine : out.machines) {
    if (!machine.search.found.best.empty() || !machine.plans.empty()) continue;
    out.notes.push_back({"nothing_feasible",
                         fmt::format("{} holds no plan of the model", machine.name), "/machines"});
  }
}

// What a search of one machine tells and that of a fleet does not; of a training run the plans are
// those of the machine, whatever a space says.
Status refuse_unused(const Request& request, bool trains) {
  constexpr std::array kOfOneMachine = {"misfits", "top",     "per_hardware", "points",
                                        "thin",    "columns", "heat_map",     "at"};
  constexpr std::array kOfServing = {"depth", "plans", "space", "constraints"};
  const auto refused = [&](const char* name, const char* where) -> Status {
    if (!request.input.contains(name)) return Ok{};
    return Error{ErrorCode::unsupported, request.origins.where(fmt::format("/{}", name)),
                 fmt::format("is not for {}", where), "leave it out"};
  };
  for (const char* name : kOfOneMachine) {
    RIDGELINE_CHECK(refused(name, "a search over what machines and sites cost"));
  }
  if (!trains) return Ok{};
  for (const char* name : kOfServing) RIDGELINE_CHECK(refused(name, "the cost of a training run"));
  return Ok{};
}

Result<FleetSearch> ask(const Request& request, const Context& context) {
  FleetSearch out;
  RIDGELINE_TRY(out.train_tokens, train_tokens_of(request, context));
  RIDGELINE_CHECK(refuse_unused(request, out.trains()));
  RIDGELINE_TRY(out.objectives, fleet_objectives(request, out.trains()));
  RIDGELINE_CHECK(read_sites(request, out));
  const auto start = std::chrono::steady_clock::now();
  RIDGELINE_CHECK(search_machines(request, context, out));
  for (const FleetSearch::Machine& machine : out.machines) {
    for (const FleetSearch::Site& site : out.sites) {
      RIDGELINE_TRY(const Terms terms, fleet_terms(request, machine, site, context, out));
      out.terms.push_back(terms);
    }
  }
  find_front(out);
  find_sensitivity(out);
  out.elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  note_gaps(out);
  out.inputs = fleet_inputs(request, out);
  return out;
}

}  // namespace

Result<report::Document> answer_fleet(const Request& request, const Context& context) {
  RIDGELINE_TRY(const FleetSearch found, ask(request, context));
  report::Document out;
  Json result = fleet_result(found);
  out.csv = rows_of(result["pareto"]);
  Json basis = app::basis_of(found.machines.front().search.c);
  for (const Json& source : found.sources) basis["sources"].push_back(source);
  out.sections = fleet_sections(found);
  if (request.format == report::Format::svg) out.chart = fleet_chart(found);
  out.exit_status = found.front.empty() ? 3 : 0;
  out.tree = {{"ridgeline", RIDGELINE_VERSION}, {"command", "explore"},
              {"inputs", found.inputs},         {"result", std::move(result)},
              {"basis", std::move(basis)},      {"notes", notes_json(found.notes)}};
  return out;
}

}  // namespace ridgeline::app
