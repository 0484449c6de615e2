#include "ridgeline/solve/sustainability.h"

#include <gtest/gtest.h>

namespace ridgeline::solve::sustainability {
namespace {

constexpr auto kPerKwh = 1 / 3.6e6;

EmissionsPerJoule intensity(double kg_per_kwh) {
  return EmissionsPerJoule::from_base(kg_per_kwh * kPerKwh);
}

Inputs round_inputs() {
  Inputs in;
  in.fleet.devices = 64;
  in.fleet.duration = 30 * day;
  in.fleet.tdp = 700 * watt;
  in.fleet.pue = 1.12;
  in.fleet.carbon_intensity = intensity(0.429);
  in.fleet.wue = WaterPerJoule::from_base(1.8 * kPerKwh);
  in.embodied_per_device = Emissions{};
  return in;
}

Output answer(const Inputs& in) {
  const auto checked = check(in);
  EXPECT_TRUE(checked.has_value()) << (checked ? "" : checked.error().message);
  return solve(*checked);
}

// Peer: water by facility energy, 65 028 L. 64 x 700 W x 720 h = 32 256 kWh; x 1.8 = 58 060.8 L; x
// 1.12 x 0.429 = 15 498.36 kg.
TEST(Sustainability, MatchesTheWorkedExample) {
  const Output out = answer(round_inputs());
  EXPECT_NEAR(out.it_energy.in(kilowatt_hour), 32256, 1e-6);
  EXPECT_NEAR(out.water.base(), 58060.8, 1e-6);
  EXPECT_NEAR(out.operational.base(), 15498.36, 5e-3);
  EXPECT_EQ(out.emissions, out.operational);
}

TEST(Sustainability, PerfectSiteDrawsTheDevicesPower) {
  Inputs in = round_inputs();
  in.fleet.pue = 1;
  EXPECT_NEAR(answer(in).facility_energy.base(), 64 * 700 * 30 * 86400.0, 1);
  in.fleet.mfu = 0;
  EXPECT_NEAR(answer(in).facility_energy.base(), 0.3 * 64 * 700 * 30 * 86400.0, 1);
}

TEST(Sustainability, WaterOfTheGridComesOnTop) {
  Inputs in = round_inputs();
  in.fleet.wue = WaterPerJoule{};
  EXPECT_EQ(answer(in).water.base(), 0);
  in.fleet.source_water = WaterPerJoule::from_base(2 * kPerKwh);
  EXPECT_NEAR(answer(in).water.base(), 2 * 1.12 * 32256, 1e-6);
}

// Trust: at full life all of e n is charged; a flat profile is its mean.
TEST(Sustainability, KeepsItsTrustStatement) {
  Inputs in = round_inputs();
  in.embodied_per_device = 150 * kilogram_co2e;
  EXPECT_NEAR(answer(in).embodied.base(), 64 * 150 * 30 / (365.0 * 5), 1e-9);
  in.fleet.duration = 5 * 365 * day;
  EXPECT_NEAR(answer(in).embodied.base(), 64 * 150, 1e-9);
  in.fleet.duration = 30 * day;
  in.embodied_charge = EmbodiedCharge::all;
  EXPECT_NEAR(answer(in).embodied.base(), 64 * 150, 1e-9);
  const Output flat = answer(in);
  in.intensity_profile.assign(24, intensity(0.429));
  EXPECT_NEAR(answer(in).operational.base(), flat.operational.base(), 1e-6);
  EXPECT_EQ(*answer(in).best_hour, 0);
}

// 400 with four hours of 200: a run of 4 h at hour 0 against one in the valley.
TEST(Sustainability, RunsThatCanWaitStartInTheValley) {
  Inputs in = round_inputs();
  in.fleet.duration = 4 * hour;
  in.intensity_profile.assign(24, intensity(0.4));
  for (std::size_t h = 20; h < 24; ++h) in.intensity_profile[h] = intensity(0.2);
  const Output out = answer(in);
  EXPECT_EQ(*out.best_hour, 20);
  EXPECT_NEAR(*out.saved / out.operational, 0.5, 1e-9);
  in.fleet.duration = 24 * hour;
  EXPECT_NEAR(answer(in).saved->base(), 0, 1e-9);
  in.fleet.duration = 4.5 * hour;  // half an hour outside the valley
  EXPECT_NEAR(*answer(in).saved / answer(in).operational, 1 - (4 * 0.2 + 0.5 * 0.4) / (4.5 * 0.4),
              1e-9);
}

// Llama 2: 184 320 device hours at 400 W and 0.4234 kg/kWh: 31.22 t [touvron2023].
TEST(Sustainability, DeviceHoursGiveThePublishedCarbon) {
  Inputs in = round_inputs();
  in.fleet.devices.reset();
  in.fleet.duration.reset();
  in.fleet.device_hours = 184'320;
  in.fleet.tdp = 400 * watt;
  in.fleet.pue = 1;
  in.fleet.carbon_intensity = intensity(0.4234);
  EXPECT_NEAR(answer(in).operational.base(), 31220, 31);
}

TEST(Sustainability, TokensShareTheEmissions) {
  Inputs in = round_inputs();
  in.tokens_count = 2e9;
  EXPECT_NEAR(answer(in).per_million_tokens->base(), 15498.36288 / 2000, 1e-9);
}

// Peer: a device without a power drew 700 W, embodied carbon was 0 unless asked for.
TEST(Sustainability, NothingIsAssumedInSilence) {
  Inputs in = round_inputs();
  in.fleet.tdp.reset();
  EXPECT_EQ(check(in).error().where, "tdp");
  in = round_inputs();
  in.embodied_per_device.reset();
  EXPECT_EQ(check(in).error().where, "embodied_per_device");
  in = round_inputs();
  in.fleet.carbon_intensity.reset();
  EXPECT_EQ(check(in).error().where, "carbon_intensity");
  in = round_inputs();
  in.fleet.duration = -1 * day;
  EXPECT_EQ(check(in).error().where, "duration");
  in = round_inputs();
  in.fleet.pue = 0.9;
  EXPECT_EQ(check(in).error().where, "pue");
  in = round_inputs();
  in.intensity_profile.assign(7, intensity(0.4));
  EXPECT_EQ(check(in).error().where, "intensity_profile");
}

}  // namespace
}  // namespace ridgeline::solve::sustainability
