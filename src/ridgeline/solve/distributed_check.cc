#include <fmt/format.h>

#include <algorithm>

#include "ridgeline/solve/adapters.h"
#include "ridgeline/solve/distributed.h"
#include "ridgeline/solve/model_checks.h"

namespace ridgeline::solve::distributed {
namespace {

Status check_ranges(const Inputs& in) {
  const Traffic& t = in.traffic;
  RIDGELINE_CHECK(check_number("batch_size", in.batch_size, 1));
  RIDGELINE_CHECK(check_number("seq_len", in.seq_len, 1));
  if (in.zero_stage < 0 || in.zero_stage > 3) {
    return out_of_range("zero_stage", fmt::format("zero_stage is {}", in.zero_stage), "0 to 3");
  }
  RIDGELINE_CHECK(check_fraction("overlap_efficiency", t.overlap_efficiency));
  RIDGELINE_CHECK(check_multiple("congestion_factor", t.congestion_factor));
  RIDGELINE_CHECK(check_multiple("straggler_factor", t.straggler_factor));
  RIDGELINE_CHECK(check_amount_or_zero("straggler_sigma", t.straggler_sigma));
  RIDGELINE_CHECK(check_multiple("moe_routing_imbalance_factor", t.moe_routing_imbalance_factor));
  RIDGELINE_CHECK(check_fraction("trainable_fraction", in.trainable_fraction));
  RIDGELINE_CHECK(check_number("lora_rank", in.lora_rank, 1));
  return check_amount_or_zero("optimizer_bytes_per_param", in.optimizer_bytes_per_param);
}

Status check_each_degree(const Degrees& d) {
  RIDGELINE_CHECK(check_degree_of("tp_size", d.tp));
  RIDGELINE_CHECK(check_degree_of("cp_size", d.cp));
  RIDGELINE_CHECK(check_degree_of("pp_size", d.pp));
  RIDGELINE_CHECK(check_degree_of("ep_size", d.ep));
  if (d.dp) RIDGELINE_CHECK(check_degree_of("dp_size", *d.dp));
  if (d.etp) RIDGELINE_CHECK(check_degree_of("etp_size", *d.etp));
  RIDGELINE_CHECK(check_degree_of("v_stages", d.v_stages));
  RIDGELINE_CHECK(check_degree_of("microbatch_count", d.microbatch_count));
  return check_degree_of("gradient_accumulation_steps", d.gradient_accumulation_steps);
}

Status check_order(const Degrees& d) {
  for (const Axis axis : {Axis::tp, Axis::cp, Axis::pp, Axis::dp}) {
    if (std::count(d.order.begin(), d.order.end(), axis) != 1) {
      return out_of_range("order", "the order does not name every axis once", "tp, cp, pp, dp");
    }
  }
  return Ok{};
}

// tp, cp and pp divide the machine one after another; dp is what is left.
Status fit_machine(Inputs& in) {
  Degrees& d = in.degrees;
  std::int64_t left = in.machine.device_count();
  for (const auto& [name, degree] :
       {std::pair{"tp_size", d.tp}, std::pair{"cp_size", d.cp}, std::pair{"pp_size", d.pp}}) {
    if (left % degree != 0) {
      return out_of_range(name, fmt::format("{} {} does not divide {} devices", name, degree, left),
                          fmt::format("{} does", nearest_divisor(left, degree)));
    }
    left /= degree;
  }
  if (d.dp && *d.dp != left) {
    return out_of_range(
        "dp_size",
        fmt::format("tp x cp x pp x dp = {} of {} devices",
                    in.machine.device_count() / left * *d.dp, in.machine.device_count()),
        fmt::format("dp_size {} uses them all", left));
  }
  d.dp = left;
  return Ok{};
}

Status check_shape(const Inputs& in) {
  const Degrees& d = in.degrees;
  const std::int64_t heads = in.model.heads.value_or(0);
  if (heads > 0 && heads % d.tp != 0) {
    return out_of_range("tp_size", fmt::format("tp_size {} does not divide {} heads", d.tp, heads),
                        fmt::format("{} does", nearest_divisor(heads, d.tp)));
  }
  if (d.cp > in.seq_len) {
    return out_of_range("cp_size", "more ranks than tokens", "at most seq_len");
  }
  const bool ulysses = in.traffic.cp_kind == CpKind::ulysses;
  if (ulysses && d.cp > 1 && heads > 0 && (heads / d.tp) % d.cp != 0) {
    return out_of_range("cp_size", fmt::format("{} heads of a rank over cp {}", heads / d.tp, d.cp),
                        "a divisor of heads/tp, or another cp_kind");
  }
  const bool sends = d.tp * d.cp * d.pp * d.ep > 1;
  if (!sends) return Ok{};
  if (!in.model.hidden) return missing("model/hidden_dim", "messages are as wide as the model");
  if (!in.model.layers) return missing("model/layers", "there are messages in every layer");
  return d.cp > 1 ? check_attends(in.model) : Status(Ok{});
}

Status check_pipeline(const Inputs& in) {
  const Degrees& d = in.degrees;
  const std::int64_t layers = in.model.layers.value_or(1), m = d.micro_batches();
  if (d.pp > layers || d.v_stages > layers / d.pp) {
    const bool chunks = d.pp <= layers;
    return out_of_range(chunks ? "v_stages" : "pp_size",
                        fmt::format("{} x {} chunks for {} layers", d.pp, d.v_stages, layers),
                        fmt::format("pp_size x v_stages of at most {}", layers));
  }
  const std::int64_t samples = (in.batch_size - 1) / *d.dp + 1;
  if (m > samples) {
    const bool steps = d.microbatch_count <= samples;
    return out_of_range(steps ? "gradient_accumulation_steps" : "microbatch_count",
                        fmt::format("{} micro-batches for {} samples of a replica", m, samples),
                        fmt::format("at most {}", samples));
  }
  const physics::Pipeline pipeline{d.pipeline_schedule, d.pp, m, d.v_stages};
  if (d.v_stages > 1 && pipeline.is_interleaved() && m % d.pp != 0) {
    return out_of_range("microbatch_count",
                        fmt::format("{} micro-batches over {} interleaved stages", m, d.pp),
                        "a multiple of pp_size");
  }
  return Ok{};
}

Status check_experts(Inputs& in) {
  Degrees& d = in.degrees;
  const std::int64_t experts = in.model.split().experts > 0 ? *in.model.experts : 0;
  if (d.ep > 1 && experts == 0) {
    return out_of_range("ep_size", "the model has no routed experts", "1");
  }
  if (experts > 0 && experts % d.ep != 0) {
    return out_of_range("ep_size",
                        fmt::format("ep_size {} does not divide {} experts", d.ep, experts),
                        fmt::format("{} does", nearest_divisor(experts, d.ep)));
  }
  const bool given = d.etp.has_value();
  d.etp = expert_tp(d.etp, d.ep, d.tp);
  const std::int64_t ranks = d.tp * d.cp * *d.dp;
  if (ranks % (d.ep * *d.etp) == 0) return Ok{};
  return out_of_range(
      given && d.ep == 1 ? "etp_size" : "ep_size",
      fmt::format("ep x etp = {} does not divide tp x cp x dp = {}", d.ep * *d.etp, ranks),
      fmt::format("ep_size x etp_size of {}", nearest_divisor(ranks, d.ep * *d.etp)));
}

// Adapters of rank r on the four square projections of every layer.
void take_lora_share(Inputs& in) {
  if (!in.lora_rank || !in.model.hidden || !in.model.layers || in.model.params == 0) return;
  const double adapters =
      Adapters{.rank = *in.lora_rank}.params(*in.model.layers, *in.model.hidden);
  in.trainable_fraction = std::min(1.0, adapters / in.model.params);
}

Status check_device(const Inputs& in) {
  const Hardware& hw = in.machine.device;
  RIDGELINE_CHECK(check_needed("machine/device/memory_bandwidth", hw.memory_bandwidth,
                               "every micro-batch reads the weights"));
  if (in.offload == OptimizerPlace::host) {
    RIDGELINE_CHECK(
        check_needed("machine/device/host_link", hw.host_link, "what is offloaded crosses it"));
  }
  return check_rate(hw, in.model, in.setting, "machine/device");
}

}  // namespace

Result<Inputs> check(const Inputs& given) {
  Inputs in = given;
  if (in.degrees.order.empty()) {
    for (const Axis axis : {Axis::tp, Axis::cp, Axis::pp, Axis::dp})
      in.degrees.order.push_back(axis);
  }
  RIDGELINE_CHECK(check_totals(in.model));
  RIDGELINE_CHECK(check_computes(in.model));
  RIDGELINE_CHECK(check_cluster(in.machine));
  RIDGELINE_CHECK(check_setting(in.setting));
  RIDGELINE_CHECK(check_ranges(in));
  RIDGELINE_CHECK(check_each_degree(in.degrees));
  RIDGELINE_CHECK(check_order(in.degrees));
  RIDGELINE_CHECK(check_device(in));
  RIDGELINE_CHECK(fit_machine(in));
  RIDGELINE_CHECK(check_experts(in));
  RIDGELINE_CHECK(check_shape(in));
  RIDGELINE_CHECK(check_pipeline(in));
  take_lora_share(in);
  return in;
}

}  // namespace ridgeline::solve::distributed
