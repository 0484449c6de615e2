#include "ridgeline/catalog/catalog.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace ridgeline::catalog {
namespace {

namespace fs = std::filesystem;

TEST(Catalog, FindsByNameAndAliasInAnyCase) {
  const Catalog& catalog = Catalog::embedded();
  for (const char* name :
       {"h100-sxm", "H100", "h100", "H100-SXM-80GB", "H100 SXM 80GB", "h100_sxm"}) {
    const auto entry = catalog.find(EntryKind::accelerator, name);
    ASSERT_TRUE(entry) << name;
    EXPECT_EQ((*entry)->name, "h100-sxm");
  }
}

TEST(Catalog, ListsTheNearestOfAnUnknownName) {
  const auto entry = Catalog::embedded().find(EntryKind::model, "lama-3.1-8b");
  ASSERT_FALSE(entry);
  EXPECT_EQ(entry.error().code, ErrorCode::unknown_name);
  EXPECT_EQ(entry.error().where, "");
  EXPECT_NE(entry.error().hint.find("llama-3.1-8b"), std::string::npos) << entry.error().hint;
}

TEST(Catalog, HasTheNamesThatOthersUse) {
  const Catalog& catalog = Catalog::embedded();
  for (const char* name : {"A10",
                           "A10G",
                           "A100",
                           "A100-40GB",
                           "B200",
                           "GB200",
                           "H100",
                           "H100-NVL",
                           "H100-PCIe",
                           "H200",
                           "H20",
                           "H800",
                           "L4",
                           "L40S",
                           "T4",
                           "V100",
                           "MI300X",
                           "MI325X",
                           "TPUv4",
                           "TPUv5e",
                           "TPUv5p",
                           "Trainium2",
                           "Gaudi3",
                           "RTX-3090",
                           "RTX-4090",
                           "B300-SXM",
                           "GB300",
                           "H100-SXM-80GB",
                           "A100-SXM-80GB",
                           "A100-SXM4-80GB",
                           "A100-SXM4-40GB",
                           "B200-SXM-180GB",
                           "B200-SXM",
                           "H200-SXM",
                           "H200-SXM-141GB",
                           "RTX-PRO-6000-Server",
                           "RTX-PRO-6000-BSE",
                           "Intel-B60",
                           "MI210",
                           "A6000",
                           "RTX4090"}) {
    const auto device = catalog.accelerator(name);
    EXPECT_TRUE(device) << name << ": " << (device ? "" : device.error().message);
    const auto machine = catalog.machine(name);
    ASSERT_TRUE(machine) << name;
    EXPECT_TRUE(machine->levels.empty());
  }
  for (const char* name :
       {"chiplet-sip", "dgx-a100", "dgx-h100", "dgx-h200", "dgx-b200", "mi300x-8"}) {
    EXPECT_TRUE(catalog.machine(name)) << name;
  }
  EXPECT_TRUE(catalog.model("gpt3-175b"));
}

TEST(Catalog, SaysWhenAMachineIsNeitherNodeNorAccelerator) {
  const auto machine = Catalog::embedded().machine("dgx-h1000");
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.error().code, ErrorCode::unknown_name);
  EXPECT_NE(machine.error().hint.find("dgx-h100"), std::string::npos) << machine.error().hint;
}

class Overlay : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              ("ridgeline-overlay-" +
               std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "accelerators");
    fs::create_directories(folder_ / "machines");
    fs::create_directories(folder_ / "models");
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& path, const std::string& text) const {
    std::ofstream(folder_ / path) << text;
  }
  fs::path folder_;
};

TEST_F(Overlay, AddsAndReplacesEntries) {
  write("accelerators/mine.json", R"({"aliases": ["H100"], "fields": {
    "memory_capacity": {"value": "32 GB"}, "memory_bandwidth": {"value": "1 TB/s"},
    "peak_bf16": {"value": "100 TFLOP/s"}}})");
  write("machines/two.json", R"({"device": "mine", "levels": [{"name": "node", "count": 2,
    "link": {"bandwidth": "10 GB/s", "latency": "1 us"}}]})");
  write("models/tiny.json", R"({"num_hidden_layers": 2, "hidden_size": 8})");
  const auto catalog = Catalog::with_overlay(folder_.string());
  ASSERT_TRUE(catalog) << catalog.error().message;
  const auto device = catalog->accelerator("h100");
  ASSERT_TRUE(device);
  EXPECT_EQ(device->name, "mine");
  const auto machine = catalog->machine("two");
  ASSERT_TRUE(machine) << machine.error().message;
  EXPECT_EQ(machine->device_count(), 2);
  EXPECT_TRUE(catalog->model("tiny"));
  EXPECT_TRUE(catalog->model("llama-3.1-8b"));
}

TEST_F(Overlay, NamesTheFileThatIsWrong) {
  write("accelerators/bad.json", "{");
  const auto catalog = Catalog::with_overlay(folder_.string());
  ASSERT_FALSE(catalog);
  EXPECT_NE(catalog.error().where.find("bad.json"), std::string::npos);
  EXPECT_FALSE(Catalog::with_overlay((folder_ / "nowhere").string()));
}

TEST_F(Overlay, StopsAtMachinesThatChangeEachOther) {
  write("machines/a.json", R"({"base": "b"})");
  write("machines/b.json", R"({"base": "a"})");
  const auto catalog = Catalog::with_overlay(folder_.string());
  ASSERT_TRUE(catalog);
  const auto machine = catalog->machine("a");
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.error().code, ErrorCode::conflict);
}

}  // namespace
}  // namespace ridgeline::catalog
