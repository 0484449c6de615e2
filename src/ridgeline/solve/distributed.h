#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>

#include "ridgeline/base/few.h"
#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"
#include "ridgeline/physics/activations.h"
#include "ridgeline/physics/pipeline_schedule.h"
#include "ridgeline/physics/setting.h"
#include "ridgeline/physics/switched.h"
#include "ridgeline/solve/answer.h"
#include "ridgeline/solve/training_memory.h"
#include "ridgeline/spec/hardware.h"
#include "ridgeline/spec/plan.h"
#include "ridgeline/spec/totals.h"

namespace ridgeline::solve::distributed {

inline constexpr char kCard[] = R"(
How long is one training step of a model on a machine under a plan of tp, cp, pp, dp and ep?

Equations, per rank of the fullest replica and stage: lb = ceil(B/dp) samples in m micro-batches of
mb = ceil(lb/m); share = ceil(L/pp)/L of the layers
  (1) compute  = mu lb (O S + attention) share/(R e tp cp); experts at ep > 1 x imbalance
      stage    = max(compute, mu m W_rank/BW) + step_overhead + m ceil(L/pp) layer_overhead
  (2) t_tp     = (4, with full recompute 6) ceil(L/pp) all-reduces of lb S d b/cp in m messages;
                 MoE layers at ep > 1: half of it over etp of the routed copies  [narayanan2021]
  (3) t_cp     = ring: (3 or 4)(cp - 1) hops of K and V beyond the attention they hide under;
                 all-gather: the same bytes, not hidden; Ulysses: 4 all-to-alls each way
                                                                      [liu2023] [jacobs2023]
  (4) t_ep     = (4 or 6) ceil(L_moe/pp) all-to-alls of lb S k d b/(tp cp)     [lepikhin2020]
  (5) t_p2p    = 2 v lb S d b/(tp cp bw) + 2 v m a                            [narayanan2021]
  (6) unit     = stage + t_tp + t_cp + t_ep + t_p2p
      bubble   = unit (pp - 1)/(v m); zb1p (pp - 1)(F + B - 2 W); dualpipe
                 (pp/2 - 1)(F&B + B - 3 W)          [narayanan2021] [qi2023] [deepseek-v3]
  (7) t_dp     = all-reduce of G = f P_rank b (ZeRO 1: reduce-scatter and all-gather); ZeRO 2: the
                 reduce-scatter x m; ZeRO 3: two all-gathers and a reduce-scatter, x m
                                                             [rajbhandari2020] [zhao2023]
  (8) exposed  = t_dp - min(overlap t_dp, window), window = compute/m (mu - 1)/mu: the backward of
                 the last micro-batch; of each where traffic is per micro-batch
  (9) step     = (unit + bubble + exposed + optimizer + offload) x straggler
      straggler = 1 + sigma sqrt(2 ln N) where sigma is given
 (10) MFU      = 3 B (O S + attention)/(N R step); HFU with mu               [korthikanti2022]
 (11) energy   = N TDP (i + (1 - i) HFU) step                                 [barroso2007]
Assumes     hierarchical collectives over the levels of the machine; causal work balanced over cp;
            congestion multiplies every network time.
Leaves out  failures and checkpoints (reliability); input stalls; stages of unlike layers.
Trust       all degrees 1 is the single device; step >= model FLOP/(N R); exposed <= t_dp.
)";

enum class CpKind : std::uint8_t { ring, all_gather, ulysses };
enum class Zero3Gathers : std::uint8_t { per_microbatch, per_step };
enum class OptimizerPlace : std::uint8_t { device, host };
enum class Reason : std::uint8_t { none, memory };

inline std::span<const char* const> names_of(CpKind) {
  static constexpr std::array<const char*, 3> kNames = {"ring", "all-gather", "ulysses"};
  return kNames;
}
inline std::span<const char* const> names_of(Zero3Gathers) {
  static constexpr std::array<const char*, 2> kNames = {"per-microbatch", "per-step"};
  return kNames;
}
inline std::span<const char* const> names_of(OptimizerPlace) {
  static constexpr std::array<const char*, 2> kNames = {"none", "optimizer"};
  return kNames;
}
inline std::span<const char* const> names_of(Reason) {
  static constexpr std::array<const char*, 2> kNames = {"none", "memory"};
  return kNames;
}

// How the model is spread.
struct Degrees {
  std::int64_t tp = 1, cp = 1, pp = 1, ep = 1;
  std::optional<std::int64_t> dp, etp;
  std::int64_t v_stages = 1, microbatch_count = 1, gradient_accumulation_steps = 1;
  physics::Schedule pipeline_schedule = physics::Schedule::one_f_one_b;
  Few<Axis, 4> order;  // inside out; empty: tp, cp, pp, dp

