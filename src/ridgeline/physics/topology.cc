#include "ridgeline/physics/topology.h"

#include <algorithm>
#include <cstdlib>

namespace ridgeline::physics {
namespace {

std::int64_t along(std::int64_t a, std::int64_t b, std::int64_t length, bool wraps) {
  const std::int64_t d = std::abs(a - b);
  return wraps ? std::min(d, length - d) : d;
}

std::int64_t largest_divisor_up_to_root(std::int64_t n) {
  std::int64_t best = 1;
  for (std::int64_t d = 1; d * d <= n; ++d) {
    if (n % d == 0) best = d;
  }
  return best;
}

std::int64_t largest_divisor_up_to_cube_root(std::int64_t n) {
  std::int64_t best = 1;
  for (std::int64_t d = 1; d * d * d <= n; ++d) {
    if (n % d == 0) best = d;
  }
  return best;
}

// Members are listed once; the grid repeats after its size, so longer groups only revisit places.
Hops hops_on_grid(const Level& level, std::int64_t n, std::int64_t stride, std::int64_t used) {
  const Grid grid = grid_of(level, used);
  const auto d = [&](std::int64_t i, std::int64_t j) {
    return distance(level.topology, grid, i * stride, j * stride);
  };
  std::int64_t step = 0, diameter = 0, tree = 0;
  for (std::int64_t i = 0; i + 1 < n; ++i) step = std::max(step, d(i, i + 1));
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = i + 1; j < n; ++j) diameter = std::max(diameter, d(i, j));
  }
  for (std::int64_t reach = 1; reach < n; reach *= 2) {
    std::int64_t worst = 0;
    for (std::int64_t i = 0; i + reach < n; ++i) worst = std::max(worst, d(i, i + reach));
    tree += worst;
  }
  const std::int64_t closed = std::max(step, d(n - 1, 0));
  return {static_cast<double>(std::min(closed, 2 * step)), static_cast<double>(tree),
          static_cast<double>(diameter)};
}

}  // namespace

std::int64_t ceil_log2(std::int64_t n) {
  std::int64_t bits = 0;
  while ((std::int64_t{1} << bits) < n) ++bits;
  return bits;
}

Place place_of(const Grid& grid, std::int64_t index) {
  const std::int64_t i = index % grid.size();
  const std::int64_t per_plane = grid.columns * grid.rows;
  const std::int64_t plane = i / per_plane;
  std::int64_t in_plane = i % per_plane;
  if (plane % 2 == 1) in_plane = per_plane - 1 - in_plane;
  const std::int64_t row = in_plane / grid.columns;
  std::int64_t column = in_plane % grid.columns;
  if (row % 2 == 1) column = grid.columns - 1 - column;
  return {column, row, plane};
}

Grid grid_of(const Level& level, std::int64_t used) {
  const bool shaped = level.shape[0] > 0;
  if (level.topology == Topology::ring) return {used, 1, 1};
  if (shaped) {
    return {level.shape[0], std::max<std::int64_t>(1, level.shape[1]),
            std::max<std::int64_t>(1, level.shape[2])};
  }
  if (level.topology == Topology::torus3d) {
    const std::int64_t planes = largest_divisor_up_to_cube_root(used);
    const std::int64_t rows = largest_divisor_up_to_root(used / planes);
    return {used / planes / rows, rows, planes};
  }
  const std::int64_t rows = largest_divisor_up_to_root(used);
  return {used / rows, rows, 1};
}

std::int64_t distance(Topology topology, const Grid& grid, std::int64_t a, std::int64_t b) {
  const bool wraps = topology != Topology::mesh2d;
  if (topology == Topology::ring) {
    return along(a % grid.columns, b % grid.columns, grid.columns, wraps);
  }
  const Place p = place_of(grid, a), q = place_of(grid, b);
  return along(p.column, q.column, grid.columns, wraps) + along(p.row, q.row, grid.rows, wraps) +
         along(p.plane, q.plane, grid.planes, wraps);
}

Hops hops_of(const Level& level, std::int64_t n, std::int64_t stride, std::int64_t used) {
  if (n <= 1) return {};
  if (is_switched(level.topology) || level.topology == Topology::crossbar) {
    return {1, static_cast<double>(ceil_log2(n)), 1};
  }
  return hops_on_grid(level, n, stride, std::max<std::int64_t>(1, used));
}

const Hops& HopCache::of(const Level& level, std::size_t level_index, std::int64_t n,
                         std::int64_t stride, std::int64_t used) {
  if (count_ * 2 >= table_.size()) grow();
  const std::uint64_t key =
      1 + static_cast<std::uint64_t>(level_index) +
      kMaxLevels * (static_cast<std::uint64_t>(n) + (static_cast<std::uint64_t>(stride) << 20) +
                    (static_cast<std::uint64_t>(used) << 40));
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = (key * 0x9E3779B97F4A7C15ULL >> 32) & mask;
  while (table_[slot].key != key) {
    if (table_[slot].key == 0) {
      table_[slot] = {key, hops_of(level, n, stride, used)};
      ++count_;
      break;
    }
    slot = (slot + 1) & mask;
  }
  return table_[slot].hops;
}

void HopCache::grow() {
  std::vector<Entry> old = std::move(table_);
  table_.assign(std::max<std::size_t>(256, old.size() * 2), {});
  const std::size_t mask = table_.size() - 1;
  for (const Entry& entry : old) {
    if (entry.key == 0) continue;
    std::size_t slot = (entry.key * 0x9E3779B97F4A7C15ULL >> 32) & mask;
    while (table_[slot].key != 0) slot = (slot + 1) & mask;
    table_[slot] = entry;
  }
}

}  // namespace ridgeline::physics
