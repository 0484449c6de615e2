#pragma once

#include <tuple>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"

namespace ridgeline::solve::checkpoint_interval {

inline constexpr char kCard[] = R"(
How often should a job save, and what share of its time do saves and lost work take?

Equations
  (1) tau    = sqrt(2 delta M)                    interval that minimises (4)     [young1974]
  (2) write  = delta/tau                          share of time that saving takes
  (3) rework = tau/(2 M)                          share that is computed twice
  (4) waste  = write + rework
Assumes     failures at a constant rate; none while writing.
Leaves out  recovery, and the higher orders that count when delta is no longer small (reliability).
Trust       both shares are equal at the optimum; no other interval wastes less.
)";

struct Inputs {
  Seconds write_time, mtbf;

  static constexpr auto fields() {
    return std::tuple(field(&Inputs::write_time, "write_time", "delta", "job stopped for one save"),
                      field(&Inputs::mtbf, "mtbf", "M", "between failures of the job"));
  }
};

struct Output {
  Seconds interval;
  double write_share_fraction = 0, rework_share_fraction = 0, waste_fraction = 0;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::interval, "interval", "tau", "best time between saves"),
        field(&Output::write_share_fraction, "write_share_fraction", "write", "of time, saving"),
        field(&Output::rework_share_fraction, "rework_share_fraction", "rework",
              "of time, computed twice"),
        field(&Output::waste_fraction, "waste_fraction", "waste", "both"));
  }
};

Result<Inputs> check(const Inputs& in);

// Pure and allocation-free. REQUIRES: `in` passed check().
Output solve(const Inputs& in);

}  // namespace ridgeline::solve::checkpoint_interval
