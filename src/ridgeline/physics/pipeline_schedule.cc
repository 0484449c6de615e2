#include "ridgeline/physics/pipeline_schedule.h"

#include <algorithm>

namespace ridgeline::physics {
namespace {

double as_double(std::int64_t n) {
  return static_cast<double>(n);
}

}  // namespace

double in_flight(const Pipeline& p, std::int64_t stage) {
  const double m = as_double(p.micro_batches), v = as_double(p.chunks);
  const double after = as_double(p.stages - stage - 1), stages = as_double(p.stages);
  if (p.schedule == Schedule::gpipe) return m;                   // (3)
  if (p.schedule == Schedule::dualpipe) return stages + 1;       // (4)
  if (!p.is_interleaved()) return std::min(m, after + 1);        // (1)
  return std::min(m * v, 2 * after + (v - 1) * stages + 1) / v;  // (2)
}

double bubble_over_ideal(const Pipeline& p) {
  constexpr double kForward = 1, kBackward = 2, kWeights = 1, kBoth = kForward + kBackward;
  const double m = as_double(p.micro_batches), stages = as_double(p.stages);
  switch (p.schedule) {
    case Schedule::zb1p:
      return (stages - 1) * (kForward + kBackward - 2 * kWeights) / (m * kBoth);  // (6)
    case Schedule::dualpipe:
      return std::max(0.0, stages / 2 - 1) * (kBoth + kBackward - 3 * kWeights) /
             (m * kBoth);                                      // (7)
    default: return (stages - 1) / (as_double(p.chunks) * m);  // (5)
  }
}

}  // namespace ridgeline::physics
