// Thinned points column by column. A column of few values lists these once, and of each point which
// one it has.
#include <algorithm>

#include "ridgeline/app/explore.h"

namespace ridgeline::app {
namespace {

using explore::Metric;
using explore::Point;
using report::Scalar;

constexpr std::size_t kMostDistinct = 256;

// Of the metrics those that are weighed, and what tells points apart.
bool is_shown(const std::string& key, const Search& search) {
  const bool metric = key.find('/') == std::string::npos;
  if (!metric || key == "latency_s" || key == "pes_used" || key == "memory_bytes") return true;
  if (key == "memory_headroom_bytes") return !search.space.space.require_fit;
  const auto& objectives = search.space.space.objectives;
  return std::any_of(objectives.begin(), objectives.end(), [&](const explore::Objective& o) {
    return key == explore::names_of(o.metric)[static_cast<std::size_t>(o.metric)];
  });
}

Json json_of(const Scalar& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* text = std::get_if<std::string_view>(&value)) return std::string(*text);
  return nullptr;
}

class Column {
 public:
  explicit Column(std::string key) : key_(std::move(key)) {}

  void add(const Scalar& value) {
    all_.push_back(value);
    if (distinct_.size() > kMostDistinct) return;
    const auto found = std::find(distinct_.begin(), distinct_.end(), value);
    at_.push_back(found - distinct_.begin());
    if (found == distinct_.end()) distinct_.push_back(value);
  }

  Json json() const {
    const bool few = distinct_.size() <= kMostDistinct && 2 * distinct_.size() <= all_.size();
    Json out{{"key", key_}, {"values", Json::array()}};
    for (const Scalar& value : few ? distinct_ : all_) out["values"].push_back(json_of(value));
    if (few) out["at"] = at_;
    return out;
  }

 private:
  std::string key_;
  std::vector<Scalar> all_, distinct_;
  std::vector<std::int64_t> at_;
};

}  // namespace

Json columns_json(const Search& search, PointRows& rows) {
  std::vector<Column> columns;
  std::vector<std::size_t> members;  // of a row
  for (std::size_t m = 0; m < rows.keys().size(); ++m) {
    if (!is_shown(rows.keys()[m], search)) continue;
    columns.emplace_back(rows.keys()[m]);
    members.push_back(m);
  }
  columns.emplace_back("bound");
  const auto add = [&](const Point& point, Bound bound) {
    const std::span<const Scalar> row = rows.values(point);
    for (std::size_t c = 0; c < members.size(); ++c) columns[c].add(row[members[c]]);
    columns.back().add(std::string_view(names_of(bound)[static_cast<std::size_t>(bound)]));
  };
  for (const Point& point : search.found.pareto) {
    add(point, explore::bound_of(search.c.model, point.scenario));
  }
  const explore::Cloud& cloud = search.cloud;
  for (std::size_t i = 0; i < cloud.points.size(); ++i) add(cloud.points[i], cloud.bounds[i]);
  Json out{{"count", search.found.pareto.size() + cloud.points.size()},
           {"front_count", search.found.pareto.size()},
           {"columns", Json::array()}};
  for (const Column& column : columns) out["columns"].push_back(column.json());
  return out;
}

}  // namespace ridgeline::app
