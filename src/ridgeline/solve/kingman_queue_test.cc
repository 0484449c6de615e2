#include "ridgeline/solve/kingman_queue.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ridgeline/physics/queue.h"

namespace ridgeline::solve::kingman_queue {
namespace {

Inputs queue(std::initializer_list<double> rho, double service_scv = 1) {
  Inputs in{.service = 1 * second, .arrival_scv = 1, .service_scv = service_scv};
  for (const double r : rho) in.utilization_fraction.push_back(r);
  return in;
}

// (1 + 0.5)/2 = 0.75; 0.75 x 1 and 0.75 x 9.
TEST(KingmanQueue, MatchesAHandWorkedCase) {
  const Output out = solve(queue({0.5, 0.9}, 0.5));
  EXPECT_DOUBLE_EQ(out.variability, 0.75);
  EXPECT_DOUBLE_EQ(out.wait_s[0], 0.75);
  EXPECT_NEAR(out.wait_s[1], 6.75, 1e-12);
}

// Trust: M/M/1 waits rho/(1 - rho) services; several servers come near Erlang C.
TEST(KingmanQueue, KeepsItsTrustStatement) {
  for (const double rho : {0.1, 0.5, 0.95}) {
    EXPECT_NEAR(solve(queue({rho})).wait_s[0], rho / (1 - rho), 1e-12);
    Inputs in = queue({rho});
    in.servers = 8;
    const physics::Queue exact{.arrivals_per_s = 8 * rho, .service_s = 1, .servers = 8};
    const double right = physics::wait_mean(exact, physics::wait_probability(exact));
    if (rho < 0.9) continue;  // heavy traffic
    EXPECT_NEAR(solve(in).wait_s[0], right, 0.1 * right) << rho;
  }
}

TEST(KingmanQueue, RefusesAFullQueue) {
  EXPECT_EQ(check(queue({1})).error().where, "utilization_fraction");
  EXPECT_EQ(check(queue({-0.1})).error().where, "utilization_fraction");
  EXPECT_EQ(check(queue({NAN})).error().where, "utilization_fraction");
  EXPECT_EQ(check(queue({}))->utilization_fraction.size(), 9U);
}

}  // namespace
}  // namespace ridgeline::solve::kingman_queue
