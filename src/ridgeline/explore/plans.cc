#include "ridgeline/explore/plans.h"

#include <algorithm>
#include <tuple>

#include "ridgeline/base/assert.h"

namespace ridgeline::explore {

// The one field that differs from a plan no user can ask for.
PlanAxes::Role PlanAxes::role_of(const ScalarField& field) {
  constexpr auto kNone = std::uint8_t{255};
  Scenario probe;
  Plan& plan = probe.plan;
  plan.kv_shard_mode = static_cast<KvShardMode>(kNone);
  plan.ffn_shard_scope = static_cast<FfnShardScope>(kNone);
  plan.tp_placement = plan.cp_placement = static_cast<Spread>(kNone);
  plan.cp_ring_variant = static_cast<CpRing>(kNone);
  const Plan before = plan;
  set_scalar(probe, field, 0);
  if (plan.pp != before.pp) return Role::pp;
  if (plan.kv_shard_mode != before.kv_shard_mode) return Role::kv;
  if (plan.ffn_shard_scope != before.ffn_shard_scope) return Role::scope;
  if (plan.tp_placement != before.tp_placement) return Role::tp_placement;
  if (plan.cp_placement != before.cp_placement) return Role::cp_placement;
  if (plan.cp_ring_variant != before.cp_ring_variant) return Role::ring;
  return Role::size;
}

// The least value that scores as `value` does. Bits of `ones`: TP, CP, DP is 1.
double PlanAxes::alike(Role role, double value, std::size_t ones) {
  const bool tp_is_one = (ones & 1) != 0, cp_is_one = (ones & 2) != 0, dp_is_one = (ones & 4) != 0;
  switch (role) {
    case Role::kv:
    case Role::tp_placement: return tp_is_one ? 0 : value;
    case Role::cp_placement:
    case Role::ring: return cp_is_one ? 0 : value;
    case Role::scope:
      if (dp_is_one && value == static_cast<double>(FfnShardScope::tp_cp_dp)) value -= 1;
      if (cp_is_one && value == static_cast<double>(FfnShardScope::tp_cp)) value -= 1;
      return value;
    case Role::size:
    case Role::pp: break;
  }
  return value;
}

std::vector<PlanAxes::Value> PlanAxes::keep_least(const Axis& axis, Role role, std::size_t ones,
                                                  std::int64_t stride) {
  std::vector<Value> out;
  for (std::size_t i = 0; i < axis.values.size(); ++i) {
    const double mine = alike(role, axis.values[i], ones);
    std::int64_t weight = 0;
    bool least = true;  // the first of the least values of its class
    for (std::size_t j = 0; j < axis.values.size(); ++j) {
      if (alike(role, axis.values[j], ones) != mine) continue;
      ++weight;
      least = least &&
              (axis.values[j] > axis.values[i] || (axis.values[j] == axis.values[i] && j >= i));
    }
    if (least) out.push_back({axis.values[i], stride * static_cast<std::int64_t>(i), weight});
  }
  return out;
}

PlanAxes::PlanAxes(std::span<const Axis> axes) {
  for (std::size_t a = axes.size(); a-- > 0;) {
    RIDGELINE_ASSERT(axes[a].field.owner == ScalarOwner::plan && !axes[a].values.empty());
    Folded f{&axes[a].field, role_of(axes[a].field), {}};
    for (std::size_t ones = 0; ones < f.kept.size(); ++ones) {
      if (ones > 0 && is_size(f.role)) break;
      f.kept[ones] = keep_least(axes[a], f.role, ones, listed_);
    }
    axes_.push_back(std::move(f));
    listed_ *= static_cast<std::int64_t>(axes[a].values.size());
  }
  std::reverse(axes_.begin(), axes_.end());
  std::stable_partition(axes_.begin(), axes_.end(),
                        [](const Folded& f) { return is_size(f.role); });
}

bool PlanAxes::ring_is_axis() const {
  return std::any_of(axes_.begin(), axes_.end(),
                     [](const Folded& f) { return f.role == Role::ring; });
}

bool only_moves(const ScalarField& field) {
  const PlanAxes::Role role = PlanAxes::role_of(field);
  return role == PlanAxes::Role::pp || role == PlanAxes::Role::tp_placement ||
         role == PlanAxes::Role::cp_placement;
}

bool plan_less(const Plan& a, const Plan& b) {
  const auto key = [](const Plan& p) {
    return std::tuple(p.pp, p.dp, p.cp, p.tp, p.ep, p.kv_shard_mode, p.ffn_shard_scope,
                      p.tp_placement, p.cp_placement, p.cp_ring_variant);
  };
  return key(a) < key(b);
}

PlanList::PlanList(const Plan& base, std::span<const Axis> axes, RingRule rule) {
  const PlanAxes prepared(axes);
  listed_ = prepared.listed_count();
  ring_by_phase_ = rule == RingRule::by_phase && !prepared.ring_is_axis();
  prepared.for_each(base, [&](const PlanAxes::Found& found) {
    plans_.push_back(found);
    return true;
  });
  const auto earlier = [](const PlanAxes::Found& a, const PlanAxes::Found& b) {
    return a.index < b.index;
  };
  if (!std::is_sorted(plans_.begin(), plans_.end(), earlier)) {
    std::sort(plans_.begin(), plans_.end(), earlier);
  }
}

Plan PlanList::at(std::size_t i, Phase phase) const {
  Plan plan = plans_[i].plan;
  if (ring_by_phase_) {
    plan.cp_ring_variant = phase == Phase::decode && plan.cp > 1 ? CpRing::qoml : CpRing::kv;
  }
  return plan;
}

}  // namespace ridgeline::explore
