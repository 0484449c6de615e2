#include "ridgeline/physics/gguf.h"

#include <algorithm>
#include <array>

namespace ridgeline::physics {
namespace {

using T = GgufType;
using F = GgufFile;

constexpr std::int64_t kLayersOf70B = 80;  // llama-quantize knows this model by its depth

bool one_of(GgufFile file, std::initializer_list<GgufFile> files) {
  return std::find(files.begin(), files.end(), file) != files.end();
}

bool is_1_or_2_bit(GgufFile f) {
  return one_of(f, {F::iq1_s, F::iq1_m, F::iq2_xxs, F::iq2_xs, F::iq2_s, F::iq2_m});
}

// What the rules ask about the model.
struct Facts {
  GgufFile file;
  std::int64_t layers;
  std::int64_t query_groups;  // query heads per key and value head
  std::int64_t experts;
  bool is_70b;

  bool grouped() const { return query_groups >= 4; }
  bool eight_experts() const { return experts == 8; }
};

Facts facts_of(const Model& model, GgufFile file) {
  Facts f{file, model.layer_count(), 1, 0, false};
  for (const LayerKind& kind : model.kinds) {
    const Attention& a = kind.attention;
    if (a.kv_heads > 0) f.query_groups = std::max(f.query_groups, a.heads / a.kv_heads);
    f.experts = std::max(f.experts, kind.ffn.experts);
  }
  f.is_70b = f.layers == kLayersOf70B && f.query_groups == 8;
  return f;
}

// Layers at both ends and every third one between.
bool gets_more_bits(std::int64_t layer, std::int64_t layers) {
  const std::int64_t eighth = layers / 8;
  return layer < eighth || layer >= 7 * layers / 8 || (layer - eighth) % 3 == 2;
}

GgufType value_of_low_bits(const Facts& f) {
  if (f.grouped() || f.experts >= 4) return T::q4_k;
  return one_of(f.file, {F::iq2_s, F::iq2_m}) ? T::iq3_s : T::q2_k;
}

GgufType value_by_file(const Facts& f, GgufType base, std::int64_t layer) {
  switch (f.file) {
    case F::q2_k: return f.grouped() ? T::q4_k : T::q3_k;
    case F::q2_k_s: return f.grouped() ? T::q4_k : base;
    case F::iq3_xxs:
    case F::iq3_xs:
    case F::iq3_s: return f.grouped() ? T::q4_k : base;
    case F::iq3_m: return T::q4_k;
    case F::q3_k_m: return layer < 2 ? T::q5_k : T::q4_k;
    case F::q3_k_l: return T::q5_k;
    case F::iq4_nl:
    case F::iq4_xs: return f.grouped() ? T::q5_k : base;
    case F::q4_k_m:
    case F::q5_k_m: return gets_more_bits(layer, f.layers) ? T::q6_k : base;
    case F::q4_k_s: return layer < 4 ? T::q5_k : base;
    default: return base;
  }
}

GgufType value_type(const Facts& f, GgufType base, std::int64_t layer) {
  if (is_1_or_2_bit(f.file)) return value_of_low_bits(f);
  GgufType type = value_by_file(f, base, layer);
  if (f.is_70b && (type == T::q3_k || type == T::q4_k)) type = T::q5_k;
  return f.eight_experts() ? T::q8_0 : type;
}

GgufType key_type(const Facts& f, GgufType base) {
  if (is_1_or_2_bit(f.file)) return f.eight_experts() ? T::q4_k : base;
  if (f.eight_experts()) return T::q8_0;
  if (f.file == F::iq3_xs) return T::iq3_xxs;
  return f.file == F::iq3_xxs ? T::iq2_s : base;
}

GgufType query_type(const Facts& f, GgufType base) {
  if (f.file == F::iq3_xs) return T::iq3_xxs;
  return f.file == F::iq3_xxs ? T::iq2_s : base;
}

GgufType output_of_eight_experts(const Facts& f, GgufType base) {
  const bool raised =
      is_1_or_2_bit(f.file) ||
      one_of(f.file, {F::q2_k, F::iq3_xs, F::iq3_xxs, F::q3_k_s, F::q3_k_m, F::iq4_nl, F::q4_k_s,
                      F::q4_k_m, F::iq3_s, F::iq3_m, F::iq4_xs});
  return raised ? T::q5_k : base;
}

GgufType output_type(const Facts& f, GgufType base) {
  if (f.eight_experts()) return output_of_eight_experts(f, base);
  switch (f.file) {
    case F::iq1_s:
    case F::iq1_m: return T::iq2_xxs;
    case F::iq2_s:
    case F::iq2_m:
    case F::iq3_xxs: return T::iq3_s;
    case F::q2_k: return T::q3_k;
    case F::q3_k_m:
    case F::iq3_m: return T::q4_k;
    case F::q3_k_l: return T::q5_k;
    default: return base;
  }
}

GgufType down_of_low_bits(const Facts& f, GgufType base, std::int64_t layer) {
  if (layer >= f.layers / 8) return base;
  return one_of(f.file, {F::iq2_s, F::iq2_m}) ? T::iq3_s : T::q2_k;
}

GgufType down_type(const Facts& f, GgufType base, std::int64_t layer) {
  const bool early = layer < f.layers / 8, more = gets_more_bits(layer, f.layers);
  if (is_1_or_2_bit(f.file)) return down_of_low_bits(f, base, layer);
  switch (f.file) {
    case F::q2_k: return T::q3_k;
    case F::q2_k_s: return early ? T::q4_k : base;
    case F::q3_k_m: return layer < f.layers / 16 ? T::q5_k : T::q4_k;
    case F::iq3_m: return early || (f.eight_experts() && more) ? T::q4_k : base;
    case F::q3_k_l: return T::q5_k;
    case F::q4_k_m:
    case F::q5_k_m: return more ? T::q6_k : base;
    case F::q4_k_s: return early ? T::q5_k : base;
    default: return base;
  }
}

GgufType up_type(const Facts& f, GgufType base, std::int64_t layer) {
  const bool middle = layer >= f.layers / 8 && layer < 7 * f.layers / 8;
  return f.file == F::iq3_xs && middle ? T::iq3_xxs : base;
}

GgufType part_type(const Facts& f, WeightPart part, std::int64_t layer) {
  const GgufType base = base_type(f.file);
  const bool routed = part == WeightPart::expert_up || part == WeightPart::expert_down;
  if (f.file == F::mxfp4_moe) return routed ? T::mxfp4 : T::q8_0;
  switch (part) {
    case WeightPart::query: return query_type(f, base);
    case WeightPart::key: return key_type(f, base);
    case WeightPart::value: return value_type(f, base, layer);
    case WeightPart::output: return output_type(f, base);
    case WeightPart::dense_down:
    case WeightPart::shared_down:
    case WeightPart::expert_down: return down_type(f, base, layer);
    case WeightPart::dense_up:
    case WeightPart::shared_up:
    case WeightPart::expert_up: return up_type(f, base, layer);
    default: return base;
  }
}

// The type of a tensor whose rows do not divide into blocks.
GgufType fallback(GgufType type) {
  switch (type) {
    case T::q2_k:
    case T::q3_k: return T::q4_0;
    case T::q4_k: return T::q5_0;
    case T::q5_k: return T::q5_1;
    case T::q6_k: return T::q8_0;
    default: return T::iq4_nl;
  }
}

double bits_for_rows(GgufType type, std::int64_t row) {
  if (row % block_of(type).elements == 0) return bits_of(type);
  if (block_of(type).elements == 32) return bits_of(T::f16);
  const GgufType other = fallback(type);
  return bits_of(row % block_of(other).elements == 0 ? other : T::f16);
}

// Elements of one row: the width that the matrix multiplies.
std::int64_t row_of(const LayerKind& kind, std::int64_t hidden, WeightPart part) {
  const Attention& a = kind.attention;
  switch (part) {
    case WeightPart::output:
      return a.kind == AttentionKind::mla ? a.heads * a.v_head_dim : a.heads * a.value_head_dim;
    case WeightPart::latent_up: return a.q_lora_rank > 0 ? a.q_lora_rank : a.kv_lora_rank;
    case WeightPart::dense_down: return kind.ffn.width;
    case WeightPart::shared_down: return kind.ffn.shared_width;
    case WeightPart::expert_down: return kind.ffn.expert_width;
    default: return hidden;
  }
}

GgufType head_type(const Facts& f) {
  const GgufType base = base_type(f.file);
  if (f.file == F::mxfp4_moe) return T::q8_0;
  if (one_of(f.file, {F::iq2_xxs, F::iq2_xs, F::iq3_xxs, F::iq1_s, F::iq2_s, F::iq2_m, F::iq1_m})) {
    return T::q5_k;
  }
  return base == T::q8_0 ? base : T::q6_k;
}

GgufType embedding_type(const Facts& f) {
  if (f.file == F::mxfp4_moe) return T::q8_0;
  if (one_of(f.file, {F::iq2_xxs, F::iq2_xs, F::iq1_s, F::iq1_m})) return T::q2_k;
  if (one_of(f.file, {F::iq2_s, F::iq2_m, F::iq3_xxs})) return T::iq3_s;
  return base_type(f.file);
}

bool is_plain(GgufFile file) {
  return one_of(file, {F::f32, F::f16, F::bf16});
}

}  // namespace

WeightBits gguf_bits(const Model& model, GgufFile file) {
  const Facts f = facts_of(model, file);
  const double vectors = bits_of(T::f32), plain = bits_of(base_type(file));
  WeightBits out{{}, plain, plain, vectors};
  if (!is_plain(file)) {
    out.head = bits_for_rows(head_type(f), model.hidden);
    out.embedding =
        model.tied_embeddings ? out.head : bits_for_rows(embedding_type(f), model.hidden);
  }
  out.layers.resize(model.layers.size());
  for (std::size_t i = 0; i < out.layers.size(); ++i) {
    const LayerKind& kind = model.kinds[model.layers[i]];
    out.layers[i].fill(vectors);
    for (std::size_t p = 0; p < kMatrixParts; ++p) {
      const auto part = static_cast<WeightPart>(p);
      const GgufType type = part_type(f, part, static_cast<std::int64_t>(i));
      out.layers[i][p] =
          is_plain(file) ? plain : bits_for_rows(type, row_of(kind, model.hidden, part));
    }
  }
  return out;
}

}  // namespace ridgeline::physics
