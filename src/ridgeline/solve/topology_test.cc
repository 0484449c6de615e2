#include "ridgeline/solve/topology.h"

#include <gtest/gtest.h>

namespace ridgeline::solve::topology {
namespace {

Inputs network(Shape shape, std::int64_t nodes) {
  Inputs in;
  in.topology = shape;
  in.num_nodes = nodes;
  in.link = 50 * gigabyte_per_second;
  return in;
}

// 64 nodes: 32 x 50 GB/s across a fat tree. Ring of 16: two links of eight are cut twice: 4/16.
TEST(Topology, MatchesHandWorkedCases) {
  EXPECT_DOUBLE_EQ(solve(network(Shape::fat_tree, 64)).bisection->base(), 1.6e12);
  const Output ring = solve(network(Shape::ring, 16));
  EXPECT_DOUBLE_EQ(*ring.bisection_fraction, 0.25);
  EXPECT_DOUBLE_EQ(ring.bisection->base(), 100e9);
  EXPECT_DOUBLE_EQ(ring.effective->base(), 12.5e9);
  EXPECT_DOUBLE_EQ(ring.mean_hops, 4);
  EXPECT_EQ(ring.diameter, 8);
}

// 8 x 8: 2 x 8 wraps cut of 32: 1/2; hops 2 + 2; a mesh half of it, (8 - 1/8)/3 twice, 14 across.
TEST(Topology, CutsGridsAcrossTheirLongestSide) {
  const Output torus = solve(network(Shape::torus2d, 64));
  EXPECT_DOUBLE_EQ(*torus.bisection_fraction, 0.5);
  EXPECT_DOUBLE_EQ(torus.mean_hops, 4);
  const Output mesh = solve(network(Shape::mesh2d, 64));
  EXPECT_DOUBLE_EQ(*mesh.bisection_fraction, 0.25);
  EXPECT_DOUBLE_EQ(mesh.mean_hops, 2 * (8 - 0.125) / 3);
  EXPECT_EQ(mesh.diameter, 14);
  EXPECT_DOUBLE_EQ(*solve(network(Shape::torus2d, 32)).bisection_fraction, 4.0 / 8);
  EXPECT_EQ(check(network(Shape::torus2d, 7)).error().where, "num_nodes");
  EXPECT_EQ(check(network(Shape::torus3d, 9)).error().where, "num_nodes");
}

TEST(Topology, OversubscriptionAndGlobalLinksNarrowTheMiddle) {
  Inputs in = network(Shape::fat_tree, 64);
  in.oversubscription = 2;
  EXPECT_DOUBLE_EQ(solve(in).bisection->base(), 0.8e12);
  in = network(Shape::dragonfly, 64);
  EXPECT_DOUBLE_EQ(*solve(in).bisection_fraction, 0.5);
  in.global_link_ratio = 0.5;
  EXPECT_DOUBLE_EQ(*solve(in).bisection_fraction, 0.25);
}

// Trust: at most full bisection; one node; a hypercube of 8 has 3 hops across, 1.5 on average.
TEST(Topology, KeepsItsTrustStatement) {
  for (std::int64_t nodes = 2; nodes < 30; ++nodes) {
    EXPECT_LE(*solve(network(Shape::ring, nodes)).bisection_fraction, 1);
  }
  const Output one = solve(network(Shape::ring, 1));
  EXPECT_FALSE(one.bisection || one.effective || one.bisection_fraction);
  EXPECT_EQ(one.mean_hops, 0);
  const Output cube = solve(network(Shape::torus3d, 8));
  EXPECT_DOUBLE_EQ(*cube.bisection_fraction, 1);
  EXPECT_DOUBLE_EQ(cube.mean_hops, 1.5);
  EXPECT_EQ(cube.diameter, 3);
}

// 1 GB a node, 64 nodes on a ring: 64 GB/4 over 100 GB/s; all-reduce 2 x 63/64 GB over 50 GB/s is
// more than 1 GB over the middle. A fat tree sends 63/64 GB.
TEST(Topology, TimesAPatternByItsMiddle) {
  Inputs in = network(Shape::ring, 64);
  in.message = 1 * gigabyte;
  in.pattern = Pattern::all_to_all;
  EXPECT_NEAR(solve(in).pattern->base(), 0.16, 1e-12);
  in.pattern = Pattern::all_reduce;
  EXPECT_NEAR(solve(in).pattern->base(), 2 * 63.0 / 64 / 50, 1e-12);
  in = network(Shape::fat_tree, 64);
  in.message = 1 * gigabyte;
  EXPECT_NEAR(solve(in).pattern->base(), 63.0 / 64 / 50, 1e-12);
}

}  // namespace
}  // namespace ridgeline::solve::topology
