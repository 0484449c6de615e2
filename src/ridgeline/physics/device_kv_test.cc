#include "ridgeline/physics/device_kv.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "tests/support/published_models.h"

namespace ridgeline::physics {
namespace {

using namespace ridgeline::testing;

DeviceCache whole(const Model& model, const CacheOptions& options = {}) {
  return DeviceCache(model, options, {0, model.layer_count(), true, true});
}

// 32 layers x 2 x 8 heads x 128 x 2 B = 131 072 B per token; of one of 16 ranks one head: 80 x 512.
TEST(DeviceCache, HoldsWholeHeads) {
  EXPECT_EQ(whole(llama_3_8b()).bytes_per_token(), 131072);
  EXPECT_EQ(whole(llama_3_70b(), {.tp = 16}).bytes_per_token(), 40960);
  EXPECT_EQ(whole(qwen_3_235b(), {.tp = 4}).bytes_per_token(), 48128);
  EXPECT_EQ(*kv_heads_per_device(llama_3_70b(), 16), 1);
  EXPECT_EQ(*kv_heads_per_device(qwen_2_5_7b(), 2), 2);
}

// 61 x (512 + 64) x 2 B, on every rank.
TEST(DeviceCache, HoldsTheWholeLatent) {
  EXPECT_EQ(whole(deepseek_v3_fp8(), {.tp = 8}).bytes_per_token(), 70272);
  EXPECT_FALSE(kv_heads_per_device(deepseek_v3_fp8(), 8).has_value());
  // Expanded: 61 x 16 heads x (128 + 64 + 128) x 2 B.
  const CacheOptions expanded{.tp = 8, .mla = MlaForm::expanded};
  EXPECT_EQ(whole(deepseek_v3_fp8(), expanded).bytes_per_token(), 61 * 16 * 320 * 2);
  EXPECT_EQ(*kv_heads_per_device(deepseek_v3_fp8(), 8, MlaForm::expanded), 16);
}

// Gemma 3 4B: 5 layers x 4096 B x 131072, and 29 x 4096 B x (1024 + 512).
TEST(DeviceCache, WindowsStopGrowing) {
  const DeviceCache cache = whole(gemma_3_4b(), {.window_extra = 512});
  EXPECT_EQ(cache.full_bytes(131072), 2684354560);
  EXPECT_EQ(cache.sliding_bytes(131072), 182452224);
  EXPECT_EQ(cache.sliding_bytes(100), 29.0 * 4096 * 100);
  EXPECT_EQ(whole(gemma_3_4b(), {.full_kv = true}).kv_bytes(131072), 34.0 * 4096 * 131072);
}

TEST(DeviceCache, KeepsStateWhateverTheLength) {
  Attention mixer;
  mixer.kind = AttentionKind::recurrent;
  mixer.state_heads = 32;
  mixer.state_key_dim = mixer.state_value_dim = 128;
  mixer.conv_channels = 8192;
  mixer.conv_kernel = 4;
  const Model model = partial_model(3, mixer);
  // 3 (32 x 128 x 128 + 3 x 8192) x 2 B, a half each on two ranks.
  EXPECT_EQ(whole(model).bytes(1000), 3.0 * (524288 + 24576) * 2);
  EXPECT_EQ(whole(model, {.tp = 2}).state_bytes(), 3.0 * (524288 + 24576));
  EXPECT_FALSE(whole(model).longest(1e9).has_value());
  EXPECT_EQ(*whole(model).longest(1), 0);
}

// 4096 B per token: 1 MB holds 244 tokens; with windows by the bend.
TEST(DeviceCache, LongestIsTheInverse) {
  EXPECT_EQ(*whole(llama_3_8b()).longest(131072.0 * 1000), 1000);
  EXPECT_EQ(*whole(llama_3_8b()).longest(131072.0 * 1000 - 1), 999);
}

RC_GTEST_PROP(DeviceCache, LongestFitsAndOneMoreDoesNot, ()) {
  const std::vector<Model> models = published_models();
  const Model& model = models[*rc::gen::inRange<std::size_t>(0, models.size())];
  const CacheOptions options{.tp = pick({1, 2, 4}),
                             .cp = pick({1, 2}),
                             .kv = static_cast<Precision>(pick({2, 4})),
                             .full_kv = pick({0, 1}) == 1,
                             .window_extra = pick({0, 100})};
  const DeviceCache cache = whole(model, options);
  const auto available = static_cast<double>(*rc::gen::inRange(1, 2'000'000'000));
  const auto tokens = cache.longest(available);
  RC_ASSERT(tokens.has_value());
  RC_ASSERT(cache.bytes(static_cast<double>(*tokens)) <= available);
  RC_ASSERT(cache.bytes(static_cast<double>(*tokens + 1)) > available);
}

RC_GTEST_PROP(DeviceCache, StagesSumToTheModel, ()) {
  const std::vector<Model> models = published_models();
  const Model& model = models[*rc::gen::inRange<std::size_t>(0, models.size())];
  const auto tokens = static_cast<double>(pick({1, 100, 4096, 100'000}));
  double sum = 0;
  for (const StageLayers& stage : stages_of(model.layer_count(), pick({1, 2, 3, 5}), {})) {
    sum += DeviceCache(model, {}, stage).bytes(tokens);
  }
  RC_ASSERT(std::abs(sum - whole(model).bytes(tokens)) <= 1e-12 * sum);
}

}  // namespace
}  // namespace ridgeline::physics
