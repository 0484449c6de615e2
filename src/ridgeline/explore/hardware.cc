#include "ridgeline/explore/hardware.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "ridgeline/base/assert.h"

namespace ridgeline::explore {
namespace {

// Every combination of the named axes, the last fastest: fn(offset in the space, values by axis).
template <class F>
void for_each_combination(std::span<const std::size_t> which, const std::vector<Axis>& axes,
                          const std::vector<std::int64_t>& strides, std::vector<double>& values,
                          F&& fn, std::size_t depth = 0, std::int64_t offset = 0) {
  if (depth == which.size()) return fn(offset);
  const std::size_t a = which[depth];
  for (std::size_t i = 0; i < axes[a].values.size(); ++i) {
    values[a] = axes[a].values[i];
    for_each_combination(which, axes, strides, values, fn, depth + 1,
                         offset + strides[a] * static_cast<std::int64_t>(i));
  }
}

HardwareGroup::Device device_of(const physics::Rates& rates) {
  return {rates.flop_per_s, rates.memory_bytes_per_s};
}

bool same_device(const physics::Rates& a, const physics::Rates& b) {
  return a.flop_per_s == b.flop_per_s && a.memory_bytes_per_s == b.memory_bytes_per_s;
}

bool same_links(const physics::Rates& a, const physics::Rates& b) {
  return a.latency_s == b.latency_s && a.bytes_per_s == b.bytes_per_s;
}

struct HashDoubles {
  template <class Key>
  std::size_t operator()(const Key& key) const {
    std::uint64_t h = 0;
    for (const double v : key) {
      h = (h ^ std::bit_cast<std::uint64_t>(v)) * 0x9E3779B97F4A7C15u;
      h ^= h >> 32;
    }
    return h;
  }
};

// Numbers equal keys, lists of doubles, in order of their first appearance.
template <class Key>
class Numbering {
 public:
  explicit Numbering(std::size_t most) { numbers_.reserve(most); }
  std::uint32_t operator()(const Key& key) {
    return numbers_.try_emplace(key, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }

 private:
  std::unordered_map<Key, std::uint32_t, HashDoubles> numbers_;
};

// The links of some rates as one list.
std::array<double, 2 * kMaxLevels> link_key(const physics::Rates& rates) {
  std::array<double, 2 * kMaxLevels> key;
  std::copy(rates.latency_s.begin(), rates.latency_s.end(), key.begin());
  std::copy(rates.bytes_per_s.begin(), rates.bytes_per_s.end(), key.begin() + kMaxLevels);
  return key;
}

}  // namespace

bool same_field(const ScalarField& a, const ScalarField& b) {
  return a.owner == b.owner && a.slot == b.slot && a.level == b.level;
}

double capacity_bytes(const Accelerator& device) {
  const Bytes usable = device.usable_memory;
  return usable > Bytes{} ? usable.base() : device.memory_capacity.base();
}

std::int64_t HardwareGroup::size() const {
  if (!grid) return static_cast<std::int64_t>(sites.size());
  return static_cast<std::int64_t>(devices.size() * links.size() * capacities.size());
}

Site HardwareGroup::site(std::int64_t i) const {
  if (!grid) return sites[static_cast<std::size_t>(i)];
  const auto n = static_cast<std::size_t>(i);
  const std::size_t k = n % capacities.size(), rest = n / capacities.size();
  const std::size_t l = rest % links.size(), d = rest / links.size();
  return {static_cast<std::uint32_t>(d), static_cast<std::uint32_t>(l),
          static_cast<std::uint32_t>(k),
          first + device_offset[d] + link_offset[l] + capacity_offset[k]};
}

physics::Rates HardwareGroup::rates_at(const Site& at) const {
  physics::Rates out = rates;
  out.flop_per_s = devices[at.device].flop_per_s;
  out.memory_bytes_per_s = devices[at.device].memory_bytes_per_s;
  out.latency_s = links[at.link].latency_s;
  out.bytes_per_s = links[at.link].bytes_per_s;
  return out;
}

Hardware::Hardware(const Machine& base, std::vector<Axis> axes,
                   std::vector<std::vector<double>> points)
    : base_(base), axes_(std::move(axes)), points_(std::move(points)), strides_(axes_.size(), 0) {
  if (points_.empty()) {
    for (std::size_t a = axes_.size(); a-- > 0;) {
      strides_[a] = count_;
      count_ *= static_cast<std::int64_t>(axes_[a].values.size());
    }
  } else {
    count_ = static_cast<std::int64_t>(points_.size());
  }
  classify();
  find_groups();
  cost_terms_ = cost_terms();
}

double Hardware::value(std::int64_t hardware, std::size_t axis) const {
  if (!points_.empty()) return points_[static_cast<std::size_t>(hardware)][axis];
  const std::vector<double>& all = axes_[axis].values;
  return all[static_cast<std::size_t>(hardware / strides_[axis]) % all.size()];
}

void Hardware::values(std::int64_t hardware, std::span<double> out) const {
  for (std::size_t a = 0; a < axes_.size(); ++a) out[a] = value(hardware, a);
}

Machine Hardware::machine_of(std::span<const double> values) const {
  Scenario scenario{base_, {}, {}};
  for (std::size_t a = 0; a < axes_.size(); ++a) set_scalar(scenario, axes_[a].field, values[a]);
  return std::move(scenario.machine);
}

Machine Hardware::machine(std::int64_t hardware) const {
  std::vector<double> v(axes_.size());
  values(hardware, v);
  return machine_of(v);
}

double Hardware::cost(std::int64_t hardware) const {
  double sum = 0;
  for (const CostTerm& term : cost_terms_) {
    sum += (term.axis < 0 ? term.value : value(hardware, static_cast<std::size_t>(term.axis))) /
           term.unit;
  }
  return sum;
}

std::vector<Hardware::CostTerm> Hardware::cost_terms() const {
  std::vector<CostTerm> out;
  const Scenario base{base_, {}, {}};
  if (base_.kind == MachineKind::chiplet) {
    const Scenario defaults{default_chiplet(), {}, {}};
    for (const ScalarField& knob : hardware_knobs(defaults.machine)) {
      CostTerm term{-1, get_scalar(base, knob), get_scalar(defaults, knob)};
      for (std::size_t a = 0; a < axes_.size(); ++a) {
        if (same_field(axes_[a].field, knob)) term.axis = static_cast<int>(a);
      }
      out.push_back(term);
    }
    return out;
  }
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const double unit = get_scalar(base, axes_[a].field);
    const bool ratio = axes_[a].field.kind != ScalarKind::choice && unit != 0;
    out.push_back(ratio ? CostTerm{static_cast<int>(a), 0, unit} : CostTerm{-1, 1, 1});
  }
  if (out.empty()) out.push_back({-1, static_cast<double>(hardware_knobs(base_).size()), 1});
  return out;
}

// A field that only changes time is tried out: whose rates does it change? One that changes the
// device's and the links' at once is treated as a shape.
void Hardware::classify() {
  const physics::Rates base = physics::rates_of(base_, Precision::bf16);
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    if (axes_[a].field.effect == ScalarEffect::shape) {
      shape_axes_.push_back(a);
      continue;
    }
    if (axes_[a].field.effect == ScalarEffect::capacity) {
      capacity_axes_.push_back(a);
      continue;
    }
    Scenario probe{base_, {}, {}};
    set_scalar(probe, axes_[a].field, 2 * get_scalar(probe, axes_[a].field) + 1);
    const physics::Rates now = physics::rates_of(probe.machine, Precision::bf16);
    const bool device = !same_device(now, base), links = !same_links(now, base);
    const bool both = (device && links) || now.vector_fraction != base.vector_fraction;
    (both ? shape_axes_ : links ? link_axes_ : device_axes_).push_back(a);
  }
}

