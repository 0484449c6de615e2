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
    Architecture{"phi3", "Phi3ForCausalLM", "phi3"},
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
    const auto it = metadata.find(fmt::format("{}.{}", name, key.gguf));
    if (it != metadata.end()) config[key.config] = *it;
  }
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
