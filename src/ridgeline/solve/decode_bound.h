#pragma once

#include <cstdint>
#include <tuple>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"
#include "ridgeline/physics/pace.h"
#include "ridgeline/physics/setting.h"
#include "ridgeline/spec/hardware.h"
#include "ridgeline/spec/totals.h"

namespace ridgeline::solve::decode_bound {

inline constexpr char kCard[] = R"(
Is a decode step bound by arithmetic or by reading the weights, and how far from the other?

Equations, without the KV cache
  (1) compute    = O B/(R e tp)                                                    [pope2022]
  (2) memory     = W_touch(B)/(BW e_m tp)
  (3) share      = memory/(memory + compute)
  (4) intensity  = O B/W_touch,  attainable = min(R e, intensity BW e_m)      [williams2009]
  (5) crossover  : compute = memory, of a dense model at B = R e b_w/(2 BW e_m)
Assumes     arithmetic and reading overlap; weights are divided evenly over tp.
Leaves out  KV cache, attention, messages, overheads (serving has them).
Trust       below the batch of (5) memory binds, above it arithmetic.
)";

struct Inputs {
  Totals model;
  Hardware hardware;
  physics::Setting setting;
  std::int64_t batch_size = 1;
  std::int64_t tp = 1;

  static constexpr auto fields() {
    return std::tuple(field(&Inputs::model, "model", "", "the model"),
                      field(&Inputs::hardware, "hardware", "", "each device"),
                      flat(&Inputs::setting),
                      field(&Inputs::batch_size, "batch_size", "B", "sequences of the step"),
                      field(&Inputs::tp, "tp_size", "tp", "devices that share the weights"));
  }
};

struct Output {
  Seconds compute, memory;
  double memory_share_fraction = 0;
  double intensity_flop_per_byte = 0;
  FlopsPerSecond attainable;
  physics::TimeBound bound = physics::TimeBound::compute;
  double crossover_batch = 0;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::compute, "compute", "compute", "arithmetic of the step"),
        field(&Output::memory, "memory", "memory", "reading the weights"),
        field(&Output::memory_share_fraction, "memory_share_fraction", "share",
              "of the sum of both"),
        field(&Output::intensity_flop_per_byte, "intensity_flop_per_byte", "", "of the step"),
        field(&Output::attainable, "attainable", "", "rate of one device at that intensity"),
        field(&Output::bound, "bound", "", "the longer"),
        field(&Output::crossover_batch, "crossover_batch", "",
              "at which both are as long, all weights read"));
  }
};

Result<Inputs> check(const Inputs& in);

// Pure and allocation-free. REQUIRES: `in` passed check().
Output solve(const Inputs& in);

}  // namespace ridgeline::solve::decode_bound
