// How long one question takes: check and solve of solvers, in process. Each has a fresh copy of its
// inputs every time, as a user's question has.
#include <benchmark/benchmark.h>

#include <cstdint>

#include "ridgeline/solve/all.h"
#include "tests/support/solver_inputs.h"

namespace {

using namespace ridgeline;
namespace solvers = ridgeline::solve;

template <class Inputs, class Check, class Solve>
void ask(benchmark::State& state, const Inputs& in, Check check, Solve solve) {
  if (const auto checked = check(in); !checked) {
    state.SkipWithError(checked.error().message.c_str());
    return;
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(in);
    const auto checked = check(in);
    auto answer = solve(*checked);
    benchmark::DoNotOptimize(answer);
  }
}

solvers::Service service() {
  solvers::Service out;
  out.model = testing::llama_8b_totals();
  out.hardware = testing::h100();
  out.setting = testing::flat(0.5);
  return out;
}

void single_node(benchmark::State& state) {
  solvers::single_node::Inputs in;
  in.model = testing::llama_8b_totals();
  in.hardware = testing::h100();
  in.setting = testing::flat(0.5);
  in.batch_size = 8;
  in.context_len = 2048;
  ask(state, in, solvers::single_node::check, solvers::single_node::solve);
}

void serving(benchmark::State& state) {
  solvers::serving::Inputs in;
  in.service = service();
  in.seq_len = 2048;
  ask(state, in, solvers::serving::check, solvers::serving::solve);
}

void continuous_batching(benchmark::State& state) {
  solvers::continuous_batching::Inputs in;
  in.service = service();
  ask(state, in, solvers::continuous_batching::check, solvers::continuous_batching::solve);
}

void serving_capacity(benchmark::State& state) {
  solvers::serving_capacity::Inputs in;
  in.service = service();
  in.qps = 100;
  in.target_p99_latency = 60 * second;
  ask(state, in, solvers::serving_capacity::check, solvers::serving_capacity::solve);
}

void tail_latency(benchmark::State& state) {
  solvers::tail_latency::Inputs in;
  in.arrival_rate_qps = 70;
  in.service_latency = 0.1 * second;
  in.num_replicas = 8;
  ask(state, in, solvers::tail_latency::check, solvers::tail_latency::solve);
}

void weight_streaming(benchmark::State& state) {
  solvers::weight_streaming::Inputs in;
  in.model = testing::round_7b();
  in.hardware = testing::round_device();
  in.injection_bandwidth = 1000 * gigabyte_per_second;
  in.setting = testing::flat(0.5);
  ask(state, in, solvers::weight_streaming::check, solvers::weight_streaming::solve);
}

// A model of 126 layers on 16 nodes of 8.
void distributed(benchmark::State& state) {
  solvers::distributed::Inputs in;
  in.model = testing::totals(405e9, 126, 16384, 128, 8);
  in.machine = testing::round_cluster(16);
  in.setting = testing::flat(0.5);
  in.batch_size = 256;
  in.seq_len = 8192;
  ask(state, in, solvers::distributed::check, solvers::distributed::solve);
}

void training_memory(benchmark::State& state) {
  solvers::training_memory::Inputs in;
  in.batch_size = 8;
  in.seq_len = 2048;
  const Totals model = testing::llama_8b_totals();
  const solvers::Subject subject{.totals = &model};
  ask(
      state, in, [&](const auto& i) { return solvers::training_memory::check(i, subject); },
      [&](const auto& i) { return solvers::training_memory::solve(i, subject); });
}

void moe_routing(benchmark::State& state) {
  solvers::moe_routing::Inputs in;
  in.model = testing::mixtral_totals();
  in.machine = testing::round_cluster(2);
  in.setting = testing::flat(0.5);
  in.batch_size = 8;
  in.ep_size = 8;
  ask(state, in, solvers::moe_routing::check, solvers::moe_routing::solve);
}

void reliability(benchmark::State& state) {
  solvers::reliability::Inputs in;
  in.nodes = 2000;
  in.parts = {{"device", 8, 50000 * hour}, {"host", 1, 200000 * hour}};
  in.job_duration = 54 * day;
  in.checkpoint_time = 60 * second;
  ask(state, in, solvers::reliability::check, solvers::reliability::solve);
}

void checkpoint_interval(benchmark::State& state) {
  solvers::checkpoint_interval::Inputs in;
  in.write_time = 60 * second;
  in.mtbf = 3 * hour;
  ask(state, in, solvers::checkpoint_interval::check, solvers::checkpoint_interval::solve);
}

solvers::FleetEnergy fleet() {
  solvers::FleetEnergy out;
  out.devices = 64;
  out.duration = 30 * day;
  out.tdp = 700 * watt;
  out.pue = 1.1;
  out.wue = WaterPerJoule{};
  out.carbon_intensity = EmissionsPerJoule{};
  return out;
}

void economics(benchmark::State& state) {
  solvers::economics::Inputs in;
  in.fleet = fleet();
  in.unit_cost = 25000 * dollar;
  in.kwh_price = DollarsPerJoule{};
  ask(state, in, solvers::economics::check, solvers::economics::solve);
}

void sustainability(benchmark::State& state) {
  solvers::sustainability::Inputs in;
  in.fleet = fleet();
  in.embodied_per_device = Emissions{};
  ask(state, in, solvers::sustainability::check, solvers::sustainability::solve);
}

// A product by its curve, with the term of the compute units.
void efficiency(benchmark::State& state) {
  Kernels kernels{.name = "d", .bandwidth = 3350 * gigabyte_per_second, .units = 132};
  GemmCurve curve{.format = "bf16", .peak = 989 * teraflop_per_second, .smooth = true};
  curve.unit_stream = 120 * gigabyte_per_second;
  kernels.gemm = {curve};
  solvers::efficiency::Inputs in;
  in.hardware = testing::h100();
  in.kernels = &kernels;
  in.m = in.n = in.k = 4096;
  ask(state, in, solvers::efficiency::check, solvers::efficiency::solve);
}

BENCHMARK(single_node)->Name("single-node");
BENCHMARK(serving);
BENCHMARK(training_memory)->Name("training-memory");
BENCHMARK(serving_capacity)->Name("serving-capacity");
BENCHMARK(continuous_batching)->Name("continuous-batching");
BENCHMARK(weight_streaming)->Name("weight-streaming");
BENCHMARK(tail_latency)->Name("tail-latency");
BENCHMARK(distributed)->Name("distributed, 126 layers");
BENCHMARK(moe_routing)->Name("moe-routing");
BENCHMARK(reliability);
BENCHMARK(checkpoint_interval)->Name("checkpoint-interval");
BENCHMARK(economics);
BENCHMARK(sustainability);
BENCHMARK(efficiency);

}  // namespace

BENCHMARK_MAIN();
