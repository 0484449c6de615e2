// Pieces that the importers of model families share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ridgeline/catalog/families.h"

namespace ridgeline::catalog {

struct Sizes {  // 0: the config does not say
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t intermediate = 0;
};

// Reads the sizes under all their names and checks that heads divide. Fills in the model's hidden,
// vocab, embedding_width, tied_embeddings and declared_layers.
Sizes read_sizes(Draft& draft);

// Remembers that the total cannot be given because `key` is missing; the first one stays.
void lack(Model& model, const char* key);

// One text per layer under `key`; empty when absent. Another length is an error.
std::vector<std::string> per_layer(Draft& draft, const char* key, std::int64_t layers);

// The number of layers alone; required.
std::int64_t read_layers(Draft& draft);

// Do the key and value heads divide the heads, and are all heads together of a width that is
// accepted?
void check_heads(Draft& draft, const Sizes& sizes, const char* kv_key, const char* width_key);

std::int64_t norm_params(Norm norm, std::int64_t width);

// Biases that the config or the class gives the attention projections.
Bias attention_bias(Draft& draft);

// Softmax attention over everything, with biases, query/key norms and sinks counted.
Attention softmax_attention(Draft& draft, const Sizes& sizes);

// MLA from kv_lora_rank and its companions.
Attention latent_attention(Draft& draft, const Sizes& sizes);

// A dense feed-forward part, biases counted.
Ffn dense_ffn(Draft& draft, const Sizes& sizes);

// Routed experts as the config describes them (experts = 0: none), shared ones and router included.
Ffn routed_ffn(Draft& draft, const Sizes& sizes);

// Which layers route, of a config that has experts.
std::vector<bool> routed_layers(Draft& draft, std::int64_t layers);

// What a layer's queries see.
struct Reach {
  std::int64_t window = 0;
  std::int64_t chunk = 0;
  bool recurrent = false;  // `layer_types` calls it linear attention
};
std::vector<Reach> reaches(Draft& draft, std::int64_t layers);
void apply(const Reach& reach, Attention& attention);

// Final norm, context limit, number formats; why no total can be given, where sizes are missing.
void finish(Draft& draft);

}  // namespace ridgeline::catalog