void Hardware::find_groups() {
  if (points_.empty()) {
    std::vector<double> values(axes_.size());
    for_each_combination(shape_axes_, axes_, strides_, values,
                         [&](std::int64_t offset) { group_first_.push_back(offset); });
    return;
  }
  Numbering<std::vector<double>> numbers(16);
  std::vector<double> shape(shape_axes_.size());
  for (std::size_t i = 0; i < points_.size(); ++i) {
    for (std::size_t s = 0; s < shape.size(); ++s) shape[s] = points_[i][shape_axes_[s]];
    const std::uint32_t g = numbers(shape);
    if (g == group_rows_.size()) {
      group_rows_.emplace_back();
      group_first_.push_back(static_cast<std::int64_t>(i));
    }
    group_rows_[g].push_back(static_cast<std::int64_t>(i));
    row_group_.push_back(g);
  }
}

std::size_t Hardware::group_of(std::int64_t hardware) const {
  if (!points_.empty()) return row_group_[static_cast<std::size_t>(hardware)];
  std::size_t g = 0;
  for (const std::size_t a : shape_axes_) {
    const std::size_t n = axes_[a].values.size();
    g = g * n + static_cast<std::size_t>(hardware / strides_[a]) % n;
  }
  return g;
}

HardwareGroup Hardware::group(std::size_t g, Precision activation) const {
  return points_.empty() ? grid_group(g, activation) : list_group(g, activation);
}

