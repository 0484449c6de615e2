#include "ridgeline/solve/replicas.h"

#include <algorithm>
#include <cmath>

namespace ridgeline::solve {
namespace {

constexpr double kPercentile = 0.99;

}  // namespace

Seconds Replicas::wait_p99(std::int64_t count) const {
  physics::Queue all = queue;
  all.servers = count * queue.servers;
  return Seconds::from_base(
      physics::wait_quantile(all, physics::wait_probability(all), kPercentile));
}

bool Replicas::meets(std::int64_t count) const {
  return unloaded + wait_p99(count) <= target;
}

double Replicas::least_stable() const {
  const double rate = static_cast<double>(queue.servers) / queue.service_s;
  return std::floor(queue.arrivals_per_s / rate) + 1;
}

std::int64_t Replicas::enough(std::int64_t least) const {
  std::int64_t low = least, high = most;
  for (std::int64_t step = 1; low < high && !meets(low);) {
    const std::int64_t next = std::min(high, low + step);
    if (meets(next)) {
      for (high = next; high - low > 1;) {
        const std::int64_t mid = low + (high - low) / 2;
        (meets(mid) ? high : low) = mid;
      }
      return high;
    }
    low = next;
    step *= 2;
  }
  return low;
}

}  // namespace ridgeline::solve
