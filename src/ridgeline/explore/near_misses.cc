#include "ridgeline/explore/near_misses.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "ridgeline/explore/plain.h"
#include "ridgeline/explore/plan_table.h"

namespace ridgeline::explore {
namespace {

constexpr std::size_t kMost = 3;

struct Miss {
  Row row;
  double lacking = 0;
};

void keep_least(const Problem& problem, std::vector<Miss>& misses) {
  std::sort(misses.begin(), misses.end(), [&](const Miss& a, const Miss& b) {
    return a.lacking != b.lacking ? a.lacking < b.lacking : row_less(problem, a.row, b.row);
  });
  if (misses.size() > kMost) misses.resize(kMost);
}

// The allowed point of the group with the most memory, the cheapest of these, the first in order.
std::optional<Spot> roomiest(const Problem& problem, const HardwareGroup& group,
                             std::span<const Constraint> constraints) {
  std::optional<Spot> best;
  for (std::int64_t i = 0; i < group.size(); ++i) {
    const Site site = group.site(i);
    const double capacity = group.capacities[site.capacity];
    if (best && capacity < best->capacity_bytes) continue;
    if (!hardware_allowed(problem, constraints, site.hardware)) continue;
    const Spot spot{site.hardware, group.rates_at(site), capacity,
                    problem.hardware.cost(site.hardware)};
    Row a, b;
    a.hardware = spot.hardware;
    a.metrics[static_cast<std::size_t>(Metric::cost_score)] = spot.cost;
    if (best) {
      b.hardware = best->hardware;
      b.metrics[static_cast<std::size_t>(Metric::cost_score)] = best->cost;
    }
    if (!best || capacity > best->capacity_bytes || row_less(problem, a, b)) best = spot;
  }
  return best;
}

void add_misses(const Problem& problem, std::size_t g, std::uint32_t w, const ConstraintSets& sets,
                Workers& workers, std::vector<Miss>& misses) {
  const HardwareGroup group = problem.hardware.group(g, problem.workloads[w].activation_precision);
  const std::optional<Spot> spot = roomiest(problem, group, sets.hardware);
  if (!spot) return;
  const PlanTable table(problem, group, w, {std::numeric_limits<double>::infinity()}, workers);
  std::vector<std::pair<double, std::uint32_t>> over;
  for (const Tile& tile : table.tiles()) {
    for (std::size_t i = 0; i < tile.count(); ++i) {
      if (tile.memory()[i] > spot->capacity_bytes) over.push_back({tile.memory()[i], tile.plan(i)});
    }
  }
  std::sort(over.begin(), over.end());
  Plain plain(problem, group.machine, w);
  for (std::size_t i = 0; i < over.size(); ++i) {
    if (i >= kMost && over[i].first > over[kMost - 1].first)
      break;  // ties with the third are evaluated
    misses.push_back(
        {plain.row(over[i].second, *spot), std::ceil(over[i].first - spot->capacity_bytes)});
  }
  keep_least(problem, misses);
}

}  // namespace

std::vector<NearMiss> near_misses(const Problem& problem, int threads) {
  const ConstraintSets sets = sort_constraints(problem.space->constraints);
  Workers workers(threads);
  std::vector<Miss> misses;
  for (std::size_t g = 0; g < problem.hardware.group_count(); ++g) {
    for (std::size_t w = 0; w < problem.workloads.size(); ++w) {
      if (!workload_allowed(sets.workload, problem.workloads[w])) continue;
      add_misses(problem, g, static_cast<std::uint32_t>(w), sets, workers, misses);
    }
  }
  std::vector<NearMiss> out;
  for (const Miss& miss : misses) {
    out.push_back({point_of(problem, miss.row), static_cast<std::int64_t>(miss.lacking)});
  }
  return out;
}

}  // namespace ridgeline::explore
