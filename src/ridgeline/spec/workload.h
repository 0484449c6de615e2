// Workload: what is asked of the model in one pass.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <tuple>

#include "ridgeline/base/fields.h"
#include "ridgeline/spec/precision.h"

namespace ridgeline {

enum class Phase : std::uint8_t { decode, prefill };

inline std::span<const char* const> names_of(Phase) {
  static constexpr std::array<const char*, 2> kNames = {"decode", "prefill"};
  return kNames;
}

struct Workload {
  Phase phase = Phase::decode;
  std::int64_t context = 4096;
  std::int64_t batch = 1;
  Precision precision = Precision::bf16;
  Precision kv_precision = Precision::bf16;
  Precision activation_precision = Precision::bf16;
  double bits_per_weight = 0;  // mean, of weights in several formats; 0: those of `precision`

  // Mean bytes of a weight.
  double weight_bytes() const {
    constexpr double kBitsPerByte = 8;
    return bits_per_weight > 0 ? bits_per_weight / kBitsPerByte : bytes_per_element(precision);
  }

  static constexpr auto fields() {
    return std::tuple(
        field(&Workload::phase, "phase", "",
              "decode (one new token) or prefill (the whole prompt)"),
        field(&Workload::context, "context", "S", "tokens attended, the new ones included"),
        field(&Workload::batch, "batch", "", "sequences in the pass"),
        field(&Workload::precision, "precision", "b_w", "number format of the weights"),
        field(&Workload::kv_precision, "kv_precision", "b_kv", "number format of the KV cache"),
        field(&Workload::activation_precision, "activation_precision", "b_a",
              "number format of the activations"),
        field(&Workload::bits_per_weight, "bits_per_weight", "",
              "mean bits of a weight, where they are of several formats; 0: those of precision"));
  }
};

}  // namespace ridgeline
