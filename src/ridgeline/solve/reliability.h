#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"

namespace ridgeline::solve::reliability {

inline constexpr char kCard[] = R"(
How often does a job stop, how often should it save, and what share of its time is useful?

Equations
  (1) rate   = nodes x sum over parts of count/MTTF,  M = 1/rate   a part that fails stops the job;
               M given, or node failures per 1000 node-days, win over parts        [kokolis2024]
  (2) P(fail) = 1 - e^(-T/M),  failures = T/M
  (3) young: tau = sqrt(2 delta M), at least delta                                  [young1974]
      daly:  tau = sqrt(2 delta M)(1 + sqrt(delta/2M)/3 + delta/18M) - delta;
             delta >= 2 M: tau = M                                                   [daly2006]
  (4) useful = max(0, 1 - delta/tau - (tau/2 + R)/M)     first order                [young1974]
  (5) exact  = tau/(M e^(R/M) (e^((tau + delta)/M) - 1))                             [daly2006]
  (6) R      = detection + restart + reload + warm-up where these are given
Assumes     independent, exponentially distributed failures; in (5) also while writing and
            restarting.
Leaves out  partial failures, stragglers, spares that run out; silent corruption is a part too.
Trust       for delta <= M/100 and R <= M/50 (trusted): (3) loses at most 0.1 % more than the true
            optimum, and 1 - (4) overstates 1 - (5) by at most 7 %                   [daly2006]
)";

struct Part {
  std::string name;
  double count_per_node = 0;
  Seconds mttf;

  static constexpr auto fields() {
    return std::tuple(
        field(&Part::name, "name", "", "kind of part"),
        field(&Part::count_per_node, "count_per_node", "count", "of them in a node"),
        field(&Part::mttf, "mttf", "MTTF", "mean time to failure of one", {"mttf_hours", 3600}));
  }
};

enum class IntervalMethod : std::uint8_t { young, daly };

inline std::span<const char* const> names_of(IntervalMethod) {
  static constexpr std::array<const char*, 2> kNames = {"young", "daly"};
  return kNames;
}

struct Inputs {
  std::int64_t nodes = 1;
  std::vector<Part> parts;
  std::optional<Seconds> mtbf;
  std::optional<double> node_failures_per_1000_days;
  Seconds job_duration;
  Seconds checkpoint_time;
  Seconds avg_recovery_time = 300 * second;
  std::optional<Seconds> detect_time, restart_time, reload_time, warm_up_time;
  std::optional<Seconds> interval;
  IntervalMethod interval_method = IntervalMethod::young;

  static constexpr auto fields() {
    return std::tuple(
        field(&Inputs::nodes, "nodes", "nodes", "of the job"),
        field(&Inputs::parts, "parts", "", "whose failure stops it"),
        field(&Inputs::mtbf, "mtbf", "M", "between failures of the whole job",
              {"mtbf_hours", 3600}),
        field(&Inputs::node_failures_per_1000_days, "node_failures_per_1000_days", "",
              "failures in 1000 days of one node"),
        field(&Inputs::job_duration, "job_duration", "T", "of the job",
              {"job_duration_hours", 3600}),
        field(&Inputs::checkpoint_time, "checkpoint_time", "delta", "job stopped for one save"),
        field(&Inputs::avg_recovery_time, "avg_recovery_time", "R",
              "failure to useful work, without rework"),
        field(&Inputs::detect_time, "detect_time", "", "part of R: until it is noticed"),
        field(&Inputs::restart_time, "restart_time", "", "part of R: until it runs again"),
        field(&Inputs::reload_time, "reload_time", "", "part of R: reading the checkpoint"),
        field(&Inputs::warm_up_time, "warm_up_time", "", "part of R: until full speed"),
        field(&Inputs::interval, "interval", "tau", "between saves; the best if not given"),
        field(&Inputs::interval_method, "interval_method", "", "which optimum"));
  }
};

struct Output {
  Seconds mtbf;
  double failure_probability_fraction = 0;
  double expected_failures = 0;
  Seconds interval;
  double useful_fraction = 0, useful_exact_fraction = 0;
  double lost_checkpoint_fraction = 0, lost_rework_fraction = 0, lost_recovery_fraction = 0;
  std::optional<std::int64_t> largest_cause;
  bool trusted = false;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::mtbf, "mtbf", "M", "between failures of the whole job"),
        field(&Output::failure_probability_fraction, "failure_probability_fraction", "P(fail)",
              "chance of at least one"),
        field(&Output::expected_failures, "expected_failures", "T/M", "during the job"),
        field(&Output::interval, "interval", "tau", "between saves"),
        field(&Output::useful_fraction, "useful_fraction", "useful", "share of time, first order"),
        field(&Output::useful_exact_fraction, "useful_exact_fraction", "exact",
              "the same with exponential failures"),
        field(&Output::lost_checkpoint_fraction, "lost_checkpoint_fraction", "delta/tau",
              "share that saving takes"),
        field(&Output::lost_rework_fraction, "lost_rework_fraction", "tau/2M",
              "share that is computed twice"),
        field(&Output::lost_recovery_fraction, "lost_recovery_fraction", "R/M",
              "share until it runs again"),
        field(&Output::largest_cause, "largest_cause", "", "index of the part that fails most"),
        field(&Output::trusted, "trusted", "", "inputs lie in the range under Trust"));
  }
};

// Sums R from its parts where they are given.
Result<Inputs> check(const Inputs& in);

// Pure and allocation-free. REQUIRES: `in` came from check().
Output solve(const Inputs& in);

}  // namespace ridgeline::solve::reliability
