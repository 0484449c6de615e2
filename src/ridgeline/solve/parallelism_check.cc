#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ridgeline/solve/model_checks.h"
#include "ridgeline/solve/parallelism.h"

namespace ridgeline::solve::parallelism {
namespace {

using physics::Recompute;
using physics::Schedule;
using Values = std::vector<std::int64_t>;

constexpr std::int64_t kMostSamples = 1'000'000'000, kMostListed = 10'000;
constexpr std::size_t kMostValues = 64;  // of a list of values to try

Status check_values(const char* name, const Values& values) {
  if (values.size() > kMostValues) {
    return out_of_range(name, fmt::format("{} values", values.size()),
                        fmt::format("at most {}", kMostValues));
  }
  for (const std::int64_t value : values) RIDGELINE_CHECK(check_degree_of(name, value));
  return Ok{};
}

// A degree that is asked for divides the machine.
Status check_degree_values(const char* name, const Values& values, std::int64_t devices) {
  RIDGELINE_CHECK(check_values(name, values));
  for (const std::int64_t value : values) {
    if (devices % value == 0) continue;
    return out_of_range(name, fmt::format("{} {} does not divide {} devices", name, value, devices),
                        fmt::format("{} does", nearest_divisor(devices, value)));
  }
  return Ok{};
}

Status check_space(const Inputs& in) {
  const Space& space = in.space;
  const std::int64_t devices = in.machine.device_count();
  RIDGELINE_CHECK(check_degree_values("tp_size", space.tp, devices));
  RIDGELINE_CHECK(check_degree_values("cp_size", space.cp, devices));
  RIDGELINE_CHECK(check_degree_values("pp_size", space.pp, devices));
  RIDGELINE_CHECK(check_degree_values("dp_size", space.dp, devices));
  RIDGELINE_CHECK(check_values("ep_size", space.ep));
  RIDGELINE_CHECK(check_values("v_stages", space.v_stages));
  RIDGELINE_CHECK(check_values("microbatch_count", space.microbatch_count));
  for (const std::int64_t stage : space.zero_stage) {
    RIDGELINE_CHECK(check_count("zero_stage", stage, 0, 3));
  }
  for (const auto& [name, most] :
       {std::pair{"max_tp", space.max_tp}, std::pair{"max_cp", space.max_cp},
        std::pair{"max_pp", space.max_pp}, std::pair{"max_ep", space.max_ep},
        std::pair{"max_v_stages", space.max_v_stages},
        std::pair{"max_microbatch_count", space.max_microbatch_count}}) {
    if (most) RIDGELINE_CHECK(check_degree_of(name, *most));
  }
  return Ok{};
}

template <class T>
void in_order(std::vector<T>& values, std::vector<T> usual) {
  if (values.empty()) values = std::move(usual);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

Result<Inputs> check(const Inputs& given) {
  Inputs in = given;
  const auto step = distributed::check(step_of(in));
  if (!step) return step.error();
  in.trainable_fraction = step->trainable_fraction;
  RIDGELINE_CHECK(check_count("batch_size", in.batch_size, 1, kMostSamples));
  RIDGELINE_CHECK(check_count("top", in.top, 1, kMostListed));
  RIDGELINE_CHECK(check_space(in));
  RIDGELINE_CHECK(check_needed("machine/device/memory_capacity", in.machine.device.memory_capacity,
                               "it decides whether a plan fits"));
  if (in.objective == Objective::energy) {
    RIDGELINE_CHECK(
        check_needed("machine/device/tdp", in.machine.device.tdp, "energy is what is to be small"));
  }
  in_order(in.space.zero_stage, {0, 1, 2, 3});
  in_order(in.space.pipeline_schedule, {Schedule::one_f_one_b, Schedule::interleaved});
  in_order(in.space.activation_recomputation,
           {Recompute::none, Recompute::selective, Recompute::full});
  return in;
}

distributed::Inputs step_of(const Inputs& in) {
  distributed::Inputs out;
  out.model = in.model;
  out.machine = in.machine;
  out.setting = in.setting;
  out.batch_size = in.batch_size;
  out.seq_len = in.seq_len;
  out.traffic = in.traffic;
  out.trainable_fraction = in.trainable_fraction;
  out.optimizer = in.optimizer;
  out.optimizer_bytes_per_param = in.optimizer_bytes_per_param;
  out.offload = in.offload;
  return out;
}

}  // namespace ridgeline::solve::parallelism
