// Plans: the plan axes of a space as a list, without those that change nothing.
//
// A knob has no effect (docs/chiplet-model.md 8.1) where
//   TP = 1: kv_shard_mode, tp_placement        CP = 1: cp_placement, ring, scope TP+CP = TP
//   DP = 1: scope TP+CP+DP = TP+CP
// Plans that differ only there score alike: one of them stands for all, the least in the order of
// plan_less among those listed. The same value listed twice is folded, too.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ridgeline/explore/space.h"
#include "ridgeline/spec/plan.h"
#include "ridgeline/spec/workload.h"

namespace ridgeline::explore {

// The tail of the total order of docs/chiplet-model.md section 8: PP, DP, CP, TP, EP, kv, scope,
// tp_placement, cp_placement, ring.
bool plan_less(const Plan& a, const Plan& b);

// Does the field leave the compute and memory work of every stage as it is? PP and the placements
// only decide what is sent and where it is kept.
bool only_moves(const ScalarField& field);

// Plan axes made ready to be walked from any base plan.
class PlanAxes {
 public:
  // Keeps a reference to `axes`, the plan axes in nesting order.
  explicit PlanAxes(std::span<const Axis> axes);

  struct Found {
    std::int64_t index;   // in the listing
    std::int64_t weight;  // listed plans that it stands for
    Plan plan;
  };
  // Calls fn(Found) -> bool for each plan that is left, until it returns false; sizes outermost,
  // not in the order listed. Fields that are no axis stay as in `base`.
  template <class F>
  void for_each(const Plan& base, F&& fn) const {
    Scenario scenario;
    scenario.plan = base;
    visit(scenario, 0, 0, 1, fn);
  }

  std::int64_t listed_count() const { return listed_; }
  bool ring_is_axis() const;

 private:
  enum class Role : std::uint8_t { size, pp, kv, scope, tp_placement, cp_placement, ring };
  struct Value {
    double value;
    std::int64_t index, weight;  // listing index of the value; how many values it stands for
  };
  // One axis: the values that stand for themselves and the others of their class, in each of the 8
  // cases of (TP, CP, DP) being 1.
  struct Folded {
    const ScalarField* field;
    Role role;
    std::array<std::vector<Value>, 8> kept;
  };

  static Role role_of(const ScalarField& field);
  static double alike(Role role, double value, std::size_t ones);
  static std::vector<Value> keep_least(const Axis& axis, Role role, std::size_t ones,
                                       std::int64_t stride);
  static bool is_size(Role role) { return role == Role::size || role == Role::pp; }
  friend bool only_moves(const ScalarField& field);

  template <class F>
  bool visit(Scenario& at, std::size_t depth, std::int64_t index, std::int64_t weight,
             F& fn) const {
    if (depth == axes_.size()) return fn(Found{index, weight, at.plan});
    const Folded& axis = axes_[depth];
    const Plan& plan = at.plan;
    const std::size_t ones =
        (plan.tp == 1 ? 1u : 0u) + (plan.cp == 1 ? 2u : 0u) + (plan.dp == 1 ? 4u : 0u);
    for (const Value& v : axis.kept[is_size(axis.role) ? 0 : ones]) {
      set_scalar(at, *axis.field, v.value);
      if (!visit(at, depth + 1, index + v.index, weight * v.weight, fn)) return false;
    }
    return true;
  }

  std::vector<Folded> axes_;  // sizes first: they decide how the others fold
  std::int64_t listed_ = 1;
};

class PlanList {
 public:
  // `axes` are the plan axes in nesting order; fields that are no axis stay as in `base`.
  PlanList(const Plan& base, std::span<const Axis> axes, RingRule rule);

  // Listed plans before folding.
  std::int64_t listed_count() const { return listed_; }

  // Plans that are left, in the order listed.
  std::size_t size() const { return plans_.size(); }

  // How many listed plans `i` stands for.
  std::int64_t weight(std::size_t i) const { return plans_[i].weight; }

  // The ring variant follows the phase where the rule says so.
  Plan at(std::size_t i, Phase phase) const;

 private:
  std::vector<PlanAxes::Found> plans_;
  std::int64_t listed_ = 1;
  bool ring_by_phase_ = false;
};

}  // namespace ridgeline::explore
