// `result` of explore: counts, rows, sensitivity.
#include <fmt/format.h>

#include <cmath>

#include "ridgeline/app/explore.h"
#include "ridgeline/app/input.h"
#include "ridgeline/spec/step.h"

namespace ridgeline::app {
namespace {

using explore::Metric;
using explore::Point;
using report::Scalar;

constexpr std::string_view kMachine = "machine.";

bool is_count(Metric metric) {
  return metric == Metric::pes_used || metric == Metric::memory_bytes ||
         metric == Metric::memory_headroom_bytes;
}

Scalar scalar_of(const ScalarField& field, double base) {
  if (field.kind == ScalarKind::choice) {
    return std::string_view(field.choices[static_cast<std::size_t>(base)]);
  }
  const double value = base / field.unit;
  const bool whole = value == std::floor(value) && std::fabs(value) < 9e15;
  if (whole) return static_cast<std::int64_t>(value);
  return value;
}

bool is_energy(Metric metric) {
  return metric == Metric::energy_j || metric == Metric::energy_j_per_token;
}

Json json_of(const Scalar& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* text = std::get_if<std::string_view>(&value)) return std::string(*text);
  return nullptr;
}

Json rows_json(PointRows& rows, const std::vector<Point>& points) {
  Json out = Json::array();
  for (const Point& point : points) out.push_back(rows.json_with_bound(point));
  return out;
}

// The front as it stands before, then the cloud.
Json thinned_json(PointRows& rows, const Search& search, const Json& front) {
  Json out = front;
  const explore::Cloud& cloud = search.cloud;
  for (std::size_t i = 0; i < cloud.points.size(); ++i) {
    out.push_back(rows.json(cloud.points[i], cloud.bounds[i]));
  }
  return out;
}

Json sensitivity_json(const explore::Exploration& found) {
  Json out = Json::array();
  for (const explore::SensitivityRow& row : found.sensitivity) {
    out.push_back(
        {{"knob", knob_name(row.knob)},
         {"baseline", scalar_json(row.knob, row.baseline)},
         {"doubled", scalar_json(row.knob, row.doubled)},
         {"baseline_latency_s", row.baseline_latency_s},
         {"doubled_latency_s", row.doubled_latency_s},
         {"speedup_fraction", row.speedup_fraction},
         {"halved", scalar_json(row.knob, row.halved)},
         {"halved_latency_s", row.halved_latency_s ? Json(*row.halved_latency_s) : Json(nullptr)},
         {"slowdown_fraction", row.halved_latency_s
                                   ? Json(*row.halved_latency_s / row.baseline_latency_s - 1)
                                   : Json(nullptr)}});
  }
  return out;
}

Json near_misses_json(PointRows& rows, const explore::Exploration& found) {
  Json out = Json::array();
  for (const explore::NearMiss& miss : found.near_misses) {
    Json row = rows.json(miss.point);
    row["lacking_bytes"] = miss.lacking_bytes;
    out.push_back(std::move(row));
  }
  return out;
}

}  // namespace

std::string knob_name(const ScalarField& field) {
  const std::string_view path = field.path;
  return std::string(path.substr(0, kMachine.size()) == kMachine ? path.substr(kMachine.size())
                                                                 : path);
}

PointRows::PointRows(const Search& search)
    : model_(&search.c.model),
      energy_(energy_known(search.c.scenario.machine)),
      hardware_(search.found.hardware_fields) {
  for (const explore::Axis& axis : search.space.space.axes) {
    if (axis.field.owner == ScalarOwner::workload) workload_.push_back(axis.field);
  }
  for (const ScalarField& field : search.c.fields) {
    if (field.owner == ScalarOwner::plan) plan_.push_back(field);
  }
  for (const ScalarField& f : hardware_) add("hardware/" + knob_name(f), knob_name(f));
  for (const ScalarField& f : workload_) add("workload/" + f.key, f.key);
  for (const ScalarField& f : plan_) add("plan/" + f.key, f.key);
  for (const char* name : names_of(Metric{})) add(name, name);
}

void PointRows::add(std::string key, std::string column) {
  keys_.push_back(std::move(key));
  columns_.push_back(std::move(column));
}

Scalar PointRows::metric(const Point& point, Metric which) const {
  if (is_energy(which) && !energy_) return std::monostate{};
  const double value = point.metric(which);
  if (is_count(which)) return static_cast<std::int64_t>(value);
  return value;
}

