#include "ridgeline/solve/evaluation.h"

#include <algorithm>
#include <cmath>

#include "ridgeline/physics/totals.h"
#include "ridgeline/solve/model_checks.h"

namespace ridgeline::solve::evaluation {
namespace {

constexpr double kMillion = 1e6;

double as_double(std::int64_t n) {
  return static_cast<double>(n);
}

template <class T>
void fill(std::optional<T>& value, const std::optional<T>& other) {
  if (!value) value = other;
}

template <class T>
void add(std::optional<T>& sum, const std::optional<T>& part) {
  if (part) sum = sum ? *sum + *part : *part;
}

// Device time of one work, and what it yields.
struct Use {
  std::int64_t devices = 0;
  Seconds duration;
  double utilization = 0;  // u
  double tokens = 0;
};

// ---- what follows from other parts

void fill_site(const Inputs& in, FleetEnergy& fleet) {
  fill(fleet.pue, in.site.pue);
  fill(fleet.carbon_intensity, in.site.carbon_intensity);
  fill(fleet.wue, in.site.wue);
  fill(fleet.tdp, in.machine.device.tdp);
  if (fleet.source_water == WaterPerJoule{}) fleet.source_water = in.site.source_water;
}

void put_use(const Use& use, FleetEnergy& fleet) {
  fleet.devices = use.devices;
  fleet.duration = use.duration;
  fleet.mfu = use.utilization;
}

bool has_prices(const Inputs& in) {
  return in.economics.unit_cost || in.economics.hourly_rental_price;
}

bool has_footprint(const Inputs& in) {
  const sustainability::Inputs& s = in.sustainability;
  return s.fleet.carbon_intensity || s.embodied_per_device || !s.intensity_profile.empty();
}

// Embodied carbon and water that nothing is said of count as nothing; the answer leaves them empty.
sustainability::Inputs with_zeros(sustainability::Inputs s) {
  if (!s.embodied_per_device) s.embodied_per_device = Emissions{};
  if (!s.fleet.wue) s.fleet.wue = WaterPerJoule{};
  return s;
}

// ---- check

Status check_training(Inputs& in) {
  Training& t = *in.training;
  t.run.model = in.model;
  t.run.machine = in.machine;
  if (!t.tokens && !t.duration) {
    return missing("tokens_count", "nothing says how long the run is",
                   "tokens_count, or a duration");
  }
  if (t.tokens && t.duration) {
    return conflict("duration", "tokens and a duration are given; one follows from the other");
  }
  RIDGELINE_CHECK(check_amount("tokens_count", t.tokens));
  RIDGELINE_CHECK(check_amount("duration", t.duration));
  RIDGELINE_TRY(t.run, distributed::check(t.run));
  return Ok{};
}

Status check_serving(Inputs& in) {
  Serving& s = *in.serving;
  s.load.service.model = in.model;
  s.load.service.machine = in.machine;
  s.load.service.hardware = in.machine.device;
  RIDGELINE_CHECK(check_amount("duration", s.duration));
  RIDGELINE_TRY(s.load, serving_capacity::check(s.load));
  return Ok{};
}

Status check_saving(Inputs& in) {
  checkpoint::Inputs& c = *in.checkpoint;
  c.model = in.model;
  c.hardware = in.machine.device;
  if (in.reliability && in.reliability->interval) c.checkpoint_interval = *in.reliability->interval;
  RIDGELINE_TRY(c, checkpoint::check(c));
  return Ok{};
}

Status check_failures(Inputs& in) {
  reliability::Inputs& r = *in.reliability;
  r.nodes = in.machine.nodes;
  if (in.checkpoint) {
    const checkpoint::Output saved = checkpoint::solve(*in.checkpoint);
    r.checkpoint_time = saved.stall;
    const bool summed = r.detect_time || r.restart_time || r.warm_up_time;
    if (summed && !r.reload_time) r.reload_time = saved.restore;
  }
  RIDGELINE_TRY(r, reliability::check(r));
  return Ok{};
}

// Ranges, and what a bill needs; the time that it is for comes later.
constexpr Use kAnyUse{.devices = 1, .duration = day, .utilization = 1, .tokens = 1};

Status check_prices(Inputs& in) {
  economics::Inputs& e = in.economics;
  fill_site(in, e.fleet);
  fill(e.unit_cost, in.machine.device.unit_cost);
  fill(e.kwh_price, in.site.kwh_price);
  put_use(kAnyUse, e.fleet);
  if (!has_prices(in)) return check_fleet(e.fleet);
  RIDGELINE_TRY(e, economics::check(e));
  return Ok{};
}

Status check_footprint(Inputs& in) {
  sustainability::Inputs& s = in.sustainability;
  fill_site(in, s.fleet);
  put_use(kAnyUse, s.fleet);
  if (!has_footprint(in)) return check_fleet(s.fleet);
  if (const auto checked = sustainability::check(with_zeros(s)); !checked) return checked.error();
  return Ok{};
}

// ---- solve

// What the run is slowed by, if anything is known to fail; without, saves alone.
double useful_share(const Inputs& in, Output& out) {
  Reliability& r = out.reliability;
  if (in.checkpoint) {
    const checkpoint::Output saved = checkpoint::solve(*in.checkpoint);
    r.checkpoint = saved.checkpoint;
    r.write = saved.write;
    r.stall = saved.stall;
  }
  if (!in.reliability) {
    if (!in.checkpoint) return 1;
    r.interval = in.checkpoint->checkpoint_interval;
    r.useful_fraction = std::max(0.0, 1 - *r.stall / *r.interval);
    return *r.useful_fraction;
  }
  const reliability::Output failed = reliability::solve(*in.reliability);
  r.mtbf = failed.mtbf;
  r.interval = failed.interval;
  r.useful_fraction = failed.useful_exact_fraction;
  return failed.useful_exact_fraction;
}

void fail(Output& out, Reason reason) {
  if (out.feasible) out.reason = reason;
  out.feasible = false;
}

Use train(const Inputs& in, Output& out) {
  const Training& t = *in.training;
  const distributed::Output step = distributed::solve(t.run).output;
  Performance& p = out.performance;
  p.step = step.step;
  p.mfu_fraction = step.mfu_fraction;
  p.training_tokens_per_s = step.samples_per_s * as_double(t.run.seq_len);
  out.memory.training = step.memory.total;
  out.memory.utilization_fraction = step.memory_utilization_fraction;
  if (!step.feasible.value_or(true)) fail(out, Reason::memory);

  const double useful = useful_share(in, out), rate = *p.training_tokens_per_s;
  Reliability& r = out.reliability;
  if (r.write && *r.write > *r.interval) fail(out, Reason::checkpoint);
  const double tokens = t.tokens.value_or(t.duration ? rate * useful * t.duration->base() : 0);
  p.run_time = Seconds::from_base(tokens / rate);
  const std::int64_t devices = t.run.machine.device_count();
  if (!(useful > 0)) {
    fail(out, Reason::never_done);
    return {.devices = devices};
  }
  const Seconds wall = *p.run_time / useful;
  r.wall_time = wall;
  if (r.mtbf) r.expected_failures = wall / *r.mtbf;
  return {devices, wall, step.mfu_fraction * useful, tokens};
}

Reason reason_of(serving_capacity::Bottleneck why) {
  switch (why) {
    case serving_capacity::Bottleneck::memory: return Reason::memory;
    case serving_capacity::Bottleneck::capacity: return Reason::capacity;
    default: return Reason::latency;
  }
}

// Share of the peak that the requests take on all devices.
double serving_utilization(const serving_capacity::Inputs& load, double devices) {
  const physics::Replica r = replica_of(load.service, load.service.hardware);
  const auto prompt = static_cast<std::int64_t>(std::max(1.0, *load.mean_request_tokens));
  const double tokens = as_double(prompt) + as_double(load.output_tokens);
  const Flops request = Flops::from_base(r.model.flop_per_unit * tokens) +
                        physics::prompt_attention(r.model, r.count, {prompt, 0, prompt});
  return std::min(1.0, physics::utilization(load.qps * request, devices * r.pace.peak, second));
}

void put_batch(const serving_capacity::Inputs& load, std::int64_t batch, Output& out) {
  serving::Inputs in;
  in.service = load.service;
  in.seq_len = std::max<std::int64_t>(1, std::llround(*load.mean_request_tokens));
  in.batch_size = std::max<std::int64_t>(1, batch);
  in.page_size = load.page_size;
  const serving::Output full = serving::solve(in);
  out.performance.prefill_bound = full.prefill_bound;
  out.performance.decode_bound = full.decode_bound;
  out.memory.serving = full.memory_required;
  const double share = full.memory_utilization_fraction;
  out.memory.utilization_fraction = std::max(share, out.memory.utilization_fraction.value_or(0));
}

Use serve(const Inputs& in, Output& out) {
  const serving_capacity::Inputs& load = in.serving->load;
  const serving_capacity::Output found = serving_capacity::solve(load);
  Performance& p = out.performance;
  p.ttft = found.prefill;
  p.ttft_p99 = found.ttft_p99;
  p.itl = found.itl;
  p.p99_latency = found.p99_latency;
  p.replicas = found.required_replicas;
  p.qps_capacity = found.qps_capacity;
  p.utilization_fraction = found.utilization_fraction;
  p.bottleneck = found.bottleneck;
  put_batch(load, found.active_batch_size, out);
  if (!found.feasible) fail(out, reason_of(found.bottleneck));
  if (!found.required_replicas) return {};
  const double rate = load.qps * as_double(load.output_tokens);
  p.output_tokens_per_s = rate;
  const std::int64_t devices =
      *found.required_replicas * load.service.tp_size * load.service.pp_size;
  return {devices, in.serving->duration, serving_utilization(load, as_double(devices)),
          rate * in.serving->duration.base()};
}

void add_cost(const Inputs& in, const Use& use, Cost& cost) {
  economics::Inputs e = in.economics;
  put_use(use, e.fleet);
  const economics::Output bill = economics::solve(e);
  add(cost.capex, bill.capex);
  add(cost.energy, bill.energy);
  add(cost.maintenance, bill.maintenance);
  add(cost.opex, bill.opex);
  add(cost.tco, bill.tco);
  add(cost.cloud, bill.cloud);
}

void add_carbon(const Inputs& in, const Use& use, Output& out) {
  sustainability::Inputs s = with_zeros(in.sustainability);
  put_use(use, s.fleet);
  const sustainability::Output footprint = sustainability::solve(s);
  const bool has_embodied = in.sustainability.embodied_per_device.has_value();
  add(out.carbon.operational, std::optional(footprint.operational));
  if (has_embodied) add(out.carbon.embodied, std::optional(footprint.embodied));
  add(out.carbon.emissions, std::optional(footprint.emissions));
  if (in.sustainability.fleet.wue) add(out.water.water, std::optional(footprint.water));
}

void add_energy(const Inputs& in, const Use& use, Energy& energy) {
  FleetEnergy fleet = in.economics.fleet;
  fill(fleet.tdp, in.sustainability.fleet.tdp);
  put_use(use, fleet);
  if (!fleet.tdp) return;
  add(energy.it, std::optional(it_energy(fleet)));
  if (!fleet.pue) return;
  add(energy.facility, std::optional(facility_energy(fleet)));
  add(energy.power, std::optional(as_double(use.devices) * *fleet.pue * *fleet.tdp));
}

void add_bills(const Inputs& in, const Use& use, Output& out) {
  if (use.devices == 0 || !(use.duration > Seconds{})) return;
  add_energy(in, use, out.energy);
  if (has_prices(in)) add_cost(in, use, out.cost);
  if (has_footprint(in)) add_carbon(in, use, out);
  add(out.tokens, std::optional(use.tokens));
  out.performance.devices += use.devices;
}

void put_ratios(const Use& a, const Use& b, Output& out) {
  const Seconds time = as_double(a.devices) * a.duration + as_double(b.devices) * b.duration;
  if (out.cost.paid() && time > Seconds{}) {
    out.cost.per_device_hour = *out.cost.paid() / time.in(hour);
  }
  if (!out.tokens || !(*out.tokens > 0)) return;
  const double millions = *out.tokens / kMillion;
  if (out.cost.paid()) out.cost.per_million_tokens = *out.cost.paid() / millions;
  if (out.carbon.emissions) out.carbon.per_million_tokens = *out.carbon.emissions / millions;
  if (out.energy.facility) out.energy.per_token = *out.energy.facility / *out.tokens;
}

void hold_limits(const Inputs& in, Output& out) {
  const Limits& limits = in.limits;
  if (out.performance.devices > in.machine.device_count()) fail(out, Reason::devices);
  const std::optional<Watts>& power = out.energy.power;
  if (limits.power && power && *power > *limits.power) fail(out, Reason::power);
  const std::optional<Dollars>& paid = out.cost.paid();
  if (limits.budget && paid && *paid > *limits.budget) fail(out, Reason::budget);
}

}  // namespace

Result<Inputs> check(const Inputs& given) {
  Inputs in = given;
  if (!in.training && !in.serving) {
    return missing("training", "the plan has no work", "training, serving or both");
  }
  if (in.training) RIDGELINE_CHECK(below("training", check_training(in)));
  if (in.serving) RIDGELINE_CHECK(below("serving", check_serving(in)));
  if (in.checkpoint) RIDGELINE_CHECK(below("checkpoint", check_saving(in)));
  if (in.reliability) RIDGELINE_CHECK(below("reliability", check_failures(in)));
  RIDGELINE_CHECK(below("economics", check_prices(in)));
  RIDGELINE_CHECK(below("sustainability", check_footprint(in)));
  RIDGELINE_CHECK(below("limits", check_amount("power", in.limits.power)));
  RIDGELINE_CHECK(below("limits", check_amount("budget", in.limits.budget)));
  return in;
}

Output solve(const Inputs& in) {
  Output out;
  out.memory.capacity = in.machine.device.memory_capacity;
  const Use training = in.training ? train(in, out) : Use{};
  const Use serving = in.serving ? serve(in, out) : Use{};
  add_bills(in, training, out);
  add_bills(in, serving, out);
  put_ratios(training, serving, out);
  hold_limits(in, out);
  return out;
}

}  // namespace ridgeline::solve::evaluation
