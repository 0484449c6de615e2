#include "ridgeline/solve/orchestration.h"

#include <fmt/format.h>

#include "ridgeline/physics/queue.h"
#include "ridgeline/solve/model_checks.h"

namespace ridgeline::solve::orchestration {
namespace {

Status fill_servers(Inputs& in) {
  if (in.servers && in.devices) {
    return conflict("servers", "servers and devices are given", "keep one of them");
  }
  if (in.servers) return Ok{};
  if (!in.devices) {
    in.servers = 1;
    return Ok{};
  }
  if (!in.devices_per_job) return missing("devices_per_job", "the size of a job is not known");
  if (*in.devices_per_job > *in.devices) {
    return out_of_range("devices_per_job",
                        fmt::format("a job of {} devices on {}", *in.devices_per_job, *in.devices),
                        fmt::format("at most {}", *in.devices));
  }
  in.servers = *in.devices / *in.devices_per_job;  // (1)
  return Ok{};
}

}  // namespace

Result<Inputs> check(const Inputs& given) {
  Inputs in = given;
  RIDGELINE_CHECK(check_amount_or_zero("arrival_rate_jobs_per_day", in.arrival_rate_jobs_per_day));
  RIDGELINE_CHECK(check_amount("avg_job_duration", in.avg_job_duration));
  constexpr double kMostVariation = 100;
  if (!(in.job_duration_cv >= 0 && in.job_duration_cv <= kMostVariation)) {
    return out_of_range("job_duration_cv", fmt::format("job_duration_cv is {}", in.job_duration_cv),
                        fmt::format("from 0 to {}", kMostVariation));
  }
  for (const auto& [name, count] :
       {std::pair("servers", in.servers), std::pair("devices", in.devices),
        std::pair("devices_per_job", in.devices_per_job)}) {
    if (count) RIDGELINE_CHECK(check_degree_of(name, *count));
  }
  RIDGELINE_CHECK(fill_servers(in));
  return in;
}

Output solve(const Inputs& in) {
  const physics::Queue queue{.arrivals_per_s = in.arrival_rate_jobs_per_day / day.base(),
                             .service_s = in.avg_job_duration.base(),
                             .servers = *in.servers,
                             .service_cv = in.job_duration_cv};
  Output out{.utilization_fraction = queue.utilization(),
             .servers = *in.servers,
             .stable = queue.stable()};
  if (!out.stable) return out;
  const double C = physics::wait_probability(queue);
  out.wait = Seconds::from_base(physics::wait_mean(queue, C));                // (2)
  out.wait_p95 = Seconds::from_base(physics::wait_quantile(queue, C, 0.95));  // (4)
  out.time_in_system = *out.wait + in.avg_job_duration;
  out.queue_length = queue.arrivals_per_s * out.wait->base();  // (3)
  return out;
}

}  // namespace ridgeline::solve::orchestration
