#include "ridgeline/solve/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgeline/physics/switched.h"
#include "ridgeline/physics/topology.h"
#include "ridgeline/solve/model_checks.h"

namespace ridgeline::solve::topology {
namespace {

constexpr std::int64_t kDragonflyHops = 3;  // local, global, local

bool is_grid(Shape shape) {
  return shape == Shape::torus2d || shape == Shape::torus3d || shape == Shape::mesh2d;
}

// Sides as equal as the count allows; a ring is a grid of one side.
struct Sides {
  std::array<std::int64_t, 3> k = {1, 1, 1};
  std::int64_t longest() const { return *std::max_element(k.begin(), k.end()); }
};

Sides sides_of(const Inputs& in) {
  if (!is_grid(in.topology)) return {{in.num_nodes, 1, 1}};
  const Level level{.topology = in.topology == Shape::torus3d  ? Topology::torus3d
                                : in.topology == Shape::mesh2d ? Topology::mesh2d
                                                               : Topology::torus2d};
  const physics::Grid grid = physics::grid_of(level, in.num_nodes);
  return {{grid.columns, grid.rows, grid.planes}};
}

double share_of_bisection(const Inputs& in, const Sides& sides) {
  const auto longest = static_cast<double>(sides.longest());
  switch (in.topology) {
    case Shape::dragonfly: return std::min(1.0, in.global_link_ratio / 2);
    case Shape::torus2d:
    case Shape::torus3d:
    case Shape::ring: return std::min(1.0, 4 / longest);
    case Shape::mesh2d: return std::min(1.0, 2 / longest);
    case Shape::fat_tree:
    case Shape::full: break;
  }
  return 1;  // (1)
}

double mean_on_ring(double k) {
  return std::fmod(k, 2) == 0 ? k / 4 : (k * k - 1) / (4 * k);
}

double mean_hops(const Inputs& in, const Sides& sides) {
  const auto N = static_cast<double>(in.num_nodes);
  if (in.topology == Shape::fat_tree) return 2 * static_cast<double>(in.levels);
  if (in.topology == Shape::dragonfly) return kDragonflyHops;
  if (in.topology == Shape::full) return (N - 1) / N;
  double hops = 0;
  for (const std::int64_t side : sides.k) {
    const auto k = static_cast<double>(side);
    hops += in.topology == Shape::mesh2d ? (k - 1 / k) / 3 : mean_on_ring(k);
  }
  return hops;  // (3)
}

std::int64_t diameter(const Inputs& in, const Sides& sides) {
  if (in.topology == Shape::fat_tree) return 2 * in.levels;
  if (in.topology == Shape::dragonfly) return kDragonflyHops;
  if (in.topology == Shape::full) return 1;
  std::int64_t hops = 0;
  for (const std::int64_t k : sides.k) hops += in.topology == Shape::mesh2d ? k - 1 : k / 2;
  return hops;  // (4)
}

Seconds pattern_time(const Inputs& in, BytesPerSecond bisection) {
  const double M = in.message->base(), N = static_cast<double>(in.num_nodes);
  physics::RankGroup group;
  group.push_back({.members = in.num_nodes,
                   .bytes_per_s = in.link.base() / in.oversubscription,
                   .latency_s = in.link_latency.base()});
  const bool reduces = in.pattern == Pattern::all_reduce;
  const physics::LinkTime time =
      reduces ? physics::all_reduce_time(group, {.bytes = M}, physics::AllReduce::automatic)
              : physics::all_to_all_time(group, {.bytes = M}, 1);
  const Seconds across = (reduces ? M : N * M / 4) * byte / bisection;
  return std::max(time.total(), across);  // (5)
}

// The nearest count of nodes that has sides of at least 2.
std::int64_t nearest_grid(std::int64_t nodes) {
  return std::max<std::int64_t>(4, nodes + nodes % 2);
}

Status check_sides(const Inputs& in) {
  if (!is_grid(in.topology) || in.num_nodes == 1) return Ok{};
  const Sides sides = sides_of(in);
  if (std::count(sides.k.begin(), sides.k.end(), 1) <= (in.topology == Shape::torus3d ? 0 : 1)) {
    return Ok{};
  }
  return out_of_range("num_nodes", fmt::format("{} nodes make no grid of that kind", in.num_nodes),
                      fmt::format("a product of sides of at least 2, such as {}",
                                  in.topology == Shape::torus3d ? 8 : nearest_grid(in.num_nodes)));
}

}  // namespace

Result<Inputs> check(const Inputs& in) {
  RIDGELINE_CHECK(check_degree_of("num_nodes", in.num_nodes));
  RIDGELINE_CHECK(check_amount("link", in.link));
  RIDGELINE_CHECK(check_multiple("oversubscription", in.oversubscription));
  constexpr std::int64_t kMostLevels = 16;
  RIDGELINE_CHECK(check_count("levels", in.levels, 1, kMostLevels));
  RIDGELINE_CHECK(check_amount("global_link_ratio", in.global_link_ratio));
  RIDGELINE_CHECK(check_amount("message", in.message));
  RIDGELINE_CHECK(check_amount_or_zero("link_latency", in.link_latency));
  RIDGELINE_CHECK(check_sides(in));
  return in;
}

Output solve(const Inputs& in) {
  if (in.num_nodes == 1) {
    Output alone;
    if (in.message) alone.pattern = Seconds{};
    return alone;
  }
  const Sides sides = sides_of(in);
  const double beta = share_of_bisection(in, sides);
  const BytesPerSecond effective = beta / in.oversubscription * in.link;
  Output out;
  out.effective = effective;
  out.bisection_fraction = beta;
  out.bisection = static_cast<double>(in.num_nodes) / 2 * effective;  // (2)
  out.mean_hops = mean_hops(in, sides);
  out.diameter = diameter(in, sides);
  if (in.message) out.pattern = pattern_time(in, *out.bisection);
  return out;
}

}  // namespace ridgeline::solve::topology
