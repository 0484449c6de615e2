// validate as a user runs it: the tables that come with the program, and tables of one's own.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "ridgeline/app/testing.h"

namespace ridgeline::app::testing {
namespace {

const Json& score(const Json& answer, const std::string& row_class, const std::string& quantity) {
  static const Json kNone;
  for (const Json& one : answer["result"]["classes"]) {
    if (one["class"] == row_class && one["quantity"] == quantity) return one;
  }
  ADD_FAILURE() << "no class " << row_class << " " << quantity;
  return kNone;
}

std::string measured(const char* file) {
  return std::string(RIDGELINE_SOURCE_DIR) + "/data/measured/" + file;
}

Json json_lines(const char* file) {
  return run_line("validate " + measured(file)).json;
}

// Sizes are arithmetic: within 1 %. Measured peaks of training: a median within 5 %.
TEST(Validate, MemoryIsAsExactAsPromised) {
  const Json answer = run_line("validate " + measured("memory.csv")).json;
  for (const char* name : {"memory/kv-cache-per-token", "memory/weights-file"}) {
    for (const Json& row : answer["result"]["rows"]) {
      if (row["class"] != name) continue;
      EXPECT_LT(std::abs(row["error_fraction"].get<double>()), 0.01) << row["id"];
    }
  }
  const Json& peaks = score(answer, "memory/train-peak", "peak_memory");
  EXPECT_GE(peaks["rows"], 20);
  EXPECT_LT(peaks["median_abs_error_fraction"], 0.05);
}

TEST(Validate, EveryRowIsAnsweredOrSkipped) {
  for (const auto& [file, rows] : {std::pair{"memory.csv", 113},
                                   {"training.csv", 343},
                                   {"serving.csv", 1538},
                                   {"carbon.csv", 163},
                                   {"reliability.csv", 41},
                                   {"cost.csv", 5},
                                   {"microbench.csv", 2835}}) {
    SCOPED_TRACE(file);
    const Json answer = run_line("validate " + measured(file)).json;
    std::set<std::string> seen;
    for (const char* list : {"rows", "skipped"}) {
      for (const Json& row : answer["result"][list]) seen.insert(row["id"].get<std::string>());
    }
    EXPECT_EQ(static_cast<int>(seen.size()), rows);
    for (const Json& row : answer["result"]["skipped"]) EXPECT_FALSE(row["reason"].empty());
  }
}

// 466 interruptions of 16,384 devices in 54 days within 15 %; energy and emissions of published
// runs within 10 % given their inputs.
TEST(Validate, ReliabilityAndCarbonHoldTheirBounds) {
  const Json reliability = json_lines("reliability.csv"), carbon = json_lines("carbon.csv");
  bool found = false;
  for (const Json& row : reliability["result"]["rows"]) {
    if (row["measured"] != 466) continue;
    found = true;
    EXPECT_LT(std::abs(row["error_fraction"].get<double>()), 0.15);
  }
  EXPECT_TRUE(found);
  for (const Json& row : carbon["result"]["rows"]) {
    if (row["class"] != "carbon/training") continue;
    EXPECT_LT(std::abs(row["error_fraction"].get<double>()), 0.10) << row["id"];
  }
}

// Products in 16 bits with n and k of 1024 and more within 7 %, narrower ones within 12 %: medians.
TEST(Validate, ProductsAreAsExactAsPromised) {
  const Json answer = json_lines("microbench.csv");
  const Json& halves = score(answer, "microbench/gemm-16-bit-large/all", "latency");
  EXPECT_GE(halves["rows"], 400);
  EXPECT_LT(halves["median_abs_error_fraction"], 0.07);
  const Json& narrow = score(answer, "microbench/gemm-narrow/all", "latency");
  EXPECT_GE(narrow["rows"], 900);
  EXPECT_LT(narrow["median_abs_error_fraction"], 0.12);
}

TEST(Validate, RefusesOtherTables) {
  const Ran answer = run_arguments({"validate", "id;value\na;1\n", "--json"});
  EXPECT_EQ(answer.status, 2);
  EXPECT_NE(answer.text.find("no known table"), std::string::npos);
}

}  // namespace
}  // namespace ridgeline::app::testing
