// Memory: bytes on one device, by class and pipeline stage. Equations: docs/chiplet-model.md
// section 6.
#pragma once

#include <cstdint>
#include <vector>

#include "ridgeline/spec/machine.h"
#include "ridgeline/spec/model.h"
#include "ridgeline/spec/plan.h"
#include "ridgeline/spec/step.h"
#include "ridgeline/spec/workload.h"

namespace ridgeline::physics {

// Bytes of one layer on one device, not rounded.
struct LayerBytes {
  double attn_weights = 0;
  double ffn_weights = 0;
  double kv_cache = 0;
};
LayerBytes layer_bytes(const LayerKind& kind, std::int64_t hidden, const Workload& work,
                       const Plan& plan);

// Bytes of the embedding table, or of the head, on one device.
double table_bytes(const Model& model, const Workload& work, const Plan& plan);

// Sequences that one replica holds: ceil(batch / DP).
double sequences_per_replica(const Workload& work, const Plan& plan);

// Tokens that one rank processes: sequences x (S/CP in prefill, 1 in decode).
double tokens_per_rank(const Workload& work, const Plan& plan);

// Tokens that the feed-forward part of one rank sees, and its routed and shared shares.
double ffn_tokens(const Workload& work, const Plan& plan);

// Layers of each pipeline stage: floor(L/PP), the first L mod PP one more.
std::int64_t layers_of_stage(std::int64_t layers, std::int64_t stages, std::int64_t stage);

// Layers of each kind among the first i layers: prefix[kind][i].
using LayerPrefix = std::vector<std::vector<std::int64_t>>;
LayerPrefix layer_prefix(const Model& model);

// The fullest device: the first of those that hold most.
MemoryUse memory_of(const Model& model, const LayerPrefix& prefix, const Machine& machine,
                    const Workload& work, const Plan& plan);

// The same of a given pipeline stage.
MemoryUse memory_of_stage(const Model& model, const LayerPrefix& prefix, const Machine& machine,
                          const Workload& work, const Plan& plan, std::int64_t stage);

// Memory that a plan may fill: what the driver leaves where that is known, else the data sheet's.
double usable_bytes(const Machine& machine);

}  // namespace ridgeline::physics
