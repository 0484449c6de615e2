#include "ridgeline/app/arguments.h"

#include <gtest/gtest.h>

#include "ridgeline/app/testing.h"

namespace ridgeline::app {
namespace {

using testing::run_arguments;
using testing::run_line;
using testing::TemporaryFile;

Json input_of(const std::string& line) {
  const auto words = testing::words_of(line);
  const auto parsed = parse_command_line(words);
  EXPECT_TRUE(parsed.has_value()) << parsed.error().message;
  const auto request = make_request(*parsed, testing::test_context(), nullptr);
  EXPECT_TRUE(request.has_value()) << request.error().message;
  return request ? request->input : Json();
}

TEST(Arguments, BecomeTheSameObjectAsASpec) {
  EXPECT_EQ(input_of("inspect --model m --tp 8 --kv-shard-mode replicate --context 128k"),
            (Json{{"model", "m"},
                  {"plan", {{"tp", "8"}, {"kv_shard_mode", "replicate"}}},
                  {"context", "128k"}}));
}

TEST(Arguments, ReadAliasesAndBothFormsOfValues) {
  EXPECT_EQ(input_of("inspect --model=m --tp-size=8 --batch-size 2 --mode decode --seq-len 4k"),
            (Json{{"model", "m"},
                  {"plan", {{"tp", "8"}}},
                  {"batch", "2"},
                  {"phase", "decode"},
                  {"context", "4k"}}));
}

TEST(Arguments, WordsAfterACommandAreFields) {
  EXPECT_EQ(input_of("show model gpt2"), (Json{{"kind", "model"}, {"name", "gpt2"}}));
  EXPECT_EQ(input_of("replay a.json b.json"), (Json{{"files", {"a.json", "b.json"}}}));
  EXPECT_EQ(input_of("inspect -- llama-3.1-8b"), (Json{{"model", "llama-3.1-8b"}}));
}

TEST(Arguments, FlagsWinOverTheSpec) {
  const TemporaryFile file("ridgeline_spec.yaml",
                           "model: llama-3.1-8b\nplan: {tp_size: 2, cp: 4}\n"
                           "machine: {base: chiplet-sip, bw_hbm_gbs: 100, sips: 8}\n");
  const auto ran = run_line("inspect --spec " + file.path() + " --tp 4 --bw-hbm '1 TB/s'");
  ASSERT_EQ(ran.status, 0) << ran.text;
  const Json& inputs = ran.json["inputs"];
  EXPECT_EQ(inputs["plan"]["tp"], 4);
  EXPECT_EQ(inputs["plan"]["cp"], 4);
  EXPECT_EQ(inputs["machine"]["bw_hbm_gbs"], 1000);
  EXPECT_EQ(inputs["machine"]["sips"], 8);
}

TEST(Arguments, SetReachesAnyField) {
  const auto ran = run_line(
      "inspect --set model=llama-3.1-8b --set plan.tp=4 --set machine.bw_hbm_gbs=512 --set "
      "batch=2");
  ASSERT_EQ(ran.status, 0) << ran.text;
  EXPECT_EQ(ran.json["inputs"]["plan"]["tp"], 4);
  EXPECT_EQ(ran.json["inputs"]["machine"]["bw_hbm_gbs"], 512);
  EXPECT_EQ(ran.json["inputs"]["batch"], 2);
}

TEST(Arguments, SetReachesIntoAnInlineModelAndATree) {
  const auto model = run_line(
      "show model '{\"model_type\": \"llama\", \"num_hidden_layers\": 2, \"hidden_size\": 64, "
      "\"num_attention_heads\": 4, \"intermediate_size\": 128, \"vocab_size\": 100}'");
  ASSERT_EQ(model.status, 0) << model.text;
  const auto tree = run_line(
      "inspect --model llama-3.1-8b --machine dgx-h100 --tp 8 "
      "--set machine.levels.node.link.bandwidth='900 GB/s' --memory-bandwidth '4 TB/s'");
  ASSERT_EQ(tree.status, 0) << tree.text;
  const Json& machine = tree.json["inputs"]["machine"];
  EXPECT_EQ(machine["levels"][0]["link"]["bandwidth_bytes_per_s"], 900e9);
  EXPECT_EQ(machine["device"]["memory_bandwidth_bytes_per_s"], 4e12);
}

TEST(Arguments, AskForHelpWhateverElseIsTyped) {
  EXPECT_EQ(run_line("inspect --nothing 3 --help").json["command"], "help");
  EXPECT_EQ(run_line("--version").json["result"]["version"], RIDGELINE_VERSION);
}

TEST(Arguments, NamesAreCaseInsensitive) {
  EXPECT_EQ(run_line("inspect --model LLAMA-3.1-8B --machine Chiplet-SIP --pe-hbm 64GB").status, 0);
  EXPECT_EQ(run_line("INSPECT --MODEL llama-3.1-8b --pe-hbm 64GB --PHASE Prefill").status, 0);
}

TEST(Arguments, AskForJsonIsSeenInBothForms) {
  const std::vector<std::string> one = {"x", "--json"}, two = {"x", "--format", "JSON"},
                                 three = {"x", "--format=json"}, none = {"x", "--format", "csv"};
  EXPECT_TRUE(asks_for_json(one));
  EXPECT_TRUE(asks_for_json(two));
  EXPECT_TRUE(asks_for_json(three));
  EXPECT_FALSE(asks_for_json(none));
}

}  // namespace
}  // namespace ridgeline::app
