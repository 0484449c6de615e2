#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "ridgeline/base/few.h"
#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"
#include "ridgeline/solve/answer.h"
#include "ridgeline/solve/distributed.h"

namespace ridgeline::solve::parallelism {

inline constexpr char kCard[] = R"(
Which plan trains a model fastest on a machine?

Equations
  (1) candidates: tp, cp, pp and ep of all divisors, dp = N/(tp cp pp); tp within a node unless
      max_tp is larger, ep of the divisors of the experts                       [narayanan2021]
  (2) settings of a candidate: schedule; v of the divisors of the layers of a stage, interleaved;
      m of the divisors of the samples of a replica, a multiple of pp when interleaved; what is
      recomputed; ZeRO stage
  (3) screen: candidates that distributed refuses, and those that at no setting fit a device
      (training-memory), are rejected, counted by reason
  (4) price: every setting by distributed; the best by the objective, equal ones in the order
      tp, cp, pp, ep, schedule, v, m, recompute, ZeRO, the smaller first
  (5) bounds: a setting takes at least step - bubble at m = v = 1 and holds at least what it holds
      at the most micro-batches and v = 1; those that cannot win are not priced
  (6) pareto: settings of all candidates that no other beats in both step and memory
Assumes     what distributed does; one setting for all stages.
Leaves out  uneven stages; other orders of the axes; etp other than tp at ep 1, else 1.
Trust       the best, the top and the front are those of pricing every setting; more memory never
            worsens the best.
)";

enum class Objective : std::uint8_t { step, samples_per_s, mfu, memory, energy };
enum class Reason : std::uint8_t { none, no_candidate, heads, layers, experts, sequence, memory };

inline std::span<const char* const> names_of(Objective) {
  static constexpr std::array<const char*, 5> kNames = {"step_s", "samples_per_s", "mfu_fraction",
                                                        "memory_bytes", "energy_j"};
  return kNames;
}
inline std::span<const char* const> names_of(Reason) {
  static constexpr std::array<const char*, 7> kNames = {
      "none", "no candidate", "heads", "layers", "experts", "sequence", "memory"};
  return kNames;
}

// What is tried: these values, or all up to a bound.
struct Space {
  std::vector<std::int64_t> tp, cp, pp, dp, ep, v_stages, microbatch_count, zero_stage;
  std::vector<physics::Schedule> pipeline_schedule;
  std::vector<physics::Recompute> activation_recomputation;
  std::optional<std::int64_t> max_tp, max_cp, max_pp, max_ep, max_v_stages, max_microbatch_count;

 private:  // the parts of fields()
  static constexpr auto value_fields() {
    return std::tuple(
        field(&Space::tp, "tp_size", "tp", "tensor-parallel ranks to try; all divisors if none"),
        field(&Space::cp, "cp_size", "cp", "context-parallel ranks to try"),
        field(&Space::pp, "pp_size", "pp", "pipeline stages to try"),
        field(&Space::dp, "dp_size", "dp", "data-parallel replicas that are allowed"),
        field(&Space::ep, "ep_size", "ep", "expert-parallel ranks to try"),
        field(&Space::v_stages, "v_stages", "v", "chunks of layers per stage to try"),
        field(&Space::microbatch_count, "microbatch_count", "m", "micro-batches to try"),
        field(&Space::zero_stage, "zero_stage", "", "ZeRO stages to try; 0 to 3 if none"),
        field(&Space::pipeline_schedule, "pipeline_schedule", "",
              "schedules to try; 1f1b and interleaved if none"),
        field(&Space::activation_recomputation, "activation_recomputation", "mu",
              "what is computed anew; all three if none"));
  }
  static constexpr auto bound_fields() {
    return std::tuple(field(&Space::max_tp, "max_tp", "", "a node's devices if not given"),
                      field(&Space::max_cp, "max_cp", "", "bound"),
                      field(&Space::max_pp, "max_pp", "", "bound"),
                      field(&Space::max_ep, "max_ep", "", "bound"),
                      field(&Space::max_v_stages, "max_v_stages", "", "bound"),
                      field(&Space::max_microbatch_count, "max_microbatch_count", "", "bound"));
  }

 public:
  static constexpr auto fields() { return std::tuple_cat(value_fields(), bound_fields()); }
};

struct Inputs {
  Totals model;
  Cluster machine;
  physics::Setting setting;
  std::int64_t batch_size = 1;
  std::int64_t seq_len = 2048;
  Space space;
  distributed::Traffic traffic;
  double trainable_fraction = 1;
  training_memory::Optimizer optimizer = training_memory::Optimizer::adam;
  std::optional<double> optimizer_bytes_per_param;
  distributed::OptimizerPlace offload = distributed::OptimizerPlace::device;
  Objective objective = Objective::step;
  std::int64_t top = 10;