std::span<const Scalar> PointRows::values(const Point& point) {
  row_.clear();
  for (std::size_t i = 0; i < hardware_.size(); ++i) {
    row_.push_back(scalar_of(hardware_[i], point.hardware[i]));
  }
  for (const auto* fields : {&workload_, &plan_}) {
    for (const ScalarField& f : *fields) {
      row_.push_back(scalar_of(f, get_scalar(point.scenario, f)));
    }
  }
  for (std::size_t m = 0; m < explore::kMetricCount; ++m) {
    row_.push_back(metric(point, static_cast<Metric>(m)));
  }
  return row_;
}

Json PointRows::json(const Point& point) {
  const auto row = values(point);
  Json out = Json::object();
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::size_t slash = keys_[i].find('/');
    if (slash == std::string::npos) {
      out[keys_[i]] = json_of(row[i]);
    } else {
      out[keys_[i].substr(0, slash)][keys_[i].substr(slash + 1)] = json_of(row[i]);
    }
  }
  return out;
}

Json PointRows::json(const Point& point, Bound bound) {
  Json out = json(point);
  out["bound"] = names_of(bound)[static_cast<std::size_t>(bound)];
  return out;
}

Json PointRows::json_with_bound(const Point& point) {
  return json(point, explore::bound_of(*model_, point.scenario));
}

Json heat_map_json(const Search& search, PointRows& rows) {
  const auto axis_json = [&](std::size_t i) {
    const explore::Axis& axis = search.space.space.axes[i];
    Json values = Json::array();
    for (const double v : axis.values) values.push_back(scalar_json(axis.field, v));
    return Json{{"path", axis.field.path}, {"values", std::move(values)}};
  };
  Json cells = Json::array();
  for (const explore::Cell& cell : search.cells) {
    const bool any = !cell.best.empty();
    const Metric first = search.space.space.objectives[0].metric;
    cells.push_back(
        {{"x", cell.x},
         {"y", cell.y},
         {"feasible_count", cell.feasible_count},
         {"latency_s", any ? Json(cell.best[0].metric(Metric::latency_s)) : Json(nullptr)},
         {"value", any ? Json(cell.best[0].metric(first)) : Json(nullptr)},
         {"reason", any ? Json(nullptr) : Json(cell.reason)},
         {"point", any ? rows.json_with_bound(cell.best[0]) : Json(nullptr)}});
  }
  return {{"x", axis_json(search.x_axis)}, {"y", axis_json(search.y_axis)}, {"cells", cells}};
}

Json explore_result(const Search& search) {
  const explore::Exploration& found = search.found;
  PointRows rows(search);
  Json rejected = Json::object();
  const auto reasons = names_of(InvalidReason{});
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    if (found.rejected[i] > 0) rejected[reasons[i]] = found.rejected[i];
  }
  if (found.does_not_fit_count > 0) rejected["does_not_fit"] = found.does_not_fit_count;
  const std::int64_t constrained =
      found.valid_count - found.does_not_fit_count - found.feasible_count;
  if (constrained > 0) rejected["constraints"] = constrained;

  Json out{{"hardware_count", found.hardware_count}};
  if (found.workload_count != 1) out["workload_count"] = found.workload_count;
  out["parallelism_count"] = found.parallelism_count;
  out["evaluated_count"] = found.evaluated_count;
  out["feasible_count"] = found.feasible_count;
  out["rejected"] = std::move(rejected);
  out["best"] = search.feasible() ? rows.json_with_bound(found.best.front()) : Json(nullptr);
  out["pareto"] = rows_json(rows, found.pareto);
  if (search.options.top > 0) out["top"] = rows_json(rows, found.top);
  if (search.options.per_hardware) out["per_hardware"] = rows_json(rows, found.per_hardware);
  out["sensitivity"] = sensitivity_json(found);
  const Point* at = search.asked ? &*search.asked : found.best.empty() ? nullptr : &found.best[0];
  out["sensitivity_at"] = at != nullptr ? rows.json(*at) : Json(nullptr);
  if (!search.cells.empty()) out["heat_map"] = heat_map_json(search, rows);
  if (search.thin > 0) {
    out["points_total"] = search.cloud.total;
    if (search.wants_columns) {
      out["point_columns"] = columns_json(search, rows);
    } else {
      out["points"] = thinned_json(rows, search, out["pareto"]);
    }
  }
  if (!search.feasible()) out["near_misses"] = near_misses_json(rows, found);
  out["elapsed_s"] = search.elapsed_s;
  out["evaluations_per_s"] =
      search.elapsed_s > 0 ? static_cast<double>(found.evaluated_count) / search.elapsed_s : 0.0;
  return out;
}

}  // namespace ridgeline::app
