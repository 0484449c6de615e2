#include "ridgeline/solve/continuous_batching.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgeline/solve/model_checks.h"

namespace ridgeline::solve::continuous_batching {
namespace {

using physics::Replica;

constexpr double kEngineShare = 0.9;  // of the memory [kwon2023]
constexpr double kRounding = 1e-9;    // a quotient so near a whole number is one

double as_double(std::int64_t n) {
  return static_cast<double>(n);
}

// y = max/mu of exponential lengths cut at max: mean/max = (1 - e^-y)/y, by Newton, (2).
double decay(double mean_over_max) {
  const double m = mean_over_max;
  double y = m > 0.5 ? 2 * (1 - m) : 1 / m;
  for (int i = 0; i < 100; ++i) {
    const double e = std::exp(-y), f = -std::expm1(-y) / y;
    const double slope = (e * y + std::expm1(-y)) / (y * y);
    const double next = y - (f - m) / (y < 1e-3 ? y / 3 - 0.5 : slope);
    if (!(std::fabs(next - y) > 1e-15 * y)) return next;
    y = next > 0 ? next : y / 2;
  }
  return y;
}

double pages(double length, double page) {
  return std::ceil(length / page);
}

// Tokens that the pages of a request hold on average, (3).
double allocated(const Inputs& in) {
  const double page = as_double(in.page_size), max = as_double(in.max_seq_len);
  const double mean = *in.mean_request_tokens;
  if (in.length_distribution == LengthDistribution::trace) {
    double sum = 0;
    for (const double length : in.request_lengths) sum += pages(length, page);
    return page * sum / static_cast<double>(in.request_lengths.size());
  }
  const bool fixed = in.length_distribution == LengthDistribution::fixed || mean == max;
  if (fixed) return page * pages(mean, page);
  const double step = decay(mean / max) * page / max;  // page/mu
  return page * std::expm1(-pages(max, page) * step) / std::expm1(-step);
}

Bytes pool(const Inputs& in, const Replica& r) {
  const physics::Setting& s = in.service.setting;
  return *in.service.hardware.memory_capacity * s.memory_utilization.value_or(kEngineShare) -
         physics::held_weights(r) - s.reserved.value_or(Bytes{});  // (1)
}

double capacity_tokens(const Inputs& in, const Replica& r) {
  const Bytes each = physics::held_kv_per_token(r);
  if (pool(in, r) <= Bytes{} || each == Bytes{}) return 0;
  return std::floor(pool(in, r) / each + kRounding);  // (1)
}

std::int64_t capped(double requests, const Inputs& in) {
  return static_cast<std::int64_t>(
      std::min(std::floor(requests + kRounding), as_double(in.max_batch_size)));
}

std::int64_t static_slots(const Inputs& in, const Replica& r) {
  const Bytes room = pool(in, r);
  if (room <= Bytes{}) return 0;
  const Bytes each = physics::held_kv(r, as_double(in.max_seq_len));
  return each > Bytes{} ? capped(room / each, in) : in.max_batch_size;  // (1)
}

physics::PrefillLoad one_prompt(const Inputs& in) {
  const double out = as_double(in.output_tokens.value_or(0));
  const double prompt = std::max(1.0, std::floor(*in.mean_request_tokens - out));
  const auto n = static_cast<std::int64_t>(prompt);
  return {.part = {n, 0, n}};
}

physics::DecodeLoad decoding(const Inputs& in, std::int64_t N) {
  return {.sequences = as_double(N), .context = *in.mean_request_tokens};
}

// Prefill tokens per decode token, and the requests that a budget allows at that, (7).
double prefill_share(const Inputs& in) {
  return as_double(one_prompt(in).part.fresh) / as_double(*in.output_tokens);
}
std::int64_t budget_slots(const Inputs& in) {
  if (!in.token_budget) return in.max_batch_size;
  return static_cast<std::int64_t>(
      std::floor(as_double(*in.token_budget) / (1 + prefill_share(in)) + kRounding));
}

void put_speed(const Inputs& in, const Replica& r, Output& out) {
  const std::int64_t N = out.max_active_requests, S = out.static_max_active_requests;
  if (S > 0) {
    out.static_decode_tokens_per_s =
        as_double(S) / physics::decode_step(r, decoding(in, S)).total().base();
  }
  if (N == 0) return;
  const Seconds step = physics::decode_step(r, decoding(in, N)).total();
  out.itl = step;
  out.decode_tokens_per_s = as_double(N) / step.base();  // (5)
  if (S > 0) out.speedup_vs_static = *out.decode_tokens_per_s / *out.static_decode_tokens_per_s;
  if (!in.output_tokens) return;
  if (in.token_budget) {
    physics::PrefillLoad mixed = one_prompt(in);
    mixed.sequences = as_double(N) / as_double(*in.output_tokens);
    out.itl = physics::mixed_step(r, decoding(in, N), mixed).total();
    out.output_tokens_per_s = as_double(N) / out.itl->base();  // (7)
    return;
  }
  const double produced = as_double(N) * as_double(*in.output_tokens);
  const Seconds busy = as_double(N) * out.ttft + as_double(*in.output_tokens) * step;
  out.output_tokens_per_s = produced / busy.base();  // (6)
}

Reason reason_of(const Inputs& in, const Replica& r, std::int64_t N) {
  if (pool(in, r) < Bytes{}) return Reason::weights;
  if (N > 0) return Reason::none;
  return paged_slots(in, r) == 0 ? Reason::memory : Reason::token_budget;
}

Status check_lengths(const Inputs& in) {
  const double mean = *in.mean_request_tokens, max = as_double(in.max_seq_len);
  if (!(mean > 0 && mean <= max)) {
    return out_of_range("mean_request_tokens", fmt::format("mean_request_tokens is {}", mean),
                        fmt::format("above 0, at most max_seq_len = {}", in.max_seq_len));
  }
  RIDGELINE_CHECK(check_number("output_tokens", in.output_tokens, 1));
  if (in.output_tokens && as_double(*in.output_tokens) > mean) {
    return out_of_range("output_tokens",
                        fmt::format("{} of {} tokens of a request", *in.output_tokens, mean),
                        "fewer than mean_request_tokens");
  }
  RIDGELINE_CHECK(check_number("token_budget", in.token_budget, 1));
  if (in.token_budget && !in.output_tokens) {
    return missing("output_tokens", "a token budget mixes prompts and outputs");
  }
  return Ok{};
}

Status check_trace(Inputs& in) {
  if (in.length_distribution != LengthDistribution::trace) return Ok{};
  if (in.request_lengths.empty()) return missing("request_lengths", "the trace has no requests");
  double sum = 0;
  for (const double length : in.request_lengths) {
    if (!(length > 0 && length <= as_double(in.max_seq_len))) {
      return out_of_range("request_lengths", fmt::format("a request of {} tokens", length),
                          fmt::format("above 0, at most max_seq_len = {}", in.max_seq_len));
    }
    sum += length;
  }
  in.mean_request_tokens = sum / static_cast<double>(in.request_lengths.size());
  return Ok{};
}

}  // namespace

Result<Inputs> check(const Inputs& given) {
  Inputs in = given;
  RIDGELINE_TRY(in.service, check_service(given.service));
  RIDGELINE_CHECK(check_number("max_seq_len", in.max_seq_len, 1));
  RIDGELINE_CHECK(check_number("max_batch_size", in.max_batch_size, 1));
  RIDGELINE_CHECK(check_number("page_size", in.page_size, 1));
  RIDGELINE_CHECK(check_trace(in));
  if (!in.mean_request_tokens) in.mean_request_tokens = as_double(in.max_seq_len);
  RIDGELINE_CHECK(check_lengths(in));
  return in;
}

std::int64_t paged_slots(const Inputs& in, const Replica& r) {
  const double page = as_double(in.page_size), T = capacity_tokens(in, r);
  const Bytes room = std::floor(T / page) * page * physics::held_kv_per_token(r);
  const Bytes each = physics::held_kv(r, allocated(in));
  if (each == Bytes{}) return pool(in, r) >= Bytes{} ? in.max_batch_size : 0;
  return capped(room / each, in);  // (4)
}

Output solve(const Inputs& in) {
  const Replica r = replica_of(in.service, in.service.hardware);
  const double mean = *in.mean_request_tokens, alloc = allocated(in);
  const double max = as_double(in.max_seq_len);
  const std::int64_t slots = paged_slots(in, r), N = std::min(slots, budget_slots(in));
  Output out{.max_active_requests = N, .static_max_active_requests = static_slots(in, r)};
  out.kv = as_double(N) * physics::kept_kv(r.model, alloc, 1);
  out.static_kv = as_double(out.static_max_active_requests) * physics::kept_kv(r.model, max, 1);
  out.fragmentation_fraction = std::max(0.0, 1 - mean / alloc);  // (3)
  out.static_fragmentation_fraction = 1 - mean / max;            // (1)
  out.ttft = physics::prefill_step(r, one_prompt(in)).total();
  out.kv_capacity_tokens = capacity_tokens(in, r);
  out.binding = N < slots                    ? Binding::token_budget
                : slots == in.max_batch_size ? Binding::batch_limit
                                             : Binding::memory;
  put_speed(in, r, out);
  out.reason = reason_of(in, r, N);
  out.feasible = out.reason == Reason::none;
  return out;
}

}  // namespace ridgeline::solve::continuous_batching
