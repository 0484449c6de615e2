#include "ridgeline/solve/reliability.h"

#include <algorithm>
#include <cmath>

#include "ridgeline/physics/failures.h"
#include "ridgeline/solve/model_checks.h"

namespace ridgeline::solve::reliability {
namespace {

constexpr double kDaysOfRate = 1000;

// Failures of one node per second by its parts.
double part_rate(const Part& part) {
  return part.count_per_node / part.mttf.base();
}

double node_rate(const Inputs& in) {
  double rate = 0;
  for (const Part& part : in.parts) rate += part_rate(part);
  return rate;
}

Seconds mtbf_of(const Inputs& in) {
  const auto nodes = static_cast<double>(in.nodes);
  if (in.mtbf) return *in.mtbf;
  if (in.node_failures_per_1000_days) {
    return kDaysOfRate * day / (nodes * *in.node_failures_per_1000_days);
  }
  return Seconds::from_base(1 / (nodes * node_rate(in)));  // (1)
}

Seconds best_interval(const Inputs& in, Seconds M) {
  const Seconds delta = in.checkpoint_time;
  if (in.interval_method == IntervalMethod::daly) return physics::daly_interval(delta, M);  // (3)
  return std::max(physics::young_interval(delta, M), delta);                                // (3)
}

double exact_share(Seconds tau, Seconds delta, Seconds R, Seconds M) {
  return tau / M * std::exp(-(R / M)) / std::expm1((tau + delta) / M);  // (5)
}

std::optional<std::int64_t> largest_cause(const Inputs& in) {
  if (in.parts.empty()) return std::nullopt;
  const auto largest =
      std::max_element(in.parts.begin(), in.parts.end(),
                       [](const Part& a, const Part& b) { return part_rate(a) < part_rate(b); });
  return largest - in.parts.begin();
}

Status check_rate_source(const Inputs& in) {
  RIDGELINE_CHECK(check_amount("mtbf", in.mtbf));
  RIDGELINE_CHECK(check_amount("node_failures_per_1000_days", in.node_failures_per_1000_days));
  for (const Part& part : in.parts) {
    RIDGELINE_CHECK(below("parts", check_amount_or_zero("count_per_node", part.count_per_node)));
    RIDGELINE_CHECK(below("parts", check_amount("mttf", part.mttf)));
  }
  if (in.mtbf || in.node_failures_per_1000_days || node_rate(in) > 0) return Ok{};
  return missing("parts", "nothing fails: there is no rate",
                 "parts with counts, node_failures_per_1000_days, or mtbf");
}

// R as the sum of its parts, where any is given.
Status sum_recovery(Inputs& in) {
  const std::optional<Seconds>* const kParts[] = {&in.detect_time, &in.restart_time,
                                                  &in.reload_time, &in.warm_up_time};
  RIDGELINE_CHECK(check_amount_or_zero("detect_time", in.detect_time));
  RIDGELINE_CHECK(check_amount_or_zero("restart_time", in.restart_time));
  RIDGELINE_CHECK(check_amount_or_zero("reload_time", in.reload_time));
  RIDGELINE_CHECK(check_amount_or_zero("warm_up_time", in.warm_up_time));
  Seconds sum;
  bool given = false;
  for (const std::optional<Seconds>* part : kParts) {
    given = given || part->has_value();
    sum = sum + part->value_or(Seconds{});
  }
  if (given) in.avg_recovery_time = sum;  // (6)
  return Ok{};
}

}  // namespace

Result<Inputs> check(const Inputs& given) {
  Inputs in = given;
  RIDGELINE_CHECK(check_degree_of("nodes", in.nodes));
  RIDGELINE_CHECK(check_rate_source(in));
  RIDGELINE_CHECK(check_amount_or_zero("job_duration", in.job_duration));
  RIDGELINE_CHECK(check_amount("checkpoint_time", in.checkpoint_time));
  RIDGELINE_CHECK(check_amount_or_zero("avg_recovery_time", in.avg_recovery_time));
  RIDGELINE_CHECK(sum_recovery(in));
  RIDGELINE_CHECK(check_amount("interval", in.interval));
  return in;
}

Output solve(const Inputs& in) {
  const Seconds delta = in.checkpoint_time, R = in.avg_recovery_time, T = in.job_duration;
  const Seconds M = mtbf_of(in);  // (1)
  const Seconds tau = in.interval.value_or(best_interval(in, M));
  Output out{.mtbf = M, .interval = tau};
  out.failure_probability_fraction = -std::expm1(-(T / M));  // (2)
  out.expected_failures = T / M;
  out.lost_checkpoint_fraction = delta / tau;
  out.lost_rework_fraction = tau / (2 * M);
  out.lost_recovery_fraction = R / M;
  out.useful_fraction = std::max(0.0, 1 - delta / tau - (tau / 2 + R) / M);  // (4)
  out.useful_exact_fraction = exact_share(tau, delta, R, M);                 // (5)
  if (!in.mtbf && !in.node_failures_per_1000_days) out.largest_cause = largest_cause(in);
  out.trusted = delta <= M / 100 && R <= M / 50;
  return out;
}

}  // namespace ridgeline::solve::reliability
