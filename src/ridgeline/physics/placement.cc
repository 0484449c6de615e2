#include "ridgeline/physics/placement.h"

#include <algorithm>
#include <numeric>

#include "ridgeline/base/integers.h"
#include "ridgeline/physics/topology.h"

namespace ridgeline::physics {
namespace {

constexpr bool divides(std::int64_t a, std::int64_t b) {
  return b % a == 0;
}

// Devices of one group that `levels_inside` levels make.
std::int64_t group_size(const Machine& machine, std::size_t levels_inside) {
  std::int64_t n = 1;
  for (std::size_t l = 0; l < levels_inside; ++l) n *= machine.levels[l].count;
  return n;
}

void reject(Layout& layout, InvalidReason reason) {
  layout.invalid_reasons.push_back(reason);
}

void check_degrees(const PlacementFacts& facts, const Plan& plan, Layout& layout) {
  if (plan.tp > 4 * facts.query_heads) reject(layout, InvalidReason::tp_gt_4hq);
  if (plan.pp > facts.layers) reject(layout, InvalidReason::pp_gt_layers);
  if (plan.cp > facts.context) reject(layout, InvalidReason::cp_gt_s_kv);
}

void check_experts(const PlacementFacts& facts, const Plan& plan, Layout& layout) {
  if (plan.ep <= 1) return;
  if (facts.experts == 0) {
    reject(layout, InvalidReason::ep_without_experts);
  } else if (!divides(plan.ep, facts.experts)) {
    reject(layout, InvalidReason::ep_not_dividing_experts);
  }
  const std::int64_t copies =
      (plan.scope_has_cp() ? 1 : plan.cp) * (plan.scope_has_dp() ? 1 : plan.dp);
  if (!divides(plan.ep, copies)) reject(layout, InvalidReason::ep_not_dividing_ffn_copies);
}

struct Block {
  std::int64_t packed = 1;  // s: ranks packed on PEs
  std::int64_t spread = 1;  // q_b: ranks (or packs) spread on cubes
  std::int64_t tp_stride = 1;
  std::int64_t cp_stride = 1;
};

// Section 3.1.
Block block_of(const Plan& plan, std::int64_t pes_per_cube) {
  const std::int64_t tp = plan.tp, cp = plan.cp, p = pes_per_cube;
  const bool tp_on_pes = plan.tp_placement == Spread::pe;
  const bool cp_on_pes = plan.cp_placement == Spread::pe;
  if (tp_on_pes && cp_on_pes) return {tp * cp, 1, 1, tp};
  if (cp_on_pes) return {cp, tp, ceil_div(cp, p) * p, 1};
  if (tp_on_pes) return {tp, cp, 1, ceil_div(tp, p) * p};
  return {1, tp * cp, p, tp * p};
}

// The DP group of section 3.3: replicas share a set of cubes while blocks fit in it.
Span dp_span(const Placement& at, const Plan& plan, const Block& block,
             std::int64_t cubes_per_sip) {
  const std::int64_t nb = at.blocks_per_set, z = at.sets_per_group, q = at.cubes_per_block;
  Span span;
  span.stride.fill(1);
  const std::int64_t in_set = std::min(plan.dp, std::max<std::int64_t>(1, nb / plan.pp));
  const std::int64_t set_stride = std::max<std::int64_t>(1, ceil_div(plan.pp, nb));
  const std::int64_t sets = ceil_div(plan.dp, in_set);
  const std::int64_t on_sip = std::min(sets, std::max<std::int64_t>(1, z / set_stride));
  span.members = {in_set, on_sip, ceil_div(sets, on_sip), 1, 1, 1};
  span.stride[0] = block.packed;
  span.stride[1] = q > cubes_per_sip ? 1 : set_stride * q;
  span.stride[2] = std::max<std::int64_t>(1, ceil_div(set_stride, z)) * at.groups_per_set;
  return span;
}

void check_blocks(const Block& block, std::int64_t w, std::int64_t q, std::int64_t p,
                  std::int64_t c, Layout& layout) {
  if (block.packed > p && !divides(p, block.packed)) {
    reject(layout, InvalidReason::pe_group_not_whole_cubes);
  }
  const bool packs_straddle = !divides(w, c) && !divides(c, w);
  if (q > c && (!divides(c, q) || packs_straddle)) {
    reject(layout, InvalidReason::cube_group_not_whole_sips);
  }
}

Placement place_on_chiplet(const Machine& machine, const PlacementFacts& facts, const Plan& plan) {
  const std::int64_t p = machine.levels[0].count, c = machine.levels[1].count;
  const std::int64_t n = machine.levels[2].count;
  const Block block = block_of(plan, p);
  const std::int64_t w = ceil_div(block.packed, p), q = block.spread * w;
  Placement at;
  at.blocks_per_set = std::max<std::int64_t>(1, p / block.packed);
  at.cubes_per_block = q;
  at.sets_per_group = q <= c ? c / q : 1;
  at.groups_per_set = q <= c ? 1 : ceil_div(q, c);
  const std::int64_t sets = ceil_div(plan.pp * plan.dp, at.blocks_per_set);

  Layout& layout = at.layout;
  layout.devices_used = plan.ranks();
  layout.groups_used = {saturating_product(sets, q),
                        saturating_product(ceil_div(sets, at.sets_per_group), at.groups_per_set),
                        1,
                        0,
                        0,
                        0};
  layout.tp = span_of(machine, plan.tp, block.tp_stride);
  layout.cp = span_of(machine, plan.cp, block.cp_stride);
  layout.dp = dp_span(at, plan, block, c);
  const auto replicas = [&](std::int64_t blocks) {
    return std::min(plan.dp, std::max<std::int64_t>(1, blocks / plan.pp));
  };
  const std::int64_t active = std::min(p, block.packed);  // section 3.6
  layout.sharing[0] = 1;
  layout.sharing[1] = static_cast<double>(active * replicas(at.blocks_per_set));
  layout.sharing[2] = static_cast<double>(active * std::min(c, q) *
                                          replicas(at.blocks_per_set * at.sets_per_group));

  check_degrees(facts, plan, layout);
  check_blocks(block, w, q, p, c, layout);
  if (layout.groups_used[1] > n) reject(layout, InvalidReason::not_enough_sips);
  check_experts(facts, plan, layout);
  return at;
}

std::int64_t degree(const Plan& plan, Axis axis) {
  switch (axis) {
    case Axis::tp: return plan.tp;
    case Axis::cp: return plan.cp;
    case Axis::pp: return plan.pp;
    case Axis::dp: return plan.dp;
  }
  return 1;
}

// Every group of ranks lies whole in a group of the level, or is made of whole ones.
bool whole_on_levels(const Machine& machine, const Plan& plan) {
  for (std::size_t l = 0; l < machine.levels.size(); ++l) {
    const std::int64_t size = group_size(machine, l + 1);
    if (plan.ranks() <= size) return true;
    std::int64_t ranks = 1;
    for (const Axis axis : plan.order) {
      ranks *= degree(plan, axis);
      if (!divides(ranks, size) && !divides(size, ranks)) return false;
    }
  }
  return true;
}

void check_heads(const PlacementFacts& facts, const Plan& plan, Layout& layout) {
  const bool heads = facts.query_heads == 0 || divides(plan.tp, facts.query_heads);
  const bool kv =
      facts.kv_heads == 0 || divides(plan.tp, facts.kv_heads) || divides(facts.kv_heads, plan.tp);
  if (!heads || !kv) reject(layout, InvalidReason::tp_not_dividing_heads);
}

// Devices of the same pipeline stage that send over one link of `level` at once.
double tree_sharing(const Machine& machine, const Layout& layout, std::size_t level) {
  if (machine.levels[level].link_of == LinkOf::device) return 1;
  double active = 1;
  for (std::size_t l = 0; l < level; ++l) {
    active *=
        static_cast<double>(layout.tp.members[l] * layout.cp.members[l] * layout.dp.members[l]);
  }
  return active;
}

Placement place_on_tree(const Machine& machine, const PlacementFacts& facts, const Plan& plan) {
  Placement at;
  Layout& layout = at.layout;
  layout.devices_used = plan.ranks();
  std::int64_t stride = 1;
  for (const Axis axis : plan.order) {
    const std::int64_t n = degree(plan, axis);
    if (axis == Axis::tp) layout.tp = span_of(machine, n, stride);
    if (axis == Axis::cp) layout.cp = span_of(machine, n, stride);
    if (axis == Axis::dp) layout.dp = span_of(machine, n, stride);
    if (axis == Axis::pp) at.pp_stride = stride;
    stride = saturating_product(stride, n);
  }
  for (std::size_t l = 0; l < machine.levels.size(); ++l) {
    layout.groups_used[l] = ceil_div(plan.ranks(), group_size(machine, l + 1));
    layout.sharing[l] = tree_sharing(machine, layout, l);
  }
  check_degrees(facts, plan, layout);
  check_heads(facts, plan, layout);
  if (plan.ranks() > machine.device_count()) {
    reject(layout, InvalidReason::not_enough_devices);
  } else if (!whole_on_levels(machine, plan)) {
    reject(layout, InvalidReason::group_not_whole_levels);
  }
  check_experts(facts, plan, layout);
  return at;
}

Boundary boundary_on_chiplet(const Machine& machine, const Placement& at, std::int64_t stage) {
  const std::int64_t from = stage / at.blocks_per_set, to = (stage + 1) / at.blocks_per_set;
  if (from == to) return {0, 1};
  const std::int64_t from_sip = from / at.sets_per_group, to_sip = to / at.sets_per_group;
  if (from_sip == to_sip) {
    const Grid grid = grid_of(machine.levels[1], machine.levels[1].count);
    const std::int64_t q = at.cubes_per_block;
    return {
        1, static_cast<double>(distance(machine.levels[1].topology, grid,
                                        from % at.sets_per_group * q, to % at.sets_per_group * q))};
  }
  const Level& system = machine.levels[2];
  const Grid grid = grid_of(system, at.layout.groups_used[1]);
  return {2, static_cast<double>(distance(system.topology, grid, from_sip * at.groups_per_set,
                                          to_sip * at.groups_per_set))};
}

Boundary boundary_on_tree(const Machine& machine, const Placement& at, std::int64_t stage) {
  std::int64_t a = stage * at.pp_stride, b = (stage + 1) * at.pp_stride;
  Boundary out;
  for (std::size_t l = 0; l < machine.levels.size(); ++l) {
    const Level& level = machine.levels[l];
    const std::int64_t ma = a % level.count, mb = b % level.count;
    a /= level.count;
    b /= level.count;
    if (a != b) continue;
    const bool one_hop = is_switched(level.topology) || level.topology == Topology::crossbar;
    const Grid grid = grid_of(level, members_in_use(machine, at.layout, l));
    return {l, one_hop ? 1.0 : static_cast<double>(distance(level.topology, grid, ma, mb))};
  }
  return out;
}

std::int64_t device_on_chiplet(const Machine& machine, const Placement& at, const Plan& plan,
                               const Rank& rank) {
  const std::int64_t p = machine.levels[0].count, c = machine.levels[1].count;
  const Block shape = block_of(plan, p);
  const std::int64_t block = rank.dp * plan.pp + rank.pp;
  const std::int64_t set = block / at.blocks_per_set;
  const std::int64_t sip = set / at.sets_per_group * at.groups_per_set;
  const std::int64_t cube = sip * c + set % at.sets_per_group * at.cubes_per_block;
  const std::int64_t inside = rank.tp * shape.tp_stride + rank.cp * shape.cp_stride;
  return cube * p + inside + block % at.blocks_per_set * shape.packed;
}

std::int64_t degree_index(const Rank& rank, Axis axis) {
  switch (axis) {
    case Axis::tp: return rank.tp;
    case Axis::cp: return rank.cp;
    case Axis::pp: return rank.pp;
    case Axis::dp: return rank.dp;
  }
  return 0;
}

std::int64_t device_on_tree(const Plan& plan, const Rank& rank) {
  std::int64_t device = 0, stride = 1;
  for (const Axis axis : plan.order) {
    device += stride * degree_index(rank, axis);
    stride *= degree(plan, axis);
  }
  return device;
}

}  // namespace

std::int64_t device_of(const Machine& machine, const Placement& placement, const Plan& plan,
                       const Rank& rank) {
  return machine.kind == MachineKind::chiplet ? device_on_chiplet(machine, placement, plan, rank)
                                              : device_on_tree(plan, rank);
}

Placement place(const Machine& machine, const PlacementFacts& facts, const Plan& plan) {
  return machine.kind == MachineKind::chiplet ? place_on_chiplet(machine, facts, plan)
                                              : place_on_tree(machine, facts, plan);
}

Span span_over(std::span<const std::int64_t> counts, std::int64_t n, std::int64_t stride) {
  Span span;
  span.members.fill(1);
  span.stride.fill(1);
  std::int64_t left = n;
  for (std::size_t l = 0; l < counts.size(); ++l) {
    const bool last = l + 1 == counts.size();
    span.stride[l] = stride;
    span.members[l] = last ? left : std::min(left, std::max<std::int64_t>(1, counts[l] / stride));
    left = ceil_div(left, span.members[l]);
    stride = std::max<std::int64_t>(1, ceil_div(stride, counts[l]));
  }
  return span;
}

Span span_of(const Machine& machine, std::int64_t n, std::int64_t stride) {
  Few<std::int64_t, kMaxLevels> counts;
  for (const Level& level : machine.levels) counts.push_back(level.count);
  return span_over({counts.begin(), counts.size()}, n, stride);
}

Span product(const Span& a, const Span& b, std::size_t levels) {
  Span out = a;
  for (std::size_t l = 0; l < levels; ++l) {
    out.members[l] = a.members[l] * b.members[l];
    if (a.members[l] <= 1) {
      out.stride[l] = b.stride[l];
    } else if (b.members[l] > 1) {
      out.stride[l] = std::min(a.stride[l], b.stride[l]);
    }
  }
  return out;
}

Span first_ranks(const Span& span, std::int64_t m, std::size_t levels) {
  Span out = span;
  std::int64_t left = m;
  for (std::size_t l = 0; l < levels; ++l) {
    out.members[l] = l + 1 == levels ? left : std::min(left, span.members[l]);
    left = ceil_div(left, out.members[l]);
  }
  return out;
}

std::int64_t members_in_use(const Machine& machine, const Layout& layout, std::size_t level) {
  if (machine.levels[level].shape[0] > 0) return machine.levels[level].count;
  const std::int64_t below = level == 0 ? layout.devices_used : layout.groups_used[level - 1];
  if (machine.kind == MachineKind::chiplet) return below;
  return std::min(machine.levels[level].count, below);
}

Boundary boundary_of(const Machine& machine, const Placement& placement, std::int64_t stage) {
  return machine.kind == MachineKind::chiplet ? boundary_on_chiplet(machine, placement, stage)
                                              : boundary_on_tree(machine, placement, stage);
}

ExpertSplit expert_split(const Plan& plan) {
  const std::int64_t cp_copies = plan.scope_has_cp() ? 1 : plan.cp;
  const std::int64_t cp = std::gcd(plan.ep, cp_copies);
  return {cp, plan.ep / cp};
}

}  // namespace ridgeline::physics
