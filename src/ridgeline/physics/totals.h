// Totals: what a pass over a model does and moves, from its sums. No solver has a copy of this.
//
//   W = P b_w;   with experts x = (P - P_a)/(E - k) each over all layers, S_0 = P_a - k x       (6)
//   W_touch(T) = b_w (S_0 + E x (1 - (1 - k/E)^T))    weights read by a step with T tokens,
//                routing uniform and independent; dense: W                                      (7)
//   kappa = 2 L H_k h b_kv bytes of KV per token; MLA L (r + r_p) b_kv; layers with a window keep
//           no more than it. Per rank kappa/min(tp, H_k); an MLA latent is on every tp rank     (8)
//   attention FLOP = 4 L H h pairs; n new tokens after c cached, causal: pairs n c + n (n + 1)/2;
//           full: n S; none: 0. One decoding token at context S: S pairs. MLA: 2 H (h_qk + h_v)
//           per pair in prefill and training, 2 H (2 r + r_p) absorbed in decode                (9)
//   decode of B sequences at context S: F = B O + 4 L H h S B, Q = W_touch(B) + kappa S B + A B
//   (10) prefill of n tokens, c cached: F = B (O n + (9)), Q = W_touch(n B) + kappa (c + n) B;
//           a mixed step adds both and reads the weights once (11)
//   training = mu x forward, mu = 3; 4 with full recompute; 3 + attention share with selective.
//           Weights count 2 + f when a share f of them is trained (12)
// [pope2022] [korthikanti2022] [chowdhery2022]
#pragma once

#include <span>

#include "ridgeline/base/units.h"
#include "ridgeline/physics/activations.h"
#include "ridgeline/physics/setting.h"
#include "ridgeline/spec/layer_facts.h"
#include "ridgeline/spec/model.h"
#include "ridgeline/spec/totals.h"

namespace ridgeline::physics {

// The totals of a full model, with the exact facts of its layers. Keeps a pointer to `model`.
// REQUIRES: model.why_no_count is empty.
Totals totals_of(const Model& model);

// A model at given number formats. Bytes of weights, widths in bytes, FLOP of one token.
struct ModelSums {
  double weights = 0;         // W: one copy, all of it
  double shared_weights = 0;  // read by every step
  double expert_weights = 0;  // of routed experts, all together
  double experts = 0;         // E; 0: dense
  double chosen = 0;          // k
  double flop_per_unit = 0;   // O
  double layers = 0;          // L; 0: not known
  double hidden = 0;          // d
  double moe_layers = 0;
  double head_flop = 0;  // of O, in the output head; 0: not known
  double head_bytes = 0;
  double kv_width = 2;
  double activation_width = 2;  // b
  const LayerFacts* facts = nullptr;
  LayerGroup only;  // of a model known by its totals alone

  std::span<const LayerGroup> groups() const {
    if (facts != nullptr) return {facts->groups.begin(), facts->groups.size()};
    return {&only, only.layers > 0 ? 1U : 0U};
  }
};

// REQUIRES: checked totals. Keeps a pointer to totals.layered.
ModelSums sums_of(const Totals& totals, const Setting& setting);
ModelSums sums_of(Totals&&, const Setting&) = delete;  // it would not outlive the call

// Number formats where none is asked for: of the weights as the checkpoint holds them, and of the
// activations the same, the 4-bit float rate standing for formats with scales.
Precision weight_precision(const Totals& totals, const Setting& setting);
Precision activation_precision(const Totals& totals, const Setting& setting);

// Work of one step on one device.
struct StepWork {
  Flops flop;
  Bytes weights;
  Bytes kv;
  Bytes activations;
  Flops attention;  // of `flop`, what attention kernels do

  Bytes bytes() const { return weights + kv + activations; }
};
StepWork operator+(const StepWork& a, const StepWork& b);

// Experts of a layer that T tokens meet: E (1 - (1 - k/E)^T).
double touched_experts(double experts, double chosen, double tokens);

Bytes touched_weights(const ModelSums& model, double tokens);  // (7)

// Bytes that one sequence of `context` tokens keeps on one of tp ranks, and per token of a context
// inside every window, (8).
Bytes kept_kv(const ModelSums& model, double context, double tp);
Bytes kv_per_token(const ModelSums& model, double tp);

// Elements of keys and values (or latents) of a token on one of tp ranks, all layers.
double cached_elements(const ModelSums& model, double tp);

// Does the sequence's cache grow by the same amount with every token?
bool has_linear_kv(const ModelSums& model);

// New tokens of a prompt of `whole` tokens after `cached` ones.
struct PromptPart {
  std::int64_t fresh = 1;
  std::int64_t cached = 0;
  std::int64_t whole = 1;
};

// FLOP of scores, values and recurrent states: of part of a prompt, (9), and of one decoding token.
Flops prompt_attention(const ModelSums& model, AttentionCount count, const PromptPart& part);
Flops decode_attention(const ModelSums& model, AttentionCount count, double context);

struct DecodeLoad {
  double sequences = 1;         // B
  double context = 1;           // S
  double tokens = 1;            // of each sequence in one step: 1, or K + 1 to verify a draft
  double activation_bytes = 0;  // A
  double tp = 1;
};
StepWork decode_work(const ModelSums& model, AttentionCount count, const DecodeLoad& load);  // (10)

struct PrefillLoad {
  PromptPart part;
  double sequences = 1;
  double activation_bytes = 0;
  double tp = 1;
};
StepWork prefill_work(const ModelSums& model, AttentionCount count,
                      const PrefillLoad& load);  // (11)

// Decode and prefill in one step: the weights are read once, by the tokens of both.
StepWork mixed_work(const ModelSums& model, AttentionCount count, const DecodeLoad& decode,
                    const PrefillLoad& prefill);

// Multiples of the forward FLOP of weights and of attention that a training step takes, (12).
struct TrainingFactors {
  double weights = 3;
  double attention = 3;
};
TrainingFactors hardware_factors(Recompute recompute, double trainable_fraction);
TrainingFactors model_factors(double trainable_fraction);

}  // namespace ridgeline::physics
