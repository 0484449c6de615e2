#include "ridgeline/catalog/read_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "ridgeline/base/text.h"
#include "ridgeline/catalog/entry_json.h"
#include "ridgeline/catalog/field_reader.h"
#include "ridgeline/spec/scenario.h"

namespace ridgeline::catalog {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kMostDevices = 1000000000;
constexpr std::int64_t kMostMembers = std::int64_t{1} << 20;
constexpr int kMostBases = 8;
constexpr Dim kRate = FlopsPerSecond::kDim;

template <class Q>
void set(std::optional<double> value, Q& out) {
  if (value) out = Q::from_base(*value);
}
void set(std::optional<double> value, double& out) {
  if (value) out = *value;
}

std::optional<std::size_t> precision_named(const std::string& name) {
  const auto names = names_of(Precision{});
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (lower(name) == names[i]) return i;
  }
  return std::nullopt;
}

// One rate for the whole device: what exists keeps its ratio to it; a new device has it in all
// formats.
void set_one_peak(Accelerator& device, double rate) {
  const double main = device.peak_of(device.main_precision()).base();
  for (FlopsPerSecond& peak : device.peak) {
    if (main == 0) peak = FlopsPerSecond::from_base(rate);
    if (peak.base() > 0 && main > 0) peak = FlopsPerSecond::from_base(peak.base() / main * rate);
  }
  if (main > 0) {
    device.peak[static_cast<std::size_t>(device.main_precision())] =
        FlopsPerSecond::from_base(rate);
  }
}

void set_peak_of(FieldReader& in, const std::string& where, const std::string& name,
                 const Json& value, double factor, Accelerator& device) {
  const std::optional<std::size_t> p = precision_named(name);
  if (!p) {
    std::string list;
    for (const char* known : names_of(Precision{}))
      list += (list.empty() ? "" : ", ") + std::string(known);
    in.fail(ErrorCode::unknown_key, where,
            fmt::format("\"{}\" is no number format", name.substr(0, 40)), "one of " + list);
    return;
  }
  auto rate = quantity_of(value, kRate, factor, kZeroOrMore, name);
  if (!rate) return in.fail(rate.error(), where);
  device.peak[*p] = FlopsPerSecond::from_base(*rate);
}

// "peak": text for all formats, or {format: text}; "peak_flop_per_s" the same with numbers;
// "peak_bf16": text.
void read_peaks(FieldReader& in, Accelerator& device) {
  const Json* text = in.raw("peak");
  const Json* numbers = in.raw("peak_flop_per_s");
  if (text != nullptr && numbers != nullptr) {
    return in.fail(ErrorCode::conflict, "peak_flop_per_s",
                   "peak and peak_flop_per_s are both given", "give one of them");
  }
  const Json* given = text != nullptr ? text : numbers;
  const std::string key = text != nullptr ? "peak" : "peak_flop_per_s";
  const double factor = text != nullptr ? 0 : 1;
  if (given != nullptr && given->is_object()) {
    for (const auto& [name, value] : given->items()) {
      set_peak_of(in, key + "/" + name, name, value, factor, device);
    }
  } else if (given != nullptr) {
    auto rate = quantity_of(*given, kRate, factor, kPositive, key);
    if (!rate) return in.fail(rate.error(), key);
    set_one_peak(device, *rate);
  }
  for (const std::string& flat : in.keys_from("peak_")) {
    if (flat == "peak_flop_per_s") continue;
    std::string name = flat.substr(5);
    double unit = 0;
    if (const std::size_t at = name.find('_'); at != std::string::npos) {
      unit = suffix_factor(std::string_view(name).substr(at + 1), kRate);
      name = unit > 0 ? name.substr(0, at) : name;
    }
    set_peak_of(in, flat, name, in.at(flat), unit, device);
  }
}

// A changed capacity keeps the share of it that is usable.
void read_memory(FieldReader& in, Accelerator& device) {
  const double before = device.memory_capacity.base();
  set(in.quantity("memory_capacity", Bytes::kDim, kPositive), device.memory_capacity);
  const std::optional<double> usable = in.quantity("usable_memory", Bytes::kDim, kZeroOrMore);
  if (!usable && before > 0) {
    device.usable_memory = device.usable_memory * (device.memory_capacity.base() / before);
  }
  set(usable, device.usable_memory);
}

