// Layer facts: what a full model adds to its totals. Parameters by what their number format
// follows, and layers grouped by how they attend; formats and lengths are left open.
#pragma once

#include "ridgeline/base/few.h"
#include "ridgeline/spec/model.h"

namespace ridgeline {

// Layers that attend alike. FLOP and elements are means over them.
struct LayerGroup {
  Attention like;  // stands for all of them in what follows a window, chunk, index or KV heads
  double layers = 0;
  double pair_flop = 0;           // of one query-key pair in prefill and training
  double decode_pair_flop = 0;    // of one pair in decode: MLA absorbs its projections
  double index_pair_flop = 0;     // of one pair that the indexer scores
  double kv_elements = 0;         // cached per token that is kept, one copy
  double index_elements = 0;      // the indexer's, per token
  double state_elements = 0;      // kept per sequence, whatever its length
  double state_flop = 0;          // per token
  double state_prefill_flop = 0;  // per token, on top in prefill and training
};
inline constexpr std::size_t kMaxLayerGroups = 8;

struct LayerFacts {
  Few<LayerGroup, kMaxLayerGroups> groups;
  // Parameters. Those of the first two take the format that is asked for.
  double matrices = 0;         // used by every token
  double expert_matrices = 0;  // of routed experts, all together
  double vectors = 0;          // norms, biases, routers: used by every token
  double expert_vectors = 0;
  double table = 0;  // input embedding
  double head = 0;   // 0: the table serves as the head
  bool tied = false;
  // Bits of an element as the checkpoint holds them.
  double matrix_bits = 16, expert_bits = 16, vector_bits = 16, table_bits = 16;
  double moe_layers = 0;
  double vocab = 0;
  std::int64_t max_context = 0;  // 0: not stated
  const Model* model = nullptr;  // whose facts these are; outlives them
};

}  // namespace ridgeline
