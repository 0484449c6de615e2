#pragma once

#include <cstdint>
#include <optional>
#include <tuple>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"

namespace ridgeline::solve::failure_interval {

inline constexpr char kCard[] = R"(
How often does a job of many parts stop, from the life of one part, or from the stops of a run?

Equations
  (1) M         = m/n                   between failures of the job       [grattafiori2024]
  (2) m         = n T/observed          of one part, from the stops of a run of length T
  (3) failures  = T/M,  per day 86 400 s/M
Assumes     independent parts of one kind, any of which stops the job; a constant rate.
Leaves out  what a stop costs (reliability).
Trust       M n = m; the stops observed give themselves back.
)";

struct Inputs {
  std::int64_t n_components = 1;
  std::optional<Seconds> component_mtbf;
  std::optional<double> observed_failures;
  std::optional<Seconds> run_duration;

  static constexpr auto fields() {
    return std::tuple(
        field(&Inputs::n_components, "n_components", "n", "parts whose failure stops the job"),
        field(&Inputs::component_mtbf, "component_mtbf", "m", "time between failures of one"),
        field(&Inputs::observed_failures, "observed_failures", "observed",
              "stops of a run, in place of that time"),
        field(&Inputs::run_duration, "run_duration", "T", "length of the run"));
  }
};

struct Output {
  Seconds mtbf, component_mtbf;
  std::optional<double> expected_failures;
  double failures_per_day = 0;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::mtbf, "mtbf", "M", "time between failures of the job"),
        field(&Output::component_mtbf, "component_mtbf", "m", "time between failures of one part"),
        field(&Output::expected_failures, "expected_failures", "T/M", "during the run"),
        field(&Output::failures_per_day, "failures_per_day", "", "of the job"));
  }
};

Result<Inputs> check(const Inputs& in);

// Pure and allocation-free. REQUIRES: `in` passed check().
Output solve(const Inputs& in);

}  // namespace ridgeline::solve::failure_interval
