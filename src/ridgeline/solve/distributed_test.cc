#include "ridgeline/solve/distributed.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "ridgeline/physics/totals.h"
#include "ridgeline/solve/single_node.h"
#include "tests/support/models.h"
#include "tests/support/solver_inputs.h"

namespace ridgeline::solve::distributed {
namespace {

Inputs round_inputs(std::int64_t nodes) {
  Inputs in;
  in.model = testing::llama_70b_totals();
  in.machine = testing::round_cluster(nodes);
  in.setting = testing::flat(0.5);
  in.setting.precision = Precision::bf16;
  in.batch_size = 256;
  in.seq_len = 2048;
  in.degrees.tp = 8;
  in.degrees.pp = 4;
  in.degrees.microbatch_count = 8;
  in.traffic.all_reduce_algorithm = physics::AllReduce::ring;
  return in;
}

Output answer(const Inputs& in) {
  const auto checked = check(in);
  EXPECT_TRUE(checked.has_value()) << (checked ? "" : checked.error().message);
  return solve(*checked).output;
}

std::string where(const Inputs& in) {
  const auto checked = check(in);
  return checked ? "nothing" : checked.error().where;
}

// pp 4, v 1, m 32: the bubble is 3/32 of the unit: 2.4 s x 3/32 = 0.225 s.
TEST(Distributed, StagesIdleForThreeOf32MicroBatches) {
  Inputs in = round_inputs(16);
  in.batch_size = 128;
  in.degrees.microbatch_count = 32;
  const Output out = answer(in);
  EXPECT_NEAR(out.bubble_fraction, 3.0 / 35, 1e-12);
  const Seconds unit =
      out.compute + out.overhead + out.tp_comm + out.pp_comm;  // compute binds the stage
  EXPECT_NEAR(out.bubble / unit, 3.0 / 32, 1e-12);
}

TEST(Distributed, MoreMicroBatchesOrChunksShrinkTheBubble) {
  Inputs in = round_inputs(4);
  in.batch_size = 512;
  double last = 1;
  for (const std::int64_t m : {4, 16, 64, 512}) {
    in.degrees.microbatch_count = m;
    const double bubble = answer(in).bubble_fraction;
    EXPECT_LT(bubble, last);
    last = bubble;
  }
  EXPECT_LT(last, 0.01);
  in.degrees.microbatch_count = 16;
  const double plain = answer(in).bubble_fraction;
  in.degrees.v_stages = 5;
  in.degrees.pipeline_schedule = physics::Schedule::interleaved;
  EXPECT_NEAR(answer(in).bubble_fraction, 3.0 / (5 * 16 + 3), 1e-12);
  EXPECT_LT(answer(in).bubble_fraction, plain);
}

// Zero bubble: F + B - 2 W with B = 2 F, W = F leaves a third of 1F1B's.
TEST(Distributed, ZeroBubbleLeavesAThird) {
  Inputs in = round_inputs(4);
  const Seconds plain = answer(in).bubble;
  in.degrees.pipeline_schedule = physics::Schedule::zb1p;
  EXPECT_NEAR(answer(in).bubble / plain, 1.0 / 3, 1e-12);
}

Inputs one_device() {
  Inputs in = round_inputs(1);
  in.model = testing::round_7b();
  in.machine.devices_per_node = 1;
  in.machine.device.memory_capacity = 1000 * gigabyte;
  in.degrees = {};
  in.batch_size = 4;
  return in;
}

// Trust: one device is the single node; a step never beats the peak.
TEST(Distributed, KeepsItsTrustStatement) {
  const Inputs in = one_device();
  single_node::Inputs alone;
  alone.model = in.model;
  alone.hardware = in.machine.device;
  alone.setting = in.setting;
  alone.batch_size = 4;
  alone.seq_len = 2048;
  alone.phase = Pass::train;
  EXPECT_DOUBLE_EQ(answer(in).step.base(), single_node::solve(alone).latency.base());
  for (const std::int64_t nodes : {4, 16, 64}) {
    const Output out = answer(round_inputs(nodes));
    EXPECT_LE(out.mfu_fraction, 0.5);
    EXPECT_LE(out.dp_exposed, out.dp_comm);
    EXPECT_LE(out.scaling_efficiency_fraction, 1);
  }
}

// Peer: 128k tokens cost exactly 64 times 2k; attention FLOP make it more.
TEST(Distributed, LongerSequencesCostMoreThanTheirLength) {
  Inputs in = round_inputs(4);
  const Seconds once = answer(in).compute;
  in.seq_len *= 2;
  EXPECT_GT(answer(in).compute, 2 * once);
}

// Peer: overlap hid 85 % of the traffic even when it was a thousand times the compute.
TEST(Distributed, OverlapEndsWithTheBackwardOfTheLastMicroBatch) {
  Inputs in = round_inputs(64);
  in.machine.fabric_bandwidth = 0.01 * gigabyte_per_second;
  in.traffic.overlap_comm = true;
  const Output out = answer(in);
  const Seconds window = out.compute / 8 * (2.0 / 3);
  EXPECT_NEAR((out.dp_comm - out.dp_exposed).base(), window.base(), 1e-9);
  in.machine.fabric_bandwidth = 5000 * gigabyte_per_second;
  in.machine.fabric_latency = Seconds{};
  const Output fast = answer(in);
  EXPECT_NEAR(fast.dp_exposed / fast.dp_comm, 0.15, 1e-9);
}

// Peer: ZeRO 3 traffic was that of ZeRO 0. It is 1.5 times; per micro-batch m times that.
TEST(Distributed, ShardedWeightsTravelHalfAsMuchAgain) {
  Inputs in = round_inputs(64);
  in.traffic.zero3_gathers = Zero3Gathers::per_step;
  const auto traffic = [&](std::int64_t stage) {
    in.zero_stage = stage;
    return answer(in).dp_comm.base();
  };
  EXPECT_DOUBLE_EQ(traffic(1), traffic(0));
  EXPECT_DOUBLE_EQ(traffic(2), traffic(0));
  EXPECT_NEAR(traffic(3), 1.5 * traffic(0), 1e-12);
  const double whole = traffic(0);
  in.traffic.zero3_gathers = Zero3Gathers::per_microbatch;
  EXPECT_NEAR(traffic(3), 8 * 1.5 * whole, 1e-9);
  EXPECT_NEAR(traffic(2), (8 + 1) * whole / 2, 1e-9);  // eight reduce-scatters, one gather
}

// Peer: the topology was never read.
TEST(Distributed, AlgorithmsAndLinksMatter) {
  Inputs in = round_inputs(64);
  const Seconds ring = answer(in).dp_comm;
  in.traffic.all_reduce_algorithm = physics::AllReduce::tree;
  EXPECT_NE(answer(in).dp_comm, ring);
  in.traffic.all_reduce_algorithm = physics::AllReduce::ring;
  in.machine.fabric_oversubscription = 2;
  EXPECT_GT(answer(in).dp_comm, 1.9 * ring);
}

// Peer: recomputation did not repeat tensor-parallel traffic; accumulation divided the gradients'.
TEST(Distributed, RecomputationRepeatsTensorTraffic) {
  Inputs in = round_inputs(4);
  const Output none = answer(in);
  in.activation_recomputation = physics::Recompute::full;
  const Output full = answer(in);
  EXPECT_NEAR(full.tp_comm / none.tp_comm, 1.5, 1e-12);
  EXPECT_NEAR(full.compute / none.compute, 4.0 / 3, 1e-12);
  EXPECT_LT(full.mfu_fraction, none.mfu_fraction);
  in = round_inputs(4);
  in.degrees.microbatch_count = 2;
  in.degrees.gradient_accumulation_steps = 4;
  EXPECT_EQ(answer(in).step, none.step);
}

Inputs mixture() {
  Inputs in = round_inputs(8);
  in.model = testing::mixtral_totals();
  in.batch_size = 64;
  in.degrees = {};
  in.degrees.ep = 8;
  return in;
}

// Peer: one all-to-all per step rather than 4 per layer, always over the fabric. ep 8 inside nodes
// of 8: 4 x 32 of 7/8 x (1 x 2048 x 2 x 4096 x 2 B)/400e9 + 7 x 0.5e-6.
TEST(Distributed, TokensTravelInEveryLayerOverTheirOwnLink) {
  const double bytes = 2048.0 * 2 * 4096 * 2;
  EXPECT_NEAR(answer(mixture()).ep_comm.base(), 128 * (0.875 * bytes / 400e9 + 3.5e-6), 1e-9);
  Inputs hot = mixture();
  hot.traffic.moe_routing_imbalance_factor = 2;
  EXPECT_NEAR(answer(hot).ep_comm.base(), 128 * (1.75 * bytes / 400e9 + 3.5e-6), 1e-9);
  EXPECT_GT(answer(hot).compute, answer(mixture()).compute);
}

// Peer: 33 samples over 32 replicas dropped one, one sample counted as 32.
TEST(Distributed, UnevenBatchIsSetByTheFullestReplica) {
  Inputs in = round_inputs(16);  // dp 4
  in.degrees.microbatch_count = 1;
  in.batch_size = 32;
  const Output even = answer(in);
  in.batch_size = 33;
  const Output more = answer(in);
  EXPECT_GT(more.step, even.step);
  EXPECT_EQ(more.idle_samples, 3);
  EXPECT_DOUBLE_EQ(more.samples_per_s, 33 / more.step.base());
  in.batch_size = 36;
  EXPECT_EQ(answer(in).step, more.step);
  in.batch_size = 1;
  EXPECT_DOUBLE_EQ(answer(in).samples_per_s, 1 / answer(in).step.base());
}

TEST(Distributed, ContextIsSplitAndItsKeysTravel) {
  Inputs in = round_inputs(16);
  in.seq_len = 65536;
  in.degrees.microbatch_count = 4;
  const Output whole = answer(in);
  in.degrees.cp = 2;
  const Output ring = answer(in);
  EXPECT_NEAR(ring.compute / whole.compute, 1, 1e-12);  // half of twice the samples
  in.traffic.cp_kind = CpKind::all_gather;
  const Output gather = answer(in);
  EXPECT_GE(gather.cp_comm, ring.cp_comm);  // the ring hides under attention
  // 3 rounds x 20 layers x 4 micro-batches x 32 samples of 32768 tokens x 2 x 128 x 2 B over 50
  // GB/s
  const double kv_bytes = 32.0 * 65536 * 2 * 128 * 2;
  EXPECT_NEAR(gather.cp_comm.base(), 3 * 20 * 4 * (kv_bytes / 2 / 50e9 + 5e-6), 1e-9);
  in.traffic.cp_kind = CpKind::ulysses;
  EXPECT_GT(answer(in).cp_comm.base(), 0);
}

// tp 16 over two nodes reduces level by level: slower than 8 inside, faster than one flat ring.
TEST(Distributed, GroupsWiderThanANodeReduceLevelByLevel) {
  Inputs in = round_inputs(16);
  const Seconds inside = answer(in).tp_comm;
  in.degrees.tp = 16;
  const Seconds across = answer(in).tp_comm;
  EXPECT_GT(across, inside);
  const double bytes = 2.0 * 64 * 2048 * 8192 * 2;  // twice the samples of a replica
  const double flat_ring = 4 * 20 * (2 * 15.0 / 16 * bytes / 50e9);
  EXPECT_LT(across.base(), flat_ring);
}

TEST(Distributed, OrderDecidesWhoSharesANode) {
  Inputs in = round_inputs(16);
  in.degrees.tp = 2;
  in.degrees.pp = 4;
  const Output usual = answer(in);
  for (const Axis axis : {Axis::dp, Axis::tp, Axis::cp, Axis::pp}) in.degrees.order.push_back(axis);
  const Output reversed = answer(in);
  EXPECT_GT(reversed.tp_comm, usual.tp_comm);
  EXPECT_LT(reversed.dp_comm, usual.dp_comm);
  in.machine.intra_node_bandwidth = in.machine.fabric_bandwidth;  // equal links: order is nothing
  in.machine.intra_node_latency = in.machine.fabric_latency = Seconds{};
  const Output a = answer(in);
  in.degrees.order.clear();
  EXPECT_NEAR(answer(in).tp_comm.base(), a.tp_comm.base(), 1e-9);
}

TEST(Distributed, LinkLoadIsTheTimeThatLinksWork) {
  const Output out = answer(round_inputs(16));
  ASSERT_EQ(out.link_load.size(), 2U);
  const Seconds all = out.tp_comm + out.pp_comm + out.dp_comm;
  EXPECT_NEAR((out.link_load[0] + out.link_load[1]) * out.step.base(), all.base(), 1e-9);
}

TEST(Distributed, FrozenWeightsHaveNoGradients) {
  Inputs in = round_inputs(16);
  in.setting.attention_count = physics::AttentionCount::none;
  const Output all = answer(in);
  in.lora_rank = 16;
  const Output adapters = answer(in);
  EXPECT_NEAR(adapters.compute / all.compute, 2.0 / 3, 0.01);
  EXPECT_LT(adapters.dp_comm, 0.01 * all.dp_comm);
}

TEST(Distributed, MemoryIsThatOfTrainingMemory) {
  Inputs in = round_inputs(16);
  const auto answered = solve(*check(in));
  EXPECT_EQ(answered.rows.size(), 4U);
  EXPECT_TRUE(*answered.output.feasible);
  in.machine.device.memory_capacity = 10 * gigabyte;
  EXPECT_FALSE(*answer(in).feasible);
  EXPECT_EQ(answer(in).reason, Reason::memory);
}

TEST(Distributed, FullModelIsAnsweredToo) {
  const Model model = testing::llama_70b();
  Inputs in = round_inputs(16);
  const Output by_totals = answer(in);
  in.model = physics::totals_of(model);
  in.zero_stage = 1;
  const Output out = answer(in);
  EXPECT_NEAR(out.step / by_totals.step, 1, 0.1);
  EXPECT_GT(out.optimizer.base(), 0);
  EXPECT_EQ(solve(*check(in)).rows.size(), 4U);
}

TEST(Distributed, RejectsPlansThatCannotBe) {
  Inputs in = round_inputs(16);
  in.degrees.tp = 3;
  EXPECT_EQ(where(in), "tp_size");
  in = round_inputs(16);
  in.degrees.dp = 5;
  EXPECT_EQ(where(in), "dp_size");
  in = round_inputs(128);
  in.degrees.pp = 128;
  EXPECT_EQ(where(in), "pp_size");
  in = round_inputs(16);
  in.degrees.microbatch_count = 65;
  EXPECT_EQ(where(in), "microbatch_count");
  in = round_inputs(16);
  in.degrees.ep = 8;
  EXPECT_EQ(where(in), "ep_size");  // dense
  in = mixture();
  in.degrees.ep = 3;
  EXPECT_EQ(where(in), "ep_size");
  in = round_inputs(16);
  in.traffic.congestion_factor = -1;
  EXPECT_EQ(where(in), "congestion_factor");
  in.traffic = {};
  in.traffic.straggler_factor = 0.5;
  EXPECT_EQ(where(in), "straggler_factor");
  in.traffic = {};
  in.zero_stage = 7;
  EXPECT_EQ(where(in), "zero_stage");
}

}  // namespace
}  // namespace ridgeline::solve::distributed
