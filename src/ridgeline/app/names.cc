#include "ridgeline/app/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ridgeline/app/input.h"
#include "ridgeline/app/members.h"
#include "ridgeline/app/resolve.h"
#include "ridgeline/catalog/read_kernels.h"
#include "ridgeline/catalog/resize_machine.h"
#include "ridgeline/catalog/show.h"
#include "ridgeline/physics/kernels.h"
#include "ridgeline/physics/switched.h"
#include "ridgeline/physics/totals.h"

namespace ridgeline::app {
namespace {

// Keys that a model's totals share with its config.
constexpr std::array kSharedKeys = {"name", "head_dim", "kv_lora_rank", "qk_rope_head_dim"};

Error no_object(const Json& value, const char* what) {
  return {ErrorCode::bad_value, "", fmt::format("is {}, not a name or an object", kind_name(value)),
          fmt::format("see: ridgeline list {}", what)};
}

bool has_any(const Json& object, std::initializer_list<const char*> keys) {
  return std::any_of(keys.begin(), keys.end(),
                     [&](const char* key) { return object.contains(key); });
}

// A fact that only the registry's entry has, in base units.
std::optional<double> fact_of(const Json& shown, const char* key) {
  const auto it = shown.find(key);
  if (it == shown.end() || !it->is_number()) return std::nullopt;
  return it->get<double>();
}

// The registry machine with the fewest devices of this kind: what joins several of them.
std::string machine_with(const catalog::Catalog& catalog, const std::string& device) {
  std::string name;
  std::int64_t fewest = 0;
  for (const std::string& candidate : catalog.names(catalog::EntryKind::machine)) {
    const auto machine = catalog.machine(candidate);
    if (!machine || machine->device.name != device) continue;
    if (!name.empty() && machine->device_count() >= fewest) continue;
    name = candidate;
    fewest = machine->device_count();
  }
  return name;
}

template <class S>
Status read_object(const Json& value, Names& names, S& out) {
  const std::vector<Member> members = members_of(out);
  RIDGELINE_CHECK(check_keys(members, value));
  return read_members(members, value, names);
}

}  // namespace

bool Names::is_totals(const Json& value) {
  if (!value.is_object()) return false;
  Totals totals;
  const std::vector<Member> members = members_of(totals);
  for (const auto& [key, inner] : value.items()) {
    double factor = 0;
    const bool shared = std::find(kSharedKeys.begin(), kSharedKeys.end(), key) != kSharedKeys.end();
    if (!shared && find_member(members, key, factor) != nullptr) return true;
  }
  return false;
}

Result<const Model*> Names::model(const Json& value) {
  RIDGELINE_TRY(NamedModel named, model_of(&value, Origins{}, "", context_));
  models_.push_back(std::move(named.model));
  return &models_.back();
}

Result<Totals> Names::totals(const Json& value) {
  if (is_totals(value)) {
    Totals out;
    RIDGELINE_CHECK(read_object(value, *this, out));
    return out;
  }
  RIDGELINE_TRY(const Model* found, model(value));
  if (!found->why_no_count.empty()) {
    return Error{ErrorCode::missing, "",
                 fmt::format("its parameters cannot be counted: {}", found->why_no_count),
                 "complete the config, or give parameters_count"};
  }
  return physics::totals_of(*found);
}

// Shares of the peaks and of the memory's rate that measured kernels reach.
void Names::sustain(const std::string& device, Sustained& out) const {
  const auto kernels = catalog::kernels_of(*context_.catalog, device);
  if (!kernels || !*kernels) return;
  // A layer launches four products (QKV, output, up, down) and attention.
  constexpr double kProducts = 4;
  const AttentionCurve* decode = (*kernels)->attention_of(true, false);
  const Seconds attention = decode != nullptr ? decode->launch : Seconds{};
  // Curves of products, and of products whose weights alone are narrow.
  struct Format {
    Precision precision;
    const char* computed;
    const char* stored;
  };
  constexpr std::array kFormats = {
      Format{Precision::bf16, "bf16", "bf16"},     Format{Precision::fp16, "bf16", "bf16"},
      Format{Precision::fp8, "fp8", "fp8"},        Format{Precision::int8, "int8", "int8-weights"},
      Format{Precision::nvfp4, "nvfp4", "nvfp4"},  Format{Precision::fp4, "nvfp4", "nvfp4"},
      Format{Precision::int4, "", "int4-weights"}, Format{Precision::int4, "", "int8-weights"}};
  for (const Format& format : kFormats) {
    const auto at = static_cast<std::size_t>(format.precision);
    if (const GemmCurve* curve = (*kernels)->gemm_of(format.computed)) {
      out.compute_at[at] = curve->large / curve->peak;
    }
    const GemmCurve* stored = (*kernels)->gemm_of(format.stored);
    if (stored == nullptr || out.memory_at[at] > 0) continue;
    out.memory_at[at] = stored->weight_stream / (*kernels)->bandwidth;
    out.layer_overhead_at[at] = kProducts * stored->launch + attention;
  }
  out.attention = physics::attention_share(**kernels);
  out.measured = true;
}

Hardware Names::hardware_of(const Accelerator& device) const {
  Hardware out;
  out.rates = device.peak;
  out.memory_capacity =
      device.usable_memory.base() > 0 ? device.usable_memory : device.memory_capacity;
  out.memory_bandwidth = device.memory_bandwidth;
  if (device.compute_util < 1) out.sustained.compute = device.compute_util;
  const auto entry = context_.catalog->find(catalog::EntryKind::accelerator, device.name);
  if (!entry) return out;
  const auto facts = catalog::facts_of_accelerator(**entry);
  if (!facts) return out;
  if (const auto tdp = fact_of(*facts, "tdp_w")) out.tdp = Watts::from_base(*tdp);
  out.sustained.memory = fact_of(*facts, "memory_util");
  if (const auto layer = fact_of(*facts, "layer_overhead_s")) {
    out.sustained.layer_overhead = Seconds::from_base(*layer);
  }
  sustain(device.name, out.sustained);
  if (const auto link = fact_of(*facts, "host_bandwidth_bytes_per_s")) {
    out.host_link = BytesPerSecond::from_base(*link);
  }
  return out;
}

std::optional<double> Names::registry_fact(const std::string& device, const char* key) const {
  const auto entry = context_.catalog->find(catalog::EntryKind::accelerator, device);
  if (!entry) return std::nullopt;
  const auto facts = catalog::facts_of_accelerator(**entry);
  return facts ? fact_of(*facts, key) : std::nullopt;
}

MeasuredLink Names::measured_link(const std::string& device) const {
  const auto kernels = catalog::kernels_of(*context_.catalog, device);
  if (!kernels || !*kernels) return {};
  const CollectiveCurve* curve = (*kernels)->collective_of("all_reduce", "nccl");
  const auto link = registry_fact(device, "link_bandwidth_bytes_per_s");
  // Over PCIe the curve tells of one machine's slots, not of the device [aiconfigurator-core].
  constexpr BytesPerSecond kSlowest = 64 * gigabyte_per_second;
  if (curve == nullptr || !link || curve->bus_bandwidth < kSlowest) return {};
  return {curve->bus_bandwidth.base() / *link, curve->base, curve->per_peer};
}

Cluster Names::cluster_of(const Machine& machine) const {
  Cluster out;
  out.device = hardware_of(machine.device);
  out.intra_node_measured = measured_link(machine.device.name);
  const std::size_t levels = machine.levels.size();
  if (levels > 0) {
    const Level& node = machine.levels[0];
    out.devices_per_node = node.count;
    out.intra_node_bandwidth = node.bandwidth;
    out.intra_node_latency = node.latency;
  }
  if (levels > 1) {
    const Level& fabric = machine.levels[1];
    out.fabric_bandwidth = fabric.bandwidth;
    out.fabric_latency = fabric.latency;
    out.fabric_oversubscription = fabric.oversubscription;
  }
  for (std::size_t i = 1; i < levels; ++i) out.nodes *= machine.levels[i].count;
  if (levels > 2) out.levels = physics::links_of(machine);
  return out;
}

Result<Hardware> Names::device(const std::string& name) const {
  RIDGELINE_TRY(const Accelerator found, context_.catalog->accelerator(name));
  return hardware_of(found);
}

Result<Hardware> Names::hardware(const Json& value) {
  if (!value.is_string() && !value.is_object()) return no_object(value, "accelerators");
  const bool named = value.is_string() || has_any(value, {"base", "levels", "device"});
  if (named) {
    RIDGELINE_TRY(const Machine found, machine(value));
    return hardware_of(found.device);
  }
  Hardware out;
  RIDGELINE_CHECK(read_object(value, *this, out));
  return out;
}

Result<Names::Measured> Names::measured(const Json& value) {
  Measured out;
  const bool named = value.is_string() || has_any(value, {"base", "levels", "device"});
  if (!named) return out;
  RIDGELINE_TRY(const Machine found, machine(value));
  const std::string& name = found.device.name;
  if (const auto link = registry_fact(name, "link_bandwidth_bytes_per_s")) {
    out.link_bandwidth = BytesPerSecond::from_base(*link);
  }
  const auto entry = context_.catalog->accelerator(name);
  const bool as_listed = entry && entry->peak == found.device.peak &&
                         entry->memory_bandwidth == found.device.memory_bandwidth;
  if (!as_listed) return out;
  RIDGELINE_TRY(auto kernels, catalog::kernels_of(*context_.catalog, name));
  if (kernels) out.kernels = &kernels_.emplace_back(std::move(*kernels));
  return out;
}

Result<Cluster> Names::cluster(const Json& value) {
  if (!value.is_string() && !value.is_object()) return no_object(value, "machines");
  const bool tree = value.is_string() || has_any(value, {"base", "levels"});
  if (tree) {
    RIDGELINE_TRY(const Machine found, machine(value));
    return cluster_of(found);
  }
  Cluster out;
  RIDGELINE_CHECK(read_object(value, *this, out));
  return out;
}

Result<Machine> Names::resized(Machine machine, const Json& value) const {
  if (!devices_) return machine;
  std::string name = value.is_string() ? value.get<std::string>() : machine.name;
  const bool alone = machine.levels.size() == 0 && *devices_ > 1;
  if (alone) {
    name = machine_with(*context_.catalog, machine.device.name);
    if (name.empty()) {
      return Error{ErrorCode::conflict, "/devices",
                   fmt::format("{} is one device, and nothing says what joins {} of them",
                               machine.device.name, *devices_),
                   "name a node or a cluster (see: ridgeline list machines)"};
    }
    const Accelerator device = machine.device;
    RIDGELINE_TRY(machine, context_.catalog->machine(name));
    machine.device = device;
    machine.name = fmt::format("{} x {}, joined as in {}", *devices_, device.name, name);
  }
  RIDGELINE_TRY(const std::optional<Level> outer, catalog::scale_out_of(name, *context_.catalog));
  auto out = catalog::resized(machine, outer, *devices_);
  if (!out) return inside_of("/devices", out.error());
  return out;
}

Result<Machine> Names::machine(const Json& value) {
  RIDGELINE_TRY(Machine found, machine_of(&value, Origins{}, context_));
  return resized(std::move(found), value);
}

Result<Engine> Names::engine(const Json& value) {
  if (!value.is_string()) return no_object(value, "engines");
  RIDGELINE_TRY(const catalog::Entry* entry,
                context_.catalog->find(catalog::EntryKind::engine, value.get<std::string>()));
  Json notes = Json::array();
  RIDGELINE_TRY(Json shown, catalog::show_entry(*entry, *context_.catalog, notes));
  Engine out;
  out.name = entry->name;
  if (const auto version = shown.find("version"); version != shown.end() && version->is_string()) {
    out.version = version->get<std::string>();
  }
  for (const char* about : {"name", "aliases", "version", "sources"}) shown.erase(about);
  RIDGELINE_CHECK(read_object(shown, *this, out));
  return out;
}

Result<Machine> Names::machine_of_hardware(const Json& value) {
  if (value.is_string()) return machine(value);
  RIDGELINE_TRY(const Hardware device, hardware(value));
  Machine out;
  const bool named = value.contains("name") && value["name"].is_string();
  out.name = named ? value["name"].get<std::string>() : "device";
  out.device.name = out.name;
  out.device.peak = device.rates;
  out.device.memory_capacity = device.memory_capacity.value_or(Bytes{});
  out.device.memory_bandwidth = device.memory_bandwidth.value_or(BytesPerSecond{});
  return out;
}

}  // namespace ridgeline::app
