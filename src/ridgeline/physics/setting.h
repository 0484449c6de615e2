// Setting: number formats, efficiencies and overheads under which a model runs on a device. Every
// solver that has both takes these, needed or not.
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/units.h"
#include "ridgeline/physics/flop_count.h"
#include "ridgeline/spec/formats.h"
#include "ridgeline/spec/precision.h"

namespace ridgeline::physics {

struct Setting {
  std::optional<Precision> precision;             // of the weights; as the model says when empty
  std::optional<Precision> activation_precision;  // and of the rate; that of the weights when empty
  Precision kv_precision = Precision::bf16;
  Precision unquantized_precision = Precision::bf16;
  std::optional<std::int64_t> group_size, scale_bits, zero_bits;
  std::optional<double> bits_per_weight;
  AttentionCount attention_count = AttentionCount::causal;
  std::optional<double> efficiency;  // given: flat; empty: what the device sustains
  std::optional<double> memory_efficiency, network_efficiency;
  std::optional<Seconds> step_overhead, layer_overhead;
  std::optional<Seconds> prefill_overhead, decode_overhead, draft_overhead;
  std::optional<Bytes> reserved;
  std::optional<double> memory_utilization;
  double idle_power_fraction = 0.3;  // [barroso2007]

  bool is_flat() const { return efficiency.has_value(); }

  static constexpr auto fields() {
    return std::tuple(
        field(&Setting::precision, "precision", "b_w", "number format of the weights"),
        field(&Setting::activation_precision, "activation_precision", "b",
              "number format of the activations, at whose rate the device computes"),
        field(&Setting::kv_precision, "kv_precision", "b_kv", "number format of the KV cache"),
        field(&Setting::unquantized_precision, "unquantized_precision", "",
              "of what a quantised format leaves as it is"),
        field(&Setting::group_size, "group_size", "", "weights that share a scale"),
        field(&Setting::scale_bits, "scale_bits", "", "bits of a scale"),
        field(&Setting::zero_bits, "zero_bits", "", "bits of a zero point"),
        field(&Setting::bits_per_weight, "bits_per_weight", "", "mean over all weights"),
        field(&Setting::attention_count, "attention_count", "",
              "query-key pairs counted: causal, full (no mask) or none"),
        field(&Setting::efficiency, "efficiency", "e", "share of the peak that is reached"),
        field(&Setting::memory_efficiency, "memory_efficiency", "e_m",
              "share of the memory's rate that is reached"),
        field(&Setting::network_efficiency, "network_efficiency", "e_n",
              "share of a link's rate that is reached"),
        field(&Setting::step_overhead, "step_overhead", "", "added to every launched step"),
        field(&Setting::layer_overhead, "layer_overhead", "", "added to every layer of a step"),
        field(&Setting::prefill_overhead, "prefill_overhead", "", "whole overhead of a prefill"),
        field(&Setting::decode_overhead, "decode_overhead", "", "whole overhead of a decode step"),
        field(&Setting::draft_overhead, "draft_overhead", "", "whole overhead of a draft's step"),
        field(&Setting::reserved, "reserved", "", "memory that the runtime keeps for itself"),
        field(&Setting::memory_utilization, "memory_utilization", "u",
              "share of the memory that may be used", {"memory_utilization_fraction", 1}),
        field(&Setting::idle_power_fraction, "idle_power_fraction", "i",
              "share of the power drawn when idle"));
  }
};

}  // namespace ridgeline::physics
