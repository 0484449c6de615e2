// Replica: one copy of a model on the devices that serve it, and the time of its steps.
//
//   work of a device    F/tp, W_touch/tp, KV of its own heads                            (8, 10,
//   11) messages            2 all-reduces of B n d b per layer over tp, pp - 1 hand-overs of B n d
//   b t                   max(F/(R e), Q/BW) + overhead + messages                            (2,
//   3)
// The stages of a pipeline work one after another on one batch, so that their times add up.
// [pope2022]
#pragma once

#include <cstdint>

#include "ridgeline/physics/pace.h"
#include "ridgeline/physics/switched.h"
#include "ridgeline/physics/totals.h"

namespace ridgeline::physics {

struct Replica {
  ModelSums model;
  Pace pace;
  AttentionCount count = AttentionCount::causal;
  double tp = 1;
  double pp = 1;
  RankGroup tp_group, pp_group;
  Seconds prefill_overhead, decode_overhead;

  double devices() const { return tp * pp; }
};

struct ReplicaPlan {
  std::int64_t tp = 1;
  std::int64_t pp = 1;
};

// REQUIRES: checked arguments; `links` join at least tp x pp devices.
Replica replica_of(const Totals& totals, const Hardware& hardware, const Setting& setting,
                   const LinkTree& links, const ReplicaPlan& plan);

// Time of a step of so much work of one device, which sends activations of `tokens` tokens.
StepTime step_of(const Replica& replica, const StepWork& work, double tokens, Seconds overhead);

// What one tensor-parallel rank, through all stages, sends in a step of so many tokens.
Bytes sent_bytes(const Replica& replica, double tokens);

StepTime decode_step(const Replica& replica, const DecodeLoad& load);
StepTime prefill_step(const Replica& replica, const PrefillLoad& load);
StepTime mixed_step(const Replica& replica, const DecodeLoad& decode, const PrefillLoad& prefill);

// Bytes on the fullest device: weights, and the cache of one sequence.
Bytes held_weights(const Replica& replica);
Bytes held_kv(const Replica& replica, double context);
Bytes held_kv_per_token(const Replica& replica);

}  // namespace ridgeline::physics
