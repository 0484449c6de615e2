// What explore tells on request: thinned points, a heat map, the sensitivity at another point.
#include <fmt/format.h>

#include <algorithm>

#include "ridgeline/app/command.h"
#include "ridgeline/app/explore.h"
#include "ridgeline/app/input.h"
#include "ridgeline/app/vocabulary.h"

namespace ridgeline::app {
namespace {

using explore::Metric;
using explore::Point;

constexpr std::size_t kMostCells = 4096;

constexpr double kOctaves = 8;  // that `thin` cells of a side go over

Error stopped() {
  return {ErrorCode::internal, "", "the search was stopped before its end", ""};
}

// One pair of each cell of a grid over the first two objectives; the front takes its cells first.
Status thin_points(Search& search) {
  const auto& objectives = search.space.space.objectives;
  explore::CloudOptions options;
  options.x = objectives[0].metric;
  options.y = objectives.size() > 1 ? objectives[1].metric : Metric::cost_score;
  options.cells_per_octave = static_cast<double>(search.thin) / kOctaves;
  options.taken = search.found.pareto;
  options.progress = search.options.progress;
  RIDGELINE_TRY(search.cloud,
                explore::cloud(search.c.model, search.c.scenario, search.space.space, options));
  if (search.cloud.stopped) return stopped();
  return Ok{};
}

Result<std::size_t> axis_named(const std::string& name, const Search& search) {
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < search.space.space.axes.size(); ++i) {
    const ScalarField& field = search.space.space.axes[i].field;
    if (name == field.path || name == field.key || name == field.stem) return i;
    paths.push_back(field.path);
  }
  return Error{ErrorCode::unknown_name, "", fmt::format("\"{}\" is no axis", name.substr(0, 80)),
               fmt::format("the axes are {}", fmt::join(paths, ", "))};
}

Status draw_heat_map(const std::vector<std::string>& names, Search& search) {
  if (names.size() != 2 || names[0] == names[1]) {
    return Error{ErrorCode::bad_value, "", "does not name two axes",
                 "give two axes of the space, such as plan.tp,plan.cp"};
  }
  RIDGELINE_TRY(search.x_axis, axis_named(names[0], search));
  RIDGELINE_TRY(search.y_axis, axis_named(names[1], search));
  const auto& axes = search.space.space.axes;
  if (axes[search.x_axis].values.size() * axes[search.y_axis].values.size() > kMostCells) {
    return Error{ErrorCode::out_of_range, "", fmt::format("more than {} cells", kMostCells),
                 "give the axes fewer values"};
  }
  RIDGELINE_TRY(search.cells,
                explore::heat_map(search.c.model, search.c.scenario, search.space.space,
                                  search.x_axis, search.y_axis, search.options));
  if (search.cells.empty()) return stopped();
  return Ok{};
}

// Lays the members of a row ("hardware", "workload", "plan") over the scenario.
Status apply_row(const Json& row, const Vocabulary& vocabulary, Scenario& at) {
  for (const char* part : {"hardware", "workload", "plan"}) {
    if (!row.contains(part) || !row[part].is_object()) continue;
    for (const auto& [key, value] : row[part].items()) {
      const std::string pointer = fmt::format("/{}/{}", part, key);
      auto target = vocabulary.find(key);
      if (target && target->field != nullptr) {
        target = Error{ErrorCode::unknown_key, "", fmt::format("\"{}\" is no scalar", key), ""};
      }
      auto number = target ? scalar_value(target->scalar, value) : Result<double>(target.error());
      if (!number) {
        Error error = number.error();
        error.where = pointer;
        return error;
      }
      set_scalar(at, target->scalar.field, *number);
    }
  }
  return Ok{};
}

Status ask_at(const Json& row, const Request& request, Search& search) {
  RIDGELINE_TRY(const Command* command, find_command(request.command));
  const Vocabulary vocabulary(*command, search.c.scenario.machine);
  Scenario at = search.c.scenario;
  RIDGELINE_CHECK(apply_row(row, vocabulary, at));
  explore::Space one;
  one.require_fit = false;
  RIDGELINE_TRY(const explore::Exploration found, explore::explore(search.c.model, at, one, {}));
  if (found.best.empty()) {
    return Error{ErrorCode::out_of_range, "", "this plan cannot be placed on this machine",
                 "give a row of the answer"};
  }
  search.asked = found.best.front();
  search.asked->hardware.clear();
  for (const ScalarField& field : search.found.hardware_fields) {
    search.asked->hardware.push_back(get_scalar(at, field));
  }
  search.found.sensitivity =
      explore::sensitivity_at(search.c.model, at, search.found.hardware_fields);
  return Ok{};
}

}  // namespace

Status add_details(const Request& request, Search& search) {
  RIDGELINE_TRY(const Command* command, find_command(request.command));
  const InputReader reader(request.input, request.origins, *command);
  if (search.thin > 0) RIDGELINE_CHECK(thin_points(search));
  if (reader.has("heat_map")) {
    RIDGELINE_TRY(const std::vector<std::string> names, reader.texts("heat_map"));
    const auto status = draw_heat_map(names, search);
    const bool stops = !status && status.error().code == ErrorCode::internal;
    if (!status && !stops) return request.origins.placed(status.error(), "/heat_map");
    if (stops) return status;
  }
  if (reader.has("at")) {
    const auto status = ask_at(request.input["at"], request, search);
    if (!status) return request.origins.placed(status.error(), "/at");
  }
  return Ok{};
}

}  // namespace ridgeline::app
