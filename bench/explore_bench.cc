// How fast the exploration is: whole answers, the kernels behind them, and their parts.
//
// `pairs/s` counts pairs decided, `evaluated_count` of the answer; times include lowering unless
// the name says otherwise. The argument is the number of threads.
#include <benchmark/benchmark.h>

#include <cmath>

#include "ridgeline/catalog/catalog.h"
#include "ridgeline/explore/explore.h"
#include "ridgeline/explore/hardware.h"
#include "ridgeline/explore/kernels.h"
#include "ridgeline/explore/minima.h"
#include "ridgeline/explore/plan_table.h"
#include "ridgeline/explore/problem.h"
#include "ridgeline/physics/cost.h"
#include "ridgeline/physics/lower.h"
#include "tests/support/spaces.h"

namespace {

using namespace ridgeline;
using explore::Space;

Model model(const char* name) {
  return *catalog::Catalog::embedded().model(name);
}

Scenario decode() {
  return testing::chiplet(Phase::decode, 131072, 1);
}

Space with_knobs(Space space, const std::vector<double>& multiples) {
  const std::vector<explore::Axis> knobs = testing::knob_axes(default_chiplet(), multiples);
  std::erase_if(space.axes,
                [](const explore::Axis& a) { return a.field.owner == ScalarOwner::machine; });
  space.axes.insert(space.axes.begin(), knobs.begin(), knobs.end());
  return space;
}

Space coarse() {
  return testing::shipped_space(default_chiplet(), "coarse");
}

// Points without any grid, 1 to 4 times the defaults.
Space list_of(std::size_t count) {
  Space space = coarse();
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<double> row;
    for (std::size_t a = 0; a < 6; ++a) {
      const double share =
          std::fmod(static_cast<double>(i) * 0.6180339887 * static_cast<double>(a + 1), 1);
      row.push_back(space.axes[a].values[0] * std::exp2(2 * share));
    }
    space.hardware_points.push_back(row);
  }
  return space;
}

void answer(benchmark::State& state, const char* name, const Space& space) {
  const Model m = model(name);
  const Scenario base = decode();
  explore::Options options;
  options.threads = static_cast<int>(state.range(0));
  std::int64_t pairs = 0;
  for (auto _ : state) {
    const auto found = explore::explore(m, base, space, options);
    benchmark::DoNotOptimize(found);
    pairs = found->evaluated_count;
  }
  state.counters["pairs"] = static_cast<double>(pairs);
  state.counters["pairs/s"] =
      benchmark::Counter(static_cast<double>(pairs) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate);
}

void Coarse(benchmark::State& state) {
  answer(state, "llama-3.1-70b", coarse());
}
void CoarseMixtral(benchmark::State& state) {
  answer(state, "mixtral-8x7b", coarse());
}
void CoarseGemma2(benchmark::State& state) {
  answer(state, "gemma-2-27b", coarse());
}
void CoarseDeepSeekV3(benchmark::State& state) {
  answer(state, "deepseek-v3", coarse());
}
void CoarseThreeObjectives(benchmark::State& state) {
  Space space = coarse();
  space.objectives.push_back({explore::Metric::pes_used});
  answer(state, "llama-3.1-70b", space);
}
void FullPlansOnCoarseHardware(benchmark::State& state) {
  answer(state, "llama-3.1-70b", testing::full_space(default_chiplet(), {1, 2, 4}));
}
void ThousandMillionPairs(benchmark::State& state) {
  answer(state, "llama-3.1-70b", with_knobs(coarse(), {1, 1.3, 1.7, 2, 2.5, 3, 3.5, 4, 5}));
}
void ListOf20000Points(benchmark::State& state) {
  answer(state, "llama-3.1-70b", list_of(20000));
}

BENCHMARK(Coarse)
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK(CoarseMixtral)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK(CoarseGemma2)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK(CoarseDeepSeekV3)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK(CoarseThreeObjectives)
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK(FullPlansOnCoarseHardware)
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK(ThousandMillionPairs)
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK(ListOf20000Points)
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

