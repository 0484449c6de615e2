#include "ridgeline/solve/carbon_shift.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgeline/solve/carbon_window.h"
#include "ridgeline/solve/model_checks.h"

namespace ridgeline::solve::carbon_shift {
namespace {

using Profile = std::vector<EmissionsPerJoule>;

const Profile& home_of(const Inputs& in) {
  return in.intensity_profile.empty() ? in.regions[0].intensity_profile : in.intensity_profile;
}

// Whole hours at which the job may start: all of the profile, or those that meet the deadline.
std::int64_t starts_of(const Inputs& in, const Profile& profile) {
  const auto all = static_cast<double>(profile.size());
  if (!in.deadline) return static_cast<std::int64_t>(all);
  const double last = std::floor((*in.deadline - in.window).in(hour));
  return static_cast<std::int64_t>(std::min(all, last + 1));
}

Choice choice_of(const Inputs& in, const Label& name, const Profile& profile) {
  const CarbonStart start = best_start(profile, in.window.in(hour), starts_of(in, profile));
  return {.name = name,
          .hour = start.hour,
          .best_intensity = EmissionsPerJoule::from_base(start.best)};  // (1)
}

Status check_region(const Region& region) {
  if (region.name.empty()) return missing("name", "a region has no name");
  if (region.name.size() > Label::kMost) {
    return out_of_range("name", fmt::format("a name of {} letters", region.name.size()),
                        fmt::format("at most {}", Label::kMost));
  }
  return check_intensity_profile("intensity_profile", region.intensity_profile);
}

}  // namespace

Result<Inputs> check(const Inputs& in) {
  RIDGELINE_CHECK(check_amount("window", in.window));
  RIDGELINE_CHECK(check_amount("deadline", in.deadline));
  RIDGELINE_CHECK(check_amount_or_zero("energy", in.energy));
  for (const Region& region : in.regions) RIDGELINE_CHECK(below("regions", check_region(region)));
  if (!in.intensity_profile.empty()) {
    RIDGELINE_CHECK(check_intensity_profile("intensity_profile", in.intensity_profile));
  } else if (in.regions.empty()) {
    return missing("intensity_profile", "there is no profile of the grid's intensity",
                   "24 or 8760 values by hour");
  }
  return in;
}

Answer<Output, Choice> solve(const Inputs& in) {
  Answer<Output, Choice> answer;
  Output& out = answer.output;
  const double mean = mean_intensity(home_of(in));
  out.mean_intensity = EmissionsPerJoule::from_base(mean);
  if (in.deadline && *in.deadline < in.window) {
    out.feasible = false;
    out.reason = Reason::deadline;
    return answer;
  }
  if (!in.intensity_profile.empty()) {
    answer.rows.push_back(choice_of(in, Label(), in.intensity_profile));
  }
  for (const Region& region : in.regions) {
    answer.rows.push_back(choice_of(in, region.name, region.intensity_profile));
  }
  const Choice best = *std::min_element(
      answer.rows.begin(), answer.rows.end(),
      [](const Choice& a, const Choice& b) { return a.best_intensity < b.best_intensity; });  // (4)
  out.best_region = best.name;
  out.best_hour = best.hour;
  out.best_intensity = best.best_intensity;
  const EmissionsPerJoule saved = out.mean_intensity - best.best_intensity;  // (2)
  if (in.energy) out.saved = *in.energy * saved;                             // (3)
  if (mean > 0) out.saved_fraction = saved.base() / mean;                    // (3)
  return answer;
}

}  // namespace ridgeline::solve::carbon_shift
