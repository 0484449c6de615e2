#pragma once

#include <cstdint>
#include <tuple>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/physics/pipeline_schedule.h"
#include "ridgeline/solve/answer.h"

namespace ridgeline::solve::pipeline {

inline constexpr char kCard[] = R"(
How much of a step do pipeline stages stand idle, and how many micro-batches must each one hold?

Equations
  (1) bubble/ideal = (p - 1)/(v m)                  1F1B, interleaved, GPipe  [narayanan2021]
  (2)              = (p - 1)(F + B - 2 W)/(m (F + B))          zero bubble 1P  [qi2023]
  (3)              = (p/2 - 1)(F&B + B - 3 W)/(m (F + B))             DualPipe [deepseek-v3]
  (4) bubble       = (bubble/ideal)/(1 + bubble/ideal)   share of the whole step
  (5) held at stage j = min(m, p - j)                    1F1B, zero bubble 1P  [narayanan2021]
                      = min(m v, 2 (p - j - 1) + (v - 1) p + 1)/v  interleaved [narayanan2021]
                      = m  GPipe [huang2019];  p + 1  DualPipe                 [deepseek-v3]
Assumes     equal stages; B = 2 F, of which weight gradients W = F; F&B = F + B.
Leaves out  transfers between stages, uneven stages, recomputation.
Trust       (1) is exact for equal stages: p - 1 of v m + p - 1 slots are idle.
)";

struct Inputs {
  std::int64_t pp = 1;
  std::int64_t microbatch_count = 1;
  std::int64_t v_stages = 1;
  physics::Schedule pipeline_schedule = physics::Schedule::one_f_one_b;

  static constexpr auto fields() {
    return std::tuple(
        field(&Inputs::pp, "pp", "p", "pipeline stages"),
        field(&Inputs::microbatch_count, "microbatch_count", "m", "micro-batches of a step"),
        field(&Inputs::v_stages, "v_stages", "v", "chunks of layers per stage"),
        field(&Inputs::pipeline_schedule, "pipeline_schedule", "", "order of the passes"));
  }
};

struct Output {
  double bubble_over_ideal_fraction = 0;
  double bubble_fraction = 0;

  static constexpr auto fields() {
    return std::tuple(field(&Output::bubble_over_ideal_fraction, "bubble_over_ideal_fraction", "",
                            "idle time over the time of the work itself"),
                      field(&Output::bubble_fraction, "bubble_fraction", "",
                            "share of the step that stages stand idle"));
  }
};

// One per stage, the first first.
struct Row {
  double in_flight_micro_batches = 0;

  static constexpr auto fields() {
    return std::tuple(field(&Row::in_flight_micro_batches, "in_flight_micro_batches", "",
                            "micro-batches whose activations the stage holds"));
  }
};

Result<Inputs> check(const Inputs& in);

// REQUIRES: `in` passed check().
Answer<Output, Row> solve(const Inputs& in);

}  // namespace ridgeline::solve::pipeline
