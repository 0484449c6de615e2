#include "ridgeline/physics/queue.h"

#include <algorithm>
#include <cmath>

namespace ridgeline::physics {
namespace {

constexpr double kTiny = 1e-17;  // a term that no longer changes a sum
constexpr int kMostTerms = 100'000;

// Upper regularized incomplete gamma Q(k, x): series below k + 1, continued fraction above.
double gamma_series(double k, double x) {  // of P = 1 - Q
  double term = 1 / k, sum = term;
  for (int n = 1; n < kMostTerms && term > kTiny * sum; ++n) {
    term *= x / (k + n);
    sum += term;
  }
  return sum * std::exp(k * std::log(x) - x - std::lgamma(k));
}

double gamma_fraction(double k, double x) {  // of Q, by Lentz
  constexpr double kSmallest = 1e-300, kClose = 1e-15;
  double b = x + 1 - k, c = 1 / kSmallest, d = 1 / b, h = d;
  for (int i = 1; i < kMostTerms; ++i) {
    const double a = -i * (i - k);
    b += 2;
    d = a * d + b;
    d = 1 / (std::fabs(d) < kSmallest ? kSmallest : d);
    c = b + a / c;
    if (std::fabs(c) < kSmallest) c = kSmallest;
    h *= d * c;
    if (std::fabs(d * c - 1) < kClose) break;
  }
  return h * std::exp(k * std::log(x) - x - std::lgamma(k));
}

double gamma_upper(double k, double x) {
  if (x <= 0) return 1;
  return x < k + 1 ? 1 - gamma_series(k, x) : gamma_fraction(k, x);
}

double gamma_lower(double k, double x) {
  if (x <= 0) return 0;
  return x < k + 1 ? gamma_series(k, x) : 1 - gamma_fraction(k, x);
}

// Mean of k/(k + N) over N Poisson with mean z, which is 1F1(1; k + 1; -z).
double mean_share(double k, double z) {
  constexpr double kManyMean = 100;
  if (z > kManyMean) {  // by the moments of N about z, to the sixth
    const double y = 1 / (k + z);
    const double series = 1 + z * y * y - z * y * y * y + (3 * z * z + z) * std::pow(y, 4) -
                          (10 * z * z + z) * std::pow(y, 5) +
                          (15 * z * z * z + 25 * z * z + z) * std::pow(y, 6);
    return k * y * series;
  }
  double weight = std::exp(-z), sum = weight;
  for (int n = 1; n < kMostTerms; ++n) {
    weight *= z / n;
    sum += weight * k / (k + n);
    if (n > z && weight < kTiny * sum) break;
  }
  return sum;
}

// P(wait + service > t, service < t) where one waits at rate nu and is served in gamma(k, 1/r).
double waiting_part(double k, double r, double nu, double t) {
  if (nu < r) {
    return std::exp(-nu * t - k * std::log1p(-nu / r)) * gamma_lower(k, (r - nu) * t);
  }
  const double log_peak = k * std::log(r * t) - r * t - std::lgamma(k + 1);
  return std::exp(log_peak) * mean_share(k, (nu - r) * t);
}

double variability_of(const Queue& q) {
  return variability(q.arrival_cv * q.arrival_cv, q.service_cv * q.service_cv);
}

double spare_rate(const Queue& q) {
  return static_cast<double>(q.servers) / q.service_s - q.arrivals_per_s;  // theta
}

// Service times that vary by less are as good as constant.
constexpr double kConstant = 1e-3;

double exponential_tail(const Queue& q, double chance, double t) {
  const double mu = 1 / q.service_s, theta = spare_rate(q);
  const double served = std::exp(-mu * t);
  if (std::fabs(theta - mu) < 1e-9 * mu) return (1 + chance * mu * t) * served;
  const double both = (theta * served - mu * std::exp(-theta * t)) / (theta - mu);
  return (1 - chance) * served + chance * both;  // (c)
}

double gamma_tail(const Queue& q, double chance, double t) {
  const double k = 1 / (q.service_cv * q.service_cv), r = k / q.service_s;
  const double nu = spare_rate(q) / variability_of(q);
  return gamma_upper(k, r * t) + chance * waiting_part(k, r, nu, t);  // (d)
}

// The t at which the tail is `left`: false position on its logarithm, which is nearly straight. An
// end that stays twice counts half (the Illinois rule).
double solve_tail(const Queue& q, double chance, double left) {
  constexpr double kClose = 1e-13;
  constexpr int kMostSteps = 200;
  const auto gap = [&](double t) { return std::log(latency_tail(q, chance, t) / left); };
  double low = 0, high = q.service_s;
  double at_low = -std::log(left), at_high = gap(high);
  while (at_high > 0) {
    low = high, at_low = at_high;
    high *= 2, at_high = gap(high);
  }
  double last = low;
  int stayed = 0;  // steps that the high end (> 0) or the low end (< 0) has stayed
  for (int i = 0; i < kMostSteps; ++i) {
    double t = high - at_high * (high - low) / (at_high - at_low);
    if (!(t > low && t < high)) t = (low + high) / 2;
    const double at = gap(t);
    if (at == 0 || std::fabs(t - last) <= kClose * t) return t;
    last = t;
    if (at > 0) {
      low = t, at_low = at;
      stayed = std::max(stayed, 0) + 1;
      if (stayed > 1) at_high /= 2;
    } else {
      high = t, at_high = at;
      stayed = std::min(stayed, 0) - 1;
      if (stayed < -1) at_low /= 2;
    }
  }
  return last;
}

}  // namespace

double erlang_b(std::int64_t servers, double load) {
  constexpr double kHuge = 1e300;
  if (load <= 0) return 0;
  double term = 1, sum = 1;
  for (auto left = static_cast<double>(servers); left > 0; left -= 1) {
    term *= left / load;
    sum += term;
    if (term < kTiny * sum) break;
    if (sum > kHuge) return 0;
  }
  return 1 / sum;
}

double wait_probability(const Queue& q) {
  const double rho = q.utilization();
  const double B = erlang_b(q.servers, q.arrivals_per_s * q.service_s);
  return B / (1 - rho * (1 - B));  // (a)
}

double wait_quantile(const Queue& q, double chance, double quantile) {
  if (chance <= 1 - quantile) return 0;
  return std::log(chance / (1 - quantile)) / spare_rate(q) * variability_of(q);  // (b)
}

double wait_tail(const Queue& q, double chance, double t) {
  if (t < 0) return 1;
  return chance * std::exp(-t * spare_rate(q) / variability_of(q));  // (b)
}

double wait_mean(const Queue& q, double chance) {
  return chance / spare_rate(q) * variability_of(q);
}

double sakasegawa_wait(double rho, std::int64_t servers) {
  const auto c = static_cast<double>(servers);
  return std::pow(rho, std::sqrt(2 * (c + 1)) - 1) / (c * (1 - rho));
}

double latency_tail(const Queue& q, double chance, double t) {
  const bool markov = q.arrival_cv == 1 && q.service_cv == 1;
  return markov ? exponential_tail(q, chance, t) : gamma_tail(q, chance, t);
}

double latency_quantile(const Queue& q, double chance, double quantile) {
  if (q.service_cv < kConstant) return wait_quantile(q, chance, quantile) + q.service_s;  // (d)
  return solve_tail(q, chance, 1 - quantile);
}

}  // namespace ridgeline::physics
