// Lowering: Model x Workload x Plan on the shape of a Machine -> Step.
//
// The one place where transformer arithmetic stands. Equations: docs/chiplet-model.md; a Step does
// not depend on peak, bandwidths, latencies or memory capacity (but for the choice of algorithm on
// switched levels, which follows the link of the machine that was prepared).
#pragma once

#include <memory>

#include "ridgeline/base/result.h"
#include "ridgeline/physics/placement.h"
#include "ridgeline/spec/machine.h"
#include "ridgeline/spec/model.h"
#include "ridgeline/spec/plan.h"
#include "ridgeline/spec/step.h"
#include "ridgeline/spec/workload.h"

namespace ridgeline::physics {

// Is the model understood on this machine? The error names the model's feature and the layer.
Status check_supported(const Model& model, const Machine& machine);

// What of model and workload decides whether a plan can be placed.
PlacementFacts placement_facts(const Model& model, const Workload& work);

// A model, machine shape and workload made ready: what no plan changes is computed once. Holds a
// cache of hop counts, hence one Lowering per thread; copying is cheap.
class Lowering {
 public:
  // REQUIRES: check_supported(model, machine); positive counts. Keeps a pointer to `model`.
  Lowering(const Model& model, const Machine& machine, const Workload& work);
  Lowering(const Lowering&);
  Lowering& operator=(const Lowering&);
  Lowering(Lowering&&) noexcept;
  Lowering& operator=(Lowering&&) noexcept;
  ~Lowering();

  // Fills `out`, reusing its storage. An invalid plan gets layout and memory only.
  // REQUIRES: every degree of `plan` is at least 1.
  void lower(const Plan& plan, Step& out);

  const Model& model() const;
  const Machine& machine() const;
  const Workload& workload() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ridgeline::physics