  static constexpr auto fields() {
    return std::tuple(
        field(&Degrees::tp, "tp_size", "tp", "tensor-parallel ranks"),
        field(&Degrees::cp, "cp_size", "cp", "context-parallel ranks"),
        field(&Degrees::pp, "pp_size", "pp", "pipeline stages"),
        field(&Degrees::dp, "dp_size", "dp", "data-parallel replicas; what is left if not given"),
        field(&Degrees::ep, "ep_size", "ep", "expert-parallel ranks, of tp x cp x dp"),
        field(&Degrees::etp, "etp_size", "etp", "ranks of one expert; tp at ep 1, else 1"),
        field(&Degrees::v_stages, "v_stages", "v", "chunks of layers per stage"),
        field(&Degrees::microbatch_count, "microbatch_count", "", "micro-batches of a pass"),
        field(&Degrees::gradient_accumulation_steps, "gradient_accumulation_steps", "",
              "passes of a step; m is the product of both"),
        field(&Degrees::pipeline_schedule, "pipeline_schedule", "", "order of the passes"),
        field(&Degrees::order, "order", "", "axes from the inside of the machine out"));
  }

  std::int64_t micro_batches() const { return microbatch_count * gradient_accumulation_steps; }
};

// What travels, what hides it, what slows it.
struct Traffic {
  Zero3Gathers zero3_gathers = Zero3Gathers::per_microbatch;
  bool sequence_parallel = true;
  CpKind cp_kind = CpKind::ring;
  bool overlap_comm = false;
  bool tp_overlap = false;
  double overlap_efficiency = 0.85;
  double congestion_factor = 1;
  double straggler_factor = 1;
  std::optional<double> straggler_sigma;
  double moe_routing_imbalance_factor = 1;
  physics::AllReduce all_reduce_algorithm = physics::AllReduce::automatic;

  static constexpr auto fields() {
    return std::tuple(
        field(&Traffic::zero3_gathers, "zero3_gathers", "", "how often weights are gathered"),
        field(&Traffic::sequence_parallel, "sequence_parallel", "",
              "tp ranks split sequences too; the same traffic, less memory"),
        field(&Traffic::cp_kind, "cp_kind", "", "how K and V meet all queries"),
        field(&Traffic::overlap_comm, "overlap_comm", "", "gradients travel under the backward"),
        field(&Traffic::tp_overlap, "tp_overlap", "", "tp traffic travels under its matrices"),
        field(&Traffic::overlap_efficiency, "overlap_efficiency", "",
              "share of the traffic that can be hidden"),
        field(&Traffic::congestion_factor, "congestion_factor", "", "on every network time"),
        field(&Traffic::straggler_factor, "straggler_factor", "", "on the step"),
        field(&Traffic::straggler_sigma, "straggler_sigma", "sigma",
              "relative spread of the ranks' times, in place of the factor"),
        field(&Traffic::moe_routing_imbalance_factor, "moe_routing_imbalance_factor", "I",
              "load of the hot rank over the mean"),
        field(&Traffic::all_reduce_algorithm, "all_reduce_algorithm", "", "ring, tree or auto"));
  }
};

struct Inputs {
  Totals model;
  Cluster machine;
  physics::Setting setting;
  std::int64_t batch_size = 1;
  std::int64_t seq_len = 2048;
  Degrees degrees;
  std::int64_t zero_stage = 0;
  Traffic traffic;
  physics::Recompute activation_recomputation = physics::Recompute::none;
  double trainable_fraction = 1;
  std::optional<std::int64_t> lora_rank;
  training_memory::Optimizer optimizer = training_memory::Optimizer::adam;
  std::optional<double> optimizer_bytes_per_param;
  OptimizerPlace offload = OptimizerPlace::device;

  static constexpr auto fields() {
    return std::tuple(
        field(&Inputs::model, "model", "", "the model"),
        field(&Inputs::machine, "machine", "", "nodes of devices"), flat(&Inputs::setting),
        field(&Inputs::batch_size, "batch_size", "B", "samples of a step, all replicas"),
        field(&Inputs::seq_len, "seq_len", "S", "tokens of a sample"), flat(&Inputs::degrees),
        field(&Inputs::zero_stage, "zero_stage", "", "what data-parallel ranks share out: 0 to 3"),
        flat(&Inputs::traffic),
        field(&Inputs::activation_recomputation, "activation_recomputation", "mu",
              "what the backward pass computes anew"),
        field(&Inputs::trainable_fraction, "trainable_fraction", "f", "share of weights trained"),
        field(&Inputs::lora_rank, "lora_rank", "", "of adapters, which gives the share"),
        field(&Inputs::optimizer, "optimizer", "", "which states are held"),
        field(&Inputs::optimizer_bytes_per_param, "optimizer_bytes_per_param", "",
              "read and written per parameter in its step"),
        field(&Inputs::offload, "offload", "", "states that are kept in host memory"));
  }
};

