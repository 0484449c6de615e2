#include "ridgeline/solve/energy_per_token.h"

#include <fmt/format.h>

#include "ridgeline/solve/model_checks.h"

namespace ridgeline::solve::energy_per_token {
namespace {

using physics::Replica;

double as_double(std::int64_t n) {
  return static_cast<double>(n);
}

// A step of all devices.
struct Step {
  Flops flop;
  Bytes bytes, sram, host, flash, sent;
  std::optional<Seconds> time;
  double tokens = 1;
  double ranks = 1, devices = 1;  // that work at once, and in all
};

Step given_step(const Work& work) {
  return {.flop = work.flop.value_or(Flops{}),
          .bytes = work.bytes.value_or(Bytes{}),
          .sram = work.sram.value_or(Bytes{}),
          .host = work.host.value_or(Bytes{}),
          .flash = work.flash.value_or(Bytes{}),
          .sent = work.messages.value_or(Bytes{}),
          .time = work.time,
          .tokens = work.tokens};
}

Step model_step(const Inputs& in, const Replica& r) {
  const double B = as_double(in.batch_size);
  const bool decodes = in.phase == Phase::decode;
  const double tokens = decodes ? B : B * as_double(in.seq_len);
  const physics::StepWork work =
      decodes ? physics::decode_work(r.model, r.count,
                                     {.sequences = B, .context = as_double(in.seq_len), .tp = r.tp})
              : physics::prefill_work(
                    r.model, r.count,
                    {.part = {in.seq_len, 0, in.seq_len}, .sequences = B, .tp = r.tp});
  const Seconds overhead = decodes ? r.decode_overhead : r.prefill_overhead;
  return {.flop = r.tp * work.flop,
          .bytes = r.tp * work.bytes(),
          .sent = r.tp * physics::sent_bytes(r, tokens),
          .time = physics::step_of(r, work, tokens, overhead).total(),
          .tokens = tokens,
          .ranks = r.tp,
          .devices = r.devices()};
}

Precision precision_of(const Inputs& in) {
  if (!in.work.is_given()) {
    return physics::compute_precision(in.service.hardware, in.service.model, in.service.setting);
  }
  const physics::Setting& s = in.service.setting;
  return s.activation_precision.value_or(s.precision.value_or(Precision::bf16));
}

// Energy of an operation in the number format of the step, where it is known.
std::optional<JoulesPerFlop> flop_energy(const Inputs& in) {
  for (const FormatEnergy& format : in.coefficients.formats) {
    if (format.precision == precision_of(in)) return format.energy_per_flop;
  }
  return in.coefficients.flop;
}

Joules of(const std::optional<JoulesPerByte>& coefficient, Bytes bytes) {
  return coefficient ? *coefficient * bytes : Joules{};
}

struct Dynamic {
  Joules compute, memory, link;
  Joules all() const { return compute + memory + link; }
};

Dynamic dynamic(const Inputs& in, const Step& step) {
  const Coefficients& c = in.coefficients;
  return {.compute = flop_energy(in).value_or(JoulesPerFlop{}) * step.flop,
          .memory = of(c.memory, step.bytes) + of(c.sram, step.sram) + of(c.host, step.host) +
                    of(c.flash, step.flash),
          .link = of(c.link, step.sent)};  // (1)
}

// The time under the limit, (2), (3).
void put_time(const Coefficients& c, const Step& step, Joules D, Output& out) {
  if (!step.time) return;
  const Seconds T = *step.time;
  const Watts power = D / (step.ranks * T) + *c.static_power;
  out.unthrottled_step = out.step = T;
  out.power = power;
  if (c.tdp && power > *c.tdp) {
    out.throttled = true;
    out.step = D / (step.ranks * (*c.tdp - *c.static_power));
    out.power = *c.tdp;
  }
  out.tokens_per_s = step.tokens / out.step->base();
}

// ---- check ----

Status check_coefficients(const Coefficients& c) {
  RIDGELINE_CHECK(check_amount_or_zero("energy_per_flop", c.flop));
  for (const FormatEnergy& format : c.formats) {
    RIDGELINE_CHECK(below("energy_per_flop_by_precision",
                          check_amount_or_zero("energy_per_flop", format.energy_per_flop)));
  }
  RIDGELINE_CHECK(check_amount_or_zero("energy_per_memory_byte", c.memory));
  RIDGELINE_CHECK(check_amount_or_zero("energy_per_sram_byte", c.sram));
  RIDGELINE_CHECK(check_amount_or_zero("energy_per_host_byte", c.host));
  RIDGELINE_CHECK(check_amount_or_zero("energy_per_flash_byte", c.flash));
  RIDGELINE_CHECK(check_amount_or_zero("energy_per_link_byte", c.link));
  RIDGELINE_CHECK(check_amount_or_zero("static_power", c.static_power));
  return check_amount("tdp", c.tdp);
}

Status check_work(const Work& w) {
  RIDGELINE_CHECK(check_amount_or_zero("flop", w.flop));
  RIDGELINE_CHECK(check_amount_or_zero("bytes", w.bytes));
  RIDGELINE_CHECK(check_amount_or_zero("sram_bytes", w.sram));
  RIDGELINE_CHECK(check_amount_or_zero("host_bytes", w.host));
  RIDGELINE_CHECK(check_amount_or_zero("flash_bytes", w.flash));
  RIDGELINE_CHECK(check_amount_or_zero("message_bytes", w.messages));
  RIDGELINE_CHECK(check_amount("time", w.time));
  return check_amount("tokens", w.tokens);
}

// Work of which the energy is not known is an error, never nothing.
template <class Coefficient, class Amount>
Status check_known(const char* name, const std::optional<Coefficient>& coefficient, Amount amount) {
  if (coefficient || amount == Amount{}) return Ok{};
  return missing(name, fmt::format("{} is missing: the step has such work", name),
                 "0 leaves it out");
}

Status check_all_known(const Inputs& in, const Step& step) {
  const Coefficients& c = in.coefficients;
  RIDGELINE_CHECK(check_known("energy_per_flop", flop_energy(in), step.flop));
  RIDGELINE_CHECK(check_known("energy_per_memory_byte", c.memory, step.bytes));
  RIDGELINE_CHECK(check_known("energy_per_sram_byte", c.sram, step.sram));
  RIDGELINE_CHECK(check_known("energy_per_host_byte", c.host, step.host));
  RIDGELINE_CHECK(check_known("energy_per_flash_byte", c.flash, step.flash));
  return check_known("energy_per_link_byte", c.link, step.sent);
}

// Static power, and that the limit leaves something to work with.
Status take_power(Inputs& in) {
  Coefficients& c = in.coefficients;
  const double idle = in.service.setting.idle_power_fraction;
  if (!c.tdp) c.tdp = in.service.hardware.tdp;
  const bool given = c.static_power.has_value();
  if (!given && c.tdp) c.static_power = idle * *c.tdp;
  if (!c.static_power) {
    return missing("static_power", "static power is missing: a device draws it all the time",
                   "static_power, or tdp for a share of it; 0 leaves it out");
  }
  if (!c.tdp || *c.static_power < *c.tdp) return Ok{};
  return out_of_range(given ? "static_power" : "idle_power_fraction",
                      "static power leaves nothing of the power limit", "less than tdp");
}

}  // namespace

Result<Inputs> check(const Inputs& given) {
  Inputs in = given;
  RIDGELINE_CHECK(check_coefficients(in.coefficients));
  RIDGELINE_CHECK(check_work(in.work));
  RIDGELINE_CHECK(check_number("seq_len", in.seq_len, 1));
  RIDGELINE_CHECK(check_number("batch_size", in.batch_size, 1));
  if (in.work.is_given()) {
    if (in.service.model.params > 0) {
      return conflict("model", "the work of a step is given in its place", "keep one of them");
    }
    RIDGELINE_CHECK(check_setting(in.service.setting));
    if (in.work.time) RIDGELINE_CHECK(take_power(in));
    RIDGELINE_CHECK(check_all_known(in, given_step(in.work)));
    return in;
  }
  RIDGELINE_TRY(in.service, check_service(given.service));
  RIDGELINE_CHECK(take_power(in));
  const Replica r = replica_of(in.service, in.service.hardware);
  RIDGELINE_CHECK(check_all_known(in, model_step(in, r)));
  return in;
}

Output solve(const Inputs& in) {
  Output out;
  Step step = given_step(in.work);
  if (!in.work.is_given()) {
    const Replica r = replica_of(in.service, in.service.hardware);
    step = model_step(in, r);
    const Bytes held = physics::held_weights(r) +
                       as_double(in.batch_size) * physics::held_kv(r, as_double(in.seq_len));
    out.feasible = held <= physics::usable_memory(in.service.hardware, in.service.setting);
    out.reason = out.feasible ? Reason::none : Reason::memory;
  }
  const Dynamic D = dynamic(in, step);
  put_time(in.coefficients, step, D.all(), out);
  Joules idle;
  if (out.step) idle = step.devices * (*in.coefficients.static_power * *out.step);
  out.energy = D.all() + idle;  // (4)
  out.compute = D.compute / step.tokens;
  out.memory = D.memory / step.tokens;
  out.link = D.link / step.tokens;
  out.static_energy = idle / step.tokens;
  out.energy_per_token = out.energy / step.tokens;
  return out;
}

}  // namespace ridgeline::solve::energy_per_token
