#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"
#include "ridgeline/physics/pace.h"
#include "ridgeline/solve/service.h"

namespace ridgeline::solve::multi_tenancy {

inline constexpr char kCard[] = R"(
How many adapters, or models, can share a device, what do they cost a decode step, and how long does
it take to swap one in?

Equations, n tenants, each of the B sequences of one of them at random
  (1) a        = 2 r d matrices L b   bytes of an adapter of rank r; of a model W         [hu2021]
  (2) touched  = n (1 - (1 - 1/n)^B)      distinct tenants of a step            moe-routing (1)
  (3) adapters: F = B (O + 2 a/b) + attention, Q = W_touch(B) + touched a + kappa S B
                                                                                   [sheng2023]
      models:   F = B O + attention, Q = touched W_touch(B/touched) + kappa S B, touched overheads
  (4) itl      = max(F/(R e), Q/BW) + overhead                                  serving (6)
  (5) need     = W + resident a + KV;  models: resident W + KV;  fits = the most that do
  (6) swap     = a/link  (models W/link),  miss = 1 - resident/n   of new requests that wait for it
Assumes     tenants equally popular; adapters on square matrices as wide as the model, split over tp
            like it; one adapter alone is merged into the weights, and costs nothing.
Leaves out  kernels that mix ranks, messages of models one by one; swaps hidden under a queue.
Trust       one tenant is serving; a step never touches more than B or n of them.
)";

enum class Reason : std::uint8_t { none, memory };

inline std::span<const char* const> names_of(Reason) {
  static constexpr std::array<const char*, 2> kNames = {"none", "memory"};
  return kNames;
}

struct Inputs {
  Service service;
  std::int64_t seq_len = 2048;
  std::int64_t batch_size = 1;
  std::optional<std::int64_t> adapters, models;
  std::int64_t lora_rank = 16;
  std::int64_t adapted_matrices = 4;
  Precision adapter_precision = Precision::bf16;
  std::optional<Bytes> adapter_size;
  std::optional<std::int64_t> resident_count;
  std::optional<BytesPerSecond> swap_bandwidth;

  static constexpr auto fields() {
    return std::tuple(
        flat(&Inputs::service), field(&Inputs::seq_len, "seq_len", "S", "context of a sequence"),
        field(&Inputs::batch_size, "batch_size", "B", "sequences at once"),
        field(&Inputs::adapters, "adapters", "n", "of one model that share the device"),
        field(&Inputs::models, "models", "n", "whole models of this kind, in place of adapters"),
        field(&Inputs::lora_rank, "lora_rank", "r", "of the adapters"),
        field(&Inputs::adapted_matrices, "adapted_matrices", "matrices", "of a layer"),
        field(&Inputs::adapter_precision, "adapter_precision", "b", "number format of adapters"),
        field(&Inputs::adapter_size, "adapter_size", "a", "of one adapter, in place of its rank",
              {"adapter_bytes", 1}),
        field(&Inputs::resident_count, "resident_count", "resident",
              "tenants kept on the device, the others in host memory; all if not given"),
        field(&Inputs::swap_bandwidth, "swap_bandwidth", "link",
              "to the host; the device's if not given"));
  }

  bool shares_models() const { return models.has_value(); }
  std::int64_t tenants() const { return models.value_or(adapters.value_or(1)); }
};

struct Output {
  std::int64_t fits_count = 0;
  Seconds itl, single_itl;
  std::optional<Seconds> swap;
  double slowdown = 1, tokens_per_s = 0;
  Bytes adapter_size, memory_required;
  double memory_utilization_fraction = 0;
  double distinct_count = 1, miss_fraction = 0;
  physics::TimeBound bound = physics::TimeBound::compute;
  bool feasible = true;
  Reason reason = Reason::none;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::fits_count, "fits_count", "fits", "tenants that the device holds"),
        field(&Output::itl, "itl", "itl", "between two tokens of a sequence"),
        field(&Output::single_itl, "single_itl", "", "the same with one tenant"),
        field(&Output::slowdown, "slowdown", "", "itl over that"),
        field(&Output::swap, "swap", "swap", "to bring in one tenant; none without a link"),
        field(&Output::tokens_per_s, "tokens_per_s", "B/itl", "of the batch"),
        field(&Output::adapter_size, "adapter_size", "a", "of one tenant, one copy",
              {"adapter_bytes", 1}),
        field(&Output::memory_required, "memory_required", "need", "of each device"),
        field(&Output::memory_utilization_fraction, "memory_utilization_fraction", "",
              "of its memory"),
        field(&Output::distinct_count, "distinct_count", "touched", "tenants of a step"),
        field(&Output::miss_fraction, "miss_fraction", "miss", "of new requests that need a swap"),
        field(&Output::bound, "bound", "", "largest part of the step"),
        field(&Output::feasible, "feasible", "", "the device holds what it must"),
        field(&Output::reason, "reason", "", "why it does not"));
  }
};

// Fills what stays on the device and the link.
Result<Inputs> check(const Inputs& in);

// Pure and allocation-free. REQUIRES: `in` came from check().
Output solve(const Inputs& in);

}  // namespace ridgeline::solve::multi_tenancy