void read_device_fields(FieldReader& in, Accelerator& device) {
  if (auto name = in.text("name")) device.name = *name;
  read_memory(in, device);
  set(in.quantity("memory_bandwidth", BytesPerSecond::kDim, kPositive), device.memory_bandwidth);
  read_peaks(in, device);
  set(in.quantity("compute_util", Dim{}, kFraction), device.compute_util);
  set(in.quantity("vector_fraction", Dim{}, kFraction), device.vector_fraction);
  set(in.quantity("energy_per_flop", JoulesPerFlop::kDim, kZeroOrMore), device.energy_per_flop);
  set(in.quantity("energy_per_memory_byte", JoulesPerByte::kDim, kZeroOrMore),
      device.energy_per_memory_byte);
  set(in.quantity("static_power", Watts::kDim, kZeroOrMore), device.static_power);
}

void check_device(FieldReader& in, const Accelerator& device) {
  if (in.failed()) return;
  const bool rated = std::any_of(device.peak.begin(), device.peak.end(),
                                 [](FlopsPerSecond peak) { return peak.base() > 0; });
  const auto lacks = [&in](const char* key, const char* hint) {
    in.fail(ErrorCode::missing, key, fmt::format("the device has no {}", key), hint);
  };
  if (device.memory_capacity.base() <= 0) return lacks("memory_capacity", "text such as \"80 GB\"");
  if (device.memory_bandwidth.base() <= 0)
    return lacks("memory_bandwidth", "text such as \"3.35 TB/s\"");
  if (!rated) lacks("peak", R"(such as {"bf16": "989 TFLOP/s"})");
}

// A device by name, or fields that may start from a named one.
Accelerator read_device(const Json& value, FieldReader& outer, const std::string& key,
                        Accelerator device, const Catalog& catalog, std::optional<Error>& problem) {
  if (value.is_string()) {
    auto named = catalog.accelerator(value.get_ref<const std::string&>());
    if (named) return *std::move(named);
    outer.fail(named.error(), key);
    return device;
  }
  if (!value.is_object()) {
    outer.fail(ErrorCode::bad_value, key, "a device is a name or an object of fields");
    return device;
  }
  FieldReader in(value, outer.pointer() + "/" + key, problem);
  if (auto base = in.text("base")) {
    auto named = catalog.accelerator(*base);
    if (!named) {
      in.fail(named.error(), "base");
      return device;
    }
    device = *std::move(named);
  }
  read_device_fields(in, device);
  check_device(in, device);
  in.finish();
  if (device.name.empty()) device.name = "device";
  return device;
}

template <class E>
void set_choice(std::optional<std::size_t> index, E& out) {
  if (index) out = static_cast<E>(*index);
}

void read_link(const Json& value, FieldReader& outer, Level& level, std::optional<Error>& problem) {
  if (!value.is_object()) {
    return outer.fail(ErrorCode::bad_value, "link", "a link is an object",
                      R"({"bandwidth": "450 GB/s", "latency": "0.5 us"})");
  }
  FieldReader in(value, outer.pointer() + "/link", problem);
  set(in.quantity("bandwidth", BytesPerSecond::kDim, kPositive), level.bandwidth);
  set(in.quantity("latency", Seconds::kDim, kZeroOrMore), level.latency);
  in.finish();
}

// [4, 4] or "4x4": members along each direction of a mesh or torus.
void read_shape(FieldReader& in, Level& level) {
  const Json* value = in.raw("shape");
  if (value == nullptr) return;
  if (!value->is_array() || value->empty() || value->size() > 3) {
    return in.fail(ErrorCode::bad_value, "shape", "shape is a list of 1 to 3 whole numbers",
                   "[4, 4]");
  }
  level.shape = {0, 0, 0};
  for (std::size_t i = 0; i < value->size(); ++i) {
    const Json& side = (*value)[i];
    const bool whole = side.is_number_integer() && side.get<double>() >= 1 &&
                       side.get<double>() <= static_cast<double>(kMostMembers);
    if (!whole) {
      return in.fail(ErrorCode::bad_value, fmt::format("shape/{}", i),
                     "a side is a whole number from 1 on");
    }
    level.shape[i] = side.get<std::int64_t>();
  }
}

