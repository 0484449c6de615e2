#include "ridgeline/advise/shards.h"

#include <algorithm>

#include "ridgeline/physics/memory.h"
#include "ridgeline/physics/placement.h"
#include "ridgeline/physics/shapes.h"

namespace ridgeline::advise {
namespace {

using physics::AttentionShape;

struct Shape {
  double rows, columns;
};

// Collects the tensors of one layer kind; the number of copies follows from (1).
class Collector {
 public:
  Collector(const Model& model, const Workload& work, const Plan& plan, std::vector<Shard>& out)
      : model_(model), work_(work), plan_(plan), out_(out) {
    ranks_ = static_cast<double>(plan.tp * plan.cp * plan.dp);
  }

  void add_kind(const LayerKind& kind, std::int64_t layers) {
    layers_ = layers;
    add_attention(kind.attention);
    add_ffn(kind.ffn);
    add_cache(kind);
  }

  void add_tables() {
    layers_ = 1;
    const auto v = static_cast<double>(model_.vocab), d = static_cast<double>(model_.hidden);
    const Shape part{v / static_cast<double>(plan_.tp), d};
    add(ShardTensor::embedding, {v, d}, "TP", part);
    if (!(model_.tied_embeddings && plan_.pp == 1)) add(ShardTensor::head, {v, d}, "TP", part);
  }

 private:
  void add(ShardTensor tensor, Shape full, const char* over, Shape part) {
    add_sized(tensor, full, over, part, work_.weight_bytes());
  }

  void add_sized(ShardTensor tensor, Shape full, const char* over, Shape part, double element) {
    const double elements = full.rows * full.columns, own = part.rows * part.columns;
    if (elements <= 0) return;
    out_.push_back({tensor, layers_, full.rows, full.columns, over, part.rows, part.columns,
                    own * element, own * ranks_ / elements});
  }

  void add_attention(const Attention& a) {
    const AttentionShape s = physics::attention_shape(a, model_.hidden, work_.phase, plan_);
    if (a.kind == AttentionKind::softmax) add_softmax(a, s);
    if (a.kind == AttentionKind::mla) add_mla(a, s);
    const auto d = static_cast<double>(model_.hidden);
    if (a.kind == AttentionKind::recurrent) {
      const auto params = static_cast<double>(a.projection_params);
      add(ShardTensor::mixer, {d, params / d}, "TP", {d, s.query_params / d});
    }
    const auto indexer = static_cast<double>(a.index_params);
    add(ShardTensor::indexer, {d, indexer / d}, "-", {d, indexer / d});
  }

  void add_softmax(const Attention& a, const AttentionShape& s) {
    const auto d = static_cast<double>(model_.hidden);
    const auto hq = static_cast<double>(a.heads), hkv = static_cast<double>(a.kv_heads);
    const auto dh = static_cast<double>(a.head_dim), dv = static_cast<double>(a.value_head_dim);
    add(ShardTensor::query, {d, hq * dh * (a.output_gate ? 2 : 1)}, "TP", {d, s.query_out});
    add(ShardTensor::key, {d, hkv * dh}, "TP", {d, s.k});
    if (!a.shared_key_value) add(ShardTensor::value, {d, hkv * dv}, "TP", {d, s.v});
    add(ShardTensor::output, {hq * dv, d}, "TP", {s.o, d});
  }

  void add_mla(const Attention& a, const AttentionShape& s) {
    const auto d = static_cast<double>(model_.hidden), tp = static_cast<double>(plan_.tp);
    const auto hq = static_cast<double>(a.heads), lora = static_cast<double>(a.q_lora_rank);
    const auto c = static_cast<double>(a.kv_lora_rank);
    const auto r = static_cast<double>(a.qk_rope_head_dim);
    const auto nope = static_cast<double>(a.qk_nope_head_dim);
    const auto dv = static_cast<double>(a.v_head_dim);
    if (lora > 0) {
      add(ShardTensor::query_down, {d, lora}, "-", {d, lora});
      add(ShardTensor::query_up, {lora, hq * (nope + r)}, "TP", {lora, s.query_out});
    } else {
      add(ShardTensor::query, {d, hq * (nope + r)}, "TP", {d, s.query_out});
    }
    add(ShardTensor::latent_down, {d, c + r}, "-", {d, c + r});
    add(ShardTensor::key_up, {c, hq * nope}, "TP", {c, hq * nope / tp});
    add(ShardTensor::value_up, {c, hq * dv}, "TP", {c, hq * dv / tp});
    add(ShardTensor::output, {hq * dv, d}, "TP", {s.output_in, d});
  }

  const char* scope() const {
    if (plan_.scope_has_dp()) return "TP x CP x DP";
    return plan_.scope_has_cp() ? "TP x CP" : "TP";
  }

  const char* expert_scope() const {
    if (plan_.ep == 1) return scope();
    if (plan_.scope_has_dp()) return "EP x TP x CP x DP";
    return plan_.scope_has_cp() ? "EP x TP x CP" : "EP x TP";
  }

