// Formats of stored weights: what the words --precision, --group-size, --bits-per-weight, --gguf
// ask for. What a checkpoint says itself is Model::quantization.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "ridgeline/spec/gguf.h"
#include "ridgeline/spec/precision.h"

namespace ridgeline {

// A number format, or nothing kept at all. The first values are those of Precision, in its order.
enum class StoredPrecision : std::uint8_t {
  fp32,
  tf32,
  bf16,
  fp16,
  fp8,
  int8,
  int4,
  fp4,
  mxfp4,
  nvfp4,
  none
};
static_assert(static_cast<std::size_t>(StoredPrecision::none) == kPrecisionCount);

inline std::span<const char* const> names_of(StoredPrecision) {
  static constexpr std::array<const char*, kPrecisionCount + 1> kNames = {
      "fp32", "tf32", "bf16", "fp16", "fp8", "int8", "int4", "fp4", "mxfp4", "nvfp4", "none"};
  return kNames;
}

// Bytes of one element; 0 when nothing is kept.
constexpr double bytes_per_element(StoredPrecision p) {
  return p == StoredPrecision::none ? 0 : bytes_per_element(static_cast<Precision>(p));
}

constexpr StoredPrecision stored(Precision p) {
  return static_cast<StoredPrecision>(p);
}

// Formats narrower than 16 bits, whose embedding, head, norms and router stay wider.
constexpr bool is_quantised(Precision p) {
  return p != Precision::fp32 && p != Precision::tf32 && p != Precision::bf16 &&
         p != Precision::fp16;
}

// What a user asks of the weights in place of what the checkpoint says; empty: as it says.
struct WeightRequest {
  std::optional<Precision> precision;
  std::optional<std::int64_t> group_size;  // elements that share a scale; 128 x 128 is 16384
  std::optional<std::int64_t> scale_bits;  // per group; 16 with a group
  std::optional<std::int64_t> zero_bits;   // per group; 0
  std::optional<double> bits_per_weight;   // mean over all weights, whatever their format
  std::optional<GgufFile> gguf;
  Precision unquantized = Precision::bf16;  // of what a quantised format leaves as it is
};

}  // namespace ridgeline
