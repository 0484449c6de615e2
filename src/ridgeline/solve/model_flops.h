#pragma once

#include <cstdint>
#include <optional>
#include <tuple>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"
#include "ridgeline/physics/flop_count.h"
#include "ridgeline/solve/subject.h"

namespace ridgeline::solve::model_flops {

inline constexpr char kCard[] = R"(
How much arithmetic does a model need for a batch of sequences?

Equations
  (1) weights   = T N mu_w       mu_w = 2 forward, 4 + 2 f in training            [kaplan2020]
  (2) N         = active parameters less the input table; a tied head counts here
  (3) attention = mu_a B sum over layers of 2 H (h_qk + h_v) pairs                [chowdhery2022]
  (4) pairs     = S^2 full, half of it causal; 2 S W - W^2 in a window W < S
  (5) head      = T 2 V d mu_w/2, inside (1)
  (6) states of recurrent layers: 6 H k v per token and the chunks' own, an estimate
Assumes     T = B S tokens; mu_a = 1 forward, 3 in training; f is the share of the weights that
            are trained; frozen weights still pass gradients on (LoRA: f near 0, mu_w = 4).
Leaves out  recomputation, norms' and activations' arithmetic, routing. Model FLOP, not hardware
            FLOP: what MFU divides by the peak.
Trust       twice the sequence is twice (1) and, without windows, four times (3).
)";

struct Inputs {
  Pass phase = Pass::infer;
  std::int64_t batch_size = 1;
  std::int64_t seq_len = 1;
  physics::AttentionCount attention_count = physics::AttentionCount::causal;
  double trainable_fraction = 1;

  static constexpr auto fields() {
    return std::tuple(
        field(&Inputs::phase, "phase", "", "train, or infer: one forward pass"),
        field(&Inputs::batch_size, "batch_size", "B", "sequences"),
        field(&Inputs::seq_len, "seq_len", "S", "tokens of each"),
        field(&Inputs::attention_count, "attention_count", "",
              "causal: pairs that the mask leaves; full: all pairs; none: no attention"),
        field(&Inputs::trainable_fraction, "trainable_fraction", "f", "share of weights trained"));
  }
};

struct Output {
  std::optional<Flops> weight, attention, state, total, head;
  std::optional<double> weight_flop_per_token;
  std::optional<double> params_in_flop;  // N

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::weight, "weight", "", "products with weights"),
        field(&Output::attention, "attention", "", "scores and values"),
        field(&Output::state, "state", "", "states of recurrent layers"),
        field(&Output::total, "total", "", "sum of the above"),
        field(&Output::head, "head", "", "output head, part of weight_flop"),
        field(&Output::weight_flop_per_token, "weight_flop_per_token", "N mu_w", "per token"),
        field(&Output::params_in_flop, "params_in_flop", "N", "parameters that multiply a token"));
  }
};

Result<Inputs> check(const Inputs& in, const Subject& subject);

// Pure. What a partial model lacks is empty. REQUIRES: `in` passed check().
Output solve(const Inputs& in, const Subject& subject);

// FLOP per token and parameter: 2 forward, 4 + 2 f in training.
double weight_factor(Pass phase, double trainable_fraction);

// Forward FLOP of attention of one sequence; empty where the shape is not known.
std::optional<double> attention_of_sequence(const Subject& subject, double seq_len,
                                            physics::AttentionCount count);

}  // namespace ridgeline::solve::model_flops
