#include "ridgeline/explore/hardware.h"

#include <gtest/gtest.h>

#include "tests/support/models.h"
#include "tests/support/spaces.h"

namespace ridgeline::explore {
namespace {

using testing::axis;
using testing::knob_axes;

TEST(Hardware, ShippedGridsHaveTheirCounts) {
  const Machine machine = default_chiplet();
  EXPECT_EQ(Hardware(machine, {}, {}).count(), 1);
  EXPECT_EQ(Hardware(machine, knob_axes(machine, {1, 2}), {}).count(), 64);
  EXPECT_EQ(Hardware(machine, knob_axes(machine, {1, 2, 4}), {}).count(), 729);
}

TEST(Hardware, LastAxisRunsFastest) {
  const Machine machine = default_chiplet();
  const Hardware grid(machine,
                      {axis(machine, "machine.pe_hbm_gb", {6e9, 12e9}),
                       axis(machine, "machine.bw_hbm_gbs", {1e11, 2e11, 3e11})},
                      {});
  EXPECT_EQ(grid.value(2, 0), 6e9);
  EXPECT_EQ(grid.value(2, 1), 3e11);
  EXPECT_EQ(grid.value(3, 0), 12e9);
  EXPECT_EQ(grid.value(3, 1), 1e11);
}

// Each point of each group: number, machine, rates and capacity are those of the machine made at
// once.
void expect_parts_agree(const Hardware& hardware) {
  std::vector<int> seen(static_cast<std::size_t>(hardware.count()), 0);
  for (std::size_t g = 0; g < hardware.group_count(); ++g) {
    const HardwareGroup group = hardware.group(g, Precision::bf16);
    for (std::int64_t i = 0; i < group.size(); ++i) {
      const Site site = group.site(i);
      ++seen[static_cast<std::size_t>(site.hardware)];
      EXPECT_EQ(hardware.group_of(site.hardware), g);
      const Machine machine = hardware.machine(site.hardware);
      const physics::Rates a = group.rates_at(site),
                           b = physics::rates_of(machine, Precision::bf16);
      EXPECT_EQ(a.flop_per_s, b.flop_per_s);
      EXPECT_EQ(a.memory_bytes_per_s, b.memory_bytes_per_s);
      EXPECT_EQ(a.latency_s, b.latency_s);
      EXPECT_EQ(a.bytes_per_s, b.bytes_per_s);
      EXPECT_EQ(a.vector_fraction, b.vector_fraction);
      EXPECT_EQ(group.capacities[site.capacity], capacity_bytes(machine.device));
    }
  }
  for (const int n : seen) EXPECT_EQ(n, 1);
}

TEST(Hardware, PartsOfAGridMakeItsMachines) {
  const Machine machine = default_chiplet();
  std::vector<Axis> axes = knob_axes(machine, {1, 2});
  axes.insert(axes.begin() + 2, axis(machine, "machine.sips", {4, 16}));
  axes.push_back(axis(machine, "machine.compute_util", {0.5, 0.7}));
  axes.push_back(axis(machine, "machine.alpha_inter_ns", {1e-7, 2e-7}));
  const Hardware hardware(machine, axes, {});
  EXPECT_EQ(hardware.group_count(), 2u);
  expect_parts_agree(hardware);
}

TEST(Hardware, PartsOfAListMakeItsMachines) {
  const Machine machine = default_chiplet();
  const std::vector<Axis> axes = {axis(machine, "machine.bw_hbm_gbs", {}),
                                  axis(machine, "machine.sips", {}),
                                  axis(machine, "machine.pe_hbm_gb", {})};
  const Hardware hardware(machine, axes,
                          {{1e11, 8, 6e9}, {2e11, 16, 6e9}, {1e11, 16, 7e9}, {1e11, 8, 6e9}});
  EXPECT_EQ(hardware.group_count(), 2u);
  expect_parts_agree(hardware);
}

// Link rates of switched levels choose the algorithm: each bandwidth is a shape of its own.
TEST(Hardware, SwitchedLinksAreShapes) {
  const Machine machine = testing::gpu_tree();
  const Hardware hardware(
      machine,
      {axis(machine, "machine.levels.node.link.bandwidth_bytes_per_s", {4e11, 9e11}),
       axis(machine, "machine.device.peak_flop_per_s", {1e15, 2e15})},
      {});
  EXPECT_EQ(hardware.group_count(), 2u);
  expect_parts_agree(hardware);
}

TEST(Hardware, CostIsTheChipletsScore) {
  const Machine machine = default_chiplet();
  EXPECT_EQ(Hardware(machine, {}, {}).cost(0), 6);
  std::vector<Axis> axes = knob_axes(machine, {1, 1.7, 4});
  axes.push_back(axis(machine, "machine.compute_util", {0.5, 0.7}));
  const Hardware hardware(machine, axes, {});
  for (std::int64_t h = 0; h < hardware.count(); ++h) {
    EXPECT_EQ(hardware.cost(h), chiplet_cost_score(hardware.machine(h)));
  }
}

// Elsewhere: value over base value of each swept field; choices and zeros have no ratio and
// count 1.
TEST(Hardware, CostOfOtherMachinesCountsTheAxes) {
  const Machine machine = testing::gpu_tree();
  EXPECT_EQ(Hardware(machine, {}, {}).cost(0), static_cast<double>(hardware_knobs(machine).size()));
  const Hardware hardware(machine,
                          {axis(machine, "machine.device.memory_capacity_bytes", {80e9, 120e9}),
                           axis(machine, "machine.levels.pod.topology", {0, 1}),
                           axis(machine, "machine.device.static_power_w", {0, 100})},
                          {});
  EXPECT_EQ(hardware.cost(0), 3);
  EXPECT_EQ(hardware.cost(hardware.count() - 1), 3.5);
}

}  // namespace
}  // namespace ridgeline::explore
