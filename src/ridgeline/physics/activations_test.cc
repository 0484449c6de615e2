#include "ridgeline/physics/activations.h"

#include <gtest/gtest.h>

#include "tests/support/published_models.h"

namespace ridgeline::physics {
namespace {

using namespace ridgeline::testing;

constexpr GptShape kMegatron22b{6144, 64}, kGpt3{12288, 96}, kTuring{20480, 128};

// The published numbers of first stages [korthikanti2022]: layers x in flight, GiB.
TEST(Activations, MatchThePublishedTableOfGpts) {
  const struct {
    const char* name;
    GptShape shape;
    double sequences, layers_in_flight;
    double none_gib, selective_sp_gib;
  } kRows[] = {
      {"22B", kMegatron22b, 4, 48, 59.25, 9.5625},
      {"175B", kGpt3, 1, 12 * (8 + 7.0 / 3), 66.84375, 12.3515625},
      {"530B", kTuring, 1, 3 * (35 + 34.0 / 3), 114.0234375, 23.076171875},
  };
  for (const auto& r : kRows) {
    SCOPED_TRACE(r.name);
    TrainingLoad load{.sequences = r.sequences, .tokens = 2048, .context = 2048, .tp = 8};
    load.sequence_parallel = false;
    const double none = kept_by_gpt_layer(r.shape, load).stored * r.layers_in_flight;
    EXPECT_NEAR(none / gibibyte.base(), r.none_gib, 0.001 * r.none_gib);
    load.sequence_parallel = true;
    load.recompute = Recompute::selective;
    const double selective = kept_by_gpt_layer(r.shape, load).stored * r.layers_in_flight;
    EXPECT_NEAR(selective / gibibyte.base(), r.selective_sp_gib, 0.001 * r.selective_sp_gib);
  }
}

// 34 S d + 5 H S^2 of GPT-3; 10 + 24/8 and scores/8 without sequence parallelism; all/8 with it.
TEST(Activations, OfGpt3ArePublishedPerLayer) {
  TrainingLoad load{.sequences = 1, .tokens = 2048, .context = 2048};
  EXPECT_DOUBLE_EQ(kept_by_gpt_layer(kGpt3, load).stored, 2868903936);
  load.tp = 8;
  EXPECT_DOUBLE_EQ(kept_by_gpt_layer(kGpt3, load).stored, 2868903936 / 8.0);
  load.sequence_parallel = false;
  EXPECT_DOUBLE_EQ(kept_by_gpt_layer(kGpt3, load).stored, 578813952);
}

// By layer, with masks: 2 (4 d + 4 d + 8 d) + 2 d = 34 d at b = 2.
TEST(Activations, BothFormsAgreeOnAGpt) {
  for (const bool split : {true, false}) {
    for (const double tp : {1.0, 8.0}) {
      const TrainingLoad load{.sequences = 3,
                              .tokens = 512,
                              .context = 512,
                              .tp = tp,
                              .mask_bytes = 1,
                              .sequence_parallel = split,
                              .recompute = Recompute::selective};
      EXPECT_DOUBLE_EQ(kept_by_layer(gpt_3_175b().kinds[0], 12288, load).stored,
                       kept_by_gpt_layer(kGpt3, load).stored);
    }
  }
}

TEST(Activations, RecomputingKeepsInputs) {
  TrainingLoad load{.sequences = 1, .tokens = 1, .context = 1};
  const LayerKind kind = llama_3_8b().kinds[0];
  // 2 (4 x 4096 + 2 x 4096 + 2 x 1024 + 3 x 14336) bytes per token.
  EXPECT_EQ(kept_by_layer(kind, 4096, load).stored, 2 * (24576 + 2048 + 43008));
  load.recompute = Recompute::full;
  EXPECT_EQ(kept_by_layer(kind, 4096, load).stored, 2 * 4096);
  EXPECT_EQ(kept_by_layer(kind, 4096, load).working, 2 * (24576 + 2048 + 43008));
  load.recompute = Recompute::per_module;
  EXPECT_EQ(kept_by_layer(kind, 4096, load).stored, 4 * 4096);
  EXPECT_EQ(kept_by_layer(kind, 4096, load).working, 2 * (2 * 4096 + 43008));
}

TEST(Activations, LatentAttentionAndExpertsKeepMore) {
  const TrainingLoad load{.sequences = 1, .tokens = 1, .context = 1};
  const Model v3 = deepseek_v3_fp8();
  // Attention 2 d + 2 x 128 x 192 + 2 x 128 x 128 + 2 x 1536 + 2 x 512 + 64; experts 2 d + 2 x 8 d
  // + 3 x (2048 + 8 x 2048).
  const double attention = 2 * 7168 + 49152 + 32768 + 4160;
  const double experts = 2 * 7168 + 16 * 7168 + 3 * 18432;
  EXPECT_EQ(kept_by_layer(v3.kinds[1], 7168, load).stored, 2 * (attention + experts));
}

TEST(Activations, UnfusedAttentionKeepsScores) {
  TrainingLoad load{.sequences = 1, .tokens = 100, .context = 100};
  const LayerKind kind = llama_3_8b().kinds[0];
  const double flash = kept_by_layer(kind, 4096, load).stored;
  load.kernel = AttentionKernel::unfused;
  EXPECT_EQ(kept_by_layer(kind, 4096, load).stored, flash + 2.0 * 32 * 100 * 100);
}

// An engine's log for Llama-3.1-8B [vllm-10517]: 2.07 GiB at passes of 20 000 tokens, 2.99 GiB at
// 29 000. 2 B x (3 x 4096 + 3 x 14336) per token.
TEST(Activations, OfAForwardPassMatchAnEnginesLog) {
  const Model model = llama_3_8b();
  const StageLayers all{0, 32, true, true};
  const double at_20k = forward_peak_bytes(model, {20000, 1, Precision::bf16, {}}, all);
  const double at_29k = forward_peak_bytes(model, {29000, 1, Precision::bf16, {}}, all);
  EXPECT_NEAR(at_20k / gibibyte.base(), 2.07, 0.01 * 2.07);
  EXPECT_NEAR(at_29k / gibibyte.base(), 2.99, 0.01 * 2.99);
}

TEST(Activations, OfAForwardPassShrinkWithTensorParallelism) {
  for (const Model& model : published_models()) {
    const StageLayers all{0, model.layer_count(), true, true};
    const double one = forward_peak_bytes(model, {8192, 1, Precision::bf16, {1, 1, 1}}, all);
    const double four = forward_peak_bytes(model, {8192, 1, Precision::bf16, {4, 1, 4}}, all);
    EXPECT_LT(four, one);
    EXPECT_GT(four, one / 4);
  }
}

}  // namespace
}  // namespace ridgeline::physics
