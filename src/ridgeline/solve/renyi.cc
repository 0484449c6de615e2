#include "ridgeline/solve/renyi.h"

#include <cmath>
#include <cstdint>
#include <limits>

namespace ridgeline::solve {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();  // ln 0
constexpr std::int64_t kMostOrder = 65'536;
constexpr double kMostBroken = 64;  // orders up to which broken ones are tried
constexpr int kMostTerms = 100'000;
constexpr double kSmall = -30;  // ln of a term that no longer counts; A is at least 1

// ln(e^a + e^b) and ln(e^a - e^b).
double log_sum(double a, double b) {
  const double high = std::fmax(a, b), low = std::fmin(a, b);
  return high == kNone ? kNone : high + std::log1p(std::exp(low - high));
}
double log_difference(double a, double b) {
  return b == kNone ? a : a > b ? a + std::log1p(-std::exp(b - a)) : kNone;
}

double log_erfc(double x) {
  constexpr double kFar = 25, kLogSqrtPi = 0.5723649429247001;
  if (x < kFar) return std::log(std::erfc(x));
  return -x * x - std::log(x) - kLogSqrtPi + std::log1p(-1 / (2 * x * x));
}

double log_moment_whole(const Mechanism& m, std::int64_t order) {
  const auto a = static_cast<double>(order);
  const double in = std::log(m.sample_rate), out = std::log1p(-m.sample_rate);
  const double spread = 2 * m.noise * m.noise;
  double log_choose = 0, sum = kNone;
  for (double k = 0; k <= a; k += 1) {
    sum = log_sum(sum, log_choose + k * in + (a - k) * out + (k * k - k) / spread);
    log_choose += std::log((a - k) / (k + 1));
  }
  return sum;  // (2)
}

double log_moment_broken(const Mechanism& m, double a) {
  const double q = m.sample_rate, s = m.noise, spread = 2 * s * s;
  const double split = s * s * std::log(1 / q - 1) + 0.5, width = std::sqrt(2.0) * s;
  const double in = std::log(q), out = std::log1p(-q), half = std::log(0.5);
  double log_choose = 0, positive = kNone, negative = kNone;
  bool adds = true;
  for (int n = 0; n < kMostTerms; ++n) {
    const double i = n, j = a - i;
    const double below =
        log_choose + i * in + j * out + (i * i - i) / spread + half + log_erfc((i - split) / width);
    const double above =
        log_choose + j * in + i * out + (j * j - j) / spread + half + log_erfc((split - j) / width);
    double& sum = adds ? positive : negative;
    sum = log_sum(sum, log_sum(below, above));
    if (std::fmax(below, above) < kSmall) break;
    log_choose += std::log(std::fabs(j) / (i + 1));
    if (j < 0) adds = !adds;
  }
  return log_difference(positive, negative);  // (2)
}

double log_moment(const Mechanism& m, double order) {
  if (m.sample_rate == 1) return order * (order - 1) / (2 * m.noise * m.noise);  // (1)
  const bool whole = order == std::floor(order);
  const double moment =
      whole ? log_moment_whole(m, static_cast<std::int64_t>(order)) : log_moment_broken(m, order);
  return std::fmax(0.0, moment);
}

struct Accountant {
  const Mechanism& mechanism;
  double steps, log_inverse_delta;

  double epsilon(double order) const {
    return (steps * log_moment(mechanism, order) + log_inverse_delta) / (order - 1);  // (3)
  }
};

// The whole order with the least epsilon, by halving its slope.
std::int64_t best_whole(const Accountant& accountant) {
  const auto falls = [&](std::int64_t n) {
    const auto a = static_cast<double>(n);
    return accountant.epsilon(a + 1) < accountant.epsilon(a);
  };
  std::int64_t low = 2, high = 2;
  while (high < kMostOrder && falls(high)) {
    low = high;
    high *= 2;
  }
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (falls(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// The best order around a whole one, by golden section.
double best_near(const Accountant& accountant, double whole) {
  constexpr double kGolden = 0.6180339887498949, kNearOne = 1e-6;
  constexpr int kSteps = 60;
  double low = std::fmax(1 + kNearOne, whole - 1), high = whole + 1;
  double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
  double at_a = accountant.epsilon(a), at_b = accountant.epsilon(b);
  for (int i = 0; i < kSteps; ++i) {
    if (at_a <= at_b) {
      high = b, b = a, at_b = at_a;
      a = high - kGolden * (high - low), at_a = accountant.epsilon(a);
    } else {
      low = a, a = b, at_a = at_b;
      b = low + kGolden * (high - low), at_b = accountant.epsilon(b);
    }
  }
  return (low + high) / 2;
}

}  // namespace

double renyi_divergence(const Mechanism& mechanism, double order) {
  return log_moment(mechanism, order) / (order - 1);
}

Privacy privacy_of(const Mechanism& mechanism, double steps, double delta) {
  const Accountant accountant{mechanism, steps, -std::log(delta)};
  if (mechanism.sample_rate == 1) {  // the slope of (3) is zero at a known order
    const double s = mechanism.noise, L = accountant.log_inverse_delta;
    return {steps / (2 * s * s) + std::sqrt(2 * steps * L) / s, 1 + s * std::sqrt(2 * L / steps)};
  }
  const auto whole = static_cast<double>(best_whole(accountant));
  Privacy out{accountant.epsilon(whole), whole};
  if (whole > kMostBroken) return out;
  const double order = best_near(accountant, whole), epsilon = accountant.epsilon(order);
  return epsilon < out.epsilon ? Privacy{epsilon, order} : out;
}

}  // namespace ridgeline::solve
