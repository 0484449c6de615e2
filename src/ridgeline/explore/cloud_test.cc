#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <utility>

#include "ridgeline/explore/explore.h"
#include "tests/support/models.h"

namespace ridgeline::explore {
namespace {

ScalarField field(const Scenario& base, const char* path) {
  const auto found = find_scalar(scalar_fields(base.machine), path);
  EXPECT_TRUE(found) << path;
  return found->field;
}

Scenario base_case() {
  Scenario out{default_chiplet(), {}, {}};
  out.work.context = 8192;
  return out;
}

Space space_of(const Scenario& base) {
  Space out;
  const double gb = 1e9;
  out.axes = {{field(base, "machine.bw_hbm_gbs"), {128 * gb, 256 * gb, 512 * gb}},
              {field(base, "machine.pe_hbm_gb"), {3 * gb, 6 * gb}},
              {field(base, "plan.tp"), {1, 2, 4, 8, 16, 32}},
              {field(base, "plan.cp"), {1, 2, 4, 8}},
              {field(base, "plan.kv_shard_mode"), {0, 1}}};
  return out;
}

// Between 2^e and 2^(e+1) eight cells of equal width.
int cell(double value) {
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);  // 0.5 to 1
  return exponent * 8 + static_cast<int>((mantissa - 0.5) * 16);
}

class Clouds : public ::testing::TestWithParam<std::pair<Metric, Metric>> {};

TEST_P(Clouds, HaveOnePairOfEachCellThatAnyFeasiblePairIsIn) {
  const Model model = testing::llama_8b();
  const Scenario base = base_case();
  const Space space = space_of(base);
  const auto [x, y] = GetParam();
  const auto drawn = cloud(model, base, space, {.x = x, .y = y});
  ASSERT_TRUE(drawn);
  std::set<std::pair<int, int>> due, there;
  std::int64_t total = 0;
  for_each_point(model, base, space, [&](const Point& point) {
    ++total;
    due.emplace(cell(point.metric(x)), cell(point.metric(y)));
    return true;
  });
  for (const Point& point : drawn->points) {
    EXPECT_TRUE(there.emplace(cell(point.metric(x)), cell(point.metric(y))).second);
  }
  EXPECT_EQ(drawn->total, total);
  EXPECT_EQ(there, due);
  ASSERT_EQ(drawn->bounds.size(), drawn->points.size());
  for (std::size_t i = 0; i < drawn->points.size(); ++i) {
    EXPECT_EQ(drawn->bounds[i], bound_of(model, drawn->points[i].scenario));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Metrics, Clouds,
    ::testing::Values(std::pair(Metric::latency_s, Metric::cost_score),
                      std::pair(Metric::latency_s, Metric::cost_x_pes),
                      std::pair(Metric::energy_j, Metric::tokens_per_s_per_pe),
                      std::pair(Metric::tokens_per_s, Metric::memory_headroom_bytes),
                      std::pair(Metric::energy_j_per_token, Metric::memory_bytes)));

TEST(Cloud, LeavesOutCellsThatAreTaken) {
  const Model model = testing::llama_8b();
  const Scenario base = base_case();
  const Space space = space_of(base);
  const auto all = cloud(model, base, space, {});
  const auto rest = cloud(model, base, space, {.taken = all->points});
  EXPECT_TRUE(rest->points.empty());
  EXPECT_EQ(rest->total, all->total);
}

// The limit is the value of a pair itself: whether that is within is for the plain evaluation.
TEST(Cloud, HasThePairsWithinConstraintsOnWhatDependsOnLatency) {
  const Model model = testing::llama_8b();
  const Scenario base = base_case();
  const auto all = cloud(model, base, space_of(base), {});
  const Point& middle = all->points[all->points.size() / 2];
  for (const Metric metric : {Metric::latency_s, Metric::tokens_per_s_per_pe, Metric::energy_j,
                              Metric::memory_headroom_bytes}) {
    for (const Comparison comparison :
         {Comparison::less, Comparison::less_equal, Comparison::greater_equal}) {
      Space space = space_of(base);
      space.constraints.push_back(
          {.metric = metric, .comparison = comparison, .value = middle.metric(metric)});
      std::int64_t within = 0;
      for_each_point(model, base, space, [&](const Point&) { return ++within > 0; });
      const auto drawn = cloud(model, base, space, {});
      EXPECT_EQ(drawn->total, within);
      EXPECT_GT(within, 0);
      EXPECT_LT(within, all->total);
    }
  }
}

TEST(Cloud, StopsWhenAskedTo) {
  const Scenario base = base_case();
  const auto drawn =
      cloud(testing::llama_8b(), base, space_of(base), {.progress = [](double) { return false; }});
  EXPECT_TRUE(drawn->stopped);
  EXPECT_EQ(drawn->total, 0);
}

TEST(HeatMap, StopsWhenAskedToAndHasTheBestOfEachCell) {
  const Model model = testing::llama_8b();
  const Scenario base = base_case();
  const Space space = space_of(base);
  const auto stopped =
      heat_map(model, base, space, 2, 3, {.progress = [](double) { return false; }});
  EXPECT_TRUE(stopped->empty());
  const auto cells = heat_map(model, base, space, 2, 3, {});
  ASSERT_EQ(cells->size(), 24U);
  for (const Cell& cell : *cells) {
    double least = INFINITY;
    for_each_point(model, base, space, [&](const Point& point) {
      const Plan& plan = point.scenario.plan;
      const bool here = static_cast<double>(plan.tp) == space.axes[2].values[cell.x] &&
                        static_cast<double>(plan.cp) == space.axes[3].values[cell.y];
      if (here) least = std::min(least, point.metric(Metric::latency_s));
      return true;
    });
    EXPECT_EQ(cell.best.empty() ? INFINITY : cell.best[0].metric(Metric::latency_s), least);
  }
}

}  // namespace
}  // namespace ridgeline::explore
