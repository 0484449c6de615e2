#include "ridgeline/physics/parameters.h"

#include <array>

namespace ridgeline::physics {
namespace {

// The formulas once, for exact counts (N = int64_t) and for sizes that would overflow (double).
template <class N>
N n(std::int64_t value) {
  return static_cast<N>(value);
}

template <class N>
N mla_matrices(const Attention& a, N d) {
  const N h = n<N>(a.heads), q_dim = n<N>(a.qk_nope_head_dim) + n<N>(a.qk_rope_head_dim);
  const N c = n<N>(a.kv_lora_rank), q_rank = n<N>(a.q_lora_rank);
  const N query = a.q_lora_rank > 0 ? d * q_rank + q_rank * h * q_dim : d * h * q_dim;
  const N cached = d * (c + n<N>(a.qk_rope_head_dim));
  const N expand = c * h * (n<N>(a.qk_nope_head_dim) + n<N>(a.v_head_dim));
  return query + cached + expand + h * n<N>(a.v_head_dim) * d;  // (2)
}

template <class N>
N softmax_matrices(const Attention& a, N d) {
  const N q = n<N>(a.heads) * n<N>(a.head_dim), o = n<N>(a.heads) * n<N>(a.value_head_dim);
  const N k = n<N>(a.kv_heads) * n<N>(a.head_dim), v = n<N>(a.kv_heads) * n<N>(a.value_head_dim);
  const N query = a.output_gate ? 2 * q : q;
  const N cached = a.reuses_cache ? n<N>(0) : (a.shared_key_value ? k : k + v);
  return d * (query + cached + o);  // (1)
}

template <class N>
N attention_matrices(const Attention& a, N d) {
  if (a.projection_params > 0) return n<N>(a.projection_params);
  if (a.kind == AttentionKind::softmax) return softmax_matrices<N>(a, d);
  if (a.kind == AttentionKind::mla) return mla_matrices<N>(a, d);
  return n<N>(0);
}

template <class N>
N attention_of(const Attention& a, N d) {
  return attention_matrices<N>(a, d) + n<N>(a.index_params) + n<N>(a.vector_params);
}

template <class N>
N expert_of(const Ffn& f, N d) {
  return n<N>(f.matrices) * d * n<N>(f.expert_width) + n<N>(f.expert_vector_params);  // (3)
}

template <class N>
N ffn_of(const Ffn& f, N d) {
  const N dense = n<N>(f.matrices) * d * (n<N>(f.width) + n<N>(f.shared_width));
  return dense + n<N>(f.experts) * expert_of<N>(f, d) + n<N>(f.router_params) +
         n<N>(f.vector_params);
}

template <class N>
N layer_of(const LayerKind& k, N d) {
  return attention_of<N>(k.attention, d) + ffn_of<N>(k.ffn, d) + n<N>(k.norm_params);
}

}  // namespace

std::int64_t attention_params(const Attention& attention, std::int64_t hidden) {
  return attention_of<std::int64_t>(attention, hidden);
}

std::int64_t expert_params(const Ffn& ffn, std::int64_t hidden) {
  return expert_of<std::int64_t>(ffn, hidden);
}

std::int64_t ffn_params(const Ffn& ffn, std::int64_t hidden) {
  return ffn_of<std::int64_t>(ffn, hidden);
}

std::int64_t layer_params(const LayerKind& layer, std::int64_t hidden) {
  return layer_of<std::int64_t>(layer, hidden);
}

ParameterCount count_parameters(const Model& model) {
  ParameterCount count;
  const std::int64_t d = model.hidden;
  std::int64_t idle = 0;
  for (const std::uint8_t index : model.layers) {
    const LayerKind& layer = model.kinds[index];
    count.attention += attention_params(layer.attention, d);
    count.ffn += ffn_params(layer.ffn, d);
    count.norms += layer.norm_params;
    if (layer.moe()) idle += (layer.ffn.experts - layer.ffn.top_k) * expert_params(layer.ffn, d);
  }
  count.norms += model.final_norm_params;
  count.embedding = model.vocab * model.embedding_width;
  count.head = model.tied_embeddings ? 0 : count.embedding;
  count.other = model.position_params + model.other_params;
  count.total = count.attention + count.ffn + count.norms + count.embedding + count.head +
                count.other;          // (4)
  count.active = count.total - idle;  // (5)
  return count;
}

std::int64_t mtp_params(const Model& model) {
  if (model.mtp_layers == 0 || model.layers.empty()) return 0;
  const std::int64_t d = model.hidden, table = model.vocab * model.embedding_width;
  const std::int64_t layer = layer_params(model.kinds[model.layers.back()], d);
  return model.mtp_layers * (layer + 2 * d * d + 3 * d + 2 * table);
}

std::int64_t forward_params(const Model& model) {
  const ParameterCount count = count_parameters(model);
  return count.active - count.embedding + (model.tied_embeddings ? count.embedding : 0);
}

double approximate_params(const Model& model) {
  const auto d = static_cast<double>(model.hidden);
  const double table =
      static_cast<double>(model.vocab) * static_cast<double>(model.embedding_width);
  double total = 2 * table + static_cast<double>(model.position_params) +
                 static_cast<double>(model.final_norm_params) +
                 static_cast<double>(model.other_params);
  std::array<double, 256> of_kind{};
  for (std::size_t k = 0; k < model.kinds.size(); ++k) {
    of_kind[k] = layer_of<double>(model.kinds[k], d);
  }
  for (const std::uint8_t index : model.layers) total += of_kind[index];
  return total + static_cast<double>(model.mtp_layers) * (2 * table + 2 * d * d);
}

}  // namespace ridgeline::physics