// The search alone: plans are lowered once, before the clock starts.
void after_lowering(benchmark::State& state, const Space& space) {
  const Model m = model("llama-3.1-70b");
  const auto problem = explore::resolve_problem(m, decode(), space);
  const explore::HardwareGroup group = problem->hardware.group(0, Precision::bf16);
  explore::Workers workers(1);
  const explore::PlanTable table(*problem, group, 0, explore::bucket_bounds(group, true), workers);
  for (auto _ : state) {
    explore::Minima minima(group, table, true, workers);
    for (std::size_t chunk = 0; chunk < minima.chunk_count(); ++chunk) {
      minima.load(chunk);
      benchmark::DoNotOptimize(minima.least());
    }
  }
  const auto pairs = static_cast<double>(problem->pair_count());
  state.counters["pairs"] = pairs;
  state.counters["pairs/s"] = benchmark::Counter(pairs * static_cast<double>(state.iterations()),
                                                 benchmark::Counter::kIsRate);
  state.SetLabel(explore::instruction_set());
}

void CoarseAfterLowering(benchmark::State& state) {
  after_lowering(state, coarse());
}
void ListAfterLowering(benchmark::State& state) {
  after_lowering(state, list_of(4096));
}
BENCHMARK(CoarseAfterLowering)->Unit(benchmark::kMillisecond);
BENCHMARK(ListAfterLowering)->Unit(benchmark::kMillisecond);

// By how much all plans would be better at the best machine of `coarse`.
void FullSpaceBetter(benchmark::State& state) {
  const Model m = model("llama-3.1-70b");
  const auto found = explore::explore(m, decode(), coarse(), {});
  const Space full = testing::full_space(default_chiplet(), {1});
  for (auto _ : state) benchmark::DoNotOptimize(explore::faster_point(m, found->best[0], full));
}
BENCHMARK(FullSpaceBetter)->Unit(benchmark::kMillisecond);

// All 1,760 plans lowered, valid or not; time per plan.
void LowerPlans(benchmark::State& state) {
  const Model m = model("llama-3.1-70b");
  const Scenario base = decode();
  const explore::PlanList plans(base.plan, testing::reduced_plans(base.machine),
                                explore::RingRule::by_phase);
  physics::Lowering lowering(m, base.machine, base.work);
  Step step;
  std::size_t i = 0;
  for (auto _ : state) {
    lowering.lower(plans.at(i, Phase::decode), step);
    benchmark::DoNotOptimize(step);
    i = (i + 1) % plans.size();
  }
}
BENCHMARK(LowerPlans)->Unit(benchmark::kNanosecond);

// The plain evaluation of a lowered plan.
void PlainLatency(benchmark::State& state) {
  const Model m = model("llama-3.1-70b");
  Scenario at = decode();
  at.plan.tp = 32;
  at.plan.cp = 16;
  Step step;
  physics::Lowering(m, at.machine, at.work).lower(at.plan, step);
  const physics::Rates rates = physics::rates_of(at.machine, Precision::bf16);
  for (auto _ : state) benchmark::DoNotOptimize(physics::latency_s(step, rates));
}
BENCHMARK(PlainLatency)->Unit(benchmark::kNanosecond);

// Every pair by the plain evaluation: what the kernels save.
void BalancedPlainly(benchmark::State& state) {
  const Model m = model("llama-3.1-70b");
  explore::Options options;
  options.plain = true;
  const Space space = testing::shipped_space(default_chiplet(), "balanced");
  std::int64_t pairs = 0;
  for (auto _ : state) pairs = explore::explore(m, decode(), space, options)->evaluated_count;
  state.counters["pairs"] = static_cast<double>(pairs);
  state.counters["pairs/s"] =
      benchmark::Counter(static_cast<double>(pairs) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate);
}
BENCHMARK(BalancedPlainly)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
