#pragma once

#include <optional>
#include <tuple>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"
#include "ridgeline/physics/flop_count.h"
#include "ridgeline/solve/subject.h"
#include "ridgeline/spec/precision.h"

namespace ridgeline::solve::mfu {

inline constexpr char kCard[] = R"(
What share of the peak did a training run reach; or, of its tokens, time, devices and rate, what
follows for the ones not given?

Equations
  (1) flop per token = 6 N + 3 attention(S)/S            model FLOP, training     [chowdhery2022]
  (2) total          = flop per token x tokens
  (3) device time    = devices x time                    (2 664 000 device-hours = 2048 x 54.2 days)
  (4) tokens         = tokens per s and device x device time
  (5) achieved       = total/device time = flop per token x tokens per s and device
  (6) MFU            = achieved/peak                     whatever is recomputed   [chowdhery2022]
Assumes     N = active parameters less the input table, with --count-embedding all of them; causal
            pairs, half of all, unless told otherwise; none without a sequence length or for totals;
            dense peak of one device.
Leaves out  hardware FLOP of recomputation (HFU); time lost to failures, unless in the time given.
Trust       MFU is only comparable at the same convention: both are printed with it.
)";

struct Inputs {
  std::optional<double> tokens;
  std::optional<Seconds> time;
  std::optional<double> devices;
  std::optional<double> device_hours;
  std::optional<double> tokens_per_s_per_device;
  std::optional<FlopsPerSecond> achieved;  // of one device
  std::optional<FlopsPerSecond> peak;      // else the machine's, at `precision`
  Precision precision = Precision::bf16;
  std::optional<double> seq_len;
  std::optional<physics::AttentionCount> attention_count;  // causal; none without a length
  bool count_embedding = false;

  static constexpr auto fields() {
    return std::tuple(
        field(&Inputs::tokens, "tokens", "", "tokens trained on"),
        field(&Inputs::time, "time", "", "wall-clock time"),
        field(&Inputs::devices, "devices", "", "devices"),
        field(&Inputs::device_hours, "device_hours", "", "devices x hours"),
        field(&Inputs::tokens_per_s_per_device, "tokens_per_s_per_device", "", "speed"),
        field(&Inputs::achieved, "achieved", "", "model FLOP per second and device"),
        field(&Inputs::peak, "peak", "R", "dense rate of a device"),
        field(&Inputs::precision, "precision", "", "of the machine's rate"),
        field(&Inputs::seq_len, "seq_len", "S", "tokens per sequence, for attention"),
        field(&Inputs::attention_count, "attention_count", "", "causal, full or none"),
        field(&Inputs::count_embedding, "count_embedding", "", "N includes the input table"));
  }
};

struct Output {
  std::optional<double> flop_per_token;
  std::optional<Flops> total;
  std::optional<double> achieved_flop_per_s_per_device;
  std::optional<double> mfu_fraction;
  std::optional<Seconds> time;
  std::optional<double> tokens, devices, device_hours, tokens_per_s_per_device;
  std::optional<double> params_in_flop;  // N
  physics::AttentionCount attention_count = physics::AttentionCount::causal;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::flop_per_token, "flop_per_token", "", "model FLOP of one token"),
        field(&Output::total, "total", "", "model FLOP of the run"),
        field(&Output::achieved_flop_per_s_per_device, "achieved_flop_per_s_per_device", "",
              "model FLOP per second and device"),
        field(&Output::mfu_fraction, "mfu_fraction", "MFU", "share of the dense peak"),
        field(&Output::time, "time", "", "wall-clock time"),
        field(&Output::tokens, "tokens", "", "tokens trained on"),
        field(&Output::devices, "devices", "", "devices"),
        field(&Output::device_hours, "device_hours", "", "devices x hours"),
        field(&Output::tokens_per_s_per_device, "tokens_per_s_per_device", "", "speed"),
        field(&Output::params_in_flop, "params_in_flop", "N", "parameters that are counted"),
        field(&Output::attention_count, "attention_count", "", "the convention used"));
  }
};

// Fills the peak from the machine and the convention. Quantities that contradict each other are a
// conflict.
Result<Inputs> check(const Inputs& in, const Subject& subject);

// Pure. REQUIRES: `in` came from check().
Output solve(const Inputs& in, const Subject& subject);

}  // namespace ridgeline::solve::mfu
