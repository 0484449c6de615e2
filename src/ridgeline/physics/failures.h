// Failures: how often a job should save when it stops every M on average and a save takes delta.
//
//   young  tau = sqrt(2 delta M)                                                    [young1974]
//   daly   tau = sqrt(2 delta M)(1 + sqrt(delta/2M)/3 + delta/18M) - delta;
//          delta >= 2 M: tau = M                                                     [daly2006]
#pragma once

#include <cmath>

#include "ridgeline/base/units.h"

namespace ridgeline::physics {

inline Seconds young_interval(Seconds delta, Seconds M) {
  return Seconds::from_base(std::sqrt(2 * delta.base() * M.base()));
}

inline Seconds daly_interval(Seconds delta, Seconds M) {
  if (delta >= 2 * M) return M;
  return young_interval(delta, M) * (1 + std::sqrt(delta / (2 * M)) / 3 + delta / (18 * M)) - delta;
}

}  // namespace ridgeline::physics
