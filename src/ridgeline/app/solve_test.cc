// solve and explain from the command line: every solver is reached, and its fields are flags.
#include "ridgeline/app/solve.h"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <string>

#include "ridgeline/app/testing.h"

namespace ridgeline::app {
namespace {

using testing::Ran;
using testing::run_arguments;
using testing::run_line;

TEST(Solve, AnswersByName) {
  // 4.68e9 B / 273e9 B/s
  const Ran ran =
      run_line("solve roofline --bytes 4.68GB --bandwidth 273GB/s --measured-rate 6.203/s");
  EXPECT_EQ(ran.status, 0) << ran.text;
  EXPECT_NEAR(ran.json["result"]["memory_s"].get<double>(), 4.68 / 273, 1e-12);
  EXPECT_NEAR(ran.json["result"]["throughput_per_s"].get<double>(), 273 / 4.68, 1e-9);
  EXPECT_EQ(ran.json["inputs"]["solver"], "roofline");
}

TEST(Solve, KnowsSolversByTheirOtherSpellings) {
  const Ran one = run_line("solve pipeline --pp 4");
  EXPECT_EQ(run_line("solve PipelineModel --pp 4").json["result"], one.json["result"]);
  EXPECT_EQ(run_line("explain SingleNodeModel").status, 0);
  EXPECT_EQ(run_line("explain ParallelismOptimizer").status, 0);
  EXPECT_EQ(run_line("explain SensitivitySolver").status, 0);
  EXPECT_EQ(run_line("explain single_node").status, 0);
}

TEST(Solve, TakesShortAndLongNamesOfDegrees) {
  const Ran one = run_line("solve pipeline --pp 4 --microbatch-count 16");
  const Ran other = run_line("solve pipeline --pp-size 4 --microbatch-count 16");
  EXPECT_EQ(one.status, 0) << one.text;
  EXPECT_EQ(one.json["result"], other.json["result"]);
  EXPECT_EQ(one.json["result"]["in_flight_micro_batches"], Json({4, 3, 2, 1}));
}

TEST(Solve, CountsTokensOfACorpusInThousands) {
  // 6 x 1e9 x 1e12 FLOP
  const Ran ran =
      run_line("solve mfu --params 1B --tokens 1T --devices 1 --time 1d --peak 1PFLOP/s");
  EXPECT_NEAR(ran.json["result"]["total_flop"].get<double>(), 6e21, 1e12) << ran.text;
}

TEST(Solve, TakesAModelOfTheRegistryInPlaceOfTotals) {
  const Ran ran = run_line("solve serving --model llama-3.1-8b --machine H100 --seq-len 2048");
  EXPECT_EQ(ran.status, 0) << ran.text;
  EXPECT_EQ(ran.json["inputs"]["model"], "llama-3.1-8b");
  EXPECT_EQ(ran.json["result"]["kv_bytes"], 131072 * 2048);
}

// The curves of an entry are for that entry: a device with other rates has shares of its own.
TEST(Solve, EfficiencyTakesTheCurvesOfItsDevice) {
  const std::string product = " --m 4096 --n 4096 --k 4096";
  const Ran known = run_line("solve efficiency --device h100" + product);
  EXPECT_EQ(known.json["basis"]["level"], "calibrated") << known.text;
  EXPECT_EQ(known.json["basis"]["sources"][0]["source"], "aiconfigurator-core");
  EXPECT_EQ(known.json["result"]["fit_rows"], 5000);
  EXPECT_EQ(run_line("solve efficiency --machine h100" + product).json["result"],
            known.json["result"]);
  const Ran flat = run_line("solve efficiency --efficiency 0.5 --device h100" + product);
  EXPECT_EQ(flat.json["basis"]["level"], "estimate");
  const Ran unknown = run_line("solve efficiency --device mi300x" + product);
  EXPECT_TRUE(unknown.json["result"]["fit_rows"].is_null()) << unknown.text;
  const Json other{{"solver", "efficiency"},
                   {"hardware", {{"base", "h100-sxm"}, {"device.memory_bandwidth", "5 TB/s"}}},
                   {"m", 4096},
                   {"n", 4096},
                   {"k", 4096}};
  const Ran changed = run_arguments({"solve", "--json"}, &other);
  EXPECT_EQ(changed.status, 0) << changed.text;
  EXPECT_TRUE(changed.json["result"]["fit_rows"].is_null());
}

TEST(Solve, ReadsASpecOfAProgram) {
  const Json spec{{"solver", "single-node"},
                  {"model", {{"parameters_count", 7e9}, {"layers", 32}}},
                  {"hardware",
                   {{"rates_flop_per_s", {{"bf16", 1e15}}},
                    {"memory_capacity_gb", 80},
                    {"memory_bandwidth", "4 TB/s"}}},
                  {"precision", "bf16"},
                  {"attention_count", "none"},
                  {"efficiency", 0.5}};
  const Ran ran = run_arguments({"solve", "--json"}, &spec);
  EXPECT_EQ(ran.status, 0) << ran.text;
  EXPECT_NEAR(ran.json["result"]["memory_s"].get<double>(), 14e9 / 4e12, 1e-12);
}

TEST(Solve, SaysWhereAFactIsMissing) {
  const Json spec{{"solver", "single-node"},
                  {"model", {{"parameters_count", 7e9}}},
                  {"hardware", {{"rates_flop_per_s", {{"bf16", 1e15}}}}}};
  const Ran ran = run_arguments({"solve", "--json"}, &spec);
  EXPECT_EQ(ran.status, 2) << ran.text;
  const std::string where = ran.json["error"]["where"];
  EXPECT_EQ(where.rfind("spec:/hardware/memory_", 0), 0u) << where;
}

TEST(Solve, NamesTheFlagAtFault) {
  const struct {
    const char* line;
    const char* where;
    const char* code;
  } kLines[] = {
      {"solve", "--solver", "missing"},
      {"solve servin", "servin", "unknown_name"},
      {"solve pipeline --pp 0", "--pp", "out_of_range"},
      {"solve pipeline --batch 4", "--batch", "unknown_key"},
      {"solve pipeline --pipeline-schedule fast", "--pipeline-schedule", "bad_value"},
      {"solve roofline --bytes 4 --bandwidth 1GB/s", "--bytes", "wrong_unit"},
      {"solve serving --machine H100", "--parameters-count", "missing"},
  };
  for (const auto& c : kLines) {
    const Ran ran = run_line(c.line);
    EXPECT_EQ(ran.status, 2) << c.line << "\n" << ran.text.substr(0, 300);
    if (!ran.json.contains("error")) continue;
    const std::string where = ran.json["error"]["where"];
    EXPECT_EQ(where.substr(0, where.find(':')), c.where) << c.line << ran.text;
    if (*c.code != '\0') {
      EXPECT_EQ(ran.json["error"]["code"], c.code) << c.line << ran.text;
    }
  }
}

TEST(Solve, ExplainsEverySolver) {
  for (const SolverEntry& entry : solver_entries()) {
    const Ran ran = run_arguments({"explain", entry.name, "--json"});
    EXPECT_EQ(ran.status, 0) << entry.name << ran.text;
    EXPECT_NE(ran.json["result"]["card"].get<std::string>().find("Equations"), std::string::npos);
    EXPECT_FALSE(ran.json["result"]["inputs"].empty()) << entry.name;
    EXPECT_EQ(run_arguments({"schema", "solve", entry.name, "--json"}).status, 0) << entry.name;
    EXPECT_EQ(run_arguments({"solve", entry.name, "--help", "--json"}).status, 0) << entry.name;
  }
}

TEST(Solve, ExplainPutsTheValuesIn) {
  const Ran ran = run_line("explain roofline --bytes 1GB --bandwidth 1TB/s");
  EXPECT_EQ(ran.status, 0) << ran.text;
  bool found = false;
  for (const Json& term : ran.json["result"]["outputs"]) {
    if (term["key"] == "memory_s") found = term["value"] == 0.001 && term["symbol"] == "t_m";
  }
  EXPECT_TRUE(found) << ran.text;
}

// Every key that a card cites stands in REFERENCES.md: - `key`: ...
TEST(Solve, CitesWhatCanBeLookedUp) {
  std::ifstream file(std::string(RIDGELINE_SOURCE_DIR) + "/REFERENCES.md");
  std::set<std::string> known;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("- `", 0) == 0) known.insert(line.substr(3, line.find('`', 3) - 3));
  }
  const std::regex cited(R"(\[([a-z][a-z0-9.-]*[0-9a-z])\])");
  std::size_t count = 0;
  for (const SolverEntry& entry : solver_entries()) {
    const std::string card = entry.card;
    for (std::sregex_iterator it(card.begin(), card.end(), cited), end; it != end; ++it) {
      ++count;
      EXPECT_TRUE(known.count((*it)[1]) > 0)
          << entry.name << " cites [" << (*it)[1] << "]: add it to REFERENCES.md";
    }
  }
  EXPECT_GT(count, 80U);
}

}  // namespace
}  // namespace ridgeline::app
