// What holds for every answer: inputs that give it again, keys of its schema, the same bytes each
// time.
#include <gtest/gtest.h>

#include <set>

#include "ridgeline/app/output_keys.h"
#include "ridgeline/app/testing.h"

namespace ridgeline::app {
namespace {

using testing::Ran;
using testing::run_arguments;
using testing::run_line;

constexpr const char* kLines[] = {
    "inspect --model llama-3.1-70b --context 128k --cp 16 --tp 32",
    "inspect --model mixtral-8x7b --phase prefill --cp 4 --tp 8 --ep 4 --ffn-shard-scope TP",
    "inspect --model deepseek-v3 --cp 8 --tp 32 --kv-shard-mode replicate --kv-precision fp8",
    "inspect --model gemma-2-27b --cp 3 --tp 16",
    "inspect --model llama-3.1-8b --pe-hbm 333.33GB --bw-hbm '123.456 GB/s' --alpha-inter 7.7ns",
    "inspect --model llama-3.1-70b --machine dgx-h100 --tp 8 --order dp,tp,cp,pp",
    "inspect --model llama-3.1-8b --machine h100-sxm",
    "explore --model llama-3.1-70b --context 128k",
    "explore --model llama-3.1-70b --depth two_stage",
    "explore --model llama-3.1-8b --depth full --objectives latency_s,pes_used",
    "explore --model mixtral-8x7b --tp 8 --constraints 'pes_used <= 64' --top 5 --per-hardware",
    "explore --model llama-3.1-8b --machine dgx-h100",
    "explore --model llama-3.1-8b --pe-hbm 10MB --depth two_stage",
    "explore --model llama-3.1-8b --points --space "
    "'{\"axes\": {\"machine.bw_hbm_gbs\": [256, 512], \"plan.tp\": {\"powers_of_two\": [1, 8]}, "
    "\"batch\": [1, 4]}, \"fixed\": {\"plan.cp\": 2}}'",
    "explore --model llama-3.1-8b --space "
    "'{\"base\": \"balanced\", \"axes\": {\"machine.peak_tflops_f16\": {\"from\": 8, \"to\": 64, "
    "\"steps\": 4, \"scale\": \"log\"}}}'",
    "list models",
    "show model gpt-oss-20b",
    "show machine dgx-h100",
    "import '{\"model_type\": \"llama\", \"num_hidden_layers\": 2, \"hidden_size\": 64, "
    "\"num_attention_heads\": 4, \"intermediate_size\": 128, \"vocab_size\": 100}'",
};

// The place where two texts part, for messages that stay readable.
std::string first_difference(const std::string& a, const std::string& b) {
  std::size_t i = 0;
  while (i < a.size() && i < b.size() && a[i] == b[i]) ++i;
  if (i == a.size() && i == b.size()) return "";
  const std::size_t from = i < 60 ? 0 : i - 60;
  return a.substr(from, 200) + " / " + b.substr(from, 200);
}

Json without_times(Json tree) {
  tree["result"].erase("elapsed_s");
  tree["result"].erase("evaluations_per_s");
  return tree;
}

TEST(Answer, InputsGiveItAgain) {
  for (const char* line : kLines) {
    SCOPED_TRACE(line);
    const Ran first = run_line(line);
    ASSERT_TRUE(first.status == 0 || first.status == 3) << first.text.substr(0, 500);
    const Json inputs = first.json["inputs"];
    const Ran again = run_arguments({first.json["command"], "--json"}, &inputs);
    ASSERT_EQ(again.status, first.status) << again.text.substr(0, 500);
    EXPECT_EQ(first_difference(without_times(again.json).dump(), without_times(first.json).dump()),
              "");
  }
}

TEST(Answer, DoesNotDependOnThreads) {
  const std::string line = "explore --model llama-3.1-8b --depth coarse --top 20 --per-hardware";
  const Json one = without_times(run_line(line + " --threads 1").json);
  for (const char* threads : {"2", "7"}) {
    const Ran ran = run_line(line + " --threads " + threads);
    EXPECT_EQ(first_difference(without_times(ran.json).dump(), one.dump()), "");
  }
}

// Paths of all values: "layers[].stages[].name".
void collect(const Json& value, const std::string& path, std::set<std::string>& out) {
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) {
      collect(member, path.empty() ? key : path + "." + key, out);
    }
  } else if (value.is_array()) {
    for (const Json& item : value) collect(item, path + "[]", out);
  } else {
    out.insert(path);
  }
}

// Does the schema list `path`, or something above it that is any object?
bool declared(std::string_view path, std::span<const OutputKey> keys) {
  for (const OutputKey& key : keys) {
    const std::string_view own = key.path;
    if (path == own) return true;
    if (path.substr(0, own.size()) != own) continue;
    const std::string_view rest = path.substr(own.size());
    const bool any = std::string_view(key.type).substr(0, 6) == "object";
    if (any && rest.front() == '.') return true;
    const bool group = key.type[0] == '@' && rest.front() == '.';
    if (group && declared(rest.substr(1), group_keys(key.type))) return true;
  }
  return false;
}

