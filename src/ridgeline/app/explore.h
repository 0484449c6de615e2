// Explore: a search over machines and plans. Run here, described by explore_json.cc and
// explore_text.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgeline/app/resolve.h"
#include "ridgeline/app/space.h"
#include "ridgeline/explore/explore.h"
#include "ridgeline/report/document.h"

namespace ridgeline::app {

struct Search {
  Case c;
  SpaceInput space;
  explore::Options options;
  bool wants_points = false;
  std::int64_t thin = 0;       // cells per eight octaves; 0: every point
  bool wants_columns = false;  // thinned points as columns
  explore::Exploration found;
  double elapsed_s = 0;
  std::vector<Note> notes;
  explore::Cloud cloud;  // behind the front
  std::size_t x_axis = 0, y_axis = 0;
  std::vector<explore::Cell> cells;     // of the heat map
  std::optional<explore::Point> asked;  // where the sensitivity is taken, if not at the best

  bool feasible() const { return !found.best.empty(); }
};

// The members of a row: hardware, plan, metrics. One list for JSON, CSV and tables.
class PointRows {
 public:
  explicit PointRows(const Search& search);

  // "hardware/bw_hbm_gbs", "plan/tp", "latency_s".
  const std::vector<std::string>& keys() const { return keys_; }
  const std::vector<std::string>& columns() const { return columns_; }

  // The values of a point, in the order of keys(); valid until the next call.
  std::span<const report::Scalar> values(const explore::Point& point);

  Json json(const explore::Point& point);
  Json json(const explore::Point& point, Bound bound);
  Json json_with_bound(const explore::Point& point);

 private:
  void add(std::string key, std::string column);

  report::Scalar metric(const explore::Point& point, explore::Metric which) const;

  const Model* model_;
  bool energy_;
  std::vector<ScalarField> hardware_, workload_, plan_;
  std::vector<std::string> keys_, columns_;
  std::vector<report::Scalar> row_;
};

// "bw_hbm_gbs" of "machine.bw_hbm_gbs": what a hardware knob is called in rows.
std::string knob_name(const ScalarField& field);

// What is told on request: thinned points, a heat map, the sensitivity at another point.
Status add_details(const Request& request, Search& search);
Json heat_map_json(const Search& search, PointRows& rows);
// The front and the cloud, column by column: what a drawing needs of each point.
Json columns_json(const Search& search, PointRows& rows);

Json explore_result(const Search& search);
std::vector<report::Section> explore_sections(const Search& search);
report::Chart explore_chart(const Search& search);

}  // namespace ridgeline::app
