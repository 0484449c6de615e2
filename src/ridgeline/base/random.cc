#include "ridgeline/base/random.h"

#include <cmath>
#include <numbers>

namespace ridgeline {
namespace {

constexpr int kRounds = 10;
constexpr std::uint32_t kMultiplier[] = {0xD2511F53U, 0xCD9E8D57U};
constexpr std::uint32_t kWeyl[] = {0x9E3779B9U, 0xBB67AE85U};

std::uint32_t low(std::uint64_t x) {
  return static_cast<std::uint32_t>(x);
}
std::uint32_t high(std::uint64_t x) {
  return static_cast<std::uint32_t>(x >> 32U);
}

// The middle of one of 2^53 equal parts of (0, 1).
double unit_interval(std::uint32_t upper, std::uint32_t lower) {
  const std::uint64_t bits = (static_cast<std::uint64_t>(upper) << 32U | lower) >> 11U;
  constexpr double kPart = 0x1p-53;
  return (static_cast<double>(bits) + 0.5) * kPart;
}

}  // namespace

RandomBlock philox(RandomBlock counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t a = static_cast<std::uint64_t>(kMultiplier[0]) * counter[0];
    const std::uint64_t b = static_cast<std::uint64_t>(kMultiplier[1]) * counter[2];
    counter = {high(b) ^ counter[1] ^ key[0], low(b), high(a) ^ counter[3] ^ key[1], low(a)};
    key = {key[0] + kWeyl[0], key[1] + kWeyl[1]};
  }
  return counter;
}

std::pair<double, double> uniform_pair(std::uint64_t seed, std::uint32_t stream,
                                       std::uint64_t place) {
  const RandomBlock bits = philox({low(place), high(place), stream, 0}, {low(seed), high(seed)});
  return {unit_interval(bits[0], bits[1]), unit_interval(bits[2], bits[3])};
}

double standard_normal(std::uint64_t seed, std::uint32_t stream, std::uint64_t place) {
  const auto [u, v] = uniform_pair(seed, stream, place);
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

}  // namespace ridgeline
