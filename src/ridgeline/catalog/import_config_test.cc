// Configs of the registry against published parameter counts, and class defaults that files leave
// out.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "ridgeline/catalog/catalog.h"
#include "ridgeline/physics/kv_cache.h"
#include "ridgeline/physics/parameters.h"

namespace ridgeline::catalog {
namespace {

using physics::count_parameters;

struct Row {
  std::string name;
  std::int64_t total = 0, active = 0, stored = 0;
  std::string confidence;
};

std::vector<Row> published_rows() {
  std::ifstream file(RIDGELINE_SOURCE_DIR "/tests/data/params.csv");
  std::string line;
  std::getline(file, line);
  std::vector<Row> out;
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    Row row;
    std::string total, active, stored;
    std::getline(fields, row.name, ',');
    std::getline(fields, total, ',');
    std::getline(fields, active, ',');
    std::getline(fields, stored, ',');
    row.total = std::stoll(total);
    row.active = active.empty() ? 0 : std::stoll(active);
    row.stored = stored.empty() ? 0 : std::stoll(stored);
    std::getline(fields, row.confidence);
    out.push_back(row);
  }
  return out;
}

// Rows whose figure is a label or a rounded log: the share by which it may differ.
double tolerance_of(const std::string& name) {
  if (name == "deepseek-v4-flash") return 0.00002;  // "284.33 B" of a log, to its last digit
  if (name == "gemma-4-26b-a4b") return 0.04;       // "26B" counts the vision tower
  if (name == "qwen3.5-27b") return 0.02;           // published with the vision tower
  if (name == "qwen3.5-35b-a3b") return 0.02;       // "35B"
  return 0;
}

TEST(ImportConfig, CountsParametersToTheUnit) {
  const std::vector<Row> rows = published_rows();
  ASSERT_EQ(rows.size(), 66u);
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const auto model = Catalog::embedded().model(row.name);
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->why_no_count, "");
    const physics::ParameterCount count = count_parameters(*model);
    const double tolerance = tolerance_of(row.name);
    if (tolerance > 0) {
      EXPECT_NEAR(static_cast<double>(count.total) / static_cast<double>(row.total), 1, tolerance);
      continue;
    }
    EXPECT_EQ(count.total, row.total);
    EXPECT_EQ(count.active, row.active);
  }
}

// Published with a vision tower of 460,730,096: 27 layers of width 1152 and MLP 4304 (15,239,504
// each), patches and positions (4,424,832), a merger onto 5120 (44,838,656).
TEST(ImportConfig, CountsTheTextPartOfQwen35) {
  const auto model = Catalog::embedded().model("qwen3.5-27b");
  ASSERT_TRUE(model);
  EXPECT_EQ(count_parameters(*model).total, 27356728560 - 460730096);
}

TEST(ImportConfig, CountsPredictionModulesAsStored) {
  for (const Row& row : published_rows()) {
    if (row.name.rfind("glm", 0) != 0 && row.name != "deepseek-v3") continue;
    const auto model = Catalog::embedded().model(row.name);
    ASSERT_TRUE(model);
    EXPECT_EQ(count_parameters(*model).total + physics::mtp_params(*model), row.stored) << row.name;
  }
}

// More families; totals as publishers or the Hub give them, remembered before computing.
TEST(ImportConfig, CountsOtherFamiliesToTheUnit) {
  std::ifstream file(RIDGELINE_SOURCE_DIR "/tests/data/published-configs.json");
  const auto json = nlohmann::ordered_json::parse(file);
  EXPECT_EQ(json["models"].size(), 42u);
  for (const auto& row : json["models"]) {
    SCOPED_TRACE(row["name"].get<std::string>());
    const auto model = import_config(row["config"].dump(), "test");
    ASSERT_TRUE(model) << model.error().where << ": " << model.error().message;
    EXPECT_EQ(model->why_no_count, "");
    EXPECT_EQ(count_parameters(*model).total, row["total"].get<std::int64_t>());
  }
}

Model from(const char* text) {
  const auto model = import_config(text, "test");
  EXPECT_TRUE(model) << model.error().where << ": " << model.error().message;
  return model ? *model : Model{};
}

TEST(ImportConfig, TakesABareModelForALlamaLikeDecoder) {
  const Model m = from(R"({"num_hidden_layers": 1, "hidden_size": 4096, "num_attention_heads": 32,
    "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 11008, "vocab_size": 32000})");
  // 2 x 4096^2 + 2 x 4096 x 1024 + 3 x 4096 x 11008 + 2 x 4096 + 4096 + 2 x 32000 x 4096
  EXPECT_EQ(count_parameters(m).total, 33554432 + 8388608 + 135266304 + 8192 + 4096 + 262144000);
}

