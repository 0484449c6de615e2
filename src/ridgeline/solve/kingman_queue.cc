#include "ridgeline/solve/kingman_queue.h"

#include <fmt/format.h>

#include <cmath>

#include "ridgeline/physics/queue.h"
#include "ridgeline/solve/model_checks.h"

namespace ridgeline::solve::kingman_queue {

Result<Inputs> check(const Inputs& given) {
  Inputs in = given;
  RIDGELINE_CHECK(check_amount("service", in.service));
  RIDGELINE_CHECK(check_amount_or_zero("arrival_scv", in.arrival_scv));
  RIDGELINE_CHECK(check_amount_or_zero("service_scv", in.service_scv));
  RIDGELINE_CHECK(check_degree_of("servers", in.servers));
  if (in.utilization_fraction.empty()) {
    for (int tenth = 1; tenth < 10; ++tenth) in.utilization_fraction.push_back(tenth / 10.0);
  }
  for (const double rho : in.utilization_fraction) {
    if (rho >= 0 && rho < 1) continue;
    return out_of_range("utilization_fraction", fmt::format("utilization_fraction is {}", rho),
                        "from 0 to below 1: at 1 the queue has no end");
  }
  return in;
}

Output solve(const Inputs& in) {
  Output out{.variability = physics::variability(in.arrival_scv, in.service_scv),  // (1)
             .utilization_fraction = in.utilization_fraction};
  for (const double rho : in.utilization_fraction) {
    out.wait_s.push_back(in.service.base() * out.variability *
                         physics::sakasegawa_wait(rho, in.servers));  // (2), (3)
  }
  return out;
}

}  // namespace ridgeline::solve::kingman_queue
