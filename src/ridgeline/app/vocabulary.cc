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

bool is_placement(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  const std::string_view last = dot == std::string_view::npos ? name : name.substr(dot + 1);
  return last == "tp_placement" || last == "cp_placement";
}

}  // namespace

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
  const std::string name(without_alias(lowered));
  if (const Field* field = find_field(*command_, name)) {
    return Target{pointer_of(field->name), field, {}};
  }
  double factor = 0;
  if (const ScalarField* field = find_flag(name, factor)) {
    return Target{pointer_of(field->path), nullptr, {*field, factor}};
  }
  if (!scalars_.empty()) {
    for (const char* prefix : kPrefixes) {
      const auto ref = find_scalar(scalars_, prefix + name);
      if (ref) return Target{pointer_of(ref->field.path), nullptr, *ref};
    }
    if (is_placement(name)) {
      return Error{ErrorCode::unsupported, "",
                   fmt::format("\"{}\" belongs to the chiplet machine", typed),
                   "place the axes of this machine with plan.order"};
    }
  }
  std::string hint = did_you_mean(lowered, names());
  if (hint.empty()) hint = fmt::format("see: ridgeline help {}", command_->name);
  return Error{ErrorCode::unknown_key, "",
               fmt::format("unknown field \"{}\" of {}", typed.substr(0, 80), command_->name), hint};
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
