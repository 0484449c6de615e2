#pragma once

#include <cstdint>
#include <optional>
#include <tuple>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"

namespace ridgeline::solve::orchestration {

inline constexpr char kCard[] = R"(
How long do jobs wait in a cluster that they share?

Equations, of c places that each run one job at a time
  (1) rho   = lambda D/c,  c given, or floor(devices/devices of a job)
  (2) wait  = C(c, a)/(c/D - lambda) (1 + cv^2)/2     C Erlang's chance to wait, a = lambda D
              c = 1: rho D (1 + cv^2)/(2 (1 - rho)), exactly           [pollaczek1930] [allen1990]
  (3) queue = lambda wait                                                         [little1961]
  (4) p95   = 0 if C <= 0.05, else ln(C/0.05)/(c/D - lambda) (1 + cv^2)/2          [allen1990]
Assumes     jobs arrive at random, first come, first served, all of one size; backfill lets short
            jobs pass only where there are gaps, and jobs of one size leave none.
Leaves out  priorities, preemption, fragmentation between sizes.
Trust       Little's law holds; more places never lengthen the wait; rho >= 1 has no wait to give.
)";

struct Inputs {
  double arrival_rate_jobs_per_day = 0;
  Seconds avg_job_duration;
  double job_duration_cv = 0;
  std::optional<std::int64_t> servers, devices, devices_per_job;
  bool backfill = false;

  static constexpr auto fields() {
    return std::tuple(
        field(&Inputs::arrival_rate_jobs_per_day, "arrival_rate_jobs_per_day", "lambda",
              "jobs that arrive in a day"),
        field(&Inputs::avg_job_duration, "avg_job_duration", "D", "of a job",
              {"avg_job_duration_days", 86400}),
        field(&Inputs::job_duration_cv, "job_duration_cv", "cv",
              "coefficient of variation of the durations"),
        field(&Inputs::servers, "servers", "c", "jobs that run at once"),
        field(&Inputs::devices, "devices", "", "in its place: devices of the cluster"),
        field(&Inputs::devices_per_job, "devices_per_job", "", "and of a job"),
        field(&Inputs::backfill, "backfill", "", "short jobs may pass"));
  }
};

struct Output {
  double utilization_fraction = 0;
  std::int64_t servers = 1;
  std::optional<Seconds> wait, wait_p95, time_in_system;
  std::optional<double> queue_length;
  bool stable = true;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::utilization_fraction, "utilization_fraction", "rho", "of the places"),
        field(&Output::servers, "servers", "c", "jobs that run at once"),
        field(&Output::wait, "wait", "wait", "of a job, on average"),
        field(&Output::wait_p95, "wait_p95", "p95", "that one job of twenty exceeds"),
        field(&Output::time_in_system, "time_in_system", "", "wait and duration"),
        field(&Output::queue_length, "queue_length", "queue", "jobs that wait, on average"),
        field(&Output::stable, "stable", "", "the queue does not grow for ever"));
  }
};

// Fills the servers from devices.
Result<Inputs> check(const Inputs& in);

// Pure and allocation-free. REQUIRES: `in` came from check().
Output solve(const Inputs& in);

}  // namespace ridgeline::solve::orchestration
