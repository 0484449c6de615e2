// Answer: what a solver with a long list in its result returns: the summary and one row per item.
#pragma once

#include <vector>

namespace ridgeline::solve {

template <class Output, class Row>
struct Answer {
  Output output;
  std::vector<Row> rows;
};

}  // namespace ridgeline::solve
