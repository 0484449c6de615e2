#include "ridgeline/solve/checkpoint_interval.h"

#include "ridgeline/physics/failures.h"
#include "ridgeline/solve/model_checks.h"

namespace ridgeline::solve::checkpoint_interval {

Result<Inputs> check(const Inputs& in) {
  RIDGELINE_CHECK(check_amount("write_time", in.write_time));
  RIDGELINE_CHECK(check_amount("mtbf", in.mtbf));
  return in;
}

Output solve(const Inputs& in) {
  const Seconds delta = in.write_time, M = in.mtbf;
  const Seconds tau = physics::young_interval(delta, M);     // (1)
  const double write = delta / tau, rework = tau / (2 * M);  // (2), (3)
  return {.interval = tau,
          .write_share_fraction = write,
          .rework_share_fraction = rework,
          .waste_fraction = write + rework};  // (4)
}

}  // namespace ridgeline::solve::checkpoint_interval
