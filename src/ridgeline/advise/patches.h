// Patches: the change behind a hint, what it does, and changes that mend a plan that cannot run.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ridgeline/advise/hints.h"
#include "ridgeline/physics/lower.h"
#include "ridgeline/spec/model.h"
#include "ridgeline/spec/scenario.h"

namespace ridgeline::advise {

// One scalar of a scenario set to a value, in base units.
struct Change {
  ScalarField field;
  double value = 0;
};
using Patch = std::vector<Change>;

// What a patch is judged by.
struct Effect {
  bool placement_valid = false;
  bool fits_memory = false;
  double latency_s = 0;  // of a valid plan
  std::int64_t total_bytes = 0;

  bool runs() const { return placement_valid && fits_memory; }
};

Effect effect_of(const Model& model, const Scenario& at);

Scenario patched(const Scenario& at, const Patch& patch);

// Tries changes of one configuration. Those of the plan alone share one lowering.
class Tries {
 public:
  // Keeps references. `lowering` is that of the machine and workload of `at`, `fields` are those of
  // its machine.
  Tries(physics::Lowering& lowering, const Scenario& at, std::span<const ScalarField> fields);

  const Effect& now() const { return now_; }
  Effect effect_of(const Patch& patch);

  // The first change that a hint suggests and that makes its subject better; empty where none does.
  Patch patch_of(const Hint& hint);

  // Up to three changes, of one field each, after which the plan can be placed and fits.
  const std::vector<Patch>& mends();

 private:
  Patch double_bandwidth() const;
  void find_mends();

  physics::Lowering& lowering_;
  const Scenario& at_;
  std::span<const ScalarField> fields_;
  Effect now_;
  std::optional<std::vector<Patch>> mends_;  // once looked for
};

}  // namespace ridgeline::advise
