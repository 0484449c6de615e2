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
#include "ridgeline/physics/kv_cache.h"
#include "ridgeline/solve/answer.h"
#include "ridgeline/solve/subject.h"
#include "ridgeline/spec/engine.h"
#include "ridgeline/spec/formats.h"
#include "ridgeline/spec/precision.h"

namespace ridgeline::physics {

inline std::span<const char* const> names_of(MlaForm) {
  static constexpr std::array<const char*, 2> kNames = {"latent", "expanded"};
  return kNames;
}

}  // namespace ridgeline::physics

namespace ridgeline::solve::fit {

inline constexpr char kCard[] = R"(
Does a model fit the devices it is served on; if so, how long a context and how large a batch?

Equations, of one device of pipeline stage i
  (1) usable   = u M
  (2) weights  = sum over parts of held parameters x bits/8       physics/weights  [megatron-lm]
  (3) kv(n)    = slope n + fixed for n >= every window, times the batch; latents of MLA and copied
                 kv heads are on every tensor-parallel rank       physics/device_kv
  (4) pool     = as given, else usable - weights - activations - runtime            [kwon2023]
  (5) capacity = floor(pool/(block e)) block tokens, e bytes per token of all layers, as engines
                 log it; the smallest rank decides                                  [kwon2023]
  (6) longest  = largest n, in whole blocks, with batch x kv(n) + state <= pool
  (7) batch    = floor(pool/(kv(n in whole blocks) + state))
  (8) fits     = weights + activations + runtime + (pool given, else batch kv) <= usable on every
                 rank, and batch sequences of n tokens within the pool
Assumes     activations: the peak of one pass over min(batch n, prefill tokens) tokens; runtime:
            driver context, graphs, buffers of collectives, as engines log them.
Leaves out  fragmentation of the allocator; adapters; prefix sharing; offloading.
Trust       parameters, cache and weights are exact, or within 1 % of an engine's log; activations
            and runtime of a device are estimates: give them as measured where it is close.
)";

struct Inputs {
  std::optional<std::int64_t> context;  // tokens of a sequence; empty: the cache is not asked of
  std::int64_t batch = 1;
  std::optional<Bytes> memory;               // else the machine's
  std::optional<double> memory_utilization;  // else the engine's
  std::optional<Bytes> weight_memory, activation_memory, runtime_memory;
  std::optional<Bytes> kv_pool;
  std::optional<std::int64_t> kv_blocks, kv_tokens;
  std::optional<std::int64_t> block_size, prefill_tokens;  // else the engine's
  std::int64_t tp = 1, pp = 1, dp = 1, cp = 1, ep = 1;
  std::optional<std::int64_t> etp;
  std::vector<std::int64_t> pp_layers;  // empty: as even as can be
  bool full_kv = false;
  std::int64_t window_extra = 0;
  physics::MlaForm mla = physics::MlaForm::latent;
  bool pad_heads = false;
  std::optional<Precision> precision;
  Precision unquantized_precision = Precision::bf16;
  Precision kv_precision = Precision::bf16;
  Precision activation_precision = Precision::bf16;
  Precision state_precision = Precision::bf16;
  std::optional<std::int64_t> group_size, scale_bits, zero_bits;
  std::optional<double> bits_per_weight;
  std::optional<GgufFile> gguf;

