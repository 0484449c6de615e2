// Uncertainty: inputs that are distributions, drawn many times; percentiles of the answers and the
// inputs that drive them.
//
// Input j of sample i is drawn from stream j at place i (base/random.h), so that the answer depends
// on the seed and the number of samples alone. Inputs are independent. Percentiles are
// interpolated between order statistics, type 7 of [r-quantile]. What an input drives is told by
// its rank correlation with the answer, and by the square of it, its share of the variance of the
// ranks: for independent inputs and an answer that is additive in the ranks they sum to 1
// [openturns-spearman].
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace ridgeline::explore {

//   normal     mean a, standard deviation b                     central value a
//   uniform    from a to b                                      (a + b)/2
//   lognormal  median a, ln of it has standard deviation b      a
//   choice     one of the values, each equally likely           the first of them
enum class Shape : std::uint8_t { normal, uniform, lognormal, choice };

inline std::span<const char* const> names_of(Shape) {
  static constexpr const char* kNames[] = {"normal", "uniform", "lognormal", "choice"};
  return kNames;
}

struct Distribution {
  Shape shape = Shape::normal;
  double a = 0, b = 0;
  std::vector<double> values;  // of a choice
};

double central(const Distribution& distribution);
double draw(const Distribution& distribution, std::uint64_t seed, std::uint32_t stream,
            std::uint64_t place);

struct Sampling {
  std::size_t samples = 10'000;
  std::uint64_t seed = 1;
  int threads = 0;  // 0: all; changes only the speed
};

// Answers of one sample, NaN for those that there are not; false: the inputs have no meaning. The
// worker is below `workers` of the call.
using Evaluate =
    std::function<bool(std::size_t worker, std::span<const double> in, std::span<double> out)>;

struct Spread {
  std::size_t count = 0;  // samples that have the answer
  double p5 = 0, p50 = 0, p95 = 0, mean = 0;
  std::vector<std::optional<double>> correlations;  // with each input; empty where one is constant
};

struct Sampled {
  std::size_t rejected = 0;  // samples whose inputs have no meaning; left out
  std::vector<Spread> outputs;
};

// Workers that sample() would use.
std::size_t workers_of(const Sampling& sampling);

// `seconds` is a guess of the time of one evaluation.
Sampled sample(std::span<const Distribution> inputs, std::size_t outputs, const Sampling& sampling,
               double seconds, const Evaluate& evaluate);

}  // namespace ridgeline::explore
