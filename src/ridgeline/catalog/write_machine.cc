#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "ridgeline/catalog/read_machine.h"
#include "ridgeline/spec/scenario.h"

namespace ridgeline::catalog {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kLargestWhole = 1e15;

// A number that gives `value` again when it is multiplied with `unit`; a short one when there is
// one.
double in_unit(double value, double unit) {
  const double quotient = value / unit;
  const bool whole = quotient == std::floor(quotient) && std::fabs(quotient) < kLargestWhole;
  if (whole && quotient * unit == value) return quotient;
  for (int digits = 1; digits <= 17; ++digits) {
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%.*g", digits, quotient);
    const double shorter = std::strtod(text.data(), nullptr);
    if (shorter * unit == value) return shorter;
  }
  for (const double side : {-HUGE_VAL, HUGE_VAL}) {
    const double near = std::nextafter(quotient, side);
    if (near * unit == value) return near;
  }
  return quotient;
}

Json scalar_json(const Scenario& scenario, const ScalarField& field) {
  const double value = get_scalar(scenario, field);
  if (field.kind == ScalarKind::choice) return field.choices[static_cast<std::size_t>(value)];
  if (field.kind == ScalarKind::integer) return static_cast<std::int64_t>(value);
  return in_unit(value, field.unit);
}

Json write_chiplet(const Machine& machine) {
  Json out;
  out["base"] = "chiplet-sip";
  if (machine.name != "chiplet-sip") out["name"] = machine.name;
  const Scenario scenario{machine, {}, {}};
  for (const ScalarField& field : scalar_fields(machine)) {
    if (field.owner == ScalarOwner::machine) out[field.key] = scalar_json(scenario, field);
  }
  return out;
}

Json write_device(const Accelerator& device) {
  Json peaks = Json::object();
  const auto names = names_of(Precision{});
  for (std::size_t p = 0; p < kPrecisionCount; ++p) {
    if (device.peak[p].base() > 0) peaks[names[p]] = device.peak[p].base();
  }
  Json out;
  out["name"] = device.name;
  out["memory_capacity_bytes"] = device.memory_capacity.base();
  if (device.usable_memory.base() > 0) out["usable_memory_bytes"] = device.usable_memory.base();
  out["memory_bandwidth_bytes_per_s"] = device.memory_bandwidth.base();
  out["peak_flop_per_s"] = peaks;
  out["compute_util"] = device.compute_util;
  out["vector_fraction"] = device.vector_fraction;
  out["energy_per_flop_j_per_flop"] = device.energy_per_flop.base();
  out["energy_per_memory_byte_j_per_byte"] = device.energy_per_memory_byte.base();
  out["static_power_w"] = device.static_power.base();
  return out;
}

Json write_level(const Level& level, JoulesPerByte energy) {
  Json out;
  out["name"] = level.name;
  out["count"] = level.count;
  out["topology"] = names_of(Topology{})[static_cast<std::size_t>(level.topology)];
  out["link"] =
      Json{{"bandwidth_bytes_per_s", level.bandwidth.base()}, {"latency_s", level.latency.base()}};
  out["link_of"] = names_of(LinkOf{})[static_cast<std::size_t>(level.link_of)];
  out["oversubscription"] = level.oversubscription;
  if (level.shape[0] > 0) {
    out["shape"] = Json::array();
    for (const std::int64_t side : level.shape) {
      if (side > 0) out["shape"].push_back(side);
    }
  }
  out["energy_per_byte_j_per_byte"] = energy.base();
  return out;
}

}  // namespace

Json write_machine(const Machine& machine) {
  if (machine.kind == MachineKind::chiplet) return write_chiplet(machine);
  Json out;
  out["name"] = machine.name;
  out["device"] = write_device(machine.device);
  out["levels"] = Json::array();
  for (std::size_t l = 0; l < machine.levels.size(); ++l) {
    out["levels"].push_back(write_level(machine.levels[l], machine.energy_per_link_byte[l]));
  }
  out["tree_max_bytes"] = machine.tree_max.base();
  out["ffn_chunk_tokens"] = machine.ffn_chunk_tokens;
  return out;
}

}  // namespace ridgeline::catalog