void check_shape(FieldReader& in, const Level& level) {
  std::int64_t members = 1;
  for (const std::int64_t side : level.shape)
    members *= std::min(std::max<std::int64_t>(side, 1), kMostMembers);
  const bool shaped = level.shape[0] > 0;
  if (shaped && members != level.count) {
    in.fail(ErrorCode::conflict, "shape",
            fmt::format("the shape has {} members, count is {}", members, level.count),
            "sides whose product is count");
  }
}

// Fields of one level over what it has; `energy` is the energy of its link's bytes.
void read_level(FieldReader& in, Level& level, JoulesPerByte& energy,
                std::optional<Error>& problem) {
  if (auto name = in.text("name")) level.name = *name;
  const std::int64_t before = level.count;
  if (auto count = in.count("count", 1, kMostMembers)) level.count = *count;
  set_choice(in.choice("topology", names_of(Topology{})), level.topology);
  if (const Json* link = in.raw("link")) {
    read_link(*link, in, level, problem);
  } else {
    set(in.quantity("bandwidth", BytesPerSecond::kDim, kPositive), level.bandwidth);
    set(in.quantity("latency", Seconds::kDim, kZeroOrMore), level.latency);
  }
  set_choice(in.choice("link_of", names_of(LinkOf{})), level.link_of);
  set(in.quantity("oversubscription", Dim{}, {.least = 1, .most = 1e6}), level.oversubscription);
  set(in.quantity("energy_per_byte", JoulesPerByte::kDim, kZeroOrMore), energy);
  const bool shaped = in.raw("shape") != nullptr;
  if (shaped) read_shape(in, level);
  if (!shaped && level.count != before) level.shape = {0, 0, 0};
  check_shape(in, level);
  in.finish();
}

void check_level(FieldReader& in, const Level& level) {
  if (in.failed()) return;
  if (level.name.empty())
    return in.fail(ErrorCode::missing, "name", "a level needs a name", "node, pod, ...");
  if (level.name.find_first_of("./~ ") != std::string::npos) {
    return in.fail(ErrorCode::bad_value, "name", "the name of a level is one plain word",
                   "node, pod, ...");
  }
  if (level.bandwidth.base() <= 0) {
    in.fail(ErrorCode::missing, "link", fmt::format("level {} has no bandwidth", level.name),
            R"({"bandwidth": "450 GB/s", "latency": "0.5 us"})");
  }
}

void replace_levels(const Json& list, FieldReader& outer, Machine& machine,
                    std::optional<Error>& problem) {
  if (list.size() > kMaxLevels) {
    return outer.fail(ErrorCode::out_of_range, "levels",
                      fmt::format("{} levels are too many", list.size()),
                      fmt::format("at most {}", kMaxLevels));
  }
  machine.levels.clear();
  machine.energy_per_link_byte = {};
  for (std::size_t l = 0; l < list.size(); ++l) {
    const std::string at = fmt::format("levels/{}", l);
    if (!list[l].is_object()) return outer.fail(ErrorCode::bad_value, at, "a level is an object");
    FieldReader in(list[l], outer.pointer() + "/" + at, problem);
    Level level;
    read_level(in, level, machine.energy_per_link_byte[l], problem);
    if (!in.failed() && list[l].find("count") == list[l].end()) {
      in.fail(ErrorCode::missing, "count", "a level needs a count", "members from the level below");
    }
    check_level(in, level);
    if (in.failed()) return;
    machine.levels.push_back(level);
  }
}

void change_levels(const Json& changes, FieldReader& outer, Machine& machine,
                   std::optional<Error>& problem) {
  for (const auto& change : changes.items()) {
    const std::string& name = change.key();
    const Json& value = change.value();
    const auto same = [&name](const Level& level) { return lower(level.name) == lower(name); };
    Level* found = std::find_if(machine.levels.begin(), machine.levels.end(), same);
    const std::string at = "levels/" + name;
    if (found == machine.levels.end()) {
      std::vector<std::string> names;
      for (const Level& level : machine.levels) names.push_back(level.name);
      return outer.fail(ErrorCode::unknown_key, at,
                        fmt::format("there is no level \"{}\"", name.substr(0, 60)),
                        did_you_mean(name, names));
    }
    if (!value.is_object()) return outer.fail(ErrorCode::bad_value, at, "a level is an object");
    FieldReader in(value, outer.pointer() + "/" + at, problem);
    read_level(
        in, *found,
        machine.energy_per_link_byte[static_cast<std::size_t>(found - machine.levels.begin())],
        problem);
    check_level(in, *found);
  }
}

