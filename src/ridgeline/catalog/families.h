// The model families that are understood: what their classes add to a config that it does not say.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ridgeline/catalog/config_reader.h"
#include "ridgeline/spec/model.h"

namespace ridgeline::catalog {

enum class Norm : std::uint8_t { none, scale, scale_and_shift };  // parameters: 0, d, 2d
enum class Bias : std::uint8_t { none, qkv, all };                // of the attention projections
enum class QueryKeyNorm : std::uint8_t {
  none,
  per_head,        // one scale of a head's width for q, one for k
  per_head_shift,  // and a shift each
  per_layer,       // a scale for all heads of q together, one for k
};
// Which layers see a window where the config has no `layer_types`.
enum class Windows : std::uint8_t {
  never,
  every,    // every layer, when `sliding_window` is set
  opt_in,   // layers from `max_window_layers` on, when `use_sliding_window` is true
  even,     // layers 0, 2, 4, ...
  pattern,  // all but each `pattern`th layer
  chunks,   // in chunks, all but each `pattern`th layer
};

struct ClassSizes {  // sizes of the class, for files that leave them out; 0: must be in the file
  std::int64_t hidden = 0, intermediate = 0, heads = 0, kv_heads = 0, head_dim = 0, vocab = 0;
  std::int64_t window = 0, max_context = 0;
};

struct Traits {
  Norm norm = Norm::scale;
  std::int64_t norms = 2;  // per layer
  Norm final_norm = Norm::scale;
  std::int64_t matrices = 3;  // of a feed-forward part
  bool tied = false;          // embeddings, unless the file says
  Bias bias = Bias::none;     // unless the file has `bias_key`
  Bias bias_if_true = Bias::all;
  const char* bias_key = "attention_bias";
  bool mlp_bias = false;
  const char* mlp_bias_key = "mlp_bias";
  QueryKeyNorm qk_norm = QueryKeyNorm::none;
  const char* qk_norm_key = nullptr;  // a flag that switches it; its class default is false
  Windows windows = Windows::never;
  std::int64_t pattern = 0;
  bool head_bias = false;
  bool sinks = false;        // one learned sink per query head
  bool router_bias = false;  // a bias per expert, for the output or the correction of the scores
  bool expert_bias = false;
  bool shared_gate = false;  // a gate of width d on the shared expert
  ClassSizes sizes{};
};

struct Family;

// A config being turned into a model.
struct Draft {
  ConfigReader in;     // the language model's own object
  ConfigReader whole;  // the file; the same when nothing is nested
  const Family& family;
  bool from_file = false;  // states `architectures`: class sizes may stand in
  Model model;

  void add(const LayerKind& kind);  // one more layer
};

struct Family {
  std::string_view model_type;
  std::string_view architecture;
  void (*import)(Draft&);
  const Traits* traits;
};

std::span<const Family> families();

// Importers of families that differ by more than traits.
void import_decoder(Draft& draft);
void import_gpt2(Draft& draft);
void import_gpt_neo(Draft& draft);
void import_bloom(Draft& draft);
void import_falcon(Draft& draft);
void import_mpt(Draft& draft);
void import_opt(Draft& draft);
void import_dbrx(Draft& draft);
void import_chatglm(Draft& draft);
void import_llama4(Draft& draft);
void import_gemma4(Draft& draft);
void import_deci(Draft& draft);
void import_deepseek_v4(Draft& draft);
void import_qwen3_next(Draft& draft);
void import_jamba(Draft& draft);
void import_nemotron_h(Draft& draft);
void import_mamba(Draft& draft);
void import_mamba2(Draft& draft);
void import_minimax_text(Draft& draft);

}  // namespace ridgeline::catalog
