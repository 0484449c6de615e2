// Whole numbers: division rounded up, and products that stop at the largest value.
#pragma once

#include <cstdint>
#include <limits>

namespace ridgeline {

// a / b rounded up. REQUIRES: a >= 0, b > 0.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

// a * b, or the largest value where that is more. REQUIRES: neither is negative.
constexpr std::int64_t saturating_product(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? std::numeric_limits<std::int64_t>::max() : out;
}

}  // namespace ridgeline
