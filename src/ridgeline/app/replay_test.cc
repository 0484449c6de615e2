#include "ridgeline/app/replay.h"

#include <gtest/gtest.h>

#include "ridgeline/app/testing.h"

namespace ridgeline::app {
namespace {

using testing::run_arguments;
using testing::TemporaryFile;

std::size_t misses(const Json& expect, const Json& got, int status = 0) {
  return misses_of({{"id", "x"}, {"exit", 0}, {"expect", expect}}, got, status).size();
}

TEST(Replay, ComparesNumbersWithinTheirTolerance) {
  const Json got = {{"a", 100.5}, {"b", nullptr}, {"c", {1, 2}}, {"d", true}, {"e", "x"}};
  const struct {
    const char* name;
    Json check;
    std::size_t misses;
  } kCases[] = {
      {"exact", {{"path", "/a"}, {"value", 100.5}}, 0},
      {"off", {{"path", "/a"}, {"value", 100}}, 1},
      {"relative", {{"path", "/a"}, {"value", 100}, {"rel", 0.01}}, 0},
      {"absolute", {{"path", "/a"}, {"value", 100}, {"abs", 0.5}}, 0},
      {"within 1e-9", {{"path", "/a"}, {"value", 100.50000001}}, 0},
      {"band", {{"path", "/a"}, {"min", 100}, {"max", 101}}, 0},
      {"half band", {{"path", "/a"}, {"min", 101}}, 1},
      {"null where a number is due", {{"path", "/b"}, {"value", 1}}, 1},
      {"null", {{"path", "/b"}, {"value", nullptr}}, 0},
      {"missing path", {{"path", "/z"}, {"value", nullptr}}, 1},
      {"list", {{"path", "/c"}, {"value", {1, 2}}}, 0},
      {"longer list", {{"path", "/c"}, {"value", {1, 2, 3}}}, 1},
      {"length", {{"path", "/c"}, {"length", 2}}, 0},
      {"truth", {{"path", "/d"}, {"value", true}}, 0},
      {"text", {{"path", "/e"}, {"value", "y"}}, 1},
      {"item", {{"path", "/c/1"}, {"value", 2}}, 0},
      {"band of text", {{"path", "/e"}, {"min", 0}}, 1},
      {"bad pointer", {{"path", "c"}, {"value", 2}}, 1},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(misses(Json::array({c.check}), got), c.misses);
  }
}

TEST(Replay, ChecksTheExitStatus) {
  EXPECT_EQ(misses(Json::array(), Json::object(), 3), 1U);
  EXPECT_TRUE(misses_of({{"exit", nullptr}}, {}, 3).empty());
  EXPECT_TRUE(misses_of({{"exit", nullptr}}, {}, 0).empty());
  EXPECT_FALSE(misses_of({{"exit", nullptr}}, {}, 2).empty());
}

TEST(Replay, KnowsTheSamePlaceByAnyOfItsNames) {
  EXPECT_TRUE(same_place("--tp", "--tp"));
  EXPECT_TRUE(same_place("--tp", "--tp-size"));
  EXPECT_TRUE(same_place("--tp", "spec.yaml:/plan/tp_size"));
  EXPECT_TRUE(same_place("--tp", "--set plan.tp"));
  EXPECT_TRUE(same_place("--tp", "--pp"));  // degrees are at fault together
  EXPECT_TRUE(same_place("model", "/model/parameters_count"));
  EXPECT_TRUE(same_place("--model", "--model:/hidden_size"));
  EXPECT_FALSE(same_place("--context", "--tp"));
  EXPECT_FALSE(same_place("--model", "--machine"));
}

TEST(Replay, RunsCasesAndCountsThem) {
  const TemporaryFile file("ridgeline_cases.json", R"({"cases": [
    {"id": "good", "argv": ["show", "model", "gpt2"], "exit": 0,
     "expect": [{"path": "/result/total_params", "value": 124439808, "rel": 0}]},
    {"id": "spec", "argv": ["inspect"], "spec": {"model": "gpt2", "plan": {"tp": 0}}, "exit": 2,
     "expect": [{"path": "/error/where", "value": "--tp"}]},
    {"id": "bad", "argv": ["show", "model", "gpt2"], "exit": 0, "fault": "a miss",
     "expect": [{"path": "/result/total_params", "value": 1}]}]})");
  const auto ran = run_arguments({"replay", file.path(), "--json"});
  EXPECT_EQ(ran.status, 3);
  EXPECT_EQ(ran.json["result"]["passed"], 2);
  EXPECT_EQ(ran.json["result"]["failed"], 1);
  EXPECT_EQ(ran.json["result"]["misses"][0]["id"], "bad");
  EXPECT_EQ(ran.json["result"]["misses"][0]["got"], "124439808");
}

TEST(Replay, LooksForFilesBesideTheCaseFile) {
  const TemporaryFile config("ridgeline_config.json",
                             R"({"model_type": "gpt2", "n_layer": 2, "n_embd": 64, "n_head": 4,
                                 "n_positions": 16, "vocab_size": 100})");
  const TemporaryFile file("ridgeline_cases.json", R"({"cases": [
    {"id": "a", "argv": ["show", "model", "ridgeline_config.json"], "exit": 0,
     "expect": [{"path": "/result/layers", "value": 2}]}]})");
  EXPECT_EQ(run_arguments({"replay", file.path(), "--json"}).json["result"]["passed"], 1);
}

TEST(Replay, RefusesWhatIsNoCaseFile) {
  for (const char* text :
       {"{}", "[]", "{\"cases\": 3}", "{\"cases\": [3]}", "{\"cases\": [{\"argv\": []}]}",
        "{\"cases\": [{\"argv\": [1]}]}", "{\"cases\": [{\"argv\": [\"help\"], \"expect\": 3}]}",
        "{\"cases\": [{\"argv\": [\"help\"], \"expect\": [{}]}]}", "x"}) {
    SCOPED_TRACE(text);
    const TemporaryFile file("ridgeline_cases.json", text);
    EXPECT_EQ(run_arguments({"replay", file.path(), "--json"}).status, 2);
  }
}

}  // namespace
}  // namespace ridgeline::app
