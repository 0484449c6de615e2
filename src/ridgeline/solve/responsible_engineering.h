#pragma once

#include <cstdint>
#include <optional>
#include <tuple>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"
#include "ridgeline/solve/single_node.h"

namespace ridgeline::solve::responsible_engineering {

inline constexpr char kCard[] = R"(
What do privacy in training and groups that are rare in the data cost?

Equations
  (1) epsilon = min over orders a > 1 of steps RDP(a) + ln(1/delta)/(a - 1)
                                                             [abadi2016] [mironov2017]
      RDP(a)  = of Gaussian noise sigma on a share q of the records; q = 1: a/(2 sigma^2)
                                                                        [mironov2019]
  (2) time factor = as measured; lowered from a model: 1 + 3 B P b/(BW T), the gradients of every
      sample written once and read twice, for their norm and for the clipped sum; T the training
      step of single-node                                                 [abadi2016]
  (3) samples = (n + z sqrt n)/p, of which n belong to a group of share p in the data; z > 0 makes
      n likely rather than the mean: 1.645 for 95 %
Assumes     Poisson sampling, noise in multiples of the clipping norm; per-sample gradients are held
            at the precision of the activations; records of a group are drawn independently.
Leaves out  what accuracy the noise costs; larger batches that make up for it; memory.
Trust       epsilon falls with noise, tends to 0, and grows with steps; at q = 1 it is
            steps/(2 sigma^2) + sqrt(2 steps ln(1/delta))/sigma.
)";

struct Inputs {
  std::optional<double> noise_multiplier, sample_rate;
  std::optional<std::int64_t> steps;
  double delta = 1e-5;
  std::optional<double> per_sample_gradient_factor;
  std::optional<double> min_subgroup_prevalence, examples_needed;
  double confidence_z = 0;
  single_node::Inputs pass;  // of a model, if one is given

  static constexpr auto fields() {
    return std::tuple(
        field(&Inputs::noise_multiplier, "noise_multiplier", "sigma",
              "deviation of the noise over the clipping norm"),
        field(&Inputs::sample_rate, "sample_rate", "q", "share of the records in a batch"),
        field(&Inputs::steps, "steps", "steps", "of the optimizer"),
        field(&Inputs::delta, "delta", "delta", "chance that epsilon does not hold"),
        field(&Inputs::per_sample_gradient_factor, "per_sample_gradient_factor", "",
              "time of a step over that without privacy, measured"),
        field(&Inputs::min_subgroup_prevalence, "min_subgroup_prevalence", "p",
              "share of the rarest group in the data"),
        field(&Inputs::examples_needed, "examples_needed", "n", "of that group"),
        field(&Inputs::confidence_z, "confidence_z", "z", "deviations by which n is to be safe"),
        flat(&Inputs::pass));
  }
};

struct Output {
  std::optional<double> epsilon, order, time_factor, samples_needed;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::epsilon, "epsilon", "epsilon", "privacy that is spent; none without noise"),
        field(&Output::order, "order", "a", "that gives it"),
        field(&Output::time_factor, "time_factor", "", "step with privacy over one without"),
        field(&Output::samples_needed, "samples_needed", "samples", "to collect"));
  }
};

// Turns the pass into a training step.
Result<Inputs> check(const Inputs& in);

// Pure and allocation-free. REQUIRES: `in` came from check().
Output solve(const Inputs& in);

}  // namespace ridgeline::solve::responsible_engineering
