// Replicas: how long 99 of 100 requests wait for a replica, and how few replicas keep a target.
#pragma once

#include <cstdint>

#include "ridgeline/base/units.h"
#include "ridgeline/physics/queue.h"

namespace ridgeline::solve {

struct Replicas {
  physics::Queue queue;  // all arrivals; servers of one replica
  Seconds unloaded;      // from arrival to the end without a wait
  Seconds target;
  std::int64_t most = 1;

  // REQUIRES: `count` replicas keep up with the arrivals.
  Seconds wait_p99(std::int64_t count) const;
  bool meets(std::int64_t count) const;

  // The fewest that keep up; more than `most` where that many do not.
  double least_stable() const;

  // The fewest from `least` on that meet the target, or `most`. The wait falls with their number.
  std::int64_t enough(std::int64_t least) const;
};

}  // namespace ridgeline::solve
