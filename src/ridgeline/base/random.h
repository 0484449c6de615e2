// Random: numbers that depend on a seed and a place alone, never on what was drawn before, so that
// any number of threads draws the same. Philox4x32 with ten rounds [salmon2011].
#pragma once

#include <array>
#include <cstdint>
#include <utility>

namespace ridgeline {

using RandomBlock = std::array<std::uint32_t, 4>;

RandomBlock philox(RandomBlock counter, std::array<std::uint32_t, 2> key);

// Two independent numbers, uniform in (0, 1), of a place in a stream.
std::pair<double, double> uniform_pair(std::uint64_t seed, std::uint32_t stream,
                                       std::uint64_t place);

// Of the standard normal distribution, by the transform of Box and Muller.
double standard_normal(std::uint64_t seed, std::uint32_t stream, std::uint64_t place);

}  // namespace ridgeline
