#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"
#include "ridgeline/solve/service.h"

namespace ridgeline::solve::inference_scaling {

inline constexpr char kCard[] = R"(
What do long chains of reasoning, and several samples of them, take in time, memory and money?

Equations, of n = steps x tokens per step, after a context of c tokens
  (1) T      = ttft(c) + sum over j < n of itl(c + j) + verifier;  where the cache grows evenly
               the sum is n itl(c + (n - 1)/2)                                     [pope2022]
  (2) KV     = kappa (c + samples n) B       samples share the prefix
  (3) pass@k = 1 - (1 - p)^k                 k samples, one of which must be right  [brown2024]
  (4) energy = N TDP (i + (1 - i) u) T       u the FLOP that are done over the peak [barroso2007]
  (5) USD    = price N T
Assumes     samples of a request decode in one batch, each reading its whole cache; steps as in
            serving; samples are right or wrong independently.
Leaves out  sampling, tools that are called between steps, samples that end early.
Trust       the closed form of (1) is the sum; n = 0 takes ttft; more samples never pass less.
)";

enum class Reason : std::uint8_t { none, memory };

inline std::span<const char* const> names_of(Reason) {
  static constexpr std::array<const char*, 2> kNames = {"none", "memory"};
  return kNames;
}

struct Inputs {
  Service service;
  std::int64_t context_length = 2048;
  std::int64_t reasoning_steps = 8;
  std::int64_t tokens_per_step = 50;
  std::int64_t batch_size = 1;
  std::int64_t samples = 1;
  std::optional<double> success_probability;
  Seconds verifier;
  std::optional<DollarsPerSecond> hourly_rental_price;

  static constexpr auto fields() {
    return std::tuple(
        flat(&Inputs::service),
        field(&Inputs::context_length, "context_length", "c", "tokens of the prompt"),
        field(&Inputs::reasoning_steps, "reasoning_steps", "steps", "of a chain"),
        field(&Inputs::tokens_per_step, "tokens_per_step", "", "generated in each"),
        field(&Inputs::batch_size, "batch_size", "B", "requests at once"),
        field(&Inputs::samples, "samples", "k", "chains of each request"),
        field(&Inputs::success_probability, "success_probability", "p", "that a chain is right"),
        field(&Inputs::verifier, "verifier", "", "time to pick among the samples"),
        field(&Inputs::hourly_rental_price, "hourly_rental_price", "price", "of one device",
              {"hourly_rental_price_usd", 1.0 / 3600}));
  }
};

struct Output {
  Seconds total, ttft, mean_itl;
  std::int64_t tokens = 0;
  Bytes final_kv, memory_required;
  std::optional<Joules> energy;
  std::optional<Dollars> cost;
  std::optional<double> pass_fraction;
  bool feasible = true;
  Reason reason = Reason::none;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::total, "total", "T", "until the answer"),
        field(&Output::ttft, "ttft", "ttft", "until the first token"),
        field(&Output::mean_itl, "mean_itl", "", "between tokens, on average"),
        field(&Output::tokens, "tokens", "n", "of each chain"),
        field(&Output::final_kv, "final_kv", "KV", "cache at the end, one copy"),
        field(&Output::memory_required, "memory_required", "", "of each device"),
        field(&Output::energy, "energy", "energy", "of all devices"),
        field(&Output::cost, "cost", "USD", "rented", {"usd", 1}),
        field(&Output::pass_fraction, "pass_fraction", "pass@k", "chance that one sample is right"),
        field(&Output::feasible, "feasible", "", "devices hold what they must"),
        field(&Output::reason, "reason", "", "why they do not"));
  }
};

Result<Inputs> check(const Inputs& in);

// Pure and allocation-free. REQUIRES: `in` came from check().
Output solve(const Inputs& in);

}  // namespace ridgeline::solve::inference_scaling
