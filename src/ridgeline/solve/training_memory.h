#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"
#include "ridgeline/physics/activations.h"
#include "ridgeline/physics/pipeline_schedule.h"
#include "ridgeline/solve/answer.h"
#include "ridgeline/solve/subject.h"
#include "ridgeline/spec/formats.h"
#include "ridgeline/spec/precision.h"

namespace ridgeline::solve::training_memory {

inline constexpr char kCard[] = R"(
What must each device hold to train a model, does that fit, and how large a micro-batch would?

Equations, of one device of pipeline stage j
  (1) P         = parameters it holds: dense/tp, routed experts/(ep etp), tables at the ends,
                  norms whole; totals: (S_0/tp + E x/(ep etp)) layers of the stage/L
  (2) weights   = P b          ZeRO 3: /D                                     [rajbhandari2020]
      gradients = P f b_g      ZeRO 2: /D
      optimizer = P f o_B      ZeRO 1: /D; D = dp cp, of experts dp cp tp/(ep etp)
  (3) o_B       = 12 Adam: fp32 master and two moments; 8 SGD with momentum, 4 SGD, 6 Adam in
                  8 bits, 0 none; 4 less without a master copy (fp32 weights need none)
  (4) activations = in flight(j) x stored of its layers + one layer's working set
                                       physics/activations, pipeline_schedule [korthikanti2022]
  (5) micro-batch = ceil(B/(dp m)) sequences of S/cp tokens
  (6) logits    = 4 mb S V/(tp cp) on the last stage, one micro-batch's, in fp32
  (7) buffers   = fraction x gradients, and 2 mb S d b/cp between stages      [narayanan2021]
  (8) working   = two gathered layers under ZeRO 3 [rajbhandari2020]; the gradient that is being
                  added up, of one matrix (of one layer where gradients are sharded), in both b
                  and b_g where they differ: ours
  (9) total     = (2)+(4)+(6)+(7)+(8), and the fraction lost to fragmentation; the peak stage decides
Assumes     DualPipe holds two stages' weights and pp + 1 micro-batches; what is offloaded leaves
            the device but for two layers in passing.
Leaves out  driver context, communication libraries, the allocator's rounding.
Trust       (2) is exact; (4)-(9) come within 5 % of measured peaks of fused trainers; eager loss
            functions keep 14 bytes per logit in place of 4 (logits_bytes_per_value).
)";

enum class Optimizer : std::uint8_t { adam, adamw, sgd_momentum, sgd, adam_8bit, none };

inline std::span<const char* const> names_of(Optimizer) {
  static constexpr std::array<const char*, 6> kNames = {"adam", "adamw",     "sgd-momentum",
                                                        "sgd",  "adam-8bit", "none"};
  return kNames;
}

enum class Offload : std::uint8_t { optimizer, gradients, weights, activations };

inline std::span<const char* const> names_of(Offload) {
  static constexpr std::array<const char*, 4> kNames = {"optimizer", "gradients", "weights",
                                                        "activations"};
  return kNames;
}

struct Inputs {
  std::optional<std::int64_t> batch_size, seq_len;  // without both: states alone
  Precision precision = Precision::bf16;
  std::optional<StoredPrecision> gradient_precision;  // = precision; none: consumed as made
  Optimizer optimizer = Optimizer::adam;
  Precision optimizer_precision = Precision::fp32;  // of the moments
  std::optional<StoredPrecision> master_weights;    // fp32; none with fp32 weights
  double trainable_fraction = 1;
  physics::Recompute activation_checkpointing = physics::Recompute::none;
  physics::ActivationForm activation_form = physics::ActivationForm::lowered;
  physics::AttentionKernel attention_kernel = physics::AttentionKernel::flash;
  bool dropout = false;
  std::int64_t tp = 1, pp = 1, dp = 1, cp = 1, ep = 1;
  std::optional<std::int64_t> etp;
  std::vector<std::int64_t> pp_layers;
  std::int64_t v_stages = 1, microbatch_count = 1;
  physics::Schedule pipeline_schedule = physics::Schedule::one_f_one_b;
  std::int64_t zero_stage = 0;
  bool sequence_parallel = true;
  bool include_logits = true;
  double logits_bytes_per_value = 4;
  double communication_buffer_fraction = 0;
  double fragmentation_fraction = 0;
  std::vector<Offload> offload;
  std::optional<double> largest_layer_params;
  std::optional<Bytes> memory;  // else the machine's
  double memory_utilization = 1;

