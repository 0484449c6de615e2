#include "ridgeline/advise/hints.h"

#include <algorithm>
#include <cmath>

#include "ridgeline/base/integers.h"
#include "ridgeline/physics/cost.h"
#include "ridgeline/physics/memory.h"
#include "ridgeline/physics/placement.h"
#include "ridgeline/physics/shapes.h"
#include "ridgeline/physics/topology.h"

namespace ridgeline::advise {
namespace {

struct Case {
  const Model& model;
  const Machine& machine;
  const Workload& work;
  const Plan& plan;
  const Step& step;
  std::int64_t kv_heads;  // fewest KV heads of a layer; MLA: its one latent
};

std::int64_t fewest_kv_heads(const Model& model) {
  std::int64_t fewest = 0;
  for (const LayerKind& kind : model.kinds) {
    std::int64_t heads = 0;
    if (kind.attention.kind == AttentionKind::softmax) heads = kind.attention.kv_heads;
    if (kind.attention.kind == AttentionKind::mla) heads = 1;
    if (heads > 0) fewest = fewest == 0 ? heads : std::min(fewest, heads);
  }
  return fewest;
}

void add(std::vector<Hint>& out, HintId id, HintCategory category, Severity severity,
         std::initializer_list<HintValue> values) {
  Hint hint{id, category, severity, {}};
  for (const HintValue& v : values) hint.values.push_back(v);
  out.push_back(hint);
}

double value(std::int64_t n) {
  return static_cast<double>(n);
}

// Feed-forward weights of the reported stage under another scope.
std::int64_t ffn_bytes(const Case& c, FfnShardScope scope, std::int64_t ep) {
  Plan plan = c.plan;
  plan.ffn_shard_scope = scope;
  plan.ep = ep;
  return physics::memory_of_stage(c.model, physics::layer_prefix(c.model), c.machine, c.work, plan,
                                  c.step.memory.stage)
      .ffn_weights;
}

void hint_ffn_scope(const Case& c, std::vector<Hint>& out) {
  const Plan& plan = c.plan;
  const bool scope_tp = plan.ffn_shard_scope == FfnShardScope::tp;
  const std::int64_t ep = scope_tp ? physics::expert_split(plan).dp : plan.ep;
  const std::int64_t with_cp = ffn_bytes(c, FfnShardScope::tp_cp, ep);
  if (scope_tp && plan.cp > 1 && with_cp < c.step.memory.ffn_weights) {
    add(out, HintId::ffn_scope_tp, HintCategory::space, Severity::warn,
        {{"now_bytes", value(c.step.memory.ffn_weights)}, {"then_bytes", value(with_cp)}});
  }
  if (plan.scope_has_dp() || plan.dp == 1) return;
  const std::int64_t with_dp = ffn_bytes(c, FfnShardScope::tp_cp_dp, 1);
  if (with_dp < with_cp) {
    add(out, HintId::ffn_scope_dp, HintCategory::space, Severity::info,
        {{"now_bytes", value(with_cp)}, {"then_bytes", value(with_dp)}});
  }
}

void hint_kv(const Case& c, std::vector<Hint>& out) {
  const MemoryUse& m = c.step.memory;
  const bool replicate = c.plan.kv_shard_mode == KvShardMode::replicate;
  if (replicate && c.kv_heads > 0 && c.plan.tp > c.kv_heads) {
    const double copies = physics::most_kv_copies(c.model, c.work.phase, c.plan);
    add(out, HintId::kv_replicate, HintCategory::space, Severity::warn,
        {{"copies", copies}, {"saved_bytes", std::floor(value(m.kv_cache) * (1 - 1 / copies))}});
  }
  if (c.plan.cp == 1 && c.plan.tp <= c.kv_heads && m.kv_cache > m.attn_weights) {
    add(out, HintId::kv_over_attn, HintCategory::space, Severity::info,
        {{"kv_bytes", value(m.kv_cache)}, {"attn_bytes", value(m.attn_weights)}});
  }
}

// Groups of level `first` and beyond that a span crosses.
std::int64_t groups_crossed(const Case& c, const Span& span, std::size_t first) {
  std::int64_t n = 1;
  for (std::size_t l = first; l < c.machine.levels.size(); ++l) n *= span.members[l];
  return n;
}

// Worst hops between two SIPs of a ring and of a torus of `n` (section 3.5).
struct WorstHops {
  std::int64_t ring, torus;
};
WorstHops worst_hops(std::int64_t n) {
  Level level;
  level.topology = Topology::torus2d;
  const physics::Grid torus = physics::grid_of(level, n);
  return {n / 2, torus.rows / 2 + torus.columns / 2};
}

void hint_layout(const Case& c, std::vector<Hint>& out) {
  const Layout& layout = c.step.layout;
  const std::size_t outer = c.machine.kind == MachineKind::chiplet ? 2 : 1;
  if (const std::int64_t n = groups_crossed(c, layout.cp, outer); n > 1) {
    add(out, HintId::cp_cross_sip, HintCategory::comm, Severity::warn, {{"boundaries", value(n)}});
  }
  if (const std::int64_t n = groups_crossed(c, layout.tp, 1); n > 1) {
    add(out, HintId::tp_cross_cube, HintCategory::comm, Severity::warn, {{"cubes", value(n)}});
  }
  const std::int64_t sips = layout.groups_used[1];
  const bool ring_of_sips =
      c.machine.kind == MachineKind::chiplet && c.machine.levels[2].topology == Topology::ring;
  if (ring_of_sips && sips > 1) {
    const WorstHops worst = worst_hops(sips);
    if (worst.torus < worst.ring) {
      add(out, HintId::sip_ring_to_torus, HintCategory::layout, Severity::info,
          {{"ring_hops", value(worst.ring)}, {"torus_hops", value(worst.torus)}});
    }
  }
  if (c.plan.tp <= c.kv_heads) {
    add(out, HintId::tp_le_hkv, HintCategory::comm, Severity::good, {{"tp", value(c.plan.tp)}});
  }
}

// Time of the stages with matrix work: all of it, and the part that memory bounds.
struct MatrixTime {
  double memory_bound = 0, all = 0;

