#include "ridgeline/solve/transformation.h"

#include <algorithm>
#include <cmath>

#include "ridgeline/solve/model_checks.h"

namespace ridgeline::solve::transformation {

Result<Inputs> check(const Inputs& in) {
  RIDGELINE_CHECK(check_number("batch_size", in.batch_size, 1));
  RIDGELINE_CHECK(check_amount("sample", in.sample));
  RIDGELINE_CHECK(check_amount("cpu", in.cpu));
  RIDGELINE_CHECK(check_degree_of("workers", in.workers));
  RIDGELINE_CHECK(check_amount("accelerator_step", in.accelerator_step));
  return in;
}

Output solve(const Inputs& in) {
  const Bytes batch = static_cast<double>(in.batch_size) * in.sample;
  const Seconds t = batch / (static_cast<double>(in.workers) * in.cpu);  // (1)
  const Seconds acc = in.accelerator_step;
  Output out{.transform = t, .step = in.pipelined ? std::max(t, acc) : t + acc};  // (2)
  out.accelerator_utilization_fraction = acc / out.step;                          // (3)
  out.slowdown = out.step / acc;
  constexpr double kMostWorkers = 9e15;
  const double needed = std::ceil(batch / (in.cpu * acc));  // (4)
  out.workers_needed = static_cast<std::int64_t>(std::min(needed, kMostWorkers));
  out.bound = t > acc ? Bound::transform : Bound::accelerator;
  return out;
}

}  // namespace ridgeline::solve::transformation
