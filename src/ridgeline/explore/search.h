// The fast search: kernels find which pairs deserve the plain evaluation, which decides.
#pragma once

#include "ridgeline/explore/collect.h"
#include "ridgeline/explore/problem.h"

namespace ridgeline::explore {

// Offers every pair that the answer could show; returns false when the progress callback asked to
// stop.
bool search_fast(const Problem& problem, const Options& options, Collector& collector,
                 Counts& counts);

}  // namespace ridgeline::explore
