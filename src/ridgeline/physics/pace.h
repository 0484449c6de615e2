// Pace: how fast a device works through a step under a setting.
//
//   t_compute = F/(R e)      t_memory = max over memories of Q_j/(BW_j e_m) (1) t_step    =
//   max(t_compute, t_memory) + overhead + exposed messages                       (2, 3) bound     =
//   the largest of compute, memory, network, overhead; ties in that order            (4) E = TDP (i
//   + (1 - i) u) T, u = HFU: counts FLOP only, so a lower bound of
//               memory-bound work (5)
// (1)-(4) [williams2009]; (5) is the linear form of [barroso2007].
// Efficiencies are flat when one is given, else what the device sustains, else 1 (data sheet).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ridgeline/base/units.h"
#include "ridgeline/physics/setting.h"
#include "ridgeline/physics/totals.h"
#include "ridgeline/spec/hardware.h"
#include "ridgeline/spec/totals.h"

namespace ridgeline::physics {

enum class TimeBound : std::uint8_t { compute, memory, network, overhead };

inline std::span<const char* const> names_of(TimeBound) {
  static constexpr std::array<const char*, 4> kNames = {"compute", "memory", "network", "overhead"};
  return kNames;
}

// Where efficiencies come from.
enum class Basis : std::uint8_t { calibrated, datasheet, estimate };

inline std::span<const char* const> names_of(Basis) {
  static constexpr std::array<const char*, 3> kNames = {"calibrated", "datasheet", "estimate"};
  return kNames;
}
Basis basis_of(const Hardware& hardware, const Setting& setting);

struct Pace {
  FlopsPerSecond peak;            // R
  FlopsPerSecond rate;            // R e
  FlopsPerSecond attention_rate;  // of attention kernels; R e where they are not known apart
  BytesPerSecond bandwidth;       // BW e_m
  double memory_efficiency = 1;
  double network_efficiency = 1;
  Seconds step_overhead, layer_overhead;

  // Arithmetic of which `attention` is done by attention kernels.
  Seconds compute_time(Flops flop, Flops attention) const {
    if (attention_rate == rate) return flop / rate;
    return (flop - attention) / rate + attention / attention_rate;
  }

  // The overhead of a step of so many layers.
  Seconds overhead(double layers) const { return step_overhead + layers * layer_overhead; }
};

// REQUIRES: checked hardware, with a rate at `activation` and a memory bandwidth.
Pace pace_of(const Hardware& hardware, const Setting& setting, Precision activation);

// The precision whose rate counts: what is asked for, else that of the activations where the device
// has a rate for it, else bf16.
Precision compute_precision(const Hardware& hardware, const Totals& totals, const Setting& setting);

// Share of a link's rate where there may be no device.
double network_efficiency(const Hardware* hardware, const Setting& setting);

struct StepTime {
  Seconds compute, memory, network, overhead;

  Seconds busy() const { return compute > memory ? compute : memory; }  // roofline
  Seconds total() const { return busy() + overhead + network; }         // (2), (3)
  TimeBound bound() const;                                              // (4)
};

// The time of `work` in main memory; messages and overhead as given.
StepTime step_time(const StepWork& work, const Pace& pace, Seconds overhead, Seconds network);

// Memory that may be used: M u less what the runtime keeps, and that share u; 1 when flat, else
// 0.9.
double memory_share(const Setting& setting);
Bytes usable_memory(const Hardware& hardware, const Setting& setting);

// Model or hardware FLOP over what the peak allows in the time.
double utilization(Flops flop, FlopsPerSecond peak, Seconds time);

// Energy of one device over the time, (5).
Joules energy_of(Watts tdp, double idle_fraction, double utilization, Seconds time);

}  // namespace ridgeline::physics
