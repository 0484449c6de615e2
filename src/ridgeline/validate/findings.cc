#include "ridgeline/validate/findings.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ridgeline::validate {
namespace {

constexpr std::size_t kFewestForInterval = 20;
constexpr double kLow = 0.1, kHigh = 0.9;

struct Group {
  std::vector<double> errors, ratios;  // signed; measured / predicted
  std::int64_t skipped = 0;
};
using Groups = std::map<std::pair<std::string, std::string>, Group>;

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

// The value of rank `at` among sorted values without the one at `left_out`.
double without(const std::vector<double>& sorted, std::size_t left_out, double q) {
  const double at = q * static_cast<double>(sorted.size() - 2);
  const auto low = static_cast<std::size_t>(at);
  const auto value = [&](std::size_t i) { return sorted[i < left_out ? i : i + 1]; };
  const std::size_t high = std::min(low + 1, sorted.size() - 2);
  return value(low) + (at - static_cast<double>(low)) * (value(high) - value(low));
}

double coverage(std::vector<double> ratios) {
  if (ratios.size() <= kFewestForInterval) return -1;
  std::sort(ratios.begin(), ratios.end());
  double inside = 0;
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    const bool holds =
        ratios[i] >= without(ratios, i, kLow) && ratios[i] <= without(ratios, i, kHigh);
    inside += holds ? 1 : 0;
  }
  return inside / static_cast<double>(ratios.size());
}

Score score_of(const std::pair<std::string, std::string>& key, const Group& group) {
  Score out{.row_class = key.first, .quantity = key.second, .skipped = group.skipped};
  out.rows = static_cast<std::int64_t>(group.errors.size());
  if (group.errors.empty()) return out;
  std::vector<double> absolute = group.errors;
  for (double& e : absolute) e = std::fabs(e);
  out.median_abs_error = quantile(absolute, 0.5);
  out.mean_abs_error = mean(absolute);
  out.p90_abs_error = quantile(absolute, 0.9);
  out.bias = mean(group.errors);
  out.interval_coverage = coverage(group.ratios);
  return out;
}

}  // namespace

double Prediction::error() const {
  return measured == predicted ? 0 : (predicted - measured) / measured;
}

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  const double at = q * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + (at - static_cast<double>(low)) * (values[high] - values[low]);
}

std::vector<Score> scores_of(const Findings& findings) {
  Groups groups;
  for (const Prediction& p : findings.predictions) {
    for (const std::string& name : p.classes) {
      Group& group = groups[{name, p.quantity}];
      group.errors.push_back(p.error());
      group.ratios.push_back(p.measured == p.predicted ? 1 : p.measured / p.predicted);
    }
  }
  for (const Skipped& s : findings.skipped) {
    for (const std::string& name : s.classes) groups[{name, s.quantity}].skipped += 1;
  }
  std::vector<Score> out;
  for (const auto& [key, group] : groups) out.push_back(score_of(key, group));
  return out;
}

}  // namespace ridgeline::validate
