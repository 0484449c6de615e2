// The list of solvers: name, card, and what checks and solves. A new solver is one line here.
#pragma once

#include <tuple>

#include "ridgeline/solve/batch_jobs.h"
#include "ridgeline/solve/batching.h"
#include "ridgeline/solve/carbon_shift.h"
#include "ridgeline/solve/checkpoint.h"
#include "ridgeline/solve/checkpoint_interval.h"
#include "ridgeline/solve/compression.h"
#include "ridgeline/solve/continuous_batching.h"
#include "ridgeline/solve/data.h"
#include "ridgeline/solve/decode_bound.h"
#include "ridgeline/solve/disaggregation.h"
#include "ridgeline/solve/distributed.h"
#include "ridgeline/solve/economics.h"
#include "ridgeline/solve/efficiency.h"
#include "ridgeline/solve/energy_per_token.h"
#include "ridgeline/solve/failure_interval.h"
#include "ridgeline/solve/goodput.h"
#include "ridgeline/solve/inference_scaling.h"
#include "ridgeline/solve/iron_law.h"
#include "ridgeline/solve/kingman_queue.h"
#include "ridgeline/solve/latency_slo.h"
#include "ridgeline/solve/mfu.h"
#include "ridgeline/solve/model_flops.h"
#include "ridgeline/solve/moe_routing.h"
#include "ridgeline/solve/multi_tenancy.h"
#include "ridgeline/solve/network_roofline.h"
#include "ridgeline/solve/offload.h"
#include "ridgeline/solve/orchestration.h"
#include "ridgeline/solve/parallelism.h"
#include "ridgeline/solve/pipeline.h"
#include "ridgeline/solve/placement.h"
#include "ridgeline/solve/power_and_cooling.h"
#include "ridgeline/solve/prefix_caching.h"
#include "ridgeline/solve/reliability.h"
#include "ridgeline/solve/responsible_engineering.h"
#include "ridgeline/solve/roofline.h"
#include "ridgeline/solve/scaling.h"
#include "ridgeline/solve/sensitivity.h"
#include "ridgeline/solve/serving.h"
#include "ridgeline/solve/serving_capacity.h"
#include "ridgeline/solve/single_node.h"
#include "ridgeline/solve/speculative_decoding.h"
#include "ridgeline/solve/sustainability.h"
#include "ridgeline/solve/synthesis.h"
#include "ridgeline/solve/tail_latency.h"
#include "ridgeline/solve/topology.h"
#include "ridgeline/solve/training_memory.h"
#include "ridgeline/solve/transformation.h"
#include "ridgeline/solve/weight_streaming.h"
#include "ridgeline/solve/zero_sharding.h"

