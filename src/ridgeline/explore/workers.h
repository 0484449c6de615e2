// Workers: blocks of a loop on as many threads as asked for; none are started for little work.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>
#include <optional>

namespace ridgeline::explore {

class Workers {
 public:
  // threads 0: as many as the machine has.
  explicit Workers(int threads) : threads_(threads > 0 ? threads : tbb::task_arena::automatic) {}

  // fn(begin, end) for the blocks of [0, count), each `block` long but the last, in any order.
  // `seconds` is a guess of the time that all of them take on one thread.
  template <class F>
  void run(std::size_t count, std::size_t block, double seconds, F&& fn) {
    if (threads_ == 1 || count <= block || seconds < kWorthThreads) {
      for (std::size_t i = 0; i < count; i += block) fn(i, std::min(count, i + block));
      return;
    }
    if (!arena_) arena_.emplace(threads_);
    arena_->execute([&] {
      tbb::parallel_for(std::size_t{0}, (count + block - 1) / block,
                        [&](std::size_t i) { fn(i * block, std::min(count, (i + 1) * block)); });
    });
  }

 private:
  static constexpr double kWorthThreads = 2e-3;  // starting them takes some 0.1 ms

  int threads_;
  std::optional<tbb::task_arena> arena_;
};

}  // namespace ridgeline::explore
