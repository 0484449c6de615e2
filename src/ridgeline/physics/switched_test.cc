#include "ridgeline/physics/switched.h"

#include <gtest/gtest.h>

#include "tests/support/solver_inputs.h"

namespace ridgeline::physics {
namespace {

const LinkTree kTree = links_of(testing::round_cluster(16));  // 8 x 16

RankGroup ranks(std::int64_t n, std::int64_t stride) {
  return group_of(kTree, n, stride, 1);
}

TEST(Switched, OneRankCostsNothing) {
  EXPECT_DOUBLE_EQ(all_reduce_time(ranks(1, 1), {1e9, 1}, AllReduce::automatic).total().base(), 0);
  EXPECT_DOUBLE_EQ(all_to_all_time(ranks(1, 8), {1e9, 1}, 2).total().base(), 0);
  EXPECT_DOUBLE_EQ(point_to_point_time(ranks(1, 1), {1e9, 1}).total().base(), 0);
}

// 8 ranks inside: 2 x 7/8 x 8e9/400e9 + 14 x 0.5e-6 = 35.007 ms.
TEST(Switched, RingIsTheTextbooks) {
  EXPECT_NEAR(all_reduce_time(ranks(8, 1), {8e9, 1}, AllReduce::ring).total().base(), 0.035007,
              1e-12);
}

// dp 32 over nodes, 4.4125 GB, 25 GB/s, 7 us: 2 x 31/32 x 4.4125/25 + 62 x 7e-6 = 0.34240275 s.
TEST(Switched, MatchesTheWorkedRing) {
  Cluster c = testing::round_cluster(32);
  c.fabric_bandwidth = 25 * gigabyte_per_second;
  c.fabric_latency = 7 * microsecond;
  const RankGroup group = group_of(links_of(c), 32, 8, 1);
  EXPECT_NEAR(all_reduce_time(group, {4.4125e9, 1}, AllReduce::ring).total().base(), 0.34240275,
              1e-12);
}

// Tree of 8: 2 M/bw + 2 x 3 a; the ring pays 14 a: short messages go along the tree.
TEST(Switched, ShortMessagesTakeTheTree) {
  const RankGroup group = ranks(8, 1);
  const double tree = 2 * 1e3 / 400e9 + 6 * 0.5e-6;
  EXPECT_NEAR(all_reduce_time(group, {1e3, 1}, AllReduce::automatic).total().base(), tree, 1e-15);
  EXPECT_NEAR(all_reduce_time(group, {1e3, 1}, AllReduce::tree).total().base(), tree, 1e-15);
  EXPECT_LT(all_reduce_time(group, {1e9, 1}, AllReduce::automatic).total().base(),
            all_reduce_time(group, {1e9, 1}, AllReduce::tree).total().base());
  EXPECT_NEAR(all_reduce_time(group, {1e9, 1}, AllReduce::in_network).total().base(),
              1e9 / 400e9 + 2 * 0.5e-6, 1e-15);
}

// 16 ranks over two nodes: 2 x 7/8 x 8e9/400e9 inside, 2 x 1/2 x 1e9/50e9 between.
TEST(Switched, InnerLevelLeavesAnEighthToTheOuter) {
  const LinkTime t = all_reduce_time(ranks(16, 1), {8e9, 1}, AllReduce::ring);
  EXPECT_NEAR(t.level_s[0], 0.035 + 14 * 0.5e-6, 1e-12);
  EXPECT_NEAR(t.level_s[1], 0.02 + 2 * 5e-6, 1e-12);
  EXPECT_DOUBLE_EQ(half_time(ranks(16, 1), {8e9, 1}, AllReduce::ring).total().base(),
                   t.total().base() / 2);
}

// 16 ranks, M = 16e9: 7 of 16 stay inside: 7e9/400e9 + 7 a_in; 8 of 16 leave: 8e9/50e9 + 8 a_out.
TEST(Switched, OnlyWhatLeavesANodeUsesItsOuterLink) {
  const LinkTime t = all_to_all_time(ranks(16, 1), {16e9, 1}, 1);
  EXPECT_NEAR(t.level_s[0], 7e9 / 400e9 + 7 * 0.5e-6, 1e-12);
  EXPECT_NEAR(t.level_s[1], 8e9 / 50e9 + 8 * 5e-6, 1e-12);
  EXPECT_GT(all_to_all_time(ranks(16, 1), {16e9, 1}, 1.5).total().base(), t.total().base());
}

TEST(Switched, EveryMessagePaysItsLatency) {
  const LinkTime one = all_reduce_time(ranks(8, 1), {8e9, 1}, AllReduce::ring);
  const LinkTime many = all_reduce_time(ranks(8, 1), {8e9, 32}, AllReduce::ring);
  EXPECT_NEAR((many.total() - one.total()).base(), 31 * 14 * 0.5e-6, 1e-12);
}

TEST(Switched, OversubscriptionAndEfficiencySlowTheOuterLinks) {
  Cluster c = testing::round_cluster(2);
  c.fabric_oversubscription = 2;
  const RankGroup group = group_of(links_of(c), 2, 8, 0.5);
  EXPECT_DOUBLE_EQ(group[0].bytes_per_s, 50e9 / 4);
}

// Stride 2: 4 of 8 members per node, 16 nodes.
TEST(Switched, GroupsFollowTheirStride) {
  const RankGroup group = ranks(64, 2);
  ASSERT_EQ(group.size(), 2U);
  EXPECT_EQ(group[0].members, 4);
  EXPECT_EQ(group[1].members, 16);
  EXPECT_EQ(size_of(joined(ranks(2, 1), group)), 128);
}

// Eight devices at 400 GB/s, half of it measured, 7 us and 1 us a peer: an all-reduce of M takes
// 7 + 7 us + 2 x 7/8 M/200 GB/s. A flat efficiency leaves the link as it is stated.
TEST(Switched, LinksInsideANodeAreAsMeasured) {
  Cluster cluster;
  cluster.devices_per_node = 8;
  cluster.intra_node_bandwidth = 400 * gigabyte_per_second;
  cluster.intra_node_latency = 3 * microsecond;
  cluster.intra_node_measured = {0.5, 7 * microsecond, 1 * microsecond};
  const auto time = [&](const Setting& setting) {
    const RankGroup group = group_of(links_of(cluster, setting), 8, 1, 1);
    return all_reduce_time(group, {.bytes = 1e9}, AllReduce::ring).total().base();
  };
  EXPECT_NEAR(time({}), 14e-6 + 2 * 7.0 / 8 / 200, 1e-12);
  Setting flat;
  flat.efficiency = 0.5;
  EXPECT_NEAR(time(flat), 42e-6 + 2 * 7.0 / 8 / 400, 1e-12);
}

}  // namespace
}  // namespace ridgeline::physics
