// Shapes: the widths that one rank holds of a layer under a plan. Symbols: docs/chiplet-model.md
// section 2. Fractions are kept: a tensor split finer than its heads has a fraction of a head.
#pragma once

#include <cstdint>

#include "ridgeline/spec/model.h"
#include "ridgeline/spec/plan.h"
#include "ridgeline/spec/workload.h"

namespace ridgeline::physics {

// Elements per token on one rank, and the matrices it holds.
struct AttentionShape {
  double q = 0;                 // query elements that meet keys (MLA decode: absorbed)
  double o = 0;                 // output elements that leave the values
  double k = 0, v = 0;          // key and value elements read per context token
  double cache = 0;             // elements stored per context token
  double kv_copies = 1;         // g_kv: copies of the cache over the TP ranks
  double score_ranks = 1;       // g_s: TP ranks that share one score
  double score_heads = 0;       // h_s: query heads whose scores the rank holds
  double rope = 0;              // rho: elements rotated
  double query_params = 0;      // S2 matrices
  double query_out = 0;         // q': what S2 writes
  double key_value_params = 0;  // S3 matrices
  double key_value_out = 0;     // what S3 writes
  double expand_params = 0;     // MLA prefill: latent -> keys and values, in S3
  double absorb_params = 0;     // MLA decode: queries -> latent, in S3
  double value_up_params = 0;   // MLA decode: latent -> values, in S9
  double output_params = 0;     // S9 matrix
  double output_in = 0;         // o': what S9 reads
  double held_params = 0;       // all matrices of the layer's token mixer on one rank
};
AttentionShape attention_shape(const Attention& attention, std::int64_t hidden, Phase phase,
                               const Plan& plan);

// Most copies of the cache that TP ranks hold in any layer (g_kv).
double most_kv_copies(const Model& model, Phase phase, const Plan& plan);

// Tokens of the context that a query sees, on average over nothing: min(S, window or chunk or
// top-k).
double visible_context(const Attention& attention, std::int64_t context);

// The same where the context is a mean over sequences.
double visible_tokens(const Attention& attention, double context);

// FLOP per token of a recurrent layer's convolution, of the update and read of its state, and of
// what prefill adds for chunks of 64 tokens [gated-delta-net]; an estimate.
struct StateFlop {
  double convolution = 0;
  double update = 0;
  double chunk = 0;
};
StateFlop state_flop_per_token(const Attention& attention);

// Causal query-key pairs of one sequence of `context` tokens.
double causal_pairs(const Attention& attention, std::int64_t context);

// The group that shards the feed-forward part: TP [x CP][x DP].
double ffn_ranks(const Plan& plan);

// Matrix elements of the feed-forward part on one rank, router included.
double ffn_held_params(const Ffn& ffn, std::int64_t hidden, const Plan& plan);

}  // namespace ridgeline::physics
