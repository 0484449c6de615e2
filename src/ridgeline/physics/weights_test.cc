#include "ridgeline/physics/weights.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numeric>

#include "ridgeline/physics/parameters.h"
#include "tests/support/published_models.h"

namespace ridgeline::physics {
namespace {

using namespace ridgeline::testing;

double model_bytes(const Model& model, const WeightRequest& request = {}) {
  return model_weights(model, weight_bits(model, request)).bytes;
}

StageWeights one_stage(const Model& model, const WeightSplit& split) {
  return stage_weights(model, weight_bits(model, {}), split, {0, model.layer_count(), true, true});
}

TEST(Weights, PartsAddUpToTheParametersOfEveryModel) {
  for (const Model& model : published_models()) {
    for (const LayerKind& kind : model.kinds) {
      const PerPart<std::int64_t> parts = layer_parts(kind, model.hidden);
      EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), std::int64_t{0}),
                layer_params(kind, model.hidden));
    }
    const StageWeights all = one_stage(model, {});
    EXPECT_EQ(std::llround(all.params), count_parameters(model).total);
  }
}

// Published sizes in bytes; gpt-oss 120B: 36 x 128 x 3 x 2880^2 expert weights at 4.25 bits are
// 60 914 073 600 B, the other 2 167 371 072 parameters at 2 B.
TEST(Weights, MatchPublishedCheckpoints) {
  EXPECT_EQ(model_bytes(gpt_oss_120b()), 65248815744.0);
  EXPECT_NEAR(model_bytes(gpt_oss_20b()), 13761264768.0, 0.002 * 13761264768.0);
  EXPECT_EQ(model_bytes(llama_3_8b()), 16060522496.0);
  EXPECT_NEAR(model_bytes(deepseek_v3_fp8()), 671026419200.0, 0.01 * 671026419200.0);
}

// LLaMA-7B in 4 bits, groups of 128 with a 16-bit scale and a 4-bit zero: 4 + 20/128 bits on
// 32 (4 x 4096^2 + 3 x 4096 x 11008) weights, 2 B on 262 410 240 others.
TEST(Weights, CountScalesAndZerosOfGroups) {
  const WeightRequest request{.precision = Precision::int4,
                              .group_size = 128,
                              .scale_bits = 16,
                              .zero_bits = 4,
                              .unquantized = Precision::fp16};
  const double matrices = 32.0 * (4 * 4096.0 * 4096 + 3 * 4096.0 * 11008);
  const double others = 2 * 32000.0 * 4096 + 65 * 4096.0;
  EXPECT_DOUBLE_EQ(model_bytes(llama_1_7b(), request), matrices * 4.15625 / 8 + others * 2);
  EXPECT_DOUBLE_EQ(
      matrix_bits(
          Model{},
          {.precision = Precision::int4, .group_size = 64, .scale_bits = 16, .zero_bits = 16}),
      4.5);
  EXPECT_DOUBLE_EQ(matrix_bits(Model{}, {.precision = Precision::nvfp4}), 4.5);
  EXPECT_DOUBLE_EQ(matrix_bits(Model{}, {.precision = Precision::mxfp4}), 4.25);
  EXPECT_DOUBLE_EQ(matrix_bits(deepseek_v3_fp8(), {}), 8 + 32.0 / 16384);
}

TEST(Weights, EmbeddingAndHeadStayWide) {
  // 70 553 706 496 parameters, of them 2 x 128256 x 8192 in tables and 161 x 8192 in norms.
  const double wide = 2 * 128256.0 * 8192 + 161 * 8192.0;
  EXPECT_DOUBLE_EQ(model_bytes(llama_3_70b(), {.precision = Precision::int8}),
                   70553706496.0 + wide);
  EXPECT_DOUBLE_EQ(
      model_bytes(llama_3_70b(), {.precision = Precision::int8, .unquantized = Precision::fp32}),
      70553706496.0 + 3 * wide);
  EXPECT_NEAR(model_bytes(llama_3_70b(), {.bits_per_weight = 4.83}), 70553706496.0 * 4.83 / 8, 1);
}

