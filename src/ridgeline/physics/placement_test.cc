#include "ridgeline/physics/placement.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "tests/support/models.h"

namespace ridgeline::physics {
namespace {

constexpr PlacementFacts kLlama70b{
    .query_heads = 64, .kv_heads = 8, .layers = 80, .context = 131072};

// The device of every rank on the chiplet machine, listed from sections 3.1 and 3.3 word by word.
struct Addresses {
  const Machine& machine;
  const Placement& at;
  const Plan& plan;

  std::int64_t of(std::int64_t tp, std::int64_t cp, std::int64_t stage,
                  std::int64_t replica) const {
    const std::int64_t p = machine.levels[0].count, c = machine.levels[1].count;
    const std::int64_t block = replica * plan.pp + stage;
    const std::int64_t set = block / at.blocks_per_set, slot = block % at.blocks_per_set;
    const std::int64_t sip = set / at.sets_per_group * at.groups_per_set;
    const std::int64_t cube = sip * c + set % at.sets_per_group * at.cubes_per_block;
    const std::int64_t packed = at.blocks_per_set > 1 ? packed_ranks() : 0;
    return cube * p + slot * packed + tp * at.layout.tp.stride[0] + cp * at.layout.cp.stride[0];
  }
  std::int64_t packed_ranks() const {
    std::int64_t s = 1;
    if (plan.tp_placement == Spread::pe) s *= plan.tp;
    if (plan.cp_placement == Spread::pe) s *= plan.cp;
    return s;
  }
};

// Members per group at each level of a list of devices that form one rank group.
std::array<std::int64_t, 3> counted(const Machine& m, const std::vector<std::int64_t>& devices) {
  const std::int64_t p = m.levels[0].count, c = m.levels[1].count;
  std::map<std::int64_t, std::int64_t> per_cube;
  std::map<std::int64_t, std::set<std::int64_t>> cubes_of_sip;
  for (const std::int64_t d : devices) {
    ++per_cube[d / p];
    cubes_of_sip[d / p / c].insert(d / p);
  }
  std::array<std::int64_t, 3> out = {0, 0, static_cast<std::int64_t>(cubes_of_sip.size())};
  for (const auto& [cube, n] : per_cube) out[0] = std::max(out[0], n);
  for (const auto& [sip, cubes] : cubes_of_sip) {
    out[1] = std::max(out[1], static_cast<std::int64_t>(cubes.size()));
  }
  return out;
}

bool power_of_two(std::int64_t n) {
  return (n & (n - 1)) == 0;
}

// Sizes of the shipped spaces on machines of powers of two, where section 3.3 is exact. Elsewhere
// (12 cubes on a SIP and TP 8, say) a group may straddle unevenly and the span is the formula's.
bool divides_evenly(const Machine& m, const Plan& plan) {
  return power_of_two(m.levels[1].count) && power_of_two(plan.tp) && power_of_two(plan.pp) &&
         power_of_two(plan.dp) && (power_of_two(plan.cp) || plan.cp == 96);
}

void expect_span(const Span& span, const std::array<std::int64_t, 3>& right) {
  RC_ASSERT(span.members[0] == right[0]);
  RC_ASSERT(span.members[1] == right[1]);
  RC_ASSERT(span.members[2] == right[2]);
}

RC_GTEST_PROP(Placement, SpansEqualTheCountsFromListingAddresses, ()) {
  const Machine machine = testing::any_chiplet();
  const Plan plan = testing::any_plan();
  PlacementFacts facts = kLlama70b;
  facts.experts = 8;
  const Placement at = place(machine, facts, plan);
  RC_PRE(at.layout.valid() && divides_evenly(machine, plan));
  const Addresses address{machine, at, plan};

  std::set<std::int64_t> seen;
  for (std::int64_t r = 0; r < plan.dp; ++r) {
    for (std::int64_t s = 0; s < plan.pp; ++s) {
      for (std::int64_t c = 0; c < plan.cp; ++c) {
        for (std::int64_t t = 0; t < plan.tp; ++t)
          RC_ASSERT(seen.insert(address.of(t, c, s, r)).second);
      }
    }
  }
  RC_ASSERT(*seen.rbegin() < machine.device_count());

  std::vector<std::int64_t> tp, cp, dp;
  for (std::int64_t t = 0; t < plan.tp; ++t) tp.push_back(address.of(t, 0, 0, 0));
  for (std::int64_t c = 0; c < plan.cp; ++c) cp.push_back(address.of(0, c, 0, 0));
  expect_span(at.layout.tp, counted(machine, tp));
  expect_span(at.layout.cp, counted(machine, cp));
  RC_ASSERT(at.layout.tp.size(3) == plan.tp);
  RC_ASSERT(at.layout.cp.size(3) == plan.cp);
}

RC_GTEST_PROP(Placement, UsesAsManyGroupsAsAddressesLieIn, ()) {
  const Machine machine = testing::any_chiplet();
  const Plan plan = testing::any_plan();
  const Placement at = place(machine, kLlama70b, plan);
  RC_PRE(at.layout.valid());
  const Addresses address{machine, at, plan};
  std::set<std::int64_t> sips;
  const std::int64_t per_sip = machine.levels[0].count * machine.levels[1].count;
  for (std::int64_t r = 0; r < plan.dp; ++r) {
    for (std::int64_t s = 0; s < plan.pp; ++s) {
      for (std::int64_t c = 0; c < plan.cp; ++c) {
        for (std::int64_t t = 0; t < plan.tp; ++t) sips.insert(address.of(t, c, s, r) / per_sip);
      }
    }
  }
  RC_ASSERT(static_cast<std::int64_t>(sips.size()) == at.layout.groups_used[1]);
}

TEST(Placement, ReportsReasonsInTheirOrder) {
  Plan plan;
  plan.tp = 512;
  plan.pp = 96;
  plan.ep = 3;
  const Layout layout = place(default_chiplet(), kLlama70b, plan).layout;
  ASSERT_EQ(layout.invalid_reasons.size(), 5u);
  EXPECT_EQ(layout.invalid_reasons[0], InvalidReason::tp_gt_4hq);
  EXPECT_EQ(layout.invalid_reasons[1], InvalidReason::pp_gt_layers);
  EXPECT_EQ(layout.invalid_reasons[2], InvalidReason::not_enough_sips);
  EXPECT_EQ(layout.invalid_reasons[3], InvalidReason::ep_without_experts);
  EXPECT_EQ(layout.invalid_reasons[4], InvalidReason::ep_not_dividing_ffn_copies);
}

// The largest degrees accepted, 2^20 each: their product is beyond whole numbers, not zero.
TEST(Placement, CountsOfHugeDegreesStopAtTheLargestNumber) {
  Plan plan;
  plan.tp = plan.cp = plan.pp = plan.dp = 1 << 20;
  for (const Machine& machine : {default_chiplet(), testing::gpu_tree()}) {
    const Layout layout = place(machine, kLlama70b, plan).layout;
    EXPECT_EQ(layout.devices_used, std::numeric_limits<std::int64_t>::max());
    EXPECT_GT(layout.groups_used[0], std::int64_t{1} << 55);
    const InvalidReason last = machine.kind == MachineKind::chiplet
                                   ? InvalidReason::not_enough_sips
                                   : InvalidReason::not_enough_devices;
    EXPECT_NE(std::find(layout.invalid_reasons.begin(), layout.invalid_reasons.end(), last),
              layout.invalid_reasons.end());
  }
}

// CP 96 on PEs and TP 2 on cubes: 24 cubes do not make whole SIPs of 16.
TEST(Placement, RejectsCubeGroupsThatStraddleSips) {
  Plan plan;
  plan.cp = 96;
  plan.tp = 2;
  const Layout layout = place(default_chiplet(), kLlama70b, plan).layout;
  ASSERT_EQ(layout.invalid_reasons.size(), 1u);
  EXPECT_EQ(layout.invalid_reasons[0], InvalidReason::cube_group_not_whole_sips);
  EXPECT_EQ(layout.groups_used[0], 24);
  EXPECT_EQ(layout.groups_used[1], 2);
}

// Rank groups on a tree: the axes number the ranks from the inside out.
RC_GTEST_PROP(TreePlacement, SpansEqualTheCountsFromListingRanks, ()) {
  const Machine machine = testing::gpu_tree();
  Plan plan;
  plan.tp = testing::pick({1, 2, 4, 8, 16});
  plan.cp = testing::pick({1, 2, 4});
  plan.pp = testing::pick({1, 2, 4});
  plan.dp = testing::pick({1, 2, 3, 4});
  std::vector<Axis> order = {Axis::tp, Axis::cp, Axis::pp, Axis::dp};
  const auto shuffled = *rc::gen::elementOf(std::vector<int>{0, 1, 2, 3, 4, 5});
  for (int i = 0; i < shuffled; ++i) std::next_permutation(order.begin(), order.end());
  std::copy(order.begin(), order.end(), plan.order.begin());
  const Layout layout = place(machine, kLlama70b, plan).layout;
  RC_PRE(layout.valid());

  std::map<Axis, std::pair<std::int64_t, const Span*>> groups = {{Axis::tp, {plan.tp, &layout.tp}},
                                                                 {Axis::cp, {plan.cp, &layout.cp}},
                                                                 {Axis::dp, {plan.dp, &layout.dp}}};
  std::int64_t stride = 1;
  for (const Axis axis : plan.order) {
    const std::int64_t n = axis == Axis::pp ? plan.pp : groups[axis].first;
    if (axis != Axis::pp) {
      std::map<std::int64_t, std::int64_t> per_node;
      for (std::int64_t i = 0; i < n; ++i) ++per_node[i * stride / 8];
      RC_ASSERT(groups[axis].second->members[0] == per_node.begin()->second);
      RC_ASSERT(groups[axis].second->members[1] == static_cast<std::int64_t>(per_node.size()));
    }
    stride *= n;
  }
}

TEST(TreePlacement, RejectsWhatDoesNotFitTheTree) {
  const Machine machine = testing::gpu_tree();
  const auto first_reason = [&](std::int64_t tp, std::int64_t dp) {
    Plan plan;
    plan.tp = tp;
    plan.dp = dp;
    const Layout layout = place(machine, kLlama70b, plan).layout;
    return layout.valid()
               ? std::string("valid")
               : names_of(InvalidReason{})[static_cast<std::size_t>(layout.invalid_reasons[0])];
  };
  EXPECT_EQ(first_reason(8, 4), "valid");
  EXPECT_EQ(first_reason(3, 1), "tp_not_dividing_heads");
  EXPECT_EQ(first_reason(8, 5), "not_enough_devices");
  EXPECT_EQ(first_reason(1, 12), "group_not_whole_levels");
}

TEST(TreePlacement, StagesHandOverAcrossTheLevelTheyDifferAt) {
  const Machine machine = testing::gpu_tree();
  Plan plan;
  plan.tp = 4;
  plan.pp = 4;
  const Placement at = place(machine, kLlama70b, plan);
  EXPECT_EQ(boundary_of(machine, at, 0).level, 0u);  // ranks 0 and 4: one node
  EXPECT_EQ(boundary_of(machine, at, 1).level, 1u);  // ranks 4 and 8: two nodes
}

}  // namespace
}  // namespace ridgeline::physics
