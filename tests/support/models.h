// Models, machines and plans for tests, built by hand from published configurations.
#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <vector>

#include "ridgeline/spec/model.h"
#include "ridgeline/spec/plan.h"
#include "ridgeline/spec/scenario.h"

namespace ridgeline::testing {

struct DenseSizes {
  std::int64_t layers, hidden, heads, kv_heads, head_dim, width, vocab;
};

inline Model dense_model(const DenseSizes& s) {
  LayerKind kind;
  kind.attention.kind = AttentionKind::softmax;
  kind.attention.heads = s.heads;
  kind.attention.kv_heads = s.kv_heads;
  kind.attention.head_dim = kind.attention.value_head_dim = s.head_dim;
  kind.ffn.width = s.width;
  Model model;
  model.name = "dense";
  model.hidden = model.embedding_width = s.hidden;
  model.vocab = s.vocab;
  model.kinds = {kind};
  model.layers.assign(static_cast<std::size_t>(s.layers), 0);
  return model;
}

inline Model llama_8b() {
  return dense_model({32, 4096, 32, 8, 128, 14336, 128256});
}
inline Model llama_70b() {
  return dense_model({80, 8192, 64, 8, 128, 28672, 128256});
}

inline Model mixtral_8x7b() {
  Model model = dense_model({32, 4096, 32, 8, 128, 0, 32000});
  model.kinds[0].ffn = {.width = 0, .matrices = 3, .experts = 8, .top_k = 2, .expert_width = 14336};
  return model;
}

// Windows of 4096 on even layers.
inline Model gemma_2_27b() {
  Model model = dense_model({46, 4608, 32, 16, 128, 36864, 256000});
  model.tied_embeddings = true;
  LayerKind windowed = model.kinds[0];
  windowed.attention.window = 4096;
  model.kinds.push_back(windowed);
  for (std::size_t i = 0; i < model.layers.size(); i += 2) model.layers[i] = 1;
  return model;
}

inline Model deepseek_v3() {
  Model model = dense_model({61, 7168, 128, 128, 0, 18432, 129280});
  Attention& a = model.kinds[0].attention;
  a.kind = AttentionKind::mla;
  a.kv_heads = 0;
  a.q_lora_rank = 1536;
  a.kv_lora_rank = 512;
  a.qk_nope_head_dim = 128;
  a.qk_rope_head_dim = 64;
  a.v_head_dim = 128;
  LayerKind moe = model.kinds[0];
  moe.ffn = {.width = 0,
             .matrices = 3,
             .experts = 256,
             .top_k = 8,
             .expert_width = 2048,
             .shared_width = 2048};
  model.kinds.push_back(moe);
  for (std::size_t i = 3; i < model.layers.size(); ++i) model.layers[i] = 1;
  return model;
}

inline std::vector<Model> all_models() {
  return {llama_8b(), llama_70b(), mixtral_8x7b(), gemma_2_27b(), deepseek_v3()};
}

// Eight devices behind a switch, four such nodes on a fat tree.
inline Machine gpu_tree() {
  Machine m;
  m.name = "four-nodes";
  m.device.name = "gpu";
  m.device.peak[static_cast<std::size_t>(Precision::bf16)] = 989.5 * teraflop_per_second;
  m.device.memory_capacity = 80 * gigabyte;
  m.device.memory_bandwidth = 3350 * gigabyte_per_second;
  m.levels.push_back({.name = "node",
                      .count = 8,
                      .topology = Topology::switched,
                      .bandwidth = 450 * gigabyte_per_second,
                      .latency = 500 * nanosecond});
  m.levels.push_back({.name = "pod",
                      .count = 4,
                      .topology = Topology::fat_tree,
                      .bandwidth = 50 * gigabyte_per_second,
                      .latency = 2000 * nanosecond});
  return m;
}

inline std::int64_t pick(std::vector<std::int64_t> values) {
  return *rc::gen::elementOf(std::move(values));
}

// A random plan of the full space of docs/chiplet-model.md section 8, placeable or not.
inline Plan any_plan() {
  Plan p;
  p.cp = pick({1, 2, 3, 4, 8, 16, 32, 64, 96});
  p.tp = pick({1, 2, 4, 6, 8, 16, 32, 64});
  p.pp = pick({1, 2, 3, 4, 8, 16});
  p.dp = pick({1, 2, 3, 4, 8});
  p.ep = pick({1, 1, 1, 2, 4, 8});
  p.kv_shard_mode = static_cast<KvShardMode>(pick({0, 1}));
  p.ffn_shard_scope = static_cast<FfnShardScope>(pick({0, 1, 2}));
  p.tp_placement = static_cast<Spread>(pick({0, 1}));
  p.cp_placement = static_cast<Spread>(pick({0, 1}));
  p.cp_ring_variant = static_cast<CpRing>(pick({0, 1}));
  return p;
}

inline Workload any_work() {
  Workload w;
  w.phase = static_cast<Phase>(pick({0, 1}));
  w.context = pick({96, 1000, 4096, 8192, 32768, 131072});
  w.batch = pick({1, 2, 3, 8, 32});
  return w;
}

// Chiplet machines of many sizes and topologies.
inline Machine any_chiplet() {
  Scenario s{default_chiplet(), {}, {}};
  Machine& m = s.machine;
  m.levels[0].count = pick({2, 4, 8, 16});
  m.levels[1].shape = {pick({1, 2, 4}), pick({1, 3, 4}), 0};
  m.levels[1].count = m.levels[1].shape[0] * m.levels[1].shape[1];
  m.levels[2].count = pick({1, 8, 16, 64});
  m.levels[2].topology = static_cast<Topology>(
      pick({static_cast<int>(Topology::ring), static_cast<int>(Topology::mesh2d),
            static_cast<int>(Topology::torus2d)}));
  return m;
}

inline Model any_model() {
  return all_models()[static_cast<std::size_t>(pick({0, 1, 2, 3, 4}))];
}

}  // namespace ridgeline::testing
