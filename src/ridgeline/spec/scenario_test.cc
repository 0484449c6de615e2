#include "ridgeline/spec/scenario.h"

#include <gtest/gtest.h>

#include <set>

namespace ridgeline {
namespace {

Machine two_level_tree() {
  Machine m;
  m.name = "pod";
  m.device.name = "gpu";
  m.device.peak[static_cast<std::size_t>(Precision::bf16)] = 1000 * teraflop_per_second;
  m.device.peak[static_cast<std::size_t>(Precision::fp8)] = 2000 * teraflop_per_second;
  m.device.memory_capacity = 80 * gigabyte;
  m.device.memory_bandwidth = 3000 * gigabyte_per_second;
  m.levels.push_back({.name = "node", .count = 8, .bandwidth = 450 * gigabyte_per_second});
  m.levels.push_back({.name = "pod",
                      .count = 4,
                      .topology = Topology::fat_tree,
                      .bandwidth = 50 * gigabyte_per_second});
  return m;
}

TEST(Scenario, EveryFieldReadsWhatWasWritten) {
  for (const Machine& machine : {default_chiplet(), two_level_tree()}) {
    const auto fields = scalar_fields(machine);
    std::set<std::string> paths;
    for (const ScalarField& field : fields) {
      SCOPED_TRACE(field.path);
      EXPECT_TRUE(paths.insert(field.path).second);
      Scenario s{machine, {}, {}};
      const double old = get_scalar(s, field);
      const double value = field.kind == ScalarKind::choice ? old
                           : field.maximum == 1             ? 0.25
                                                            : 3 * field.unit;
      ASSERT_TRUE(check_scalar(field, value).has_value());
      set_scalar(s, field, value);
      EXPECT_DOUBLE_EQ(get_scalar(s, field), value);
    }
  }
}

TEST(Scenario, PathsMayCarryAUnitOrNot) {
  const auto fields = scalar_fields(default_chiplet());
  EXPECT_EQ(find_scalar(fields, "machine.bw_hbm_gbs")->factor, 1e9);
  EXPECT_EQ(find_scalar(fields, "machine.bw_hbm")->factor, 0);
  EXPECT_EQ(find_scalar(fields, "machine.bw_hbm_bytes_per_s")->factor, 1);
  EXPECT_EQ(find_scalar(fields, "plan.tp")->factor, 1);
  const auto wrong = find_scalar(fields, "machine.bw_hmb_gbs");
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().code, ErrorCode::unknown_key);
  EXPECT_NE(wrong.error().hint.find("machine.bw_hbm_gbs"), std::string::npos);
}

TEST(Scenario, RejectsValuesOutOfRange) {
  const auto fields = scalar_fields(default_chiplet());
  const auto bad = [&](const char* path, double value) {
    return !check_scalar(find_scalar(fields, path)->field, value).has_value();
  };
  EXPECT_TRUE(bad("machine.bw_hbm_gbs", 0));
  EXPECT_TRUE(bad("machine.bw_hbm_gbs", -1));
  EXPECT_TRUE(bad("machine.bw_hbm_gbs", 1.0 / 0.0));
  EXPECT_TRUE(bad("machine.compute_util", 1.5));
  EXPECT_TRUE(bad("plan.tp", 0));
  EXPECT_TRUE(bad("plan.tp", 1.5));
  EXPECT_TRUE(bad("machine.sip_topology", 0));  // a switch is no topology of SIPs
  EXPECT_FALSE(bad("machine.alpha_intra_ns", 0));
}

TEST(Scenario, DefaultCostScoreIsTheNumberOfKnobs) {
  Machine m = default_chiplet();
  EXPECT_DOUBLE_EQ(chiplet_cost_score(m), 6.0);
  m.device.memory_capacity = 12 * gigabyte;
  EXPECT_DOUBLE_EQ(chiplet_cost_score(m), 7.0);
}

TEST(Scenario, PeakKeepsTheRatioOfFormats) {
  Scenario s{two_level_tree(), {}, {}};
  const auto knobs = hardware_knobs(s.machine);
  ASSERT_EQ(knobs.size(), 5u);
  set_scalar(s, knobs[2], 500e12);
  EXPECT_DOUBLE_EQ(s.machine.device.peak_of(Precision::fp8).base(), 1000e12);
}

}  // namespace
}  // namespace ridgeline
