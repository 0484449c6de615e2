#include "ridgeline/solve/training_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ridgeline/physics/memory.h"
#include "ridgeline/physics/weights.h"
#include "ridgeline/solve/checks.h"

namespace ridgeline::solve::training_memory {
namespace {

using physics::KeptActivations;
using physics::StageLayers;

constexpr double kGatheredLayers = 2;  // the one in use and the next
constexpr double kMasterBytes = 4;
constexpr std::int64_t kMostStages = 65'536;
constexpr std::int64_t kMostMicroBatches = 1'000'000'000;

double as_double(std::int64_t n) {
  return static_cast<double>(n);
}

Bytes bytes(double n) {
  return Bytes::from_base(n);
}

bool offloads(const Inputs& in, Offload what) {
  return std::find(in.offload.begin(), in.offload.end(), what) != in.offload.end();
}

std::int64_t layers_of(const Subject& s) {
  return s.model != nullptr ? s.model->layer_count() : s.totals->layers.value_or(0);
}

// ---- check ----

Status check_formats(const Inputs& in) {
  const bool too_narrow = bytes_per_element(in.precision) < 1;
  if (too_narrow) {
    return out_of_range("precision", "weights of fewer than 8 bits are not trained",
                        "8 to 32 bits");
  }
  const StoredPrecision master = in.master_weights.value_or(StoredPrecision::none);
  if (master != StoredPrecision::none && master != StoredPrecision::fp32) {
    return out_of_range("master_weights", "a master copy is kept in fp32", "fp32 or none");
  }
  if (in.zero_stage >= 0 && in.zero_stage <= 3) return Ok{};
  return out_of_range("zero_stage", fmt::format("zero_stage is {}", in.zero_stage), "0 to 3");
}

Status check_ranges(const Inputs& in) {
  RIDGELINE_CHECK(check_count("batch_size", in.batch_size, 1));
  RIDGELINE_CHECK(check_count("seq_len", in.seq_len, 1));
  RIDGELINE_CHECK(check_count("v_stages", in.v_stages, 1));
  RIDGELINE_CHECK(check_count("microbatch_count", in.microbatch_count, 1, kMostMicroBatches));
  RIDGELINE_CHECK(check_fraction("trainable_fraction", in.trainable_fraction));
  RIDGELINE_CHECK(
      check_not_negative("communication_buffer_fraction", in.communication_buffer_fraction));
  RIDGELINE_CHECK(check_not_negative("fragmentation_fraction", in.fragmentation_fraction));
  RIDGELINE_CHECK(check_not_negative("logits_bytes_per_value", in.logits_bytes_per_value));
  RIDGELINE_CHECK(check_positive("largest_layer_params", in.largest_layer_params));
  RIDGELINE_CHECK(check_positive("memory", in.memory));
  return check_share("memory_utilization", in.memory_utilization);
}

Status check_stages(const Inputs& in, const Subject& subject) {
  const std::int64_t layers = layers_of(subject);
  if (in.pp > kMostStages) {
    return out_of_range("pp", fmt::format("pp is {}", in.pp),
                        fmt::format("at most {}", kMostStages));
  }
  if (layers > 0 && in.v_stages > layers / in.pp) {
    return out_of_range(in.v_stages > 1 ? "v_stages" : "pp",
                        fmt::format("{} x {} chunks for {} layers", in.pp, in.v_stages, layers),
                        "pp x v_stages of at most the layers");
  }
  if (in.pp_layers.empty()) return Ok{};
  const auto entries = static_cast<std::int64_t>(in.pp_layers.size());
  for (const std::int64_t n : in.pp_layers) {
    RIDGELINE_CHECK(check_count("pp_layers", n, 1, std::max<std::int64_t>(layers, 1)));
  }
  const std::int64_t sum = std::accumulate(in.pp_layers.begin(), in.pp_layers.end(), 0LL);
  if (entries == in.pp && sum == layers) return Ok{};
  return conflict("pp_layers",
                  fmt::format("{} stages of {} layers in all, for pp {} and {} layers", entries,
                              sum, in.pp, layers),
                  "one entry per stage, which add up to the layers");
}

// ---- solve ----

struct Held {  // parameters of one device, before ZeRO
  double dense = 0;
  double experts = 0;
  double largest_layer = 0;
  double largest_matrix = 0;

  double all() const { return dense + experts; }
};

struct Question {
  const Inputs& in;
  const Subject& subject;
  std::vector<StageLayers> stages;
  bool counts = false;  // parameters are known
  std::int64_t micro_batch = 0;

