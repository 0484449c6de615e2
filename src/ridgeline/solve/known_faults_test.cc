// What an earlier tool got wrong about one device and about training, and what is right. Faults
// that the solvers' own tests show already are listed with them in docs/known-faults.md.
#include <gtest/gtest.h>

#include <string>

#include "ridgeline/solve/distributed.h"
#include "ridgeline/solve/economics.h"
#include "ridgeline/solve/single_node.h"
#include "tests/support/solver_inputs.h"

namespace ridgeline::solve {
namespace {

single_node::Inputs llama_on_h100(std::int64_t batch) {
  single_node::Inputs in;
  in.model = testing::llama_8b_totals();
  in.hardware = testing::h100();
  in.setting = testing::flat(0.5);
  in.setting.precision = Precision::fp16;
  in.setting.attention_count = physics::AttentionCount::none;
  in.batch_size = batch;
  return in;
}

single_node::Output answer(const single_node::Inputs& in) {
  const auto checked = single_node::check(in);
  EXPECT_TRUE(checked.has_value()) << (checked ? "" : checked.error().message);
  return single_node::solve(*checked);
}

// Peer: 2,080 tokens/s at any batch. R e/O = 989e12 x 0.5/16.06e9 = 30 791; arithmetic binds from
// R e b/(2 BW) = 989e12 x 0.5 x 2/(2 x 3.35e12) = 147.6 sequences on.
TEST(KnownFaults, ManySequencesReachTheComputeBound) {
  EXPECT_EQ(answer(llama_on_h100(147)).bound, physics::TimeBound::memory);
  EXPECT_EQ(answer(llama_on_h100(148)).bound, physics::TimeBound::compute);
  EXPECT_NEAR(answer(llama_on_h100(4096)).throughput_per_s, 30791, 1);
}

// Peer: W B/10 of traffic kept the intensity below 10 FLOP/B. 2 P B/(2 P) = B.
TEST(KnownFaults, IntensityGrowsWithTheBatch) {
  EXPECT_NEAR(*answer(llama_on_h100(64)).intensity_flop_per_byte, 64, 1e-9);
  EXPECT_NEAR(*answer(llama_on_h100(4096)).intensity_flop_per_byte, 4096, 1e-9);
}

// Peer: 4-bit weights on a device without a 4-bit rate took the time of 16 bits. 8.03e9/2 B at
// 3.35 TB/s = 1.1985 ms with weights alone narrow; without such a rate nothing is assumed.
TEST(KnownFaults, FourBitWeightsAreReadAsFourBits) {
  single_node::Inputs in = llama_on_h100(1);
  in.setting.precision = Precision::int4;
  EXPECT_EQ(single_node::check(in).error().where, "precision");
  in.setting.activation_precision = Precision::fp16;
  EXPECT_NEAR(answer(in).memory.base(), 1.1985e-3, 1e-7);
}

// Peer: a link of 64 GB/s stood in for one that is not known.
TEST(KnownFaults, WhatSpillsNeedsAKnownLink) {
  single_node::Inputs in = llama_on_h100(1);
  in.model = testing::llama_70b_totals();
  in.offload = single_node::Offload::host;
  EXPECT_TRUE(single_node::check(in).has_value());
  in.hardware.host_link.reset();
  EXPECT_EQ(single_node::check(in).error().where, "hardware/host_link");
}

distributed::Inputs cluster(std::int64_t nodes) {
  distributed::Inputs in;
  in.model = testing::llama_70b_totals();
  in.machine = testing::round_cluster(nodes);
  in.setting = testing::flat(0.5);
  in.setting.precision = Precision::bf16;
  in.batch_size = 256;
  in.seq_len = 2048;
  in.traffic.all_reduce_algorithm = physics::AllReduce::ring;
  return in;
}

distributed::Output answer(const distributed::Inputs& in) {
  const auto checked = distributed::check(in);
  EXPECT_TRUE(checked.has_value()) << (checked ? "" : checked.error().message);
  return distributed::solve(*checked).output;
}

// Peer: stages sent nothing. 2 x 256 x 2048 x 8192 x 2 B over tp 8 at 50 GB/s, 16 latencies of 5
// us.
TEST(KnownFaults, StagesSendTheirActivations) {
  distributed::Inputs in = cluster(4);
  in.degrees.tp = 8;
  in.degrees.pp = 4;
  in.degrees.microbatch_count = 8;
  EXPECT_NEAR(answer(in).pp_comm.base(), 2 * 256.0 * 2048 * 8192 * 2 / 8 / 50e9 + 16 * 5e-6, 1e-12);
}

// Peer: 8 passes of accumulation divided the gradients' traffic by 8. They travel once, whole.
TEST(KnownFaults, AccumulationSendsTheGradientsOnce) {
  distributed::Inputs in = cluster(4);
  const distributed::Output once = answer(in);
  in.degrees.gradient_accumulation_steps = 8;
  EXPECT_EQ(answer(in).dp_comm, once.dp_comm);
  EXPECT_EQ(answer(in).compute, once.compute);
}

// Peer: one sample on 32 replicas counted as 32, and "scaling efficiency" was the share of compute.
// 31 of 32 do nothing: the speed is at most 1/32 of theirs.
TEST(KnownFaults, OneSampleIsOneWhateverTheReplicas) {
  distributed::Inputs in = cluster(4);
  in.batch_size = 1;
  const distributed::Output out = answer(in);
  EXPECT_DOUBLE_EQ(out.samples_per_s, 1 / out.step.base());
  EXPECT_EQ(out.idle_samples, 31);
  EXPECT_NEAR(out.scaling_efficiency_fraction, out.compute_fraction / 32, 1e-12);
}

// Peer: tensor-parallel traffic was never hidden. 85 % of it can be, under as much compute.
TEST(KnownFaults, TensorTrafficMayHideUnderItsMatrices) {
  distributed::Inputs in = cluster(4);
  in.degrees.tp = 8;
  const distributed::Output plain = answer(in);
  in.traffic.tp_overlap = true;
  EXPECT_NEAR(answer(in).tp_comm / plain.tp_comm, 0.15, 1e-12);
}

// Peer: 128k tokens cost 64 times 2k. A token of 70.6e9 x 2 FLOP sees (S + 1)/2 others on average,
// 4 x 80 x 8192 FLOP each: (1.412e11 + 1310720 x 131073)/(1.412e11 + 1310720 x 2049) = 2.1754 x 64.
TEST(KnownFaults, LongTrainingSequencesPayForAttention) {
  distributed::Inputs in = cluster(4);
  in.degrees.tp = 8;
  const distributed::Output brief = answer(in);
  in.seq_len = 131072;
  const double pairs = 4 * 80 * 8192.0 / 2, weights = 2 * 70.6e9;
  const double grown = (weights + pairs * 131073) / (weights + pairs * 2049);
  EXPECT_NEAR(answer(in).compute / brief.compute, 64 * grown, 1e-6);
  EXPECT_NEAR(grown, 2.1754, 1e-4);
}

// Peer: what does not fit only flipped a flag beside a plausible step.
TEST(KnownFaults, AStepThatDoesNotFitSaysWhy) {
  const distributed::Output out = answer(cluster(4));
  EXPECT_FALSE(*out.feasible);
  EXPECT_EQ(out.reason, distributed::Reason::memory);
}

// Peer: racks, switches and hosts cost nothing and could not be said. 1.4 times 64 x 25 000 USD.
TEST(KnownFaults, HostsAndNetworkHaveAPrice) {
  economics::Inputs in;
  in.fleet.devices = 64;
  in.fleet.duration = 365 * day;
  in.fleet.tdp = 700 * watt;
  in.fleet.pue = 1.12;
  in.kwh_price = DollarsPerJoule{};
  in.unit_cost = 25000 * dollar;
  in.amortization_years = 1;
  in.infrastructure_multiplier = 1.4;
  EXPECT_NEAR(economics::solve(*economics::check(in)).capex->base(), 2.24e6, 1e-3);
}

// Peer: full power by default, though the same call knew that a fifth of the peak was used.
// 0.3 + 0.7 x 0.2 = 0.44 of 64 x 0.7 kW x 8760 h x 1.12 x 0.1 USD = 43 954.2 USD.
TEST(KnownFaults, PowerIsThatOfTheUse) {
  economics::Inputs in;
  in.fleet.devices = 64;
  in.fleet.duration = 365 * day;
  in.fleet.tdp = 700 * watt;
  in.fleet.pue = 1.12;
  in.fleet.mfu = 0.2;
  in.kwh_price = DollarsPerJoule::from_base(0.1 / 3.6e6);
  in.unit_cost = 25000 * dollar;
  EXPECT_NEAR(economics::solve(*economics::check(in)).energy->base(), 0.44 * 43954.176, 1e-3);
}

}  // namespace
}  // namespace ridgeline::solve
