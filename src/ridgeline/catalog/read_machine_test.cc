#include "ridgeline/catalog/read_machine.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "ridgeline/catalog/resize_machine.h"
#include "ridgeline/spec/scenario.h"

namespace ridgeline::catalog {
namespace {

using Json = nlohmann::ordered_json;

Result<Machine> read(const char* text) {
  return read_machine(Json::parse(text), Catalog::embedded());
}

Machine good(const char* text) {
  const auto machine = read(text);
  EXPECT_TRUE(machine) << text << ": " << machine.error().where << " " << machine.error().message;
  return machine ? *machine : Machine{};
}

void expect_same(const Machine& a, const Machine& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.device.name, b.device.name);
  EXPECT_EQ(a.device.peak, b.device.peak);
  EXPECT_EQ(a.device.usable_memory, b.device.usable_memory);
  ASSERT_EQ(a.levels.size(), b.levels.size());
  const Scenario left{a, {}, {}}, right{b, {}, {}};
  for (const ScalarField& field : scalar_fields(a)) {
    EXPECT_EQ(get_scalar(left, field), get_scalar(right, field)) << field.path;
  }
  for (std::size_t l = 0; l < a.levels.size(); ++l) {
    EXPECT_EQ(a.levels[l].name, b.levels[l].name);
    EXPECT_EQ(a.levels[l].topology, b.levels[l].topology);
    EXPECT_EQ(a.levels[l].link_of, b.levels[l].link_of);
    EXPECT_EQ(a.levels[l].shape, b.levels[l].shape);
    EXPECT_EQ(a.energy_per_link_byte[l], b.energy_per_link_byte[l]);
  }
}

TEST(ReadMachine, WritesWhatItReadsBack) {
  for (const EntryKind kind : {EntryKind::machine, EntryKind::accelerator}) {
    for (const std::string& name : Catalog::embedded().names(kind)) {
      SCOPED_TRACE(name);
      const auto machine = Catalog::embedded().machine(name);
      ASSERT_TRUE(machine);
      const Json written = write_machine(*machine);
      const auto again = read_machine(Json::parse(written.dump()), Catalog::embedded());
      ASSERT_TRUE(again) << again.error().where << " " << again.error().message;
      expect_same(*machine, *again);
      EXPECT_EQ(write_machine(*again), written);
    }
  }
}

TEST(ReadMachine, WritesTheChipletMachineUnderItsFlatNames) {
  const Json written = write_machine(default_chiplet());
  EXPECT_EQ(written["base"], "chiplet-sip");
  EXPECT_EQ(written["bw_hbm_gbs"], 256);
  EXPECT_EQ(written["alpha_intersip_ns"], 1000);
  EXPECT_EQ(written["pj_per_hbm_byte"], 31.2);
  EXPECT_EQ(written["sip_topology"], "ring");
  EXPECT_EQ(written.size(), 25u);
  EXPECT_EQ(std::next(written.begin()).key(), "pe_hbm_gb");
}

TEST(ReadMachine, ChangesTheChipletMachineByFlatNames) {
  const Machine m = good(R"({"base": "chiplet-sip", "bw_hbm": "512 GB/s", "pe_hbm_gb": 12,
    "sips": 4, "sip_topology": "torus2d", "cube_mesh_cols": 2, "compute_util": 0.5})");
  EXPECT_EQ(m.device.memory_bandwidth.base(), 512e9);
  EXPECT_EQ(m.device.memory_capacity.base(), 12e9);
  EXPECT_EQ(m.levels[2].count, 4);
  EXPECT_EQ(m.levels[2].topology, Topology::torus2d);
  EXPECT_EQ(m.levels[1].count, 8);
  EXPECT_EQ(m.device.compute_util, 0.5);
}