TEST(ImportConfig, KeepsWhatAPartialModelTells) {
  const Model m = from(R"({"num_hidden_layers": 80, "num_attention_heads": 64,
    "num_key_value_heads": 8, "head_dim": 128})");
  EXPECT_EQ(m.why_no_count, "the parameters cannot be counted: hidden_size is missing");
  const auto cache = physics::kv_cache(m, Precision::bf16, physics::MlaForm::latent);
  ASSERT_TRUE(cache);
  EXPECT_EQ(cache->bytes_per_token, 80 * 2 * 8 * 128 * 2);
}

TEST(ImportConfig, NamesTheKeyThatTheCacheLacks) {
  const Model m = from(R"({"num_hidden_layers": 30})");
  const auto cache = physics::kv_cache(m, Precision::bf16, physics::MlaForm::latent);
  ASSERT_FALSE(cache);
  EXPECT_EQ(cache.error().code, ErrorCode::missing);
  EXPECT_EQ(cache.error().where, "/num_attention_heads");
}

TEST(ImportConfig, SizesALatentCacheWithoutHeads) {
  const Model m = from(R"({"num_hidden_layers": 36, "kv_lora_rank": 256, "qk_rope_head_dim": 64})");
  const auto cache = physics::kv_cache(m, Precision::bf16, physics::MlaForm::latent);
  ASSERT_TRUE(cache);
  EXPECT_EQ(cache->bytes_per_token, 23040);  // 36 x (256 + 64) x 2
}

TEST(ImportConfig, SizesTheCacheOfPartialHybrids) {
  const struct {
    const char* text;
    double bytes_per_token;
  } kCases[] = {
      // 2 attention blocks x 2 x 8 x 128 x 2 bytes
      {R"({"num_hidden_layers": 6, "hybrid_override_pattern": "M-M*-*", "num_attention_heads": 64,
          "num_key_value_heads": 8, "attention_head_dim": 128})",
       2 * 4096},
      // 1 of 4 layers x 2 x 2 x 256 x 2 bytes
      {R"({"num_hidden_layers": 4, "num_attention_heads": 16, "num_key_value_heads": 2, "head_dim": 256,
          "layer_types": ["linear_attention", "linear_attention", "linear_attention",
                          "full_attention"]})",
       2048},
      // sliding: 2 x 8 x 256 x 2 bytes; full: 2 x 2 x 512 x 2 bytes
      {R"({"num_hidden_layers": 2, "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 256,
          "num_global_key_value_heads": 2, "global_head_dim": 512, "sliding_window": 1024,
          "layer_types": ["sliding_attention", "full_attention"]})",
       8192 + 4096},
  };
  for (const auto& c : kCases) {
    const Model m = from(c.text);
    EXPECT_NE(m.why_no_count, "");
    const auto cache = physics::kv_cache(m, Precision::bf16, physics::MlaForm::latent);
    ASSERT_TRUE(cache) << c.text;
    EXPECT_EQ(cache->bytes_per_token, c.bytes_per_token) << c.text;
  }
}

TEST(ImportConfig, TakesAsManyKeyValueHeadsAsHeads) {
  for (const char* text :
       {R"({"num_hidden_layers": 60, "hidden_size": 6656, "num_attention_heads": 52})",
        R"({"num_hidden_layers": 60, "hidden_size": 6656, "num_attention_heads": 52,
               "num_key_value_heads": null, "head_dim": null})"}) {
    const Model m = from(text);
    EXPECT_EQ(m.kinds[0].attention.kv_heads, 52);
    EXPECT_EQ(m.kinds[0].attention.head_dim, 128);
  }
}

std::int64_t windowed_layers(const Model& m) {
  std::int64_t n = 0;
  for (const std::uint8_t k : m.layers) n += m.kinds[k].windowed() ? 1 : 0;
  return n;
}

TEST(ImportConfig, FollowsTheWindowsOfEachClass) {
  const struct {
    const char* text;
    std::int64_t layers;
  } kCases[] = {
      {R"({"model_type": "mistral", "num_hidden_layers": 32, "sliding_window": 4096})", 32},
      {R"({"model_type": "mistral", "num_hidden_layers": 32, "sliding_window": null})", 0},
      {R"({"model_type": "qwen2", "num_hidden_layers": 28, "sliding_window": 4096})", 0},
      {R"({"model_type": "qwen2", "num_hidden_layers": 28, "sliding_window": 4096,
          "use_sliding_window": true, "max_window_layers": 21})",
       7},
      {R"({"model_type": "gemma2", "num_hidden_layers": 46, "sliding_window": 4096})", 23},
      {R"({"model_type": "gemma3_text", "num_hidden_layers": 34, "sliding_window": 1024})", 29},
      {R"({"model_type": "cohere2", "num_hidden_layers": 32, "sliding_window": 4096})", 24},
      {R"({"model_type": "gpt_oss", "num_hidden_layers": 24, "sliding_window": 128,
          "num_local_experts": 32, "num_experts_per_tok": 4})",
       12},
      {R"({"num_hidden_layers": 8, "sliding_window": 512})", 8},
      {R"({"num_hidden_layers": 8, "sliding_window": 512, "use_sliding_window": false})", 0},
      {R"({"num_hidden_layers": 2, "sliding_window": 512,
          "layer_types": ["full_attention", "sliding_attention"]})",
       1},
  };
  for (const auto& c : kCases) EXPECT_EQ(windowed_layers(from(c.text)), c.layers) << c.text;
}

