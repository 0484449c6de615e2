#include "ridgeline/solve/batch_jobs.h"

#include "ridgeline/solve/batching.h"
#include "ridgeline/solve/economics.h"
#include "ridgeline/solve/model_checks.h"

namespace ridgeline::solve::batch_jobs {
namespace {

constexpr double kMillion = 1e6;

double as_double(std::int64_t n) {
  return static_cast<double>(n);
}

// Every batch, with hardly a request and any latency: what counts is the speed.
batching::Inputs batches_of(const Inputs& in) {
  batching::Inputs out;
  out.service = in.service;
  out.qps = 1e-9;
  out.sla.p99 = 1e18 * second;
  out.max_search_batch = in.max_search_batch;
  out.max_seq_len = in.max_seq_len;
  out.mean_request_tokens = in.mean_request_tokens;
  out.output_tokens = in.output_tokens;
  out.page_size = in.page_size;
  return out;
}

// The fleet for so long, at a price per device.
economics::Inputs rented(const Inputs& in, Seconds time,
                         const std::optional<DollarsPerSecond>& price) {
  economics::Inputs out;
  out.fleet.devices = in.replicas * *in.devices_per_replica;
  out.fleet.duration = time;
  out.fleet.tdp = in.tdp;
  out.fleet.mfu = in.mfu;
  out.fleet.idle_power_fraction = in.service.setting.idle_power_fraction;
  out.fleet.pue = in.pue.value_or(1);
  out.fleet.carbon_intensity = in.carbon_intensity;
  out.hourly_rental_price = price;
  return out;
}

void put_costs(const Inputs& in, Output& out) {
  const double per_million = kMillion / in.tokens;
  const bool spot = in.interruptible_price.has_value();
  const economics::Output used = economics::solve(
      rented(in, *out.makespan, spot ? in.interruptible_price : in.hourly_rental_price));
  const economics::Output firm =
      economics::solve(rented(in, *out.on_demand_makespan, in.hourly_rental_price));
  out.device_hours = as_double(in.replicas * *in.devices_per_replica) * out.makespan->in(hour);
  out.cost = used.cloud;  // (5)
  out.on_demand_cost = firm.cloud;
  if (used.cloud) out.per_million_tokens = per_million * *used.cloud;
  if (used.facility_energy) {
    out.kwh_per_million_tokens = per_million * used.facility_energy->in(kilowatt_hour);  // (7)
  }
  if (used.emissions) out.kgco2e_per_million_tokens = per_million * used.emissions->base();
}

// (6); none where an interruption costs nothing, or either price is not known.
std::optional<double> break_even(const Inputs& in) {
  const Seconds lost = in.restart_time + in.rework_time;
  const bool priced = in.hourly_rental_price && in.interruptible_price;
  if (!priced || lost == Seconds{}) return std::nullopt;
  return (*in.hourly_rental_price / *in.interruptible_price - 1) / lost.in(hour);
}

Status check_prices(const Inputs& in) {
  RIDGELINE_CHECK(check_amount_or_zero("hourly_rental_price", in.hourly_rental_price));
  RIDGELINE_CHECK(check_amount("interruptible_price", in.interruptible_price));
  RIDGELINE_CHECK(check_amount_or_zero("interruptions_per_h", in.interruptions_per_h));
  RIDGELINE_CHECK(check_amount_or_zero("restart_time", in.restart_time));
  RIDGELINE_CHECK(check_amount_or_zero("rework_time", in.rework_time));
  RIDGELINE_CHECK(check_amount("tdp", in.tdp));
  RIDGELINE_CHECK(check_fraction("mfu", in.mfu));
  if (in.pue) RIDGELINE_CHECK(check_multiple("pue", *in.pue));
  return check_amount_or_zero("carbon_intensity", in.carbon_intensity);
}

}  // namespace

Result<Inputs> check(const Inputs& given) {
  Inputs in = given;
  RIDGELINE_CHECK(check_amount("tokens", in.tokens));
  RIDGELINE_CHECK(check_amount("tokens_per_s", in.tokens_per_s));
  RIDGELINE_CHECK(check_degree_of("replicas", in.replicas));
  if (in.devices_per_replica) {
    RIDGELINE_CHECK(check_degree_of("devices_per_replica", *in.devices_per_replica));
  }
  RIDGELINE_CHECK(check_amount("deadline", in.deadline));
  RIDGELINE_CHECK(check_prices(in));
  if (!in.tokens_per_s) {
    RIDGELINE_TRY(const batching::Inputs batches, batching::check(batches_of(in)));
    in.service = batches.service;
    in.mean_request_tokens = batches.mean_request_tokens;
  } else {
    RIDGELINE_CHECK(check_setting(in.service.setting));
  }
  if (!in.tdp) in.tdp = in.service.hardware.tdp;
  if (!in.devices_per_replica) {
    in.devices_per_replica = in.service.tp_size * in.service.pp_size;
    RIDGELINE_CHECK(check_degree_of("tp_size", *in.devices_per_replica));
  }
  return in;
}

Output solve(const Inputs& in) {
  Output out{.tokens_per_s = in.tokens_per_s};
  if (!in.tokens_per_s) {
    const batching::Output best = batching::solve(*batching::check(batches_of(in))).output;
    out.tokens_per_s = best.tokens_per_s;  // (1)
    out.best_batch = best.best_batch;
  }
  const Seconds lost = in.restart_time + in.rework_time;
  out.tax_fraction = in.interruptions_per_h * lost.in(hour);  // (3)
  out.break_even_interruption_per_h = break_even(in);
  if (!out.tokens_per_s) {
    out.reason = Reason::memory;
  } else {
    const double rate = *out.tokens_per_s * as_double(in.replicas);
    out.on_demand_makespan = Seconds::from_base(in.tokens / rate);    // (2)
    out.makespan = (1 + out.tax_fraction) * *out.on_demand_makespan;  // (4)
    put_costs(in, out);
    if (in.deadline && *out.makespan > *in.deadline) out.reason = Reason::deadline;
  }
  out.feasible = out.reason == Reason::none;
  return out;
}

}  // namespace ridgeline::solve::batch_jobs
