// Totals: a model known only by its sums. No layers are lowered from it; what depends on them is
// answered where the few shape numbers below suffice, else left out.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/units.h"
#include "ridgeline/spec/layer_facts.h"

namespace ridgeline {

enum class ModelClass : std::uint8_t { decoder, encoder, cnn, ssm, other };

inline std::span<const char* const> names_of(ModelClass) {
  static constexpr std::array<const char*, 5> kNames = {"decoder", "encoder", "cnn", "ssm",
                                                        "other"};
  return kNames;
}

struct Totals {
  ModelClass model_class = ModelClass::decoder;
  double params = 0;                           // P; 0: not known
  std::optional<double> active_params;         // P_a; all when empty
  std::optional<double> flop_per_unit;         // O, per token or sample; 2 P_a when empty
  std::optional<std::int64_t> layers;          // L
  std::optional<std::int64_t> hidden;          // d
  std::optional<std::int64_t> heads;           // H
  std::optional<std::int64_t> head_dim;        // h; d / H when empty
  std::optional<std::int64_t> kv_heads;        // H_k; H when empty
  std::optional<std::int64_t> experts;         // E
  std::optional<std::int64_t> active_experts;  // k
  std::optional<std::int64_t> kv_lora_rank;
  std::optional<std::int64_t> qk_rope_head_dim;
  Bytes size;                         // of the weights, where P is not known
  std::optional<LayerFacts> layered;  // of a model known by its layers; not a field

  static constexpr auto fields() {
    return std::tuple(
        field(&Totals::model_class, "class", "", "kind of model"),
        field(&Totals::params, "parameters_count", "P", "parameters"),
        field(&Totals::active_params, "active_parameters_count", "P_a", "used by one token"),
        field(&Totals::flop_per_unit, "flop_per_unit", "O", "forward FLOP per token or sample"),
        field(&Totals::layers, "layers", "L", "layers"),
        field(&Totals::hidden, "hidden_dim", "d", "width"),
        field(&Totals::heads, "heads", "H", "query heads"),
        field(&Totals::head_dim, "head_dim", "h", "width of a head"),
        field(&Totals::kv_heads, "kv_heads", "H_k", "key and value heads"),
        field(&Totals::experts, "experts", "E", "routed experts"),
        field(&Totals::active_experts, "active_experts_per_token", "k", "experts of a token"),
        field(&Totals::kv_lora_rank, "kv_lora_rank", "r", "latent width of MLA"),
        field(&Totals::qk_rope_head_dim, "qk_rope_head_dim", "r_p", "rope key width of MLA"),
        field(&Totals::size, "size", "", "weights, where the parameters are not known"));
  }

  double active() const { return active_params.value_or(params); }

  // All experts together, and what every token uses (equation (1) of totals_split).
  struct Split {
    double shared = 0;
    double experts = 0;
  };
  // x = (P - P_a)/(E - k) parameters per expert over all layers, S_0 = P_a - k x shared.
  Split split() const {
    const bool routed = experts && active_experts && *experts > *active_experts;
    if (!routed) return {params, 0};
    const auto e = static_cast<double>(*experts), k = static_cast<double>(*active_experts);
    const double x = (params - active()) / (e - k);
    return {active() - k * x, e * x};
  }
};

}  // namespace ridgeline