HardwareGroup Hardware::grid_group(std::size_t g, Precision activation) const {
  HardwareGroup out;
  out.first = group_first_[g];
  out.machine = machine(out.first);
  out.rates = physics::rates_of(out.machine, activation);
  std::vector<double> first(axes_.size());
  values(out.first, first);
  std::vector<double> values = first;
  for_each_combination(device_axes_, axes_, strides_, values, [&](std::int64_t offset) {
    out.device_offset.push_back(offset);
    out.devices.push_back(device_of(physics::rates_of(machine_of(values), activation)));
  });
  values = first;
  for_each_combination(link_axes_, axes_, strides_, values, [&](std::int64_t offset) {
    const physics::Rates rates = physics::rates_of(machine_of(values), activation);
    out.link_offset.push_back(offset);
    out.links.push_back({rates.latency_s, rates.bytes_per_s});
  });
  values = first;
  for_each_combination(capacity_axes_, axes_, strides_, values, [&](std::int64_t offset) {
    out.capacity_offset.push_back(offset);
    out.capacities.push_back(capacity_bytes(machine_of(values).device));
  });
  return out;
}

HardwareGroup Hardware::list_group(std::size_t g, Precision activation) const {
  HardwareGroup out;
  out.grid = false;
  out.machine = machine(group_first_[g]);
  out.rates = physics::rates_of(out.machine, activation);
  const std::size_t rows = group_rows_[g].size();
  Numbering<std::array<double, 2>> devices(rows);
  Numbering<std::array<double, 2 * kMaxLevels>> links(rows);
  Numbering<std::array<double, 1>> capacities(rows);
  for (const std::int64_t row : group_rows_[g]) {
    const Machine at = machine(row);
    const physics::Rates rates = physics::rates_of(at, activation);
    const double capacity = capacity_bytes(at.device);
    const Site site{devices({rates.flop_per_s, rates.memory_bytes_per_s}), links(link_key(rates)),
                    capacities({capacity}), row};
    if (site.device == out.devices.size()) out.devices.push_back(device_of(rates));
    if (site.link == out.links.size()) out.links.push_back({rates.latency_s, rates.bytes_per_s});
    if (site.capacity == out.capacities.size()) out.capacities.push_back(capacity);
    out.sites.push_back(site);
  }
  return out;
}

}  // namespace ridgeline::explore
