#include "ridgeline/advise/patches.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "ridgeline/physics/cost.h"
#include "ridgeline/physics/memory.h"
#include "ridgeline/physics/placement.h"

namespace ridgeline::advise {
namespace {

constexpr std::size_t kMostMends = 3;
constexpr double kMostFactor = 64;

struct Wish {
  std::string_view path;
  double value;
};

template <class E>
double number(E value) {
  return static_cast<double>(value);
}

// Changes that a hint may mean, the nearest first. Wishes of fields that the machine does not have
// are left out.
class Candidates {
 public:
  explicit Candidates(std::span<const ScalarField> fields) : fields_(fields) {}

  void add(std::initializer_list<Wish> wishes) {
    Patch patch;
    for (const Wish& wish : wishes) {
      const auto field = std::find_if(fields_.begin(), fields_.end(),
                                      [&](const ScalarField& f) { return f.path == wish.path; });
      if (field == fields_.end() || !check_scalar(*field, wish.value)) return;
      patch.push_back({*field, wish.value});
    }
    list_.push_back(std::move(patch));
  }
  const std::vector<Patch>& list() const { return list_; }

 private:
  std::span<const ScalarField> fields_;
  std::vector<Patch> list_;
};

void add_layout(const Plan& plan, HintId id, Candidates& out) {
  const double pe = number(Spread::pe);
  if (id == HintId::sip_ring_to_torus) {
    out.add({{"machine.sip_topology", number(Topology::torus2d)}});
  } else if (id == HintId::cp_cross_sip) {
    out.add({{"plan.cp_placement", pe}});
    out.add({{"plan.tp_placement", pe}, {"plan.cp_placement", pe}});
    if (plan.cp % 2 == 0) out.add({{"plan.cp", number(plan.cp / 2)}});
  } else {
    out.add({{"plan.tp_placement", pe}});
    out.add({{"plan.tp_placement", pe}, {"plan.cp_placement", pe}});
    if (plan.tp % 2 == 0) out.add({{"plan.tp", number(plan.tp / 2)}});
  }
}

void add_candidates(const Scenario& at, const Hint& hint, Candidates& out) {
  const Plan& plan = at.plan;
  switch (hint.id) {
    case HintId::ffn_scope_tp:
      return out.add({{"plan.ffn_shard_scope", number(FfnShardScope::tp_cp)},
                      {"plan.ep", number(physics::expert_split(plan).dp)}});
    case HintId::ffn_scope_dp:
      return out.add({{"plan.ffn_shard_scope", number(FfnShardScope::tp_cp_dp)}, {"plan.ep", 1}});
    case HintId::kv_replicate: return out.add({{"plan.kv_shard_mode", number(KvShardMode::split)}});
    case HintId::kv_over_attn: return out.add({{"plan.cp", 2}});
    case HintId::cp_cross_sip:
    case HintId::tp_cross_cube:
    case HintId::sip_ring_to_torus: return add_layout(plan, hint.id, out);
    case HintId::decode_kv_ring: return out.add({{"plan.cp_ring_variant", number(CpRing::qoml)}});
    case HintId::batch_padding: return out.add({{"batch", hint.values[0].value}});
    default: return;
  }
}

bool better(const Effect& now, const Effect& then, HintCategory category) {
  if (!then.placement_valid) return false;
  if (category == HintCategory::space) return then.total_bytes < now.total_bytes;
  return !now.placement_valid || then.latency_s <= now.latency_s;
}

Effect lowered_effect(physics::Lowering& lowering, const Scenario& at) {
  Step step;
  lowering.lower(at.plan, step);
  Effect out;
  out.placement_valid = step.layout.valid();
  out.total_bytes = step.memory.total();
  out.fits_memory = number(out.total_bytes) <= physics::usable_bytes(at.machine);
  if (out.placement_valid) {
    out.latency_s =
        physics::latency_s(step, physics::rates_of(at.machine, at.work.activation_precision));
  }
  return out;
}

}  // namespace

Effect effect_of(const Model& model, const Scenario& at) {
  physics::Lowering lowering(model, at.machine, at.work);
  return lowered_effect(lowering, at);
}

Scenario patched(const Scenario& at, const Patch& patch) {
  Scenario out = at;
  for (const Change& change : patch) set_scalar(out, change.field, change.value);
  return out;
}

Tries::Tries(physics::Lowering& lowering, const Scenario& at, std::span<const ScalarField> fields)
    : lowering_(lowering), at_(at), fields_(fields), now_(lowered_effect(lowering, at)) {}

Effect Tries::effect_of(const Patch& patch) {
  const Scenario then = patched(at_, patch);
  const bool of_plan = std::all_of(patch.begin(), patch.end(), [](const Change& change) {
    return change.field.owner == ScalarOwner::plan;
  });
  return of_plan ? lowered_effect(lowering_, then) : advise::effect_of(lowering_.model(), then);
}

// The memory bandwidth is the second knob of every machine.
Patch Tries::double_bandwidth() const {
  const std::vector<ScalarField> knobs = hardware_knobs(at_.machine);
  const ScalarField& knob = knobs[1];
  const double doubled = 2 * get_scalar(at_, knob);
  return check_scalar(knob, doubled) ? Patch{{knob, doubled}} : Patch{};
}

Patch Tries::patch_of(const Hint& hint) {
  if (hint.id == HintId::decode_memory_bound) return double_bandwidth();
  if (hint.id == HintId::placement_invalid || hint.id == HintId::over_capacity) {
    return mends().empty() ? Patch{} : mends().front();
  }
  Candidates candidates(fields_);
  add_candidates(at_, hint, candidates);
  for (const Patch& patch : candidates.list()) {
    const bool padding = hint.id == HintId::batch_padding;  // the same work, for more sequences
    const Effect then = effect_of(patch);
    if (better(now_, then, padding ? HintCategory::layout : hint.category)) return patch;
  }
  return {};
}

const std::vector<Patch>& Tries::mends() {
  if (!mends_) find_mends();
  return *mends_;
}

void Tries::find_mends() {
  std::vector<Patch>& out = mends_.emplace();
  const auto take_first = [&](const Candidates& candidates) {
    for (const Patch& patch : candidates.list()) {
      if (out.size() == kMostMends || !effect_of(patch).runs()) continue;
      return out.push_back(patch);
    }
  };
  const auto scale = [&](std::string_view path, double now) {
    Candidates candidates(fields_);
    for (double factor = 2; factor <= kMostFactor; factor *= 2) {
      candidates.add({{path, now * factor}});
      if (static_cast<std::int64_t>(now) % static_cast<std::int64_t>(factor) == 0) {
        candidates.add({{path, now / factor}});
      }
    }
    take_first(candidates);
  };
  scale("plan.tp", number(at_.plan.tp));
  scale("plan.cp", number(at_.plan.cp));
  scale("plan.pp", number(at_.plan.pp));
  scale("plan.dp", number(at_.plan.dp));
  Candidates narrow(fields_);
  narrow.add({{"precision", number(Precision::fp8)}});
  narrow.add({{"precision", number(Precision::fp4)}});
  take_first(narrow);
}

}  // namespace ridgeline::advise