struct Output {
  Seconds step, compute, overhead, tp_comm, cp_comm, ep_comm, pp_comm, dp_comm, dp_exposed;
  Seconds bubble, optimizer, offload;
  double bubble_fraction = 0;
  double mfu_fraction = 0, hfu_fraction = 0;
  double compute_fraction = 0, scaling_efficiency_fraction = 0;
  double samples_per_s = 0, tokens_per_s_per_device = 0;
  std::int64_t micro_batch = 1, idle_samples = 0;
  training_memory::Output memory;
  std::optional<double> memory_utilization_fraction;
  std::optional<Joules> energy;
  Few<double, kMaxLinkLevels> link_load;
  std::optional<bool> feasible;
  Reason reason = Reason::none;

 private:  // the parts of fields()
  static constexpr auto time_fields() {
    return std::tuple(
        field(&Output::step, "step", "step", "time of a step"),
        field(&Output::compute, "compute", "compute", "arithmetic of the fullest stage"),
        field(&Output::overhead, "overhead", "", "launches of a step"),
        field(&Output::tp_comm, "tp_comm", "t_tp", "tensor-parallel traffic"),
        field(&Output::cp_comm, "cp_comm", "t_cp", "context-parallel traffic, exposed"),
        field(&Output::ep_comm, "ep_comm", "t_ep", "expert-parallel traffic"),
        field(&Output::pp_comm, "pp_comm", "t_p2p", "between stages"),
        field(&Output::dp_comm, "dp_comm", "t_dp", "gradients and gathered weights"),
        field(&Output::dp_exposed, "dp_exposed", "exposed", "of that, what nothing hides"),
        field(&Output::bubble, "bubble", "bubble", "stages wait for each other"),
        field(&Output::bubble_fraction, "bubble_fraction", "", "over unit and bubble"),
        field(&Output::optimizer, "optimizer", "", "its step"),
        field(&Output::offload, "offload", "", "to the host and back, exposed"));
  }
  static constexpr auto rate_fields() {
    return std::tuple(
        field(&Output::mfu_fraction, "mfu_fraction", "MFU", "model FLOP over the peak"),
        field(&Output::hfu_fraction, "hfu_fraction", "HFU", "FLOP that are done over the peak"),
        field(&Output::compute_fraction, "compute_fraction", "", "compute over step"),
        field(&Output::scaling_efficiency_fraction, "scaling_efficiency_fraction", "",
              "speed over N devices that only compute"),
        field(&Output::samples_per_s, "samples_per_s", "", "samples per second"),
        field(&Output::tokens_per_s_per_device, "tokens_per_s_per_device", "", "of all N devices"),
        field(&Output::micro_batch, "micro_batch", "mb", "samples of a micro-batch"),
        field(&Output::idle_samples, "idle_samples", "", "slots of other replicas left empty"));
  }
  static constexpr auto rest_fields() {
    return std::tuple(
        field(&Output::memory, "memory", "", "of the fullest device, as training-memory"),
        field(&Output::memory_utilization_fraction, "memory_utilization_fraction", "",
              "of the device's memory, needed"),
        field(&Output::energy, "energy", "E", "of all devices"),
        field(&Output::link_load, "link_load", "", "share of the step that links of a level work"),
        field(&Output::feasible, "feasible", "", "the fullest device holds what it must"),
        field(&Output::reason, "reason", "", "what makes it infeasible"));
  }

 public:
  static constexpr auto fields() {
    return std::tuple_cat(time_fields(), rate_fields(), rest_fields());
  }
};

// Fills dp, etp, order and the trainable share.
Result<Inputs> check(const Inputs& in);

// Time in which the fullest rank reads its weights, once in every pass of a micro-batch, (1).
// REQUIRES: `in` came from check().
Seconds weight_read_time(const Inputs& in);

// REQUIRES: `in` came from check(). Rows: the memory of each stage.
Answer<Output, training_memory::Stage> solve(const Inputs& in);

}  // namespace ridgeline::solve::distributed