  double data_ranks() const { return as_double(in.dp * in.cp); }
  double expert_data_ranks() const {
    return data_ranks() * as_double(in.tp) / as_double(in.ep * *in.etp);
  }
  bool has_load() const { return in.batch_size && in.seq_len; }
};

Held held_of_totals(const Question& q, const StageLayers& layers) {
  const Totals& t = *q.subject.totals;
  const Totals::Split parts = t.split();
  const double share =
      t.layers ? as_double(layers.count) / as_double(*t.layers) : 1.0 / as_double(q.in.pp);
  const double largest = q.in.largest_layer_params.value_or(0);
  return {parts.shared / as_double(q.in.tp) * share,
          parts.experts / as_double(q.in.ep * *q.in.etp) * share, largest / as_double(q.in.tp),
          0};  // (1)
}

Held held_of_stage(const Question& q, const StageLayers& layers) {
  if (q.subject.model == nullptr) return held_of_totals(q, layers);
  const Model& model = *q.subject.model;
  const physics::WeightBits bits = physics::weight_bits(model, {.precision = q.in.precision});
  const physics::StageWeights w =
      physics::stage_weights(model, bits, {q.in.tp, q.in.ep, *q.in.etp}, layers);
  const double largest = q.in.largest_layer_params ? *q.in.largest_layer_params / as_double(q.in.tp)
                                                   : w.largest_layer_params;
  return {w.dense_params, w.expert_params, largest, w.largest_matrix_params};
}

// DualPipe runs a stage from each end on every device.
bool is_two_ended(const Inputs& in) {
  return in.pipeline_schedule == physics::Schedule::dualpipe && in.pp > 1;
}

Held held_by(const Question& q, std::size_t stage) {
  Held held = held_of_stage(q, q.stages[stage]);
  if (!is_two_ended(q.in)) return held;
  const Held other = held_of_stage(q, q.stages[q.stages.size() - 1 - stage]);
  return {held.dense + other.dense, held.experts + other.experts,
          std::max(held.largest_layer, other.largest_layer),
          std::max(held.largest_matrix, other.largest_matrix)};
}

double sharded(const Question& q, const Held& held, std::int64_t from_stage) {
  if (q.in.zero_stage < from_stage) return held.all();
  return held.dense / q.data_ranks() + held.experts / q.expert_data_ranks();
}

double gradient_bytes(const Inputs& in) {
  return bytes_per_element(in.gradient_precision.value_or(stored(in.precision)));
}

// (8)
double gathered_bytes(const Question& q, const Held& held) {
  const bool gathers = q.in.zero_stage == 3 || offloads(q.in, Offload::weights);
  return gathers ? kGatheredLayers * held.largest_layer * bytes_per_element(q.in.precision) : 0;
}

double passing_gradient_bytes(const Question& q, const Held& held) {
  const double made = bytes_per_element(q.in.precision), added = gradient_bytes(q.in);
  const bool known = q.subject.model != nullptr && q.has_load() && q.in.trainable_fraction > 0;
  if (!known || added == made || added == 0) return 0;
  return (made + added) * (q.in.zero_stage >= 2 ? held.largest_layer : held.largest_matrix);
}

void put_state(const Question& q, const Held& held, Stage& s) {
  const double f = q.in.trainable_fraction;
  s.params = held.all();
  s.weights = bytes(sharded(q, held, 3) * bytes_per_element(q.in.precision));  // (2)
  s.gradients = bytes(sharded(q, held, 2) * f * gradient_bytes(q.in));
  s.optimizer = bytes(sharded(q, held, 1) * f * optimizer_bytes_per_param(q.in));
  s.working = bytes(gathered_bytes(q, held) + passing_gradient_bytes(q, held));
  const auto move = [&](Offload what, std::optional<Bytes>& part) {
    if (!offloads(q.in, what)) return;
    s.host = s.host.value_or(Bytes{}) + *part;
    part = Bytes{};
  };
  move(Offload::weights, s.weights);
  move(Offload::gradients, s.gradients);
  move(Offload::optimizer, s.optimizer);
}

physics::TrainingLoad load_of(const Question& q) {
  const Inputs& in = q.in;
  const double s = as_double(*in.seq_len);
  return {.sequences = as_double(q.micro_batch),
          .tokens = s / as_double(in.cp),
          .context = s,
          .bytes = bytes_per_element(in.precision),
          .tp = as_double(in.tp),
          .etp = as_double(*in.etp),
          .mask_bytes = in.dropout ? 1.0 : 0.0,
          .sequence_parallel = in.sequence_parallel,
          .recompute = in.activation_checkpointing,
          .kernel = in.attention_kernel};
}

struct LayerSums {
  double stored = 0;   // of all layers of the stage
  double working = 0;  // the largest
  double largest = 0;  // stored by one layer
};

void add(const KeptActivations& kept, double layers, LayerSums& sums) {
  sums.stored += layers * kept.stored;
  sums.working = std::max(sums.working, kept.working);
  sums.largest = std::max(sums.largest, kept.stored);
}

std::optional<physics::GptShape> gpt_shape(const Subject& subject) {
  if (subject.totals != nullptr) {
    const Totals& t = *subject.totals;
    if (!t.hidden || !t.layers) return std::nullopt;
    return physics::GptShape{as_double(*t.hidden), as_double(t.heads.value_or(0))};
  }
  std::int64_t heads = 0;
  for (const LayerKind& kind : subject.model->kinds) heads = std::max(heads, kind.attention.heads);
  if (subject.model->hidden == 0) return std::nullopt;
  return physics::GptShape{as_double(subject.model->hidden), as_double(heads)};
}

// What the layers of a stage keep per micro-batch; empty where their shape is not known.
std::optional<LayerSums> layer_sums(const Question& q, const StageLayers& layers) {
  const physics::TrainingLoad load = load_of(q);
  const bool by_gpt =
      q.subject.model == nullptr || q.in.activation_form == physics::ActivationForm::gpt;
  LayerSums sums;
  if (by_gpt) {
    const auto shape = gpt_shape(q.subject);
    if (!shape) return std::nullopt;
    add(physics::kept_by_gpt_layer(*shape, load), as_double(layers.count), sums);
    return sums;
  }
  const Model& model = *q.subject.model;
  if (!q.counts) return std::nullopt;
  for (std::int64_t i = layers.first; i < layers.first + layers.count; ++i) {
    const LayerKind& kind = model.kinds[model.layers[static_cast<std::size_t>(i)]];
    add(physics::kept_by_layer(kind, model.hidden, load), 1, sums);
  }
  return sums;
}

std::optional<LayerSums> sums_by(const Question& q, std::size_t stage) {
  std::optional<LayerSums> sums = layer_sums(q, q.stages[stage]);
  if (!sums || !is_two_ended(q.in)) return sums;
  const auto other = layer_sums(q, q.stages[q.stages.size() - 1 - stage]);
  return other->stored > sums->stored ? other : sums;
}

void put_activations(const Question& q, std::size_t stage, Stage& s) {
  const std::optional<LayerSums> sums = sums_by(q, stage);
  if (!sums) return;
  const physics::Pipeline pipeline{q.in.pipeline_schedule, q.in.pp, q.in.microbatch_count,
                                   q.in.v_stages};
  s.in_flight_micro_batches = physics::in_flight(pipeline, static_cast<std::int64_t>(stage));
  const double stored = *s.in_flight_micro_batches * sums->stored;
  if (offloads(q.in, Offload::activations)) {
    const double passing = std::min(stored, kGatheredLayers * sums->largest);
    s.activations = bytes(passing + sums->working);
    s.host = s.host.value_or(Bytes{}) + bytes(stored - passing);
  } else {
    s.activations = bytes(stored + sums->working);  // (4)
  }
}

double hidden_of(const Subject& s) {
  return s.model != nullptr ? as_double(s.model->hidden) : as_double(s.totals->hidden.value_or(0));
}

void put_logits_and_buffers(const Question& q, const StageLayers& layers, Stage& s) {
  const double tokens = as_double(q.micro_batch) * as_double(*q.in.seq_len) / as_double(q.in.cp);
  if (q.subject.model != nullptr) {
    const bool here = layers.is_last && q.in.include_logits;
    const double values = tokens * as_double(q.subject.model->vocab) / as_double(q.in.tp);
    s.logits = bytes(here ? q.in.logits_bytes_per_value * values : 0);  // (6)
  }
  if (q.in.pp == 1) return;
  const double sent = tokens * hidden_of(q.subject) * bytes_per_element(q.in.precision);
  s.buffers = s.buffers.value_or(Bytes{}) + bytes(2 * sent);  // (7)
}

Stage stage_of(const Question& q, std::size_t index) {
  Stage s;
  s.stage = static_cast<std::int64_t>(index);
  const StageLayers& layers = q.stages[index];
  if (layers.count > 0) s.layers = layers.count;
  if (q.counts) {
    put_state(q, held_by(q, index), s);
    s.buffers = q.in.communication_buffer_fraction * *s.gradients;  // (7)
  }
  if (q.has_load()) {
    put_activations(q, index, s);
    put_logits_and_buffers(q, layers, s);
  }
  Bytes sum;
  for (const std::optional<Bytes>& part :
       {s.weights, s.gradients, s.optimizer, s.activations, s.working, s.buffers, s.logits}) {
    sum = sum + part.value_or(Bytes{});
  }
  s.total = (1 + q.in.fragmentation_fraction) * sum;  // (9)
  return s;
}

Question question_of(const Inputs& in, const Subject& subject, std::int64_t micro_batch) {
  Question q{in, subject, physics::stages_of(layers_of(subject), in.pp, in.pp_layers)};
  q.counts = subject.model == nullptr || subject.model->why_no_count.empty();
  q.micro_batch = micro_batch;
  return q;
}

std::int64_t micro_batch_of(const Inputs& in) {
  if (!in.batch_size) return 0;
  return (*in.batch_size - 1) / (in.dp * in.microbatch_count) + 1;  // (5)
}

// Every part is linear in the micro-batch: two points tell where the memory is full.
std::optional<std::int64_t> largest_micro_batch(const Inputs& in, const Subject& subject) {
  if (!in.memory || !in.seq_len) return std::nullopt;
  Inputs one_sequence = in;
  one_sequence.batch_size = 1;
  const Question one = question_of(one_sequence, subject, 1),
                 two = question_of(one_sequence, subject, 2);
  const double room = in.memory_utilization * in.memory->base();
  std::optional<std::int64_t> least;
  for (std::size_t i = 0; i < one.stages.size(); ++i) {
    const Stage a = stage_of(one, i), b = stage_of(two, i);
    if (!a.activations) return std::nullopt;
    const double step = b.total->base() - a.total->base();
    const double fixed = a.total->base() - step;
    if (step <= 0) continue;
    const double most = std::clamp(std::floor((room - fixed) / step), 0.0, 1e15);
    least = std::min(least.value_or(std::int64_t{1} << 60), static_cast<std::int64_t>(most));
  }
  return least;
}

Output output_of(const Question& q, const std::vector<Stage>& rows) {
  std::size_t peak = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (*rows[i].total > *rows[peak].total) peak = i;
  }
  const Stage& s = rows[peak];
  Output out{.peak_stage = s.stage,
             .weights = s.weights,
             .gradients = s.gradients,
             .optimizer = s.optimizer,
             .activations = s.activations,
             .working = s.working,
             .buffers = s.buffers,
             .logits = s.logits,
             .total = s.total,
             .host = s.host};
  if (q.micro_batch > 0) out.micro_batch = q.micro_batch;
  if (q.counts) {
    out.state = *s.weights + *s.gradients + *s.optimizer;
    out.resident_state = *out.state + bytes(gathered_bytes(q, held_by(q, peak)));
    if (*s.params > 0) out.state_bytes_per_param = out.state->base() / *s.params;
  }
  if (q.has_load()) {
    const auto sums = sums_by(q, peak);
    if (sums) out.activations_bytes_per_layer = sums->largest;
  }
  return out;
}

}  // namespace

