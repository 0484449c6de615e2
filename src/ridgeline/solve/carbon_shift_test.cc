#include "ridgeline/solve/carbon_shift.h"

#include <gtest/gtest.h>

namespace ridgeline::solve::carbon_shift {
namespace {

// Grams per kWh: `usual`, and `low` for four hours from 12 on.
std::vector<EmissionsPerJoule> profile(double usual, double low) {
  std::vector<EmissionsPerJoule> out(24, EmissionsPerJoule::from_base(usual * 1e-3 / 3.6e6));
  for (std::size_t h = 12; h < 16; ++h) out[h] = EmissionsPerJoule::from_base(low * 1e-3 / 3.6e6);
  return out;
}

Inputs job(double usual, double low, double hours) {
  Inputs in;
  in.intensity_profile = profile(usual, low);
  in.window = hours * hour;
  return in;
}

// 400 with four hours at 200: mean (20 x 400 + 4 x 200)/24 = 366.67; 166.67/366.67 = 0.4545; of
// 1 MWh 166.67 kg.
TEST(CarbonShift, MatchesAHandWorkedCase) {
  Inputs in = job(400, 200, 4);
  in.energy = 1000 * kilowatt_hour;
  const Output out = solve(*check(in)).output;
  EXPECT_EQ(*out.best_hour, 12);
  EXPECT_NEAR(*out.saved_fraction, 5.0 / 11, 1e-12);
  EXPECT_NEAR(out.saved->base(), 166.666667, 1e-5);
  EXPECT_NEAR(out.mean_intensity.base() * 3.6e6, 0.366667, 1e-6);
}

// Trust: nothing to win from a flat profile or in a window of all of it.
TEST(CarbonShift, KeepsItsTrustStatement) {
  EXPECT_NEAR(*solve(*check(job(400, 400, 4))).output.saved_fraction, 0, 1e-12);
  EXPECT_NEAR(*solve(*check(job(400, 200, 24))).output.saved_fraction, 0, 1e-12);
}

// Ends by hour 14: starts up to 10, of which 10 has two hours at 200: (2 x 400 + 2 x 200)/4 = 300.
TEST(CarbonShift, StartsInTimeForItsDeadline) {
  Inputs in = job(400, 200, 4);
  in.deadline = 14 * hour;
  const Output out = solve(*check(in)).output;
  EXPECT_EQ(*out.best_hour, 10);
  EXPECT_NEAR(out.best_intensity->base() * 3.6e6, 0.3, 1e-12);
  in.deadline = 3 * hour;
  EXPECT_FALSE(solve(*check(in)).output.feasible);
  EXPECT_EQ(solve(*check(in)).output.reason, Reason::deadline);
}

TEST(CarbonShift, ChoosesARegion) {
  Inputs in = job(400, 200, 4);
  in.regions = {{"north", profile(150, 100)}, {"south", profile(500, 450)}};
  const auto answer = solve(*check(in));
  EXPECT_EQ(answer.output.best_region.view(), "north");
  EXPECT_NEAR(*answer.output.saved_fraction, 1 - 100 / (4400.0 / 12), 1e-12);
  ASSERT_EQ(answer.rows.size(), 3U);
  in.intensity_profile.clear();  // the first region is home: mean 141.67
  EXPECT_NEAR(solve(*check(in)).output.mean_intensity.base() * 3.6e6, 0.1416667, 1e-7);
}

TEST(CarbonShift, NamesWhatIsMissing) {
  EXPECT_EQ(check({.window = 1 * hour}).error().where, "intensity_profile");
  Inputs in = job(400, 200, 4);
  in.intensity_profile.pop_back();
  EXPECT_EQ(check(in).error().where, "intensity_profile");
  EXPECT_EQ(check(job(400, 200, 0)).error().where, "window");
}

}  // namespace
}  // namespace ridgeline::solve::carbon_shift
