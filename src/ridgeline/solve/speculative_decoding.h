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

namespace ridgeline::solve::speculative_decoding {

inline constexpr char kCard[] = R"(
When does a draft that proposes tokens make decoding faster?

Equations
  (1) X    = (1 - a^(K+1))/(1 - a) tokens of one verified step; a = 1: K + 1      [leviathan2022]
      of a tree: the sum over its nodes, root included, of the chance that the whole path is taken
                                                                                  [chen2023]
  (2) t    = decode step of the model, t_d = of the draft, t_v = step of the model over K + 1 tokens
             a sequence, of a tree over all its nodes                         serving (6), (7)
  (3) itl  = (K t_d + t_v)/X       of a tree K is its depth, one step of the draft a level
  (4) speedup = t/itl; with t_d = c t and t_v = t it is X/(c K + 1)               [leviathan2022]
  (5) best K of 1 to 16; 0: none pays
  (6) break-even acceptance: a with X = (K t_d + t_v)/t;  break-even batch: from which on speedup
      is not above 1;  from compute_bound_batch on t_v is bound by arithmetic, which ends the gain
Assumes     proposals are taken independently, each with the chance a; the draft runs on the same
            devices. An MTP head costs so many mean layers of the model, and its output head again.
Leaves out  sampling; the draft's own prefill; batches whose sequences take unlike numbers of tokens.
Trust       a = 0 yields one token a step and is never faster than no draft; a = 1 yields K + 1.
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
  std::optional<Totals> draft_model;
  std::optional<std::int64_t> mtp_layers;
  std::optional<double> draft_cost_ratio;
  double draft_acceptance_rate = 0.7;  // [leviathan2022]
  std::int64_t draft_tokens = 4;
  std::vector<std::int64_t> tree_parents;
  std::vector<double> tree_acceptance;

  static constexpr auto fields() {
    return std::tuple(
        flat(&Inputs::service),
        field(&Inputs::seq_len, "seq_len", "S", "tokens of context of a sequence"),
        field(&Inputs::batch_size, "batch_size", "B", "sequences"),
        field(&Inputs::draft_model, "draft_model", "", "proposes tokens"),
        field(&Inputs::mtp_layers, "mtp_layers", "",
              "layers of an MTP head of the model, in place of a draft"),
        field(&Inputs::draft_cost_ratio, "draft_cost_ratio", "c",
              "step of the draft over one of the model, in place of a draft"),
        field(&Inputs::draft_acceptance_rate, "draft_acceptance_rate", "a",
              "chance that a proposed token is taken"),
        field(&Inputs::draft_tokens, "draft_tokens", "K", "tokens proposed at once"),
        field(&Inputs::tree_parents, "tree_parents", "",
              "of each proposal of a tree, in order: the number of its parent; 0 is the root"),
        field(&Inputs::tree_acceptance, "tree_acceptance", "",
              "chance of each of them to be taken if its parent is"));
  }
};

struct Output {
  double accepted_tokens_per_step = 1;
  double speedup = 1;
  std::int64_t best_draft_tokens = 0;
  double best_speedup = 1;
  std::optional<double> break_even_acceptance_fraction;
  std::optional<std::int64_t> break_even_batch, compute_bound_batch;
  std::optional<Seconds> itl, plain_itl, draft, verify;
  std::optional<Bytes> memory_required;
  bool feasible = true;
  Reason reason = Reason::none;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::accepted_tokens_per_step, "accepted_tokens_per_step", "X",
              "tokens that a verified step yields"),
        field(&Output::speedup, "speedup", "", "over no draft; at most 1: it does not pay"),
        field(&Output::best_draft_tokens, "best_draft_tokens", "",
              "proposals in a row with the largest speedup; 0: better without"),
        field(&Output::best_speedup, "best_speedup", "", "with that many"),
        field(&Output::break_even_acceptance_fraction, "break_even_acceptance_fraction", "",
              "acceptance above which it pays; none: it never does, or a tree"),
        field(&Output::break_even_batch, "break_even_batch", "",
              "batch from which on it does not pay; none: it always does"),
        field(&Output::compute_bound_batch, "compute_bound_batch", "",
              "batch from which on verification is bound by arithmetic; none: never"),
        field(&Output::itl, "itl", "itl", "between two tokens of a sequence"),
        field(&Output::plain_itl, "plain_itl", "t", "without a draft"),
        field(&Output::draft, "draft", "t_d", "a step of the draft"),
        field(&Output::verify, "verify", "t_v", "a step of the model over all proposals"),
        field(&Output::memory_required, "memory_required", "", "of each device, draft included"),
        field(&Output::feasible, "feasible", "", "model and draft fit"),
        field(&Output::reason, "reason", "", "what makes it infeasible"));
  }
};

// Fills the hardware from the machine.
Result<Inputs> check(const Inputs& in);

// Pure and allocation-free. REQUIRES: `in` came from check().
Output solve(const Inputs& in);

}  // namespace ridgeline::solve::speculative_decoding
