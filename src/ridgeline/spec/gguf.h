// GGUF: the block formats of ggml and the file types that mix them [llama-cpp].
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace ridgeline {

enum class GgufType : std::uint8_t {
  f32,
  f16,
  q4_0,
  q4_1,
  q5_0,
  q5_1,
  q8_0,
  q2_k,
  q3_k,
  q4_k,
  q5_k,
  q6_k,
  iq1_s,
  iq1_m,
  iq2_xxs,
  iq2_xs,
  iq2_s,
  iq3_xxs,
  iq3_s,
  iq4_nl,
  iq4_xs,
  mxfp4
};
inline constexpr std::size_t kGgufTypeCount = 22;

struct GgufBlock {
  std::int64_t elements;
  std::int64_t bytes;  // scales, minima and offsets included
};

// The size of one block, as ggml-common.h lays it out [llama-cpp].
constexpr GgufBlock block_of(GgufType type) {
  constexpr std::array<GgufBlock, kGgufTypeCount> kBlocks = {
      {{1, 4},     {1, 2},     {32, 18},   {32, 20},   {32, 22},   {32, 24},  {32, 34},  {256, 84},
       {256, 110}, {256, 144}, {256, 176}, {256, 210}, {256, 50},  {256, 56}, {256, 66}, {256, 74},
       {256, 82},  {256, 98},  {256, 110}, {32, 18},   {256, 136}, {32, 17}}};
  return kBlocks[static_cast<std::size_t>(type)];
}

constexpr double bits_of(GgufType type) {
  const GgufBlock block = block_of(type);
  return 8.0 * static_cast<double>(block.bytes) / static_cast<double>(block.elements);
}

enum class GgufFile : std::uint8_t {
  f32,
  f16,
  bf16,
  q4_0,
  q4_1,
  q5_0,
  q5_1,
  q8_0,
  q2_k,
  q2_k_s,
  q3_k_s,
  q3_k_m,
  q3_k_l,
  q4_k_s,
  q4_k_m,
  q5_k_s,
  q5_k_m,
  q6_k,
  iq1_s,
  iq1_m,
  iq2_xxs,
  iq2_xs,
  iq2_s,
  iq2_m,
  iq3_xxs,
  iq3_xs,
  iq3_s,
  iq3_m,
  iq4_nl,
  iq4_xs,
  mxfp4_moe
};
inline constexpr std::size_t kGgufFileCount = 31;

inline std::span<const char* const> names_of(GgufFile) {
  static constexpr std::array<const char*, kGgufFileCount> kNames = {
      "F32",     "F16",    "BF16",   "Q4_0",   "Q4_1",    "Q5_0",   "Q5_1",     "Q8_0",
      "Q2_K",    "Q2_K_S", "Q3_K_S", "Q3_K_M", "Q3_K_L",  "Q4_K_S", "Q4_K_M",   "Q5_K_S",
      "Q5_K_M",  "Q6_K",   "IQ1_S",  "IQ1_M",  "IQ2_XXS", "IQ2_XS", "IQ2_S",    "IQ2_M",
      "IQ3_XXS", "IQ3_XS", "IQ3_S",  "IQ3_M",  "IQ4_NL",  "IQ4_XS", "MXFP4_MOE"};
  return kNames;
}

// The type of matrices that the file type has no rule for [llama-cpp].
constexpr GgufType base_type(GgufFile file) {
  using T = GgufType;
  constexpr std::array<GgufType, kGgufFileCount> kTypes = {
      T::f32,     T::f16,   T::f16,   T::q4_0,  T::q4_1,    T::q5_0,   T::q5_1,   T::q8_0,
      T::q2_k,    T::q2_k,  T::q3_k,  T::q3_k,  T::q3_k,    T::q4_k,   T::q4_k,   T::q5_k,
      T::q5_k,    T::q6_k,  T::iq1_s, T::iq1_m, T::iq2_xxs, T::iq2_xs, T::iq2_xs, T::iq2_s,
      T::iq3_xxs, T::iq3_s, T::iq3_s, T::iq3_s, T::iq4_nl,  T::iq4_xs, T::mxfp4};
  return kTypes[static_cast<std::size_t>(file)];
}

}  // namespace ridgeline