 private:  // the parts of fields()
  static constexpr auto work_fields() {
    return std::tuple(
        field(&Inputs::batch_size, "batch_size", "B", "sequences of a step, all replicas"),
        field(&Inputs::seq_len, "seq_len", "S", "tokens of a sequence"),
        field(&Inputs::microbatch_count, "microbatch_count", "m", "micro-batches of a replica"),
        field(&Inputs::trainable_fraction, "trainable_fraction", "f", "share of weights trained"),
        field(&Inputs::memory, "memory", "M", "memory of a device"),
        field(&Inputs::memory_utilization, "memory_utilization", "u", "share that may be used"));
  }
  static constexpr auto state_fields() {
    return std::tuple(
        field(&Inputs::precision, "precision", "b", "of weights and activations"),
        field(&Inputs::gradient_precision, "gradient_precision", "b_g", "none: consumed as made"),
        field(&Inputs::optimizer, "optimizer", "", "which states it keeps"),
        field(&Inputs::optimizer_precision, "optimizer_precision", "", "of its moments"),
        field(&Inputs::master_weights, "master_weights", "", "fp32 copy of the weights, or none"),
        field(&Inputs::zero_stage, "zero_stage", "", "what data-parallel ranks share out: 0 to 3"),
        field(&Inputs::offload, "offload", "", "what is kept in host memory"),
        field(&Inputs::largest_layer_params, "largest_layer_params", "",
              "of the largest layer, where the model does not tell"));
  }
  static constexpr auto activation_fields() {
    return std::tuple(
        field(&Inputs::activation_checkpointing, "activation_checkpointing", "",
              "what is computed anew in the backward pass"),
        field(&Inputs::activation_form, "activation_form", "", "by layer, or as for a GPT"),
        field(&Inputs::attention_kernel, "attention_kernel", "", "flash keeps no scores"),
        field(&Inputs::dropout, "dropout", "", "masks are kept"),
        field(&Inputs::sequence_parallel, "sequence_parallel", "", "tp ranks split sequences too"),
        field(&Inputs::include_logits, "include_logits", "", "false: the loss is fused"),
        field(&Inputs::logits_bytes_per_value, "logits_bytes_per_value", "",
              "copies of the logits, together"),
        field(&Inputs::communication_buffer_fraction, "communication_buffer_fraction", "",
              "of the gradients"),
        field(&Inputs::fragmentation_fraction, "fragmentation_fraction", "", "of the total"));
  }
  static constexpr auto plan_fields() {
    return std::tuple(
        field(&Inputs::tp, "tp", "", "tensor-parallel ranks"),
        field(&Inputs::pp, "pp", "", "pipeline stages"),
        field(&Inputs::dp, "dp", "", "data-parallel replicas"),
        field(&Inputs::cp, "cp", "", "context-parallel ranks"),
        field(&Inputs::ep, "ep", "", "expert-parallel ranks, taken from tp x cp x dp"),
        field(&Inputs::etp, "etp", "", "ranks that share one expert; tp at ep 1, else 1"),
        field(&Inputs::pp_layers, "pp_layers", "", "layers of each stage"),
        field(&Inputs::v_stages, "v_stages", "v", "chunks of layers per stage"),
        field(&Inputs::pipeline_schedule, "pipeline_schedule", "", "order of the passes"));
  }

