#include "ridgeline/catalog/tensor_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "ridgeline/catalog/catalog.h"
#include "tests/support/tensor_files.h"

namespace ridgeline::catalog {
namespace {

using testing::GgufWriter;
using testing::safetensors_of;

GgufWriter small_llama() {
  GgufWriter out;
  out.text("general.architecture", "llama");
  out.count("llama.embedding_length", 256);
  out.count("llama.block_count", 1);
  out.count("llama.attention.head_count", 4);
  out.count("llama.attention.head_count_kv", 2);
  out.count("llama.feed_forward_length", 512);
  out.tensor("token_embd.weight", {256, 1000}, 12);  // Q4_K: 144 bytes for 256
  out.tensor("blk.0.attn_q.weight", {256, 256}, 1);  // F16
  out.tensor("output_norm.weight", {256}, 0);        // F32
  return out;
}

// 1000 blocks of 144 bytes, 65 536 x 2, 256 x 4.
TEST(TensorFile, ReadsTheHeaderOfAGguf) {
  const std::string bytes = small_llama().bytes();
  const auto file = read_gguf(bytes, static_cast<std::int64_t>(bytes.size()));
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_EQ(file->tensors.size(), 3U);
  EXPECT_EQ(file->tensors[0].type, "Q4_K");
  EXPECT_EQ(file->tensors[0].bytes, 144'000);
  EXPECT_EQ(file->bytes(), 144'000 + 131'072 + 1024);
  EXPECT_EQ(file->elements(), 256'000 + 65'536 + 256);
}

TEST(TensorFile, MetadataBecomeAConfig) {
  const std::string bytes = small_llama().bytes();
  const auto config = config_of_gguf(*read_gguf(bytes, static_cast<std::int64_t>(bytes.size())));
  ASSERT_TRUE(config) << config.error().message;
  const auto model = import_config(*config, "small");
  ASSERT_TRUE(model) << model.error().where << " " << model.error().message;
  EXPECT_EQ(model->hidden, 256);
  EXPECT_EQ(model->vocab, 1000);
  EXPECT_TRUE(model->tied_embeddings);
  EXPECT_EQ(model->kinds[0].attention.kv_heads, 2);
  GgufWriter other;
  other.text("general.architecture", "squirrel");
  const std::string strange = other.bytes();
  const auto none = config_of_gguf(*read_gguf(strange, static_cast<std::int64_t>(strange.size())));
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("squirrel"), std::string::npos);
}

std::string gguf_error(const std::string& bytes, std::int64_t size) {
  const auto file = read_gguf(bytes, size);
  return file ? "" : file.error().message;
}

TEST(TensorFile, RefusesHostileGgufFiles) {
  const std::string good = small_llama().bytes();
  const auto size = static_cast<std::int64_t>(good.size());
  for (std::size_t cut = 0; cut < 400; ++cut) {
    EXPECT_NE(gguf_error(good.substr(0, cut), size), "") << cut;
  }
  EXPECT_NE(gguf_error(good, 200).find("beyond its end"), std::string::npos);
  GgufWriter twice = small_llama();
  twice.tensor("output_norm.weight", {256}, 0);
  EXPECT_NE(gguf_error(twice.bytes(), 1 << 30).find("stands twice"), std::string::npos);
  GgufWriter type;
  type.tensor("t", {32}, 99);
  EXPECT_NE(gguf_error(type.bytes(), 1 << 30).find("type 99"), std::string::npos);
  GgufWriter part;
  part.tensor("t", {33}, 2);
  EXPECT_NE(gguf_error(part.bytes(), 1 << 30).find("no whole number of Q4_0"), std::string::npos);
  GgufWriter huge;
  huge.tensor("t", {1ULL << 40, 1ULL << 40}, 0);
  EXPECT_NE(gguf_error(huge.bytes(), 1 << 30).find("no file can hold"), std::string::npos);
  std::string version = good;
  version[4] = 9;
  EXPECT_NE(gguf_error(version, size).find("version 9"), std::string::npos);
}

TEST(TensorFile, ReadsTheHeaderOfSafetensors) {
  const std::string bytes = safetensors_of(
      R"({"__metadata__":{"format":"pt"},"model.embed_tokens.weight":{"dtype":"BF16","shape":[10,4],)"
      R"("data_offsets":[0,80]},"lm_head.weight":{"dtype":"F8_E4M3","shape":[10,4],"data_offsets":[80,120]}})",
      120);
  const auto file = read_safetensors(bytes, static_cast<std::int64_t>(bytes.size()));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->bytes(), 120);
  EXPECT_EQ(file->elements(), 80);
  EXPECT_STREQ(tensor_kind(file->tensors[0].name), "embedding");
  EXPECT_STREQ(tensor_kind(file->tensors[1].name), "head");
}

TEST(TensorFile, RefusesHostileSafetensors) {
  const auto error = [](const std::string& json, std::size_t data) {
    const std::string bytes = safetensors_of(json, data);
    const auto file = read_safetensors(bytes, static_cast<std::int64_t>(bytes.size()));
    return file ? std::string() : file.error().message;
  };
  EXPECT_NE(error("[]", 0).find("an object is needed"), std::string::npos);
  EXPECT_NE(
      error(R"({"t":{"dtype":"F32","shape":[4],"data_offsets":[0,15]}})", 16).find("not as long"),
      std::string::npos);
  EXPECT_NE(error(R"({"t":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})", 8)
                .find("outside the file"),
            std::string::npos);
  EXPECT_NE(error(R"({"t":{"dtype":"Q9","shape":[4],"data_offsets":[0,16]}})", 16).find("Q9"),
            std::string::npos);
  EXPECT_NE(error(R"({"t":{"dtype":"F32","shape":[-4],"data_offsets":[0,16]}})", 16)
                .find("no list of sizes"),
            std::string::npos);
  EXPECT_NE(
      error(R"({"t":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,16]}})", 16)
          .find("no file can hold"),
      std::string::npos);
  EXPECT_NE(error(R"({"t":5})", 0).find("has no dtype"), std::string::npos);
  std::string longer = safetensors_of("{}", 0);
  longer[0] = 100;
  EXPECT_FALSE(read_safetensors(longer, static_cast<std::int64_t>(longer.size())));
  EXPECT_FALSE(read_safetensors("abc", 3));
}

// GGUF: one number again and again is that number; other lists have none.
TEST(TensorFile, RefusesKeysThatDifferFromLayerToLayer) {
  const auto error = [](const std::vector<std::uint32_t>& heads) {
    GgufWriter out = small_llama();
    out.counts("llama.attention.head_count_kv_per_layer", heads);
    out.counts("llama.expert_used_count", heads);
    const std::string bytes = out.bytes();
    const auto config = config_of_gguf(*read_gguf(bytes, static_cast<std::int64_t>(bytes.size())));
    return config ? std::string() : config.error().message;
  };
  EXPECT_EQ(error({2, 2, 2}), "");
  EXPECT_EQ(error({2, 1, 2}), "llama.expert_used_count differs from layer to layer");
}

// Key heads of 12 with 4 rotary: 8 without; the router's bias makes it the V3 class; of three
// blocks one predicts.
TEST(TensorFile, ReadsTheWidthsOfMla) {
  GgufWriter out;
  out.text("general.architecture", "deepseek2");
  for (const auto& [key, value] :
       std::vector<std::pair<std::string, std::uint32_t>>{{"embedding_length", 64},
                                                          {"block_count", 3},
                                                          {"nextn_predict_layers", 1},
                                                          {"attention.head_count", 4},
                                                          {"feed_forward_length", 128},
                                                          {"attention.kv_lora_rank", 16},
                                                          {"attention.key_length", 20},
                                                          {"attention.key_length_mla", 12},
                                                          {"attention.value_length", 16},
                                                          {"attention.value_length_mla", 8},
                                                          {"rope.dimension_count", 4},
                                                          {"expert_count", 8},
                                                          {"expert_used_count", 2},
                                                          {"expert_feed_forward_length", 32},
                                                          {"leading_dense_block_count", 1}}) {
    out.count("deepseek2." + key, value);
  }
  out.tensor("token_embd.weight", {64, 100}, 0);
  out.tensor("blk.1.exp_probs_b.bias", {8}, 0);
  const std::string bytes = out.bytes();
  const auto config = config_of_gguf(*read_gguf(bytes, static_cast<std::int64_t>(bytes.size())));
  ASSERT_TRUE(config) << config.error().message;
  const auto model = import_config(*config, "mla");
  ASSERT_TRUE(model) << model.error().where << " " << model.error().message;
  EXPECT_EQ(model->architecture, "DeepseekV3ForCausalLM");
  EXPECT_EQ(model->layer_count(), 2);
  EXPECT_EQ(model->mtp_layers, 1);
  const Attention& a = model->kinds[0].attention;
  EXPECT_EQ(a.qk_nope_head_dim, 8);
  EXPECT_EQ(a.qk_rope_head_dim, 4);
  EXPECT_EQ(a.v_head_dim, 8);
}

// GPTQ packs eight 4-bit weights into an integer; scales are no weights.
TEST(TensorFile, ScalesAreNoWeightsAndPackedIntegersAreNotCounted) {
  const std::string bytes =
      safetensors_of(R"({"a.qweight":{"dtype":"I32","shape":[2],"data_offsets":[0,8]},)"
                     R"("a.scales":{"dtype":"F16","shape":[4],"data_offsets":[8,16]}})",
                     16);
  const auto file = read_safetensors(bytes, static_cast<std::int64_t>(bytes.size()));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_TRUE(file->packed());
  EXPECT_EQ(file->params(), 2);
  EXPECT_EQ(file->bytes(), 16);
}

TEST(TensorFile, RefusesTwinsAndOverlaps) {
  const auto error = [](const std::string& json) {
    const std::string bytes = safetensors_of(json, 12);
    const auto file = read_safetensors(bytes, static_cast<std::int64_t>(bytes.size()));
    return file ? std::string() : file.error().message;
  };
  const std::string one = R"("a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]})";
  EXPECT_NE(error("{" + one + "," + one + "}").find("stands twice"), std::string::npos);
  EXPECT_NE(error("{" + one + R"(,"b":{"dtype":"U8","shape":[8],"data_offsets":[4,12]}})")
                .find("share bytes"),
            std::string::npos);
}