TEST(ImportConfig, ChunksThreeOfFourLlama4Layers) {
  const auto m = Catalog::embedded().model("llama-4-scout");
  ASSERT_TRUE(m);
  std::int64_t chunked = 0;
  for (const std::uint8_t k : m->layers) chunked += m->kinds[k].attention.chunk == 8192 ? 1 : 0;
  EXPECT_EQ(chunked, 36);
}

TEST(ImportConfig, FillsInTiesOfTheClass) {
  const struct {
    const char* type;
    bool tied;
  } kCases[] = {{"llama", false}, {"gemma", true},  {"gemma3_text", true}, {"cohere", true},
                {"falcon", true}, {"gpt2", true},   {"opt", true},         {"mpt", true},
                {"bloom", true},  {"qwen2", false}, {"gptj", false},       {"gpt_neox", false}};
  for (const auto& c : kCases) {
    const std::string text =
        std::string(R"({"model_type": ")") + c.type +
        R"(", "num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4})";
    EXPECT_EQ(from(text.c_str()).tied_embeddings, c.tied) << c.type;
  }
}

TEST(ImportConfig, ReadsTheQuantisationOfTheFile) {
  const struct {
    const char* config;
    Precision precision;
    std::int64_t group, scale_bits, zero_bits;
  } kCases[] = {
      {R"({"quant_method": "fp8", "weight_block_size": [128, 128]})", Precision::fp8, 16384, 32, 0},
      {R"({"quant_method": "awq", "bits": 4, "group_size": 128})", Precision::int4, 128, 16, 4},
      {R"({"quant_method": "gptq", "bits": 8, "group_size": -1})", Precision::int8, 0, 0, 0},
      {R"({"quant_method": "mxfp4"})", Precision::mxfp4, 0, 0, 0},
      {R"({"quant_method": "bitsandbytes", "load_in_8bit": true})", Precision::int8, 0, 0, 0},
      {R"({"quant_method": "modelopt", "quant_algo": "NVFP4"})", Precision::nvfp4, 0, 0, 0},
      {R"({"quant_method": "compressed-tensors", "config_groups":
          {"group_0": {"weights": {"num_bits": 4, "type": "int", "group_size": 32}}}})",
       Precision::int4, 32, 16, 0},
  };
  for (const auto& c : kCases) {
    const std::string text =
        std::string(R"({"num_hidden_layers": 2, "quantization_config": )") + c.config + "}";
    const Model m = from(text.c_str());
    ASSERT_TRUE(m.quantization.has_value()) << c.config;
    EXPECT_EQ(m.quantization->precision, c.precision) << c.config;
    EXPECT_EQ(m.quantization->group_size, c.group) << c.config;
    EXPECT_EQ(m.quantization->scale_bits, c.scale_bits) << c.config;
    EXPECT_EQ(m.quantization->zero_bits, c.zero_bits) << c.config;
  }
}

TEST(ImportConfig, ReadsTheContextLimit) {
  const struct {
    const char* fields;
    std::int64_t limit;
  } kCases[] = {
      {R"("max_position_embeddings": 8192)", 8192},
      {R"("max_position_embeddings": 8192, "model_max_length": 131072)", 131072},
      {R"("max_sequence_length": 2048)", 2048},
      {R"("max_position_embeddings": 32768, "rope_scaling": {"type": "yarn", "factor": 4.0,
          "original_max_position_embeddings": 32768})",
       131072},
      {R"("max_position_embeddings": 131072, "rope_scaling": {"rope_type": "llama3", "factor": 8.0,
          "original_max_position_embeddings": 8192})",
       131072},
      {R"("max_position_embeddings": 4096, "rope_scaling": {"type": "linear", "factor": 4.0})",
       16384},
      {R"("torch_dtype": "float16")", 0},
  };
  for (const auto& c : kCases) {
    const std::string text = std::string(R"({"num_hidden_layers": 2, )") + c.fields + "}";
    EXPECT_EQ(from(text.c_str()).max_context, c.limit) << c.fields;
  }
}

TEST(ImportConfig, ReadsTheTextPartOfAWrapper) {
  const Model m = from(R"({"architectures": ["SomethingForConditionalGeneration"],
    "vision_config": {"hidden_size": 10}, "dtype": "float16",
    "text_config": {"model_type": "mistral", "num_hidden_layers": 3, "hidden_size": 64,
                    "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 100}})");
  EXPECT_EQ(m.layer_count(), 3);
  EXPECT_EQ(m.weight_precision, Precision::fp16);
  EXPECT_EQ(m.why_no_count, "");
}

}  // namespace
}  // namespace ridgeline::catalog
