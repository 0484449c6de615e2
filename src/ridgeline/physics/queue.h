// Queue: c servers, Poisson-like arrivals, first come first served.
//
//   rho = lambda s/c,  theta = c/s - lambda,  a = lambda s
//   1/B = sum over j of c!/(c - j)! a^-j        Erlang B, all terms positive: no overflow before 1
//   P_w = B/(1 - rho (1 - B))                   chance to wait, Erlang C            [erlang1917]
//   (a) wait quantile q = 0 if P_w <= 1 - q, else ln(P_w/(1 - q))/theta x (cv_a^2 + cv_s^2)/2
//                                                          [allen1990] [kingman1961] (b)
//   cv_a = cv_s = 1: P(T > t) = (1 - P_w) e^(-mu t)
//                    + P_w (theta e^(-mu t) - mu e^(-theta t))/(theta - mu) (c)
//   else service is gamma of cv_s, the wait exponential at theta/((cv_a^2 + cv_s^2)/2) with the
//   chance P_w, both independent; cv_s = 0: wait + s (d)
// (a)-(c) are exact for M/M/c; (b), (d) approximate the rest.
#pragma once

#include <cstdint>

namespace ridgeline::physics {

struct Queue {
  double arrivals_per_s = 0;  // lambda
  double service_s = 1;       // s
  std::int64_t servers = 1;   // c
  double arrival_cv = 1;
  double service_cv = 1;

  double utilization() const { return arrivals_per_s * service_s / static_cast<double>(servers); }
  bool stable() const { return utilization() < 1; }
};

// Share of arrivals lost by `servers` without a queue at `load` = a.
double erlang_b(std::int64_t servers, double load);

// The rest REQUIRES a stable queue.
double wait_probability(const Queue& queue);

// Of the wait, and of wait and service; `chance` is P_w.
double wait_quantile(const Queue& queue, double chance, double q);
double wait_mean(const Queue& queue, double chance);

// P(W > t), of which wait_quantile is the inverse.
double wait_tail(const Queue& queue, double chance, double t);

// (cv_a^2 + cv_s^2)/2 of squared coefficients of variation.
constexpr double variability(double arrival_scv, double service_scv) {
  return (arrival_scv + service_scv) / 2;
}

// Mean wait in services at variability 1, in heavy traffic: rho^(sqrt(2 (c + 1)) - 1)/(c (1 - rho))
// [sakasegawa1977]; exact for one server.
double sakasegawa_wait(double utilization, std::int64_t servers);
double latency_quantile(const Queue& queue, double chance, double q);

// P(T > t).
double latency_tail(const Queue& queue, double chance, double t);

}  // namespace ridgeline::physics
