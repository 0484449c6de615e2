#include "ridgeline/solve/failure_interval.h"

#include "ridgeline/solve/model_checks.h"

namespace ridgeline::solve::failure_interval {

Result<Inputs> check(const Inputs& in) {
  RIDGELINE_CHECK(check_number("n_components", in.n_components, 1));
  RIDGELINE_CHECK(check_amount("component_mtbf", in.component_mtbf));
  RIDGELINE_CHECK(check_amount("observed_failures", in.observed_failures));
  RIDGELINE_CHECK(check_amount("run_duration", in.run_duration));
  if (in.component_mtbf && in.observed_failures) {
    return conflict("observed_failures", "observed_failures stand in place of component_mtbf");
  }
  if (!in.component_mtbf && !in.observed_failures) {
    return missing("component_mtbf", "how often a part fails is missing",
                   "component_mtbf, or observed_failures of a run_duration");
  }
  if (in.observed_failures && !in.run_duration) {
    return missing("run_duration", "the stops were observed during a run");
  }
  return in;
}

Output solve(const Inputs& in) {
  const auto n = static_cast<double>(in.n_components);
  const Seconds m =
      in.component_mtbf ? *in.component_mtbf : n / *in.observed_failures * *in.run_duration;  // (2)
  const Seconds M = m / n;                                                                    // (1)
  Output out{.mtbf = M, .component_mtbf = m, .failures_per_day = day / M};                    // (3)
  if (in.run_duration) out.expected_failures = *in.run_duration / M;                          // (3)
  return out;
}

}  // namespace ridgeline::solve::failure_interval