TEST(TensorFile, AnIndexNamesFilesBesideIt) {
  const auto files = shards_of_index(R"({"weight_map":{"x":"2.safetensors","y":"1.safetensors",)"
                                     R"("z":"2.safetensors"}})");
  ASSERT_TRUE(files) << files.error().message;
  EXPECT_EQ(*files, (std::vector<std::string>{"1.safetensors", "2.safetensors"}));
  EXPECT_FALSE(shards_of_index(R"({"weight_map":{"x":"../../etc/passwd"}})"));
  EXPECT_FALSE(shards_of_index("{}"));
}

TEST(TensorFile, NamesTellWhatATensorIsFor) {
  EXPECT_STREQ(tensor_kind("model.layers.3.mlp.experts.7.down_proj.weight"), "experts");
  EXPECT_STREQ(tensor_kind("blk.3.ffn_gate_exps.weight"), "experts");
  EXPECT_STREQ(tensor_kind("model.layers.3.mlp.gate.weight"), "router");
  EXPECT_STREQ(tensor_kind("model.layers.3.mlp.gate_proj.weight"), "ffn");
  EXPECT_STREQ(tensor_kind("model.layers.3.self_attn.q_proj.weight"), "attention");
  EXPECT_STREQ(tensor_kind("model.layers.3.input_layernorm.weight"), "norm");
  EXPECT_STREQ(tensor_kind("output.weight"), "head");
  EXPECT_STREQ(tensor_kind("rope_freqs.weight"), "other");
}

}  // namespace
}  // namespace ridgeline::catalog
