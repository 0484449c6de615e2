// Patches: the change behind a hint, what it does, and changes that mend a plan that cannot run.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ridgeline/advise/hints.h"
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

// The first change that a hint suggests and that makes its subject better; empty where none does.
// `fields` are those of the scenario's machine.
Patch patch_of(const Model& model, const Scenario& at, std::span<const ScalarField> fields,
               const Hint& hint);

// Up to three changes, of one field each, after which the plan can be placed and fits.
std::vector<Patch> mends_of(const Model& model, const Scenario& at,
                            std::span<const ScalarField> fields);

}  // namespace ridgeline::advise
