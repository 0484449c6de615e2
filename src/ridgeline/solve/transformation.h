#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <tuple>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"

namespace ridgeline::solve::transformation {

inline constexpr char kCard[] = R"(
Does preprocessing on the host keep up with the devices?

Equations
  (1) t            = B bytes/(rate workers)      time to prepare a batch
  (2) step         = max(t, step_acc) when pipelined, else t + step_acc
  (3) utilisation  = step_acc/step,  slowdown = step/step_acc
  (4) workers      = ceil(B bytes/(rate step_acc))   with which a pipelined job does not wait
Assumes     workers share the batch evenly and do not slow each other.
Leaves out  reading the data (data); memory of the queue between.
Trust       with (4) workers a pipelined job's slowdown is 1, with one fewer it is more.
)";

enum class Bound : std::uint8_t { accelerator, transform };

inline std::span<const char* const> names_of(Bound) {
  static constexpr std::array<const char*, 2> kNames = {"accelerator", "transform"};
  return kNames;
}

struct Inputs {
  std::int64_t batch_size = 1;
  Bytes sample;
  BytesPerSecond cpu;
  std::int64_t workers = 1;
  Seconds accelerator_step;
  bool pipelined = true;

  static constexpr auto fields() {
    return std::tuple(
        field(&Inputs::batch_size, "batch_size", "B", "samples of a step"),
        field(&Inputs::sample, "sample", "bytes", "size of a sample"),
        field(&Inputs::cpu, "cpu", "rate", "that one worker prepares"),
        field(&Inputs::workers, "workers", "workers", "that prepare at once"),
        field(&Inputs::accelerator_step, "accelerator_step", "step_acc", "of the devices, fed"),
        field(&Inputs::pipelined, "pipelined", "",
              "the next batch is prepared while devices work"));
  }
};

struct Output {
  Seconds transform, step;
  double accelerator_utilization_fraction = 0;
  double slowdown = 1;
  std::int64_t workers_needed = 1;
  Bound bound = Bound::accelerator;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::transform, "transform", "t", "time to prepare a batch"),
        field(&Output::step, "step", "step", "of the job"),
        field(&Output::accelerator_utilization_fraction, "accelerator_utilization_fraction", "",
              "share of the step that devices work"),
        field(&Output::slowdown, "slowdown", "", "over devices that are always fed"),
        field(&Output::workers_needed, "workers_needed", "workers", "so that devices do not wait"),
        field(&Output::bound, "bound", "", "the longer part"));
  }
};

Result<Inputs> check(const Inputs& in);

// Pure and allocation-free. REQUIRES: `in` passed check().
Output solve(const Inputs& in);

}  // namespace ridgeline::solve::transformation
