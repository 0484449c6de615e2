#include "ridgeline/solve/mfu.h"

#include <fmt/format.h>

#include <cmath>

#include "ridgeline/physics/parameters.h"
#include "ridgeline/solve/checks.h"
#include "ridgeline/solve/model_flops.h"

namespace ridgeline::solve::mfu {
namespace {

using Known = std::optional<double>;
using physics::AttentionCount;

constexpr double kSecondsPerHour = 3600;
constexpr double kAgreement = 0.02;  // how far quantities given together may be apart

bool has_model(const Subject& s) {
  return s.model != nullptr || s.totals != nullptr;
}

Known counted_params(const Inputs& in, const Subject& s) {
  if (!has_model(s)) return std::nullopt;
  if (s.totals != nullptr) return s.totals->active();
  if (!s.model->why_no_count.empty()) return std::nullopt;
  return static_cast<double>(in.count_embedding ? physics::count_parameters(*s.model).active
                                                : physics::forward_params(*s.model));
}

Known attention_per_token(const Inputs& in, const Subject& s) {
  const AttentionCount count = *in.attention_count;
  if (count == AttentionCount::none) return 0;
  if (!in.seq_len) return std::nullopt;
  const Known forward = model_flops::attention_of_sequence(s, *in.seq_len, count);
  if (!forward) return std::nullopt;
  constexpr double kTraining = 3;
  return kTraining * *forward / *in.seq_len;
}

Known flop_per_token(const Inputs& in, const Subject& s) {
  const Known n = counted_params(in, s);
  if (!n) return std::nullopt;
  const Known attention = attention_per_token(in, s);
  if (!attention) return std::nullopt;
  const double states = s.model == nullptr || !in.seq_len
                            ? 0
                            : 3 * physics::state_flop(*s.model, *in.seq_len) / *in.seq_len;
  return model_flops::weight_factor(Pass::train, 1) * *n + *attention + states;  // (1)
}

// Fills `c` of a = b c, or b, or a, whichever alone is not known.
void relate(Known& product, Known& first, Known& second) {
  if (!product && first && second) product = *first * *second;
  if (product && first && !second) second = *product / *first;
  if (product && second && !first) first = *product / *second;
}

struct Quantities {
  Known tokens, time_s, devices, device_s, tokens_per_s, achieved, total, per_token;
};

Quantities given(const Inputs& in, const Subject& s) {
  Quantities q;
  q.tokens = in.tokens;
  if (in.time) q.time_s = in.time->base();
  q.devices = in.devices;
  if (in.device_hours) q.device_s = *in.device_hours * kSecondsPerHour;
  q.tokens_per_s = in.tokens_per_s_per_device;
  if (in.achieved) q.achieved = in.achieved->base();
  q.per_token = flop_per_token(in, s);
  return q;
}

void close(Quantities& q) {
  constexpr int kRounds = 4;  // each relation needs at most the three others first
  for (int round = 0; round < kRounds; ++round) {
    relate(q.total, q.per_token, q.tokens);           // (2)
    relate(q.device_s, q.devices, q.time_s);          // (3)
    relate(q.tokens, q.tokens_per_s, q.device_s);     // (4)
    relate(q.total, q.achieved, q.device_s);          // (5)
    relate(q.achieved, q.per_token, q.tokens_per_s);  // (5)
  }
}

bool agree(const Known& product, const Known& first, const Known& second) {
  if (!product || !first || !second) return true;
  return std::abs(*product - *first * *second) <= kAgreement * std::abs(*product);
}

Status check_agreement(const Quantities& q) {
  if (!agree(q.device_s, q.devices, q.time_s)) {
    return conflict("device_hours", "device_hours is not devices times time", "give two of them");
  }
  if (!agree(q.tokens, q.tokens_per_s, q.device_s)) {
    return conflict("tokens", "tokens is not tokens_per_s_per_device times devices times time",
                    "leave one out");
  }
  if (!agree(q.achieved, q.per_token, q.tokens_per_s) || !agree(q.total, q.achieved, q.device_s)) {
    return conflict("achieved", "achieved is not what model, tokens and time come to",
                    "leave one out");
  }
  return Ok{};
}

Status fill_peak(const Subject& s, Inputs& in) {
  if (in.peak || s.machine == nullptr) return Ok{};
  const FlopsPerSecond peak = s.machine->device.peak_of(in.precision);
  if (peak.base() <= 0) {
    return Error{ErrorCode::unsupported, "precision",
                 fmt::format("{} has no rate at this precision", s.machine->device.name),
                 "a precision that the device multiplies in, or --peak"};
  }
  in.peak = peak;
  return Ok{};
}

Status check_ranges(const Inputs& in) {
  RIDGELINE_CHECK(check_positive("tokens", in.tokens));
  RIDGELINE_CHECK(check_positive("time", in.time));
  RIDGELINE_CHECK(check_positive("devices", in.devices));
  RIDGELINE_CHECK(check_positive("device_hours", in.device_hours));
  RIDGELINE_CHECK(check_positive("tokens_per_s_per_device", in.tokens_per_s_per_device));
  RIDGELINE_CHECK(check_positive("achieved", in.achieved));
  RIDGELINE_CHECK(check_positive("peak", in.peak));
  return check_positive("seq_len", in.seq_len);
}

}  // namespace

Result<Inputs> check(const Inputs& given_inputs, const Subject& subject) {
  Inputs in = given_inputs;
  if (has_model(subject)) RIDGELINE_CHECK(check_countable(subject));
  RIDGELINE_CHECK(check_ranges(in));
  RIDGELINE_CHECK(fill_peak(subject, in));
  const bool needs_length = subject.model != nullptr && !in.seq_len;
  if (needs_length && in.attention_count.value_or(AttentionCount::none) != AttentionCount::none) {
    return missing("seq_len", "attention needs the length of a sequence",
                   "--seq-len 8192, or --attention-count none");
  }
  if (!in.attention_count) {
    const bool counts = subject.model != nullptr && in.seq_len;
    in.attention_count = counts ? AttentionCount::causal : AttentionCount::none;
  }
  Quantities q = given(in, subject);
  close(q);
  RIDGELINE_CHECK(check_agreement(q));
  return in;
}

Output solve(const Inputs& in, const Subject& subject) {
  Quantities q = given(in, subject);
  close(q);
  Output out;
  out.flop_per_token = q.per_token;
  if (q.total) out.total = Flops::from_base(*q.total);
  out.achieved_flop_per_s_per_device = q.achieved;
  if (q.achieved && in.peak) out.mfu_fraction = *q.achieved / in.peak->base();  // (6)
  if (q.time_s) out.time = Seconds::from_base(*q.time_s);
  out.tokens = q.tokens;
  out.devices = q.devices;
  if (q.device_s) out.device_hours = *q.device_s / kSecondsPerHour;
  out.tokens_per_s_per_device = q.tokens_per_s;
  out.params_in_flop = counted_params(in, subject);
  out.attention_count = *in.attention_count;
  return out;
}

}  // namespace ridgeline::solve::mfu
