// The values of an axis: a list, a range, powers of two, or multiples of the machine's own value.
#pragma once

#include <vector>

#include "ridgeline/app/input.h"
#include "ridgeline/base/result.h"

namespace ridgeline::app {

// In base units; `base` is what multiples are taken of. `where` of an error is a pointer in
// `values`.
Result<std::vector<double>> axis_values(const ScalarRef& ref, const Json& values, double base);

}  // namespace ridgeline::app
