#include "ridgeline/solve/batching.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgeline/solve/continuous_batching.h"
#include "ridgeline/solve/model_checks.h"
#include "ridgeline/solve/replicas.h"
#include "ridgeline/solve/serving_capacity.h"

namespace ridgeline::solve::batching {
namespace {

using physics::Replica;

constexpr std::int64_t kMostBatches = 100'000;
constexpr Seconds kNoTarget = Seconds::from_base(1e18);

double as_double(std::int64_t n) {
  return static_cast<double>(n);
}

bool is_static(const Inputs& in) {
  return in.policy == Policy::batched;
}

// The largest batch that fits.
std::int64_t slots(const Inputs& in) {
  continuous_batching::Inputs pool;
  pool.service = in.service;
  pool.max_seq_len = in.max_seq_len;
  pool.mean_request_tokens = in.mean_request_tokens;
  pool.max_batch_size = in.max_search_batch;
  pool.page_size = in.page_size;
  const continuous_batching::Output held = continuous_batching::solve(pool);
  return is_static(in) ? held.static_max_active_requests : held.max_active_requests;
}

// What a batch takes when nothing waits but for it.
struct Times {
  Seconds prefill;      // of one prompt, or of a static batch
  Seconds decode;       // step
  Seconds first_token;  // after the wait
  Seconds base;
  Seconds fill;  // of the first request of a static batch
};

Times times_of(const Inputs& in, const Replica& r, double B) {
  const auto n = static_cast<std::int64_t>(std::max(1.0, std::floor(*in.mean_request_tokens)));
  const double together = is_static(in) ? B : 1;
  Times t;
  t.prefill = physics::prefill_step(r, {.part = {n, 0, n}, .sequences = together}).total();  // (1)
  t.decode = physics::decode_step(r, {.sequences = B, .context = *in.mean_request_tokens}).total();
  if (is_static(in)) {
    t.fill = Seconds::from_base((B - 1) / *in.qps);  // (4)
    t.first_token = t.prefill;
    t.base = t.prefill + as_double(*in.max_output_tokens) * t.decode;  // (3)
  } else {
    t.first_token = t.prefill + t.decode;
    t.base = B * t.prefill + as_double(in.output_tokens) * t.decode;  // (2)
  }
  return t;
}

Replicas fleet_of(const Inputs& in, const Times& t, std::int64_t batch, Seconds target) {
  const double B = as_double(batch), groups = is_static(in) ? B : 1;
  return {.queue = {.arrivals_per_s = *in.qps / groups,
                    .service_s = t.base.base(),
                    .servers = is_static(in) ? 1 : batch,
                    .arrival_cv = in.arrival_cv / std::sqrt(groups),
                    .service_cv = in.service_time_cv},
          .unloaded = t.fill + t.base,
          .target = target,
          .most = in.max_replicas};
}

Point fail(Point point, Reason reason) {
  point.reason = reason;
  point.inside = false;
  return point;
}

Point point_of(const Inputs& in, const Replica& r, std::int64_t batch) {
  const Times t = times_of(in, r, as_double(batch));
  Point out{.batch = batch, .itl = t.decode, .base = t.fill + t.base};
  out.tokens_per_s = as_double(batch) * as_double(in.output_tokens) / t.base.base();  // (7)
  out.fill_wait_mean = t.fill / 2;                                                    // (4)
  const Seconds p99 = in.sla.p99.value_or(kNoTarget), ttft = in.sla.ttft.value_or(kNoTarget);
  if (t.decode > in.sla.itl.value_or(kNoTarget)) return fail(out, Reason::itl);
  if (t.fill + t.first_token > ttft) return fail(out, Reason::ttft);
  if (t.fill + t.base > p99) return fail(out, Reason::base_latency);
  // A wait that a first token may take puts off the end as much.
  const Seconds by_first = ttft - t.first_token + t.base;
  const Replicas fleet = fleet_of(in, t, batch, std::min(p99, by_first));
  const double stable = fleet.least_stable();
  if (stable > as_double(in.max_replicas)) return fail(out, Reason::capacity);
  const std::int64_t count = fleet.enough(static_cast<std::int64_t>(stable));  // (6)
  const Seconds W99 = fleet.wait_p99(count);
  out.required_replicas = count;
  out.ttft_p99 = t.fill + W99 + t.first_token;  // (5)
  out.p99_latency = t.fill + t.base + W99;
  return fleet.meets(count) ? out : fail(out, Reason::tail_latency);
}

void count(Reason reason, Rejected& rejected) {
  switch (reason) {
    case Reason::none: break;
    case Reason::memory: rejected.memory += 1; break;
    case Reason::itl: rejected.itl += 1; break;
    case Reason::ttft: rejected.ttft += 1; break;
    case Reason::base_latency: rejected.base_latency += 1; break;
    case Reason::capacity: rejected.capacity += 1; break;
    case Reason::tail_latency: rejected.tail_latency += 1; break;
  }
}

void put_best(const Point& best, Output& out) {
  out.best_batch = best.batch;
  out.tokens_per_s = best.tokens_per_s;
  out.p99_latency = best.p99_latency;
  out.ttft_p99 = best.ttft_p99;
  out.itl = best.itl;
  out.fill_wait_mean = best.fill_wait_mean;
  out.fill_wait_worst = 2 * best.fill_wait_mean;
  out.required_replicas = best.required_replicas;
}

// ---- check ----

// One value under several names.
template <class T>
Status take_other(const char* name, const std::optional<T>& other, std::optional<T>& value) {
  if (!other) return Ok{};
  RIDGELINE_CHECK(check_amount(name, *other));
  if (value && !(*value == *other)) {
    return conflict(name, fmt::format("{} is given under another name too", name),
                    "keep one of them");
  }
  value = other;
  return Ok{};
}

Status take_targets(Inputs& in) {
  RIDGELINE_CHECK(take_other("qps", in.qps, in.qps));
  RIDGELINE_CHECK(take_other("arrival_rate_qps", in.arrival_rate_qps, in.qps));
  if (!in.qps) return missing("qps", "the rate of requests is missing");
  Targets& sla = in.sla;
  RIDGELINE_CHECK(check_amount("sla/ttft", sla.ttft));
  RIDGELINE_CHECK(check_amount("sla/itl", sla.itl));
  RIDGELINE_CHECK(check_amount("sla/p99", sla.p99));
  RIDGELINE_CHECK(take_other("target_ttft", in.target_ttft, sla.ttft));
  RIDGELINE_CHECK(take_other("target_itl", in.target_itl, sla.itl));
  RIDGELINE_CHECK(take_other("target_p99_latency", in.target_p99_latency, sla.p99));
  RIDGELINE_CHECK(take_other("sla_latency", in.sla_latency, sla.p99));
  if (sla.ttft || sla.itl || sla.p99) return Ok{};
  return missing("sla", "there is no target", "ttft, itl or p99");
}

Status take_bounds(Inputs& in) {
  RIDGELINE_CHECK(check_count("max_search_batch", in.max_search_batch, 1, kMostBatches));
  if (in.max_batch_size) {
    RIDGELINE_CHECK(check_degree_of("max_batch_size", *in.max_batch_size));
    in.max_search_batch = std::min(in.max_search_batch, *in.max_batch_size);
  }
  if (!in.num_replicas) return Ok{};
  RIDGELINE_CHECK(check_degree_of("num_replicas", *in.num_replicas));
  in.max_replicas = *in.num_replicas;
  return Ok{};
}

}  // namespace

Result<Inputs> check(const Inputs& given) {
  Inputs in = given;
  RIDGELINE_CHECK(take_targets(in));
  RIDGELINE_CHECK(take_bounds(in));
  // The rest is what serving-capacity takes, at any target.
  serving_capacity::Inputs one{.service = given.service, .qps = *in.qps};
  one.target_p99_latency = 1 * second;
  one.max_seq_len = in.max_seq_len;
  one.mean_request_tokens = in.mean_request_tokens;
  one.output_tokens = in.output_tokens;
  one.page_size = in.page_size;
  one.max_replicas = in.max_replicas;
  one.service_time_cv = in.service_time_cv;
  one.arrival_cv = in.arrival_cv;
  RIDGELINE_TRY(const serving_capacity::Inputs checked, serving_capacity::check(one));
  in.service = checked.service;
  in.mean_request_tokens = checked.mean_request_tokens;
  if (!in.max_output_tokens) in.max_output_tokens = in.output_tokens;
  RIDGELINE_CHECK(check_number("max_output_tokens", *in.max_output_tokens, in.output_tokens));
  return in;
}

Answer<Output, Point> solve(const Inputs& in) {
  const Replica r = replica_of(in.service, in.service.hardware);
  const std::int64_t held = std::min(slots(in), in.max_search_batch);
  Answer<Output, Point> answer;
  Output& out = answer.output;
  out.candidates_count = in.max_search_batch;
  out.rejected.memory = in.max_search_batch - held;
  const Point* best = nullptr;
  answer.rows.reserve(static_cast<std::size_t>(held));
  for (std::int64_t B = 1; B <= held; ++B) {
    const Point& point = answer.rows.emplace_back(point_of(in, r, B));
    count(point.reason, out.rejected);
    const bool more = best == nullptr || point.tokens_per_s > best->tokens_per_s;
    if (point.inside && more) best = &point;  // (7)
  }
  out.feasible = best != nullptr;
  if (best != nullptr) {
    put_best(*best, out);
  } else {
    out.reason = held == 0 ? Reason::memory : answer.rows.front().reason;
  }
  return answer;
}

}  // namespace ridgeline::solve::batching
