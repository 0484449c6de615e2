// Fit of training: does a step of training fit its devices; if not, what frees most; how fast it
// would be; and the smallest of many machines that holds it.
//
//   need      = peak stage of training-memory + runtime (driver context, buffers of collectives)
//   longest   = largest S with need <= u M, by bisection: every part grows with S
//   batch     = largest micro-batch that fits x replicas x micro-batches
//   speed     = step of distributed under the same plan
//   change    = one thing done otherwise, on as many devices; freed = its need less this one's
//   plan      = where degrees are open: of tp x pp x dp = devices, tp within the innermost links,
//               experts split as the rest is or over all of tp x dp, and of what is open among ZeRO
//               stages and recomputation, the fastest that fits; else the one that needs least
//   smallest  = least memory in all (devices x capacity), then fewest devices
// Each is one training-memory [see training_memory.h]; nothing is assumed on top of it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/label.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"
#include "ridgeline/physics/pace.h"
#include "ridgeline/solve/answer.h"
#include "ridgeline/solve/subject.h"
#include "ridgeline/solve/training_memory.h"
#include "ridgeline/spec/hardware.h"

namespace ridgeline::solve::fit_training {

struct Inputs {
  training_memory::Inputs training;
  std::optional<Bytes> runtime_memory;  // else that of an engine without captured graphs
  std::optional<double> efficiency;     // of the speed; else what the device sustains

  static constexpr auto fields() {
    return std::tuple(
        flat(&Inputs::training),
        field(&Inputs::runtime_memory, "runtime_memory", "", "context, graphs, buffers; measured"),
        field(&Inputs::efficiency, "efficiency", "e", "share of the peak, for the speed"));
  }
};

struct Speed {
  Seconds step;
  double tokens_per_s = 0;
  double mfu_fraction = 0;
  double bubble_fraction = 0;
  physics::Basis basis = physics::Basis::estimate;

  static constexpr auto fields() {
    return std::tuple(
        field(&Speed::step, "step", "", "time of a step"),
        field(&Speed::tokens_per_s, "tokens_per_s", "", "of all devices"),
        field(&Speed::mfu_fraction, "mfu_fraction", "MFU", "model FLOP over the peak"),
        field(&Speed::bubble_fraction, "bubble_fraction", "", "of a step, stages wait"),
        field(&Speed::basis, "basis", "", "how far the times can be trusted"));
  }
};

// A plan that was looked for.
struct Choice {
  std::int64_t devices = 1, tp = 1, pp = 1, dp = 1, ep = 1, zero_stage = 0, microbatch_count = 1;
  physics::Recompute activation_checkpointing = physics::Recompute::none;
  Bytes total;  // of the fullest device
  bool fits = false;

  static constexpr auto fields() {
    return std::tuple(
        field(&Choice::devices, "devices", "", "devices used"),
        field(&Choice::tp, "tp", "", "tensor-parallel ranks"),
        field(&Choice::pp, "pp", "", "pipeline stages"),
        field(&Choice::dp, "dp", "", "data-parallel replicas"),
        field(&Choice::ep, "ep", "", "expert-parallel ranks"),
        field(&Choice::zero_stage, "zero_stage", "", "what they share out"),
        field(&Choice::microbatch_count, "microbatch_count", "m", "micro-batches of a replica"),
        field(&Choice::activation_checkpointing, "activation_checkpointing", "",
              "what is computed anew"),
        field(&Choice::total, "total", "", "of the fullest device"),
        field(&Choice::fits, "fits", "", "it holds that"));
  }
};

// One thing done otherwise.
struct Change {
  Label flags;  // that ask for it
  bool fits = false;
  Bytes total, freed;  // of the fullest device
  std::optional<Seconds> step;

  static constexpr auto fields() {
    return std::tuple(field(&Change::flags, "flags", "", "that ask for it"),
                      field(&Change::fits, "fits", "", "every device holds its part then"),
                      field(&Change::total, "total", "", "of the fullest device"),
                      field(&Change::freed, "freed", "", "of it, against the plan asked for"),
                      field(&Change::step, "step", "", "time of a step"));
  }
};

struct Output {
  std::optional<bool> fits;
  std::optional<Bytes> total, usable, headroom;  // of the fullest device, runtime included
  Bytes runtime;
  std::int64_t limiting_rank = 0;  // index of the fullest stage
  std::optional<std::int64_t> max_context_tokens, max_batch, largest_micro_batch, micro_batch;
  std::optional<Bytes> state, host;  // of the fullest device
  std::optional<double> state_bytes_per_param;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::fits, "fits", "", "every device holds its part"),
        field(&Output::headroom, "headroom", "", "usable less needed; below zero: what is lacking"),
        field(&Output::total, "total", "", "of the fullest device, runtime included"),
        field(&Output::usable, "usable", "u M", "memory that may be used, per device"),
        field(&Output::runtime, "runtime", "", "driver context, buffers of collectives"),
        field(&Output::limiting_rank, "limiting_rank", "", "index of the fullest in ranks"),
        field(&Output::max_context_tokens, "max_context_tokens", "", "longest sequence that fits"),
        field(&Output::max_batch, "max_batch", "", "largest batch of a step that fits"),
        field(&Output::micro_batch, "micro_batch", "mb", "sequences of a micro-batch"),
        field(&Output::largest_micro_batch, "largest_micro_batch", "", "that would fit"),
        field(&Output::state, "state", "", "weights, gradients and optimizer of that device"),
        field(&Output::state_bytes_per_param, "state_bytes_per_param", "",
              "over the parameters it holds before ZeRO"),
        field(&Output::host, "host", "", "in host memory instead"));
  }
};

// What a caller has left open, to be chosen.
struct Open {
  bool degrees = false, zero = false, recompute = false, micro_batches = false;
};

// What is done anew in the backward pass, from the most memory to the least.
inline constexpr std::array kRecomputes = {physics::Recompute::none, physics::Recompute::selective,
                                           physics::Recompute::full};

Result<Inputs> check(const Inputs& in, const Subject& subject);

// REQUIRES for all below: `in` came from check() with the same subject.
// Devices of the plan; what the fullest of them needs, runtime included; does it hold so much?
std::int64_t devices_of(const training_memory::Inputs& in);
Bytes total_of(const Inputs& in, const Subject& subject);
bool fits(const Inputs& in, Bytes total);

Answer<Output, training_memory::Stage> solve(const Inputs& in, const Subject& subject);

// Empty without batch and length, for models that cannot be counted, and where the cluster cannot
// be cut to the plan's devices.
std::optional<Speed> speed_of(const Inputs& in, const Subject& subject, const Cluster& cluster);

// Of the changes that can be made, those that free most first. `cluster` null: no speeds.
std::vector<Change> changes(const Inputs& in, const Subject& subject, const Cluster* cluster);

// Puts the plan of so many devices into `in`. Empty: no plan divides the model so.
std::optional<Choice> choose(Inputs& in, const Subject& subject, std::int64_t devices,
                             const Open& open, const Cluster* cluster);

struct Smallest {
  std::size_t machine = 0;  // index in the list
  Choice choice;
};
// Degrees are replaced, and what is open is chosen for the least memory.
std::optional<Smallest> smallest_machine(const Inputs& in, const Subject& subject,
                                         std::span<const Machine> machines, const Open& open);

}  // namespace ridgeline::solve::fit_training
