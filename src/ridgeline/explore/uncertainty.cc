#include "ridgeline/explore/uncertainty.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ridgeline/base/random.h"
#include "ridgeline/explore/workers.h"

namespace ridgeline::explore {
namespace {

using Column = std::vector<double>;

struct Drawn {
  std::vector<Column> inputs, outputs;
  std::vector<unsigned char> accepted;
};

Drawn draw_all(std::span<const Distribution> inputs, std::size_t outputs, const Sampling& sampling,
               double seconds, const Evaluate& evaluate) {
  const std::size_t n = sampling.samples;
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  Drawn out{std::vector<Column>(inputs.size(), Column(n)),
            std::vector<Column>(outputs, Column(n, kNone)), std::vector<unsigned char>(n)};
  constexpr std::size_t kBlock = 256;
  Workers workers(sampling.threads);
  const double all = seconds * static_cast<double>(n);
  workers.run(n, kBlock, all, [&](std::size_t worker, std::size_t begin, std::size_t end) {
    std::vector<double> in(inputs.size()), answers(outputs);
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = 0; j < inputs.size(); ++j) {
        in[j] = draw(inputs[j], sampling.seed, static_cast<std::uint32_t>(j), i);
        out.inputs[j][i] = in[j];
      }
      std::fill(answers.begin(), answers.end(), kNone);
      out.accepted[i] = evaluate(worker, in, answers) ? 1 : 0;
      for (std::size_t k = 0; k < outputs; ++k) out.outputs[k][i] = answers[k];
    }
  });
  return out;
}

void keep_accepted(const std::vector<unsigned char>& accepted, Column& column) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (accepted[i] != 0) column[kept++] = column[i];
  }
  column.resize(kept);
}

// The ranks of a column, ties sharing theirs, less their mean; empty for a constant column. The
// column comes back sorted.
std::vector<float> centred_ranks(Column& column) {
  struct Entry {
    double value;
    std::uint32_t index;
  };
  const std::size_t n = column.size();
  std::vector<Entry> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = {column[i], static_cast<std::uint32_t>(i)};
  std::sort(order.begin(), order.end(),
            [](const Entry& a, const Entry& b) { return a.value < b.value; });
  for (std::size_t i = 0; i < n; ++i) column[i] = order[i].value;
  if (n == 0 || order.front().value == order.back().value) return {};
  std::vector<float> ranks(n);
  const double middle = (static_cast<double>(n) - 1) / 2;
  for (std::size_t i = 0, end = 0; i < n; i = end) {
    while (end < n && order[end].value == order[i].value) ++end;
    const double rank = (static_cast<double>(i) + static_cast<double>(end) - 1) / 2 - middle;
    for (std::size_t k = i; k < end; ++k) ranks[order[k].index] = static_cast<float>(rank);
  }
  return ranks;
}

std::optional<double> correlation(const std::vector<float>& x, const std::vector<float>& y) {
  if (x.empty() || x.size() != y.size()) return std::nullopt;
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double a = x[i], b = y[i];
    xy += a * b;
    xx += a * a;
    yy += b * b;
  }
  return xy / std::sqrt(xx * yy);
}

// REQUIRES: sorted, not empty.
double percentile(const Column& sorted, double share) {
  const double place = share * (static_cast<double>(sorted.size()) - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - std::floor(place)) * (sorted[above] - sorted[below]);
}

// About the median, so that a constant column has its value to the bit.
double mean_of(const Column& sorted) {
  const double centre = sorted[sorted.size() / 2];
  double sum = 0;
  for (const double value : sorted) sum += value - centre;
  return centre + sum / static_cast<double>(sorted.size());
}

Spread spread_of(Column column, const std::vector<std::vector<float>>& inputs) {
  Spread out;
  const std::size_t all = column.size();
  std::erase_if(column, [](double value) { return std::isnan(value); });
  out.count = column.size();
  const std::vector<float> ranks = centred_ranks(column);
  for (const std::vector<float>& input : inputs) {
    out.correlations.push_back(out.count == all ? correlation(input, ranks) : std::nullopt);
  }
  if (column.empty()) return out;
  out.p5 = percentile(column, 0.05);
  out.p50 = percentile(column, 0.5);
  out.p95 = percentile(column, 0.95);
  out.mean = mean_of(column);
  return out;
}

}  // namespace

double central(const Distribution& d) {
  switch (d.shape) {
    case Shape::normal:
    case Shape::lognormal: return d.a;
    case Shape::uniform: return d.a + (d.b - d.a) / 2;
    case Shape::choice: return d.values.front();
  }
  return d.a;
}

double draw(const Distribution& d, std::uint64_t seed, std::uint32_t stream, std::uint64_t place) {
  switch (d.shape) {
    case Shape::normal: return d.a + d.b * standard_normal(seed, stream, place);
    case Shape::lognormal: return d.a * std::exp(d.b * standard_normal(seed, stream, place));
    case Shape::uniform: return d.a + (d.b - d.a) * uniform_pair(seed, stream, place).first;
    case Shape::choice: break;
  }
  const double u = uniform_pair(seed, stream, place).first;
  return d.values[static_cast<std::size_t>(u * static_cast<double>(d.values.size()))];
}

std::size_t workers_of(const Sampling& sampling) {
  return Workers(sampling.threads).most();
}

Sampled sample(std::span<const Distribution> inputs, std::size_t outputs, const Sampling& sampling,
               double seconds, const Evaluate& evaluate) {
  Drawn drawn = draw_all(inputs, outputs, sampling, seconds, evaluate);
  Sampled out;
  out.outputs.resize(outputs);
  out.rejected =
      static_cast<std::size_t>(std::count(drawn.accepted.begin(), drawn.accepted.end(), 0));
  constexpr double kSortSeconds = 1e-7;  // of one number
  Workers workers(sampling.threads);
  const double each = kSortSeconds * static_cast<double>(sampling.samples);
  std::vector<std::vector<float>> ranks(inputs.size());
  workers.run(inputs.size(), 1, each * static_cast<double>(inputs.size()),
              [&](std::size_t, std::size_t j, std::size_t) {
                keep_accepted(drawn.accepted, drawn.inputs[j]);
                ranks[j] = centred_ranks(drawn.inputs[j]);
              });
  workers.run(outputs, 1, each * static_cast<double>(outputs),
              [&](std::size_t, std::size_t k, std::size_t) {
                keep_accepted(drawn.accepted, drawn.outputs[k]);
                out.outputs[k] = spread_of(std::move(drawn.outputs[k]), ranks);
              });
  return out;
}

}  // namespace ridgeline::explore
