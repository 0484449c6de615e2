#pragma once

#include <cstdint>
#include <optional>
#include <tuple>

#include "ridgeline/base/few.h"
#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"

namespace ridgeline::solve::tail_latency {

inline constexpr char kCard[] = R"(
How long do requests wait for one of several replicas, and how long do the slowest take?

Equations
  (1) rho = lambda s/c,  a = lambda s,  theta = c/s - lambda,  mu = 1/s; no answer at rho >= 1
  (2) P_w = B/(1 - rho (1 - B)),  B = Erlang B of c and a                        [erlang1917]
  (3) wait quantile q = 0 if P_w <= 1 - q,
                    else ln(P_w/(1 - q))/theta x (cv_a^2 + cv_s^2)/2   [allen1990] [kingman1961]
  (4) cv_a = cv_s = 1: P(T > t) = (1 - P_w) e^(-mu t)
                     + P_w (theta e^(-mu t) - mu e^(-theta t))/(theta - mu)
  (5) else gamma service of cv_s after the wait of (3); cv_s = 0: wait + s
  (6) a request that needs k leaves: quantile q^(1/k) of each                      [dean2013]
Assumes     one queue, first come first served, replicas alike.
Leaves out  priorities, time-outs, retries, batches (serving-capacity).
Trust       (2)-(4) are exact for Poisson arrivals and exponential service: one replica has
            P99 = s ln 100/(1 - rho). (3) and (5) approximate other variability.
)";

struct Inputs {
  double arrival_rate_qps = 0;
  Seconds service_latency;
  std::int64_t num_replicas = 1;
  double service_time_cv = 1;
  double arrival_cv = 1;
  std::int64_t fan_out = 1;
  std::optional<Seconds> target_p99_latency;
  Few<double, 8> quantiles;  // empty: 0.5, 0.95, 0.99, 0.999

  static constexpr auto fields() {
    return std::tuple(
        field(&Inputs::arrival_rate_qps, "arrival_rate_qps", "lambda", "requests per second"),
        field(&Inputs::service_latency, "service_latency", "s", "mean time of service"),
        field(&Inputs::num_replicas, "num_replicas", "c", "that serve the queue"),
        field(&Inputs::service_time_cv, "service_time_cv", "cv_s",
              "coefficient of variation of service"),
        field(&Inputs::arrival_cv, "arrival_cv", "cv_a", "and of the time between arrivals"),
        field(&Inputs::fan_out, "fan_out", "k", "leaves that one request needs"),
        field(&Inputs::target_p99_latency, "target_p99_latency", "", "that the slack counts from"),
        field(&Inputs::quantiles, "quantiles", "q", "of latency_quantiles_s"));
  }
};

struct Output {
  double utilization_fraction = 0;
  bool stable = true;
  std::optional<double> wait_probability_fraction;
  std::optional<Seconds> wait_mean, wait_p50, wait_p99;
  std::optional<Seconds> latency_mean, latency_p50, latency_p95, latency_p99;
  Few<double, 8> latency_quantiles_s;
  std::optional<Seconds> slo_slack;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::utilization_fraction, "utilization_fraction", "rho", "above 1: overload"),
        field(&Output::stable, "stable", "", "the queue does not grow without end"),
        field(&Output::wait_probability_fraction, "wait_probability_fraction", "P_w",
              "chance to wait at all"),
        field(&Output::wait_mean, "wait_mean", "", "mean wait"),
        field(&Output::wait_p50, "wait_p50", "", "median wait"),
        field(&Output::wait_p99, "wait_p99", "", "of 100 waits, the longest but one"),
        field(&Output::latency_mean, "latency_mean", "", "mean of wait and service"),
        field(&Output::latency_p50, "latency_p50", "", "its median"),
        field(&Output::latency_p95, "latency_p95", "", "its 95th percentile"),
        field(&Output::latency_p99, "latency_p99", "", "its 99th percentile"),
        field(&Output::latency_quantiles_s, "latency_quantiles_s", "",
              "of the quantiles asked for"),
        field(&Output::slo_slack, "slo_slack", "", "target less the 99th percentile"));
  }
};

// Fills the quantiles.
Result<Inputs> check(const Inputs& in);

// Pure and allocation-free. REQUIRES: `in` came from check().
Output solve(const Inputs& in);

}  // namespace ridgeline::solve::tail_latency
