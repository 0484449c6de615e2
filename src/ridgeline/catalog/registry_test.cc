// Every file of data/: it loads, its sources are known, its numbers are in range, no name is taken
// twice.
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "ridgeline/base/text.h"
#include "ridgeline/catalog/catalog.h"
#include "ridgeline/catalog/entry_json.h"
#include "ridgeline/catalog/field_reader.h"
#include "ridgeline/catalog/show.h"
#include "ridgeline/physics/parameters.h"
#include "ridgeline/spec/scenario.h"

namespace ridgeline::catalog {
namespace {

using Json = nlohmann::ordered_json;

constexpr EntryKind kKinds[] = {EntryKind::model,      EntryKind::accelerator, EntryKind::machine,
                                EntryKind::fabric,     EntryKind::grid,        EntryKind::site,
                                EntryKind::filesystem, EntryKind::failure,     EntryKind::price,
                                EntryKind::kernel};

// The keys of REFERENCES.md: - `key`: ...
std::set<std::string> reference_keys() {
  std::ifstream file(RIDGELINE_SOURCE_DIR "/REFERENCES.md");
  std::set<std::string> keys;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("- `", 0) == 0) keys.insert(line.substr(3, line.find('`', 3) - 3));
  }
  return keys;
}

// Calls f(source) for each "source" in the value, however deep.
template <class F>
void for_each_source(const Json& value, F&& f) {
  if (!value.is_structured()) return;
  if (value.is_object() && value.contains("source") && value["source"].is_string()) f(value);
  for (const auto& item : value) for_each_source(item, f);
}

TEST(Registry, HasWhatTheFirstReleasePromises) {
  const Catalog& catalog = Catalog::embedded();
  EXPECT_GE(catalog.names(EntryKind::model).size(), 60u);
  EXPECT_GE(catalog.names(EntryKind::accelerator).size(), 40u);
  EXPECT_GE(catalog.names(EntryKind::machine).size(), 12u);
  EXPECT_GE(catalog.names(EntryKind::fabric).size(), 10u);
  EXPECT_GE(catalog.names(EntryKind::grid).size(), 40u);
  EXPECT_GE(catalog.names(EntryKind::site).size(), 5u);
}

TEST(Registry, EveryEntryLoadsAndIsShown) {
  for (const EntryKind kind : kKinds) {
    for (const Entry* entry : Catalog::embedded().entries(kind)) {
      Json notes = Json::array();
      const auto shown = show_entry(*entry, Catalog::embedded(), notes);
      ASSERT_TRUE(shown) << entry->name << ": " << shown.error().where << " "
                         << shown.error().message;
      const auto json = entry_json(*entry);
      ASSERT_TRUE(json);
      EXPECT_EQ((*json)["name"], entry->name);
    }
    EXPECT_TRUE(list_entries(Catalog::embedded(), kind));
  }
}

TEST(Registry, NoNameIsTakenTwice) {
  std::map<EntryKind, std::map<std::string, std::string>> names_of_kind;
  for (const EntryKind kind : kKinds) {
    // Accelerators are machines as well: their names share one space.
    auto& taken = names_of_kind[kind == EntryKind::accelerator ? EntryKind::machine : kind];
    for (const Entry* entry : Catalog::embedded().entries(kind)) {
      std::vector<std::string> names = entry->aliases;
      names.push_back(entry->name);
      EXPECT_EQ(lower(entry->name), entry->name);
      for (const std::string& name : names) {
        const auto [at, fresh] = taken.emplace(lower(name), entry->name);
        EXPECT_TRUE(fresh) << name << " is " << entry->name << " and " << at->second;
      }
    }
  }
}

TEST(Registry, EverySourceIsAReference) {
  const std::set<std::string> keys = reference_keys();
  ASSERT_GT(keys.size(), 50u);
  const std::set<std::string> kinds = {"datasheet", "measured", "estimate"};
  for (const EntryKind kind : kKinds) {
    for (const Entry* entry : Catalog::embedded().entries(kind)) {
      const auto json = entry_json(*entry);
      ASSERT_TRUE(json);
      int sources = 0;
      for_each_source(*json, [&](const Json& at) {
        ++sources;
        EXPECT_TRUE(keys.count(at["source"]) > 0) << entry->name << ": " << at["source"];
        if (at.contains("kind") && at["kind"] != "model" && at["kind"] != "kernel") {
          EXPECT_TRUE(kinds.count(at["kind"]) > 0) << entry->name << ": " << at["kind"];
        }
      });
      EXPECT_GT(sources, 0) << entry->name;
    }
  }
}

TEST(Registry, EveryEstimateSaysOnWhatItRests) {
  for (const Entry* entry : Catalog::embedded().entries(EntryKind::accelerator)) {
    const auto json = entry_json(*entry);
    ASSERT_TRUE(json);
    for (const auto& [name, field] : (*json)["fields"].items()) {
      ASSERT_TRUE(field.contains("source") && field.contains("kind")) << entry->name << " " << name;
      if (field["kind"] == "estimate") {
        EXPECT_TRUE(field.contains("note")) << entry->name << " " << name;
      }
    }
  }
}