  static constexpr auto fields() {
    return std::tuple(
        field(&Inputs::model, "model", "", "the model"),
        field(&Inputs::machine, "machine", "", "nodes of devices"), flat(&Inputs::setting),
        field(&Inputs::batch_size, "batch_size", "B", "samples of a step, all replicas"),
        field(&Inputs::seq_len, "seq_len", "S", "tokens of a sample"), flat(&Inputs::space),
        flat(&Inputs::traffic),
        field(&Inputs::trainable_fraction, "trainable_fraction", "f", "share of weights trained"),
        field(&Inputs::optimizer, "optimizer", "", "which states are held"),
        field(&Inputs::optimizer_bytes_per_param, "optimizer_bytes_per_param", "",
              "read and written per parameter in its step"),
        field(&Inputs::offload, "offload", "", "states that are kept in host memory"),
        field(&Inputs::objective, "objective", "", "what is best"),
        field(&Inputs::top, "top", "", "candidates to list"));
  }
};

// A candidate at one setting.
struct Plan {
  static constexpr const char* kListName = "top";
  std::int64_t tp = 1, cp = 1, pp = 1, dp = 1, ep = 1;
  physics::Schedule pipeline_schedule = physics::Schedule::one_f_one_b;
  std::int64_t v_stages = 1, microbatch_count = 1;
  physics::Recompute activation_recomputation = physics::Recompute::none;
  std::int64_t zero_stage = 0;
  Seconds step;
  double samples_per_s = 0, tokens_per_s_per_device = 0, mfu_fraction = 0, bubble_fraction = 0;
  Bytes memory;
  std::optional<Joules> energy;

 private:  // the parts of fields()
  static constexpr auto knob_fields() {
    return std::tuple(
        field(&Plan::tp, "tp_size", "tp", "tensor-parallel ranks"),
        field(&Plan::cp, "cp_size", "cp", "context-parallel ranks"),
        field(&Plan::pp, "pp_size", "pp", "pipeline stages"),
        field(&Plan::dp, "dp_size", "dp", "data-parallel replicas"),
        field(&Plan::ep, "ep_size", "ep", "expert-parallel ranks"),
        field(&Plan::pipeline_schedule, "pipeline_schedule", "", "order of the passes"),
        field(&Plan::v_stages, "v_stages", "v", "chunks of layers per stage"),
        field(&Plan::microbatch_count, "microbatch_count", "m", "micro-batches of a step"),
        field(&Plan::activation_recomputation, "activation_recomputation", "mu",
              "what the backward pass computes anew"),
        field(&Plan::zero_stage, "zero_stage", "", "what data-parallel ranks share out"));
  }
  static constexpr auto value_fields() {
    return std::tuple(
        field(&Plan::step, "step", "step", "time of a step"),
        field(&Plan::samples_per_s, "samples_per_s", "", "samples per second"),
        field(&Plan::tokens_per_s_per_device, "tokens_per_s_per_device", "", "of all N devices"),
        field(&Plan::mfu_fraction, "mfu_fraction", "MFU", "model FLOP, recompute not counted"),
        field(&Plan::bubble_fraction, "bubble_fraction", "", "over unit and bubble"),
        field(&Plan::memory, "memory", "", "of the fullest device"),
        field(&Plan::energy, "energy", "E", "of a step, all devices"));
  }

 public:
  static constexpr auto fields() { return std::tuple_cat(knob_fields(), value_fields()); }
};

// Candidates by what rejects them.
struct Rejected {
  std::int64_t heads = 0, layers = 0, experts = 0, sequence = 0, memory = 0;

  static constexpr auto fields() {
    return std::tuple(
        field(&Rejected::heads, "heads", "", "tp does not divide them, or the shape is not known"),
        field(&Rejected::layers, "layers", "", "fewer than stages"),
        field(&Rejected::experts, "experts", "", "ep does not divide the ranks"),
        field(&Rejected::sequence, "sequence", "", "cp does not divide it, or the heads"),
        field(&Rejected::memory, "memory", "", "no setting fits"));
  }
  std::int64_t all() const { return heads + layers + experts + sequence + memory; }
};

inline constexpr std::size_t kMostPareto = 100;

struct Output {
  std::optional<Plan> best;
  std::int64_t candidates_count = 0, feasible_count = 0;
  Rejected rejected;
  std::int64_t settings_count = 0, priced_count = 0;
  Few<Plan, kMostPareto> pareto;
  std::int64_t pareto_count = 0;
  bool feasible = true;
  Reason reason = Reason::none;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::best, "best", "", "by the objective"),
        field(&Output::candidates_count, "candidates_count", "", "of tp, cp, pp, ep"),
        field(&Output::feasible_count, "feasible_count", "", "of them, that fit"),
        field(&Output::rejected, "rejected", "", "and those that do not, by reason"),
        field(&Output::settings_count, "settings_count", "", "of all candidates, decided"),
        field(&Output::priced_count, "priced_count", "", "of them, not ruled out by bounds"),
        field(&Output::pareto, "pareto", "", "of step and memory, the fastest 100"),
        field(&Output::pareto_count, "pareto_count", "", "on the front"),
        field(&Output::feasible, "feasible", "", "some plan fits"),
        field(&Output::reason, "reason", "", "what rejects most of them"));
  }
};

// Fills the values to try.
Result<Inputs> check(const Inputs& in);

// The step that every candidate starts from: all devices are replicas.
distributed::Inputs step_of(const Inputs& in);

// REQUIRES: `in` came from check(). Rows: the best setting of each candidate, best first.
Answer<Output, Plan> solve(const Inputs& in);

}  // namespace ridgeline::solve::parallelism
