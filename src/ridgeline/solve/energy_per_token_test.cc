#include "ridgeline/solve/energy_per_token.h"

#include <gtest/gtest.h>

#include "tests/support/solver_inputs.h"

namespace ridgeline::solve::energy_per_token {
namespace {

Output answer(const Inputs& in) {
  const auto checked = check(in);
  EXPECT_TRUE(checked.has_value()) << (checked ? "" : checked.error().message);
  return solve(*checked);
}

Coefficients round_device() {
  Coefficients c;
  c.flop = 0.5 * picojoule_per_flop;
  c.memory = 40 * picojoule_per_byte;
  c.link = 100 * picojoule_per_byte;
  c.static_power = 100 * watt;
  return c;
}

Inputs round_inputs() {
  Inputs in;
  in.service.model = testing::round_7b();
  in.service.hardware = testing::round_device();
  in.service.setting = testing::flat(0.5);
  in.service.setting.precision = Precision::bf16;
  in.service.setting.attention_count = physics::AttentionCount::none;
  in.seq_len = 1;
  in.coefficients = round_device();
  return in;
}

// 14e9 B at 5 pJ a bit: 14e9 x 8 x 5e-12 = 0.56 J.
TEST(EnergyPerToken, ReadsWeightsAtFivePicojoulesABit) {
  Inputs in;
  in.work.bytes = 14 * gigabyte;
  in.coefficients.memory = 40 * picojoule_per_byte;
  EXPECT_DOUBLE_EQ(answer(in).energy_per_token.base(), 0.56);
  EXPECT_FALSE(answer(in).power.has_value());
}

// The same weights in 3.5 ms at 4 TB/s, and 131 072 B of KV; 14e9 FLOP x 0.5 pJ = 7 mJ; static
// 100 W x 3.5 ms = 0.35 J.
TEST(EnergyPerToken, AddsTheParts) {
  const Output out = answer(round_inputs());
  const double T = (14e9 + 131072) / 4e12;
  EXPECT_NEAR(out.step->base(), T, 1e-15);
  EXPECT_NEAR(out.memory.base(), (14e9 + 131072) * 40e-12, 1e-12);
  EXPECT_NEAR(out.compute.base(), 0.007, 1e-12);
  EXPECT_EQ(out.link, Joules{});
  EXPECT_NEAR(out.static_energy.base(), 100 * T, 1e-12);
  EXPECT_NEAR(out.power->base(), (0.007 + out.memory.base()) / T + 100, 1e-9);
}

// 0.56 J in 3.5 ms are 160 W; a limit of 110 W leaves 10 W beside 100 W: 56 ms, all at 110 W.
TEST(EnergyPerToken, FallsBehindWhenPowerIsShort) {
  Inputs in;
  in.work.bytes = 14 * gigabyte;
  in.work.time = 3.5 * millisecond;
  in.coefficients = round_device();
  in.coefficients.tdp = 110 * watt;
  const Output out = answer(in);
  EXPECT_TRUE(out.throttled);
  EXPECT_NEAR(out.step->base(), 0.056, 1e-12);
  EXPECT_NEAR(out.unthrottled_step->base(), 0.0035, 1e-15);
  EXPECT_NEAR(out.energy.base(), 110 * 0.056, 1e-12);
  EXPECT_DOUBLE_EQ(out.power->base(), 110);
}

// Trust: the parts add up, the power stays in its limit, and without coefficients static is left.
TEST(EnergyPerToken, KeepsItsTrustStatement) {
  for (const Phase phase : {Phase::decode, Phase::prefill}) {
    for (const double tdp : {150.0, 300.0, 1000.0}) {
      Inputs in = round_inputs();
      in.phase = phase;
      in.seq_len = 512;
      in.batch_size = 4;
      in.service.tp_size = 4;
      in.service.pp_size = 2;
      in.service.machine = testing::round_cluster(1);
      in.coefficients.tdp = tdp * watt;
      const Output out = answer(in);
      const Joules sum = out.compute + out.memory + out.link + out.static_energy;
      EXPECT_NEAR(sum / out.energy_per_token, 1, 1e-12);
      EXPECT_GT(out.link.base(), 0);
      EXPECT_LE(out.power->base(), tdp);
      EXPECT_GE(*out.step, *out.unthrottled_step);
      in.coefficients.flop = JoulesPerFlop{};
      in.coefficients.memory = in.coefficients.link = JoulesPerByte{};
      const Output idle = answer(in);
      EXPECT_EQ(idle.energy_per_token, idle.static_energy);
      EXPECT_NEAR(idle.energy.base(), 8 * 100 * idle.step->base(), 1e-9);
    }
  }
}

// Two all-reduces a layer of B d b bytes over two ranks, each of which sends 2 (n - 1)/n = 1 of it:
// 2 ranks x 2 x 32 x 4096 x 2 B = 1.048576 MB at 100 pJ.
TEST(EnergyPerToken, CountsWhatRanksSend) {
  Inputs in = round_inputs();
  in.service.tp_size = 2;
  in.service.machine = testing::round_cluster(1);
  EXPECT_NEAR(answer(in).link.base(), 2 * 2 * 32 * 4096 * 2 * 100e-12, 1e-15);
}

TEST(EnergyPerToken, TakesTheEnergyOfTheFormat) {
  Inputs in = round_inputs();
  in.coefficients.formats = {{Precision::fp8, 0.25 * picojoule_per_flop}};
  EXPECT_NEAR(answer(in).compute.base(), 14e9 * 0.5e-12, 1e-12);
  in.service.setting.precision = Precision::fp8;
  EXPECT_NEAR(answer(in).compute.base(), 14e9 * 0.25e-12, 1e-12);
}

// Static power that is not given is the idle share of the device's 1 kW.
TEST(EnergyPerToken, IdlesAtAShareOfThePower) {
  Inputs in = round_inputs();
  in.coefficients.static_power.reset();
  EXPECT_NEAR(answer(in).static_energy.base(), 300 * answer(in).step->base(), 1e-12);
}

TEST(EnergyPerToken, NamesWhatIsMissing) {
  Inputs in = round_inputs();
  in.coefficients.memory.reset();
  EXPECT_EQ(check(in).error().where, "energy_per_memory_byte");
  in = round_inputs();
  in.coefficients.static_power.reset();
  in.service.hardware.tdp.reset();
  EXPECT_EQ(check(in).error().where, "static_power");
  in.coefficients.static_power = 200 * watt;
  in.coefficients.tdp = 200 * watt;
  EXPECT_EQ(check(in).error().where, "static_power");
  in.work.flop = 1 * flop;
  EXPECT_EQ(check(in).error().where, "model");
  in = round_inputs();
  in.service.hardware.memory_capacity = 1 * gigabyte;
  EXPECT_FALSE(answer(in).feasible);
}

}  // namespace
}  // namespace ridgeline::solve::energy_per_token
