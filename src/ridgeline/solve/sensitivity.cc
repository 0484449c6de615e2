#include "ridgeline/solve/sensitivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <type_traits>

#include "ridgeline/solve/model_checks.h"

namespace ridgeline::solve::sensitivity {
namespace {

using Rates = std::array<FlopsPerSecond, kPrecisionCount>;

// The three that every answer names, by their short names.
constexpr const char* kPeak = "peak_flops";
constexpr const char* kBandwidth = "memory_bandwidth";
constexpr const char* kCapacity = "memory_capacity";

std::string short_path(const std::string& path) {
  if (path == "hardware/rates") return kPeak;
  for (const char* name : {kBandwidth, kCapacity}) {
    if (path == std::string("hardware/") + name) return name;
  }
  return path;
}

template <class V>
constexpr bool kIsQuantity = requires(V v) {
  v.base();
};

// A number of the inputs: how to read it, and how to multiply it.
struct Leaf {
  std::string path;
  double value = 0;
  std::function<void(double factor)> scale;
};

template <class S>
void add_leaves(S& s, const std::string& parent, std::vector<Leaf>& out);

template <class V>
void add_leaf(V& value, const std::string& path, std::vector<Leaf>& out) {
  if constexpr (requires { value.has_value(); }) {
    if (value) add_leaf(*value, path, out);
  } else if constexpr (kIsQuantity<V>) {
    out.push_back({short_path(path), value.base(), [&value](double k) { value = k * value; }});
  } else if constexpr (std::is_same_v<V, double>) {
    out.push_back({short_path(path), value, [&value](double k) { value *= k; }});
  } else if constexpr (std::is_same_v<V, Rates>) {
    const double largest = std::max_element(value.begin(), value.end())->base();
    out.push_back({short_path(path), largest, [&value](double k) {
                     for (FlopsPerSecond& rate : value) rate = k * rate;
                   }});
  } else if constexpr (HasFields<V>) {
    add_leaves(value, path + "/", out);
  }
}

template <class S>
void add_leaves(S& s, const std::string& parent, std::vector<Leaf>& out) {
  for_each_field<S>([&](const auto& f) {
    const bool flattened = *f.name == '\0';
    auto& value = s.*f.member;
    using V = std::decay_t<decltype(value)>;
    if constexpr (HasFields<V>) {
      if (flattened) return add_leaves(value, parent, out);
    }
    add_leaf(value, parent + f.name, out);
  });
}

std::vector<Leaf> leaves_of(single_node::Inputs& in) {
  std::vector<Leaf> out;
  add_leaves(in, "", out);
  std::erase_if(out, [](const Leaf& leaf) { return !(leaf.value > 0); });
  return out;
}

bool is_usual(const std::string& path) {
  return path == kPeak || path == kBandwidth || path == kCapacity || path == "hardware/host_link" ||
         path == "hardware/sram_bandwidth" || path == "hardware/sram_capacity" ||
         path == "hardware/flash_bandwidth";
}

Seconds latency_at(const Inputs& in, const std::string& path, double factor) {
  single_node::Inputs moved = in.pass;
  for (const Leaf& leaf : leaves_of(moved)) {
    if (leaf.path == path) leaf.scale(factor);
  }
  return single_node::solve(moved).latency;
}

Knob knob_of(const Inputs& in, const Leaf& leaf, Seconds T) {
  const double x = in.perturbation_fraction;
  const Seconds more = latency_at(in, leaf.path, 1 + x), less = latency_at(in, leaf.path, 1 - x);
  return {.path = leaf.path,
          .baseline = leaf.value,
          .change_fraction = (more - T) / T,                                   // (1)
          .elasticity = std::log(more / less) / std::log((1 + x) / (1 - x))};  // (2)
}

// What is asked for, else rates and capacities.
bool is_asked(const Inputs& in, const std::string& path) {
  if (in.paths.empty()) return is_usual(path);
  return std::any_of(in.paths.begin(), in.paths.end(),
                     [&](const std::string& one) { return short_path(one) == path; });
}

std::optional<double> change_of(const std::vector<Knob>& knobs, std::string_view path) {
  for (const Knob& knob : knobs) {
    if (knob.path.view() == path) return knob.change_fraction;
  }
  return std::nullopt;
}

}  // namespace

Result<Inputs> check(const Inputs& given) {
  Inputs in = given;
  const double x = in.perturbation_fraction;
  if (!(x > 0 && x < 1)) {
    return out_of_range("perturbation_fraction", fmt::format("perturbation_fraction is {}", x),
                        "between 0 and 1");
  }
  RIDGELINE_CHECK(single_node::check(in.pass));
  const std::vector<Leaf> leaves = leaves_of(in.pass);
  for (const std::string& path : in.paths) {
    const bool known = std::any_of(leaves.begin(), leaves.end(),
                                   [&](const Leaf& leaf) { return leaf.path == short_path(path); });
    if (known) continue;
    std::string names;
    for (const Leaf& leaf : leaves) names += (names.empty() ? "" : ", ") + leaf.path;
    return out_of_range("paths", fmt::format("\"{}\" is no number that is given", path), names);
  }
  return in;
}

Answer<Output, Knob> solve(const Inputs& in) {
  single_node::Inputs probe = in.pass;
  const single_node::Output baseline = single_node::solve(in.pass);
  Answer<Output, Knob> answer;
  for (const Leaf& leaf : leaves_of(probe)) {
    if (is_asked(in, leaf.path)) answer.rows.push_back(knob_of(in, leaf, baseline.latency));
  }
  std::stable_sort(answer.rows.begin(), answer.rows.end(), [](const Knob& a, const Knob& b) {
    return std::fabs(a.change_fraction) > std::fabs(b.change_fraction);
  });
  Output& out = answer.output;
  out.baseline_latency = baseline.latency;
  out.change_peak_flops_fraction = change_of(answer.rows, kPeak);
  out.change_memory_bandwidth_fraction = change_of(answer.rows, kBandwidth);
  out.change_memory_capacity_fraction = change_of(answer.rows, kCapacity);
  out.shortfall = baseline.spill;
  out.feasible = baseline.feasible;
  if (!answer.rows.empty()) out.binding = answer.rows.front().path;
  if (!out.feasible) out.binding = Label(kCapacity);  // (3)
  return answer;
}

}  // namespace ridgeline::solve::sensitivity
