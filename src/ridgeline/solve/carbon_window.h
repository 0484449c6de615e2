// Carbon window: when a run that can wait should start, under a profile of the grid's intensity by
// hour that repeats. Taken by sustainability and carbon-shift.                      [wiesner2021]
#pragma once

#include <cstdint>
#include <vector>

#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"

namespace ridgeline::solve {

struct CarbonStart {
  double now = 0;   // mean intensity of a window that starts at hour 0
  double best = 0;  // and at the best hour
  std::int64_t hour = 0;
};

// The start with the least mean intensity among the first `starts` hours; the earliest of equals.
// REQUIRES: a profile that is not empty, hours above 0.
CarbonStart best_start(const std::vector<EmissionsPerJoule>& profile, double hours,
                       std::int64_t starts);

// The profile's mean over its own length.
double mean_intensity(const std::vector<EmissionsPerJoule>& profile);

// 24 or 8760 hours, none of them negative; `where` is the field's name.
Status check_intensity_profile(const char* where, const std::vector<EmissionsPerJoule>& profile);

}  // namespace ridgeline::solve
