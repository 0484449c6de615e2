#include "ridgeline/solve/distributed.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ridgeline/physics/pace.h"
#include "ridgeline/physics/totals.h"
#include "ridgeline/solve/training_state.h"

namespace ridgeline::solve::distributed {
namespace {

using physics::LinkTime;
using physics::RankGroup;

double as_double(std::int64_t n) {
  return static_cast<double>(n);
}

// What the fullest rank has to do, before any time.
struct Job {
  const Inputs& in;
  physics::ModelSums sums;
  physics::Pace pace;
  LinkTree links;
  physics::TrainingFactors mu;
  double N, tp, cp, pp, dp, ep, etp;
  double lb, mb, m, v;  // samples and micro-batches
  double layers;        // of the fullest stage
  double b;             // bytes of an element that travels
  double S;
  double passes;                      // 4, or 6 with full recompute: collectives of a layer
  Flops weight_flop, attention_flop;  // forward, one sample, whole model
  Flops expert_flop;                  // of weight_flop, in routed experts
};

bool recomputes_all(const Inputs& in) {
  return in.activation_recomputation == physics::Recompute::full;
}

Flops attention_of(const Inputs& in, const physics::ModelSums& sums) {
  return physics::prompt_attention(sums, in.setting.attention_count, {in.seq_len, 0, in.seq_len});
}

Job job_of(const Inputs& in) {
  const Degrees& d = in.degrees;
  Job j{.in = in, .sums = physics::sums_of(in.model, in.setting)};
  j.pace = physics::pace_of(in.machine.device, in.setting,
                            physics::compute_precision(in.machine.device, in.model, in.setting));
  j.links = physics::links_of(in.machine, in.setting);
  j.mu = physics::hardware_factors(in.activation_recomputation, in.trainable_fraction);
  j.N = as_double(in.machine.device_count());
  j.tp = as_double(d.tp), j.cp = as_double(d.cp), j.pp = as_double(d.pp);
  j.dp = as_double(*d.dp), j.ep = as_double(d.ep), j.etp = as_double(*d.etp);
  j.m = as_double(d.micro_batches()), j.v = as_double(d.v_stages);
  j.lb = std::ceil(as_double(in.batch_size) / j.dp);
  j.mb = std::ceil(j.lb / j.m);
  j.layers = std::ceil(j.sums.layers / j.pp);
  j.b = bytes_per_element(state_precision(in.model, in.setting));
  j.S = as_double(in.seq_len);
  j.passes = recomputes_all(in) ? 6 : 4;
  j.weight_flop = Flops::from_base(j.sums.flop_per_unit * j.S);
  j.attention_flop = attention_of(in, j.sums);
  const Totals::Split split = in.model.split();
  if (split.experts > 0) {
    j.expert_flop = Flops::from_base(2 * split.experts * j.sums.chosen / j.sums.experts * j.S);
  }
  return j;
}

// Share of the layers on the fullest stage; 1 where the layers are not known.
double share(const Job& j) {
  return j.sums.layers > 0 ? j.layers / j.sums.layers : 1;
}

// Share of the whole model's weight FLOP on the heaviest stage: its layers, and the head on the
// last one, which has a layer less where they are uneven.
double flop_share(const Job& j) {
  const double head = j.sums.head_flop / j.sums.flop_per_unit;
  if (j.pp == 1 || head == 0) return share(j);
  const double last = std::floor(j.sums.layers / j.pp) / j.sums.layers;
  return std::max((1 - head) * share(j), (1 - head) * last + head);
}

// Parameters of one rank of the fullest stage, before ZeRO.
struct RankParams {
  double dense, experts;
};
RankParams rank_params(const Job& j) {
  const Totals::Split split = j.in.model.split();
  const double experts = split.experts / (j.ep * j.etp) * share(j);
  if (!j.in.model.layered || j.pp == 1) return {split.shared / j.tp * share(j), experts};
  const LayerFacts& f = *j.in.model.layered;
  return {((f.matrices + f.vectors) * share(j) + f.table) / j.tp, experts};
}

// ---- where the groups lie ----

std::int64_t stride_of(const Inputs& in, Axis axis) {
  const Degrees& d = in.degrees;
  std::int64_t stride = 1;
  for (const Axis inner : d.order) {
    if (inner == axis) break;
    stride *= inner == Axis::tp   ? d.tp
              : inner == Axis::cp ? d.cp
              : inner == Axis::pp ? d.pp
                                  : *d.dp;
  }
  return stride;
}

RankGroup group(const Job& j, std::int64_t n, std::int64_t stride) {
  return physics::group_of(j.links, n, stride, j.pace.network_efficiency);
}

RankGroup group_along(const Job& j, Axis axis, std::int64_t n) {
  return group(j, n, stride_of(j.in, axis));
}

// Ranks that hold the same dense weights, and the same experts.
RankGroup dense_replicas(const Job& j) {
  const Degrees& d = j.in.degrees;
  return physics::joined(group_along(j, Axis::cp, d.cp), group_along(j, Axis::dp, *d.dp));
}
RankGroup expert_replicas(const Job& j) {
  const Degrees& d = j.in.degrees;
  const std::int64_t inside = d.ep * *d.etp;
  const bool pp_inside = stride_of(j.in, Axis::pp) < stride_of(j.in, Axis::dp);
  return group(j, d.tp * d.cp * *d.dp / inside, inside * (pp_inside ? d.pp : 1));
}

// ---- times ----

double imbalance(const Job& j) {
  return j.ep > 1 ? std::min(j.in.traffic.moe_routing_imbalance_factor, j.ep) : 1;
}

Flops stage_attention(const Job& j) {
  return j.lb / (j.tp * j.cp) * j.mu.attention * share(j) * j.attention_flop;
}

Flops stage_flop(const Job& j) {
  const Flops hot = (imbalance(j) - 1) * j.expert_flop;
  return j.lb / (j.tp * j.cp) *
         (j.mu.weights * (flop_share(j) * j.weight_flop + share(j) * hot) +
          j.mu.attention * share(j) * j.attention_flop);  // (1)
}

// Hardware over forward FLOP of the whole model.
double mean_mu(const Job& j) {
  return (j.mu.weights * j.weight_flop + j.mu.attention * j.attention_flop) /
         (j.weight_flop + j.attention_flop);
}

Seconds weight_reads(const Job& j) {
  const RankParams P = rank_params(j);
  return Bytes::from_base(j.mu.weights * j.m * (P.dense + P.experts) * j.b) / j.pace.bandwidth;
}

bool has_shared_experts(const Totals& t) {
  if (!t.layered || t.layered->model == nullptr) return false;
  const auto& kinds = t.layered->model->kinds;
  return std::any_of(kinds.begin(), kinds.end(),
                     [](const LayerKind& k) { return k.moe() && k.ffn.shared_width > 0; });
}

LinkTime tp_time(const Job& j) {
  const double bytes = j.lb * j.S * j.sums.hidden * j.b / j.cp;
  const physics::AllReduce how = j.in.traffic.all_reduce_algorithm;
  const LinkTime each =
      physics::all_reduce_time(group_along(j, Axis::tp, j.in.degrees.tp), {bytes, j.m}, how);
  if (j.ep == 1) return j.passes * j.layers * each;  // (2)
  const double routed = j.sums.moe_layers / j.sums.layers;
  const double copies = bytes * j.sums.chosen * j.etp / j.tp;
  const double left = has_shared_experts(j.in.model) ? 1 : 1 - routed / 2;
  LinkTime time = left * j.passes * j.layers * each;
  time += routed / 2 * j.passes * j.layers *
          physics::all_reduce_time(group(j, *j.in.degrees.etp, 1), {copies, j.m}, how);
  return time;  // (2)
}

LinkTime ep_time(const Job& j) {
  if (j.ep == 1) return {};
  const double bytes = j.lb * j.S * j.sums.chosen * j.sums.hidden * j.b / (j.tp * j.cp);
  const RankGroup ranks = group(j, j.in.degrees.ep, *j.in.degrees.etp);
  const double layers = j.layers * j.sums.moe_layers / j.sums.layers;
  return j.passes * layers * physics::all_to_all_time(ranks, {bytes, j.m}, imbalance(j));  // (4)
}

LinkTime pp_time(const Job& j) {
  const double bytes = 2 * j.v * j.lb * j.S * j.sums.hidden * j.b / (j.tp * j.cp);
  return physics::point_to_point_time(group_along(j, Axis::pp, j.in.degrees.pp),
                                      {bytes, 2 * j.v * j.m});  // (5)
}

// What context parallelism sends, and what of it nothing hides.
struct CpTime {
  LinkTime sent;
  double exposed_share = 1;
};

CpTime ring_time(const Job& j, const RankGroup& ranks, double kv_bytes, double rounds) {
  const double hops = j.layers * j.m * (j.cp - 1) * rounds;
  const LinkTime hop = physics::point_to_point_time(ranks, {kv_bytes / j.cp, 1});
  const Flops block = j.mb / (j.sums.layers * j.tp * j.cp * j.cp) * j.attention_flop;
  const Seconds c = j.in.traffic.congestion_factor * hop.total(), a = block / j.pace.attention_rate;
  return {hops * hop, std::max(0.0, (c - a) / c)};  // (3)
}

LinkTime ulysses_time(const Job& j, const RankGroup& ranks, double kv_bytes, double rounds) {
  const Totals& t = j.in.model;
  const double H = as_double(t.heads.value_or(1));
  const double h = t.head_dim ? as_double(*t.head_dim) : j.sums.hidden / H;
  const double q_bytes = j.mb * j.S * H * h * j.b / (j.cp * j.tp);
  const double copies = std::max(1.0, j.cp * j.tp / as_double(t.kv_heads.value_or(*t.heads)));
  LinkTime one = 2 * physics::all_to_all_time(ranks, {q_bytes, 1}, 1);
  one += 2 * physics::all_to_all_time(ranks, {copies * kv_bytes / (2 * j.cp), 1}, 1);
  return j.layers * j.m * rounds * one;  // (3)
}

CpTime cp_time(const Job& j) {
  if (j.cp == 1) return {};
  const RankGroup ranks = group_along(j, Axis::cp, j.in.degrees.cp);
  const double again = recomputes_all(j.in) ? 1 : 0;
  const double kv_bytes = j.mb * j.S * j.b * physics::cached_elements(j.sums, j.tp) / j.sums.layers;
  switch (j.in.traffic.cp_kind) {
    case CpKind::ring: return ring_time(j, ranks, kv_bytes, 3 + again);
    case CpKind::ulysses: return {ulysses_time(j, ranks, kv_bytes, 2 + again), 1};
    case CpKind::all_gather: break;
  }
  const LinkTime half = physics::half_time(ranks, {kv_bytes, 1}, j.in.traffic.all_reduce_algorithm);
  return {(3 + again) * j.layers * j.m * half, 1};  // (3)
}

bool per_micro_batch(const Inputs& in) {
  return in.zero_stage >= 2 && in.traffic.zero3_gathers == Zero3Gathers::per_microbatch;
}

// Gradients and weights of so many parameters over the ranks that hold the same.
LinkTime replica_time(const Job& j, const RankGroup& ranks, double params) {
  const double trained = params * j.in.trainable_fraction * j.b, all = params * j.b;
  const auto half = [&](double bytes) {
    return physics::half_time(ranks, {bytes, 1}, j.in.traffic.all_reduce_algorithm);
  };
  const double times = per_micro_batch(j.in) ? j.m : 1;
  LinkTime time = times * half(trained);  // reduce-scatter
  if (j.in.zero_stage == 3) {
    time += 2 * times * half(all);
  } else {
    time += half(trained);
  }
  return time;  // (7)
}

LinkTime dp_time(const Job& j) {
  const RankParams P = rank_params(j);
  if (j.ep == 1 && j.etp == j.tp) return replica_time(j, dense_replicas(j), P.dense + P.experts);
  LinkTime time = replica_time(j, dense_replicas(j), P.dense);
  time += replica_time(j, expert_replicas(j), P.experts);
  return time;
}

// What the traffic between replicas can hide under, (8).
Seconds window(const Job& j, Seconds compute) {
  const double mu = mean_mu(j), backward = (mu - 1) / mu;
  if (!per_micro_batch(j.in)) return compute / j.m * backward;
  return j.in.zero_stage == 3 ? compute : compute * backward;
}

Seconds exposed_dp(const Job& j, Seconds t_dp, Seconds compute) {
  if (!j.in.traffic.overlap_comm) return t_dp;
  return t_dp - std::min(j.in.traffic.overlap_efficiency * t_dp, window(j, compute));  // (8)
}

// `hidden` of a unit travels under the paired passes of DualPipe.
Seconds bubble_time(const Job& j, Seconds unit, Seconds hidden) {
  const double mu = mean_mu(j);
  const Seconds one = unit / j.m, F = one / mu, B = one - F, W = j.in.trainable_fraction * F;
  switch (j.in.degrees.pipeline_schedule) {
    case physics::Schedule::zb1p: return (j.pp - 1) * std::max(Seconds{}, F + B - 2 * W);
    case physics::Schedule::dualpipe: {
      const Seconds both = one - hidden / j.m;
      return std::max(0.0, j.pp / 2 - 1) * std::max(Seconds{}, both + B - 3 * W);
    }
    default: return (j.pp - 1) / (j.v * j.m) * unit;
  }  // (6)
}

double shards(const Job& j) {
  return j.in.zero_stage >= 1 ? j.dp * j.cp : 1;
}

double optimizer_bytes(const Job& j) {
  if (j.in.optimizer_bytes_per_param) return *j.in.optimizer_bytes_per_param;
  if (!j.in.model.layered) return 0;
  training_memory::Inputs states;
  states.precision = state_precision(j.in.model, j.in.setting);
  states.optimizer = j.in.optimizer;
  return 2 * training_memory::optimizer_bytes_per_param(states) + 2 * j.b;
}

double trained_params(const Job& j) {
  const RankParams P = rank_params(j);
  return (P.dense + P.experts) * j.in.trainable_fraction / shards(j);
}

Seconds optimizer_time(const Job& j) {
  return Bytes::from_base(trained_params(j) * optimizer_bytes(j)) / j.pace.bandwidth;
}

// Gradients go to the host and weights come back, beyond what compute hides.
Seconds offload_time(const Job& j, Seconds compute) {
  if (j.in.offload == OptimizerPlace::device) return {};
  const Bytes moved = Bytes::from_base(trained_params(j) * 2 * j.b);
  return std::max(Seconds{}, moved / *j.in.machine.device.host_link - compute);
}

double straggler(const Job& j) {
  const Traffic& t = j.in.traffic;
  return t.straggler_sigma ? 1 + *t.straggler_sigma * std::sqrt(2 * std::log(j.N))
                           : t.straggler_factor;  // (9)
}

// ---- the step ----

struct Times {
  LinkTime tp, ep, pp, dp;
  CpTime cp;
};

Times network_times(const Job& j) {
  const double slow = j.in.traffic.congestion_factor;
  CpTime cp = cp_time(j);
  cp.sent = slow * cp.sent;
  return {slow * tp_time(j), slow * ep_time(j), slow * pp_time(j), slow * dp_time(j), cp};
}

void put_unit(const Job& j, const Times& t, Output& out) {
  const Traffic& traffic = j.in.traffic;
  out.compute = j.pace.compute_time(stage_flop(j), stage_attention(j));
  out.overhead = j.pace.step_overhead + j.m * j.layers * j.pace.layer_overhead;
  const Seconds stage = std::max(out.compute, weight_reads(j)) + out.overhead;  // (1)
  const Seconds can_hide = traffic.overlap_efficiency * out.compute;
  out.tp_comm = t.tp.total();
  if (traffic.tp_overlap) {
    out.tp_comm = out.tp_comm - std::min(traffic.overlap_efficiency * out.tp_comm, can_hide);
  }
  const bool paired = j.in.degrees.pipeline_schedule == physics::Schedule::dualpipe;
  const Seconds hidden = paired ? std::min(t.ep.total(), can_hide) : Seconds{};
  out.ep_comm = t.ep.total() - hidden;
  out.cp_comm = t.cp.exposed_share * t.cp.sent.total();
  out.pp_comm = t.pp.total();
  const Seconds unit = stage + out.tp_comm + out.cp_comm + out.ep_comm + out.pp_comm;
  out.bubble = bubble_time(j, unit + hidden, hidden);  // (6)
  out.bubble_fraction = out.bubble / (unit + out.bubble);
  out.dp_comm = t.dp.total();
  out.dp_exposed = exposed_dp(j, out.dp_comm, out.compute);
  out.optimizer = optimizer_time(j);
  out.offload = offload_time(j, out.compute);
  out.step = straggler(j) * (unit + out.bubble + out.dp_exposed + out.optimizer + out.offload);
}

void put_rates(const Job& j, Output& out) {
  const double B = as_double(j.in.batch_size);
  const physics::TrainingFactors model = physics::model_factors(j.in.trainable_fraction);
  const Flops useful = B * (model.weights * j.weight_flop + model.attention * j.attention_flop);
  const Flops done = B * (j.mu.weights * j.weight_flop + j.mu.attention * j.attention_flop);
  const FlopsPerSecond peak = j.N * j.pace.peak;
  out.mfu_fraction = physics::utilization(useful, peak, out.step);  // (10)
  out.hfu_fraction = physics::utilization(done, peak, out.step);
  out.compute_fraction = out.compute / out.step;
  out.scaling_efficiency_fraction = physics::utilization(done, j.N * j.pace.rate, out.step);
  out.samples_per_s = B / out.step.base();
  out.tokens_per_s_per_device = B * j.S / out.step.base() / j.N;
  out.micro_batch = static_cast<std::int64_t>(j.mb);
  out.idle_samples = static_cast<std::int64_t>(j.lb * j.dp) - j.in.batch_size;
  if (j.in.machine.device.tdp) {
    out.energy = j.N * physics::energy_of(*j.in.machine.device.tdp,
                                          j.in.setting.idle_power_fraction, out.hfu_fraction,
                                          out.step);  // (11)
  }
}

void put_link_load(const Job& j, const Times& t, Output& out) {
  LinkTime all = t.tp;
  for (const LinkTime& part : {t.cp.sent, t.ep, t.pp, t.dp}) all += part;
  for (std::size_t l = 0; l < j.links.size(); ++l) {
    out.link_load.push_back(all.level_s[l] / out.step.base());
  }
}

TrainingMemory memory_of(const Inputs& in) {
  const Degrees& d = in.degrees;
  return training_state(in.model, in.setting,
                        {.batch_size = in.batch_size,
                         .seq_len = in.seq_len,
                         .tp = d.tp,
                         .cp = d.cp,
                         .pp = d.pp,
                         .dp = *d.dp,
                         .ep = d.ep,
                         .etp = *d.etp,
                         .v_stages = d.v_stages,
                         .microbatch_count = d.micro_batches(),
                         .zero_stage = in.zero_stage,
                         .schedule = d.pipeline_schedule,
                         .recompute = in.activation_recomputation,
                         .optimizer = in.optimizer,
                         .sequence_parallel = in.traffic.sequence_parallel,
                         .optimizer_offloaded = in.offload == OptimizerPlace::host,
                         .trainable_fraction = in.trainable_fraction});
}

void judge_memory(const Inputs& in, Output& out) {
  const std::optional<Bytes>& capacity = in.machine.device.memory_capacity;
  if (!capacity || !out.memory.total) return;
  const Bytes usable =
      in.setting.memory_utilization.value_or(1) * *capacity - in.setting.reserved.value_or(Bytes{});
  out.memory_utilization_fraction = *out.memory.total / *capacity;
  out.feasible = *out.memory.total <= usable;
  out.memory.feasible = out.feasible;
  out.memory.utilization_fraction = out.memory_utilization_fraction;
  out.reason = *out.feasible ? Reason::none : Reason::memory;
}

}  // namespace

Seconds weight_read_time(const Inputs& in) {
  return weight_reads(job_of(in));
}

Answer<Output, training_memory::Stage> solve(const Inputs& in) {
  const Job j = job_of(in);
  const Times t = network_times(j);
  Answer<Output, training_memory::Stage> answer;
  put_unit(j, t, answer.output);
  put_rates(j, answer.output);
  put_link_load(j, t, answer.output);
  TrainingMemory memory = memory_of(in);
  answer.output.memory = memory.output;
  answer.rows = std::move(memory.rows);
  judge_memory(in, answer.output);
  return answer;
}

}  // namespace ridgeline::solve::distributed
