#include "ridgeline/solve/inference_scaling.h"

#include <fmt/format.h>

#include <cmath>

#include "ridgeline/physics/replica.h"
#include "ridgeline/physics/totals.h"
#include "ridgeline/solve/model_checks.h"
#include "ridgeline/solve/serving.h"

namespace ridgeline::solve::inference_scaling {
namespace {

// Tokens whose steps are added one by one where the cache does not grow evenly.
constexpr std::int64_t kMostTokens = 10'000'000;

double as_double(std::int64_t n) {
  return static_cast<double>(n);
}

std::int64_t tokens_of(const Inputs& in) {
  return in.reasoning_steps * in.tokens_per_step;
}

serving::Inputs prompt_of(const Inputs& in) {
  serving::Inputs out;
  out.service = in.service;
  out.seq_len = in.context_length;
  out.batch_size = in.batch_size;
  return out;
}

struct Decode {
  Seconds time;
  Flops flop;  // of one device
};

Decode step_at(const Inputs& in, const physics::Replica& r, double context) {
  const double sequences = as_double(in.batch_size) * as_double(in.samples);
  const physics::DecodeLoad load{.sequences = sequences, .context = context, .tp = r.tp};
  const physics::StepWork work = physics::decode_work(r.model, r.count, load);
  return {physics::step_of(r, work, sequences, r.decode_overhead).total(), work.flop};
}

// All steps. In the roofline's time the larger of two lines is no line: the closed form holds only
// where the same one is larger at both ends.
Decode decode(const Inputs& in, const physics::Replica& r) {
  const std::int64_t n = tokens_of(in);
  Decode sum;
  if (n == 0) return sum;
  const double c = as_double(in.context_length), last = c + as_double(n - 1);
  const Decode first = step_at(in, r, c), middle = step_at(in, r, (c + last) / 2);
  const Decode end = step_at(in, r, last);
  constexpr double kSame = 1e-12;
  const double bend = ((first.time + end.time) / 2 - middle.time) / middle.time;
  if (std::fabs(bend) < kSame) return {as_double(n) * middle.time, as_double(n) * middle.flop};
  for (std::int64_t j = 0; j < n; ++j) {
    const Decode one = step_at(in, r, c + as_double(j));
    sum.time = sum.time + one.time;
    sum.flop = sum.flop + one.flop;
  }
  return sum;  // (1)
}

// The prompt once, and what each sample adds to it.
Bytes kv_of(const Inputs& in, const physics::ModelSums& model, double tp) {
  const double c = as_double(in.context_length), n = as_double(tokens_of(in));
  const Bytes prompt = physics::kept_kv(model, c, tp);
  const Bytes grown = physics::kept_kv(model, c + n, tp) - prompt;
  return as_double(in.batch_size) * (prompt + as_double(in.samples) * grown);  // (2)
}

std::optional<Joules> energy(const Inputs& in, const physics::Replica& r,
                             const serving::Output& prompt, const Decode& steps) {
  const Hardware& hw = in.service.hardware;
  if (!hw.tdp || !prompt.energy) return std::nullopt;
  const double i = in.service.setting.idle_power_fraction;
  const auto of = [&](Flops flop, Seconds time) {
    if (!(time > Seconds{})) return Joules{};
    const double u = physics::utilization(flop / r.pp, r.pace.peak, time);
    return r.devices() * physics::energy_of(*hw.tdp, i, u, time);
  };
  const physics::StepWork plain = physics::decode_work(
      r.model, r.count,
      {.sequences = as_double(in.batch_size), .context = as_double(in.context_length), .tp = r.tp});
  // serving counts the prefill and one step, which is taken out again.
  return *prompt.energy - of(plain.flop, prompt.itl) + of(steps.flop, steps.time);
}

}  // namespace

Result<Inputs> check(const Inputs& given) {
  Inputs in = given;
  RIDGELINE_CHECK(check_number("context_length", in.context_length, 1));
  RIDGELINE_CHECK(check_number("reasoning_steps", in.reasoning_steps, 0));
  RIDGELINE_CHECK(check_number("tokens_per_step", in.tokens_per_step, 0));
  if (as_double(in.reasoning_steps) * as_double(in.tokens_per_step) > kMostTokens) {
    return out_of_range(
        "tokens_per_step",
        fmt::format("{} steps of {} tokens", in.reasoning_steps, in.tokens_per_step),
        fmt::format("at most {} tokens in all", kMostTokens));
  }
  RIDGELINE_CHECK(check_degree_of("samples", in.samples));
  RIDGELINE_CHECK(check_fraction("success_probability", in.success_probability));
  RIDGELINE_CHECK(check_amount_or_zero("verifier", in.verifier));
  RIDGELINE_CHECK(check_amount_or_zero("hourly_rental_price", in.hourly_rental_price));
  RIDGELINE_TRY(const serving::Inputs prompt, serving::check(prompt_of(in)));
  in.service = prompt.service;
  return in;
}

Output solve(const Inputs& in) {
  const physics::Replica r = replica_of(in.service, in.service.hardware);
  const auto checked = serving::check(prompt_of(in));
  const serving::Output prompt = serving::solve(*checked);
  const Decode steps = decode(in, r);
  Output out{.ttft = prompt.ttft};
  out.tokens = tokens_of(in);
  out.total = prompt.ttft + steps.time + in.verifier;  // (1)
  if (out.tokens > 0) out.mean_itl = steps.time / as_double(out.tokens);
  out.final_kv = kv_of(in, r.model, 1);
  out.memory_required = physics::held_weights(r) + kv_of(in, r.model, r.tp) / r.pp;
  out.energy = energy(in, r, prompt, steps);  // (4)
  if (in.hourly_rental_price) {
    out.cost = r.devices() * (out.total * *in.hourly_rental_price);  // (5)
  }
  if (in.success_probability) {
    out.pass_fraction = -std::expm1(as_double(in.samples) * std::log1p(-*in.success_probability));
    if (*in.success_probability == 1) out.pass_fraction = 1;  // (3)
  }
  const Bytes usable = physics::usable_memory(in.service.hardware, in.service.setting);
  out.feasible = out.memory_required <= usable;
  out.reason = out.feasible ? Reason::none : Reason::memory;
  return out;
}

}  // namespace ridgeline::solve::inference_scaling
