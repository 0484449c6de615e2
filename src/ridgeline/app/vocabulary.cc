#include "ridgeline/app/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ridgeline/base/text.h"

namespace ridgeline::app {
namespace {

struct Alias {
  const char* name;
  const char* path;
};

// Other names of the same inputs; they are read, never written.
constexpr std::array kAliases = {
    Alias{"tp_size", "plan.tp"},
    Alias{"pp_size", "plan.pp"},
    Alias{"dp_size", "plan.dp"},
    Alias{"cp_size", "plan.cp"},
    Alias{"ep_size", "plan.ep"},
    Alias{"plan.tp_size", "plan.tp"},
    Alias{"plan.pp_size", "plan.pp"},
    Alias{"plan.dp_size", "plan.dp"},
    Alias{"plan.cp_size", "plan.cp"},
    Alias{"plan.ep_size", "plan.ep"},
    Alias{"order", "plan.order"},
    Alias{"batch_size", "batch"},
    Alias{"mode", "phase"},
    Alias{"seq_len", "context"},
    Alias{"weight_precision", "precision"},
    Alias{"peak_tflops", "machine.peak_tflops_f16"},
};

// Names of one thing in commands that have no plan.
struct Pair {
  const char* one;
  const char* other;
};
constexpr std::array kPairs = {
    Pair{"tp", "tp_size"},           Pair{"pp", "pp_size"},
    Pair{"dp", "dp_size"},           Pair{"cp", "cp_size"},
    Pair{"ep", "ep_size"},           Pair{"etp", "etp_size"},
    Pair{"batch", "batch_size"},     Pair{"mode", "phase"},
    Pair{"seq_len", "context"},      Pair{"weight_precision", "precision"},
    Pair{"interval", "interval_s"},  Pair{"target_model_size", "target_parameters_count"},
    Pair{"datacenter", "site"},      Pair{"carbon_tax", "carbon_price"},
    Pair{"bits", "target_bitwidth"}, Pair{"device", "hardware"},
};

constexpr std::array kPrefixes = {"", "plan.", "machine.", "machine.device."};

std::string_view without_alias(std::string_view name) {
  for (const Alias& alias : kAliases) {
    if (alias.name == name) return alias.path;
  }
  return name;
}

// The name of the level in "machine.levels.node.link.bandwidth_bytes_per_s"; empty elsewhere.
std::string level_of(const ScalarField& field) {
  constexpr std::string_view kLevels = "machine.levels.";
  const std::string_view path = field.path;
  if (path.substr(0, kLevels.size()) != kLevels) return "";
  const std::string_view rest = path.substr(kLevels.size());
  return std::string(rest.substr(0, rest.find('.')));
}

// A field by its name, its key, or its name with another unit.
const Field* spelled_field(const Command& command, std::string_view name) {
  if (const Field* field = find_field(command, name)) return field;
  for (const Field& field : command.fields) {
    if (unit_of_key(field, name)) return &field;
  }
  return nullptr;
}

// The same, or by another name of it; `name` becomes the one that the command uses.
const Field* paired_field(const Command& command, std::string& name) {
  if (const Field* field = spelled_field(command, name)) return field;
  for (const Pair& pair : kPairs) {
    for (const auto& [from, to] :
         {std::pair(pair.one, pair.other), std::pair(pair.other, pair.one)}) {
      if (name != from) continue;
      const Field* field = find_field(command, to);
      if (field == nullptr) continue;
      name = to;
      return field;
    }
  }
  return nullptr;
}

bool is_placement(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  const std::string_view last = dot == std::string_view::npos ? name : name.substr(dot + 1);
  return last == "tp_placement" || last == "cp_placement";
}

}  // namespace

std::optional<double> unit_of_key(const Field& field, std::string_view typed) {
  const std::string_view name = field.name, key = field.key;
  const bool plain = field.dim == Dim{};
  if (typed == key && !key.empty()) return field.unit;
  if (typed == name) return plain ? field.unit : 0;
  constexpr std::string_view kShare = "_fraction";
  const bool is_number = field.kind == FieldKind::number;
  if (is_number && typed.size() + kShare.size() == name.size() && name.ends_with(kShare) &&
      name.starts_with(typed)) {
    return field.unit;
  }
  const bool longer =
      typed.size() > name.size() + 1 && typed.starts_with(name) && typed[name.size()] == '_';
  if (!longer) return std::nullopt;
  const std::string_view suffix = typed.substr(name.size() + 1);
  if (is_number && suffix == kShare.substr(1)) return field.unit;
  const double factor = plain ? 0 : suffix_factor(suffix, field.dim);
  if (factor == 0) return std::nullopt;
  return factor;
}

std::string pointer_of(std::string_view path) {
  std::string out = fmt::format("/{}", path);
  std::replace(out.begin(), out.end(), '.', '/');
  return out;
}

Vocabulary::Vocabulary(const Command& command, const Machine& machine) : command_(&command) {
  if (command.scope == Scope::scenario) scalars_ = scalar_fields(machine);
}

std::string flag_name(const ScalarField& field) {
  const std::string level = level_of(field);
  return level.empty() ? field.stem : fmt::format("{}_{}", snake(lower(level)), field.stem);
}

const ScalarField* Vocabulary::find_flag(std::string_view name, double& factor) const {
  for (const ScalarField& field : scalars_) {
    const std::string flag = flag_name(field);
    if (name == flag) {
      factor = field.dim == Dim{} ? 1 : 0;
      return &field;
    }
    const bool longer = name.size() > flag.size() + 1 && name.substr(0, flag.size()) == flag &&
                        name[flag.size()] == '_';
    if (!longer) continue;
    factor = suffix_factor(name.substr(flag.size() + 1), field.dim);
    if (factor != 0) return &field;
  }
  return nullptr;
}

Result<Target> Vocabulary::find(std::string_view typed) const {
  const std::string lowered = lower(typed);
  const bool has_plan = command_->scope == Scope::scenario;
  std::string name(has_plan ? without_alias(lowered) : lowered);
  const Field* own = has_plan ? find_field(*command_, name) : paired_field(*command_, name);
  if (own != nullptr) {
    const std::string pointer = pointer_of(own->name);
    return Target{pointer, has_plan ? pointer : pointer_of(name), own, {}};
  }
  double factor = 0;
  if (const ScalarField* field = find_flag(name, factor)) {
    return Target{pointer_of(field->path), "", nullptr, {*field, factor}};
  }
  if (!scalars_.empty()) {
    for (const char* prefix : kPrefixes) {
      const auto ref = find_scalar(scalars_, prefix + name);
      if (ref) return Target{pointer_of(ref->field.path), "", nullptr, *ref};
    }
    if (is_placement(name)) {
      return Error{ErrorCode::unsupported, "",
                   fmt::format("\"{}\" belongs to the chiplet machine", typed),
                   "place the axes of this machine with plan.order"};
    }
  }
  const Field* with_unit = has_plan ? paired_field(*command_, name) : nullptr;
  if (with_unit != nullptr) {
    return Target{pointer_of(with_unit->name), pointer_of(name), with_unit, {}};
  }
  std::string hint = did_you_mean(lowered, names());
  if (hint.empty()) hint = fmt::format("see: ridgeline help {}", command_->name);
  return Error{ErrorCode::unknown_key, "",
               fmt::format("unknown field \"{}\" of {}", typed.substr(0, 80), command_->name),
               hint};
}

std::vector<std::string> Vocabulary::names() const {
  std::vector<std::string> out;
  for (const Field& field : command_->fields) out.emplace_back(field.name);
  for (const ScalarField& field : scalars_) {
    out.push_back(flag_name(field));
    if (field.key != field.stem) out.push_back(field.key);
  }
  return out;
}

}  // namespace ridgeline::app