TEST(Weights, WhatACheckpointNamesIsLeftOut) {
  Model model = llama_3_8b();
  model.quantization = Quantization{"fp8", Precision::fp8, {}, 0, 0, 0};
  const double all = model_bytes(model);
  model.quantization->not_converted = {"model.layers.0.mlp", "re:.*self_attn.o_proj"};
  const double mlp = 3 * 4096.0 * 14336, output = 32 * 4096.0 * 4096;
  EXPECT_DOUBLE_EQ(model_bytes(model), all + mlp + output);
  model.quantization->not_converted = {"mlp.gate", "lm_head"};
  EXPECT_DOUBLE_EQ(model_bytes(model), all);
}

TEST(Weights, NormsRoutersAndDownProjectionsAreOnEveryRank) {
  EXPECT_EQ(one_stage(llama_2_70b(), {2, 1, 2}).norm_params, 80 * 2 * 8192 + 8192);
  const Model v3 = deepseek_v3_fp8();
  const PerPart<double> held = held_parts(v3.kinds[1], v3.hidden, {8, 1, 8});
  EXPECT_EQ(held[static_cast<std::size_t>(WeightPart::latent_down)], 7168.0 * (1536 + 576));
  EXPECT_EQ(held[static_cast<std::size_t>(WeightPart::router)], 7168.0 * 256 + 256);
  EXPECT_EQ(held[static_cast<std::size_t>(WeightPart::expert_down)], 7168.0 * 2048 * 256 / 8);
}

TEST(Weights, KeyAndValueHeadsAreCopiedNotCut) {
  const Model model = llama_3_70b();
  const PerPart<double> held = held_parts(model.kinds[0], model.hidden, {16, 1, 16});
  EXPECT_EQ(held[static_cast<std::size_t>(WeightPart::key)], 8192.0 * 128);
  EXPECT_EQ(held[static_cast<std::size_t>(WeightPart::query)], 8192.0 * 8192 / 16);
}

// Conservation: the ranks hold the model once, and what is documented as copied tp times.
RC_GTEST_PROP(Weights, SumOverRanksIsTheModelAndItsCopies, ()) {
  const std::vector<Model> models = published_models();
  const auto pick_model = *rc::gen::inRange<std::size_t>(0, models.size());
  const Model& model = models[pick_model];
  const std::int64_t tp = pick({1, 2, 4}), pp = pick({1, 2, 3, 4});
  const WeightBits bits = weight_bits(model, {});
  double held = 0;
  for (const StageLayers& stage : stages_of(model.layer_count(), pp, {})) {
    held += static_cast<double>(tp) * stage_weights(model, bits, {tp, 1, tp}, stage).params;
  }
  double copied = static_cast<double>(model.final_norm_params + model.position_params);
  for (const std::uint8_t index : model.layers) {
    const LayerKind& kind = model.kinds[index];
    const PerPart<std::int64_t> parts = layer_parts(kind, model.hidden);
    for (const WeightPart part :
         {WeightPart::latent_down, WeightPart::indexer, WeightPart::attention_vectors,
          WeightPart::router, WeightPart::ffn_vectors, WeightPart::norms,
          WeightPart::expert_vectors}) {
      copied += static_cast<double>(parts[static_cast<std::size_t>(part)]);
    }
    const std::int64_t kv = kind.attention.kv_heads;
    const double extra =
        kv > 0 && tp > kv ? static_cast<double>(tp) / static_cast<double>(kv) - 1 : 0;
    copied += extra / std::max(1.0, static_cast<double>(tp - 1)) *
              static_cast<double>(parts[static_cast<std::size_t>(WeightPart::key)] +
                                  parts[static_cast<std::size_t>(WeightPart::value)]);
  }
  const bool second_table = model.tied_embeddings && pp > 1;
  const double table = second_table ? static_cast<double>(model.vocab * model.embedding_width) : 0;
  const double due = static_cast<double>(count_parameters(model).total) + table +
                     static_cast<double>(tp - 1) * copied;
  RC_ASSERT(std::abs(held - due) <= 1e-9 * due);
}