void read_levels(FieldReader& in, Machine& machine, std::optional<Error>& problem) {
  const Json* levels = in.raw("levels");
  if (levels == nullptr) return;
  if (levels->is_array()) return replace_levels(*levels, in, machine, problem);
  if (levels->is_object()) return change_levels(*levels, in, machine, problem);
  in.fail(ErrorCode::bad_value, "levels", "levels is a list, or an object of changes by name");
}

void check_machine(FieldReader& in, const Machine& machine) {
  if (in.failed()) return;
  std::set<std::string> names;
  double devices = 1;
  for (const Level& level : machine.levels) {
    devices *= static_cast<double>(level.count);
    if (!names.insert(lower(level.name)).second) {
      in.fail(ErrorCode::conflict, "levels", fmt::format("two levels are named {}", level.name));
    }
  }
  if (devices > static_cast<double>(kMostDevices)) {
    in.fail(ErrorCode::out_of_range, "levels", fmt::format("{:.3g} devices are too many", devices),
            fmt::format("at most {}", kMostDevices));
  }
}

// A dotted path ("device.memory_bandwidth") or, on the chiplet machine, a flat name.
void set_path(FieldReader& in, const std::string& key, const Json& value, Scenario& scenario,
              std::set<std::string>& given) {
  const std::vector<ScalarField> fields = scalar_fields(scenario.machine);
  auto ref = find_scalar(fields, "machine." + key);
  if (!ref) {
    auto inner = find_scalar(fields, "machine.levels." + key);
    if (!inner) return in.fail(ref.error(), key);
    ref = std::move(inner);
  }
  if (!given.insert(ref->field.path).second) {
    return in.fail(ErrorCode::conflict, key, fmt::format("{} is given twice", ref->field.key),
                   "give one of its names");
  }
  if (ref->field.kind == ScalarKind::choice) {
    if (const auto index = in.choice(key.c_str(), ref->field.choices)) {
      set_scalar(scenario, ref->field, static_cast<double>(*index));
    }
    return;
  }
  const bool bare = ref->field.dim == Dim{};
  auto v =
      quantity_of(value, ref->field.dim, bare ? 0 : ref->factor, {.least = -kMostQuantity}, key);
  if (!v) return in.fail(v.error(), key);
  if (auto ok = check_scalar(ref->field, *v); !ok) return in.fail(ok.error(), key);
  set_scalar(scenario, ref->field, *v);
}

Machine read_change(const Json& value, FieldReader& in, Machine base, const Catalog& catalog,
                    std::optional<Error>& problem) {
  Scenario scenario{std::move(base), {}, {}};
  Machine& machine = scenario.machine;
  if (auto name = in.text("name")) machine.name = *name;
  std::set<std::string> given;
  const bool tree = machine.kind == MachineKind::tree;
  if (tree) {
    if (const Json* device = in.raw("device")) {
      machine.device = read_device(*device, in, "device", machine.device, catalog, problem);
    }
    read_levels(in, machine, problem);
  }
  for (const auto& [key, field] : value.items()) {
    if (key == "base" || key == "name" || (tree && (key == "device" || key == "levels"))) continue;
    if (in.failed()) break;
    if (!field.is_null()) set_path(in, key, field, scenario, given);
  }
  check_machine(in, machine);
  return machine;
}

Machine read_tree(FieldReader& in, const Catalog& catalog, std::optional<Error>& problem) {
  Machine machine;
  machine.name = in.text("name").value_or("custom");
  static constexpr std::array<const char*, 2> kForms = {"tree", "chiplet"};
  set_choice(in.choice("form", kForms), machine.kind);
  if (const Json* device = in.raw("device")) {
    machine.device = read_device(*device, in, "device", {}, catalog, problem);
  } else {
    in.fail(
        ErrorCode::missing, "device", "the machine has no device",
        "a name (see: ridgeline list accelerators), or fields; or \"base\": a machine to change");
  }
  read_levels(in, machine, problem);
  set(in.quantity("tree_max", Bytes::kDim, kZeroOrMore), machine.tree_max);
  set(in.quantity("ffn_chunk_tokens", Dim{}, kPositive), machine.ffn_chunk_tokens);
  in.finish();
  check_machine(in, machine);
  return machine;
}

