#include "ridgeline/physics/cost.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ridgeline::physics {
namespace {

double network_s(const Traffic& traffic, const Rates& rates) {
  double t = 0;
  for (std::size_t l = 0; l < rates.levels; ++l) {
    t += traffic.hops[l] * rates.latency_s[l] + traffic.link_bytes[l] / rates.bytes_per_s[l];
  }
  return t;
}

double stage_s(const StageWork& w, const Rates& rates) {
  const double compute = (w.matrix_flop + w.vector_flop / rates.vector_fraction) / rates.flop_per_s;
  return std::max(compute, w.memory_bytes / rates.memory_bytes_per_s) + network_s(w.traffic, rates);
}

Bound largest(const StageCost& cost) {
  if (cost.compute_s >= cost.memory_s && cost.compute_s >= cost.network_s) return Bound::compute;
  return cost.memory_s >= cost.network_s ? Bound::memory : Bound::network;
}

void add_term(const StageWork& w, double count, double vector_fraction, std::size_t levels,
              Separable& out) {
  const double flop = w.matrix_flop + w.vector_flop / vector_fraction;
  if (flop != 0 || w.memory_bytes != 0) out.terms.push_back({count, flop, w.memory_bytes});
  for (std::size_t l = 0; l < levels; ++l) {
    out.traffic.hops[l] += count * w.traffic.hops[l];
    out.traffic.link_bytes[l] += count * w.traffic.link_bytes[l];
  }
}

double stage_energy_j(const StageWork& w, const Step& step, const Machine& machine) {
  double e = (w.matrix_flop + w.vector_flop) * machine.device.energy_per_flop.base() +
             w.memory_bytes * machine.device.energy_per_memory_byte.base();
  for (std::size_t l = 0; l < machine.levels.size(); ++l) {
    e += w.traffic.link_bytes[l] / step.layout.sharing[l] * machine.energy_per_link_byte[l].base();
  }
  return e;
}

}  // namespace

Rates rates_of(const Machine& machine, Precision activation) {
  const Accelerator& device = machine.device;
  const FlopsPerSecond own = device.peak_of(activation);
  const FlopsPerSecond peak = own.base() > 0 ? own : device.peak_of(device.main_precision());
  Rates rates;
  rates.flop_per_s = peak.base() * device.compute_util;
  rates.vector_fraction = device.vector_fraction;
  rates.memory_bytes_per_s = device.memory_bandwidth.base();
  rates.levels = machine.levels.size();
  for (std::size_t l = 0; l < rates.levels; ++l) {
    rates.latency_s[l] = machine.levels[l].latency.base();
    rates.bytes_per_s[l] = machine.levels[l].bandwidth.base();
  }
  return rates;
}

StageCost cost_of(const StageWork& w, const Rates& rates) {
  StageCost cost;
  cost.compute_s = (w.matrix_flop + w.vector_flop / rates.vector_fraction) / rates.flop_per_s;
  cost.memory_s = w.memory_bytes / rates.memory_bytes_per_s;
  cost.network_s = network_s(w.traffic, rates);
  cost.total_s = std::max(cost.compute_s, cost.memory_s) + cost.network_s;
  cost.bound = largest(cost);
  return cost;
}

double latency_s(const Step& step, const Rates& rates) {
  double total = 0;
  for (const LayerWork& layer : step.layers) {
    double per_layer = 0;
    for (const StageWork& w : layer.stages) per_layer += stage_s(w, rates);
    total += static_cast<double>(layer.count) * per_layer;
  }
  for (const StageWork& w : step.edges) total += stage_s(w, rates);
  return total;
}

BoundTimes bound_times(const Step& step, const Rates& rates) {
  BoundTimes out{};
  const auto add = [&](const StageWork& w, double count) {
    const StageCost cost = cost_of(w, rates);
    const Bound roof = cost.compute_s >= cost.memory_s ? Bound::compute : Bound::memory;
    out[static_cast<std::size_t>(roof)] += count * std::max(cost.compute_s, cost.memory_s);
    out[static_cast<std::size_t>(Bound::network)] += count * cost.network_s;
  };
  for (const LayerWork& layer : step.layers) {
    for (const StageWork& w : layer.stages) add(w, static_cast<double>(layer.count));
  }
  for (const StageWork& w : step.edges) add(w, 1);
  return out;
}

Bound bound_of(const Step& step, const Rates& rates) {
  const BoundTimes times = bound_times(step, rates);
  return static_cast<Bound>(std::max_element(times.begin(), times.end()) - times.begin());
}

std::int64_t latency_key(double latency_s) {
  const double picoseconds = std::floor(latency_s * 1e12 + 0.5);
  return picoseconds < 9e18 ? static_cast<std::int64_t>(picoseconds)
                            : std::numeric_limits<std::int64_t>::max();
}

void separate(const Step& step, double vector_fraction, std::size_t levels, Separable& out) {
  out.terms.clear();
  out.traffic = {};
  for (const LayerWork& layer : step.layers) {
    const auto count = static_cast<double>(layer.count);
    for (const StageWork& w : layer.stages) add_term(w, count, vector_fraction, levels, out);
  }
  for (const StageWork& w : step.edges) add_term(w, 1, vector_fraction, levels, out);
}

double dynamic_energy_j(const Step& step, const Machine& machine, std::int64_t active_devices) {
  double energy = 0;
  for (const LayerWork& layer : step.layers) {
    double per_layer = 0;
    for (const StageWork& w : layer.stages) per_layer += stage_energy_j(w, step, machine);
    energy += static_cast<double>(layer.count) * per_layer;
  }
  for (const StageWork& w : step.edges) energy += stage_energy_j(w, step, machine);
  return static_cast<double>(active_devices) * energy;
}

StepFacts facts_of(const Step& step, const Machine& machine, const Workload& work,
                   std::int64_t active_devices) {
  const double per_sequence = work.phase == Phase::decode ? 1 : static_cast<double>(work.context);
  StepFacts facts;
  facts.devices_used = step.layout.devices_used;
  facts.memory_bytes = step.memory.total();
  facts.dynamic_energy_j = dynamic_energy_j(step, machine, active_devices);
  facts.tokens = static_cast<double>(work.batch) * per_sequence;
  return facts;
}

Objectives objectives_of(const StepFacts& facts, double latency_s, double cost_score,
                         Watts static_power) {
  const auto devices = static_cast<double>(facts.devices_used);
  Objectives o;
  o.valid = true;
  o.latency_s = latency_s;
  o.cost_score = cost_score;
  o.devices_used = facts.devices_used;
  o.cost_x_devices = cost_score * devices;
  o.tokens_per_s = facts.tokens / latency_s;
  o.tokens_per_s_per_device = o.tokens_per_s / devices;
  o.energy_j = facts.dynamic_energy_j + static_power.base() * devices * latency_s;
  o.energy_j_per_token = o.energy_j / facts.tokens;
  return o;
}

}  // namespace ridgeline::physics
