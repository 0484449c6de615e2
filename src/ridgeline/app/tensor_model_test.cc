// Files of weights as a user gives them: import, fit.
#include "ridgeline/app/tensor_model.h"

#include <gtest/gtest.h>

#include "ridgeline/app/testing.h"
#include "tests/support/tensor_files.h"

namespace ridgeline::app::testing {
namespace {

using ridgeline::testing::GgufWriter;
using ridgeline::testing::safetensors_of;

GgufWriter small_llama() {
  GgufWriter out;
  out.text("general.architecture", "llama");
  out.count("llama.embedding_length", 256);
  out.count("llama.block_count", 1);
  out.count("llama.attention.head_count", 4);
  out.count("llama.attention.head_count_kv", 2);
  out.count("llama.feed_forward_length", 512);
  out.tensor("token_embd.weight", {256, 1000}, 12);
  return out;
}

// 256 000 weights in blocks of 144 bytes for 256: 4.5 bits each.
TEST(TensorModel, ImportCountsTheTensorsOfAFile) {
  const TemporaryFile file("ridgeline-small.gguf", small_llama().bytes());
  const Ran ran = run_line("import " + file.path());
  ASSERT_EQ(ran.status, 0) << ran.text;
  EXPECT_EQ(ran.json["result"]["stored_bytes"], 144'000);
  EXPECT_EQ(ran.json["result"]["bits_per_weight"], 4.5);
  EXPECT_EQ(ran.json["result"]["types"][0]["type"], "Q4_K");
  EXPECT_EQ(ran.json["result"]["layers"], 1);
}

// The exact bits of the file stand for the weights of fit.
TEST(TensorModel, FitTakesTheFilesBits) {
  const TemporaryFile file("ridgeline-fit.gguf", small_llama().bytes());
  const Ran ran = run_line("fit --model " + file.path() + " --machine H100 --context 128");
  ASSERT_EQ(ran.status, 0) << ran.text;
  EXPECT_EQ(ran.json["inputs"]["bits_per_weight"], 4.5);
  const double params = ran.json["result"]["total_params"];
  EXPECT_DOUBLE_EQ(ran.json["result"]["ranks"][0]["weights_bytes"].get<double>(), params * 4.5 / 8);
}

// Decoding reads the weights: in proportion to their bits, whatever format is nearest to them.
TEST(TensorModel, SpeedFollowsTheBits) {
  const auto latency = [](const char* bits) {
    const Ran ran = run_line(
        std::string("fit --model llama-3.1-8b --machine H100 --context 16 --bits-per-weight ") +
        bits);
    return ran.json["result"]["speed"]["decode_latency_s"].get<double>();
  };
  const double at_4 = latency("4"), at_5 = latency("5"), at_6 = latency("6");
  EXPECT_NEAR(at_6 - at_5, at_5 - at_4, 1e-9);
  EXPECT_GT(at_5, 1.15 * at_4);
}

TEST(TensorModel, InspectAndExploreTakeTheFilesBits) {
  const TemporaryFile file("ridgeline-inspect.gguf", small_llama().bytes());
  for (const char* command : {"inspect", "explore"}) {
    const Ran ran = run_line(std::string(command) + " --model " + file.path() + " --context 128");
    ASSERT_EQ(ran.status, 0) << ran.text;
    EXPECT_EQ(ran.json["inputs"]["bits_per_weight"], 4.5) << command;
    const Ran told = run_line(std::string(command) + " --model " + file.path() +
                              " --context 128 --precision fp8");
    EXPECT_EQ(told.json["inputs"]["bits_per_weight"], 0) << command;
  }
}

TEST(TensorModel, RefusesABrokenConfigBesideTheFile) {
  const std::string folder = ::testing::TempDir() + "ridgeline-broken";
  std::filesystem::create_directories(folder);
  const std::string header = R"({"w":{"dtype":"BF16","shape":[4],"data_offsets":[0,8]}})";
  std::ofstream(folder + "/m.safetensors", std::ios::binary) << safetensors_of(header, 8);
  std::ofstream(folder + "/config.json") << "{";
  const Ran ran = run_line("import " + folder + "/m.safetensors");
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.text.find("config.json"), std::string::npos) << ran.text;
  std::filesystem::remove_all(folder);
}

TEST(TensorModel, SaysWhatAHeaderAloneLacks) {
  const std::string bytes =
      safetensors_of(R"({"w":{"dtype":"BF16","shape":[4],"data_offsets":[0,8]}})", 8);
  const TemporaryFile file("ridgeline-alone.safetensors", bytes);
  const Ran imported = run_line("import " + file.path());
  EXPECT_EQ(imported.status, 0) << imported.text;
  EXPECT_EQ(imported.json["result"]["stored_bytes"], 8);
  EXPECT_EQ(imported.json["notes"][0]["code"], "no_architecture");
  const Ran fitted = run_line("fit --model " + file.path() + " --machine H100 --context 128");
  EXPECT_EQ(fitted.status, 2);
  EXPECT_EQ(fitted.json["error"]["where"], "--model");
}

TEST(TensorModel, ShowsAFileLikeAModelOfTheRegistry) {
  const TemporaryFile file("ridgeline-shown.gguf", small_llama().bytes());
  const Ran ran = run_line("show model " + file.path());
  ASSERT_EQ(ran.status, 0) << ran.text;
  EXPECT_EQ(ran.json["result"]["stored_bytes"], 144'000);
  EXPECT_EQ(ran.json["result"]["hidden_size"], 256);
}

// The parts of a split file are read from the first: 144 000 bytes and 1024.
TEST(TensorModel, ReadsAllPartsOfASplitFile) {
  const TemporaryFile first("ridgeline-split-00001-of-00002.gguf", small_llama().bytes());
  GgufWriter rest;
  rest.tensor("output_norm.weight", {256}, 0);
  const TemporaryFile second("ridgeline-split-00002-of-00002.gguf", rest.bytes());
  const Ran ran = run_line("import " + first.path());
  ASSERT_EQ(ran.status, 0) << ran.text;
  EXPECT_EQ(ran.json["result"]["stored_bytes"], 144'000 + 1024);
}

TEST(TensorModel, RefusesBrokenFiles) {
  const TemporaryFile cut("ridgeline-cut.gguf", small_llama().bytes().substr(0, 60));
  const Ran ran = run_line("import " + cut.path());
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.text.find("does not end"), std::string::npos) << ran.text;
  EXPECT_EQ(run_line("import nowhere.gguf").status, 2);
}

}  // namespace
}  // namespace ridgeline::app::testing