bool is_chiplet_shape(const Machine& machine) {
  return machine.levels.size() == 3 && machine.levels[1].shape[0] > 0;
}

Result<Machine> read_object(const Json& value, const Catalog& catalog, int depth) {
  std::optional<Error> problem;
  FieldReader in(value, "", problem);
  if (auto base = in.text("base")) {
    auto named = named_machine(catalog, *base, depth + 1);
    if (!named) {
      in.fail(named.error(), "base");
      return *problem;
    }
    Machine machine = read_change(value, in, *std::move(named), catalog, problem);
    if (problem) return *problem;
    return machine;
  }
  if (problem) return *problem;
  Machine machine = read_tree(in, catalog, problem);
  if (!problem && machine.kind == MachineKind::chiplet && !is_chiplet_shape(machine)) {
    in.fail(ErrorCode::unsupported, "form", "a chiplet machine has the levels of chiplet-sip",
            "{\"base\": \"chiplet-sip\", ...}");
  }
  if (problem) return *problem;
  return machine;
}

// Nothing has this name, neither a machine nor an accelerator.
Error no_machine(const Catalog& catalog, std::string_view name) {
  std::vector<std::string> known;
  for (const EntryKind kind : {EntryKind::machine, EntryKind::accelerator}) {
    for (const Entry* entry : catalog.entries(kind)) {
      known.push_back(entry->name);
      known.insert(known.end(), entry->aliases.begin(), entry->aliases.end());
    }
  }
  std::string hint = did_you_mean(name, known);
  if (hint.empty()) hint = "see: ridgeline list machines, ridgeline list accelerators";
  return Error{ErrorCode::unknown_name, "",
               fmt::format("there is no machine \"{}\"", name.substr(0, 80)), hint};
}

// As named_machine(), of one that was not read before.
Result<Machine> read_named(const Catalog& catalog, std::string_view name, int depth) {
  if (depth > kMostBases) {
    return Error{ErrorCode::conflict, "", "the \"base\" of machines leads round in a circle", ""};
  }
  if (const auto entry = catalog.find(EntryKind::machine, name)) {
    RIDGELINE_TRY(const Json form, machine_form(**entry));
    return read_object(form, catalog, depth);
  }
  auto device = catalog.accelerator(name);
  if (!device) {
    return device.error().code == ErrorCode::unknown_name ? no_machine(catalog, name)
                                                          : device.error();
  }
  Machine machine;
  machine.name = device->name;
  machine.device = *std::move(device);
  return machine;
}

}  // namespace

Result<Machine> named_machine(const Catalog& catalog, std::string_view name, int depth) {
  if (auto known = catalog.remembered_machine(name)) return *std::move(known);
  RIDGELINE_TRY(Machine machine, read_named(catalog, name, depth));
  catalog.remember_machine(name, machine);
  return machine;
}

Result<Machine> read_machine(const Json& value, const Catalog& catalog) {
  if (value.is_string()) return catalog.machine(value.get_ref<const std::string&>());
  if (!value.is_object()) {
    return Error{
        ErrorCode::bad_value, "", "a machine is a name or an object",
        R"("dgx-h100", or {"base": "dgx-h100", ...}, or {"device": ..., "levels": [...]})"};
  }
  return read_object(value, catalog, 0);
}

Result<Machine> read_machine(const nlohmann::json& value, const Catalog& catalog) {
  return read_machine(Json(value), catalog);
}

Result<Accelerator> read_accelerator(const Json& value, const Accelerator& base) {
  std::optional<Error> problem;
  FieldReader in(value, "", problem);
  Accelerator device = base;
  read_device_fields(in, device);
  check_device(in, device);
  in.finish();
  if (problem) return *problem;
  return device;
}

}  // namespace ridgeline::catalog
