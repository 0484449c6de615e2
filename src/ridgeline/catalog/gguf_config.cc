// The config.json that a GGUF file's metadata stand for.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "ridgeline/catalog/tensor_file.h"

namespace ridgeline::catalog {
namespace {

using Json = nlohmann::ordered_json;

struct Architecture {
  const char* gguf;
  const char* name;   // `architectures` of the config
  const char* model;  // its `model_type`
};
constexpr std::array kArchitectures = {
    Architecture{"llama", "LlamaForCausalLM", "llama"},
    Architecture{"qwen2", "Qwen2ForCausalLM", "qwen2"},
    Architecture{"qwen2moe", "Qwen2MoeForCausalLM", "qwen2_moe"},
    Architecture{"qwen3", "Qwen3ForCausalLM", "qwen3"},
    Architecture{"qwen3moe", "Qwen3MoeForCausalLM", "qwen3_moe"},
    Architecture{"gemma", "GemmaForCausalLM", "gemma"},
    Architecture{"gemma2", "Gemma2ForCausalLM", "gemma2"},
    Architecture{"gemma3", "Gemma3ForCausalLM", "gemma3_text"},
    Architecture{"phi3", "Phi3ForCausalLM", "phi3"},
    Architecture{"deepseek2", "DeepseekV2ForCausalLM", "deepseek_v2"},
    Architecture{"gpt-oss", "GptOssForCausalLM", "gpt_oss"},
    Architecture{"starcoder2", "Starcoder2ForCausalLM", "starcoder2"},
    Architecture{"olmo2", "Olmo2ForCausalLM", "olmo2"},
    Architecture{"command-r", "CohereForCausalLM", "cohere"},
    Architecture{"glm4", "Glm4ForCausalLM", "glm4"},
    Architecture{"glm4moe", "Glm4MoeForCausalLM", "glm4_moe"},
    Architecture{"granite", "GraniteForCausalLM", "granite"},
    Architecture{"stablelm", "StableLmForCausalLM", "stablelm"},
    Architecture{"internlm2", "InternLM2ForCausalLM", "internlm2"},
    Architecture{"seed_oss", "SeedOssForCausalLM", "seed_oss"},
    Architecture{"smollm3", "SmolLM3ForCausalLM", "smollm3"},
    Architecture{"exaone4", "Exaone4ForCausalLM", "exaone4"},
    Architecture{"arcee", "ArceeForCausalLM", "arcee"},
};

struct Key {
  const char* gguf;  // after "ARCHITECTURE."
  const char* config;
};
constexpr std::array kKeys = {
    Key{"embedding_length", "hidden_size"},
    Key{"block_count", "num_hidden_layers"},
    Key{"attention.head_count", "num_attention_heads"},
    Key{"attention.head_count_kv", "num_key_value_heads"},
    Key{"attention.key_length", "head_dim"},
    Key{"attention.sliding_window", "sliding_window"},
    Key{"feed_forward_length", "intermediate_size"},
    Key{"context_length", "max_position_embeddings"},
    Key{"vocab_size", "vocab_size"},
    Key{"expert_used_count", "num_experts_per_tok"},
    Key{"expert_feed_forward_length", "moe_intermediate_size"},
    Key{"expert_shared_feed_forward_length", "shared_expert_intermediate_size"},
    Key{"expert_shared_count", "n_shared_experts"},
    Key{"leading_dense_block_count", "first_k_dense_replace"},
    Key{"nextn_predict_layers", "num_nextn_predict_layers"},
    Key{"attention.q_lora_rank", "q_lora_rank"},
    Key{"attention.kv_lora_rank", "kv_lora_rank"},
};

const Tensor* find(const TensorFile& file, std::string_view name) {
  const auto it = std::find_if(file.tensors.begin(), file.tensors.end(),
                               [&](const Tensor& t) { return t.name == name; });
  return it == file.tensors.end() ? nullptr : &*it;
}

// The vocabulary is the longer side of the table where the metadata do not say it.
void put_vocabulary(const TensorFile& file, Json& config) {
  const Tensor* table = find(file, "token_embd.weight");
  if (!config.contains("vocab_size") && table != nullptr && table->shape.size() == 2) {
    config["vocab_size"] = std::max(table->shape[0], table->shape[1]);
  }
  config["tie_word_embeddings"] = find(file, "output.weight") == nullptr;
}

bool holds(const TensorFile& file, std::string_view part) {
  return std::any_of(file.tensors.begin(), file.tensors.end(),
                     [&](const Tensor& t) { return t.name.find(part) != std::string::npos; });
}

Error misfit(const std::string& key, const char* what) {
  return {ErrorCode::unsupported, key, fmt::format("{} {}", key, what),
          "give the model's config.json"};
}

// The first of the keys that is there as a whole number; 0: none.
std::int64_t whole(const Json& metadata, std::initializer_list<std::string> keys) {
  for (const std::string& key : keys) {
    const auto it = metadata.find(key);
    if (it == metadata.end() || !it->is_number_integer()) continue;
    if (it->is_number_unsigned() && it->get<std::uint64_t>() > INT64_MAX) return -1;
    return it->get<std::int64_t>();
  }
  return 0;
}

// MLA: key_length is that of the latent cache in newer files, of a head in older ones.
Status put_latent_widths(const Json& metadata, const std::string& prefix, Json& config) {
  if (!config.contains("kv_lora_rank")) return Ok{};
  const std::int64_t rope = whole(metadata, {prefix + "rope.dimension_count"});
  const std::int64_t key =
      whole(metadata, {prefix + "attention.key_length_mla", prefix + "attention.key_length"});
  const std::int64_t value =
      whole(metadata, {prefix + "attention.value_length_mla", prefix + "attention.value_length"});
  if (rope <= 0 || key <= rope || value <= 0) {
    return misfit(prefix + "attention.key_length", "does not give the widths of MLA heads");
  }
  config["qk_rope_head_dim"] = rope;
  config["qk_nope_head_dim"] = key - rope;
  config["v_head_dim"] = value;
  config.erase("head_dim");
  return Ok{};
}

// Prediction modules are counted among the blocks.
Status take_off_predictions(const std::string& prefix, Json& config) {
  if (!config.contains("num_nextn_predict_layers")) return Ok{};
  const std::int64_t modules = whole(config, {"num_nextn_predict_layers"});
  const std::int64_t blocks = whole(config, {"num_hidden_layers"});
  if (modules < 0 || modules >= blocks) {
    return misfit(prefix + "nextn_predict_layers", "is not below block_count");
  }
  config["num_hidden_layers"] = blocks - modules;
  return Ok{};
}

Status check_value_width(const Json& metadata, const std::string& prefix, const Json& config) {
  if (config.contains("kv_lora_rank")) return Ok{};
  const std::int64_t key = whole(metadata, {prefix + "attention.key_length"});
  const std::int64_t value = whole(metadata, {prefix + "attention.value_length"});
  if (key == 0 || value == 0 || key == value) return Ok{};
  return misfit(prefix + "attention.value_length", "is another than that of the keys");
}

}  // namespace

Result<std::string> config_of_gguf(const TensorFile& file) {
  const Json metadata = Json::parse(file.metadata, nullptr, false);
  const auto named = metadata.find("general.architecture");
  const std::string name =
      named != metadata.end() && named->is_string() ? named->get<std::string>() : "";
  const auto known = std::find_if(kArchitectures.begin(), kArchitectures.end(),
                                  [&](const Architecture& a) { return name == a.gguf; });
  if (known == kArchitectures.end()) {
    std::string names;
    for (const Architecture& a : kArchitectures)
      names += (names.empty() ? "" : ", ") + std::string(a.gguf);
    return Error{
        ErrorCode::unsupported, "general.architecture",
        fmt::format("the architecture \"{}\" of a GGUF file is not known", name.substr(0, 40)),
        fmt::format("{}; or give the model's config.json", names)};
  }
  Json config{{"architectures", Json::array({known->name})}, {"model_type", known->model}};
  for (const Key& key : kKeys) {
    const std::string full = fmt::format("{}.{}", name, key.gguf);
    if (metadata.contains(full + ".length")) return misfit(full, "differs from layer to layer");
    const auto it = metadata.find(full);
    if (it != metadata.end() && *it != 0) config[key.config] = *it;
  }
  for (const char* key : {"block_count", "embedding_length", "attention.head_count"}) {
    const std::string full = fmt::format("{}.{}", name, key);
    if (!metadata.contains(full)) return misfit(full, "is missing");
  }
  const std::string prefix = name + ".";
  RIDGELINE_CHECK(take_off_predictions(prefix, config));
  RIDGELINE_CHECK(check_value_width(metadata, prefix, config));
  RIDGELINE_CHECK(put_latent_widths(metadata, prefix, config));
  if (name == "deepseek2" && holds(file, "exp_probs_b")) {
    config["architectures"] = Json::array({"DeepseekV3ForCausalLM"});
    config["model_type"] = "deepseek_v3";
  }
  if (name == "llama" && holds(file, "attn_q.bias")) config["attention_bias"] = true;
  if (const auto experts = metadata.find(name + ".expert_count"); experts != metadata.end()) {
    const bool mixtral = name == "llama" && *experts != 0;
    if (mixtral) {
      config["architectures"] = Json::array({"MixtralForCausalLM"});
      config["model_type"] = "mixtral";
      config["num_local_experts"] = *experts;
    } else if (name != "llama") {
      config["num_experts"] = *experts;
    }
  }
  put_vocabulary(file, config);
  return config.dump();
}

}  // namespace ridgeline::catalog