TEST(ReadMachine, ChangesATree) {
  const Machine m = good(R"({"base": "dgx-h100", "name": "mine",
    "device": {"memory_capacity": "96 GB", "peak": {"fp8": "3 PFLOP/s"}},
    "levels": {"node": {"count": 4, "link": {"latency": "1 us"}}}, "tree_max_bytes": 4096})");
  EXPECT_EQ(m.name, "mine");
  EXPECT_EQ(m.device.memory_capacity.base(), 96e9);
  EXPECT_NEAR(m.device.usable_memory.base(), 81559.0 * 1048576 * 1.2, 1);
  EXPECT_EQ(m.device.peak_of(Precision::fp8).base(), 3e15);
  EXPECT_EQ(m.device.peak_of(Precision::bf16).base(), 989.5e12);
  EXPECT_EQ(m.levels[0].count, 4);
  EXPECT_EQ(m.levels[0].bandwidth.base(), 450e9);
  EXPECT_EQ(m.levels[0].latency.base(), 1e-6);
  EXPECT_EQ(m.tree_max.base(), 4096);
}

TEST(ReadMachine, ChangesATreeByDottedPaths) {
  const Machine m = good(R"({"base": "dgx-h100", "device.memory_bandwidth": "4 TB/s",
    "device.peak_flop_per_s": 1.979e15, "levels.node.count": 2,
    "levels.node.link.bandwidth_bytes_per_s": 1e11})");
  EXPECT_EQ(m.device.memory_bandwidth.base(), 4e12);
  EXPECT_DOUBLE_EQ(m.device.peak_of(Precision::fp8).base(), 2 * 1979e12);
  EXPECT_EQ(m.levels[0].count, 2);
  EXPECT_EQ(m.levels[0].bandwidth.base(), 1e11);
}

TEST(ReadMachine, ReadsAWholeTree) {
  const Machine m = good(R"({"name": "pod", "device": "h100-sxm", "levels": [
    {"name": "node", "count": 8, "topology": "switch", "link": {"bandwidth": "450 GB/s", "latency": "0.5 us"}},
    {"name": "pod", "count": 32, "topology": "fat-tree", "link": {"bandwidth": "50 GB/s", "latency": "2 us"},
     "link_of": "device", "oversubscription": 2},
    {"name": "wing", "count": 4, "topology": "torus2d", "shape": [2, 2], "bandwidth": "10 GB/s", "latency": 0}]})");
  EXPECT_EQ(m.device_count(), 1024);
  EXPECT_EQ(m.levels[1].oversubscription, 2);
  EXPECT_EQ(m.levels[2].shape[1], 2);
  const Machine own = good(R"({"device": {"base": "A100", "memory_capacity_gb": 160}})");
  EXPECT_EQ(own.device.memory_capacity.base(), 160e9);
  EXPECT_EQ(own.device.peak_of(Precision::bf16).base(), 312e12);
  const Machine bare = good(R"({"device": {"memory_capacity": "1 GB", "memory_bandwidth": "1 GB/s",
    "peak": "1 TFLOP/s"}, "levels": []})");
  EXPECT_EQ(bare.device.peak_of(Precision::nvfp4).base(), 1e12);
}

struct Wrong {
  const char* text;
  ErrorCode code;
  const char* where;
};

void expect_refused(const Wrong& c) {
  const auto machine = read(c.text);
  ASSERT_FALSE(machine) << c.text;
  EXPECT_EQ(machine.error().code, c.code) << c.text << ": " << machine.error().message;
  EXPECT_EQ(machine.error().where, c.where) << c.text << ": " << machine.error().message;
}

