// Rows of training steps, by the solver `distributed`; their peaks by training-memory.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "ridgeline/base/text.h"
#include "ridgeline/physics/pace.h"
#include "ridgeline/physics/totals.h"
#include "ridgeline/solve/distributed.h"
#include "ridgeline/validate/row_model.h"
#include "ridgeline/validate/training_peak.h"
#include "ridgeline/validate/validate.h"

namespace ridgeline::validate {
namespace {

namespace distributed = solve::distributed;

struct Format {
  const char* part;  // of the row's word, in lower case; the first that is found
  Precision precision;
};
constexpr std::array kFormats = {
    Format{"nvfp4", Precision::nvfp4}, Format{"fp8", Precision::fp8},
    Format{"fp16", Precision::fp16},   Format{"bf16", Precision::bf16},
    Format{"fp32", Precision::fp32},
};

std::optional<Precision> format_of(std::string_view text) {
  const std::string word = lower(text);
  for (const Format& f : kFormats) {
    if (word.find(f.part) != std::string::npos) return f.precision;
  }
  return std::nullopt;
}

bool names(const Row& row, const char* word) {
  for (const char* column : {"model", "notes", "id", "gpu", "source"}) {
    if (lower(row.text(column)).find(word) != std::string::npos) return true;
  }
  return false;
}

// What makes a row unfit for comparison; empty: nothing.
std::string why_not(const Row& row) {
  if (!row.is("complete_inputs")) return "the source leaves inputs open";
  if (names(row, "grok")) return "recomputation is not stated";
  if (names(row, "maxtext")) return "recomputation is not stated";
  if (names(row, "hbm2e")) return "the devices are power-capped";
  const bool adapters = names(row, "-lora") || names(row, "-sft");
  if (adapters) return "frozen weights or masked tokens are not stated";
  if (row.count_or("layers", 2) == 1) return "a single layer is no model";
  const std::int64_t ranks =
      row.count_or("tp", 1) * row.count_or("pp", 1) * row.count_or("dp", 1) * row.count_or("cp", 1);
  if (ranks != row.count_or("n_gpus", 0)) {
    return fmt::format("the plan has {} ranks, the machine {} devices", ranks,
                       row.count_or("n_gpus", 0));
  }
  return {};
}

Classes classes_of(const Row& row) {
  const bool routed = row.text("arch").substr(0, 3) == "moe";
  const char* kind = routed ? "moe" : is_eager(row) ? "eager-dense" : "megatron-dense";
  return {fmt::format("train/{}", kind), "train/all"};
}

// Frameworks send gradients while the backward pass runs; rows that switch it off say so.
bool overlaps(const Row& row) {
  return !names(row, "overlap off");
}

Result<distributed::Inputs> inputs_of(const Row& row, const Model& model,
                                      const Registry& registry) {
  const std::optional<Precision> precision = format_of(row.text("precision"));
  if (!precision) {
    return Error{ErrorCode::bad_value, "",
                 fmt::format("no number format \"{}\"", row.text("precision")), ""};
  }
  RIDGELINE_TRY(const auto memory, training_inputs(row));
  distributed::Inputs in;
  RIDGELINE_TRY(in.machine, registry.cluster(row.text("gpu"), row.count_or("n_gpus", 1)));
  in.model = physics::totals_of(model);
  in.setting.precision = in.setting.activation_precision = precision;
  in.batch_size = row.count_or("global_batch_seqs", *memory.batch_size);
  in.seq_len = *memory.seq_len;
  distributed::Degrees& d = in.degrees;
  d.tp = memory.tp;
  d.cp = memory.cp;
  d.pp = memory.pp;
  d.dp = memory.dp;
  d.ep = memory.ep;
  d.v_stages = memory.v_stages;
  d.microbatch_count = memory.microbatch_count;
  if (d.v_stages > 1) d.pipeline_schedule = physics::Schedule::interleaved;
  in.zero_stage = memory.zero_stage;
  in.traffic.sequence_parallel = memory.sequence_parallel;
  in.traffic.overlap_comm = overlaps(row);
  in.activation_recomputation = memory.activation_checkpointing;
  return distributed::check(in);
}

struct Times {
  double step_s = 0;
  double tokens_per_s_per_device = 0;
  double least_s = 0;  // that the model's FLOP take at the dense peaks of all devices
  physics::Basis basis = physics::Basis::estimate;
};

Result<Times> times_of(const Row& row, const Model& model, const Registry& registry) {
  RIDGELINE_TRY(const distributed::Inputs in, inputs_of(row, model, registry));
  const distributed::Output out = distributed::solve(in).output;
  return Times{out.step.base(), out.tokens_per_s_per_device, out.step.base() * out.mfu_fraction,
               physics::basis_of(in.machine.device, in.setting)};
}

// What of a row's times is not answered.
void skip_times(const Row& row, const std::string& reason, Findings& out) {
  const bool speed = row.number("tokens_per_s_per_gpu").has_value();
  if (row.number("iter_time_s") || !speed) {
    out.skipped.push_back({row.id(), classes_of(row), "iter_time", reason});
  }
  if (speed) out.skipped.push_back({row.id(), classes_of(row), "tokens_per_s_per_gpu", reason});
}

void add_times(const Row& row, const Model& model, const Registry& registry, Findings& out) {
  const Classes classes = classes_of(row);
  const std::optional<double> step = row.number("iter_time_s");
  const std::optional<double> speed = row.number("tokens_per_s_per_gpu");
  if (!step && !speed) return skip_times(row, "no time is given", out);
  const auto times = times_of(row, model, registry);
  const auto add = [&](const char* quantity, const std::optional<double>& measured,
                       double predicted) {
    if (!measured || *measured <= 0) return;
    out.predictions.push_back({row.id(), classes, quantity, *measured, predicted, times->basis});
  };
  if (!times) return skip_times(row, times.error().message, out);
  if (step && *step < times->least_s) {
    return skip_times(row,
                      fmt::format("{:.4g} s is less than the {:.4g} s that its FLOP take at the "
                                  "dense peak",
                                  *step, times->least_s),
                      out);
  }
  add("iter_time", step, times->step_s);
  add("tokens_per_s_per_gpu", speed, times->tokens_per_s_per_device);
}

void add_peak(const Row& row, const Model& model, Findings& out) {
  const std::optional<double> gib = row.number("peak_mem_gib");
  if (!gib || *gib <= 0) return;
  const auto peak = training_peak(row, model);
  if (!peak) {
    out.skipped.push_back({row.id(), classes_of(row), "peak_memory", peak.error().message});
    return;
  }
  out.predictions.push_back({row.id(), classes_of(row), "peak_memory", *gib * gibibyte.base(),
                             peak->base(), physics::Basis::datasheet});
}

}  // namespace

void add_training(const Table& table, const Registry& registry, Findings& out) {
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const Row row(table, i);
    std::string reason = why_not(row);
    const auto model = model_of_row(row, registry);
    if (reason.empty() && !model) reason = model.error().message;
    if (!reason.empty()) {
      skip_times(row, reason, out);
      continue;
    }
    add_times(row, *model, registry, out);
    add_peak(row, *model, out);
  }
}

}  // namespace ridgeline::validate