  void add(const StageWork& w, double count, const physics::Rates& rates) {
    if (w.matrix_flop <= 0) return;
    const StageCost cost = physics::cost_of(w, rates);
    const double t = count * std::max(cost.compute_s, cost.memory_s);
    all += t;
    if (cost.memory_s > cost.compute_s) memory_bound += t;
  }
};

void hint_bound(const Case& c, std::vector<Hint>& out) {
  if (!c.step.layout.valid()) {
    return add(out, HintId::placement_invalid, HintCategory::layout, Severity::warn, {});
  }
  if (c.work.phase != Phase::decode) return;
  const physics::Rates rates = physics::rates_of(c.machine, c.work.activation_precision);
  MatrixTime time;
  for (const LayerWork& layer : c.step.layers) {
    for (const StageWork& w : layer.stages) time.add(w, value(layer.count), rates);
  }
  for (const StageWork& w : c.step.edges) time.add(w, 1, rates);
  const double share = time.all > 0 ? time.memory_bound / time.all : 0;
  if (share > 0.5) {
    add(out, HintId::decode_memory_bound, HintCategory::compute, Severity::info,
        {{"share", share}});
  }
}

void hint_kv_ring(const Case& c, std::vector<Hint>& out) {
  const bool moves_cache =
      c.work.phase == Phase::decode && c.plan.cp > 1 && c.plan.cp_ring_variant == CpRing::kv;
  if (!moves_cache) return;
  const auto cp = value(c.plan.cp);
  double moved = 0;
  for (const std::uint8_t k : c.model.layers) {
    const Attention& a = c.model.kinds[k].attention;
    const physics::AttentionShape s =
        physics::attention_shape(a, c.model.hidden, c.work.phase, c.plan);
    moved += (cp - 1) * physics::sequences_per_replica(c.work, c.plan) *
             physics::visible_context(a, c.work.context) / cp * (s.k + s.v) *
             bytes_per_element(c.work.kv_precision);
  }
  add(out, HintId::decode_kv_ring, HintCategory::comm, Severity::warn,
      {{"moved_bytes", std::ceil(moved - 1e-4)}});
}

void hint_capacity(const Case& c, std::vector<Hint>& out) {
  if (value(c.step.memory.total()) > physics::usable_bytes(c.machine)) {
    add(out, HintId::over_capacity, HintCategory::space, Severity::warn,
        {{"need_bytes", value(c.step.memory.total())}});
  }
  const std::int64_t padded = ceil_div(c.work.batch, c.plan.dp) * c.plan.dp;
  if (padded > c.work.batch) {
    add(out, HintId::batch_padding, HintCategory::compute, Severity::warn,
        {{"padded_batch", value(padded)}});
  }
}

}  // namespace

std::vector<Hint> hints_of(const Model& model, const Machine& machine, const Workload& work,
                           const Plan& plan, const Step& step) {
  const Case c{model, machine, work, plan, step, fewest_kv_heads(model)};
  std::vector<Hint> out;
  hint_ffn_scope(c, out);
  hint_kv(c, out);
  hint_layout(c, out);
  hint_bound(c, out);
  hint_kv_ring(c, out);
  hint_capacity(c, out);
  return out;
}

}  // namespace ridgeline::advise
