// `show model`: counts and cache of one model, every number from physics/.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "ridgeline/catalog/show.h"
#include "ridgeline/physics/kv_cache.h"
#include "ridgeline/physics/parameters.h"

namespace ridgeline::catalog {
namespace {

using Json = nlohmann::ordered_json;

Json count_or_null(std::int64_t value) {
  return value > 0 ? Json(value) : Json(nullptr);
}

// Whole numbers without a fraction, so that 70272 does not read 70272.0.
Json number(double value) {
  if (value == std::floor(value) && std::fabs(value) < 9e15)
    return static_cast<std::int64_t>(value);
  return value;
}

void note(Json& notes, const char* code, const std::string& message, const std::string& where) {
  Json entry{{"code", code}, {"message", message}};
  if (!where.empty()) entry["where"] = where;
  notes.push_back(std::move(entry));
}

struct LayerCounts {
  std::int64_t kv = 0, full = 0, sliding = 0, recurrent = 0, dense = 0, moe = 0, state = 0;
};

LayerCounts count_layers(const Model& model) {
  LayerCounts n;
  for (const std::uint8_t index : model.layers) {
    const LayerKind& kind = model.kinds[index];
    const Attention& a = kind.attention;
    const bool attends = a.kind == AttentionKind::softmax || a.kind == AttentionKind::mla;
    if (physics::has_cache(a)) ++n.kv;
    if (attends) ++(physics::cached_window(a) > 0 ? n.sliding : n.full);
    if (a.kind == AttentionKind::recurrent) ++n.recurrent;
    if (kind.moe()) {
      ++n.moe;
    } else if (kind.ffn.width > 0) {
      ++n.dense;
    }
    n.state += physics::state_elements(a);
  }
  return n;
}

// The layer that stands for the model's attention: the first with a cache.
const Attention* main_attention(const Model& model) {
  for (const std::uint8_t index : model.layers) {
    const Attention& a = model.kinds[index].attention;
    if (a.kind == AttentionKind::softmax || a.kind == AttentionKind::mla) return &a;
  }
  return nullptr;
}

const char* attention_name(const Attention* a) {
  if (a == nullptr) return "none";
  if (a->kind == AttentionKind::mla) return "mla";
  if (a->kv_heads == 1 && a->heads > 1) return "mqa";
  return a->kv_heads < a->heads ? "gqa" : "mha";
}

// A prediction module of DeepSeek V4 is not made like its last layer; what it holds is not stated.
bool mtp_is_like_a_layer(const Model& model) {
  return model.mtp_layers == 0 ||
         std::none_of(model.kinds.begin(), model.kinds.end(),
                      [](const LayerKind& kind) { return kind.attention.compress_ratio > 0; });
}

void put_parameters(const Model& model, Json& out, Json& notes) {
  if (!model.why_no_count.empty()) {
    for (const char* key :
         {"total_params", "total_params_with_mtp", "active_params", "active_params_non_embedding",
          "embedding_params", "parameters", "flop_per_token_forward"}) {
      out[key] = nullptr;
    }
    note(notes, "no_parameter_count", model.why_no_count, "/total_params");
    return;
  }
  const physics::ParameterCount count = physics::count_parameters(model);
  out["total_params"] = count.total;
  out["total_params_with_mtp"] =
      mtp_is_like_a_layer(model) ? Json(count.total + physics::mtp_params(model)) : Json(nullptr);
  out["active_params"] = count.active;
  out["active_params_non_embedding"] = count.active - count.embedding;
  out["embedding_params"] = count.embedding;
  out["parameters"] =
      Json{{"attention", count.attention}, {"ffn", count.ffn},   {"norms", count.norms},
           {"embedding", count.embedding}, {"head", count.head}, {"other", count.other}};
  out["flop_per_token_forward"] = 2 * physics::forward_params(model);
}

void put_cache(const Model& model, Precision kv, physics::MlaForm form, Json& out, Json& notes) {
  const auto cache = physics::kv_cache(model, kv, form);
  if (!cache) {
    for (const char* key : {"kv_bytes_per_token", "index_bytes_per_token",
                            "kv_bytes_per_token_beyond_window", "kv_fixed_bytes_per_sequence"}) {
      out[key] = nullptr;
    }
    note(notes, "no_kv_size", cache.error().message, "/kv_bytes_per_token");
    return;
  }
  out["kv_bytes_per_token"] = number(cache->bytes_per_token);
  out["index_bytes_per_token"] =
      cache->index_bytes_per_token > 0 ? number(cache->index_bytes_per_token) : Json(nullptr);
  out["kv_bytes_per_token_beyond_window"] = number(cache->bytes_per_token_beyond_window);
  out["kv_fixed_bytes_per_sequence"] = number(cache->fixed_bytes_per_sequence);
}

void put_layers(const Model& model, Json& out) {
  const LayerCounts n = count_layers(model);
  out["layers"] = model.declared_layers;
  out["kv_layers"] = n.kv;
  out["full_attention_layers"] = n.full;
  out["sliding_attention_layers"] = n.sliding;
  out["recurrent_layers"] = n.recurrent;
  out["dense_mlp_layers"] = n.dense;
  out["moe_layers"] = n.moe;
  out["recurrent_state_elements"] = n.state > 0 ? Json(n.state) : Json(nullptr);
}

// The largest window: layers of one model share theirs.
std::int64_t window_of(const Model& model) {
  std::int64_t window = 0;
  for (const LayerKind& kind : model.kinds) window = std::max(window, kind.attention.window);
  return window;
}

void put_attention(const Model& model, Json& out) {
  const Attention* a = main_attention(model);
  const bool mla = a != nullptr && a->kind == AttentionKind::mla;
  const Attention none;
  const Attention& sizes = a == nullptr ? none : *a;
  out["attention"] = attention_name(a);
  out["hidden_size"] = count_or_null(model.hidden);
  out["num_attention_heads"] = count_or_null(sizes.heads);
  out["num_key_value_heads"] = count_or_null(mla ? sizes.heads : sizes.kv_heads);
  out["head_dim"] =
      count_or_null(mla ? sizes.qk_nope_head_dim + sizes.qk_rope_head_dim : sizes.head_dim);
  out["sliding_window"] = count_or_null(window_of(model));
}

void put_experts(const Model& model, Json& out) {
  const auto routed = std::find_if(model.kinds.begin(), model.kinds.end(),
                                   [](const LayerKind& kind) { return kind.moe(); });
  const Ffn none;
  const Ffn& ffn = routed == model.kinds.end() ? none : routed->ffn;
  out["num_experts"] = count_or_null(ffn.experts);
  out["experts_per_token"] = count_or_null(ffn.top_k);
  out["expert_intermediate_size"] = count_or_null(ffn.expert_width);
}

const char* name_of(Precision p) {
  return names_of(p)[static_cast<std::size_t>(p)];
}

void put_formats(const Model& model, Json& out) {
  const bool quantized = model.quantization.has_value();
  out["weight_precision"] =
      name_of(quantized ? model.quantization->precision : model.weight_precision);
  out["unquantized_precision"] = name_of(model.weight_precision);
  out["quantization"] = quantized ? Json(model.quantization->method) : Json(nullptr);
  out["vocab_size"] = count_or_null(model.vocab);
  out["tied_embeddings"] = model.tied_embeddings;
  out["model_max_context_tokens"] = count_or_null(model.max_context);
}

}  // namespace

Json show_model(const Model& model, Precision kv_precision, physics::MlaForm mla_form,
                Json& notes) {
  Json out;
  out["name"] = model.name;
  out["architecture"] = model.architecture.empty() ? Json(nullptr) : Json(model.architecture);
  put_parameters(model, out, notes);
  put_cache(model, kv_precision, mla_form, out, notes);
  put_layers(model, out);
  put_attention(model, out);
  put_experts(model, out);
  put_formats(model, out);
  out["published_params"] = model.published_params ? Json(*model.published_params) : Json(nullptr);
  out["sources"] = Json::array();
  if (!model.source.empty())
    out["sources"].push_back({{"field", "config"}, {"source", model.source}});
  return out;
}

}  // namespace ridgeline::catalog
