#include "ridgeline/solve/model_checks.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "ridgeline/physics/pace.h"

namespace ridgeline::solve {
namespace {

constexpr double kMostAmount = 1e27, kLeastAmount = 1e-27;
constexpr std::int64_t kMostNumber = 1'000'000'000'000;
constexpr std::int64_t kMostDegree = 1'000'000;
constexpr double kMostMultiple = 1e6;

Status check_formats(const physics::Setting& s) {
  RIDGELINE_CHECK(check_number("group_size", s.group_size, 0));
  RIDGELINE_CHECK(check_number("scale_bits", s.scale_bits, 0));
  RIDGELINE_CHECK(check_number("zero_bits", s.zero_bits, 0));
  return check_amount("bits_per_weight", s.bits_per_weight);
}

Status check_overheads(const physics::Setting& s) {
  RIDGELINE_CHECK(check_amount_or_zero("step_overhead", s.step_overhead));
  RIDGELINE_CHECK(check_amount_or_zero("layer_overhead", s.layer_overhead));
  RIDGELINE_CHECK(check_amount_or_zero("prefill_overhead", s.prefill_overhead));
  RIDGELINE_CHECK(check_amount_or_zero("decode_overhead", s.decode_overhead));
  return check_amount_or_zero("draft_overhead", s.draft_overhead);
}

Status check_sustained(const Sustained& s) {
  RIDGELINE_CHECK(check_share("compute", s.compute));
  RIDGELINE_CHECK(check_share("memory", s.memory));
  RIDGELINE_CHECK(check_share("network", s.network));
  RIDGELINE_CHECK(check_amount_or_zero("step_overhead", s.step_overhead));
  return check_amount_or_zero("layer_overhead", s.layer_overhead);
}

Status check_memories(const Hardware& hw) {
  RIDGELINE_CHECK(check_amount("memory_capacity", hw.memory_capacity));
  RIDGELINE_CHECK(check_amount("memory_bandwidth", hw.memory_bandwidth));
  RIDGELINE_CHECK(check_amount("sram_capacity", hw.sram_capacity));
  RIDGELINE_CHECK(check_amount("sram_bandwidth", hw.sram_bandwidth));
  RIDGELINE_CHECK(check_amount("flash_bandwidth", hw.flash_bandwidth));
  RIDGELINE_CHECK(check_amount("storage_bandwidth", hw.storage_bandwidth));
  RIDGELINE_CHECK(check_amount("host_link", hw.host_link));
  return check_amount("injection_bandwidth", hw.injection_bandwidth);
}

Status check_device(const Hardware& hw) {
  for (const FlopsPerSecond& rate : hw.rates) RIDGELINE_CHECK(check_amount_or_zero("rates", rate));
  RIDGELINE_CHECK(check_memories(hw));
  RIDGELINE_CHECK(check_amount("tdp", hw.tdp));
  RIDGELINE_CHECK(check_amount_or_zero("unit_cost", hw.unit_cost));
  return below("sustained", check_sustained(hw.sustained));
}

Status check_shape(const Totals& t) {
  RIDGELINE_CHECK(check_number("layers", t.layers, 1));
  RIDGELINE_CHECK(check_number("hidden_dim", t.hidden, 1));
  RIDGELINE_CHECK(check_number("heads", t.heads, 1));
  RIDGELINE_CHECK(check_number("head_dim", t.head_dim, 1));
  RIDGELINE_CHECK(check_number("kv_heads", t.kv_heads, 1));
  RIDGELINE_CHECK(check_number("kv_lora_rank", t.kv_lora_rank, 1));
  return check_number("qk_rope_head_dim", t.qk_rope_head_dim, 0);
}

Status check_routing(const Totals& t) {
  RIDGELINE_CHECK(check_number("experts", t.experts, 1));
  RIDGELINE_CHECK(check_number("active_experts_per_token", t.active_experts, 1));
  if (t.experts) RIDGELINE_CHECK(check_degree_of("experts", *t.experts));
  if (t.experts.has_value() != t.active_experts.has_value()) {
    return missing(t.experts ? "active_experts_per_token" : "experts",
                   "experts and active_experts_per_token go together");
  }
  if (t.experts && *t.active_experts > *t.experts) {
    return out_of_range("active_experts_per_token",
                        fmt::format("{} of {} experts", *t.active_experts, *t.experts),
                        fmt::format("from 1 to {}", *t.experts));
  }
  return Ok{};
}

Status check_sizes(const Totals& t) {
  RIDGELINE_CHECK(check_amount_or_zero("parameters_count", t.params));
  RIDGELINE_CHECK(check_amount("active_parameters_count", t.active_params));
  RIDGELINE_CHECK(check_amount("flop_per_unit", t.flop_per_unit));
  RIDGELINE_CHECK(check_amount_or_zero("size", t.size));
  if (t.params == 0 && t.size.base() == 0) {
    return missing("parameters_count", "the model has no size",
                   "parameters_count, or size_bytes where only that is known");
  }
  if (t.params > 0 && t.active() > t.params) {
    return out_of_range("active_parameters_count", "more active parameters than parameters",
                        fmt::format("at most {:g}", t.params));
  }
  return Ok{};
}

std::string rates_of(const Hardware& hw) {
  std::string out;
  const auto names = names_of(Precision{});
  for (std::size_t p = 0; p < kPrecisionCount; ++p) {
    if (hw.rates[p].base() > 0) out += fmt::format("{}{}", out.empty() ? "" : ", ", names[p]);
  }
  return out;
}

}  // namespace

Status check_amount(std::string_view where, double value) {
  if (std::isfinite(value) && value >= kLeastAmount && value <= kMostAmount) return Ok{};
  return out_of_range(where, fmt::format("{} is {}", where, value),
                      fmt::format("greater than zero, at most {:g}", kMostAmount));
}

Status check_amount_or_zero(std::string_view where, double value) {
  if (value == 0) return Ok{};
  if (std::isfinite(value) && value >= kLeastAmount && value <= kMostAmount) return Ok{};
  return out_of_range(where, fmt::format("{} is {}", where, value),
                      fmt::format("zero or more, at most {:g}", kMostAmount));
}

Status check_number(std::string_view where, std::int64_t value, std::int64_t least) {
  if (value >= least && value <= kMostNumber) return Ok{};
  return out_of_range(where, fmt::format("{} is {}", where, value),
                      fmt::format("from {} to {}", least, kMostNumber));
}

Status check_degree_of(std::string_view where, std::int64_t value) {
  if (value >= 1 && value <= kMostDegree) return Ok{};
  return out_of_range(where, fmt::format("{} is {}", where, value),
                      fmt::format("from 1 to {}", kMostDegree));
}

Status check_multiple(std::string_view where, double value) {
  if (std::isfinite(value) && value >= 1 && value <= kMostMultiple) return Ok{};
  return out_of_range(where, fmt::format("{} is {}", where, value), "1 or more");
}

Status check_setting(const physics::Setting& s) {
  RIDGELINE_CHECK(check_formats(s));
  RIDGELINE_CHECK(check_share("efficiency", s.efficiency));
  RIDGELINE_CHECK(check_share("memory_efficiency", s.memory_efficiency));
  RIDGELINE_CHECK(check_share("network_efficiency", s.network_efficiency));
  RIDGELINE_CHECK(check_overheads(s));
  RIDGELINE_CHECK(check_amount_or_zero("reserved", s.reserved));
  RIDGELINE_CHECK(check_share("memory_utilization", s.memory_utilization));
  return check_fraction("idle_power_fraction", s.idle_power_fraction);
}

Status check_totals(const Totals& t, std::string_view where) {
  RIDGELINE_CHECK(below(where, check_sizes(t)));
  RIDGELINE_CHECK(below(where, check_shape(t)));
  return below(where, check_routing(t));
}

Status check_computes(const Totals& t, std::string_view where) {
  if (t.params > 0 || t.flop_per_unit) return Ok{};
  return below(where,
               missing("parameters_count", "neither parameters nor flop_per_unit are known"));
}

Status check_attends(const Totals& t, std::string_view where) {
  const char* lacking = !t.layers ? "layers" : !t.hidden && !t.head_dim ? "hidden_dim" : nullptr;
  if (lacking == nullptr && !t.heads && !t.layered) lacking = "heads";
  if (lacking == nullptr) return Ok{};
  return below(where, missing(lacking, fmt::format("{} is missing", lacking),
                              "attention and its cache follow from layers, heads and widths"));
}

Status check_hardware(const Hardware& hw, std::string_view where) {
  return below(where, check_device(hw));
}

Status check_rate(const Hardware& hw, const Totals& t, const physics::Setting& s,
                  std::string_view where) {
  const Precision p = physics::compute_precision(hw, t, s);
  if (hw.rate_of(p).base() > 0) return Ok{};
  const std::string rates = rates_of(hw);
  if (rates.empty()) return below(where, missing("rates", "the device has no rate at all"));
  const char* name = names_of(p)[static_cast<std::size_t>(p)];
  return Error{
      ErrorCode::unsupported, s.activation_precision ? "activation_precision" : "precision",
      fmt::format("the device has no rate for {}", name),
      fmt::format("it has {}; weights alone may be narrower, with activation_precision", rates)};
}

Status check_cluster(const Cluster& c) {
  RIDGELINE_CHECK(below("machine", check_degree_of("nodes", c.nodes)));
  RIDGELINE_CHECK(below("machine", check_degree_of("devices_per_node", c.devices_per_node)));
  RIDGELINE_CHECK(below("machine", check_hardware(c.device, "device")));
  RIDGELINE_CHECK(below("machine", check_amount("intra_node_bandwidth", c.intra_node_bandwidth)));
  RIDGELINE_CHECK(
      below("machine", check_amount_or_zero("intra_node_latency", c.intra_node_latency)));
  RIDGELINE_CHECK(below("machine", check_amount("fabric_bandwidth", c.fabric_bandwidth)));
  RIDGELINE_CHECK(below("machine", check_amount_or_zero("fabric_latency", c.fabric_latency)));
  RIDGELINE_CHECK(
      below("machine", check_multiple("fabric_oversubscription", c.fabric_oversubscription)));
  if (!c.levels.empty()) return Ok{};
  if (c.devices_per_node > 1 && !c.intra_node_bandwidth) {
    return missing("machine/intra_node_bandwidth", "the devices of a node need a link");
  }
  if (c.nodes > 1 && !c.fabric_bandwidth) {
    return missing("machine/fabric_bandwidth", "the nodes need a link");
  }
  return Ok{};
}

Status below(std::string_view parent, Status status) {
  if (status) return status;
  Error error = status.error();
  error.where = fmt::format("{}/{}", parent, error.where);
  return error;
}

std::int64_t nearest_divisor(std::int64_t whole, std::int64_t value) {
  std::int64_t best = 1;
  for (std::int64_t d = 1; d * d <= whole; ++d) {
    if (whole % d != 0) continue;
    for (const std::int64_t divisor : {d, whole / d}) {
      const std::int64_t gap = std::llabs(divisor - value), least = std::llabs(best - value);
      if (gap < least || (gap == least && divisor < best)) best = divisor;
    }
  }
  return best;
}

}  // namespace ridgeline::solve
