// Heat map: the space searched again for each pair of values of two axes.
#include <algorithm>
#include <utility>

#include "ridgeline/explore/explore.h"

namespace ridgeline::explore {
namespace {

// The reason that most of the pairs of a cell have for not being feasible.
const char* most_frequent_reason(const Exploration& found) {
  const auto most = std::max_element(found.rejected.begin(), found.rejected.end());
  const std::int64_t constrained =
      found.valid_count - found.does_not_fit_count - found.feasible_count;
  if (found.does_not_fit_count >= *most && found.does_not_fit_count >= constrained) {
    return "does_not_fit";
  }
  if (constrained >= *most) return "constraints";
  return names_of(InvalidReason{})[static_cast<std::size_t>(most - found.rejected.begin())];
}

}  // namespace

Result<std::vector<Cell>> heat_map(const Model& model, const Scenario& base, const Space& space,
                                   std::size_t x_axis, std::size_t y_axis, const Options& options) {
  std::vector<Cell> out;
  Space of_cell = space;
  of_cell.objectives.resize(std::min<std::size_t>(1, space.objectives.size()));  // only its best
  const Options quiet{.threads = options.threads, .best_only = true};
  const std::vector<double>&xs = space.axes[x_axis].values, &ys = space.axes[y_axis].values;
  const auto cells = static_cast<double>(xs.size() * ys.size());
  for (std::size_t x = 0; x < xs.size(); ++x) {
    for (std::size_t y = 0; y < ys.size(); ++y) {
      const double share = static_cast<double>(out.size()) / cells;
      if (options.progress && !options.progress(share)) return std::vector<Cell>{};
      of_cell.axes[x_axis].values = {xs[x]};
      of_cell.axes[y_axis].values = {ys[y]};
      RIDGELINE_TRY(Exploration found, explore(model, base, of_cell, quiet));
      Cell cell{x, y, found.feasible_count, std::move(found.best), ""};
      if (cell.best.empty()) cell.reason = most_frequent_reason(found);
      out.push_back(std::move(cell));
    }
  }
  return out;
}

}  // namespace ridgeline::explore