double optimizer_bytes_per_param(const Inputs& in) {
  const double moment = bytes_per_element(in.optimizer_precision);
  const StoredPrecision usual =
      in.precision == Precision::fp32 ? StoredPrecision::none : StoredPrecision::fp32;
  const bool has_master = in.master_weights.value_or(usual) == StoredPrecision::fp32;
  const double master = has_master ? kMasterBytes : 0;
  switch (in.optimizer) {  // (3)
    case Optimizer::adam:
    case Optimizer::adamw: return 2 * moment + master;
    case Optimizer::sgd_momentum: return moment + master;
    case Optimizer::sgd: return master;
    case Optimizer::adam_8bit: return 2 * bytes_per_element(Precision::int8) + master;
    case Optimizer::none: return 0;
  }
  return 0;
}

Result<Inputs> check(const Inputs& given, const Subject& subject) {
  Inputs in = given;
  RIDGELINE_CHECK(check_has_model(subject));
  RIDGELINE_CHECK(check_formats(in));
  RIDGELINE_CHECK(check_ranges(in));
  if (in.pp == 1 && !in.pp_layers.empty()) in.pp = static_cast<std::int64_t>(in.pp_layers.size());
  in.etp = expert_tp(in.etp, in.ep, in.tp);
  RIDGELINE_CHECK(
      check_degrees(subject, {in.tp, in.pp, in.dp, in.cp, in.ep, *in.etp}, Heads::as_they_are));
  RIDGELINE_CHECK(check_stages(in, subject));
  if (!in.memory && subject.machine != nullptr) {
    const double usable = physics::usable_bytes(*subject.machine);
    if (usable > 0) in.memory = bytes(usable);
  }
  return in;
}

Answer<Output, Stage> solve(const Inputs& in, const Subject& subject) {
  const Question q = question_of(in, subject, micro_batch_of(in));
  Answer<Output, Stage> answer;
  for (std::size_t i = 0; i < q.stages.size(); ++i) answer.rows.push_back(stage_of(q, i));
  answer.output = output_of(q, answer.rows);
  answer.output.largest_micro_batch = largest_micro_batch(in, subject);
  if (in.memory) {
    const Bytes total = *answer.output.total;
    answer.output.utilization_fraction = total / *in.memory;
    answer.output.feasible = total <= in.memory_utilization * *in.memory;
  }
  return answer;
}

}  // namespace ridgeline::solve::training_memory