  void add_ffn(const Ffn& f) {
    const auto d = static_cast<double>(model_.hidden), g = physics::ffn_ranks(plan_);
    const auto in_matrices = static_cast<double>(f.matrices - 1);
    const auto pair = [&](ShardTensor in, ShardTensor back, double width) {
      add(in, {d, in_matrices * width}, scope(), {d, in_matrices * width / g});
      add(back, {width, d}, scope(), {width / g, d});
    };
    if (!f.moe()) {
      pair(ShardTensor::gate_up, ShardTensor::down, static_cast<double>(f.width));
      return;
    }
    pair(ShardTensor::shared_gate_up, ShardTensor::shared_down,
         static_cast<double>(f.shared_width + f.width));
    const auto experts = static_cast<double>(f.experts), fm = static_cast<double>(f.expert_width);
    const double own = experts / static_cast<double>(plan_.ep);
    add(ShardTensor::expert_gate_up, {experts * d, in_matrices * fm}, expert_scope(),
        {own * d, in_matrices * fm / g});
    add(ShardTensor::expert_down, {experts * fm, d}, expert_scope(), {own * fm / g, d});
    add(ShardTensor::router, {d, experts}, "-", {d, experts});
  }

  // Rows are tokens (for a state: sequences), columns what is kept of each.
  void add_cache(const LayerKind& kind) {
    const Attention& a = kind.attention;
    if (a.kind == AttentionKind::none) return;
    const bool state = a.kind == AttentionKind::recurrent;
    const Plan alone;
    const double element = bytes_per_element(work_.kv_precision);
    const auto width = [&](const Plan& plan) {
      if (state) return 1.0;
      return physics::attention_shape(a, model_.hidden, work_.phase, plan).cache +
             static_cast<double>(a.index_head_dim);
    };
    const double full = physics::layer_bytes(kind, model_.hidden, work_, alone).kv_cache / element;
    const double part = physics::layer_bytes(kind, model_.hidden, work_, plan_).kv_cache / element;
    const double full_width = width(alone), part_width = width(plan_);
    if (full_width <= 0 || part_width <= 0) return;
    add_sized(state ? ShardTensor::state : ShardTensor::kv_cache, {full / full_width, full_width},
              state ? "TP x DP" : "TP x CP x DP", {part / part_width, part_width}, element);
  }

  const Model& model_;
  const Workload& work_;
  const Plan& plan_;
  std::vector<Shard>& out_;
  std::int64_t layers_ = 1;
  double ranks_ = 1;
};

}  // namespace

namespace {

// Which of `pieces` equal pieces the rank'th of `ranks` holds: neighbours share one.
std::int64_t piece_index(std::int64_t rank, std::int64_t ranks, std::int64_t pieces) {
  return rank * pieces / ranks;
}

std::int64_t pieces_in(double whole, double part) {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(whole / part + 0.5));
}

bool is_expert(ShardTensor tensor) {
  return tensor == ShardTensor::expert_gate_up || tensor == ShardTensor::expert_down;
}

bool is_ffn(ShardTensor tensor) {
  return tensor >= ShardTensor::gate_up && tensor <= ShardTensor::expert_down;
}

}  // namespace

Piece piece_of(const Shard& shard, const Plan& plan, std::int64_t tp, std::int64_t cp,
               std::int64_t dp) {
  Piece out;
  out.row_pieces = pieces_in(shard.rows, shard.part_rows);
  out.column_pieces = pieces_in(shard.columns, shard.part_columns);
  if (shard.tensor == ShardTensor::kv_cache) {
    out.row = piece_index(dp * plan.cp + cp, plan.dp * plan.cp, out.row_pieces);
    out.column = piece_index(tp, plan.tp, out.column_pieces);
    return out;
  }
  std::int64_t rank = tp, ranks = plan.tp;
  if (is_ffn(shard.tensor) && plan.scope_has_cp()) {
    rank += cp * ranks;
    ranks *= plan.cp;
  }
  if (is_ffn(shard.tensor) && plan.scope_has_dp()) {
    rank += dp * ranks;
    ranks *= plan.dp;
  }
  out.row = piece_index(rank, ranks, out.row_pieces);
  out.column = piece_index(rank, ranks, out.column_pieces);
  if (!is_expert(shard.tensor) || plan.ep == 1) return out;
  const physics::ExpertSplit split = physics::expert_split(plan);
  const std::int64_t group = cp % split.cp + split.cp * (dp % split.dp);
  const std::int64_t inside = out.row_pieces / plan.ep;  // pieces of one group's rows
  out.row = group * inside + piece_index(rank, ranks, inside);
  return out;
}

std::vector<Shard> shards_of(const Model& model, const Workload& work, const Plan& plan) {
  std::vector<Shard> out;
  Collector collector(model, work, plan, out);
  for (std::size_t k = 0; k < model.kinds.size(); ++k) {
    const auto count =
        std::count(model.layers.begin(), model.layers.end(), static_cast<std::uint8_t>(k));
    if (count > 0) collector.add_kind(model.kinds[k], count);
  }
  collector.add_tables();
  return out;
}

}  // namespace ridgeline::advise
