#include "ridgeline/solve/handover.h"

#include <algorithm>

namespace ridgeline::solve {

Seconds handover_time(const physics::Replica& r, const Handover& handover, BytesPerSecond network) {
  const Bytes sent = physics::kept_kv(r.model, static_cast<double>(handover.tokens), 1) -
                     physics::kept_kv(r.model, static_cast<double>(handover.there), 1);
  return static_cast<double>(handover.sequences) * sent / network;
}

Seconds exposed_handover(const physics::Replica& r, std::optional<double> overlap, Seconds sent,
                         Seconds prefill) {
  const double hidden = overlap.value_or(r.model.layers > 0 ? 1 - 1 / r.model.layers : 0);
  return std::max((1 - hidden) * sent, sent - prefill);
}

}  // namespace ridgeline::solve
