#include "ridgeline/physics/pace.h"

#include <algorithm>

namespace ridgeline::physics {
namespace {

// Engines leave this share of the memory unused unless told otherwise [vllm].
constexpr double kUsualMemoryShare = 0.9;

// A flat setting says what it means: what it leaves out is ideal.
double share(const Setting& setting, const std::optional<double>& asked,
             const std::optional<double>& sustained) {
  if (asked) return *asked;
  return setting.is_flat() ? 1 : sustained.value_or(1);
}

Seconds overhead(const Setting& setting, const std::optional<Seconds>& asked,
                 const std::optional<Seconds>& sustained) {
  if (asked) return *asked;
  return setting.is_flat() ? Seconds{} : sustained.value_or(Seconds{});
}

}  // namespace

Basis basis_of(const Hardware& hardware, const Setting& setting) {
  if (setting.is_flat()) return Basis::estimate;
  if (hardware.sustained.measured) return Basis::calibrated;
  return hardware.sustained.any() ? Basis::estimate : Basis::datasheet;
}

Pace pace_of(const Hardware& hw, const Setting& setting, Precision activation) {
  const Sustained& known = hw.sustained;
  Pace pace;
  pace.peak = hw.rate_of(activation);
  const double at = known.compute_at[static_cast<std::size_t>(activation)];
  const std::optional<double> compute = at > 0 ? std::optional(at) : known.compute;
  pace.rate = pace.peak * share(setting, setting.efficiency, compute);
  pace.attention_rate = pace.rate;
  if (!setting.is_flat() && known.attention > 0 && hw.rate_of(Precision::bf16).base() > 0) {
    pace.attention_rate = known.attention * hw.rate_of(Precision::bf16);
  }
  const auto stored = static_cast<std::size_t>(setting.precision.value_or(activation));
  const double stream = known.memory_at[stored];
  const std::optional<double> memory = stream > 0 ? std::optional(stream) : known.memory;
  pace.memory_efficiency = share(setting, setting.memory_efficiency, memory);
  pace.bandwidth = hw.memory_bandwidth.value_or(BytesPerSecond{}) * pace.memory_efficiency;
  pace.network_efficiency = share(setting, setting.network_efficiency, known.network);
  pace.step_overhead = overhead(setting, setting.step_overhead, known.step_overhead);
  const Seconds launches = known.layer_overhead_at[stored];
  const std::optional<Seconds> layer =
      launches.base() > 0 ? std::optional(launches) : known.layer_overhead;
  pace.layer_overhead = overhead(setting, setting.layer_overhead, layer);
  return pace;
}

Precision compute_precision(const Hardware& hw, const Totals& totals, const Setting& setting) {
  const Precision wanted = activation_precision(totals, setting);
  const bool asked = setting.precision || setting.activation_precision;
  return asked || hw.rate_of(wanted).base() > 0 ? wanted : Precision::bf16;
}

double network_efficiency(const Hardware* hardware, const Setting& setting) {
  static const std::optional<double> kUnknown;
  return share(setting, setting.network_efficiency,
               hardware != nullptr ? hardware->sustained.network : kUnknown);
}

TimeBound StepTime::bound() const {
  const Seconds most = std::max({compute, memory, network, overhead});
  if (compute == most) return TimeBound::compute;
  if (memory == most) return TimeBound::memory;
  return network == most ? TimeBound::network : TimeBound::overhead;
}

StepTime step_time(const StepWork& work, const Pace& pace, Seconds overhead, Seconds network) {
  return {.compute = pace.compute_time(work.flop, work.attention),
          .memory = work.bytes() / pace.bandwidth,
          .network = network,
          .overhead = overhead};  // (1)
}

double memory_share(const Setting& setting) {
  return setting.memory_utilization.value_or(setting.is_flat() ? 1 : kUsualMemoryShare);
}

Bytes usable_memory(const Hardware& hw, const Setting& setting) {
  return hw.memory_capacity.value_or(Bytes{}) * memory_share(setting) -
         setting.reserved.value_or(Bytes{});
}

double utilization(Flops flop, FlopsPerSecond peak, Seconds time) {
  return flop / (peak * time);
}

Joules energy_of(Watts tdp, double idle_fraction, double utilization, Seconds time) {
  return tdp * (idle_fraction + (1 - idle_fraction) * utilization) * time;  // (5)
}

}  // namespace ridgeline::physics
