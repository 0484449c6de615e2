// fit from the command line: keys, exit status, errors, and the choices made for the user.
#include <gtest/gtest.h>

#include <string>

#include "ridgeline/app/testing.h"

namespace ridgeline::app {
namespace {

using testing::Ran;
using testing::run_arguments;
using testing::run_line;

const Json& result_of(const Ran& ran) {
  static const Json kNone = Json::object();
  return ran.json.contains("result") ? ran.json["result"] : kNone;
}

TEST(Fit, CountsTheCacheOfAModel) {
  // 32 layers x 8 heads x 128 x keys and values x 2 bytes; 1952 blocks of 16 tokens
  const Ran ran = run_line("fit --model llama-3.1-8b --kv-blocks 1952 --context 4k");
  EXPECT_EQ(ran.status, 0) << ran.text;
  EXPECT_EQ(result_of(ran)["kv_bytes_per_token"], 131072);
  EXPECT_EQ(result_of(ran)["kv_tokens_capacity"], 31232);
  EXPECT_EQ(result_of(ran)["kv_cache_bytes"], 131072 * 4096);
}

TEST(Fit, ExitsWithThreeWhereItDoesNot) {
  const Ran ran = run_line("fit --model llama-3.1-70b --machine H100 --context 32k");
  EXPECT_EQ(ran.status, 3) << ran.text;
  EXPECT_EQ(result_of(ran)["fits"], false);
  EXPECT_EQ(result_of(ran)["reason"], "weights");
  EXPECT_LT(result_of(ran)["headroom_bytes"].get<double>(), 0);
  EXPECT_TRUE(result_of(ran)["smallest_machine"].is_object());
}

TEST(Fit, ChoosesThePlanOfTheDevicesGiven) {
  const Ran ran = run_line(
      "fit --model llama-3.1-70b --machine H100 --devices 4 --precision fp8 --context 32k");
  EXPECT_EQ(ran.status, 0) << ran.text;
  EXPECT_EQ(result_of(ran)["ranks"].size(), 4u);
  EXPECT_EQ(ran.json["inputs"]["tp"], 4);
  EXPECT_EQ(ran.json["notes"][0]["code"], "plan_chosen");
  EXPECT_TRUE(result_of(ran)["speed"].is_object());
}

TEST(Fit, ReadsShortFormats) {
  const std::string rest = " --machine H100 --devices 4 --context 32k";
  const Ran brief = run_line("fit --model llama-3.1-70b --precision w4a16" + rest);
  const Ran written =
      run_line("fit --model llama-3.1-70b --precision int4 --activation-precision bf16" + rest);
  EXPECT_EQ(brief.status, 0) << brief.text;
  EXPECT_EQ(brief.json["inputs"], written.json["inputs"]);
  EXPECT_EQ(brief.json["result"], written.json["result"]);
}

TEST(Fit, LeavesWhatTotalsDoNotTellNull) {
  const Ran ran = run_line("fit --params 70B --memory '80 GB' --precision fp8 --tp 2");
  EXPECT_EQ(ran.status, 0) << ran.text;
  EXPECT_EQ(result_of(ran)["weights_bytes"], 70000000000);
  EXPECT_TRUE(result_of(ran)["kv_cache_bytes"].is_null());
  EXPECT_TRUE(result_of(ran)["max_context_tokens"].is_null());
  EXPECT_EQ(ran.json["notes"][0]["code"], "totals_only");
}

TEST(Fit, TakesPartOfAConfig) {
  const Json spec{{"model", {{"num_hidden_layers", 30}}}};
  const Ran ran = run_arguments({"fit", "--pp", "4", "--json"}, &spec);
  EXPECT_EQ(ran.status, 0) << ran.text;
  EXPECT_EQ(result_of(ran)["layers_assigned"], 30);
  EXPECT_EQ(result_of(ran)["even_split"], false);
  EXPECT_TRUE(result_of(ran)["weights_bytes"].is_null());
}

TEST(Fit, TakesUnitsInTheKeyOrInTheText) {
  const Json number{{"model", "llama-3.1-8b"}, {"memory_bytes", 24e9}};
  const Json text{{"model", "llama-3.1-8b"}, {"memory", "24 GB"}};
  const Json other{{"model", "llama-3.1-8b"}, {"memory_gb", 24}};
  for (const Json& spec : {number, text, other}) {
    const Ran ran = run_arguments({"fit", "--json"}, &spec);
    EXPECT_DOUBLE_EQ(result_of(ran)["usable_bytes"].get<double>(), 0.9 * 24e9) << ran.text;
  }
  const Ran flag = run_arguments({"fit", "--memory", "80GB", "--json"}, &number);
  EXPECT_DOUBLE_EQ(result_of(flag)["usable_bytes"].get<double>(), 0.9 * 80e9) << "flags win";
}

TEST(Fit, GivesInputsThatGiveTheSameAnswerAgain) {
  const Ran first = run_line("fit --model llama-3.1-8b --machine A100 --context 8k --tp 2");
  const Json spec = first.json["inputs"];
  const Ran second = run_arguments({"fit", "--json"}, &spec);
  EXPECT_EQ(second.json["result"], first.json["result"]) << second.text.substr(0, 400);
}

TEST(Fit, KnowsWhatAnEngineKeepsForItself) {
  const std::string line = "fit --model llama-3.1-8b --machine A100 --context 8k";
  const Ran plain = run_line(line), engine = run_line(line + " --engine tensorrt-llm");
  EXPECT_EQ(engine.status, 0) << engine.text;
  EXPECT_EQ(engine.json["inputs"]["block_size"], 32);
  EXPECT_NE(result_of(engine)["kv_tokens_capacity"], result_of(plain)["kv_tokens_capacity"]);
}

TEST(Fit, NamesTheFlagAtFault) {
  const struct {
    const char* line;
    const char* where;
    const char* code;
  } kLines[] = {
      {"fit", "--model", "missing"},
      {"fit --model llama-3.1-70b --tp 7", "--tp", "out_of_range"},
      {"fit --model llama-3.1-70b --tp-size 7", "--tp-size", "out_of_range"},
      {"fit --model llama-3.1-70b --pp 81", "--pp", "out_of_range"},
      {"fit --model llama-3.1-70b --ep 2", "--ep", "out_of_range"},
      {"fit --model llama-3.1-70b --memory 80", "--memory", "wrong_unit"},
      {"fit --model llama-3.1-70b --memory 80GB/s", "--memory", "wrong_unit"},
      {"fit --model llama-3.1-70b --context -4", "--context", "out_of_range"},
      {"fit --model llama-3.1-70b --context 1.5", "--context", "bad_value"},
      {"fit --model llama-3.1-70b --precision int3", "--precision", "bad_value"},
      {"fit --model llama-3.1-70b --memory-utilization 1.2", "--memory-utilization",
       "out_of_range"},
      {"fit --model llama-3.1-70b --pp-layers 16,x", "--pp-layers", "bad_value"},
      {"fit --model llama-3.1-70b --pp-layers 16,32", "--pp-layers", "out_of_range"},
      {"fit --model llama-3.1-70b --kv-pool 1GB --kv-blocks 4", "--kv-blocks", "conflict"},
      {"fit --model llama-3.1-70b --machine h1000", "--machine", "unknown_name"},
      {"fit --model llama-3.1-70b --devices 4", "--machine", "missing"},
      {"fit --model llama-3.1-70b --machine H100 --devices 0", "--devices", "out_of_range"},
      {"fit --model llama-3.1-70b --engine vlm", "--engine", "unknown_name"},
      {"fit --model llama-3.1-70b --params 70B", "--params", "conflict"},
      {"fit --model llama-3.1-70b --contxt 4", "--contxt", "unknown_key"},
  };
  for (const auto& c : kLines) {
    const Ran ran = run_line(c.line);
    EXPECT_EQ(ran.status, 2) << c.line << "\n" << ran.text.substr(0, 300);
    if (!ran.json.contains("error")) continue;
    EXPECT_EQ(ran.json["error"]["where"], c.where) << c.line;
    EXPECT_EQ(ran.json["error"]["code"], c.code) << c.line << ran.text;
  }
}

TEST(FitTraining, AnswersWithAChosenPlan) {
  const Ran ran = run_line(
      "fit --phase train --model llama-3.1-8b --machine dgx-h100 --batch-size 64 --seq-len 8k");
  EXPECT_EQ(ran.status, 0) << ran.text;
  const Json& result = result_of(ran);
  EXPECT_EQ(result["fits"], true);
  EXPECT_EQ(ran.json["notes"][0]["code"], "plan_chosen");
  EXPECT_TRUE(result["smallest_machine"].is_object());
  EXPECT_GT(result["speed"]["tokens_per_s"].get<double>(), 0);
  EXPECT_GE(result["changes"].size(), 5u);
  const Json& rank = result["ranks"][result["limiting_rank"].get<std::size_t>()];
  double sum = 0;
  for (const char* part :
       {"weights_bytes", "gradients_bytes", "optimizer_bytes", "activations_bytes", "working_bytes",
        "buffers_bytes", "logits_bytes", "runtime_bytes"}) {
    sum += rank[part].get<double>();
  }
  EXPECT_DOUBLE_EQ(sum, rank["total_bytes"].get<double>());
  EXPECT_EQ(rank["total_bytes"], result["total_bytes"]);
}

TEST(FitTraining, AChangeDoesWhatItsFlagsSay) {
  const std::string plan =
      "fit --phase train --model llama-3.1-70b --machine dgx-h100 --tp 8 --batch-size 8 "
      "--seq-len 8192 --microbatch-count 8 ";
  const Ran before = run_line(plan);
  EXPECT_EQ(before.status, 3) << before.text;
  ASSERT_GE(result_of(before)["changes"].size(), 3u);
  const Json changes = result_of(before)["changes"];
  for (const Json& change : changes) {
    const Ran after = run_line(plan + change["flags"].get<std::string>());
    EXPECT_EQ(result_of(after)["total_bytes"], change["total_bytes"]) << change["flags"];
    EXPECT_EQ(after.status, change["fits"].get<bool>() ? 0 : 3) << change["flags"];
  }
}

TEST(FitTraining, RefusesFieldsOfTheOtherPhase) {
  const Ran serving = run_line("fit --model llama-3.1-8b --machine h100 --zero-stage 1");
  EXPECT_EQ(serving.status, 2);
  EXPECT_NE(serving.text.find("zero-stage"), std::string::npos) << serving.text;
  EXPECT_NE(serving.text.find("--phase train"), std::string::npos) << serving.text;
  const Ran training = run_line("fit --phase train --model llama-3.1-8b --kv-blocks 10");
  EXPECT_EQ(training.status, 2);
  EXPECT_NE(training.text.find("kv-blocks"), std::string::npos) << training.text;
}

}  // namespace
}  // namespace ridgeline::app