TEST(Weights, ExpertsAreSplitOverTheirOwnRanks) {
  const Model model = qwen_3_235b();
  const double experts = 94.0 * 128 * 3 * 4096 * 1536;
  EXPECT_DOUBLE_EQ(one_stage(model, {4, 1, 4}).expert_params, experts / 4);
  EXPECT_DOUBLE_EQ(one_stage(model, {1, 8, 1}).expert_params, experts / 8);
  EXPECT_DOUBLE_EQ(one_stage(model, {4, 4, 2}).expert_params, experts / 8);
  EXPECT_DOUBLE_EQ(one_stage(model, {1, 8, 1}).dense_params,
                   static_cast<double>(count_parameters(model).total) - experts);
}

TEST(Weights, StagesAreEvenOrAsGiven) {
  const std::vector<StageLayers> even = stages_of(61, 4, {});
  EXPECT_EQ(even[0].count, 16);
  EXPECT_EQ(even[3].count, 15);
  EXPECT_EQ(even[3].first + even[3].count, 61);
  const std::vector<StageLayers> given = stages_of(48, 2, {16, 32});
  EXPECT_EQ(given[1].first, 16);
  EXPECT_EQ(given[1].count, 32);
}

// GGUF files in GiB, from llama.cpp's table of LLaMA-7B [llama-cpp-3084] and a table of Llama 3 70B
// files [dai-gpu-benchmarks]. Files hold the vocabulary besides, up to 10 MB.
TEST(Weights, MatchGgufFiles) {
  const struct {
    const char* name;
    Model model;
    GgufFile file;
    double gib;
  } kFiles[] = {
      {"7B Q8_0", llama_1_7b(), GgufFile::q8_0, 6.67},
      {"7B Q6_K", llama_1_7b(), GgufFile::q6_k, 5.15},
      {"7B Q5_K_M", llama_1_7b(), GgufFile::q5_k_m, 4.45},
      {"7B Q5_K_S", llama_1_7b(), GgufFile::q5_k_s, 4.33},
      {"7B Q4_0", llama_1_7b(), GgufFile::q4_0, 3.56},
      {"7B Q4_1", llama_1_7b(), GgufFile::q4_1, 3.95},
      {"8B F16", llama_3_8b(), GgufFile::f16, 14.96},
      {"70B Q5_K_M", llama_3_70b(), GgufFile::q5_k_m, 46.52},
      {"70B Q4_K_S", llama_3_70b(), GgufFile::q4_k_s, 37.58},
      {"70B Q3_K_M", llama_3_70b(), GgufFile::q3_k_m, 31.91},
      {"70B Q2_K", llama_3_70b(), GgufFile::q2_k, 24.56},
      {"70B IQ2_XS", llama_3_70b(), GgufFile::iq2_xs, 19.69},
  };
  for (const auto& f : kFiles) {
    SCOPED_TRACE(f.name);
    EXPECT_NEAR(model_bytes(f.model, {.gguf = f.file}) / gibibyte.base(), f.gib, 0.002 * f.gib);
  }
}

TEST(Weights, EveryGgufFileOfEveryModelHasASize) {
  for (const Model& model : published_models()) {
    double last = 0;
    for (std::size_t i = 0; i < kGgufFileCount; ++i) {
      const double bits = 8 * model_bytes(model, {.gguf = static_cast<GgufFile>(i)}) /
                          static_cast<double>(count_parameters(model).total);
      EXPECT_GE(bits, 1.5);
      EXPECT_LE(bits, 32);
      last = bits;
    }
    EXPECT_GT(last, 4.2);  // MXFP4_MOE
  }
}

}  // namespace
}  // namespace ridgeline::physics
