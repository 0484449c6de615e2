// Rows of memory: KV bytes, weight files, checkpoints, training states, activations and peaks.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ridgeline/base/text.h"
#include "ridgeline/physics/gguf.h"
#include "ridgeline/physics/kv_cache.h"
#include "ridgeline/physics/weights.h"
#include "ridgeline/solve/checkpoint.h"
#include "ridgeline/solve/fit.h"
#include "ridgeline/validate/row_model.h"
#include "ridgeline/validate/training_peak.h"
#include "ridgeline/validate/validate.h"

namespace ridgeline::validate {
namespace {

namespace memory = solve::training_memory;

struct Unit {
  const char* name;
  double factor;
};
constexpr std::array kUnits = {
    Unit{"GiB", 1073741824.0},
    Unit{"GB(GiB)", 1073741824.0},
    Unit{"GB", 1e9},
    Unit{"MiB", 1048576.0},
    Unit{"kB (1000 B)", 1e3},
    Unit{"kB", 1e3},
    Unit{"B", 1.0},
    Unit{"%", 0.01},
};

std::optional<double> measured(const Row& row) {
  const std::optional<double> value = row.number("value");
  const auto it = std::find_if(kUnits.begin(), kUnits.end(),
                               [&](const Unit& u) { return row.text("unit") == u.name; });
  if (!value || it == kUnits.end()) return std::nullopt;
  return *value * it->factor;
}

Error unanswered(std::string message) {
  return {ErrorCode::missing, "", std::move(message), ""};
}

// ---- sizes that are arithmetic ----

Result<double> kv_per_token(const Row& row, const Registry& registry) {
  RIDGELINE_TRY(const Model model, model_of_row(row, registry));
  RIDGELINE_TRY(const physics::KvCache cache,
                physics::kv_cache(model, Precision::bf16, physics::MlaForm::latent));
  return cache.bytes_per_token;
}

Result<double> weight_bytes(const Row& row, const Registry& registry) {
  RIDGELINE_TRY(const Model model, model_of_row(row, registry));
  const std::string format = lower(row.text("precision"));
  const auto files = names_of(GgufFile{});
  const auto it = std::find_if(files.begin(), files.end(),
                               [&](const char* name) { return lower(name) == format; });
  if (it == files.end()) return unanswered(fmt::format("no weight format \"{}\"", format));
  const auto bits = physics::gguf_bits(model, static_cast<GgufFile>(it - files.begin()));
  return physics::model_weights(model, bits).bytes;
}

Result<double> checkpoint_bytes(const Row& row, const Registry&) {
  solve::checkpoint::Inputs in;
  in.model.params = row.number_or("params_b", 0) * 1e9;
  in.writer_bandwidth = gigabyte_per_second;  // no size depends on it
  RIDGELINE_TRY(const auto checked, solve::checkpoint::check(in));
  return solve::checkpoint::solve(checked).checkpoint.base();
}

// ---- training ----

// A model by its sums: rows of papers give no vocabulary.
Totals totals_of_row(const Row& row) {
  Totals out;
  out.params = row.number_or("params_b", 0) * 1e9;
  out.layers = row.count("layers");
  out.hidden = row.count("hidden");
  out.heads = row.count("heads");
  out.kv_heads = row.count("kv_heads");
  return out;
}

Result<memory::Output> paper_memory(const Row& row) {
  const Totals totals = totals_of_row(row);
  RIDGELINE_TRY(memory::Inputs in, training_inputs(row));
  in.activation_form = physics::ActivationForm::gpt;
  in.attention_kernel = physics::AttentionKernel::unfused;
  in.include_logits = false;
  in.gradient_precision = std::nullopt;
  if (!totals.layers) {
    in.batch_size = in.seq_len = std::nullopt;  // states alone are asked for
  }
  const solve::Subject subject{.totals = &totals};
  RIDGELINE_TRY(const memory::Inputs checked, memory::check(in, subject));
  return memory::solve(checked, subject).output;
}

Result<double> activations(const Row& row, const Registry&) {
  RIDGELINE_TRY(const memory::Output out, paper_memory(row));
  if (!out.activations) return unanswered("the row leaves lengths open");
  return out.activations->base();
}

// Megatron keeps fp32 gradients, 18 bytes in all; what the ZeRO paper counts has gradients of 16
// bits.
Result<double> state(const Row& row, const Registry&) {
  const Totals totals = totals_of_row(row);
  RIDGELINE_TRY(memory::Inputs in, training_inputs(row));
  if (!totals.layers) in.gradient_precision = std::nullopt;
  in.batch_size = in.seq_len = std::nullopt;
  const solve::Subject subject{.totals = &totals};
  RIDGELINE_TRY(const memory::Inputs checked, memory::check(in, subject));
  return memory::solve(checked, subject).output.state->base();
}

// Of the row's own activations over those of the same plan with everything kept and no sequence
// parallelism.
Result<double> relative_activations(const Row& row, const Registry& registry) {
  RIDGELINE_TRY(const double own, activations(row, registry));
  Table plain{.name = "", .columns = {}, .rows = {{}}};
  for (const char* column :
       {"params_b", "layers", "hidden", "heads", "kv_heads", "seq_len", "micro_batch",
        "global_batch_seqs", "tp", "pp", "vp_interleave", "dp", "cp", "precision"}) {
    plain.columns.emplace_back(column);
    plain.rows[0].emplace_back(row.text(column));
  }
  plain.columns.emplace_back("seq_parallel");
  plain.rows[0].emplace_back("0");
  RIDGELINE_TRY(const double whole, activations(Row(plain, 0), registry));
  return own / whole;
}

Result<double> peak(const Row& row, const Registry& registry) {
  RIDGELINE_TRY(const Model model, model_of_row(row, registry));
  RIDGELINE_TRY(const Bytes bytes, training_peak(row, model));
  return bytes.base();
}

// ---- inference ----

// A GPT of which the row gives depth and width: feed-forward part of 4 d, the rest vocabulary.
Model gpt_of_row(const Row& row) {
  Model model;
  const std::int64_t d = row.count_or("hidden", 1), layers = row.count_or("layers", 1);
  model.name = row.text("model");
  model.hidden = model.embedding_width = d;
  model.tied_embeddings = true;
  model.final_norm_params = 2 * d;
  LayerKind kind{.norm_params = 4 * d};
  kind.attention.kind = AttentionKind::softmax;
  kind.attention.heads = row.count_or("heads", 1);
  kind.attention.kv_heads = row.count_or("kv_heads", kind.attention.heads);
  kind.attention.head_dim = kind.attention.value_head_dim =
      std::max<std::int64_t>(1, d / std::max<std::int64_t>(1, kind.attention.heads));
  kind.ffn.width = 4 * d;
  kind.ffn.matrices = 2;
  model.kinds = {kind};
  model.layers.assign(static_cast<std::size_t>(layers), 0);
  const double in_layers = 12.0 * static_cast<double>(layers) * static_cast<double>(d * d);
  const double left = row.number_or("params_b", 0) * 1e9 - in_layers;
  model.vocab = std::max<std::int64_t>(1, std::llround(left / static_cast<double>(d)));
  return model;
}

Result<double> inference(const Row& row, const Registry&) {
  constexpr std::int64_t kMostLayers = 10'000;
  if (row.count_or("hidden", 0) < 1 || row.count_or("layers", kMostLayers) >= kMostLayers) {
    return unanswered("the row gives no depth and width");
  }
  const Model model = gpt_of_row(row);
  solve::fit::Inputs in;
  in.context = row.count_or("seq_len", 1);
  in.batch = row.count_or("micro_batch", 1);
  in.tp = row.count_or("tp", 1);
  in.memory = 80 * gigabyte;
  const solve::Subject subject{.model = &model};
  RIDGELINE_TRY(const auto checked, solve::fit::check(in, subject));
  const auto answer = solve::fit::solve(checked, subject);
  if (answer.rows.empty() || !answer.rows[0].total) return unanswered("no total");
  return answer.rows[0].total->base();
}

struct Kind {
  const char* name;
  const char* quantity;
  Result<double> (*answer)(const Row& row, const Registry& registry);
};
constexpr std::array kKinds = {
    Kind{"kv-cache-per-token", "kv_bytes_per_token", kv_per_token},
    Kind{"weights-file", "weights_bytes", weight_bytes},
    Kind{"checkpoint", "checkpoint_bytes", checkpoint_bytes},
    Kind{"train-state", "state_bytes", state},
    Kind{"train-activations", "activations_bytes", activations},
    Kind{"train-activations-relative", "activations_fraction", relative_activations},
    Kind{"train-peak", "peak_memory", peak},
    Kind{"inference-total", "memory_bytes", inference},
};

std::string class_of(std::string_view kind) {
  return fmt::format("memory/{}", kind);
}

}  // namespace

void add_memory(const Table& table, const Registry& registry, Findings& out) {
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const Row row(table, i);
    const Classes classes = {class_of(row.text("kind"))};
    const auto kind = std::find_if(kKinds.begin(), kKinds.end(),
                                   [&](const Kind& k) { return row.text("kind") == k.name; });
    const auto skip = [&](std::string reason) {
      const char* quantity = kind == kKinds.end() ? "other" : kind->quantity;
      out.skipped.push_back({row.id(), classes, quantity, std::move(reason)});
    };
    const std::optional<double> value = measured(row);
    if (!row.is("complete_inputs")) {
      skip("the source leaves inputs open");
    } else if (kind == kKinds.end()) {
      skip(fmt::format("no solver answers \"{}\"", row.text("kind")));
    } else if (!value || *value <= 0) {
      skip("no value in a known unit");
    } else if (const auto answer = kind->answer(row, registry); answer) {
      out.predictions.push_back(
          {row.id(), classes, kind->quantity, *value, *answer, physics::Basis::datasheet});
    } else {
      skip(answer.error().message);
    }
  }
}

}  // namespace ridgeline::validate
