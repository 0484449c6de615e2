#include "ridgeline/validate/training_peak.h"

#include <algorithm>
#include <string>

#include "ridgeline/base/text.h"

namespace ridgeline::validate {
namespace {

namespace memory = solve::training_memory;
using physics::Recompute;

constexpr double kEagerLogitBytes = 14;

Result<Recompute> recompute_of(std::string_view word) {
  if (word.empty()) return Recompute::none;  // Megatron-class tables that say nothing mean none
  const auto names = names_of(Recompute{});
  const auto it = std::find(names.begin(), names.end(), word);
  if (it != names.end()) return static_cast<Recompute>(it - names.begin());
  return Error{ErrorCode::bad_value, "",
               "its recomputation \"" + std::string(word) + "\" is unknown", ""};
}

bool contains(std::string_view text, const char* part) {
  return lower(text).find(part) != std::string::npos;
}

// Chunks per stage. Trainers that count the table and the head as layers (126 layers as 16 x 8
// chunks) leave chunks of fewer layers, which the solvers do not: as many chunks as there are
// layers for.
std::int64_t chunks_of(const Row& row, std::int64_t pp) {
  const std::int64_t asked = row.count_or("vp_interleave", 1), layers = row.count_or("layers", 0);
  if (layers < 1 || pp < 1 || asked * pp <= layers) return asked;
  return std::max<std::int64_t>(1, layers / pp);
}

}  // namespace

bool is_eager(const Row& row) {
  const bool fully_sharded = row.count_or("zero_stage", 0) == 3;
  return fully_sharded || row.count_or("fsdp_shard", 0) > 0;
}

Result<memory::Inputs> training_inputs(const Row& row) {
  RIDGELINE_TRY(const Recompute recompute, recompute_of(row.text("recompute")));
  memory::Inputs in;
  const std::int64_t mb = row.count_or("micro_batch", 1), dp = row.count_or("dp", 1);
  in.seq_len = row.count_or("seq_len", 2048);
  in.tp = row.count_or("tp", 1);
  in.pp = row.count_or("pp", 1);
  in.dp = dp;
  in.cp = row.count_or("cp", 1);
  in.ep = row.count_or("ep", 1);
  in.v_stages = chunks_of(row, in.pp);
  // A pipeline is full where it has as many micro-batches as stages; more change no peak.
  const std::int64_t batch = row.count_or("global_batch_seqs", mb * dp * 2 * in.pp);
  in.microbatch_count = row.count_or(
      "grad_accum", std::max<std::int64_t>(1, batch / std::max<std::int64_t>(1, mb * dp)));
  in.batch_size = mb * dp * in.microbatch_count;
  in.zero_stage = row.count_or("zero_stage", 0);
  in.sequence_parallel = row.number_or("seq_parallel", 1) != 0;  // on wherever trainers have tp
  in.activation_checkpointing = recompute;
  in.gradient_precision = StoredPrecision::fp32;
  if (contains(row.text("precision"), "fp16")) in.precision = Precision::fp16;
  if (is_eager(row)) in.logits_bytes_per_value = kEagerLogitBytes;
  return in;
}

Result<Bytes> training_peak(const Row& row, const Model& model) {
  RIDGELINE_TRY(const memory::Inputs given, training_inputs(row));
  const solve::Subject subject{.model = &model};
  RIDGELINE_TRY(const memory::Inputs in, memory::check(given, subject));
  const auto answer = memory::solve(in, subject);
  if (!answer.output.total) {
    return Error{ErrorCode::missing, "", "the row leaves lengths open", ""};
  }
  return *answer.output.total;
}

}  // namespace ridgeline::validate
