#include "ridgeline/advise/replication.h"

#include <algorithm>
#include <cmath>

#include "ridgeline/physics/memory.h"
#include "ridgeline/physics/shapes.h"

namespace ridgeline::advise {
namespace {

const char* ffn_axes(const Plan& plan) {
  if (plan.scope_has_dp()) return "";
  if (plan.scope_has_cp()) return plan.ep > 1 ? "DP / EP" : "DP";
  return plan.ep > 1 ? "CP x DP / EP" : "CP x DP";
}

void add_row(Replication& out, Tensor tensor, std::int64_t bytes, const char* across,
             double copies) {
  if (copies <= 1) return;
  const double wasted = std::ceil((copies - 1) * static_cast<double>(bytes) - 1e-4);
  out.rows.push_back({tensor, bytes, across, copies, static_cast<std::int64_t>(wasted),
                      tensor == Tensor::dp_footprint});
}

void add_rows(Replication& out, const Model& model, const Workload& work, const Plan& plan,
              const MemoryUse& memory) {
  const auto cp = static_cast<double>(plan.cp), dp = static_cast<double>(plan.dp);
  const double ffn_copies = (plan.scope_has_cp() ? 1 : cp) * (plan.scope_has_dp() ? 1 : dp) /
                            static_cast<double>(plan.ep);
  add_row(out, Tensor::attn_weights, memory.attn_weights, "CP", cp);
  add_row(out, Tensor::ffn_weights, memory.ffn_weights, ffn_axes(plan), ffn_copies);
  add_row(out, Tensor::kv_cache, memory.kv_cache, "TP",
          physics::most_kv_copies(model, work.phase, plan));
  add_row(out, Tensor::embed_and_head, memory.embedding + memory.head, "CP", cp);
  add_row(out, Tensor::dp_footprint, memory.total() - memory.activations, "DP", dp);
}

physics::LayerBytes all_layers(const Model& model, const Workload& work, const Plan& plan) {
  physics::LayerBytes sum;
  for (std::size_t k = 0; k < model.kinds.size(); ++k) {
    const auto n = static_cast<double>(
        std::count(model.layers.begin(), model.layers.end(), static_cast<std::uint8_t>(k)));
    const physics::LayerBytes one = physics::layer_bytes(model.kinds[k], model.hidden, work, plan);
    sum.attn_weights += n * one.attn_weights;
    sum.ffn_weights += n * one.ffn_weights;
    sum.kv_cache += n * one.kv_cache;
  }
  return sum;
}

}  // namespace

Replication replication_of(const Model& model, const Workload& work, const Plan& plan,
                           const Step& step) {
  Replication out;
  add_rows(out, model, work, plan, step.memory);

  const Plan alone;  // all sizes 1
  const auto ranks = static_cast<double>(plan.tp * plan.cp * plan.dp);
  const physics::LayerBytes held = all_layers(model, work, plan);
  const physics::LayerBytes unique = all_layers(model, work, alone);
  const double tables = model.tied_embeddings && plan.pp == 1 ? 1 : 2;
  const double unique_tables = model.tied_embeddings ? 1 : 2;
  out.classes[0] = {ranks * held.attn_weights, unique.attn_weights};
  out.classes[1] = {ranks * held.ffn_weights, unique.ffn_weights};
  out.classes[2] = {ranks * held.kv_cache, unique.kv_cache};
  out.classes[3] = {ranks * tables * physics::table_bytes(model, work, plan),
                    unique_tables * physics::table_bytes(model, work, alone)};
  for (const Holding& h : out.classes) {
    out.total.held_bytes += h.held_bytes;
    out.total.unique_bytes += h.unique_bytes;
  }
  return out;
}

}  // namespace ridgeline::advise
