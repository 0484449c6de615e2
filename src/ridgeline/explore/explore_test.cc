#include "ridgeline/explore/explore.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "ridgeline/physics/cost.h"
#include "ridgeline/physics/lower.h"
#include "tests/support/models.h"
#include "tests/support/spaces.h"

namespace ridgeline::explore {
namespace {

using testing::axis;
using testing::chiplet;
using testing::first_difference;
using testing::full_space;
using testing::shipped_space;
using testing::text_of;

Exploration run(const Model& model, const Scenario& base, const Space& space,
                Options options = {}) {
  Result<Exploration> found = explore(model, base, space, options);
  EXPECT_TRUE(found.has_value());
  return *std::move(found);
}

Exploration run_plainly(const Model& model, const Scenario& base, const Space& space,
                        Options options = {}) {
  options.plain = true;
  return run(model, base, space, options);
}

// docs/chiplet-model.md section 12, item 7.
TEST(Explore, FindsTheWorkedJointOptimum) {
  const Scenario base = chiplet(Phase::decode, 131072, 1);
  const Exploration found =
      run(testing::llama_70b(), base, shipped_space(base.machine, "balanced"));
  EXPECT_EQ(found.hardware_count, 64);
  EXPECT_EQ(found.parallelism_count, 1920);
  EXPECT_EQ(found.distinct_plan_count, 1760);
  EXPECT_EQ(found.evaluated_count, 122880);
  ASSERT_EQ(found.best.size(), 1u);
  const Point& best = found.best[0];
  EXPECT_NEAR(best.metric(Metric::latency_s), 0.004865471380892859, 1e-12);
  EXPECT_EQ(best.scenario.plan.cp, 16);
  EXPECT_EQ(best.scenario.plan.tp, 32);
  EXPECT_EQ(best.scenario.plan.pp, 1);
  EXPECT_EQ(best.scenario.plan.dp, 1);
  EXPECT_EQ(best.scenario.plan.kv_shard_mode, KvShardMode::replicate);
  EXPECT_EQ(best.scenario.plan.cp_ring_variant, CpRing::qoml);
  EXPECT_EQ(best.metric(Metric::cost_score), 11);
  EXPECT_EQ(best.metric(Metric::pes_used), 512);
  EXPECT_EQ(found.pareto.size(), 6u);
  EXPECT_NEAR(found.pareto.back().metric(Metric::latency_s), 0.008266192761785715, 1e-12);
  EXPECT_EQ(found.pareto.back().metric(Metric::cost_score), 6);
}

TEST(Explore, RanksTheKnobsOfTheWorkedExample) {
  const Scenario base = chiplet(Phase::decode, 131072, 1);
  const Exploration found =
      run(testing::llama_70b(), base, shipped_space(base.machine, "balanced"));
  const struct {
    const char* knob;
    double speedup;
  } kExpected[] = {
      {"bw_hbm_gbs", 0.330316812850854},       {"bw_intersip_gbs", 0.012366785310113038},
      {"bw_inter_gbs", 0.004971871809789752},  {"peak_tflops_f16", 0.0009637122323087333},
      {"bw_intra_gbs", 0.0003613408881417701}, {"pe_hbm_gb", 0}};
  ASSERT_EQ(found.sensitivity.size(), std::size(kExpected));
  for (std::size_t i = 0; i < std::size(kExpected); ++i) {
    EXPECT_EQ(found.sensitivity[i].knob.key, kExpected[i].knob);
    EXPECT_NEAR(found.sensitivity[i].speedup_fraction, kExpected[i].speedup, 1e-11);
    EXPECT_EQ(found.sensitivity[i].doubled, 2 * found.sensitivity[i].baseline);
  }
}

TEST(Explore, FullPlansBeatTheReducedOnesAsWorked) {
  const Scenario base = chiplet(Phase::decode, 131072, 1);
  const Exploration found = run(testing::llama_70b(), base, shipped_space(base.machine, "full"));
  EXPECT_EQ(found.hardware_count, 1);
  EXPECT_EQ(found.parallelism_count, 46080);
  EXPECT_EQ(found.distinct_plan_count, 33075);
  EXPECT_NEAR(found.best.at(0).metric(Metric::latency_s), 0.006313815516071429, 1e-12);
  EXPECT_EQ(found.best[0].scenario.plan.tp_placement, Spread::pe);
  EXPECT_EQ(found.best[0].scenario.plan.cp_placement, Spread::pe);
}

TEST(Explore, TwoStageAnswersWithTheFewestDevices) {
  const Scenario base = chiplet(Phase::decode, 131072, 1);
  const Exploration found =
      run(testing::llama_70b(), base, shipped_space(base.machine, "two_stage"));
  EXPECT_EQ(found.hardware_count, 1);
  EXPECT_EQ(found.parallelism_count, 240);
  EXPECT_EQ(found.best.at(0).scenario.plan.cp, 1);
  EXPECT_EQ(found.best[0].scenario.plan.tp, 32);
  EXPECT_EQ(found.best[0].metric(Metric::pes_used), 32);
  EXPECT_NEAR(found.best[0].metric(Metric::latency_s), 0.028467897026785715, 1e-12);
}

TEST(Explore, CountsAddUp) {
  const Scenario base = chiplet(Phase::decode, 131072, 1);
  const Exploration found = run(testing::llama_70b(), base, shipped_space(base.machine, "coarse"));
  EXPECT_EQ(found.hardware_count, 729);
  EXPECT_EQ(found.evaluated_count, 1399680);
  std::int64_t rejected = 0;
  for (const std::int64_t n : found.rejected) rejected += n;
  EXPECT_EQ(found.valid_count + rejected, found.evaluated_count);
  EXPECT_EQ(found.feasible_count + found.does_not_fit_count, found.valid_count);
}

TEST(Explore, FastEqualsPlainOnShippedSpaces) {
  Options options;
  options.per_hardware = true;
  options.top = 7;
  const Scenario base = chiplet(Phase::prefill, 8192, 2);
  for (const char* name : {"two_stage", "balanced", "full"}) {
    SCOPED_TRACE(name);
    const Space space = shipped_space(base.machine, name);
    EXPECT_EQ(first_difference(text_of(run(testing::gemma_2_27b(), base, space, options)),
                               text_of(run_plainly(testing::gemma_2_27b(), base, space, options))),
              "");
  }
}

// Four objectives, none a function of the others: long fronts, many pairs in doubt.
TEST(Explore, FindsTheTrueFrontOverAllPairs) {
  const Scenario base = chiplet(Phase::decode, 131072, 1);
  Space space = shipped_space(base.machine, "coarse");
  space.objectives = {
      {Metric::latency_s}, {Metric::cost_score}, {Metric::pes_used}, {Metric::energy_j}};
  const Exploration expected = run_plainly(testing::llama_70b(), base, space);
  EXPECT_EQ(first_difference(text_of(run(testing::llama_70b(), base, space)), text_of(expected)),
            "");
  EXPECT_GT(expected.pareto.size(), 100u);
}

// More capacities than buckets: plans are masked one by one, on a grid as in a list.
TEST(Explore, HandlesManyCapacities) {
  const Scenario base = chiplet(Phase::decode, 32768, 4);
  Space space = shipped_space(base.machine, "balanced");
  space.axes[0].values.clear();
  for (int i = 0; i < 97; ++i) space.axes[0].values.push_back(5e8 + 1.3e8 * i);
  for (std::size_t a = 1; a < 5; ++a) space.axes[a].values.resize(1);
  Options options;
  options.per_hardware = true;
  const std::string grid = text_of(run(testing::llama_8b(), base, space, options));
  EXPECT_EQ(first_difference(grid, text_of(run_plainly(testing::llama_8b(), base, space, options))),
            "");
  for (const double gigabytes : space.axes[0].values) {
    for (const double link : space.axes[5].values) {
      std::vector<double> row;
      for (std::size_t a = 0; a < 6; ++a) row.push_back(space.axes[a].values[0]);
      row[0] = gigabytes;
      row[5] = link;
      space.hardware_points.push_back(row);
    }
  }
  EXPECT_EQ(first_difference(grid, text_of(run(testing::llama_8b(), base, space, options))), "");
}

// Large enough for threads to be started; every way through the search.
TEST(Explore, ThreadsChangeNothing) {
  const Scenario base = chiplet(Phase::decode, 131072, 1);
  Space fastest = full_space(base.machine, {1, 2});
  Space all = shipped_space(base.machine, "coarse");
  all.objectives = {{Metric::energy_j_per_token}, {Metric::cost_x_pes}, {Metric::latency_s}};
  Space list = shipped_space(base.machine, "coarse");
  for (int i = 0; i < 3000; ++i) {
    std::vector<double> row;
    for (std::size_t a = 0; a < 6; ++a) {
      row.push_back(list.axes[a].values[0] *
                    std::exp2(2 * std::fmod(i * 0.6180339887 * double(a + 1), 1)));
    }
    list.hardware_points.push_back(row);
  }
  for (const Space& space : {fastest, all, list}) {
    Options options;
    options.per_hardware = true;
    options.top = 20;
    options.threads = 1;
    const std::string one = text_of(run(testing::llama_70b(), base, space, options));
    for (const int threads : {2, 7}) {
      options.threads = threads;
      EXPECT_EQ(first_difference(one, text_of(run(testing::llama_70b(), base, space, options))),
                "");
    }
  }
}

TEST(Explore, ReportsTheNearestMissesWhereNothingFits) {
  Scenario base = chiplet(Phase::decode, 131072, 1);
  Space space = shipped_space(base.machine, "balanced");
  space.constraints = {{.text = "pes_used <= 8", .metric = Metric::pes_used, .value = 8}};
  const Exploration found = run(testing::llama_70b(), base, space);
  EXPECT_EQ(found.feasible_count, 0);
  EXPECT_TRUE(found.best.empty() && found.pareto.empty() && found.sensitivity.empty());
  ASSERT_EQ(found.near_misses.size(), 3u);
  std::int64_t before = 0;
  for (const NearMiss& miss : found.near_misses) {
    EXPECT_GE(miss.lacking_bytes, std::max<std::int64_t>(1, before));
    before = miss.lacking_bytes;
    EXPECT_LE(miss.point.metric(Metric::pes_used), 8);
    EXPECT_EQ(miss.point.hardware[0], 12e9);  // the roomier of the two capacities
    EXPECT_EQ(static_cast<double>(miss.lacking_bytes),
              -miss.point.metric(Metric::memory_headroom_bytes));
  }
}

TEST(Explore, StopsWhenProgressSaysSo) {
  const Scenario base = chiplet(Phase::decode, 131072, 1);
  Space space = shipped_space(base.machine, "balanced");
  space.axes.insert(space.axes.begin(), axis(base.machine, "machine.sips", {8, 16}));
  Options options;
  double share = 0;
  options.progress = [&](double done) {
    share = done;
    return false;
  };
  const Exploration found = run(testing::llama_70b(), base, space, options);
  EXPECT_TRUE(found.stopped);
  EXPECT_EQ(share, 0.5);
}

TEST(Explore, RefusesSpacesWithoutPairsAndTooLargeOnes) {
  const Scenario base = chiplet(Phase::decode, 4096, 1);
  Space space = shipped_space(base.machine, "balanced");
  space.axes[2].values.clear();
  EXPECT_EQ(explore(testing::llama_8b(), base, space, {}).error().code, ErrorCode::missing);
  std::vector<double> many(100000, 1e9);
  space = {};
  for (const char* name : {"machine.bw_hbm_gbs", "machine.bw_intra_gbs", "machine.bw_inter_gbs",
                           "machine.bw_intersip_gbs"}) {
    space.axes.push_back(axis(base.machine, name, many));
  }
  EXPECT_EQ(explore(testing::llama_8b(), base, space, {}).error().code, ErrorCode::out_of_range);
  space = shipped_space(base.machine, "balanced");
  space.hardware_points = {{1e9, 1e9}};
  EXPECT_EQ(explore(testing::llama_8b(), base, space, {}).error().code, ErrorCode::bad_value);
}

// A swept shape field is doubled with its Step lowered again.
TEST(Sensitivity, FollowsTheFieldsEffect) {
  Scenario at = chiplet(Phase::decode, 131072, 1);
  at.plan.tp = 32;
  at.plan.cp = 16;
  at.plan.cp_ring_variant = CpRing::qoml;
  const std::vector<ScalarField> fields = {
      testing::field_of(at.machine, "machine.tree_max_bytes"),
      testing::field_of(at.machine, "machine.vector_fraction"),
      testing::field_of(at.machine, "machine.sips"),
      testing::field_of(at.machine, "machine.alpha_intersip_ns")};
  const std::vector<SensitivityRow> rows = sensitivity_at(testing::llama_70b(), at, fields);
  ASSERT_EQ(rows.size(), 3u);  // a count is not doubled
  for (const SensitivityRow& row : rows) {
    Scenario doubled = at;
    set_scalar(doubled, row.knob, row.doubled);
    Step step;
    physics::Lowering(testing::llama_70b(), doubled.machine, doubled.work)
        .lower(doubled.plan, step);
    const auto rates = physics::rates_of(doubled.machine, doubled.work.activation_precision);
    EXPECT_EQ(row.doubled_latency_s, physics::latency_s(step, rates));
  }
  EXPECT_LT(rows[2].speedup_fraction, 0);  // more latency is slower: last
}

// What faster_point rules out unseen is right: the least of all plans, or none below the point's
// own.
RC_GTEST_PROP(FasterPoint, EqualsTheExhaustiveSearch, ()) {
  const Model model = testing::any_model();
  Scenario base;
  base.machine = testing::any_chiplet();
  base.machine.device.memory_capacity =
      static_cast<double>(testing::pick({1, 4})) * base.machine.device.memory_capacity;
  base.work = testing::any_work();
  Space reduced, full;
  reduced.axes = testing::reduced_plans(base.machine);
  full.axes = testing::full_plans(base.machine);
  for (Space* space : {&reduced, &full}) {
    for (std::size_t a = 0; a < 4; ++a) {
      space->axes[a].values = {1, 2, static_cast<double>(testing::pick({4, 8, 16, 32}))};
    }
  }
  if (testing::pick({0, 1}) == 1) {
    full.constraints = {{.text = "pes_used <= 128", .metric = Metric::pes_used, .value = 128}};
  }
  const Exploration first = run(model, base, reduced);
  RC_PRE(!first.best.empty());
  const Point& at = first.best[0];
  const std::optional<Point> faster = faster_point(model, at, full);
  const Exploration all = run(model, at.scenario, full);
  const bool better = !all.best.empty() && all.best[0].latency_key < at.latency_key;
  RC_ASSERT(faster.has_value() == better);
  if (better) RC_ASSERT(text_of("", *faster) == text_of("", all.best[0]));
}

// The bound that faster_point prunes by: PP and the placements leave the stages' own work as it is.
RC_GTEST_PROP(FasterPoint, StageWorkDoesNotDependOnPipelineOrPlacement, ()) {
  const Model model = testing::any_model();
  const Machine machine = testing::any_chiplet();
  const Workload work = testing::any_work();
  Plan a = testing::any_plan(), b = a;
  b.pp = testing::pick({1, 2, 4, 8});
  b.tp_placement = static_cast<Spread>(testing::pick({0, 1}));
  b.cp_placement = static_cast<Spread>(testing::pick({0, 1}));
  physics::Lowering lowering(model, machine, work);
  Step sa, sb;
  lowering.lower(a, sa);
  lowering.lower(b, sb);
  RC_PRE(sa.layout.valid() && sb.layout.valid());
  for (std::size_t k = 0; k < sa.layers.size(); ++k) {
    for (std::size_t s = 0; s < kLayerStages; ++s) {
      const StageWork &wa = sa.layers[k].stages[s], &wb = sb.layers[k].stages[s];
      RC_ASSERT(wa.matrix_flop == wb.matrix_flop);
      RC_ASSERT(wa.vector_flop == wb.vector_flop);
      RC_ASSERT(wa.memory_bytes == wb.memory_bytes);
    }
  }
}

}  // namespace
}  // namespace ridgeline::explore
