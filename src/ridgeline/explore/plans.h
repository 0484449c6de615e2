// Plans: the plan axes of a space as a list, without those that change nothing.
//
// A knob has no effect (docs/chiplet-model.md 8.1) where
//   TP = 1: kv_shard_mode, tp_placement        CP = 1: cp_placement, ring, scope TP+CP = TP
//   DP = 1: scope TP+CP+DP = TP+CP
// Plans that differ only there score alike: one of them stands for all, the least in the order of
// plan_less among those listed. The same value listed twice is folded, too.
#pragma once

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

class PlanList {
 public:
  // `axes` are the plan axes in nesting order; fields that are no axis stay as in `base`.
  PlanList(const Plan& base, std::span<const Axis> axes, RingRule rule);

  // Listed plans before folding.
  std::int64_t listed_count() const { return listed_; }

  // Plans that are left, in the order listed.
  std::size_t size() const { return plans_.size(); }

  // How many listed plans `i` stands for.
  std::int64_t weight(std::size_t i) const { return weights_[i]; }

  // The ring variant follows the phase where the rule says so.
  Plan at(std::size_t i, Phase phase) const;

 private:
  std::vector<Plan> plans_;
  std::vector<std::int64_t> weights_;
  std::int64_t listed_ = 1;
  bool ring_by_phase_ = false;
};

}  // namespace ridgeline::explore
