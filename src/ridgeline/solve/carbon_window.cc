#include "ridgeline/solve/carbon_window.h"

#include <fmt/format.h>

#include <cmath>

#include "ridgeline/solve/model_checks.h"

namespace ridgeline::solve {
namespace {

constexpr std::size_t kHoursOfDay = 24, kHoursOfYear = 8760;

// Mean of a profile that repeats, over a window of so many hours from `start` on.
class Windows {
 public:
  Windows(const std::vector<EmissionsPerJoule>& profile, double hours)
      : profile_(profile), hours_(hours) {
    const auto n = static_cast<double>(profile.size());
    const double cycles = std::floor(hours / n);
    for (const EmissionsPerJoule& ci : profile) whole_ += cycles * ci.base();
    const double rest = hours - cycles * n;
    full_hours_ = static_cast<std::size_t>(rest);
    part_ = rest - std::floor(rest);
    for (std::size_t h = 0; h < full_hours_; ++h) rest_ += at(h);
  }

  // Means at 0, 1, 2, ... in turn.
  double mean() const { return (whole_ + rest_ + part_ * at(start_ + full_hours_)) / hours_; }
  void advance() {
    rest_ += at(start_ + full_hours_) - at(start_);
    start_ += 1;
  }

 private:
  double at(std::size_t hour) const { return profile_[hour % profile_.size()].base(); }

  const std::vector<EmissionsPerJoule>& profile_;
  double hours_;
  double whole_ = 0, rest_ = 0, part_ = 0;
  std::size_t full_hours_ = 0, start_ = 0;
};

}  // namespace

CarbonStart best_start(const std::vector<EmissionsPerJoule>& profile, double hours,
                       std::int64_t starts) {
  Windows windows(profile, hours);
  CarbonStart out;
  out.now = out.best = windows.mean();
  for (std::int64_t h = 1; h < starts; ++h) {
    windows.advance();
    const double mean = windows.mean();
    constexpr double kBetter = 1e-12;  // rounding is no reason to wait
    if (mean < out.best * (1 - kBetter)) {
      out.best = mean;
      out.hour = h;
    }
  }
  return out;
}

double mean_intensity(const std::vector<EmissionsPerJoule>& profile) {
  double sum = 0;
  for (const EmissionsPerJoule& ci : profile) sum += ci.base();
  return sum / static_cast<double>(profile.size());
}

Status check_intensity_profile(const char* where, const std::vector<EmissionsPerJoule>& profile) {
  const std::size_t n = profile.size();
  if (n != kHoursOfDay && n != kHoursOfYear) {
    return out_of_range(where, fmt::format("{} hours", n), "24 or 8760");
  }
  for (const EmissionsPerJoule& ci : profile) RIDGELINE_CHECK(check_amount_or_zero(where, ci));
  return Ok{};
}

}  // namespace ridgeline::solve
