// Gate: how many requests may work at once, and how many may wait.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace ridgeline::server {

class Gate {
 public:
  Gate(int places, int queue) : free_(places), queue_(queue) {}

  // A place for as long as this lives; `admitted` false: the queue was full, or the wait too long.
  class Pass {
   public:
    Pass(Gate& gate, std::chrono::milliseconds patience) : gate_(gate), in_(gate.enter(patience)) {}
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    ~Pass() {
      if (in_) gate_.leave();
    }
    bool admitted() const { return in_; }

   private:
    Gate& gate_;
    bool in_;
  };

 private:
  bool enter(std::chrono::milliseconds patience);
  void leave();

  std::mutex mutex_;
  std::condition_variable freed_;
  int free_;
  int queue_;
};

}  // namespace ridgeline::server