TEST(ReadMachine, NamesWhatIsWrongInAChange) {
  const Wrong kCases[] = {
      {R"("dgx-h1000")", ErrorCode::unknown_name, ""},
      {R"(3)", ErrorCode::bad_value, ""},
      {R"({})", ErrorCode::missing, "/device"},
      {R"({"base": "dgx-h1000"})", ErrorCode::unknown_name, "/base"},
      {R"({"base": 3})", ErrorCode::bad_value, "/base"},
      {R"({"base": "chiplet-sip", "bw_hbm_gbs": 0})", ErrorCode::out_of_range, "/bw_hbm_gbs"},
      {R"({"base": "chiplet-sip", "bw_hbm_gbs": -1})", ErrorCode::out_of_range, "/bw_hbm_gbs"},
      {R"({"base": "chiplet-sip", "bw_hbm": 256})", ErrorCode::wrong_unit, "/bw_hbm"},
      {R"({"base": "chiplet-sip", "bw_hbm": "256 GB"})", ErrorCode::wrong_unit, "/bw_hbm"},
      {R"({"base": "chiplet-sip", "bw_hbm_gbs": "256 GB/s"})", ErrorCode::wrong_unit,
       "/bw_hbm_gbs"},
      {R"({"base": "chiplet-sip", "bw_hbm_gbs": 1, "bw_hbm": "1 GB/s"})", ErrorCode::conflict,
       "/bw_hbm"},
      {R"({"base": "chiplet-sip", "bw_hmb_gbs": 1})", ErrorCode::unknown_key, "/bw_hmb_gbs"},
      {R"({"base": "chiplet-sip", "sips": 1.5})", ErrorCode::bad_value, "/sips"},
      {R"({"base": "chiplet-sip", "sips": 0})", ErrorCode::out_of_range, "/sips"},
      {R"({"base": "chiplet-sip", "sip_topology": "switch"})", ErrorCode::bad_value,
       "/sip_topology"},
      {R"({"base": "chiplet-sip", "compute_util": 1.5})", ErrorCode::out_of_range, "/compute_util"},
      {R"({"base": "dgx-h100", "device": "H1000"})", ErrorCode::unknown_name, "/device"},
      {R"({"base": "dgx-h100", "device": {"memory_bandwith": "1 TB/s"}})", ErrorCode::unknown_key,
       "/device/memory_bandwith"},
      {R"({"base": "dgx-h100", "device": {"peak": {"fp9": "1 TFLOP/s"}}})", ErrorCode::unknown_key,
       "/device/peak/fp9"},
      {R"({"base": "dgx-h100", "levels": {"pod": {"count": 2}}})", ErrorCode::unknown_key,
       "/levels/pod"},
      {R"({"base": "dgx-h100", "levels": {"node": {"count": 0}}})", ErrorCode::out_of_range,
       "/levels/node/count"},
      {R"({"base": "dgx-h100", "levels": {"node": {"topology": "hypercube"}}})",
       ErrorCode::bad_value, "/levels/node/topology"},
  };
  for (const Wrong& c : kCases) expect_refused(c);
}

TEST(ReadMachine, NamesWhatIsWrongInLevels) {
  const Wrong kCases[] = {
      {R"({"device": "A100", "levels": [{"name": "node", "count": 8}]})", ErrorCode::missing,
       "/levels/0/link"},
      {R"({"device": "A100", "levels": [{"count": 8, "link": {"bandwidth": "1 GB/s"}}]})",
       ErrorCode::missing, "/levels/0/name"},
      {R"({"device": "A100", "levels": [{"name": "a", "link": {"bandwidth": "1 GB/s"}}]})",
       ErrorCode::missing, "/levels/0/count"},
      {R"({"device": "A100", "levels": [{"name": "a", "count": 8, "link": {"bandwidth": "1 GB/s", "latency": "1 GB"}}]})",
       ErrorCode::wrong_unit, "/levels/0/link/latency"},
      {R"({"device": "A100", "levels": [{"name": "a", "count": 8, "shape": [2, 2], "bandwidth": "1 GB/s"}]})",
       ErrorCode::conflict, "/levels/0/shape"},
      {R"({"device": "A100", "levels": [{"name": "a", "count": 1048577, "bandwidth": "1 GB/s"}]})",
       ErrorCode::out_of_range, "/levels/0/count"},
      {R"({"device": "A100", "levels": [{"name": "a", "count": 100000, "bandwidth": "1 GB/s"},
                                        {"name": "b", "count": 100000, "bandwidth": "1 GB/s"}]})",
       ErrorCode::out_of_range, "/levels"},
      {R"({"device": "A100", "levels": [{"name": "a", "count": 2, "bandwidth": "1 GB/s"},
                                        {"name": "A", "count": 2, "bandwidth": "1 GB/s"}]})",
       ErrorCode::conflict, "/levels"},
      {R"({"device": "A100", "levels": [{}, {}, {}, {}, {}, {}, {}]})", ErrorCode::out_of_range,
       "/levels"},
      {R"({"device": "A100", "levels": [3]})", ErrorCode::bad_value, "/levels/0"},
      {R"({"device": "A100", "levels": "none"})", ErrorCode::bad_value, "/levels"},
  };
  for (const Wrong& c : kCases) expect_refused(c);
}

