#include <algorithm>

#include "ridgeline/explore/explore.h"
#include "ridgeline/physics/cost.h"
#include "ridgeline/physics/lower.h"
#include "ridgeline/physics/memory.h"

namespace ridgeline::explore {
namespace {

double latency_of(const Step& step, const Scenario& at) {
  return physics::latency_s(step, physics::rates_of(at.machine, at.work.activation_precision));
}

// None where the value is out of range, or the plan does not run with it.
std::optional<double> latency_with(const Model& model, const Scenario& at, const ScalarField& field,
                                   double value) {
  if (!check_scalar(field, value)) return std::nullopt;
  Scenario changed = at;
  set_scalar(changed, field, value);
  Step step;
  physics::Lowering(model, changed.machine, changed.work).lower(changed.plan, step);
  const bool fits =
      static_cast<double>(step.memory.total()) <= physics::usable_bytes(changed.machine);
  if (!step.layout.valid() || !fits) return std::nullopt;
  return latency_of(step, changed);
}

}  // namespace

Bound bound_of(const Model& model, const Scenario& at) {
  Step step;
  physics::Lowering(model, at.machine, at.work).lower(at.plan, step);
  return physics::bound_of(step, physics::rates_of(at.machine, at.work.activation_precision));
}

std::vector<SensitivityRow> sensitivity_at(const Model& model, const Scenario& at,
                                           std::span<const ScalarField> fields) {
  Step step;
  physics::Lowering(model, at.machine, at.work).lower(at.plan, step);
  if (!step.layout.valid()) return {};
  const double baseline = latency_of(step, at);
  std::vector<SensitivityRow> rows;
  for (const ScalarField& field : fields) {
    const double value = get_scalar(at, field);
    if (field.kind != ScalarKind::real || !check_scalar(field, 2 * value)) continue;
    Scenario doubled = at;
    set_scalar(doubled, field, 2 * value);
    Step again;
    if (field.effect == ScalarEffect::shape) {
      physics::Lowering(model, doubled.machine, doubled.work).lower(doubled.plan, again);
      if (!again.layout.valid()) continue;
    }
    const double latency = latency_of(field.effect == ScalarEffect::shape ? again : step, doubled);
    rows.push_back({field, value, 2 * value, baseline, latency, 1 - latency / baseline, value / 2,
                    latency_with(model, at, field, value / 2)});
  }
  std::stable_sort(rows.begin(), rows.end(), [](const SensitivityRow& a, const SensitivityRow& b) {
    return physics::latency_key(a.doubled_latency_s) < physics::latency_key(b.doubled_latency_s);
  });
  return rows;
}

}  // namespace ridgeline::explore
