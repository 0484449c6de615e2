// Number formats of weights, caches and activations.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace ridgeline {

enum class Precision : std::uint8_t { fp32, tf32, bf16, fp16, fp8, int8, int4, fp4, mxfp4, nvfp4 };
inline constexpr std::size_t kPrecisionCount = 10;

inline std::span<const char* const> names_of(Precision) {
  static constexpr std::array<const char*, kPrecisionCount> kNames = {
      "fp32", "tf32", "bf16", "fp16", "fp8", "int8", "int4", "fp4", "mxfp4", "nvfp4"};
  return kNames;
}

// Mean bytes of one element, block scales included: mxfp4 has an 8-bit scale per 32 elements
// [ocp-mx], nvfp4 an 8-bit scale per 16 [nvidia-nvfp4].
constexpr double bytes_per_element(Precision p) {
  constexpr std::array<double, kPrecisionCount> kBytes = {4, 4,   2,   2,       1,
                                                          1, 0.5, 0.5, 0.53125, 0.5625};
  return kBytes[static_cast<std::size_t>(p)];
}

}  // namespace ridgeline
