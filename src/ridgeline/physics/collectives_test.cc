#include "ridgeline/physics/collectives.h"

#include <gtest/gtest.h>

#include "ridgeline/physics/placement.h"
#include "tests/support/models.h"

namespace ridgeline::physics {
namespace {

constexpr PlacementFacts kFacts{.query_heads = 64, .kv_heads = 64, .layers = 80, .context = 131072};

struct Fixture {
  Machine machine;
  Placement at;
  HopCache hops;
  Network net;

  Fixture(const Machine& m, const Plan& plan)
      : machine(m), at(place(machine, kFacts, plan)), net{&machine, &at.layout, &hops} {}
};

Plan tensor_parallel(std::int64_t tp) {
  Plan plan;
  plan.tp = tp;
  return plan;
}

double seconds(const Machine& m, const Traffic& t) {
  double s = 0;
  for (std::size_t l = 0; l < m.levels.size(); ++l) {
    s += t.hops[l] * m.levels[l].latency.base() + t.link_bytes[l] / m.levels[l].bandwidth.base();
  }
  return s;
}

// 16 KiB over TP 16 on 16 cubes: 2 (9 x 150 ns + 4 x 8192 B / 128 GB/s) = 3212 ns.
TEST(AllReduce, TreeOnTheCubeMesh) {
  Fixture f(default_chiplet(), tensor_parallel(16));
  Traffic t;
  add_all_reduce(f.net, f.at.layout.tp, 16384, t);
  EXPECT_NEAR(seconds(f.machine, t), 3212e-9, 1e-15);
}

// 1 MiB is above the tree's limit: ring, 15 steps of 2 hops (folded), 15/16 of the bytes, twice.
TEST(AllReduce, RingAboveTheTreeLimit) {
  Fixture f(default_chiplet(), tensor_parallel(16));
  Traffic t;
  add_all_reduce(f.net, f.at.layout.tp, 1048576, t);
  EXPECT_DOUBLE_EQ(t.hops[1], 2 * 15 * 2);
  EXPECT_DOUBLE_EQ(t.link_bytes[1], 2 * 15.0 / 16 * 1048576);
}

// Eight devices behind one switch, 1 GB: 2 x 7/8 x 1e9/450e9 + 14 x 0.5 us.
TEST(AllReduce, RingThroughASwitch) {
  Fixture f(testing::gpu_tree(), tensor_parallel(8));
  Traffic t;
  add_all_reduce(f.net, f.at.layout.tp, 1e9, t);
  EXPECT_DOUBLE_EQ(seconds(f.machine, t), 2 * 7.0 / 8 * 1e9 / 450e9 + 14 * 0.5e-6);
}

// 1 kB: the tree's 3 latencies beat the ring's 7.
TEST(AllReduce, TreeThroughASwitchForShortMessages) {
  Fixture f(testing::gpu_tree(), tensor_parallel(8));
  Traffic t;
  add_all_reduce(f.net, f.at.layout.tp, 1000, t);
  EXPECT_DOUBLE_EQ(seconds(f.machine, t), 2 * (1000 / 450e9 + 3 * 0.5e-6));
}

// Over two levels: reduce-scatter of M inside the node, all-reduce of M/8 outside, all-gather
// inside.
TEST(AllReduce, IsHierarchicalOverNodes) {
  Fixture f(testing::gpu_tree(), tensor_parallel(32));
  Traffic t;
  add_all_reduce(f.net, f.at.layout.tp, 1e9, t);
  const double inside = 2 * (7.0 / 8 * 1e9 / 450e9 + 7 * 0.5e-6);
  const double outside = 2 * 3.0 / 4 * 1e9 / 8 / 50e9 + 6 * 2e-6;
  EXPECT_DOUBLE_EQ(seconds(f.machine, t), inside + outside);
}

// (q-1)/n M/bw_in + (n-q)/n M/bw_out + (q-1) a_in + (n-q) a_out with q = 8, n = 32.
TEST(AllToAll, SendsOnlyWhatLeavesOverTheOuterLink) {
  Fixture f(testing::gpu_tree(), tensor_parallel(32));
  Traffic t;
  add_all_to_all(f.net, f.at.layout.tp, 1e8, t);
  EXPECT_DOUBLE_EQ(seconds(f.machine, t),
                   7.0 / 32 * 1e8 / 450e9 + 24.0 / 32 * 1e8 / 50e9 + 7 * 0.5e-6 + 24 * 2e-6);
}

TEST(Collectives, OversubscriptionSlowsTheOuterLevel) {
  Machine thin = testing::gpu_tree();
  thin.levels[1].oversubscription = 2;
  Fixture full(testing::gpu_tree(), tensor_parallel(32)), half(thin, tensor_parallel(32));
  Traffic a, b;
  add_all_to_all(full.net, full.at.layout.tp, 1e8, a);
  add_all_to_all(half.net, half.at.layout.tp, 1e8, b);
  EXPECT_DOUBLE_EQ(b.link_bytes[1], 2 * a.link_bytes[1]);
  EXPECT_DOUBLE_EQ(b.link_bytes[0], a.link_bytes[0]);
}

TEST(Collectives, OneRankCostsNothing) {
  for (const Machine& m : {default_chiplet(), testing::gpu_tree()}) {
    Fixture f(m, Plan{});
    Traffic t;
    add_all_reduce(f.net, f.at.layout.tp, 1e9, t);
    add_all_to_all(f.net, f.at.layout.tp, 1e9, t);
    add_exchange(f.net, f.at.layout.dp, f.at.layout.tp, 1e9, t);
    add_gather(f.net, f.at.layout.dp, f.at.layout.tp, 1e9, t);
    EXPECT_FALSE(t.any(kMaxLevels));
  }
}

TEST(Exchange, EqualDataCrossesOnce) {
  Plan plan = tensor_parallel(8);
  plan.tp_placement = Spread::pe;
  plan.dp = 4;
  Fixture f(default_chiplet(), plan);
  Traffic shared, alone;
  add_exchange(f.net, f.at.layout.dp, f.at.layout.tp, 1e6, shared);
  add_all_to_all(f.net, f.at.layout.dp, 1e6, alone);
  EXPECT_DOUBLE_EQ(shared.link_bytes[1], alone.link_bytes[1] / 8);
  EXPECT_GT(shared.link_bytes[0], 0);  // then the eight share it inside the cube
}

}  // namespace
}  // namespace ridgeline::physics
