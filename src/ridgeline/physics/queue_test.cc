#include "ridgeline/physics/queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace ridgeline::physics {
namespace {

double recursion(int servers, double load) {  // Erlang's own
  double b = 1;
  for (int k = 1; k <= servers; ++k) b = load * b / (k + load * b);
  return b;
}

TEST(Queue, ErlangBIsTheRecursions) {
  for (const int c : {1, 2, 10, 1000}) {
    for (const double rho : {0.1, 0.5, 0.9, 0.999}) {
      EXPECT_NEAR(erlang_b(c, rho * c), recursion(c, rho * c),
                  1e-12 * recursion(c, rho * c) + 1e-290);
    }
  }
  EXPECT_GT(erlang_b(100'000, 99'900), 0);
  EXPECT_EQ(erlang_b(100'000, 10), 0);  // no overflow on the way to nothing
}

TEST(Queue, OneServerWaitsWithChanceRho) {
  EXPECT_NEAR(wait_probability({.arrivals_per_s = 7, .service_s = 0.1}), 0.7, 1e-15);
}

// The tail of a queue with gamma service against the integral of its density.
TEST(Queue, GammaServiceIsConvolvedWithTheWait) {
  for (const double cv : {0.5, std::sqrt(0.5), 1.5}) {
    for (const int servers : {1, 20}) {
      const Queue q{
          .arrivals_per_s = 8.0 * servers, .service_s = 0.1, .servers = servers, .service_cv = cv};
      const double chance = wait_probability(q);
      const double theta = servers / 0.1 - 8.0 * servers, nu = theta / ((1 + cv * cv) / 2);
      const double k = 1 / (cv * cv), beta = 0.1 / k, t = 0.3;
      double part = 0;  // P(served by t, but not with the wait)
      double within = 0;
      const int steps = 200'000;
      const double p =
          std::min(1.0, k);  // x = t w^(1/p) takes the pole at 0 away where there is one
      for (int i = 0; i < steps; ++i) {
        const double w = (i + 0.5) / steps, x = t * std::pow(w, 1 / p);
        const double density = std::pow(x / beta, k) / x * std::exp(-x / beta) / std::tgamma(k) *
                               t / p * std::pow(w, 1 / p - 1) / steps;
        part += density * std::exp(-nu * (t - x));
        within += density;
      }
      EXPECT_NEAR(latency_tail(q, chance, t), 1 - within + chance * part, 2e-7) << cv << servers;
    }
  }
}

TEST(Queue, QuantilesInvertTheTail) {
  for (const double cv : {0.3, 1.0, 2.0}) {
    const Queue q{.arrivals_per_s = 30, .service_s = 0.05, .servers = 2, .service_cv = cv};
    const double chance = wait_probability(q);
    for (const double level : {0.5, 0.95, 0.999}) {
      EXPECT_NEAR(latency_tail(q, chance, latency_quantile(q, chance, level)), 1 - level,
                  1e-9 * (1 - level));
    }
  }
}

}  // namespace
}  // namespace ridgeline::physics
