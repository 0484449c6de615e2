#pragma once

#include <cstdint>
#include <tuple>

#include "ridgeline/base/few.h"
#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"
#include "ridgeline/solve/training_memory.h"
#include "ridgeline/spec/precision.h"

namespace ridgeline::solve::zero_sharding {

inline constexpr char kCard[] = R"(
What do the stages of ZeRO leave on each device, and what do they send for it?

Equations, of n data-parallel devices
  (1) w = P b, g = P b, o = P o_B                    o_B as in training-memory (3)
  (2) bytes by stage 0 to 3: w + g + o,  w + g + o/n,  w + (g + o)/n,  (w + g + o)/n
                                                                         [rajbhandari2020]
  (3) traffic in all-reduces of the gradients: 1, 1, 1, 1.5: stage 3 gathers the weights twice
                                                                         [rajbhandari2020]
Assumes     one micro-batch a step; all parameters trained.
Leaves out  activations and buffers (training-memory), time (distributed).
Trust       n = 1 makes all stages equal; the bytes of n devices sum to the whole in stage 3.
)";

inline constexpr std::size_t kStages = 4;

struct Inputs {
  double params = 0;
  Precision precision = Precision::bf16;
  training_memory::Optimizer optimizer = training_memory::Optimizer::adam;
  std::int64_t devices = 1;

  static constexpr auto fields() {
    return std::tuple(field(&Inputs::params, "parameters_count", "P", "parameters"),
                      field(&Inputs::precision, "precision", "b", "of weights and gradients"),
                      field(&Inputs::optimizer, "optimizer", "o_B", "whose states are held"),
                      field(&Inputs::devices, "devices", "n", "that share the states"));
  }
};

struct Output {
  Bytes weights, gradients, optimizer;
  Few<double, kStages> stage_bytes, traffic_multiple;

  static constexpr auto fields() {
    return std::tuple(field(&Output::weights, "weights", "w", "whole"),
                      field(&Output::gradients, "gradients", "g", "whole"),
                      field(&Output::optimizer, "optimizer", "o", "whole"),
                      field(&Output::stage_bytes, "stage_bytes", "", "of a device, stage 0 to 3"),
                      field(&Output::traffic_multiple, "traffic_multiple", "",
                            "all-reduces that it sends, stage 0 to 3"));
  }
};

Result<Inputs> check(const Inputs& in);

// Pure and allocation-free. REQUIRES: `in` passed check().
Output solve(const Inputs& in);

}  // namespace ridgeline::solve::zero_sharding