namespace ridgeline::solve {

template <class I, class Check, class Solve>
struct Solver {
  using Inputs = I;
  const char* name;  // kebab-case, as after `ridgeline solve`
  const char* card;
  Check check;  // Result<Inputs>(const Inputs&), or with a Subject
  Solve solve;  // Output or Answer<Output, Row> (const Inputs&), or with a Subject
};

template <class I, class... More, class Solve>
constexpr auto solver(const char* name, const char* card,
                      Result<I> (*check)(const I&, const More&...), Solve solve) {
  return Solver<I, decltype(check), Solve>{name, card, check, solve};
}

inline constexpr auto kSolvers = std::tuple(
    solver("single-node", single_node::kCard, single_node::check, single_node::solve),
    solver("serving", serving::kCard, serving::check, serving::solve),
    solver("distributed", distributed::kCard, distributed::check, distributed::solve),
    solver("moe-routing", moe_routing::kCard, moe_routing::check, moe_routing::solve),
    solver("continuous-batching", continuous_batching::kCard, continuous_batching::check,
           continuous_batching::solve),
    solver("serving-capacity", serving_capacity::kCard, serving_capacity::check,
           serving_capacity::solve),
    solver("weight-streaming", weight_streaming::kCard, weight_streaming::check,
           weight_streaming::solve),
    solver("tail-latency", tail_latency::kCard, tail_latency::check, tail_latency::solve),
    solver("reliability", reliability::kCard, reliability::check, reliability::solve),
    solver("checkpoint", checkpoint::kCard, checkpoint::check, checkpoint::solve),
    solver("economics", economics::kCard, economics::check, economics::solve),
    solver("sustainability", sustainability::kCard, sustainability::check, sustainability::solve),
    solver("training-memory", training_memory::kCard, training_memory::check,
           training_memory::solve),
    solver("checkpoint-interval", checkpoint_interval::kCard, checkpoint_interval::check,
           checkpoint_interval::solve),
    solver("failure-interval", failure_interval::kCard, failure_interval::check,
           failure_interval::solve),
    solver("model-flops", model_flops::kCard, model_flops::check, model_flops::solve),
    solver("mfu", mfu::kCard, mfu::check, mfu::solve),
    solver("pipeline", pipeline::kCard, pipeline::check, pipeline::solve),
    solver("roofline", roofline::kCard, roofline::check, roofline::solve),
    solver("efficiency", efficiency::kCard, efficiency::check, efficiency::solve),
    solver("data", data::kCard, data::check, data::solve),
    solver("transformation", transformation::kCard, transformation::check, transformation::solve),
    solver("scaling", scaling::kCard, scaling::check, scaling::solve),
    solver("kingman-queue", kingman_queue::kCard, kingman_queue::check, kingman_queue::solve),
    solver("goodput", goodput::kCard, goodput::check, goodput::solve),
    solver("iron-law", iron_law::kCard, iron_law::check, iron_law::solve),
    solver("zero-sharding", zero_sharding::kCard, zero_sharding::check, zero_sharding::solve),
    solver("orchestration", orchestration::kCard, orchestration::check, orchestration::solve),
    solver("decode-bound", decode_bound::kCard, decode_bound::check, decode_bound::solve),
    solver("topology", topology::kCard, topology::check, topology::solve),
    solver("compression", compression::kCard, compression::check, compression::solve),
    solver("synthesis", synthesis::kCard, synthesis::check, synthesis::solve),
    solver("inference-scaling", inference_scaling::kCard, inference_scaling::check,
           inference_scaling::solve),
    solver("placement", placement::kCard, placement::check, placement::solve),
    solver("sensitivity", sensitivity::kCard, sensitivity::check, sensitivity::solve),
    solver("network-roofline", network_roofline::kCard, network_roofline::check,
           network_roofline::solve),
    solver("responsible-engineering", responsible_engineering::kCard,
           responsible_engineering::check, responsible_engineering::solve),
    solver("speculative-decoding", speculative_decoding::kCard, speculative_decoding::check,
           speculative_decoding::solve),
    solver("carbon-shift", carbon_shift::kCard, carbon_shift::check, carbon_shift::solve),
    solver("offload", offload::kCard, offload::check, offload::solve),
    solver("power-and-cooling", power_and_cooling::kCard, power_and_cooling::check,
           power_and_cooling::solve),
    solver("parallelism", parallelism::kCard, parallelism::check, parallelism::solve),
    solver("batching", batching::kCard, batching::check, batching::solve),
    solver("energy-per-token", energy_per_token::kCard, energy_per_token::check,
           energy_per_token::solve),
    solver("multi-tenancy", multi_tenancy::kCard, multi_tenancy::check, multi_tenancy::solve),
    solver("batch-jobs", batch_jobs::kCard, batch_jobs::check, batch_jobs::solve),
    solver("prefix-caching", prefix_caching::kCard, prefix_caching::check, prefix_caching::solve),
    solver("disaggregation", disaggregation::kCard, disaggregation::check, disaggregation::solve),
    solver("latency-slo", latency_slo::kCard, latency_slo::check, latency_slo::solve));

template <class F>
constexpr void for_each_solver(F&& f) {
  std::apply([&](const auto&... solvers) { (f(solvers), ...); }, kSolvers);
}

}  // namespace ridgeline::solve
