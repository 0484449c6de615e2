// Near misses: the plans that lack the least memory, for spaces in which nothing is feasible.
#pragma once

#include <vector>

#include "ridgeline/explore/explore.h"
#include "ridgeline/explore/problem.h"

namespace ridgeline::explore {

// Up to 3 plans that can be placed and meet the constraints on hardware, workload and plan, each at
// the allowed hardware point with the most memory; by lacking bytes, then in the order of rows.
std::vector<NearMiss> near_misses(const Problem& problem, int threads);

}  // namespace ridgeline::explore
