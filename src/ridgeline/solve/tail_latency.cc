#include "ridgeline/solve/tail_latency.h"

#include <fmt/format.h>

#include <cmath>

#include "ridgeline/physics/queue.h"
#include "ridgeline/solve/model_checks.h"

namespace ridgeline::solve::tail_latency {
namespace {

constexpr double kMostVariation = 100;

Status check_variation(const char* where, double cv) {
  if (std::isfinite(cv) && cv >= 0 && cv <= kMostVariation) return Ok{};
  return out_of_range(where, fmt::format("{} is {}", where, cv),
                      fmt::format("from 0 to {}", kMostVariation));
}

Status check_quantiles(const Inputs& in) {
  for (const double q : in.quantiles) {
    if (!(q > 0 && q < 1)) {
      return out_of_range("quantiles", fmt::format("quantile {}", q), "between 0 and 1");
    }
  }
  return Ok{};
}

}  // namespace

Result<Inputs> check(const Inputs& given) {
  Inputs in = given;
  RIDGELINE_CHECK(check_amount_or_zero("arrival_rate_qps", in.arrival_rate_qps));
  RIDGELINE_CHECK(check_amount("service_latency", in.service_latency));
  RIDGELINE_CHECK(check_degree_of("num_replicas", in.num_replicas));
  RIDGELINE_CHECK(check_variation("service_time_cv", in.service_time_cv));
  RIDGELINE_CHECK(check_variation("arrival_cv", in.arrival_cv));
  RIDGELINE_CHECK(check_degree_of("fan_out", in.fan_out));
  RIDGELINE_CHECK(check_amount("target_p99_latency", in.target_p99_latency));
  RIDGELINE_CHECK(check_quantiles(in));
  if (in.quantiles.empty()) {
    for (const double q : {0.5, 0.95, 0.99, 0.999}) in.quantiles.push_back(q);
  }
  return in;
}

Output solve(const Inputs& in) {
  const physics::Queue queue{.arrivals_per_s = in.arrival_rate_qps,
                             .service_s = in.service_latency.base(),
                             .servers = in.num_replicas,
                             .arrival_cv = in.arrival_cv,
                             .service_cv = in.service_time_cv};
  Output out{.utilization_fraction = queue.utilization(), .stable = queue.stable()};  // (1)
  if (!out.stable) return out;
  const double P_w = physics::wait_probability(queue);  // (2)
  const auto wait = [&](double q) {
    return Seconds::from_base(physics::wait_quantile(queue, P_w, q));  // (3)
  };
  const auto latency = [&](double q) {
    const double each = std::pow(q, 1 / static_cast<double>(in.fan_out));    // (6)
    return Seconds::from_base(physics::latency_quantile(queue, P_w, each));  // (4), (5)
  };
  out.wait_probability_fraction = P_w;
  out.wait_mean = Seconds::from_base(physics::wait_mean(queue, P_w));
  out.wait_p50 = wait(0.5);
  out.wait_p99 = wait(0.99);
  out.latency_mean = *out.wait_mean + in.service_latency;
  out.latency_p50 = latency(0.5);
  out.latency_p95 = latency(0.95);
  out.latency_p99 = latency(0.99);
  for (const double q : in.quantiles) {
    const Seconds at = q == 0.5    ? *out.latency_p50
                       : q == 0.95 ? *out.latency_p95
                       : q == 0.99 ? *out.latency_p99
                                   : latency(q);
    out.latency_quantiles_s.push_back(at.base());
  }
  if (in.target_p99_latency) out.slo_slack = *in.target_p99_latency - *out.latency_p99;
  return out;
}

}  // namespace ridgeline::solve::tail_latency
