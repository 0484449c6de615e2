// What import_config() must refuse, each time naming the key; and that no garbage harms it.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "ridgeline/catalog/catalog.h"
#include "ridgeline/physics/kv_cache.h"
#include "ridgeline/physics/parameters.h"

namespace ridgeline::catalog {
namespace {

constexpr char kLlama[] = R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama",
  "hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4, "num_hidden_layers": 3,
  "num_key_value_heads": 2, "vocab_size": 100, "max_position_embeddings": 32, "torch_dtype": "float16"})";

// kLlama with `key` set to `value`, or added.
std::string with(const std::string& key, const std::string& value) {
  std::string text = kLlama;
  const std::size_t at = text.find("\"" + key + "\"");
  if (at == std::string::npos) return text.replace(0, 1, "{\"" + key + "\": " + value + ", ");
  const std::size_t begin = text.find(':', at) + 1, end = text.find_first_of(",}", begin);
  return text.replace(begin, end - begin, " " + value);
}

TEST(ImportRefusals, NamesTheKeyOfAValueThatCannotBe) {
  const struct {
    const char* key;
    const char* value;
    ErrorCode code;
  } kCases[] = {
      {"num_hidden_layers", "0", ErrorCode::out_of_range},
      {"num_hidden_layers", "-3", ErrorCode::out_of_range},
      {"num_hidden_layers", "10001", ErrorCode::out_of_range},
      {"num_hidden_layers", "\"3\"", ErrorCode::bad_value},
      {"num_hidden_layers", "2.5", ErrorCode::bad_value},
      {"num_hidden_layers", "true", ErrorCode::bad_value},
      {"num_hidden_layers", "[3]", ErrorCode::bad_value},
      {"num_hidden_layers", "null", ErrorCode::missing},
      {"hidden_size", "0", ErrorCode::out_of_range},
      {"hidden_size", "1e300", ErrorCode::out_of_range},
      {"hidden_size", "99999999999999999999", ErrorCode::out_of_range},
      {"hidden_size", "-64", ErrorCode::out_of_range},
      {"num_attention_heads", "6", ErrorCode::bad_value},
      {"num_key_value_heads", "3", ErrorCode::bad_value},
      {"num_key_value_heads", "0", ErrorCode::out_of_range},
      {"head_dim", "-1", ErrorCode::out_of_range},
      {"head_dim", "99999999", ErrorCode::out_of_range},
      {"intermediate_size", "{}", ErrorCode::bad_value},
      {"vocab_size", "-1", ErrorCode::out_of_range},
      {"vocab_size", "1099511627777", ErrorCode::out_of_range},
      {"max_position_embeddings", "0", ErrorCode::out_of_range},
      {"torch_dtype", "\"float7\"", ErrorCode::bad_value},
      {"torch_dtype", "16", ErrorCode::bad_value},
      {"tie_word_embeddings", "1", ErrorCode::bad_value},
      {"attention_bias", "\"yes\"", ErrorCode::bad_value},
      {"layer_types", R"(["full_attention"])", ErrorCode::bad_value},
      {"layer_types", "\"full_attention\"", ErrorCode::bad_value},
      {"num_nextn_predict_layers", "-1", ErrorCode::out_of_range},
      {"rope_scaling", R"("linear")", ErrorCode::bad_value},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(std::string(c.key) + " = " + c.value);
    const auto model = import_config(with(c.key, c.value), "test");
    // A scaling that is no object is not read; everything else is refused.
    if (std::string(c.key) == "rope_scaling") continue;
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().code, c.code) << model.error().message;
    EXPECT_EQ(model.error().where, "/" + std::string(c.key)) << model.error().message;
  }
}

