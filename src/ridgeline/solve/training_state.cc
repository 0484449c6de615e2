#include "ridgeline/solve/training_state.h"

#include <cmath>

#include "ridgeline/physics/totals.h"

namespace ridgeline::solve {
namespace {

using training_memory::Stage;

double as_double(std::int64_t n) {
  return static_cast<double>(n);
}

training_memory::Inputs inputs_of(const Totals& model, const physics::Setting& setting,
                                  const TrainingPlan& plan) {
  training_memory::Inputs in;
  in.precision = state_precision(model, setting);
  in.optimizer = plan.optimizer;
  in.trainable_fraction = plan.trainable_fraction;
  in.activation_checkpointing = plan.recompute;
  in.tp = plan.tp;
  in.cp = plan.cp;
  in.pp = plan.pp;
  in.dp = plan.dp;
  in.ep = plan.ep;
  in.etp = plan.etp;
  in.v_stages = plan.v_stages;
  in.microbatch_count = plan.microbatch_count;
  in.pipeline_schedule = plan.schedule;
  in.zero_stage = plan.zero_stage;
  in.sequence_parallel = plan.sequence_parallel;
  if (plan.optimizer_offloaded) in.offload = {training_memory::Offload::optimizer};
  return in;
}

// A layer that stands for all of a model known by its totals.
LayerKind plain_layer(const Totals& t) {
  constexpr std::int64_t kUsualWidth = 4;  // in widths of the model [vaswani2017]
  LayerKind kind;
  const std::int64_t d = *t.hidden, heads = t.heads.value_or(1);
  Attention& a = kind.attention;
  a.kind = AttentionKind::softmax;
  a.heads = heads;
  a.kv_heads = t.kv_heads.value_or(heads);
  a.head_dim = a.value_head_dim = t.head_dim.value_or(d / heads);
  kind.ffn.matrices = 2;
  const Totals::Split split = t.split();
  if (split.experts == 0) {
    kind.ffn.width = kUsualWidth * d;
    return kind;
  }
  const double per_layer = split.experts / as_double(*t.experts) / as_double(*t.layers);
  kind.ffn.experts = *t.experts;
  kind.ffn.top_k = *t.active_experts;
  kind.ffn.expert_width = std::llround(per_layer / as_double(2 * d));
  return kind;
}

physics::TrainingLoad load_of(const TrainingPlan& plan, double bytes) {
  const double micro_batch =
      std::ceil(as_double(plan.batch_size) / as_double(plan.dp) / as_double(plan.microbatch_count));
  return {.sequences = micro_batch,
          .tokens = as_double(plan.seq_len) / as_double(plan.cp),
          .context = as_double(plan.seq_len),
          .bytes = bytes,
          .tp = as_double(plan.tp),
          .etp = as_double(plan.etp),
          .sequence_parallel = plan.sequence_parallel,
          .recompute = plan.recompute};
}

// Activations of a stage of a model known by its totals.
void add_activations(const Totals& model, const TrainingPlan& plan, double bytes, Stage& stage) {
  const physics::TrainingLoad load = load_of(plan, bytes);
  const physics::KeptActivations kept =
      physics::kept_by_layer(plain_layer(model), *model.hidden, load);
  const physics::Pipeline pipeline{plan.schedule, plan.pp, plan.microbatch_count, plan.v_stages};
  stage.in_flight_micro_batches = physics::in_flight(pipeline, stage.stage);
  const double stored = *stage.in_flight_micro_batches * as_double(*stage.layers) * kept.stored;
  stage.activations = Bytes::from_base(stored + kept.working);
  const double sent =
      plan.pp > 1 ? 2 * load.sequences * load.tokens * as_double(*model.hidden) * bytes : 0;
  stage.buffers = stage.buffers.value_or(Bytes{}) + Bytes::from_base(sent);
  stage.total = *stage.total + *stage.activations + Bytes::from_base(sent);
}

void find_peak(TrainingMemory& memory) {
  for (const Stage& stage : memory.rows) {
    training_memory::Output& out = memory.output;
    if (stage.stage > 0 && *stage.total <= *out.total) continue;
    out.peak_stage = stage.stage;
    out.weights = stage.weights;
    out.gradients = stage.gradients;
    out.optimizer = stage.optimizer;
    out.activations = stage.activations;
    out.buffers = stage.buffers;
    out.total = stage.total;
  }
}

}  // namespace

Precision state_precision(const Totals& model, const physics::Setting& setting) {
  const Precision p = physics::weight_precision(model, setting);
  return is_quantised(p) ? Precision::bf16 : p;
}

TrainingMemory training_state(const Totals& model, const physics::Setting& setting,
                              const TrainingPlan& plan) {
  training_memory::Inputs in = inputs_of(model, setting, plan);
  if (model.layered && model.layered->model != nullptr) {
    in.batch_size = plan.batch_size;
    in.seq_len = plan.seq_len;
    return training_memory::solve(in, {.model = model.layered->model});
  }
  TrainingMemory memory = training_memory::solve(in, {.totals = &model});
  if (!model.hidden || !model.layers) return memory;
  for (Stage& stage : memory.rows) {
    add_activations(model, plan, bytes_per_element(in.precision), stage);
  }
  find_peak(memory);
  return memory;
}

}  // namespace ridgeline::solve