TEST(ReadMachine, NamesWhatIsWrongInADevice) {
  const Wrong kCases[] = {
      {R"({"device": {"memory_capacity": "1 GB"}})", ErrorCode::missing,
       "/device/memory_bandwidth"},
      {R"({"device": {"memory_capacity": "1 GB", "memory_bandwidth": "1 GB/s"}})",
       ErrorCode::missing, "/device/peak"},
      {R"({"device": {"memory_capacity": "1 GB", "memory_capacity_gb": 1}})", ErrorCode::conflict,
       "/device/memory_capacity_gb"},
      {R"({"device": {"memory_capacity_gb": 1e300}})", ErrorCode::out_of_range,
       "/device/memory_capacity_gb"},
      {R"({"device": []})", ErrorCode::bad_value, "/device"},
  };
  for (const Wrong& c : kCases) expect_refused(c);
}

TEST(ReadMachine, HintsAtTheNearestKey) {
  const auto machine = read(R"({"base": "chiplet-sip", "bw_hmb_gbs": 1})");
  ASSERT_FALSE(machine);
  EXPECT_NE(machine.error().hint.find("bw_hbm_gbs"), std::string::npos) << machine.error().hint;
  const auto device = read(R"({"base": "dgx-h100", "device": {"memory_bandwith": "1 TB/s"}})");
  ASSERT_FALSE(device);
  EXPECT_NE(device.error().hint.find("memory_bandwidth"), std::string::npos) << device.error().hint;
}

Machine resized_by_name(const char* name, std::int64_t devices) {
  const auto machine = Catalog::embedded().machine(name);
  const auto outer = scale_out_of(name, Catalog::embedded());
  EXPECT_TRUE(machine && outer) << name;
  const auto out = resized(*machine, *outer, devices);
  EXPECT_TRUE(out) << out.error().message;
  return out ? *out : Machine{};
}

TEST(ResizeMachine, TakesPartsOfANodeAndWholeNodes) {
  const struct {
    const char* name;
    std::int64_t devices, inner, outer;  // outer 0: no such level
  } kCases[] = {
      {"dgx-h100", 8, 8, 0},          {"dgx-h100", 3, 3, 0},
      {"dgx-h100", 1, 1, 0},          {"dgx-h100", 64, 8, 8},
      {"dgx-h100", 65, 8, 9},         {"dgx-h100-superpod", 256, 8, 32},
      {"dgx-h100-superpod", 8, 8, 0}, {"dgx-h100-superpod", 20, 8, 3},
      {"gb200-nvl72", 256, 64, 4},    {"gb200-nvl72", 145, 72, 3},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(std::string(c.name) + " " + std::to_string(c.devices));
    const Machine m = resized_by_name(c.name, c.devices);
    ASSERT_EQ(m.levels.size(), c.outer > 0 ? 2u : 1u);
    EXPECT_EQ(m.levels[0].count, c.inner);
    if (c.outer > 0) {
      EXPECT_EQ(m.levels[1].count, c.outer);
    }
  }
  EXPECT_EQ(resized_by_name("dgx-h100", 64).levels[1].bandwidth.base(), 50e9);
}

TEST(ResizeMachine, RefusesMoreWhereNothingJoinsThem) {
  const auto machine = Catalog::embedded().machine("H100");
  const auto outer = scale_out_of("H100", Catalog::embedded());
  ASSERT_TRUE(machine && outer);
  EXPECT_FALSE(outer->has_value());
  EXPECT_FALSE(resized(*machine, *outer, 2));
  EXPECT_FALSE(resized(*machine, *outer, 0));
}

}  // namespace
}  // namespace ridgeline::catalog
