// Handover: the cache of prompts on its way from the device that made it to the one that decodes.
#pragma once

#include <cstdint>
#include <optional>

#include "ridgeline/base/units.h"
#include "ridgeline/physics/replica.h"

namespace ridgeline::solve {

struct Handover {
  std::int64_t sequences = 1;
  std::int64_t tokens = 0;  // of each
  std::int64_t there = 0;   // of those, where decode runs already
};

// kappa (tokens - there) of every sequence.
Seconds handover_time(const physics::Replica& replica, const Handover& handover,
                      BytesPerSecond network);

// What of it comes after the prefill: all but `overlap`, and what lasts longer than the prefill.
// Layer by layer, the default, hides all layers but one.  [zhong2024] [patel2024]
Seconds exposed_handover(const physics::Replica& replica, std::optional<double> overlap,
                         Seconds sent, Seconds prefill);

}  // namespace ridgeline::solve
