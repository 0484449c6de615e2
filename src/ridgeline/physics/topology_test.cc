#include "ridgeline/physics/topology.h"

#include <gtest/gtest.h>

#include <deque>
#include <vector>

namespace ridgeline::physics {
namespace {

Level level(Topology topology, std::array<std::int64_t, 3> shape = {0, 0, 0}) {
  Level out;
  out.topology = topology;
  out.shape = shape;
  return out;
}

// Links between numbered members, drawn independently of distance(): neighbours on the grid.
std::vector<std::vector<std::int64_t>> drawn_graph(Topology topology, const Grid& g) {
  const auto number = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    std::int64_t column = y % 2 == 0 ? x : g.columns - 1 - x;
    std::int64_t in_plane = y * g.columns + column;
    if (z % 2 == 1) in_plane = g.columns * g.rows - 1 - in_plane;
    return z * g.columns * g.rows + in_plane;
  };
  std::vector<std::vector<std::int64_t>> links(static_cast<std::size_t>(g.size()));
  const bool wraps = topology != Topology::mesh2d;
  const auto join = [&](std::int64_t a, std::int64_t b) {
    links[static_cast<std::size_t>(a)].push_back(b);
    links[static_cast<std::size_t>(b)].push_back(a);
  };
  for (std::int64_t z = 0; z < g.planes; ++z) {
    for (std::int64_t y = 0; y < g.rows; ++y) {
      for (std::int64_t x = 0; x < g.columns; ++x) {
        if (x + 1 < g.columns || wraps) join(number(x, y, z), number((x + 1) % g.columns, y, z));
        if (y + 1 < g.rows || wraps) join(number(x, y, z), number(x, (y + 1) % g.rows, z));
        if (z + 1 < g.planes || wraps) join(number(x, y, z), number(x, y, (z + 1) % g.planes));
      }
    }
  }
  return links;
}

std::vector<std::int64_t> breadth_first(const std::vector<std::vector<std::int64_t>>& links,
                                        std::int64_t from) {
  std::vector<std::int64_t> hops(links.size(), -1);
  std::deque<std::int64_t> queue = {from};
  hops[static_cast<std::size_t>(from)] = 0;
  while (!queue.empty()) {
    const std::int64_t at = queue.front();
    queue.pop_front();
    for (const std::int64_t next : links[static_cast<std::size_t>(at)]) {
      if (hops[static_cast<std::size_t>(next)] >= 0) continue;
      hops[static_cast<std::size_t>(next)] = hops[static_cast<std::size_t>(at)] + 1;
      queue.push_back(next);
    }
  }
  return hops;
}

TEST(Topology, DistanceEqualsBreadthFirstSearchOnTheDrawnGraph) {
  for (const Topology t :
       {Topology::ring, Topology::mesh2d, Topology::torus2d, Topology::torus3d}) {
    for (const std::int64_t n : {1, 2, 3, 4, 6, 8, 12, 16, 24, 27, 30}) {
      const Grid grid = grid_of(level(t), n);
      ASSERT_EQ(grid.size(), n);
      const auto links = drawn_graph(t, grid);
      for (std::int64_t a = 0; a < n; ++a) {
        const auto hops = breadth_first(links, a);
        for (std::int64_t b = 0; b < n; ++b) {
          EXPECT_EQ(distance(t, grid, a, b), hops[static_cast<std::size_t>(b)])
              << "topology " << static_cast<int>(t) << " of " << n << ": " << a << " to " << b;
        }
      }
    }
  }
}

// 12 SIPs as 3 x 4: ring 12/2, mesh (3-1)+(4-1), torus 3/2 + 4/2 whole hops.
TEST(Topology, WorstHopsOfTwelveSips) {
  EXPECT_EQ(hops_of(level(Topology::ring), 12, 1, 12).diameter, 6);
  EXPECT_EQ(hops_of(level(Topology::mesh2d), 12, 1, 12).diameter, 5);
  EXPECT_EQ(hops_of(level(Topology::torus2d), 12, 1, 12).diameter, 3);
}

// 16 cubes on a 4 x 4 mesh, boustrophedon: steps of 1, 2, 4 and 8 members reach at worst 1, 2, 4
// and 2.
TEST(Topology, TreeOverAMeshOfSixteen) {
  const Hops hops = hops_of(level(Topology::mesh2d, {4, 4, 0}), 16, 1, 16);
  EXPECT_EQ(hops.tree, 9);
  EXPECT_EQ(hops.ring, 2);  // member 15 ends three rows below member 0: folding costs 2 a step
  EXPECT_EQ(hops.diameter, 6);
}

TEST(Topology, SwitchesAndCrossbarsTakeOneHop) {
  for (const Topology t : {Topology::switched, Topology::fat_tree, Topology::crossbar}) {
    const Hops hops = hops_of(level(t), 8, 1, 8);
    EXPECT_EQ(hops.ring, 1);
    EXPECT_EQ(hops.tree, 3);
    EXPECT_EQ(hops.diameter, 1);
  }
}

TEST(Topology, OneMemberTakesNoHop) {
  EXPECT_EQ(hops_of(level(Topology::ring), 1, 1, 8).ring, 0);
  EXPECT_EQ(hops_of(level(Topology::torus2d), 1, 1, 8).tree, 0);
}

TEST(HopCache, RemembersWhatWouldBeComputed) {
  HopCache cache;
  for (int round = 0; round < 2; ++round) {
    for (std::int64_t used = 1; used <= 16; ++used) {
      for (std::int64_t n = 1; n <= 16; ++n) {
        for (const std::int64_t stride : {1, 2, 4, 16}) {
          const Level ring = level(Topology::ring);
          EXPECT_EQ(cache.of(ring, 2, n, stride, used).ring, hops_of(ring, n, stride, used).ring);
        }
      }
    }
  }
}

TEST(CeilLog2, OfSmallNumbers) {
  EXPECT_EQ(ceil_log2(1), 0);
  EXPECT_EQ(ceil_log2(2), 1);
  EXPECT_EQ(ceil_log2(3), 2);
  EXPECT_EQ(ceil_log2(96), 7);
}

}  // namespace
}  // namespace ridgeline::physics
