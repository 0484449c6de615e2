#include "ridgeline/validate/row_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "ridgeline/physics/parameters.h"

namespace ridgeline::validate {
namespace {

// Architectures whose widths a row does not hold in full.
constexpr std::array kByNameOnly = {"moe-mla", "moe-gqa-swa"};
constexpr std::array kWidths = {"layers", "hidden", "heads", "ffn", "vocab"};
constexpr std::int64_t kMostLayers = 10'000;
constexpr double kMostParams = 1e15;

bool says_all(const Row& row) {
  const std::string_view arch = row.text("arch");
  if (std::find(kByNameOnly.begin(), kByNameOnly.end(), arch) != kByNameOnly.end()) return false;
  const bool whole = std::all_of(kWidths.begin(), kWidths.end(),
                                 [&](const char* column) { return row.count_or(column, 0) > 0; });
  return whole && row.count_or("layers", 0) <= kMostLayers;
}

// "deepseekv3 truncated to 4 layers", "llama3_70b_l12", "Llama-3.1-405B (layers as given)".
std::string plain_name(std::string_view name) {
  std::string out(name);
  for (const char* tail : {" truncated", " ("}) {
    if (const std::size_t at = out.find(tail); at != std::string::npos) out.resize(at);
  }
  const std::size_t cut = out.rfind("_l");
  const bool digits =
      cut != std::string::npos && out.find_first_not_of("0123456789", cut + 2) == std::string::npos;
  if (digits) out.resize(cut);
  return out;
}

LayerKind kind_of(const Row& row, bool routed) {
  const std::int64_t hidden = row.count_or("hidden", 1), heads = row.count_or("heads", 1);
  LayerKind kind;
  Attention& a = kind.attention;
  a.kind = AttentionKind::softmax;
  a.heads = heads;
  a.kv_heads = row.count_or("kv_heads", heads);
  a.head_dim = a.value_head_dim =
      row.count_or("head_dim", std::max<std::int64_t>(1, hidden / heads));
  kind.ffn.matrices = row.is("gated_mlp") ? 3 : 2;
  kind.norm_params = 2 * hidden;
  if (!routed) {
    kind.ffn.width = row.count_or("ffn", 0);
    return kind;
  }
  kind.ffn.experts = row.count_or("moe_experts", 0);
  kind.ffn.top_k = row.count_or("moe_topk", 0);
  kind.ffn.expert_width = row.count_or("moe_ffn", 0);
  kind.ffn.shared_width = row.count_or("moe_shared_ffn", 0);
  kind.ffn.router_params = hidden * kind.ffn.experts;
  return kind;
}

// Rows do not say whether the head shares the table: the count that is nearer to theirs decides.
void tie(const Row& row, Model& model) {
  const std::optional<double> billions = row.number("params_b");
  if (!billions) return;
  const auto distance = [&](bool tied) {
    model.tied_embeddings = tied;
    const auto total = static_cast<double>(physics::count_parameters(model).total);
    return std::fabs(total - *billions * 1e9);
  };
  const double untied = distance(false), tied = distance(true);
  model.tied_embeddings = tied < untied;
}

Result<Model> built(const Row& row) {
  Model model;
  model.name = row.text("model");
  model.architecture = row.text("arch");
  model.hidden = model.embedding_width = row.count_or("hidden", 1);
  model.vocab = row.count_or("vocab", 1);
  model.final_norm_params = model.hidden;
  model.declared_layers = row.count_or("layers", 1);
  model.kinds = {kind_of(row, false)};
  const std::int64_t dense =
      row.is("moe_experts") ? row.count_or("first_dense_layers", 0) : model.declared_layers;
  if (row.is("moe_experts")) model.kinds.push_back(kind_of(row, true));
  for (std::int64_t i = 0; i < model.declared_layers; ++i) {
    model.layers.push_back(i < dense ? 0 : 1);
  }
  if (physics::approximate_params(model) > kMostParams) {
    return Error{ErrorCode::out_of_range, "", "its widths are those of no model", ""};
  }
  tie(row, model);
  return model;
}

}  // namespace

Model cut_to(Model model, std::int64_t layers, std::optional<std::int64_t> dense) {
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(layers, 1));
  if (count >= model.layers.size()) return model;
  const std::uint8_t first = model.layers.front(), last = model.layers.back();
  model.layers.resize(count);
  if (!dense || first == last) return model;
  for (std::size_t i = 0; i < count; ++i) {
    model.layers[i] = static_cast<std::int64_t>(i) < *dense ? first : last;
  }
  return model;
}

Result<Model> model_of_row(const Row& row, const Registry& registry) {
  if (says_all(row)) return built(row);
  RIDGELINE_TRY(Model found, registry.model(plain_name(row.text("model"))));
  if (!found.why_no_count.empty()) {
    return Error{ErrorCode::missing, "", "its parameters cannot be counted", ""};
  }
  const std::int64_t layers = row.count_or("layers", found.layer_count());
  // Where the row does not say, a cut model keeps one dense layer, as public benchmarks do
  // [simumax].
  const std::int64_t dense = row.count_or("first_dense_layers", 1);
  return cut_to(std::move(found), layers, dense);
}

}  // namespace ridgeline::validate
