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
#include "ridgeline/solve/service.h"

namespace ridgeline::solve::continuous_batching {

inline constexpr char kCard[] = R"(
How many requests run at once, and how many tokens per second, when the KV cache is paged rather
than reserved at full length?

Equations
  (1) pool = M u - W - reserved,  T = floor(pool/kappa) tokens; static N = min(pool/KV(max), B_max),
      waste 1 - mean/max
  (2) lengths min(Exp(mu), max), mean = mu (1 - e^(-max/mu)); fixed when mean = max
  (3) pages E = (1 - rho^K)/(1 - rho), rho = e^(-page/mu), K = ceil(max/page); alloc = page E,
      waste = 1 - mean/alloc                                                        [kwon2023]
  (4) N = min(floor(floor(T/page) page kappa/KV(alloc)), B_max)
  (5) decode tokens/s = N/step(N), step the decode step of N at context mean         [pope2022]
  (6) output tokens/s = N out/(N t_p + out step(N)), t_p the prefill of one prompt     [yu2022]
  (7) under a token budget a step carries N decode and g = N prompt/out prefill tokens; g <= budget
      - N, else N falls until it holds; itl = the mixed step, output tokens/s = N/itl
                                                                                  [agrawal2024]
Assumes     KV(n) = kappa n but for windows; prompts are mean - output_tokens long; steps as in serving.
Leaves out  preemption, prefix sharing, arrival gaps (serving-capacity).
Trust       waste <= page/mean; with page = max paging is static; N KV(alloc) <= pool; decode
            tokens/s <= R e/O.
)";

enum class LengthDistribution : std::uint8_t { truncated_exponential, fixed, trace };
enum class Binding : std::uint8_t { memory, batch_limit, token_budget };
enum class Reason : std::uint8_t { none, weights, memory, token_budget };

inline std::span<const char* const> names_of(LengthDistribution) {
  static constexpr std::array<const char*, 3> kNames = {"truncated-exponential", "fixed", "trace"};
  return kNames;
}
inline std::span<const char* const> names_of(Binding) {
  static constexpr std::array<const char*, 3> kNames = {"memory", "batch limit", "token budget"};
  return kNames;
}
inline std::span<const char* const> names_of(Reason) {
  static constexpr std::array<const char*, 4> kNames = {"none", "weights", "memory",
                                                        "token budget"};
  return kNames;
}

struct Inputs {
  Service service;
  std::int64_t max_seq_len = 2048;
  std::optional<double> mean_request_tokens;
  std::int64_t max_batch_size = 256;
  std::int64_t page_size = 16;
  std::optional<std::int64_t> output_tokens;
  LengthDistribution length_distribution = LengthDistribution::truncated_exponential;
  std::vector<double> request_lengths;
  std::optional<std::int64_t> token_budget;

  static constexpr auto fields() {
    return std::tuple(
        flat(&Inputs::service),
        field(&Inputs::max_seq_len, "max_seq_len", "max", "longest request"),
        field(&Inputs::mean_request_tokens, "mean_request_tokens", "mean",
              "prompt and output of a request; the longest if not given"),
        field(&Inputs::max_batch_size, "max_batch_size", "B_max", "requests at once at most"),
        field(&Inputs::page_size, "page_size", "page", "tokens per page"),
        field(&Inputs::output_tokens, "output_tokens", "out", "of mean_request_tokens"),
        field(&Inputs::length_distribution, "length_distribution", "", "of requests"),
        field(&Inputs::request_lengths, "request_lengths", "", "of a trace"),
        field(&Inputs::token_budget, "token_budget", "budget", "tokens of one step at most"));
  }
};

struct Output {
  std::int64_t max_active_requests = 0, static_max_active_requests = 0;
  Bytes kv, static_kv;
  double fragmentation_fraction = 0, static_fragmentation_fraction = 0;
  std::optional<Seconds> itl;
  std::optional<double> decode_tokens_per_s, static_decode_tokens_per_s, output_tokens_per_s;
  Seconds ttft;
  std::optional<double> speedup_vs_static;
  double kv_capacity_tokens = 0;
  Binding binding = Binding::memory;
  bool feasible = true;
  Reason reason = Reason::none;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::max_active_requests, "max_active_requests", "N", "with paging"),
        field(&Output::static_max_active_requests, "static_max_active_requests", "", "without"),
        field(&Output::kv, "kv", "", "cache that N requests hold, one copy"),
        field(&Output::static_kv, "static_kv", "", "the same without paging"),
        field(&Output::fragmentation_fraction, "fragmentation_fraction", "waste",
              "share of it that holds no token"),
        field(&Output::static_fragmentation_fraction, "static_fragmentation_fraction", "",
              "the same without paging"),
        field(&Output::itl, "itl", "step(N)", "between two tokens of a request"),
        field(&Output::decode_tokens_per_s, "decode_tokens_per_s", "", "decode alone"),
        field(&Output::static_decode_tokens_per_s, "static_decode_tokens_per_s", "",
              "the same without paging"),
        field(&Output::output_tokens_per_s, "output_tokens_per_s", "", "prefill counted"),
        field(&Output::ttft, "ttft", "t_p", "of one prompt alone"),
        field(&Output::speedup_vs_static, "speedup_vs_static", "", "of decode"),
        field(&Output::kv_capacity_tokens, "kv_capacity_tokens", "T", "tokens that the pool holds"),
        field(&Output::binding, "binding", "", "what limits N"),
        field(&Output::feasible, "feasible", "", "at least one request runs"),
        field(&Output::reason, "reason", "", "what prevents it"));
  }
};

// Fills the mean.
Result<Inputs> check(const Inputs& in);

// Pure and allocation-free. REQUIRES: `in` came from check().
Output solve(const Inputs& in);

// Requests of mean length that run at once on a replica.
std::int64_t paged_slots(const Inputs& in, const physics::Replica& replica);

}  // namespace ridgeline::solve::continuous_batching
