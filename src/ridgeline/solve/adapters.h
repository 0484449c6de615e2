// Adapters: low-rank changes of weights, B A of rank r added to a matrix.  [hu2021]
#pragma once

#include <cstdint>

namespace ridgeline::solve {

// On so many square matrices of every layer.
struct Adapters {
  std::int64_t rank = 1;
  std::int64_t matrices = 4;  // query, key, value and output projection

  // Parameters of one adapter: r d of A and d r of B for every matrix.
  double params(std::int64_t layers, std::int64_t width) const {
    constexpr double kSides = 2;
    return kSides * static_cast<double>(rank) * static_cast<double>(width) *
           static_cast<double>(matrices) * static_cast<double>(layers);
  }
};

}  // namespace ridgeline::solve
