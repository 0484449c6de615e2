#include "ridgeline/catalog/show.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace ridgeline::catalog {
namespace {

using Json = nlohmann::ordered_json;

// What the command line of a case asks: show KIND NAME [--kv-precision P] [--mla FORM].
Json answer(const Json& argv) {
  Json notes = Json::array();
  const std::string kind = argv[1];
  const std::string given = argv[2];
  if (kind != "model") {
    const auto entry = Catalog::embedded().find(EntryKind::accelerator, given);
    EXPECT_TRUE(entry);
    return *show_entry(**entry, Catalog::embedded(), notes);
  }
  Precision kv = Precision::bf16;
  auto form = physics::MlaForm::latent;
  for (std::size_t i = 3; i + 1 < argv.size(); i += 2) {
    if (argv[i + 1] == "fp8") kv = Precision::fp8;
    if (argv[i + 1] == "expanded") form = physics::MlaForm::expanded;
  }
  const auto model = Catalog::embedded().model(given);
  EXPECT_TRUE(model) << given;
  return show_model(*model, kv, form, notes);
}

void check(const Json& result, const Json& expected) {
  const Json got = (Json{{"result", result}})[Json::json_pointer(expected["path"])];
  if (!expected.contains("value")) {
    ASSERT_TRUE(got.is_number()) << expected;
    EXPECT_GE(got.get<double>(), expected.value("min", -HUGE_VAL));
    EXPECT_LE(got.get<double>(), expected.value("max", HUGE_VAL));
    return;
  }
  const Json& value = expected["value"];
  if (!value.is_number()) {
    EXPECT_EQ(got, value) << expected;
    return;
  }
  ASSERT_TRUE(got.is_number()) << expected << " " << got;
  const double want = value.get<double>();
  const double slack = std::max(expected.value("rel", 0.0), 1e-9) * std::fabs(want);
  EXPECT_NEAR(got.get<double>(), want, slack) << expected;
}

TEST(Show, AnswersPublicReports) {
  std::ifstream file(RIDGELINE_SOURCE_DIR "/tests/data/show-cases.json");
  const Json cases = Json::parse(file)["cases"];
  EXPECT_EQ(cases.size(), 53u);
  for (const Json& c : cases) {
    SCOPED_TRACE(c["id"].get<std::string>() + " " + c["title"].get<std::string>());
    const Json result = answer(c["argv"]);
    for (const Json& expected : c["expect"]) check(result, expected);
  }
}

TEST(Show, SaysWhyANumberIsMissing) {
  const auto model = import_config(R"({"num_hidden_layers": 4})", "part");
  ASSERT_TRUE(model);
  Json notes = Json::array();
  const Json result = show_model(*model, Precision::bf16, physics::MlaForm::latent, notes);
  EXPECT_TRUE(result["total_params"].is_null());
  EXPECT_TRUE(result["kv_bytes_per_token"].is_null());
  EXPECT_EQ(result["layers"], 4);
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_EQ(notes[0]["where"], "/total_params");
  EXPECT_EQ(notes[1]["where"], "/kv_bytes_per_token");
}

TEST(Show, GivesEverySourceOfAnAccelerator) {
  Json notes = Json::array();
  const auto entry = Catalog::embedded().find(EntryKind::accelerator, "L40S");
  ASSERT_TRUE(entry);
  const auto shown = show_entry(**entry, Catalog::embedded(), notes);
  ASSERT_TRUE(shown);
  EXPECT_EQ((*shown)["usable_memory_bytes"], 46068.0 * 1048576);
  EXPECT_EQ((*shown)["tdp_w"], 350);
  EXPECT_GE((*shown)["sources"].size(), 8u);
  for (const Json& row : (*shown)["sources"]) EXPECT_TRUE(row.contains("source")) << row;
  EXPECT_TRUE(notes.empty());
}

TEST(Show, NotesAnUnknownUsableMemory) {
  Json notes = Json::array();
  const auto entry = Catalog::embedded().find(EntryKind::accelerator, "TPUv4");
  ASSERT_TRUE(entry);
  const auto shown = show_entry(**entry, Catalog::embedded(), notes);
  ASSERT_TRUE(shown);
  EXPECT_EQ((*shown)["usable_memory_bytes"], (*shown)["memory_bytes"]);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0]["code"], "usable_memory_unknown");
}

TEST(Show, ListsFactsOfEveryKind) {
  for (const EntryKind kind : {EntryKind::model, EntryKind::accelerator, EntryKind::machine,
                               EntryKind::fabric, EntryKind::space}) {
    const auto rows = list_entries(Catalog::embedded(), kind);
    ASSERT_TRUE(rows) << rows.error().message;
    for (const Json& row : *rows)
      EXPECT_TRUE(row.contains("name") && row.contains("source")) << row;
  }
}

}  // namespace
}  // namespace ridgeline::catalog
