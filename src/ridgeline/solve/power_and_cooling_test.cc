#include "ridgeline/solve/power_and_cooling.h"

#include <gtest/gtest.h>

namespace ridgeline::solve::power_and_cooling {
namespace {

// 100 devices of 1 kW at PUE 1.25: 100 kW of IT, 125 kW of the site, 800 devices per MW; racks of
// 42 kW hold 42 each. 1e5/(4186 x 10) = 2.38892 kg/s of water.
TEST(PowerAndCooling, MatchesAHandWorkedCase) {
  const Inputs in{.devices = 100, .tdp = 1000 * watt, .pue = 1.25, .rack_limit = 42e3 * watt};
  const Output out = solve(*check(in));
  EXPECT_DOUBLE_EQ(out.it.base(), 1e5);
  EXPECT_DOUBLE_EQ(out.site->base(), 1.25e5);
  EXPECT_EQ(*out.devices_per_rack, 42);
  EXPECT_EQ(*out.racks, 3);
  EXPECT_NEAR(out.coolant_kg_per_s, 2.38892, 1e-5);
  EXPECT_DOUBLE_EQ(*out.devices_per_mw, 800);
}

// Of a power alone: 1e5/42e3, rounded up; air carries 4.165 times less heat a kilogram.
TEST(PowerAndCooling, TakesAPowerAlone) {
  const Inputs in{.it_power = 1e5 * watt, .rack_limit = 42e3 * watt, .cooling = Cooling::air};
  const Output out = solve(*check(in));
  EXPECT_EQ(*out.racks, 3);
  EXPECT_NEAR(out.coolant_kg_per_s, 1e5 / 10050, 1e-9);
  EXPECT_FALSE(out.site);
  EXPECT_FALSE(out.devices_per_mw);
}

// Trust: dT doubles, the flow halves; racks hold all devices and one rack less does not.
TEST(PowerAndCooling, KeepsItsTrustStatement) {
  Inputs in{.devices = 1, .tdp = 700 * watt, .rack_limit = 17e3 * watt};
  const double flow = solve(in).coolant_kg_per_s;
  in.coolant_rise_k *= 2;
  EXPECT_DOUBLE_EQ(solve(in).coolant_kg_per_s, flow / 2);
  for (in.devices = 1; *in.devices < 200; ++*in.devices) {
    const Output out = solve(in);
    EXPECT_GE(*out.racks * *out.devices_per_rack, *in.devices);
    EXPECT_LT((*out.racks - 1) * *out.devices_per_rack, *in.devices);
    EXPECT_LE(static_cast<double>(*out.devices_per_rack) * 700, 17e3);
  }
}

TEST(PowerAndCooling, SaysWhenARackCarriesNoDevice) {
  const Output out = solve(*check({.devices = 8, .tdp = 1000 * watt, .rack_limit = 900 * watt}));
  EXPECT_FALSE(out.feasible);
  EXPECT_EQ(out.reason, Reason::rack_limit);
  EXPECT_FALSE(out.racks);
}

TEST(PowerAndCooling, NamesWhatIsMissing) {
  EXPECT_EQ(check({}).error().where, "devices");
  EXPECT_EQ(check({.devices = 8}).error().where, "tdp");
  EXPECT_EQ(check({.devices = 8, .it_power = 1e5 * watt}).error().where, "it_power");
  EXPECT_EQ(check({.it_power = 1e5 * watt, .pue = 0.9}).error().where, "pue");
}

}  // namespace
}  // namespace ridgeline::solve::power_and_cooling
