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
  EXPECT_NE(error("[]", 0).find("no JSON object"), std::string::npos);
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
