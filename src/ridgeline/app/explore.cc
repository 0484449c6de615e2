#include "ridgeline/app/explore.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "ridgeline/app/command.h"
#include "ridgeline/app/conditions.h"
#include "ridgeline/app/fleet.h"
#include "ridgeline/app/input.h"
#include "ridgeline/app/messages.h"
#include "ridgeline/physics/lower.h"

namespace ridgeline::app {
namespace {

constexpr std::int64_t kMostThreads = 1024;
constexpr std::int64_t kMostTop = 1'000'000;
constexpr std::int64_t kMostThin = 256;

Status read_options(const Request& request, const Context& context, Search& search) {
  RIDGELINE_TRY(const Command* command, find_command(request.command));
  const InputReader reader(request.input, request.origins, *command);
  RIDGELINE_TRY(const std::int64_t threads, reader.count("threads", 0, kMostThreads));
  RIDGELINE_TRY(search.options.top, reader.count("top", 0, kMostTop));
  RIDGELINE_TRY(search.options.per_hardware, reader.toggle("per_hardware"));
  RIDGELINE_TRY(search.wants_points, reader.toggle("points"));
  RIDGELINE_TRY(search.thin, reader.count("thin", 0, kMostThin));
  RIDGELINE_TRY(search.wants_columns, reader.toggle("columns"));
  search.options.threads = static_cast<int>(threads);
  // A drawing shows the best of each machine behind the front.
  if (request.format == report::Format::svg) search.options.per_hardware = true;
  search.options.progress = context.progress;
  return Ok{};
}

Status check_energy(const Request& request, const Search& search) {
  if (energy_known(search.c.scenario.machine)) return Ok{};
  for (const explore::Objective& objective : search.space.space.objectives) {
    if (dim_of(objective.metric) != Dim{.energy = 1}) continue;
    return Error{
        ErrorCode::unsupported, request.origins.where("/objectives"),
        fmt::format("{} does not say what it costs in energy", search.c.scenario.machine.name),
        "name another objective, or set static_power and the energies of the machine"};
  }
  return Ok{};
}

// The plans of --plans full on the best machine: what the reduced list gives away.
Result<std::vector<Note>> compare_with_full_plans(const Request& request, const Context& context,
                                                  const Search& search) {
  const bool reduced = search.space.shown.value("plans", "") == "reduced";
  const bool shows_notes =
      request.format != report::Format::csv && request.format != report::Format::svg;
  if (!reduced || !shows_notes || !search.feasible()) return std::vector<Note>{};
  const explore::Point& best = search.found.best.front();
  Case full = search.c;
  full.scenario = best.scenario;
  RIDGELINE_TRY(const explore::Space space,
                full_plan_space(request, context, search.space.space, full));
  explore::Point at = best;
  at.scenario = full.scenario;
  const auto faster = explore::faster_point(full.model, at, space);
  if (!faster) return std::vector<Note>{};
  const double now = best.metric(explore::Metric::latency_s);
  const double then = faster->metric(explore::Metric::latency_s);
  return std::vector<Note>{
      {"full_space_better",
       fmt::format("on the best machine the full plan space reaches {} with {}, {:.1f} % faster "
                   "than the reduced one: use --plans full",
                   time_text(then), plan_text(faster->scenario.plan), 100 * (1 - then / now)),
       "/plans"}};
}

void note_outcome(Search& search) {
  search.notes = search.c.notes;
  const bool fewest = search.space.space.pick == explore::Pick::fewest_devices;
  if (fewest && search.feasible()) {
    search.notes.push_back({"fewest_pes",
                            "this depth answers with the plan on the fewest PEs, not the fastest; "
                            "--depth balanced looks for speed",
                            "/depth"});
  }
  if (!search.space.space.require_fit) {
    search.notes.push_back(
        {"misfits", "pairs that do not fit in memory are among the answers", "/misfits"});
  }
  if (!search.feasible()) {
    search.notes.push_back(
        {"nothing_feasible", "no pair is valid, fits the memory and meets the constraints", ""});
  }
}

Result<Search> run_search(const Request& request, const Context& context) {
  Search search;
  RIDGELINE_TRY(search.c, resolve_case(request, context));
  const auto supported = physics::check_supported(search.c.model, search.c.scenario.machine);
  if (!supported) return request.origins.placed(supported.error(), "/model");
  RIDGELINE_TRY(search.space, space_of(request, context, search.c));
  RIDGELINE_CHECK(check_energy(request, search));
  RIDGELINE_CHECK(read_options(request, context, search));
  const auto start = std::chrono::steady_clock::now();
  auto found =
      explore::explore(search.c.model, search.c.scenario, search.space.space, search.options);
  search.elapsed_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!found) return request.origins.placed(found.error(), "/space");
  if (found->stopped) {
    return Error{ErrorCode::internal, "", "the search was stopped before its end", ""};
  }
  search.found = *std::move(found);
  note_outcome(search);
  RIDGELINE_CHECK(add_details(request, search));
  RIDGELINE_TRY(const std::vector<Note> more, compare_with_full_plans(request, context, search));
  search.notes.insert(search.notes.end(), more.begin(), more.end());
  return search;
}

Json inputs_of_search(const Search& search, const Request& request) {
  Json out = inputs_of(search.c, search.space.axis_paths);
  out.update(search.space.shown);
  if (search.options.top > 0) out["top"] = search.options.top;
  const bool asked = request.input.contains("per_hardware") && search.options.per_hardware;
  if (asked) out["per_hardware"] = true;
  if (search.wants_points) out["points"] = true;
  for (const char* name : {"misfits", "thin", "columns", "heat_map", "at"}) {
    if (request.input.contains(name)) out[name] = request.input[name];
  }
  return out;
}

// Rows of `points`, made while they are written. The search outlives the document's rendering.
report::Rows point_stream(const std::shared_ptr<const Search>& search) {
  PointRows rows(*search);
  const std::vector<std::string> keys = rows.keys(), columns = rows.columns();
  return {keys, columns, [search, rows](const report::RowSink& sink) mutable {
            explore::for_each_point(
                search->c.model, search->c.scenario, search->space.space,
                [&](const explore::Point& point) { return sink(rows.values(point)); });
          }};
}

report::Rows front_rows(const std::shared_ptr<const Search>& search) {
  PointRows rows(*search);
  const std::vector<std::string> keys = rows.keys(), columns = rows.columns();
  return {keys, columns, [search, rows](const report::RowSink& sink) mutable {
            for (const explore::Point& point : search->found.pareto) {
              if (!sink(rows.values(point))) return;
            }
          }};
}

}  // namespace

Result<report::Document> answer_explore(const Request& request, const Context& context) {
  if (asks_about_fleet(request)) return answer_fleet(request, context);
  RIDGELINE_TRY(Search found, run_search(request, context));
  const auto search = std::make_shared<const Search>(std::move(found));
  report::Document out;
  out.tree = {{"ridgeline", RIDGELINE_VERSION},
              {"command", "explore"},
              {"inputs", inputs_of_search(*search, request)},
              {"result", explore_result(*search)},
              {"basis", basis_of(search->c)},
              {"notes", notes_json(search->notes)}};
  out.sections = explore_sections(*search);
  out.csv = search->wants_points ? point_stream(search) : front_rows(search);
  if (search->wants_points && search->thin == 0)
    out.stream = report::Stream{"result", "points", point_stream(search)};
  if (request.format == report::Format::svg) out.chart = explore_chart(*search);
  out.exit_status = search->feasible() ? 0 : 3;
  return out;
}

}  // namespace ridgeline::app
