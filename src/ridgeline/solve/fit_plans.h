// What else would fit: every plan of a machine's devices, and the smallest of many machines; and
// how fast the model would be there.
//
//   speed = one pass by physics/lower and physics/cost: decode of the batch at the full context,
//   and
//           prefill of one sequence of it. Data-sheet rates: a bound, not a forecast.
//   smallest machine: the fitting plan with the least memory in all (devices x capacity), then the
//           fewest devices, then the order given. Each is one `fit` [see fit.h]; nothing is assumed
//           on top of it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/units.h"
#include "ridgeline/physics/cost.h"
#include "ridgeline/solve/answer.h"
#include "ridgeline/solve/fit.h"
#include "ridgeline/solve/subject.h"
#include "ridgeline/spec/engine.h"

namespace ridgeline::solve::fit_plans {

enum class SpeedBasis : std::uint8_t {
  datasheet,  // peak rates, nothing measured
  estimate    // a share of the peak, or layers whose cost is an estimate
};

inline std::span<const char* const> names_of(SpeedBasis) {
  static constexpr std::array<const char*, 2> kNames = {"datasheet", "estimate"};
  return kNames;
}

struct Speed {
  Seconds decode_latency;  // one token of every sequence
  double decode_tokens_per_s = 0;
  Seconds prefill_latency;  // the context of one sequence
  Bound decode_bound = Bound::memory;
  SpeedBasis basis = SpeedBasis::datasheet;

  static constexpr auto fields() {
    return std::tuple(
        field(&Speed::decode_latency, "decode_latency", "", "one token of every sequence"),
        field(&Speed::decode_tokens_per_s, "decode_tokens_per_s", "", "of all sequences"),
        field(&Speed::prefill_latency, "prefill_latency", "", "the context of one sequence"),
        field(&Speed::decode_bound, "decode_bound", "", "what takes most of a decode step"),
        field(&Speed::basis, "basis", "", "how far the times can be trusted"));
  }
};

// Empty for totals, partial models, no context, no machine, or a plan that cannot be placed on it.
// REQUIRES: `in` came from fit::check(), `found` is its answer, whose mean bits per weight are
// read.
std::optional<Speed> speed_of(const fit::Inputs& in, const Subject& subject,
                              const fit::Output& found);

struct Row {
  std::int64_t machine = 0;  // index in the list given
  std::int64_t devices = 1, tp = 1, pp = 1, dp = 1, ep = 1, etp = 1;
  bool fits = false;
  Bytes total_memory;  // of all devices, as sold
  std::optional<Bytes> headroom;
  std::optional<std::int64_t> kv_tokens_capacity;  // over all replicas
  std::optional<std::int64_t> max_context_tokens, max_batch;
  std::optional<Seconds> decode_latency, prefill_latency;
  std::optional<double> decode_tokens_per_s;

  static constexpr auto fields() {
    return std::tuple(
        field(&Row::machine, "machine", "", "index in the list given"),
        field(&Row::devices, "devices", "", "devices used"),
        field(&Row::tp, "tp", "", "tensor-parallel ranks"),
        field(&Row::pp, "pp", "", "pipeline stages"), field(&Row::dp, "dp", "", "replicas"),
        field(&Row::ep, "ep", "", "expert-parallel ranks"),
        field(&Row::etp, "etp", "", "ranks that share one expert"),
        field(&Row::fits, "fits", "", "every rank holds what is asked"),
        field(&Row::total_memory, "total_memory", "", "of all devices, as sold"),
        field(&Row::headroom, "headroom", "", "usable less needed, of the fullest rank"),
        field(&Row::kv_tokens_capacity, "kv_tokens_capacity", "", "over all replicas"),
        field(&Row::max_context_tokens, "max_context_tokens", "", "longest context of the batch"),
        field(&Row::max_batch, "max_batch", "", "sequences of the context"),
        field(&Row::decode_latency, "decode_latency", "", "one token of every sequence"),
        field(&Row::prefill_latency, "prefill_latency", "", "the context of one sequence"),
        field(&Row::decode_tokens_per_s, "decode_tokens_per_s", "", "of all sequences"));
  }
};

// Indices of rows; empty when none fits.
struct Output {
  std::optional<std::int64_t> smallest;     // least memory in all
  std::optional<std::int64_t> freest;       // most headroom on its fullest rank
  std::optional<std::int64_t> most_tokens;  // largest cache over all replicas
  std::optional<std::int64_t> fastest;      // most decoded tokens per second
  std::int64_t fitting_count = 0;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::smallest, "smallest", "", "row with the least memory in all"),
        field(&Output::freest, "freest", "", "row with most headroom on its fullest rank"),
        field(&Output::most_tokens, "most_tokens", "", "row with the largest cache"),
        field(&Output::fastest, "fastest", "", "row that decodes most tokens per second"),
        field(&Output::fitting_count, "fitting_count", "", "rows that fit"));
  }
};

// Every plan of tp x pp x dp = `devices` (and ep for experts) of subject.machine, the ones that fit
// first; of equals more tp first. Degrees and memory of `in` are replaced. At least one device.
Answer<Output, Row> plans_on(const fit::Inputs& in, const Subject& subject, std::int64_t devices,
                             const Engine* engine = nullptr);

// One row per machine that some plan fits on: the one with the fewest devices.
Answer<Output, Row> smallest_machines(const fit::Inputs& in, const Subject& subject,
                                      std::span<const Machine> machines,
                                      const Engine* engine = nullptr);

}  // namespace ridgeline::solve::fit_plans
