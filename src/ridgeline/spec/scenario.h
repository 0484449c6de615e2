// Scenario: one model, machine, workload and plan; and its scalar fields by path, for axes and
// --set.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"
#include "ridgeline/spec/machine.h"
#include "ridgeline/spec/plan.h"
#include "ridgeline/spec/workload.h"

namespace ridgeline {

struct Scenario {
  Machine machine;
  Workload work;
  Plan plan;
};

enum class ScalarKind : std::uint8_t { real, integer, choice };
enum class ScalarOwner : std::uint8_t { machine, workload, plan };

// What a change of the field invalidates. `rate`: only time changes, a lowered Step stays good.
// `capacity`: only whether it fits. `shape`: the Step must be lowered again.
enum class ScalarEffect : std::uint8_t { rate, capacity, shape };

// One scalar of a Scenario that text can address.
struct ScalarField {
  ScalarOwner owner = ScalarOwner::machine;
  std::string path;  // as in `inputs`: "machine.bw_hbm_gbs", "plan.tp", "context"
  std::string key;   // last part, with its unit: "bw_hbm_gbs", "tp"
  std::string stem;  // last part without unit: "bw_hbm"; text with a unit goes here
  Dim dim;
  double unit = 1;  // base units per unit of the key: 1e9 for gbs
  ScalarKind kind = ScalarKind::real;
  std::span<const char* const> choices{};  // of a choice, in the order of its values
  double minimum = 0;                      // smallest value accepted, in base units
  bool positive = false;                   // must be greater than zero
  double maximum = 0;                      // largest accepted, in base units
  ScalarEffect effect = ScalarEffect::shape;
  const char* help = "";
  int slot = 0;  // private to scenario.cc: which accessor, and at which level
  int level = 0;
};

// All scalar fields of scenarios on this machine. The flat names of the chiplet machine come in the
// order of docs/chiplet-model.md section 2, swept knobs first.
std::vector<ScalarField> scalar_fields(const Machine& machine);

// The swept hardware knobs of a machine, in order: capacity, memory bandwidth, peak, link
// bandwidths.
std::vector<ScalarField> hardware_knobs(const Machine& machine);

// Value in base units; a choice as the index of its name.
double get_scalar(const Scenario& scenario, const ScalarField& field);
void set_scalar(Scenario& scenario, const ScalarField& field, double value);

// Is `value` (base units) inside the field's range, whole where it must be, finite? The error has
// an empty `where`.
Status check_scalar(const ScalarField& field, double value);

// The field that `path` names, with or without its unit suffix; factor is what a bare number in the
// key's unit is multiplied with to give base units, 0 when the path has no unit though one is due
// (a text value with a unit is then needed). Errors: unknown_key with the nearest paths.
struct ScalarRef {
  ScalarField field;
  double factor = 1;
};
Result<ScalarRef> find_scalar(std::span<const ScalarField> fields, std::string_view path);

// cost_score of docs/chiplet-model.md section 9: sum over the knobs of value / default.
double chiplet_cost_score(const Machine& machine);

// The chiplet machine at its defaults.
Machine default_chiplet();

}  // namespace ridgeline
