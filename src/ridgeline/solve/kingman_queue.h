#pragma once

#include <cstdint>
#include <tuple>

#include "ridgeline/base/few.h"
#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"

namespace ridgeline::solve::kingman_queue {

inline constexpr char kCard[] = R"(
How does waiting grow as servers fill up?

Equations
  (1) variability = (c_a^2 + c_s^2)/2                                            [kingman1961]
  (2) wait = s variability rho/(1 - rho)                       one server        [kingman1961]
  (3) wait = s variability rho^(sqrt(2 (c + 1)) - 1)/(c (1 - rho))  c servers    [sakasegawa1977]
Assumes     heavy traffic; first come, first served; independent arrivals and services.
Leaves out  quantiles (tail-latency has them).
Trust       exact for M/M/1; (3) at c = 1 is (2).
)";

inline constexpr std::size_t kMostPoints = 64;

struct Inputs {
  Seconds service;
  double arrival_scv = 1, service_scv = 1;
  Few<double, kMostPoints> utilization_fraction;
  std::int64_t servers = 1;

  static constexpr auto fields() {
    return std::tuple(field(&Inputs::service, "service", "s", "mean time of a service"),
                      field(&Inputs::arrival_scv, "arrival_scv", "c_a^2",
                            "squared coefficient of variation of the times between arrivals"),
                      field(&Inputs::service_scv, "service_scv", "c_s^2", "and of the services"),
                      field(&Inputs::utilization_fraction, "utilization_fraction", "rho",
                            "one or more; 0.1 to 0.9 if none is given"),
                      field(&Inputs::servers, "servers", "c", "that share one queue"));
  }
};

struct Output {
  double variability = 1;
  Few<double, kMostPoints> utilization_fraction;
  Few<double, kMostPoints> wait_s;  // one per utilisation

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::variability, "variability", "", "of arrivals and services together"),
        field(&Output::utilization_fraction, "utilization_fraction", "rho", "as asked"),
        field(&Output::wait_s, "wait_s", "wait", "mean wait at each of them"));
  }
};

// Fills the utilisations.
Result<Inputs> check(const Inputs& in);

// Pure and allocation-free. REQUIRES: `in` came from check().
Output solve(const Inputs& in);

}  // namespace ridgeline::solve::kingman_queue
