#include "ridgeline/solve/latency_slo.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "ridgeline/physics/queue.h"
#include "ridgeline/solve/model_checks.h"
#include "ridgeline/solve/serving_capacity.h"

namespace ridgeline::solve::latency_slo {
namespace {

constexpr double kNoTarget = std::numeric_limits<double>::infinity();
constexpr int kMostSteps = 200;

// The same replicas, as serving-capacity asks about them; its load plays no part here.
serving_capacity::Inputs capacity_of(const Inputs& in) {
  serving_capacity::Inputs out;
  out.service = in.service;
  out.qps = 1;
  out.target_p99_latency = in.target_p99_latency.value_or(1 * second);
  out.max_seq_len = in.max_seq_len;
  out.mean_request_tokens = in.mean_request_tokens;
  out.output_tokens = in.output_tokens;
  out.max_batch_size = in.max_batch_size;
  out.page_size = in.page_size;
  out.service_time_cv = in.service_time_cv;
  out.arrival_cv = in.arrival_cv;
  return out;
}

double target(const std::optional<Seconds>& given) {
  return given ? given->base() : kNoTarget;
}

// What the load is put on: a queue, and what a request takes beyond its wait.
struct Fleet {
  const Inputs& in;
  physics::Queue queue;  // of any load
  bool modelled = false;
  double first_s = 0, base_s = 0;  // t_p + t_d, base

  double capacity() const { return static_cast<double>(queue.servers) / queue.service_s; }

  physics::Queue at(double qps) const {
    physics::Queue out = queue;
    out.arrivals_per_s = qps;
    return out;
  }

  double wait(double qps) const {
    const physics::Queue q = at(qps);
    return physics::wait_quantile(q, physics::wait_probability(q), in.quantile);  // (1)
  }

  double latency(double qps) const {
    if (modelled) return base_s + wait(qps);  // (2)
    const physics::Queue q = at(qps);
    return physics::latency_quantile(q, physics::wait_probability(q), in.quantile);  // (4)
  }

  bool meets_latency(double qps) const { return latency(qps) <= target(in.target_p99_latency); }
  bool meets_ttft(double qps) const {
    return !modelled || first_s + wait(qps) <= target(in.target_ttft);  // (2)
  }
  bool meets(double qps) const { return meets_latency(qps) && meets_ttft(qps); }

