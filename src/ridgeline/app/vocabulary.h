// Vocabulary: every name that a command's input may use, and what it stands for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgeline/app/command.h"
#include "ridgeline/base/result.h"
#include "ridgeline/spec/scenario.h"

namespace ridgeline::app {

// What a name stands for: a field of the command, or a scalar of the scenario.
struct Target {
  std::string pointer;           // canonical: "/plan/tp", "/machine/bw_hbm_gbs", "/depth"
  std::string spelled;           // where the value goes: the pointer, with the unit that was typed
  const Field* field = nullptr;  // null: a scalar
  ScalarRef scalar;
};

class Vocabulary {
 public:
  Vocabulary(const Command& command, const Machine& machine);

  // By key, alias or path, in snake_case: "tp", "tp_size", "plan.tp", "bw_hbm",
  // "machine.bw_hbm_gbs", "node_bandwidth". Errors: unknown_key with the nearest names,
  // unsupported; `where` is empty.
  Result<Target> find(std::string_view name) const;

  const Command& command() const { return *command_; }
  const std::vector<ScalarField>& scalars() const { return scalars_; }

  // All names that could be meant, for suggestions.
  std::vector<std::string> names() const;

 private:
  const ScalarField* find_flag(std::string_view name, double& factor) const;

  const Command* command_;
  std::vector<ScalarField> scalars_;
};

// Base units per unit of a bare number under `typed`, if that is the name or the key of a quantity,
// or its name with another unit; 0: a unit is due. Nothing: another field. Plain numbers: `unit`.
std::optional<double> unit_of_key(const Field& field, std::string_view typed);

// "bw_hbm" of "machine.bw_hbm_gbs", "node_bandwidth" of "machine.levels.node.link.bandwidth_...":
// what the flag of a scalar is called, in snake_case.
std::string flag_name(const ScalarField& field);

// "/plan/tp" of "plan.tp".
std::string pointer_of(std::string_view path);

}  // namespace ridgeline::app
