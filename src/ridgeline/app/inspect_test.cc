// inspect on machines of all kinds; parts that are left out; the form of its JSON.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "ridgeline/app/testing.h"
#include "ridgeline/report/render.h"

namespace ridgeline::app {
namespace {

using testing::run_line;

struct OnMachine {
  const char* line;
  std::vector<std::string> levels;
  std::int64_t devices;
  std::size_t stages;  // of the pipeline
};

class Machines : public ::testing::TestWithParam<OnMachine> {};

// Every panel of a page has its data, under the machine's own level names.
TEST_P(Machines, TellEverythingInTheirOwnLevels) {
  const OnMachine& due = GetParam();
  const Json result = run_line(due.line).json["result"];
  EXPECT_EQ(result["layout"]["levels"].get<std::vector<std::string>>(), due.levels);
  EXPECT_EQ(result["layout"]["devices_used"], due.devices);
  std::int64_t lit = 0;
  std::set<std::string> nodes;
  for (const Json& node : result["topology"]["nodes"]) {
    nodes.insert(node["id"].get<std::string>());
    lit += node["level"] == "device" && node["used"].get<bool>() ? 1 : 0;
  }
  EXPECT_EQ(lit, due.levels.empty() ? 0 : due.devices);
  EXPECT_EQ(result["topology"]["levels"].size(), due.levels.size());
  std::set<std::string> symbols;
  for (const Json& row : result["symbols"]) symbols.insert(row["symbol"].get<std::string>());
  for (const std::string& level : due.levels) {
    EXPECT_TRUE(symbols.contains("beta_" + level) && symbols.contains("alpha_" + level)) << level;
  }
  for (const Json& stage : result["layers"][0]["stages"]) {
    EXPECT_EQ(stage["hops"].size(), due.levels.size());
    EXPECT_EQ(stage["formulas"].contains("network"), stage["network_s"].get<double>() > 0);
  }
  EXPECT_EQ(result["memory"]["stages"].size(), due.stages);
  EXPECT_GT(result["memory"]["capacity_bytes"].get<double>(), 1e9);
  EXPECT_GT(result["roofline"]["ridge_flop_per_byte"].get<double>(), 1);
  EXPECT_FALSE(result["hints"].empty());
  EXPECT_EQ(result["replication"]["classes"].size(), 4U);
  EXPECT_GE(result["shards"].size(), 8U);
  for (const Json& shard : result["shards"]) {
    EXPECT_TRUE(due.levels.empty() || nodes.contains(shard["owner"].get<std::string>()))
        << shard["owner"];
  }
}

INSTANTIATE_TEST_SUITE_P(
    Gpus, Machines,
    ::testing::Values(
        OnMachine{"inspect --model llama-3.1-8b --machine h100-sxm --topology", {}, 1, 1},
        OnMachine{
            "inspect --model llama-3.1-70b --machine dgx-h100 --tp 8 --topology", {"node"}, 8, 1},
        OnMachine{"inspect --model llama-3.1-405b --machine dgx-h100-superpod --tp 8 --pp 2 --dp 2 "
                  "--batch 4 --phase prefill --topology",
                  {"node", "cluster"},
                  32,
                  2},
        OnMachine{"inspect --model mixtral-8x7b --machine mi300x-8 --tp 2 --cp 2 --topology",
                  {"node"},
                  4,
                  1}));

TEST(InspectParts, AreThoseAskedFor) {
  const Json all = run_line("inspect --model llama-3.1-8b --tp 4").json["result"];
  const Json some =
      run_line("inspect --model llama-3.1-8b --tp 4 --parts symbols,effects").json["result"];
  EXPECT_EQ(some["symbols"], all["symbols"]);
  EXPECT_EQ(some["hints"], all["hints"]);
  EXPECT_FALSE(some.contains("topology") || some.contains("shards"));
  const Json none = run_line("inspect --model llama-3.1-8b --tp 4 --parts none").json["result"];
  EXPECT_EQ(none["latency_s"], all["latency_s"]);
  EXPECT_EQ(none["hints"].size(), all["hints"].size());
  EXPECT_FALSE(none["layers"][0]["stages"][0].contains("formulas"));
  EXPECT_FALSE(none.contains("mends") || none["hints"][0].contains("patch"));
}

TEST(InspectParts, ThatThereAreNotAreRefused) {
  const auto ran = run_line("inspect --model llama-3.1-8b --parts formulas,poetry");
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.json["error"]["where"], "--parts");
}

class InspectText : public ::testing::TestWithParam<const char*> {};

// What is written as it is found has the form that a tree would have.
TEST_P(InspectText, IsThatOfItsTree) {
  const auto ran = run_line(GetParam());
  EXPECT_EQ(report::json_text(ran.json), ran.text);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, InspectText,
    ::testing::Values("inspect --model llama-3.1-70b --context 128k --cp 16 --tp 32 --topology",
                      "inspect --model llama-3.1-70b",                         // does not fit
                      "inspect --model llama-3.1-8b --tp 32 --cp 96 --pp 64",  // no place
                      "inspect --model deepseek-v3 --machine dgx-h100-superpod --tp 8 --dp 4",
                      "inspect --model llama-3.1-8b --machine h100-sxm",
                      "inspect --model gemma-2-27b --tp 4 --parts none"));

}  // namespace
}  // namespace ridgeline::app
