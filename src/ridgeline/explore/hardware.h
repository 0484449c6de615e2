// Hardware: the machine points of a space, taken apart by what a change of each field invalidates.
//
// Points of one shape share their lowered Steps. Among those a point is three numbers: which rates
// of the device, which rates of the links, which memory capacity. On a grid these are independent,
// so that side tables per device rate and per link rate replace an evaluation per point.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ridgeline/explore/space.h"
#include "ridgeline/physics/cost.h"
#include "ridgeline/spec/scenario.h"

namespace ridgeline::explore {

// Do both name the same scalar?
bool same_field(const ScalarField& a, const ScalarField& b);

// Bytes that a device offers.
double capacity_bytes(const Accelerator& device);

// One hardware point inside its group: indices into the group's rates, and its number in the space.
struct Site {
  std::uint32_t device = 0;
  std::uint32_t link = 0;
  std::uint32_t capacity = 0;
  std::int64_t hardware = 0;
};

// The points of one shape, seen by a workload that runs at one activation precision.
struct HardwareGroup {
  Machine machine;  // the shape's fields set; rates and capacity as in the group's first point
  physics::Rates rates;
  struct Device {
    double flop_per_s, memory_bytes_per_s;
  };
  struct Link {
    std::array<double, kMaxLevels> latency_s, bytes_per_s;
  };
  std::vector<Device> devices;
  std::vector<Link> links;
  std::vector<double> capacities;
  // A grid: hardware = first + the three offsets. A list: `sites` in the order given.
  bool grid = true;
  std::int64_t first = 0;
  std::vector<std::int64_t> device_offset, link_offset, capacity_offset;
  std::vector<Site> sites;

  std::int64_t size() const;
  Site site(std::int64_t i) const;
  physics::Rates rates_at(const Site& site) const;
};

class Hardware {
 public:
  // `axes` are the machine axes; with `points` these are the columns of the list.
  // REQUIRES: no axis without values; every row of `points` as long as `axes`.
  Hardware(const Machine& base, std::vector<Axis> axes, std::vector<std::vector<double>> points);

  std::int64_t count() const { return count_; }
  const std::vector<Axis>& axes() const { return axes_; }

  // The value of each axis at a point, base units.
  void values(std::int64_t hardware, std::span<double> out) const;
  double value(std::int64_t hardware, std::size_t axis) const;

  // The machine of a point, made from the base machine in one go.
  Machine machine(std::int64_t hardware) const;

  // cost_score of a point (docs/chiplet-model.md section 9): on the chiplet machine the sum over
  // its six knobs of value / default; elsewhere the sum over the machine axes of value / base value
  // (a choice, or a base of zero, counts 1), and without such axes the number of hardware knobs.
  double cost(std::int64_t hardware) const;

  // Shapes to be lowered apart, in order of their first point, and the points of one.
  std::size_t group_count() const { return group_first_.size(); }
  std::size_t group_of(std::int64_t hardware) const;
  HardwareGroup group(std::size_t g, Precision activation) const;

 private:
  struct CostTerm {
    int axis = -1;  // -1: no axis, `value` for all points
    double value = 0;
    double unit = 1;
  };

  void classify();
  void find_groups();
  std::vector<CostTerm> cost_terms() const;
  Machine machine_of(std::span<const double> values) const;
  HardwareGroup grid_group(std::size_t g, Precision activation) const;
  HardwareGroup list_group(std::size_t g, Precision activation) const;

  Machine base_;
  std::vector<Axis> axes_;
  std::vector<std::vector<double>> points_;
  std::vector<std::int64_t> strides_;
  std::int64_t count_ = 1;
  // Axes by what they change.
  std::vector<std::size_t> shape_axes_, device_axes_, link_axes_, capacity_axes_;
  std::vector<std::int64_t> group_first_;              // a point of each group
  std::vector<std::vector<std::int64_t>> group_rows_;  // of a list
  std::vector<std::uint32_t> row_group_;               // of a list
  std::vector<CostTerm> cost_terms_;
};

}  // namespace ridgeline::explore