TEST(Registry, AcceleratorsLieInRange) {
  for (const Entry* entry : Catalog::embedded().entries(EntryKind::accelerator)) {
    SCOPED_TRACE(entry->name);
    const auto device = Catalog::embedded().accelerator(entry->name);
    ASSERT_TRUE(device);
    const double capacity = device->memory_capacity.base(), usable = device->usable_memory.base();
    EXPECT_GE(capacity, 1e8);
    EXPECT_LE(capacity, 2e12);
    // Sold in GB, reported in GiB: up to 7.4 % more; reserved for error correction: up to 8 % less.
    if (usable > 0) {
      EXPECT_NEAR(usable / capacity, 1, 0.08);
    }
    EXPECT_GE(device->memory_bandwidth.base(), 1e11);
    const double main = device->peak_of(device->main_precision()).base();
    EXPECT_GE(main, 1e12);
    EXPECT_LE(main, 2e16);
    const double fp8 = device->peak_of(Precision::fp8).base();
    if (fp8 > 0 && device->peak_of(Precision::bf16).base() > 0) {
      EXPECT_LE(fp8, 4.01 * main);
      EXPECT_GE(fp8, 0.99 * main);
    }
    EXPECT_LE(device->peak_of(Precision::fp32).base(), main * 1.001);
  }
}

TEST(Registry, ComputedCountsEqualPublishedOnes) {
  int compared = 0;
  for (const Entry* entry : Catalog::embedded().entries(EntryKind::model)) {
    const auto model = Catalog::embedded().model(entry->name);
    ASSERT_TRUE(model) << entry->name;
    EXPECT_NE(model->source, "") << entry->name;
    if (!model->published_params) continue;
    ++compared;
    EXPECT_EQ(physics::count_parameters(*model).total, *model->published_params) << entry->name;
  }
  EXPECT_GE(compared, 35);
}

// 96 layers of (4 d^2 + 4 d) + (8 d^2 + 5 d) + 4 d with d = 12288, tables of 50257 and 2048, final
// norm.
TEST(Registry, CountsGpt3) {
  const auto model = Catalog::embedded().model("gpt3-175b");
  ASSERT_TRUE(model);
  const std::int64_t d = 12288;
  EXPECT_EQ(physics::count_parameters(*model).total,
            96 * (12 * d * d + 13 * d) + (50257 + 2048) * d + 2 * d);
}

TEST(Registry, ChipletEntryIsTheDefaultMachine) {
  const auto machine = Catalog::embedded().machine("chiplet-sip");
  ASSERT_TRUE(machine) << machine.error().message;
  const Machine expected = default_chiplet();
  EXPECT_EQ(machine->name, expected.name);
  EXPECT_EQ(machine->kind, expected.kind);
  const Scenario got{*machine, {}, {}}, want{expected, {}, {}};
  for (const ScalarField& field : scalar_fields(expected)) {
    EXPECT_EQ(get_scalar(got, field), get_scalar(want, field)) << field.path;
  }
  for (std::size_t p = 0; p < kPrecisionCount; ++p) {
    EXPECT_EQ(machine->device.peak[p], expected.device.peak[p]);
  }
  ASSERT_EQ(machine->levels.size(), expected.levels.size());
  for (std::size_t l = 0; l < expected.levels.size(); ++l) {
    EXPECT_EQ(machine->levels[l].name, expected.levels[l].name);
    EXPECT_EQ(machine->levels[l].link_of, expected.levels[l].link_of);
    EXPECT_EQ(machine->levels[l].shape, expected.levels[l].shape);
    EXPECT_EQ(machine->levels[l].count, expected.levels[l].count);
  }
  EXPECT_EQ(machine->device.name, expected.device.name);
}

// A node's link is the one its device is sold with, per direction.
TEST(Registry, NodesUseTheLinksOfTheirDevices) {
  for (const Entry* entry : Catalog::embedded().entries(EntryKind::machine)) {
    const auto machine = Catalog::embedded().machine(entry->name);
    ASSERT_TRUE(machine) << entry->name;
    if (machine->kind == MachineKind::chiplet) continue;
    const auto device = Catalog::embedded().find(EntryKind::accelerator, machine->device.name);
    ASSERT_TRUE(device) << entry->name;
    const auto json = entry_json(**device);
    if (!(*json)["fields"].contains("link_bandwidth")) continue;
    const auto link = parse_quantity(
        (*json)["fields"]["link_bandwidth"]["value"].get<std::string>(), BytesPerSecond::kDim);
    ASSERT_TRUE(link);
    EXPECT_LE(machine->levels[0].bandwidth.base(), *link * 1.001) << entry->name;
  }
}

}  // namespace
}  // namespace ridgeline::catalog