TEST(Answer, HasTheKeysOfItsSchemaAndNoOther) {
  for (const char* line : kLines) {
    const Ran ran = run_line(line);
    const auto command = ran.json["command"].get<std::string>();
    const auto keys = result_keys(command);
    if (keys.empty()) continue;
    SCOPED_TRACE(line);
    std::set<std::string> paths;
    collect(ran.json["result"], "", paths);
    for (const std::string& path : paths) {
      const bool level = path.rfind("layout.", 0) == 0 && path.size() > 5 &&
                         path.substr(path.size() - 5) == "_used";  // names of the machine's levels
      const bool missing_row = path == "best" || path == "objectives";
      EXPECT_TRUE(level || missing_row || declared(path, keys)) << path;
    }
  }
}

TEST(Answer, SchemaCoversTheInputsOfEveryAnswer) {
  const Json schemas = run_line("schema").json["result"];
  for (const char* line : kLines) {
    SCOPED_TRACE(line);
    const Ran ran = run_line(line);
    const Json& properties = schemas[ran.json["command"].get<std::string>()]["input"]["properties"];
    for (const auto& [key, value] : ran.json["inputs"].items()) {
      EXPECT_TRUE(properties.contains(key)) << key;
    }
  }
}

TEST(Answer, StagesSumToTheLatency) {
  const Json result = run_line(kLines[0]).json["result"];
  double sum = 0;
  for (const Json& layer : result["layers"]) {
    double one = 0;
    for (const Json& stage : layer["stages"]) one += stage["total_s"].get<double>();
    sum += layer["count"].get<double>() * one;
  }
  for (const Json& edge : result["edges"]) sum += edge["total_s"].get<double>();
  EXPECT_NEAR(sum, result["latency_s"].get<double>(), 1e-12 * sum);
}

TEST(Answer, WhatCannotBePlacedIsNullWithANote) {
  const Ran ran = run_line("inspect --model llama-3.1-70b --context 128k --cp 96 --tp 2");
  EXPECT_EQ(ran.status, 3);
  EXPECT_TRUE(ran.json["result"]["latency_s"].is_null());
  EXPECT_EQ(ran.json["notes"][0]["code"], "placement_invalid");
}

TEST(Answer, NothingFeasibleNamesTheNearestMisses) {
  const Ran ran = run_line("explore --model llama-3.1-70b --depth two_stage --pe-hbm 10MB");
  EXPECT_EQ(ran.status, 3);
  EXPECT_TRUE(ran.json["result"]["best"].is_null());
  EXPECT_GT(ran.json["result"]["near_misses"][0]["lacking_bytes"].get<double>(), 0);
  EXPECT_GT(ran.json["result"]["rejected"]["does_not_fit"].get<int>(), 0);
}

// Those that fit come back as they were; the others are told by what they lack.
TEST(Answer, MisfitsAreAnsweredWhereTheyAreAskedFor) {
  const std::string base =
      "explore --model llama-3.1-70b --context 128k --depth balanced --points ";
  const Json fitting = run_line(base).json["result"];
  const Ran ran = run_line(base + "--misfits");
  const Json& all = ran.json["result"];
  EXPECT_EQ(ran.json["inputs"]["constraints"], Json::array());
  EXPECT_EQ(ran.json["notes"][0]["code"], "misfits");
  EXPECT_EQ(fitting["feasible_count"].get<std::int64_t>() +
                fitting["rejected"]["does_not_fit"].get<std::int64_t>(),
            all["feasible_count"].get<std::int64_t>());
  EXPECT_FALSE(all["rejected"].contains("does_not_fit"));
  std::size_t misfits = 0;
  for (const Json& point : all["points"]) misfits += point["memory_headroom_bytes"] < 0 ? 1 : 0;
  EXPECT_GT(misfits, 0u);
  EXPECT_EQ(misfits + fitting["points"].size(), all["points"].size());
}

TEST(Answer, FlagsOnPlanFieldsFixTheAxisOfADepth) {
  const Ran ran = run_line("explore --model llama-3.1-8b --tp 8");
  EXPECT_EQ(ran.json["result"]["parallelism_count"], 320);  // 8 CP x 5 PP x 4 DP x 2 KV modes
  for (const Json& row : ran.json["result"]["pareto"]) EXPECT_EQ(row["plan"]["tp"], 8);
}

TEST(Answer, EveryFormHasTheSameFront) {
  const std::string line = "explore --model llama-3.1-70b --context 128k";
  const std::size_t rows = run_line(line).json["result"]["pareto"].size();
  const auto lines_of = [&](const char* format) {
    std::vector<std::string> words = testing::words_of(line);
    words.insert(words.end(), {"--format", format});
    const std::string text = run_arguments(words).text;
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  };
  EXPECT_EQ(lines_of("csv"), rows + 1);
  EXPECT_GT(lines_of("markdown"), rows);
  EXPECT_GT(lines_of("svg"), rows);
}

}  // namespace
}  // namespace ridgeline::app
