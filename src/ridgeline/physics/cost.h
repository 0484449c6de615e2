// Cost: a Step on the rates of a Machine, stage by stage, in closed form.
//
// Equations (docs/chiplet-model.md sections 5, 7, 9)
//   t_stage = max((m + v/nu)/(F u), bytes/B_h) + sum_l hops_l alpha_l + link_bytes_l/beta_l
//   latency = sum over layers and stages + EMB + HEAD + P2P
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ridgeline/spec/machine.h"
#include "ridgeline/spec/step.h"
#include "ridgeline/spec/workload.h"

namespace ridgeline::physics {

// The numbers of a machine that time depends on, in base units.
struct Rates {
  double flop_per_s = 0;          // F u: matrix rate that kernels reach
  double vector_fraction = 0;     // nu
  double memory_bytes_per_s = 0;  // B_h
  std::size_t levels = 0;
  std::array<double, kMaxLevels> latency_s{};
  std::array<double, kMaxLevels> bytes_per_s{};
};

// Rates at an activation precision (the chiplet machine has one rate for all).
Rates rates_of(const Machine& machine, Precision activation);

StageCost cost_of(const StageWork& work, const Rates& rates);

// Seconds of one pass; the plain evaluation. REQUIRES: a valid layout.
double latency_s(const Step& step, const Rates& rates);

// Seconds of one pass by what they wait for, by Bound: each stage's larger of compute and memory,
// and its network; their sum is the latency.
using BoundTimes = std::array<double, 3>;
BoundTimes bound_times(const Step& step, const Rates& rates);

// The largest of them; ties in the order of Bound.
Bound bound_of(const Step& step, const Rates& rates);

// Whole picoseconds, the unit in which latencies are compared: floor(ps + 0.5).
std::int64_t latency_key(double latency_s);

// The separable form: latency = sum_i n_i max(a_i/(F u), c_i/B_h) + sum_l A_l alpha_l + X_l/beta_l.
struct Term {
  double count;         // n_i
  double flop;          // a_i = m + v/nu
  double memory_bytes;  // c_i
};
struct Separable {
  std::vector<Term> terms;  // stages with no work left out
  Traffic traffic;          // A_l, X_l summed over layers and edges
};
void separate(const Step& step, double vector_fraction, std::size_t levels, Separable& out);

// Dynamic energy of one pass over all devices, in joules; static power comes on top with the
// latency.
double dynamic_energy_j(const Step& step, const Machine& machine, std::int64_t active_devices);

// What a configuration is judged by. `valid` false: latency-dependent values are NaN and printed
// null.
struct Objectives {
  bool valid = false;
  double latency_s = 0;
  double cost_score = 0;  // given: sum of knob / default
  std::int64_t devices_used = 0;
  double cost_x_devices = 0;
  double tokens_per_s = 0;
  double tokens_per_s_per_device = 0;
  double energy_j = 0;
  double energy_j_per_token = 0;
};

// What a Step contributes to the objectives whatever the rates.
struct StepFacts {
  std::int64_t devices_used = 0;
  std::int64_t memory_bytes = 0;
  double dynamic_energy_j = 0;
  double tokens = 0;  // produced or processed by the pass: batch * T_q
};
StepFacts facts_of(const Step& step, const Machine& machine, const Workload& work,
                   std::int64_t active_devices);
Objectives objectives_of(const StepFacts& facts, double latency_s, double cost_score,
                         Watts static_power);

}  // namespace ridgeline::physics
