// Workers: blocks of a loop on as many threads as asked for; none are started for little work.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

namespace ridgeline::explore {

class Workers {
 public:
  // threads 0: as many as the machine has.
  explicit Workers(int threads)
      : threads_(threads > 0 ? static_cast<std::size_t>(threads)
                             : std::max<std::size_t>(1, std::thread::hardware_concurrency())) {}

  std::size_t most() const { return threads_; }

  // fn(worker, begin, end) for the blocks of [0, count), each `block` long but the last, in any
  // order. A worker, below most(), takes one block at a time. `seconds` is a guess of the time that
  // all of them take on one thread.
  template <class F>
  void run(std::size_t count, std::size_t block, double seconds, F&& fn) {
    const std::size_t blocks = (count + block - 1) / block;
    std::atomic<std::size_t> next = 0;
    const auto work = [&](std::size_t worker) {
      for (std::size_t i = next++; i < blocks; i = next++) {
        fn(worker, i * block, std::min(count, (i + 1) * block));
      }
    };
    const auto worth = static_cast<std::size_t>(seconds / kWorthThread);
    std::vector<std::thread> others = start(std::min({threads_, blocks, worth}), work);
    work(0);
    for (std::thread& other : others) other.join();
  }

 private:
  static constexpr double kWorthThread = 1e-3;  // starting one takes some 0.05 ms

  // Workers 1 to count - 1; fewer where the system has no more threads.
  template <class F>
  static std::vector<std::thread> start(std::size_t count, const F& work) {
    std::vector<std::thread> out;
#ifdef __cpp_exceptions  // without them, as in WebAssembly, the work is done here
    try {
      for (std::size_t w = 1; w < count; ++w) out.emplace_back(work, w);
    } catch (const std::system_error&) {
    }
#endif
    return out;
  }

  std::size_t threads_;
};

// One T for each worker that asks.
template <class T>
class PerWorker {
 public:
  explicit PerWorker(const Workers& workers) : items_(workers.most()) {}

  template <class Make>
  T& of(std::size_t worker, Make&& make) {
    std::optional<T>& item = items_[worker];
    if (!item) item.emplace(make());
    return *item;
  }

  template <class F>
  void for_each(F&& fn) {
    for (std::optional<T>& item : items_) {
      if (item) fn(*item);
    }
  }

 private:
  std::vector<std::optional<T>> items_;
};

}  // namespace ridgeline::explore
