// Workers: blocks of a loop on as many threads as asked for; none are started for little work.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <optional>
#include <vector>

#ifdef __STDCPP_THREADS__
#include <system_error>
#include <thread>
#endif

namespace ridgeline::explore {

// Threads that run work(1) to work(count - 1) beside their owner, who waits for them at the end:
// fewer where the system has no more, none where it has no threads, as in WebAssembly.
class Helpers {
 public:
  template <class F>
  Helpers([[maybe_unused]] std::size_t count, [[maybe_unused]] const F& work) {
#ifdef __STDCPP_THREADS__
    try {
      for (std::size_t w = 1; w < count; ++w) threads_.emplace_back(work, w);
    } catch (const std::system_error&) {
    }
#endif
  }
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;

#ifdef __STDCPP_THREADS__
  ~Helpers() {
    for (std::thread& thread : threads_) thread.join();
  }
  static std::size_t processors() {
    return std::max<std::size_t>(1, std::thread::hardware_concurrency());
  }

 private:
  std::vector<std::thread> threads_;
#else
  static std::size_t processors() {
    return 1;
  }
#endif
};

class Workers {
 public:
  // threads 0: as many as the machine has.
  explicit Workers(int threads)
      : threads_(threads > 0 ? static_cast<std::size_t>(threads) : Helpers::processors()) {}

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
    const Helpers helpers(std::min({threads_, blocks, worth}), work);
    work(0);
  }

 private:
  static constexpr double kWorthThread = 1e-3;  // starting one takes some 0.05 ms

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