 public:
  static constexpr auto fields() {
    return std::tuple_cat(work_fields(), plan_fields(), state_fields(), activation_fields());
  }
};

// Bytes of one device of a stage, by what they hold. What the question leaves open is empty.
struct Stage {
  std::int64_t stage = 0;
  std::optional<std::int64_t> layers;
  std::optional<double> in_flight_micro_batches;
  std::optional<double> params;
  std::optional<Bytes> weights, gradients, optimizer, activations, working, buffers, logits, total;
  std::optional<Bytes> host;  // offloaded

  static constexpr auto fields() {
    return std::tuple(
        field(&Stage::stage, "stage", "j", "pipeline stage"),
        field(&Stage::layers, "layers", "", "layers of the stage"),
        field(&Stage::in_flight_micro_batches, "in_flight_micro_batches", "",
              "micro-batches whose activations it holds"),
        field(&Stage::params, "params", "P", "parameters it holds, before ZeRO"),
        field(&Stage::weights, "weights", "", "weights"),
        field(&Stage::gradients, "gradients", "", "gradients"),
        field(&Stage::optimizer, "optimizer", "", "master copy and moments"),
        field(&Stage::activations, "activations", "", "kept for the backward pass, working set"),
        field(&Stage::working, "working", "", "gathered layers, gradients in the making"),
        field(&Stage::buffers, "buffers", "", "of communication"),
        field(&Stage::logits, "logits", "", "of the last stage"),
        field(&Stage::total, "total", "", "all of it"),
        field(&Stage::host, "host", "", "in host memory instead"));
  }
};

struct Output {
  std::optional<bool> feasible;
  std::optional<double> utilization_fraction;
  std::int64_t peak_stage = 0;
  std::optional<std::int64_t> micro_batch, largest_micro_batch;
  std::optional<Bytes> weights, gradients, optimizer, activations, working, buffers, logits, total;
  std::optional<Bytes> host;
  std::optional<Bytes> state, resident_state;
  std::optional<double> state_bytes_per_param, activations_bytes_per_layer;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::feasible, "feasible", "", "the peak stage fits"),
        field(&Output::utilization_fraction, "utilization_fraction", "", "of the memory, needed"),
        field(&Output::peak_stage, "peak_stage", "", "stage that holds most"),
        field(&Output::micro_batch, "micro_batch", "mb", "sequences of a micro-batch"),
        field(&Output::largest_micro_batch, "largest_micro_batch", "", "that would fit"),
        field(&Output::weights, "weights", "", "weights"),
        field(&Output::gradients, "gradients", "", "gradients"),
        field(&Output::optimizer, "optimizer", "", "master copy and moments"),
        field(&Output::activations, "activations", "", "kept for the backward pass, working set"),
        field(&Output::working, "working", "", "gathered layers, gradients in the making"),
        field(&Output::buffers, "buffers", "", "of communication"),
        field(&Output::logits, "logits", "", "of the last stage"),
        field(&Output::total, "total", "", "all of it"),
        field(&Output::host, "host", "", "in host memory instead"),
        field(&Output::state, "state", "", "weights, gradients and optimizer"),
        field(&Output::resident_state, "resident_state", "", "and gathered layers"),
        field(&Output::state_bytes_per_param, "state_bytes_per_param", "",
              "over the parameters it holds before ZeRO"),
        field(&Output::activations_bytes_per_layer, "activations_bytes_per_layer", "",
              "stored per micro-batch and layer"));
  }
};

Result<Inputs> check(const Inputs& in, const Subject& subject);

// REQUIRES: `in` came from check() with the same subject.
Answer<Output, Stage> solve(const Inputs& in, const Subject& subject);

// Bytes of optimizer states per trained parameter, (3).
double optimizer_bytes_per_param(const Inputs& in);

}  // namespace ridgeline::solve::training_memory
