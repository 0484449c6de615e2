#include "ridgeline/solve/iron_law.h"

#include <algorithm>

#include "ridgeline/solve/model_checks.h"

namespace ridgeline::solve::iron_law {

Result<Inputs> check(const Inputs& in) {
  RIDGELINE_CHECK(check_amount_or_zero("memory_time", in.memory_time));
  RIDGELINE_CHECK(check_amount_or_zero("compute_time", in.compute_time));
  RIDGELINE_CHECK(check_amount_or_zero("overhead", in.overhead));
  RIDGELINE_CHECK(check_amount("memory_speedup", in.memory_speedup));
  RIDGELINE_CHECK(check_amount("compute_speedup", in.compute_speedup));
  return in;
}

Output solve(const Inputs& in) {
  const Seconds m = in.memory_time, c = in.compute_time, o = in.overhead;
  const Seconds fast_m = m / in.memory_speedup, fast_c = c / in.compute_speedup;
  return {.sequential_time = m + c + o,                     // (1)
          .overlapped_time = std::max(m, c) + o,            // (2)
          .upgraded_sequential_time = fast_m + fast_c + o,  // (3)
          .upgraded_overlapped_time = std::max(fast_m, fast_c) + o};
}

}  // namespace ridgeline::solve::iron_law