 private:  // the parts of fields()
  static constexpr auto asked_fields() {
    return std::tuple(
        field(&Inputs::context, "context", "n", "tokens of a sequence, prompt and output"),
        field(&Inputs::batch, "batch", "", "sequences at once"),
        field(&Inputs::full_kv, "full_kv", "", "every layer keeps the whole context"),
        field(&Inputs::window_extra, "window_extra", "", "tokens kept beyond a window"),
        field(&Inputs::mla, "mla", "", "what is cached of latent attention"));
  }
  static constexpr auto memory_fields() {
    return std::tuple(
        field(&Inputs::memory, "memory", "M", "memory of a device"),
        field(&Inputs::memory_utilization, "memory_utilization", "u", "share that may be used"),
        field(&Inputs::weight_memory, "weight_memory", "", "weights of a device, as measured"),
        field(&Inputs::activation_memory, "activation_memory", "", "activations, as measured"),
        field(&Inputs::runtime_memory, "runtime_memory", "", "context, graphs, buffers; measured"),
        field(&Inputs::kv_pool, "kv_pool", "", "cache pool of a device"),
        field(&Inputs::kv_blocks, "kv_blocks", "", "the pool in blocks"),
        field(&Inputs::kv_tokens, "kv_tokens", "", "the pool in tokens"),
        field(&Inputs::block_size, "block_size", "", "tokens of a block"),
        field(&Inputs::prefill_tokens, "prefill_tokens", "", "most tokens of one pass"));
  }
  static constexpr auto plan_fields() {
    return std::tuple(
        field(&Inputs::tp, "tp", "", "tensor-parallel ranks"),
        field(&Inputs::pp, "pp", "", "pipeline stages"), field(&Inputs::dp, "dp", "", "replicas"),
        field(&Inputs::cp, "cp", "", "context-parallel ranks"),
        field(&Inputs::ep, "ep", "", "expert-parallel ranks, taken from tp x cp x dp"),
        field(&Inputs::etp, "etp", "", "ranks that share one expert; tp at ep 1, else 1"),
        field(&Inputs::pp_layers, "pp_layers", "", "layers of each stage"),
        field(&Inputs::pad_heads, "pad_heads", "", "pad the heads to a multiple of tp"));
  }
  static constexpr auto format_fields() {
    return std::tuple(
        field(&Inputs::precision, "precision", "", "of the weights, in place of the checkpoint's"),
        field(&Inputs::unquantized_precision, "unquantized_precision", "",
              "of what a quantised format leaves out"),
        field(&Inputs::kv_precision, "kv_precision", "", "of keys and values"),
        field(&Inputs::activation_precision, "activation_precision", "", "of activations"),
        field(&Inputs::state_precision, "state_precision", "", "of recurrent state"),
        field(&Inputs::group_size, "group_size", "", "elements that share a scale"),
        field(&Inputs::scale_bits, "scale_bits", "", "bits of a scale"),
        field(&Inputs::zero_bits, "zero_bits", "", "bits of a zero point"),
        field(&Inputs::bits_per_weight, "bits_per_weight", "", "mean bits of all weights"),
        field(&Inputs::gguf, "gguf", "", "GGUF file type of the weights"));
  }

 public:
  static constexpr auto fields() {
    return std::tuple_cat(asked_fields(), memory_fields(), plan_fields(), format_fields());
  }
};

// Why it does not fit, or why that cannot be said; the first that holds.
enum class Reason : std::uint8_t {
  none,              // it fits
  not_asked,         // neither memory nor a pool is given
  weights,           // weights alone exceed the usable memory
  working_memory,    // weights, activations and runtime do
  pool,              // and the given pool with them
  context_and_batch  // the sequences exceed the pool
};

inline std::span<const char* const> names_of(Reason) {
  static constexpr std::array<const char*, 6> kNames = {
      "none", "not_asked", "weights", "working_memory", "pool", "context_and_batch"};
  return kNames;
}

struct Output {
  std::optional<bool> fits;
  Reason reason = Reason::not_asked;
  std::optional<Bytes> headroom;  // of the limiting rank; below zero: what is lacking
  std::optional<Bytes> usable;
  std::optional<Bytes> weights;
  std::optional<double> bits_per_weight;
  std::optional<Bytes> kv_cache, kv_full, kv_sliding, index_cache, state;
  std::optional<double> kv_bytes_per_token, kv_bytes_per_token_beyond_window;
  std::optional<double> kv_fixed_bytes_per_sequence;
  std::optional<std::int64_t> kv_heads_per_device;
  std::optional<double> kv_bytes_per_token_per_device, kv_bytes_per_token_all_devices;
  std::optional<Bytes> kv_pool;
  std::optional<std::int64_t> kv_tokens_capacity, max_context_tokens, max_batch;
  std::optional<double> max_concurrency;
  std::int64_t limiting_rank = 0;
  std::optional<std::int64_t> layers_assigned, max_layers_per_stage, min_layers_per_stage;
  std::optional<bool> even_split;
  std::optional<std::int64_t> total_params, resident_params, padded_heads;
  std::optional<double> padding_fraction;

