#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/label.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"
#include "ridgeline/solve/answer.h"

namespace ridgeline::solve::carbon_shift {

inline constexpr char kCard[] = R"(
When, or where, should a job that can wait start, to emit the least?

Equations
  (1) best  = the least mean of CI over a window of the job's length, among the starts from hour 0
              that end by the deadline; without one, among all starts of the profile  [wiesner2021]
  (2) saved = mean - best       mean of the home profile: a start at a random hour
  (3) saved kgCO2e = energy x saved,  saved fraction = saved/mean
  (4) of several regions the one with the least best; the first of equals
Assumes     the profile repeats; the job runs in one piece at constant power.
Leaves out  forecast errors; pausing; what moving the data to another region takes.
Trust       a flat profile saves nothing, and neither does a window of the whole profile.
)";

enum class Reason : std::uint8_t { none, deadline };

inline std::span<const char* const> names_of(Reason) {
  static constexpr std::array<const char*, 2> kNames = {"none", "deadline"};
  return kNames;
}

struct Region {
  std::string name;
  std::vector<EmissionsPerJoule> intensity_profile;

  static constexpr auto fields() {
    return std::tuple(
        field(&Region::name, "name", "", "of the region"),
        field(&Region::intensity_profile, "intensity_profile", "CI", "by hour: 24 or 8760",
              {"intensity_profile_kgco2e_per_kwh", 1 / 3.6e6}));
  }
};

struct Inputs {
  std::vector<EmissionsPerJoule> intensity_profile;
  std::vector<Region> regions;
  Seconds window;
  std::optional<Seconds> deadline;
  std::optional<Joules> energy;

  static constexpr auto fields() {
    return std::tuple(
        field(&Inputs::intensity_profile, "intensity_profile", "CI",
              "at home, by hour: 24 or 8760; the first region is home if not given",
              {"intensity_profile_kgco2e_per_kwh", 1 / 3.6e6}),
        field(&Inputs::regions, "regions", "", "where the job may run as well"),
        field(&Inputs::window, "window", "", "length of the job", {"window_hours", 3600}),
        field(&Inputs::deadline, "deadline", "", "from hour 0, by which it has ended",
              {"deadline_hours", 3600}),
        field(&Inputs::energy, "energy", "", "of the job, with its share of the facility"));
  }
};

struct Output {
  Label best_region;
  std::optional<std::int64_t> best_hour;
  EmissionsPerJoule mean_intensity;
  std::optional<EmissionsPerJoule> best_intensity;
  std::optional<Emissions> saved;
  std::optional<double> saved_fraction;
  bool feasible = true;
  Reason reason = Reason::none;

  static constexpr auto fields() {
    constexpr double kPerKwh = 1 / 3.6e6;
    return std::tuple(
        field(&Output::best_region, "best_region", "", "empty: at home"),
        field(&Output::best_hour, "best_hour", "", "to start"),
        field(&Output::mean_intensity, "mean_intensity", "mean", "at home",
              {"mean_intensity_kgco2e_per_kwh", kPerKwh}),
        field(&Output::best_intensity, "best_intensity", "best", "of the best window",
              {"best_intensity_kgco2e_per_kwh", kPerKwh}),
        field(&Output::saved, "saved", "", "not emitted; none without the job's energy"),
        field(&Output::saved_fraction, "saved_fraction", "", "of what the mean emits"),
        field(&Output::feasible, "feasible", "", "the job ends by its deadline"),
        field(&Output::reason, "reason", "", "what makes it infeasible"));
  }
};

struct Choice {
  static constexpr const char* kListName = "regions";
  Label name;
  std::int64_t hour = 0;
  EmissionsPerJoule best_intensity;

  static constexpr auto fields() {
    return std::tuple(field(&Choice::name, "name", "", "of the region; empty: home"),
                      field(&Choice::hour, "best_hour", "", "to start there"),
                      field(&Choice::best_intensity, "best_intensity", "", "of its best window",
                            {"best_intensity_kgco2e_per_kwh", 1 / 3.6e6}));
  }
};

Result<Inputs> check(const Inputs& in);

// REQUIRES: `in` passed check(). Rows: home, if it has a profile, and the regions as given.
Answer<Output, Choice> solve(const Inputs& in);

}  // namespace ridgeline::solve::carbon_shift
