// Pareto fronts in any number of dimensions.
//
// Row a dominates row b when a is no larger in every objective and smaller in one. Two objectives
// are swept after sorting; more are halved on one objective after another, which takes O(n (log
// n)^(d-1)) whatever the rows.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ridgeline::explore {

// Indices, ascending, of the rows that no other row dominates. `values` holds the rows one after
// another, `objectives` numbers each, all minimised and none NaN. Rows equal in all objectives all
// stay. REQUIRES: objectives >= 1 and values.size() a multiple of it.
std::vector<std::size_t> pareto_front(std::span<const double> values, std::size_t objectives);

}  // namespace ridgeline::explore
