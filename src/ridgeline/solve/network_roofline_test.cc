#include "ridgeline/solve/network_roofline.h"

#include <gtest/gtest.h>

#include "tests/support/solver_inputs.h"

namespace ridgeline::solve::network_roofline {
namespace {

// Nodes of one device, 50 GB/s without latency; 2048 tokens a sample, no attention.
Inputs replicas(std::int64_t nodes, std::int64_t batch) {
  Inputs in;
  in.job.model = testing::round_7b();
  in.job.machine = testing::round_cluster(nodes);
  in.job.machine.devices_per_node = 1;
  in.job.machine.fabric_latency = Seconds{};
  in.job.setting = testing::flat(0.5);
  in.job.setting.attention_count = physics::AttentionCount::none;
  in.job.traffic.all_reduce_algorithm = physics::AllReduce::ring;
  in.job.batch_size = batch;
  return in;
}

Output answer(const Inputs& in) {
  const auto checked = check(in);
  EXPECT_TRUE(checked) << (checked ? "" : checked.error().message);
  return solve(*checked);
}

// 4096 tokens a device: 6 P 4096 FLOP, 2 x 63/64 x 2 P bytes: 6144 x 64/63. Ridge 5e14/5e10. In
// time 6 x 7e9 x 4096/5e14 = 0.344064 s against 2 x 63/64 x 14e9/50e9 = 0.55125 s.
TEST(NetworkRoofline, MatchesAHandWorkedCase) {
  const Output out = answer(replicas(64, 128));
  EXPECT_NEAR(*out.network_intensity_flop_per_byte, 6144.0 * 64 / 63, 1e-6);
  EXPECT_DOUBLE_EQ(*out.ridge_flop_per_byte, 1e4);
  EXPECT_NEAR(out.compute.base(), 0.344064, 1e-9);
  EXPECT_NEAR(out.network.base(), 0.55125, 1e-9);
  EXPECT_NEAR(out.sent.base(), 27.5625e9, 1);
  EXPECT_EQ(out.bound, physics::TimeBound::network);
}

// 2 (N - 1)/N 14e9/50e9 = 6 x 7e9 x 262144/(N 5e14) at N = 1 + 22.02.../0.56 = 40.3.
TEST(NetworkRoofline, FindsWhereTheNetworkTakesOver) {
  EXPECT_EQ(*answer(replicas(64, 128)).crossover_devices, 41);
  EXPECT_EQ(*answer(replicas(8, 128)).crossover_devices, 41);  // whatever the job has now
}

// Trust: below the crossover the network does not bind, from it on it does; intensity follows the
// tokens of a device.
TEST(NetworkRoofline, KeepsItsTrustStatement) {
  EXPECT_NE(answer(replicas(40, 128)).bound, physics::TimeBound::network);
  EXPECT_EQ(answer(replicas(41, 128)).bound, physics::TimeBound::network);
  const double once = *answer(replicas(8, 64)).network_intensity_flop_per_byte;
  EXPECT_DOUBLE_EQ(*answer(replicas(8, 128)).network_intensity_flop_per_byte, 2 * once);
}

// Two levels: 2 (n - 1)/n of the gradients, whatever the way; the fabric is the busier level.
TEST(NetworkRoofline, CountsBytesOfAllLevels) {
  Inputs in = replicas(8, 128);
  in.job.machine.devices_per_node = 8;
  in.job.traffic.all_reduce_algorithm = physics::AllReduce::automatic;
  const Output out = answer(in);
  EXPECT_NEAR(out.sent.base(), 27.5625e9, 1);
  // 2 x 7/8 x 14e9/400e9 = 0.06125 s inside, 2 x 7/8 x 1.75e9/50e9 = 0.06125 s outside.
  EXPECT_NEAR(out.network.base(), 0.1225, 1e-3);
  in.job.machine.fabric_oversubscription = 2;
  EXPECT_DOUBLE_EQ(*answer(in).ridge_flop_per_byte, 5e14 / 25e9);
}

// One device sends nothing; one node without a fabric ends at its edge.
TEST(NetworkRoofline, KnowsWhereThereIsNoNetwork) {
  const Output one = answer(replicas(1, 8));
  EXPECT_FALSE(one.network_intensity_flop_per_byte);
  EXPECT_NE(one.bound, physics::TimeBound::network);
  Inputs node = replicas(1, 1024);
  node.job.machine.devices_per_node = 8;
  node.job.machine.fabric_bandwidth.reset();
  EXPECT_FALSE(answer(node).crossover_devices);
}

TEST(NetworkRoofline, RefusesWhatDistributedRefuses) {
  Inputs in = replicas(8, 128);
  in.job.degrees.tp = 3;
  EXPECT_EQ(check(in).error().where, "tp_size");
}

}  // namespace
}  // namespace ridgeline::solve::network_roofline
