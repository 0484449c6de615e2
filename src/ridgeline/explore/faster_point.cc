// Branch and bound over plans: the stages of a plan take at least their compute or memory time, and
// that does not depend on PP and the placements. Plans that differ only there make one branch; a
// branch whose stages alone take longer than the best plan so far is not entered.
#include <algorithm>
#include <optional>

#include "ridgeline/explore/explore.h"
#include "ridgeline/explore/hardware.h"
#include "ridgeline/explore/minima.h"
#include "ridgeline/explore/plain.h"
#include "ridgeline/explore/plans.h"
#include "ridgeline/physics/cost.h"
#include "ridgeline/physics/lower.h"

namespace ridgeline::explore {
namespace {

double stage_seconds(const physics::Separable& work, const physics::Rates& rates) {
  double t = 0;
  for (const physics::Term& term : work.terms) {
    t += term.count *
         std::max(term.flop / rates.flop_per_s, term.memory_bytes / rates.memory_bytes_per_s);
  }
  return t;
}

class BranchAndBound {
 public:
  BranchAndBound(const Model& model, const Point& at, const Space& space)
      : at_(at),
        space_(space),
        sets_(sort_constraints(space.constraints)),
        lowering_(model, at.scenario.machine, at.scenario.work),
        rates_(physics::rates_of(at.scenario.machine, at.scenario.work.activation_precision)),
        capacity_(capacity_bytes(at.scenario.machine.device)),
        limit_s_(at.metric(Metric::latency_s)) {
    for (const Axis& axis : space.axes) {
      if (axis.field.owner != ScalarOwner::plan) continue;
      (only_moves(axis.field) ? inner_ : outer_).push_back(axis);
    }
  }

  std::optional<Point> run() {
    struct Branch {
      double at_least_s;
      Plan plan;
    };
    std::vector<Branch> branches;
    const PlanList outer(at_.scenario.plan, outer_, space_.ring_rule);
    const PlanAxes inner(inner_);
    for (std::size_t i = 0; i < outer.size(); ++i) {
      const Plan plan = outer.at(i, at_.scenario.work.phase);
      if (const std::optional<double> bound = bound_of(plan, inner))
        branches.push_back({*bound, plan});
    }
    std::sort(branches.begin(), branches.end(), [](const Branch& a, const Branch& b) {
      return a.at_least_s != b.at_least_s ? a.at_least_s < b.at_least_s : plan_less(a.plan, b.plan);
    });
    for (const Branch& branch : branches) {
      if (branch.at_least_s > certainly_later(limit_s_)) break;
      enter(branch.plan, inner);
    }
    return best_;
  }

 private:
  // Seconds of the stages, from the first plan of the branch that can be placed; none where none
  // can.
  std::optional<double> bound_of(const Plan& plan, const PlanAxes& inner) {
    std::optional<double> bound;
    inner.for_each(plan, [&](const PlanAxes::Found& found) {
      if (found.plan.ranks() > at_.scenario.machine.device_count()) return true;
      lowering_.lower(found.plan, step_);
      if (!step_.layout.valid()) return true;
      physics::separate(step_, rates_.vector_fraction, rates_.levels, separable_);
      bound = stage_seconds(separable_, rates_);
      return false;
    });
    return bound;
  }

  void enter(const Plan& plan, const PlanAxes& inner) {
    inner.for_each(plan, [&](const PlanAxes::Found& found) {
      try_plan(found.plan);
      return true;
    });
  }

  void try_plan(const Plan& plan) {
    if (plan.ranks() > at_.scenario.machine.device_count()) return;
    lowering_.lower(plan, step_);
    const bool fits = static_cast<double>(step_.memory.total()) <= capacity_;
    if (!step_.layout.valid() || (space_.require_fit && !fits)) return;
    if (!plan_allowed(sets_.plan, plan, step_)) return;
    const double latency = physics::latency_s(step_, rates_);
    const std::int64_t key = physics::latency_key(latency);
    const std::int64_t best = best_ ? best_->latency_key : at_.latency_key - 1;
    if (key > best || (best_ && key == best && !before_best(plan))) return;
    Point point = at_;
    point.scenario.plan = plan;
    point.latency_key = key;
    const physics::StepFacts facts = physics::facts_of(
        step_, lowering_.machine(), lowering_.workload(), plan.tp * plan.cp * plan.dp);
    point.metrics =
        metrics_of(physics::objectives_of(facts, latency, at_.metric(Metric::cost_score),
                                          lowering_.machine().device.static_power),
                   facts.memory_bytes, capacity_);
    Row row;
    row.metrics = point.metrics;
    if (!pair_allowed(sets_.pair, row)) return;
    best_ = std::move(point);
    limit_s_ = latency;
  }

  // Of equal latency keys: fewer devices, then plan_less.
  bool before_best(const Plan& plan) const {
    const Plan& best = best_->scenario.plan;
    if (plan.ranks() != best.ranks()) return plan.ranks() < best.ranks();
    return plan_less(plan, best);
  }

  const Point& at_;
  const Space& space_;
  ConstraintSets sets_;
  physics::Lowering lowering_;
  physics::Rates rates_;
  double capacity_;
  double limit_s_;
  std::vector<Axis> outer_, inner_;
  Step step_;
  physics::Separable separable_;
  std::optional<Point> best_;
};

}  // namespace

std::optional<Point> faster_point(const Model& model, const Point& at, const Space& space) {
  return BranchAndBound(model, at, space).run();
}

}  // namespace ridgeline::explore
