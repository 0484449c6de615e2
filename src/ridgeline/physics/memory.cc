#include "ridgeline/physics/memory.h"

#include <algorithm>
#include <cmath>

#include "ridgeline/base/integers.h"
#include "ridgeline/physics/shapes.h"

namespace ridgeline::physics {
namespace {

constexpr double kAccumulatorBytes = 4;  // b_c: partial outputs travel in fp32

// Up to whole bytes; sums of products are off by far less than this.
std::int64_t whole(double bytes) {
  return static_cast<std::int64_t>(std::ceil(bytes - 1e-4));
}

double state_bytes(const Attention& a, double sequences, double tp, double element) {
  const auto state = static_cast<double>(a.state_heads * a.state_key_dim * a.state_value_dim);
  const auto conv =
      static_cast<double>(a.conv_channels * std::max<std::int64_t>(0, a.conv_kernel - 1));
  return sequences * (state + conv) / tp * element;
}

double attention_activations(const LayerKind& kind, double d, const Workload& work,
                             const Plan& plan) {
  const AttentionShape s =
      attention_shape(kind.attention, static_cast<std::int64_t>(d), work.phase, plan);
  const double ba = bytes_per_element(work.activation_precision);
  const double tok = tokens_per_rank(work, plan);
  double bytes = tok * (2 * d + s.q + s.k + s.v + s.o) * ba;
  if (plan.cp == 1) return bytes;
  const double oml = tok * (s.o + 2 * s.score_heads) * kAccumulatorBytes;
  const double arriving =
      plan.cp_ring_variant == CpRing::kv
          ? sequences_per_replica(work, plan) * static_cast<double>(work.context) /
                static_cast<double>(plan.cp) * (s.k + s.v) * bytes_per_element(work.kv_precision)
          : tok * s.q * ba + oml;
  return bytes + oml + arriving;
}

double ffn_activations(const Model& model, const Machine& machine, const Workload& work,
                       const Plan& plan) {
  double widest = 0, matrices = 2;
  for (const LayerKind& kind : model.kinds) {
    const Ffn& f = kind.ffn;
    const std::int64_t width =
        f.moe() ? f.top_k * f.expert_width + f.shared_width + f.width : f.width;
    widest = std::max(widest, static_cast<double>(width));
    matrices = std::max(matrices, static_cast<double>(f.matrices));
  }
  const double ba = bytes_per_element(work.activation_precision);
  const auto d = static_cast<double>(model.hidden);
  const double chunk = std::min(ffn_tokens(work, plan), machine.ffn_chunk_tokens);
  return 2 * tokens_per_rank(work, plan) * d * ba +
         chunk * (d + matrices * widest / ffn_ranks(plan)) * ba;
}

double activation_bytes(const Model& model, const Machine& machine, const Workload& work,
                        const Plan& plan) {
  double most = ffn_activations(model, machine, work, plan);
  for (const LayerKind& kind : model.kinds) {
    if (kind.attention.kind == AttentionKind::none) continue;
    most =
        std::max(most, attention_activations(kind, static_cast<double>(model.hidden), work, plan));
  }
  return most;
}

// What no stage changes, computed once a plan.
struct PerPlan {
  double table = 0;
  double activations = 0;
  double logits = 0;
  std::vector<LayerBytes> layer;  // by kind
};

PerPlan per_plan(const Model& model, const Machine& machine, const Workload& work,
                 const Plan& plan) {
  PerPlan out;
  out.table = table_bytes(model, work, plan);
  out.activations = activation_bytes(model, machine, work, plan);
  out.logits = sequences_per_replica(work, plan) * static_cast<double>(model.vocab + model.hidden) *
               bytes_per_element(work.activation_precision);
  out.layer.reserve(model.kinds.size());
  for (const LayerKind& kind : model.kinds) {
    out.layer.push_back(layer_bytes(kind, model.hidden, work, plan));
  }
  return out;
}

MemoryUse stage_use(const Model& model, const LayerPrefix& prefix, const PerPlan& per,
                    const Plan& plan, std::int64_t stage, std::int64_t first) {
  const std::int64_t count = layers_of_stage(model.layer_count(), plan.pp, stage);
  const bool last = stage + 1 == plan.pp;
  double attn = 0, ffn = 0, kv = 0;
  for (std::size_t k = 0; k < model.kinds.size(); ++k) {
    const auto begin = static_cast<std::size_t>(first),
               end = static_cast<std::size_t>(first + count);
    const auto n = static_cast<double>(prefix[k][end] - prefix[k][begin]);
    attn += n * per.layer[k].attn_weights;
    ffn += n * per.layer[k].ffn_weights;
    kv += n * per.layer[k].kv_cache;
  }
  const bool shares_table = model.tied_embeddings && plan.pp == 1;
  MemoryUse use;
  use.attn_weights = whole(attn);
  use.ffn_weights = whole(ffn);
  use.kv_cache = whole(kv);
  use.embedding = stage == 0 ? whole(per.table) : 0;
  use.head = last && !shares_table ? whole(per.table) : 0;
  use.activations = whole(last ? std::max(per.activations, per.logits) : per.activations);
  use.stage = stage;
  return use;
}

}  // namespace

LayerBytes layer_bytes(const LayerKind& kind, std::int64_t hidden, const Workload& work,
                       const Plan& plan) {
  const double bw = work.weight_bytes(), bkv = bytes_per_element(work.kv_precision);
  const AttentionShape s = attention_shape(kind.attention, hidden, work.phase, plan);
  const double sequences = sequences_per_replica(work, plan);
  LayerBytes out;
  out.attn_weights = s.held_params * bw;
  out.ffn_weights = ffn_held_params(kind.ffn, hidden, plan) * bw;
  if (kind.attention.kind == AttentionKind::recurrent) {
    out.kv_cache = state_bytes(kind.attention, sequences, static_cast<double>(plan.tp), bkv);
  } else {
    std::int64_t stored = work.context;  // an indexer reads few tokens but all are kept
    if (kind.attention.window > 0) stored = std::min(stored, kind.attention.window);
    if (kind.attention.chunk > 0) stored = std::min(stored, kind.attention.chunk);
    out.kv_cache = sequences * static_cast<double>(stored) / static_cast<double>(plan.cp) *
                   (s.cache + static_cast<double>(kind.attention.index_head_dim)) * bkv;
  }
  return out;
}

double table_bytes(const Model& model, const Workload& work, const Plan& plan) {
  return static_cast<double>(model.vocab) * static_cast<double>(model.hidden) /
         static_cast<double>(plan.tp) * work.weight_bytes();
}

double sequences_per_replica(const Workload& work, const Plan& plan) {
  return static_cast<double>(ceil_div(work.batch, plan.dp));
}

double tokens_per_rank(const Workload& work, const Plan& plan) {
  const double per_sequence = work.phase == Phase::decode ? 1
                                                          : static_cast<double>(work.context) /
                                                                static_cast<double>(plan.cp);
  return sequences_per_replica(work, plan) * per_sequence;
}

double ffn_tokens(const Workload& work, const Plan& plan) {
  const bool gathers_cp = work.phase == Phase::prefill && plan.scope_has_cp();
  return tokens_per_rank(work, plan) * static_cast<double>(gathers_cp ? plan.cp : 1) *
         static_cast<double>(plan.scope_has_dp() ? plan.dp : 1);
}

std::int64_t layers_of_stage(std::int64_t layers, std::int64_t stages, std::int64_t stage) {
  return layers / stages + (stage < layers % stages ? 1 : 0);
}

LayerPrefix layer_prefix(const Model& model) {
  LayerPrefix prefix(model.kinds.size(), std::vector<std::int64_t>(model.layers.size() + 1, 0));
  for (std::size_t k = 0; k < model.kinds.size(); ++k) {
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
      prefix[k][i + 1] = prefix[k][i] + (model.layers[i] == k ? 1 : 0);
    }
  }
  return prefix;
}

MemoryUse memory_of(const Model& model, const LayerPrefix& prefix, const Machine& machine,
                    const Workload& work, const Plan& plan) {
  const PerPlan per = per_plan(model, machine, work, plan);
  MemoryUse most;
  std::int64_t first = 0;
  for (std::int64_t stage = 0; stage < plan.pp; ++stage) {
    const MemoryUse use = stage_use(model, prefix, per, plan, stage, first);
    first += layers_of_stage(model.layer_count(), plan.pp, stage);
    if (stage == 0 || use.total() > most.total()) most = use;
  }
  return most;
}

MemoryUse memory_of_stage(const Model& model, const LayerPrefix& prefix, const Machine& machine,
                          const Workload& work, const Plan& plan, std::int64_t stage) {
  std::int64_t first = 0;
  for (std::int64_t s = 0; s < stage; ++s)
    first += layers_of_stage(model.layer_count(), plan.pp, s);
  return stage_use(model, prefix, per_plan(model, machine, work, plan), plan, stage, first);
}

double usable_bytes(const Machine& machine) {
  const double usable = machine.device.usable_memory.base();
  return usable > 0 ? usable : machine.device.memory_capacity.base();
}

}  // namespace ridgeline::physics
