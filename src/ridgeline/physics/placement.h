// Placement: where the ranks of a plan stand on a machine. Equations: docs/chiplet-model.md
// section 3.
//
// A rank group at stride sigma spans, level by level from the inside,
//   n_l = min(what is left, max(1, floor(count_l / sigma_l))),  sigma_(l+1) = max(1, ceil(sigma_l /
//   count_l)).
// The chiplet machine packs or spreads TP and CP (section 3.1); a tree machine numbers its ranks by
// `plan.order`, from the inside out.
#pragma once

#include <cstdint>
#include <span>

#include "ridgeline/spec/machine.h"
#include "ridgeline/spec/plan.h"
#include "ridgeline/spec/step.h"

namespace ridgeline::physics {

// What of model and workload decides whether a plan can be placed.
struct PlacementFacts {
  std::int64_t query_heads = 0;  // largest over the layers
  std::int64_t kv_heads = 0;     // smallest over the layers that have them; 0: MLA or none
  std::int64_t layers = 0;
  std::int64_t context = 0;
  std::int64_t experts = 0;  // 0: dense
};

// Layout and what the hand-over between pipeline stages needs.
struct Placement {
  Layout layout;
  std::int64_t blocks_per_set = 1;   // n_b: blocks (one stage of one replica) on one set of cubes
  std::int64_t cubes_per_block = 1;  // Q
  std::int64_t sets_per_group = 1;   // z: sets on one SIP
  std::int64_t groups_per_set = 1;   // S_set: SIPs of one set
  std::int64_t pp_stride = 1;        // tree machines: between neighbouring stages
};

Placement place(const Machine& machine, const PlacementFacts& facts, const Plan& plan);

// One rank of a plan.
struct Rank {
  std::int64_t tp = 0, cp = 0, pp = 0, dp = 0;
};

// The number of its device, counted through all groups from the inside. REQUIRES: a valid layout.
std::int64_t device_of(const Machine& machine, const Placement& placement, const Plan& plan,
                       const Rank& rank);

// The span of n ranks at `stride` devices, on levels of these counts, innermost first.
Span span_over(std::span<const std::int64_t> counts, std::int64_t n, std::int64_t stride);
Span span_of(const Machine& machine, std::int64_t n, std::int64_t stride);

// Members of both groups together: members multiply, strides are the smallest of those that matter.
Span product(const Span& a, const Span& b, std::size_t levels);

// The first m ranks of a span.
Span first_ranks(const Span& span, std::int64_t m, std::size_t levels);

// Members of a direct or switched level that are in use, hence may carry its ring or mesh.
std::int64_t members_in_use(const Machine& machine, const Layout& layout, std::size_t level);

// Where stage j of replica 0 hands over to stage j + 1: the level whose link is used and its hops.
struct Boundary {
  std::size_t level = 0;
  double hops = 1;
};
Boundary boundary_of(const Machine& machine, const Placement& placement, std::int64_t stage);

// Copies of the experts that EP may be taken from, split over CP and DP ranks.
struct ExpertSplit {
  std::int64_t cp = 1;  // ep_cp
  std::int64_t dp = 1;  // ep_dp
};
ExpertSplit expert_split(const Plan& plan);

}  // namespace ridgeline::physics
