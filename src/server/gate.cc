#include "server/gate.h"

namespace ridgeline::server {

bool Gate::enter(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  if (free_ == 0) {
    if (queue_ == 0) return false;
    --queue_;
    const bool in_time = freed_.wait_for(lock, patience, [this] { return free_ > 0; });
    ++queue_;
    if (!in_time) return false;
  }
  --free_;
  return true;
}

void Gate::leave() {
  {
    const std::lock_guard lock(mutex_);
    ++free_;
  }
  freed_.notify_one();
}

}  // namespace ridgeline::server