 private:  // the parts of fields()
  static constexpr auto verdict_fields() {
    return std::tuple(
        field(&Output::fits, "fits", "", "every rank holds what is asked"),
        field(&Output::reason, "reason", "", "what stands against it"),
        field(&Output::max_context_tokens, "max_context_tokens", "",
              "longest context of the batch, in whole blocks"),
        field(&Output::max_batch, "max_batch", "", "sequences of the context, over all replicas"),
        field(&Output::max_concurrency, "max_concurrency", "", "capacity over context"),
        field(&Output::limiting_rank, "limiting_rank", "", "index of the fullest in ranks"),
        field(&Output::headroom, "headroom", "", "usable less needed, of the limiting rank"),
        field(&Output::usable, "usable", "u M", "memory that may be used, per device"),
        field(&Output::weights, "weights", "", "whole model, one copy"),
        field(&Output::bits_per_weight, "bits_per_weight", "", "mean over all weights"));
  }
  static constexpr auto cache_fields() {
    return std::tuple(
        field(&Output::kv_cache, "kv_cache", "", "whole model, batch x context, one copy"),
        field(&Output::kv_full, "kv_full", "", "of which in layers that see everything"),
        field(&Output::kv_sliding, "kv_sliding", "", "and in layers with a window"),
        field(&Output::index_cache, "index_cache", "", "cache of sparse-attention indexers"),
        field(&Output::state, "state", "", "recurrent state of the batch"),
        field(&Output::kv_bytes_per_token, "kv_bytes_per_token", "", "all layers, one copy"),
        field(&Output::kv_bytes_per_token_beyond_window, "kv_bytes_per_token_beyond_window", "",
              "slope for contexts beyond every window"),
        field(&Output::kv_fixed_bytes_per_sequence, "kv_fixed_bytes_per_sequence", "",
              "fixed part for such contexts"),
        field(&Output::kv_heads_per_device, "kv_heads_per_device", "", "copied beyond kv heads"),
        field(&Output::kv_bytes_per_token_per_device, "kv_bytes_per_token_per_device", "",
              "of the limiting rank"),
        field(&Output::kv_bytes_per_token_all_devices, "kv_bytes_per_token_all_devices", "",
              "over the tp group, copies included"),
        field(&Output::kv_pool, "kv_pool", "", "cache pool of the limiting rank"),
        field(&Output::kv_tokens_capacity, "kv_tokens_capacity", "",
              "tokens of the pool, all layers counted, as engines log it"));
  }
  static constexpr auto plan_fields() {
    return std::tuple(
        field(&Output::layers_assigned, "layers_assigned", "", "layers on all stages"),
        field(&Output::even_split, "even_split", "", "stages are of one size"),
        field(&Output::max_layers_per_stage, "max_layers_per_stage", "", "longest stage"),
        field(&Output::min_layers_per_stage, "min_layers_per_stage", "", "shortest stage"),
        field(&Output::total_params, "total_params", "", "unique parameters"),
        field(&Output::resident_params, "resident_params", "", "over a replica, copies included"),
        field(&Output::padded_heads, "padded_heads", "", "heads after padding"),
        field(&Output::padding_fraction, "padding_fraction", "", "added over original heads"));
  }

 public:
  static constexpr auto fields() {
    return std::tuple_cat(verdict_fields(), cache_fields(), plan_fields());
  }
};

// One device. Ranks are in the order of their stages; those of one stage are alike.
struct Rank {
  std::int64_t stage = 0;
  std::int64_t rank = 0;
  std::optional<std::int64_t> layers;
  std::optional<Bytes> weights, kv_cache, state, activations, runtime, total, capacity, kv_pool;
  std::optional<std::int64_t> max_context_tokens;
  std::optional<std::int64_t> params, norm_params, routed_expert_params;

  static constexpr auto fields() {
    return std::tuple(
        field(&Rank::stage, "stage", "", "pipeline stage"), field(&Rank::rank, "rank", "", "index"),
        field(&Rank::layers, "layers", "", "layers of the stage"),
        field(&Rank::weights, "weights", "", "weights it holds"),
        field(&Rank::kv_cache, "kv_cache", "", "cache that batch x context needs"),
        field(&Rank::state, "state", "", "recurrent state that the batch needs"),
        field(&Rank::activations, "activations", "", "peak of one pass"),
        field(&Rank::runtime, "runtime", "", "context, graphs, buffers"),
        field(&Rank::total, "total", "", "all of it; the pool where one is given"),
        field(&Rank::capacity, "capacity", "", "memory that may be used"),
        field(&Rank::kv_pool, "kv_pool", "", "cache pool"),
        field(&Rank::max_context_tokens, "max_context_tokens", "", "longest context it holds"),
        field(&Rank::params, "params", "", "parameters it holds"),
        field(&Rank::norm_params, "norm_params", "", "norms, not divided by tp"),
        field(&Rank::routed_expert_params, "routed_expert_params", "", "of routed experts"));
  }
};

// Refuses what has no meaning, and fills what engine and machine give. `engine` null: none in
// particular.
Result<Inputs> check(const Inputs& in, const Subject& subject, const Engine* engine = nullptr);

// REQUIRES: `in` came from check() with the same subject and engine.
Answer<Output, Rank> solve(const Inputs& in, const Subject& subject,
                           const Engine* engine = nullptr);

}  // namespace ridgeline::solve::fit
