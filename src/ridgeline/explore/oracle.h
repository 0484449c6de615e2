// The search by evaluating every pair plainly: slow, short, and what the fast search is tested
// against.
#pragma once

#include "ridgeline/explore/collect.h"
#include "ridgeline/explore/problem.h"

namespace ridgeline::explore {

// Offers every feasible pair; returns false when the progress callback asked to stop.
bool search_plainly(const Problem& problem, const Options& options, Collector& collector,
                    Counts& counts);

}  // namespace ridgeline::explore
