// How long a whole plan takes: its answer, its levers, and drawing it.
#include <benchmark/benchmark.h>

#include "ridgeline/catalog/catalog.h"
#include "ridgeline/explore/uncertainty.h"
#include "ridgeline/physics/totals.h"
#include "ridgeline/solve/all.h"
#include "ridgeline/solve/evaluation.h"
#include "ridgeline/solve/evaluation_levers.h"

namespace ridgeline {
namespace {

namespace evaluation = solve::evaluation;

const Model& model_named(const char* name) {
  static std::vector<Model> kept = [] {
    std::vector<Model> out;
    out.reserve(8);
    return out;
  }();
  for (const Model& model : kept) {
    if (model.name == name) return model;
  }
  auto found = catalog::Catalog::embedded().model(name);
  if (!found) std::abort();
  kept.push_back(*std::move(found));
  return kept.back();
}

Cluster h100_cluster(std::int64_t nodes) {
  Cluster out;
  out.nodes = nodes;
  out.devices_per_node = 8;
  out.device.rates[static_cast<std::size_t>(Precision::bf16)] = 989.5 * teraflop_per_second;
  out.device.memory_capacity = 80 * gigabyte;
  out.device.memory_bandwidth = 3350 * gigabyte_per_second;
  out.device.tdp = 700 * watt;
  out.intra_node_bandwidth = 450 * gigabyte_per_second;
  out.fabric_bandwidth = 50 * gigabyte_per_second;
  return out;
}

evaluation::Inputs training_plan() {
  evaluation::Inputs in;
  in.model = physics::totals_of(model_named("llama-3.1-405b"));  // 126 layers
  in.machine = h100_cluster(2048);
  evaluation::Training& t = in.training.emplace();
  t.run.setting.precision = Precision::bf16;
  t.run.batch_size = 2048;
  t.run.seq_len = 8192;
  t.run.degrees.tp = 8;
  t.run.degrees.pp = 16;
  t.run.degrees.gradient_accumulation_steps = 16;
  t.tokens = 1e13;
  in.reliability.emplace().node_failures_per_1000_days = 6.5;
  in.checkpoint.emplace().writer_bandwidth = 2 * gigabyte_per_second;
  in.checkpoint->n_writers = 1024;
  in.site = {.pue = 1.1,
             .carbon_intensity = EmissionsPerJoule::from_base(0.4 / 3.6e6),
             .wue = WaterPerJoule::from_base(0.2 / 3.6e6),
             .source_water = {},
             .kwh_price = DollarsPerJoule::from_base(0.08 / 3.6e6)};
  in.economics.unit_cost = 25000 * dollar;
  return in;
}

evaluation::Inputs serving_plan() {
  evaluation::Inputs in = training_plan();
  in.model = physics::totals_of(model_named("llama-3.1-70b"));
  in.training.reset();
  in.reliability.reset();
  in.checkpoint.reset();
  solve::serving_capacity::Inputs& load = in.serving.emplace().load;
  load.service.tp_size = 4;
  load.qps = 100;
  load.target_p99_latency = 30 * second;
  load.max_seq_len = 4096;
  return in;
}

evaluation::Inputs checked(const evaluation::Inputs& in) {
  auto out = evaluation::check(in);
  if (!out) std::abort();
  return *std::move(out);
}

void BM_plan(benchmark::State& state) {
  const auto in = state.range(0) == 0 ? training_plan() : serving_plan();
  for (auto _ : state) benchmark::DoNotOptimize(evaluation::solve(checked(in)));
}
BENCHMARK(BM_plan)->Arg(0)->Arg(1)->ArgName("serving");

void BM_levers(benchmark::State& state) {
  const auto in = training_plan();
  const auto out = evaluation::solve(checked(in));
  for (auto _ : state) benchmark::DoNotOptimize(evaluation::levers(in, out));
}
BENCHMARK(BM_levers);

// 100,000 samples of a whole plan with one uncertain input, ten answers of it ranked.
void BM_draw_plan(benchmark::State& state) {
  constexpr std::size_t kSamples = 100'000, kAnswers = 10;
  const explore::Sampling sampling{.samples = kSamples,
                                   .threads = static_cast<int>(state.range(0))};
  const std::vector<explore::Distribution> inputs = {{explore::Shape::normal, 0.45, 0.03, {}}};
  for (auto _ : state) {
    std::vector<evaluation::Inputs> workers(explore::workers_of(sampling), training_plan());
    benchmark::DoNotOptimize(explore::sample(
        inputs, kAnswers, sampling, 1e-5,
        [&](std::size_t worker, std::span<const double> drawn, std::span<double> out) {
          workers[worker].training->run.setting.efficiency = drawn[0];
          const auto usable = evaluation::check(workers[worker]);
          if (!usable) return false;
          const auto answer = evaluation::solve(*usable);
          for (double& one : out) one = answer.cost.tco->base();
          return true;
        }));
  }
}
BENCHMARK(BM_draw_plan)
    ->Arg(1)
    ->Arg(2)
    ->ArgName("threads")
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

}  // namespace
}  // namespace ridgeline

BENCHMARK_MAIN();
