// Training on a machine in part or whole, for the front of explore/fleet.h: of each number of
// devices the fastest plan that fits. A slower plan on as many devices costs more of everything, as
// the FLOP of a step are the model's: ours.
#pragma once

#include <cstdint>
#include <vector>

#include "ridgeline/explore/fleet.h"
#include "ridgeline/solve/fit_training.h"
#include "ridgeline/spec/hardware.h"

namespace ridgeline::explore {

struct TrainingCandidate {
  solve::fit_training::Inputs in;  // the plan
  solve::fit_training::Choice choice;
  solve::fit_training::Speed speed;
};

// Devices: a node, doubled up to the machine, and all of it. `in` has batch and length; its degrees
// are replaced. REQUIRES: `in` came from fit_training::check() with the same subject.
std::vector<TrainingCandidate> training_candidates(const solve::fit_training::Inputs& in,
                                                   const solve::Subject& subject,
                                                   const Cluster& cluster);

// A step.
Pass pass_of(const TrainingCandidate& candidate);
std::array<double, kMetricCount> metrics_of(const TrainingCandidate& candidate);

// What doubling rates of devices and links does to a candidate, its plan kept.
std::vector<FleetSensitivity> sensitivity_to_rates(const TrainingCandidate& candidate,
                                                   const solve::Subject& subject,
                                                   const Cluster& cluster, const Terms& terms);

}  // namespace ridgeline::explore
