#include "ridgeline/explore/plans.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "ridgeline/base/assert.h"

namespace ridgeline::explore {
namespace {

// What an axis is to the folding rules.
enum class Role : std::uint8_t { size, kv, scope, tp_placement, cp_placement, ring };

// The one field that differs from a plan no user can ask for.
Role role_of(const ScalarField& field) {
  constexpr auto kNone = std::uint8_t{255};
  Scenario probe;
  Plan& plan = probe.plan;
  plan.kv_shard_mode = static_cast<KvShardMode>(kNone);
  plan.ffn_shard_scope = static_cast<FfnShardScope>(kNone);
  plan.tp_placement = plan.cp_placement = static_cast<Spread>(kNone);
  plan.cp_ring_variant = static_cast<CpRing>(kNone);
  const Plan before = plan;
  set_scalar(probe, field, 0);
  if (plan.kv_shard_mode != before.kv_shard_mode) return Role::kv;
  if (plan.ffn_shard_scope != before.ffn_shard_scope) return Role::scope;
  if (plan.tp_placement != before.tp_placement) return Role::tp_placement;
  if (plan.cp_placement != before.cp_placement) return Role::cp_placement;
  if (plan.cp_ring_variant != before.cp_ring_variant) return Role::ring;
  return Role::size;
}

// The least value that scores as `value` does when the groups named are of one rank.
double alike(Role role, double value, bool tp_is_one, bool cp_is_one, bool dp_is_one) {
  switch (role) {
    case Role::kv:
    case Role::tp_placement: return tp_is_one ? 0 : value;
    case Role::cp_placement:
    case Role::ring: return cp_is_one ? 0 : value;
    case Role::scope:
      if (dp_is_one && value == static_cast<double>(FfnShardScope::tp_cp_dp)) value -= 1;
      if (cp_is_one && value == static_cast<double>(FfnShardScope::tp_cp)) value -= 1;
      return value;
    case Role::size: break;
  }
  return value;
}

// One axis under each of the 8 cases of (TP, CP, DP) being 1: which values stand for themselves and the
// others of their class, and how many those are.
struct FoldedAxis {
  struct Value {
    double value;
    std::int64_t weight;
  };
  const Axis* axis;
  Role role;
  std::array<std::vector<Value>, 8> kept;
};

std::vector<FoldedAxis::Value> keep_least(const FoldedAxis& axis, bool tp1, bool cp1, bool dp1) {
  std::vector<FoldedAxis::Value> out;
  const std::vector<double>& values = axis.axis->values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double mine = alike(axis.role, values[i], tp1, cp1, dp1);
    std::int64_t weight = 0;
    bool least = true;  // the first of the least values of its class
    for (std::size_t j = 0; j < values.size(); ++j) {
      if (alike(axis.role, values[j], tp1, cp1, dp1) != mine) continue;
      ++weight;
      least = least && (values[j] > values[i] || (values[j] == values[i] && j >= i));
    }
    if (least) out.push_back({values[i], weight});
  }
  return out;
}

std::vector<FoldedAxis> folded(std::span<const Axis> axes) {
  std::vector<FoldedAxis> out;
  for (const Axis& axis : axes) {
    FoldedAxis f{&axis, role_of(axis.field), {}};
    for (std::size_t c = 0; c < f.kept.size(); ++c) {
      f.kept[c] = keep_least(f, (c & 1) != 0, (c & 2) != 0, (c & 4) != 0);
    }
    out.push_back(std::move(f));
  }
  return out;
}

// Walks the axes; sizes must be known before the other knobs are, hence they are set first and the list
// is put into nesting order by its index.
class Walk {
 public:
  struct Found {
    std::int64_t index;  // in the listing
    Plan plan;
    std::int64_t weight;
  };

  Walk(const Plan& base, const std::vector<FoldedAxis>& axes) : axes_(axes) {
    scenario_.plan = base;
    std::int64_t stride = 1;
    strides_.resize(axes.size());
    for (std::size_t a = axes.size(); a-- > 0;) {
      strides_[a] = stride;
      stride *= static_cast<std::int64_t>(axes[a].axis->values.size());
    }
    for (const bool sizes : {true, false}) {
      for (std::size_t a = 0; a < axes.size(); ++a) {
        if ((axes[a].role == Role::size) == sizes) order_.push_back(a);
      }
    }
  }

  std::vector<Found> run() {
    visit(0, 0, 1);
    const auto earlier = [](const Found& a, const Found& b) { return a.index < b.index; };
    if (!std::is_sorted(found_.begin(), found_.end(), earlier)) {
      std::sort(found_.begin(), found_.end(), earlier);
    }
    return std::move(found_);
  }

 private:
  void visit(std::size_t depth, std::int64_t index, std::int64_t weight) {
    if (depth == order_.size()) {
      found_.push_back({index, scenario_.plan, weight});
      return;
    }
    const FoldedAxis& axis = axes_[order_[depth]];
    const Plan& plan = scenario_.plan;
    const std::size_t c = axis.role == Role::size ? 0
                                                  : (plan.tp == 1 ? 1u : 0u) + (plan.cp == 1 ? 2u : 0u) +
                                                        (plan.dp == 1 ? 4u : 0u);
    for (const FoldedAxis::Value& v : axis.kept[c]) {
      const auto at = std::find(axis.axis->values.begin(), axis.axis->values.end(), v.value);
      set_scalar(scenario_, axis.axis->field, v.value);
      visit(depth + 1, index + strides_[order_[depth]] * (at - axis.axis->values.begin()),
            weight * v.weight);
    }
  }

  const std::vector<FoldedAxis>& axes_;
  Scenario scenario_;
  std::vector<std::int64_t> strides_;
  std::vector<std::size_t> order_;
  std::vector<Found> found_;
};

}  // namespace

bool plan_less(const Plan& a, const Plan& b) {
  const auto key = [](const Plan& p) {
    return std::tuple(p.pp, p.dp, p.cp, p.tp, p.ep, p.kv_shard_mode, p.ffn_shard_scope, p.tp_placement,
                      p.cp_placement, p.cp_ring_variant);
  };
  return key(a) < key(b);
}

PlanList::PlanList(const Plan& base, std::span<const Axis> axes, RingRule rule) {
  bool ring_is_axis = false;
  for (const Axis& axis : axes) {
    RIDGELINE_ASSERT(axis.field.owner == ScalarOwner::plan && !axis.values.empty());
    listed_ *= static_cast<std::int64_t>(axis.values.size());
    ring_is_axis = ring_is_axis || role_of(axis.field) == Role::ring;
  }
  ring_by_phase_ = rule == RingRule::by_phase && !ring_is_axis;
  const std::vector<FoldedAxis> axes_folded = folded(axes);
  const std::vector<Walk::Found> found = Walk(base, axes_folded).run();
  plans_.reserve(found.size());
  weights_.reserve(found.size());
  for (const Walk::Found& f : found) {
    plans_.push_back(f.plan);
    weights_.push_back(f.weight);
  }
}

Plan PlanList::at(std::size_t i, Phase phase) const {
  Plan plan = plans_[i];
  if (ring_by_phase_) {
    plan.cp_ring_variant = phase == Phase::decode && plan.cp > 1 ? CpRing::qoml : CpRing::kv;
  }
  return plan;
}

}  // namespace ridgeline::explore