  // Share of requests inside the targets that depend on the load.
  double met(double qps) const {
    const physics::Queue q = at(qps);
    const double chance = physics::wait_probability(q);
    if (!modelled) return 1 - physics::latency_tail(q, chance, target(in.target_p99_latency));
    const double spare =
        std::min(target(in.target_p99_latency) - base_s, target(in.target_ttft) - first_s);
    return 1 - physics::wait_tail(q, chance, spare);
  }
};

Output fail(Output out, Binding why) {
  out.binding = why;
  out.reason = why;
  out.feasible = false;
  return out;
}

// The largest load that meets the targets, which load 0 does.
double largest_load(const Fleet& fleet) {
  double low = 0, high = fleet.capacity();
  for (int i = 0; i < kMostSteps && high - low > 1e-15 * high; ++i) {
    const double mid = (low + high) / 2;
    if (mid <= low || mid >= high) break;
    (fleet.at(mid).stable() && fleet.meets(mid) ? low : high) = mid;
  }
  return low;  // (3)
}

bool has_load_target(const Inputs& in) {
  return in.target_p99_latency || in.target_ttft;
}

void put_load(const Fleet& fleet, Output& out) {
  const Inputs& in = fleet.in;
  out.qps_capacity = fleet.capacity();
  if (!has_load_target(in)) {
    out.qps = out.goodput_requests_per_s = fleet.capacity();
    out.utilization_fraction = 1;
    out.binding = Binding::capacity;
    return;
  }
  out.qps = largest_load(fleet);
  out.goodput_requests_per_s = out.qps * fleet.met(out.qps);  // (5)
  out.utilization_fraction = out.qps / fleet.capacity();
  out.queue_wait = Seconds::from_base(fleet.wait(out.qps));
  out.latency = Seconds::from_base(fleet.latency(out.qps));
  if (fleet.modelled) out.ttft = Seconds::from_base(fleet.first_s) + *out.queue_wait;
  const double left_ttft = target(in.target_ttft) - (fleet.first_s + out.queue_wait->base());
  const double left_latency = target(in.target_p99_latency) - out.latency->base();
  const bool by_ttft = fleet.modelled && left_ttft < left_latency;
  out.binding = by_ttft ? Binding::ttft : Binding::latency;
}

Status check_targets(const Inputs& in) {
  RIDGELINE_CHECK(check_amount("service_latency", in.service_latency));
  RIDGELINE_CHECK(check_amount("target_ttft", in.target_ttft));
  RIDGELINE_CHECK(check_amount("target_itl", in.target_itl));
  RIDGELINE_CHECK(check_amount("target_p99_latency", in.target_p99_latency));
  if (!(in.quantile > 0 && in.quantile < 1)) {
    return out_of_range("quantile", fmt::format("quantile is {}", in.quantile), "between 0 and 1");
  }
  return check_degree_of("num_replicas", in.num_replicas);
}

Status check_what_is_asked(const Inputs& in) {
  if (!in.target_ttft && !in.target_itl && !in.target_p99_latency) {
    return missing("target_p99_latency", "there is no target",
                   "target_p99_latency, target_ttft or target_itl");
  }
  if (is_given(in.service.model) && in.service_latency) {
    return conflict("service_latency", "a model has its own times", "a model or service_latency");
  }
  if (is_given(in.service.model)) return Ok{};
  if (!in.service_latency) {
    return missing("model", "what is served?", "model and hardware, or service_latency");
  }
  if (!in.target_ttft && !in.target_itl) return Ok{};
  return missing("model", "a service time alone has no tokens", "model and hardware");
}

// What check() of serving-capacity looks at, without a model.
Status check_requests(const Inputs& in) {
  RIDGELINE_CHECK(check_setting(in.service.setting));
  RIDGELINE_CHECK(check_amount_or_zero("service_time_cv", in.service_time_cv));
  return check_amount_or_zero("arrival_cv", in.arrival_cv);
}

Fleet fleet_of(const Inputs& in, const serving_capacity::FullReplica& full,
               const serving_capacity::Inputs& capacity) {
  physics::Queue queue = serving_capacity::queue_of(capacity, full);
  queue.servers *= in.num_replicas;
  return {.in = in,
          .queue = queue,
          .modelled = true,
          .first_s = (full.prefill + full.itl).base(),
          .base_s = full.base.base()};
}

}  // namespace

Result<Inputs> check(const Inputs& given) {
  Inputs in = given;
  RIDGELINE_CHECK(check_targets(in));
  if (is_given(in.service.model)) {
    RIDGELINE_TRY(const auto capacity, serving_capacity::check(capacity_of(in)));
    in.service = capacity.service;
    in.mean_request_tokens = capacity.mean_request_tokens;
  } else {
    RIDGELINE_CHECK(check_requests(in));
  }
  RIDGELINE_CHECK(check_what_is_asked(in));
  return in;
}

Output solve(const Inputs& in) {
  Output out;
  if (!is_given(in.service.model)) {
    const Fleet fleet{.in = in,
                      .queue = {.service_s = in.service_latency->base(),
                                .servers = in.num_replicas,
                                .arrival_cv = in.arrival_cv,
                                .service_cv = in.service_time_cv}};
    if (!fleet.meets_latency(0)) return fail(out, Binding::latency);
    put_load(fleet, out);
    return out;
  }
  const physics::Replica r = replica_of(in.service, in.service.hardware);
  const serving_capacity::Inputs capacity = capacity_of(in);
  const serving_capacity::FullReplica full = serving_capacity::full_replica(capacity, r);
  out.active_batch_size = full.slots;
  if (full.slots == 0) return fail(out, Binding::memory);
  out.itl = full.itl;
  const Fleet fleet = fleet_of(in, full, capacity);
  if (full.itl.base() > target(in.target_itl)) return fail(out, Binding::itl);
  if (!fleet.meets_ttft(0)) return fail(out, Binding::ttft);
  if (!fleet.meets_latency(0)) {
    out.largest_batch_within_target = serving_capacity::largest_batch(capacity, r, full.slots);
    return fail(out, Binding::latency);
  }
  put_load(fleet, out);
  return out;
}

}  // namespace ridgeline::solve::latency_slo