TEST(ImportRefusals, PointsInsideNestedObjectsAndLists) {
  const struct {
    const char* text;
    const char* where;
  } kCases[] = {
      {R"({"text_config": {"model_type": "llama", "num_hidden_layers": -1}})",
       "/text_config/num_hidden_layers"},
      {R"({"num_hidden_layers": 2, "text_config": {}})", "/text_config"},
      {R"({"num_hidden_layers": 2, "text_config": "llama"})", "/text_config"},
      {R"({"text_config": {"llm_config": [1]}})", "/text_config/llm_config"},
      {R"({"num_hidden_layers": 2, "layer_types": ["full_attention", "odd"]})", "/layer_types/1"},
      {R"({"num_hidden_layers": 2, "layer_types": ["full_attention", 3]})", "/layer_types/1"},
      {R"({"num_hidden_layers": 2, "layer_types": ["full_attention", "sliding_attention"]})",
       "/sliding_window"},
      {R"({"num_hidden_layers": 2, "quantization_config": {"quant_method": "magic"}})",
       "/quantization_config/quant_method"},
      {R"({"num_hidden_layers": 2, "quantization_config": {"quant_method": "awq", "bits": 3}})",
       "/quantization_config/bits"},
      {R"({"num_hidden_layers": 2, "quantization_config": {}})",
       "/quantization_config/quant_method"},
      {R"({"num_hidden_layers": 2, "num_experts": 8, "num_experts_per_tok": 9})",
       "/num_experts_per_tok"},
      {R"({"num_hidden_layers": 2, "num_experts": 8})", "/num_experts_per_tok"},
      {R"({"model_type": "dbrx", "n_layers": 2, "n_heads": 4, "attn_config": {"kv_n_heads": 3}})",
       "/attn_config/kv_n_heads"},
      {R"({"model_type": "nemotron_h", "num_hidden_layers": 2, "hybrid_override_pattern": "M"})",
       "/hybrid_override_pattern"},
      {R"({"model_type": "nemotron_h", "num_hidden_layers": 2, "hybrid_override_pattern": "XY"})",
       "/hybrid_override_pattern"},
      {R"({"model_type": "nemotron-nas", "num_hidden_layers": 2})", "/block_configs"},
      {R"({"model_type": "deepseek_v4", "num_hidden_layers": 2})", "/compress_ratios"},
      {R"({"num_hidden_layers": 2, "num_hidden_layers": 3})", "/num_hidden_layers"},
      {R"({"hidden_size": 64})", "/num_hidden_layers"},
      {R"({})", "/num_hidden_layers"},
      {R"({"architectures": "LlamaForCausalLM", "num_hidden_layers": 2})", "/architectures"},
      {R"({"num_hidden_layers": 10000, "hidden_size": 268435456, "num_attention_heads": 1048576,
          "intermediate_size": 268435456, "vocab_size": 1073741824})",
       "/hidden_size"},
  };
  for (const auto& c : kCases) {
    const auto model = import_config(c.text, "test");
    ASSERT_FALSE(model) << c.text;
    EXPECT_EQ(model.error().where, c.where) << c.text << ": " << model.error().message;
  }
}

TEST(ImportRefusals, NamesAnArchitectureItDoesNotUnderstand) {
  const auto model = import_config(R"({"architectures": ["LlamaForCausalML"]})", "test");
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().code, ErrorCode::unsupported);
  EXPECT_EQ(model.error().where, "/architectures/0");
  EXPECT_NE(model.error().message.find("LlamaForCausalML"), std::string::npos);
  EXPECT_NE(model.error().hint.find("LlamaForCausalLM"), std::string::npos);
  const auto type = import_config(R"({"model_type": "lama", "num_hidden_layers": 2})", "test");
  ASSERT_FALSE(type);
  EXPECT_EQ(type.error().code, ErrorCode::unsupported);
  EXPECT_EQ(type.error().where, "/model_type");
}

TEST(ImportRefusals, RefusesWhatIsNoJsonObject) {
  for (const char* text :
       {"", " ", "{", "[]", "3", "null", "\"x\"", "{\"a\": NaN}", "{\"a\": 1e999}", "{\"a\":}",
        "{'a': 1}", "\xff\xfe", "{\"a\": \"\xff\"}"}) {
    EXPECT_FALSE(import_config(text, "test")) << text;
  }
  const std::string deep = "{\"a\":" + std::string(100000, '[') + std::string(100000, ']') + "}";
  const auto model = import_config(deep, "test");
  ASSERT_FALSE(model);
  EXPECT_NE(model.error().message.find("nested"), std::string::npos);
}

// Whatever is cut, doubled or replaced in the registry's configs: an answer or an error, and what
// is answered can be counted.
TEST(ImportRefusals, SurvivesDamagedConfigs) {
  std::mt19937_64 random(20261130);
  const auto pick = [&random](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const char* kPieces[] = {"-1",      "0",         "null",       "1e30",
                           "\"x\"",   "[]",        "{}",         "true",
                           "1048576", "268435456", "1000000000", "9999",
                           "",        ",",         "}",          "\"model_type\": \"jamba\","};
  const auto entries = Catalog::embedded().entries(EntryKind::model);
  int answered = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string text(entries[pick(entries.size())]->text);
    text = text.substr(text.find("\"config\":") + 9);
    text = text.substr(0, text.find("\n  }") + 4);
    for (std::size_t change = 0; change <= pick(3); ++change) {
      const std::size_t colon = text.find(':', pick(text.size()));
      if (colon == std::string::npos) continue;
      const std::size_t end = text.find_first_of(",}\n", colon);
      text.replace(colon + 1, end - colon - 1, kPieces[pick(std::size(kPieces))]);
    }
    const auto model = import_config(text, "test");
    if (!model) continue;
    ++answered;
    const physics::ParameterCount count = physics::count_parameters(*model);
    EXPECT_GE(count.total, count.active);
    EXPECT_GE(count.active, 0);
    const auto cache = physics::kv_cache(*model, Precision::bf16, physics::MlaForm::expanded);
    if (cache) {
      EXPECT_GE(cache->bytes_per_token, 0);
    }
  }
  EXPECT_GT(answered, 200);
}

}  // namespace
}  // namespace ridgeline::catalog
