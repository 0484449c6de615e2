#include "ridgeline/solve/serving_capacity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgeline/solve/continuous_batching.h"
#include "ridgeline/solve/model_checks.h"
#include "ridgeline/solve/replicas.h"

namespace ridgeline::solve::serving_capacity {
namespace {

using physics::Replica;

double as_double(std::int64_t n) {
  return static_cast<double>(n);
}

std::int64_t slots(const Inputs& in, const Replica& r) {
  continuous_batching::Inputs batching;
  batching.service = in.service;
  batching.max_seq_len = in.max_seq_len;
  batching.mean_request_tokens = in.mean_request_tokens;
  batching.max_batch_size = in.max_batch_size;
  batching.page_size = in.page_size;
  return continuous_batching::paged_slots(batching, r);  // (1)
}

Seconds prefill_time(const Inputs& in, const Replica& r) {
  const auto n = static_cast<std::int64_t>(std::max(1.0, std::floor(*in.mean_request_tokens)));
  return physics::prefill_step(r, {.part = {n, 0, n}}).total();  // (2)
}

Seconds decode_time(const Inputs& in, const Replica& r, double N) {
  return physics::decode_step(r, {.sequences = N, .context = *in.mean_request_tokens})
      .total();  // (2)
}

Seconds base_time(const Inputs& in, Seconds t_p, Seconds t_d, double N) {
  return N * t_p + as_double(in.output_tokens) * t_d;  // (4)
}

Replicas fleet_of(const Inputs& in, const FullReplica& full) {
  return {.queue = queue_of(in, full),
          .unloaded = full.base,
          .target = in.target_p99_latency,
          .most = in.max_replicas};
}

void put_fleet(const Replicas& fleet, std::int64_t r, Output& out) {
  const Seconds W99 = fleet.wait_p99(r);
  out.required_replicas = r;
  out.qps_capacity = as_double(r) * *out.per_replica_qps;
  out.utilization_fraction = fleet.queue.arrivals_per_s / *out.qps_capacity;
  out.queue_wait_p99 = W99;
  out.p99_latency = fleet.unloaded + W99;  // (5)
  out.ttft_p99 = W99 + out.prefill + *out.itl;
}

Output fail(Output out, Bottleneck why) {
  out.bottleneck = why;
  out.feasible = false;
  return out;
}

Status check_requests(const Inputs& in) {
  RIDGELINE_CHECK(check_amount("qps", in.qps));
  RIDGELINE_CHECK(check_amount("target_p99_latency", in.target_p99_latency));
  RIDGELINE_CHECK(check_number("max_seq_len", in.max_seq_len, 1));
  RIDGELINE_CHECK(check_number("output_tokens", in.output_tokens, 1));
  RIDGELINE_CHECK(check_degree_of("max_batch_size", in.max_batch_size));
  RIDGELINE_CHECK(check_number("page_size", in.page_size, 1));
  RIDGELINE_CHECK(check_degree_of("max_replicas", in.max_replicas));
  RIDGELINE_CHECK(check_amount_or_zero("service_time_cv", in.service_time_cv));
  RIDGELINE_CHECK(check_amount_or_zero("arrival_cv", in.arrival_cv));
  const double mean = *in.mean_request_tokens;
  if (!(mean > 0 && mean <= as_double(in.max_seq_len))) {
    return out_of_range("mean_request_tokens", fmt::format("mean_request_tokens is {}", mean),
                        fmt::format("above 0, at most max_seq_len = {}", in.max_seq_len));
  }
  const std::int64_t window = in.service.model.layered ? in.service.model.layered->max_context : 0;
  if (window == 0 || mean + as_double(in.output_tokens) <= as_double(window)) return Ok{};
  return out_of_range("output_tokens",
                      fmt::format("{} + {} tokens of a request", mean, in.output_tokens),
                      fmt::format("at most the model's context of {}", window));
}

}  // namespace

Result<Inputs> check(const Inputs& given) {
  Inputs in = given;
  RIDGELINE_TRY(in.service, check_service(given.service));
  if (!in.mean_request_tokens) in.mean_request_tokens = as_double(in.max_seq_len);
  RIDGELINE_CHECK(check_requests(in));
  return in;
}

FullReplica full_replica(const Inputs& in, const Replica& r) {
  FullReplica full{.slots = slots(in, r), .prefill = prefill_time(in, r)};
  if (full.slots == 0) return full;
  const double N = as_double(full.slots);
  full.itl = decode_time(in, r, N);
  full.base = base_time(in, full.prefill, full.itl, N);
  return full;
}

physics::Queue queue_of(const Inputs& in, const FullReplica& full) {
  return {.arrivals_per_s = in.qps,
          .service_s = full.base.base(),
          .servers = full.slots,
          .arrival_cv = in.arrival_cv,
          .service_cv = in.service_time_cv};
}

// Base grows with the batch.
std::int64_t largest_batch(const Inputs& in, const Replica& r, std::int64_t N) {
  const Seconds t_p = prefill_time(in, r);
  std::int64_t fits = 0, fails = N + 1;
  while (fails - fits > 1) {
    const std::int64_t n = fits + (fails - fits) / 2;
    const double B = as_double(n);
    const bool meets = base_time(in, t_p, decode_time(in, r, B), B) <= in.target_p99_latency;
    (meets ? fits : fails) = n;
  }
  return fits;
}

Output solve(const Inputs& in) {
  const Replica r = replica_of(in.service, in.service.hardware);
  const FullReplica full = full_replica(in, r);
  Output out{.active_batch_size = full.slots, .prefill = full.prefill};
  if (full.slots == 0) return fail(out, Bottleneck::memory);
  out.itl = full.itl;
  out.base_latency = full.base;
  out.per_replica_qps = full.qps();
  if (full.base > in.target_p99_latency) {
    out.largest_batch_within_target = largest_batch(in, r, full.slots);
    return fail(out, Bottleneck::base_latency);
  }
  const Replicas fleet = fleet_of(in, full);
  const double stable = fleet.least_stable();
  if (stable > as_double(in.max_replicas)) return fail(out, Bottleneck::capacity);
  const std::int64_t replicas = fleet.enough(static_cast<std::int64_t>(stable));  // (6)
  put_fleet(fleet, replicas, out);
  return fleet.meets(replicas) ? out : fail(out, Bottleneck::tail_latency);
}

}  // namespace ridgeline::solve::serving_capacity
