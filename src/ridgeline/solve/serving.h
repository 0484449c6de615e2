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
#include "ridgeline/spec/hardware.h"
#include "ridgeline/spec/totals.h"

namespace ridgeline::solve::serving {

inline constexpr char kCard[] = R"(
What are the time to first token and the time between tokens of a batch, on one machine or on one
for prefill and one for decode?

Equations
  (1) n = S - c new tokens, in chunks n_i of at most prefill_chunk_tokens, c_i cached before each
  (2) F_i = B (O n_i + attention),  Q_i = W_touch(n_i B) + kappa (c_i + n_i) B        [pope2022]
  (3) prefill = sum of max(F_i/(R e), Q_i/BW) + prefill_overhead       [agrawal2024] [pope2022]
  (4) KV = kappa S B, S rounded up to pages of each sequence                        [kwon2023]
  (5) transfer = kappa (S - decode_cached) B/net,  ttft = prefill
      + max((1 - overlap) transfer, transfer - prefill)                 [zhong2024] [patel2024]
  (6) itl = max(F/(R e), Q/BW) + decode_overhead, F = B O + attention,
      Q = W_touch(B) + kappa S B                                                    [pope2022]
  (7) with a draft: t_d a decode step of it, t_v one of the model over K + 1 tokens a sequence
      X = (1 - a^(K+1))/(1 - a),  K + 1 at a = 1,  itl = (K t_d + t_v)/X       [leviathan2022]
  (8) need = W + KV, and W + KV of the draft where decode runs
  (9) stall of decode = the longest chunk of (3)                                 [agrawal2024]
Assumes     one batch that starts together; causal attention; 2 all-reduces of B n d b per layer
            over tp, stages of pp one after another, neither hidden.
Leaves out  queueing, sampling, tokenisation; several batches in flight over pp.
Trust       itl is never below W_touch/BW, prefill never below the bytes of the weights it touches;
            a = 0 is never faster than no draft.
)";

enum class Reason : std::uint8_t { none, memory, prefill_memory };

inline std::span<const char* const> names_of(Reason) {
  static constexpr std::array<const char*, 3> kNames = {"none", "memory", "prefill-memory"};
  return kNames;
}

struct Inputs {
  Service service;
  std::int64_t seq_len = 2048;
  std::int64_t batch_size = 1;
  std::optional<Hardware> decode_hardware;
  BytesPerSecond network_bandwidth = 100 * gigabyte_per_second;
  std::optional<double> kv_transfer_overlap;
  std::optional<Totals> draft_model;
  double draft_acceptance_rate = 0.7;  // [leviathan2022]
  std::int64_t draft_tokens = 4;
  std::int64_t cached_prefix_len = 0;
  std::int64_t decode_cached_prefix_len = 0;
  std::optional<std::int64_t> prefill_chunk_tokens;
  std::optional<std::int64_t> page_size;

  static constexpr auto fields() {
    return std::tuple(
        flat(&Inputs::service),
        field(&Inputs::seq_len, "seq_len", "S", "prompt and generated context of a sequence"),
        field(&Inputs::batch_size, "batch_size", "B", "sequences"),
        field(&Inputs::decode_hardware, "decode_hardware", "", "where decode runs, if elsewhere"),
        field(&Inputs::network_bandwidth, "network_bandwidth", "net", "between both machines"),
        field(&Inputs::kv_transfer_overlap, "kv_transfer_overlap_fraction", "overlap",
              "share of the transfer hidden under prefill; 1 - 1/L, layer by layer, if not given"),
        field(&Inputs::draft_model, "draft_model", "", "proposes tokens"),
        field(&Inputs::draft_acceptance_rate, "draft_acceptance_rate", "a",
              "chance that a proposed token is taken"),
        field(&Inputs::draft_tokens, "draft_tokens", "K", "tokens proposed at once"),
        field(&Inputs::cached_prefix_len, "cached_prefix_len", "c", "tokens cached for prefill"),
        field(&Inputs::decode_cached_prefix_len, "decode_cached_prefix_len", "",
              "tokens that the decode machine has already"),
        field(&Inputs::prefill_chunk_tokens, "prefill_chunk_tokens", "", "tokens per chunk"),
        field(&Inputs::page_size, "page_size", "", "tokens per page of KV"));
  }
};

struct Output {
  Seconds ttft, itl, prefill, kv_transfer;
  Bytes kv, weights, memory_required, decode_read;
  double memory_utilization_fraction = 0;
  double prefix_hit_fraction = 0;
  std::int64_t prefill_steps = 1;
  Seconds decode_stall;
  double accepted_tokens_per_step = 1;
  double speculation_speedup = 1;
  physics::TimeBound prefill_bound = physics::TimeBound::compute;
  physics::TimeBound decode_bound = physics::TimeBound::compute;
  double tokens_per_s = 0;
  std::optional<Joules> energy;
  bool feasible = true;
  Reason reason = Reason::none;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::ttft, "ttft", "ttft", "arrival to first token, no queue"),
        field(&Output::itl, "itl", "itl", "between two tokens of a sequence"),
        field(&Output::prefill, "prefill", "", "time of the prompts"),
        field(&Output::kv_transfer, "kv_transfer", "transfer", "of the cache between machines"),
        field(&Output::kv, "kv", "KV", "cache of the batch, one copy"),
        field(&Output::weights, "weights", "W", "of the model, one copy"),
        field(&Output::memory_required, "memory_required", "need", "of each decode device"),
        field(&Output::decode_read, "decode_read", "Q", "read by a device in a decode step",
              {"decode_bytes", 1}),
        field(&Output::memory_utilization_fraction, "memory_utilization_fraction", "",
              "need over the memory of a decode device"),
        field(&Output::prefix_hit_fraction, "prefix_hit_fraction", "", "share cached of S"),
        field(&Output::prefill_steps, "prefill_steps", "", "chunks of the prompt"),
        field(&Output::decode_stall, "decode_stall", "", "a decode step waits at most so long"),
        field(&Output::accepted_tokens_per_step, "accepted_tokens_per_step", "X",
              "tokens that a verified step yields"),
        field(&Output::speculation_speedup, "speculation_speedup", "",
              "itl without the draft over itl; below 1 it does not pay"),
        field(&Output::prefill_bound, "prefill_bound", "", "largest part of the prefill"),
        field(&Output::decode_bound, "decode_bound", "", "largest part of a decode step"),
        field(&Output::tokens_per_s, "tokens_per_s", "B/itl", "of the batch in decode"),
        field(&Output::energy, "energy", "", "of all devices for the prefill and one token each"),
        field(&Output::feasible, "feasible", "", "both machines hold what they must"),
        field(&Output::reason, "reason", "", "which memory does not"));
  }
};

// Fills what defaults follow from other inputs.
Result<Inputs> check(const Inputs& in);

// Pure and allocation-free. REQUIRES: `in` came from check().
Output solve(const Inputs& in);

}  // namespace ridgeline::solve::serving
