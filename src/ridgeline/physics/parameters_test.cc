#include "ridgeline/physics/parameters.h"

#include <gtest/gtest.h>

#include "ridgeline/physics/kv_cache.h"

namespace ridgeline::physics {
namespace {

Attention grouped() {
  Attention a;
  a.kind = AttentionKind::softmax;
  a.heads = 4;
  a.kv_heads = 2;
  a.head_dim = a.value_head_dim = 8;
  return a;
}

Attention latent() {
  Attention a;
  a.kind = AttentionKind::mla;
  a.heads = 4;
  a.q_lora_rank = 5;
  a.kv_lora_rank = 6;
  a.qk_nope_head_dim = 3;
  a.qk_rope_head_dim = 2;
  a.v_head_dim = 7;
  return a;
}

TEST(Parameters, MatchesHandWorkedAttention) {
  // d = 10: q 10 x 32, k and v 10 x 16 each, o 32 x 10
  EXPECT_EQ(attention_params(grouped(), 10), 320 + 320 + 320);
  Attention gated = grouped();
  gated.output_gate = true;
  EXPECT_EQ(attention_params(gated, 10), 960 + 320);
  Attention same = grouped();
  same.shared_key_value = true;
  EXPECT_EQ(attention_params(same, 10), 960 - 160);
  Attention reader = grouped();
  reader.reuses_cache = true;
  EXPECT_EQ(attention_params(reader, 10), 960 - 320);
  // 10 x 5 + 5 x 4 x 5, 10 x 8, 6 x 4 x 10, 4 x 7 x 10
  EXPECT_EQ(attention_params(latent(), 10), 150 + 80 + 240 + 280);
  Attention direct = latent();
  direct.q_lora_rank = 0;
  EXPECT_EQ(attention_params(direct, 10), 200 + 80 + 240 + 280);
}

TEST(Parameters, MatchesHandWorkedFeedForward) {
  Ffn f;
  f.width = 20;
  EXPECT_EQ(ffn_params(f, 10), 600);
  f.matrices = 2;
  f.vector_params = 30;
  EXPECT_EQ(ffn_params(f, 10), 430);
  Ffn routed;
  routed.experts = 8;
  routed.top_k = 2;
  routed.expert_width = 5;
  routed.shared_width = 4;
  routed.router_params = 80;
  routed.expert_vector_params = 1;
  EXPECT_EQ(expert_params(routed, 10), 151);
  EXPECT_EQ(ffn_params(routed, 10), 8 * 151 + 3 * 10 * 4 + 80);
}

Model two_layers() {
  Model m;
  m.hidden = m.embedding_width = 10;
  m.vocab = 100;
  m.final_norm_params = 10;
  LayerKind dense{grouped(), {}, 20};
  dense.ffn.width = 20;
  LayerKind routed{latent(), {}, 20};
  routed.ffn.experts = 8;
  routed.ffn.top_k = 2;
  routed.ffn.expert_width = 5;
  m.kinds = {dense, routed};
  m.layers = {0, 1};
  m.declared_layers = 2;
  return m;
}

TEST(Parameters, AddsUpAModel) {
  Model m = two_layers();
  const ParameterCount count = count_parameters(m);
  EXPECT_EQ(count.attention, 960 + 750);
  EXPECT_EQ(count.ffn, 600 + 8 * 150);
  EXPECT_EQ(count.norms, 50);
  EXPECT_EQ(count.embedding, 1000);
  EXPECT_EQ(count.head, 1000);
  EXPECT_EQ(count.total, 1710 + 1800 + 50 + 2000);
  EXPECT_EQ(count.active, count.total - 6 * 150);
  EXPECT_EQ(forward_params(m), count.active - 1000);
  EXPECT_DOUBLE_EQ(approximate_params(m), static_cast<double>(count.total));
  m.tied_embeddings = true;
  EXPECT_EQ(count_parameters(m).total, count.total - 1000);
  EXPECT_EQ(forward_params(m), count.active - 1000);  // the head is multiplied all the same
  m.mtp_layers = 1;
  EXPECT_EQ(mtp_params(m), 750 + 1200 + 20 + 2 * 100 + 3 * 10 + 2 * 1000);
}

TEST(KvCache, AddsUpLayers) {
  const auto cache = kv_cache(two_layers(), Precision::bf16, MlaForm::latent);
  ASSERT_TRUE(cache);
  EXPECT_EQ(cache->bytes_per_token, 2 * (2 * 16) + 2 * (6 + 2));
  EXPECT_EQ(cache->layers, 2);
  const auto expanded = kv_cache(two_layers(), Precision::fp8, MlaForm::expanded);
  ASSERT_TRUE(expanded);
  EXPECT_EQ(expanded->bytes_per_token, 2 * 16 + 4 * (3 + 2 + 7));
}

TEST(KvCache, StopsGrowingAtTheWindow) {
  Model m = two_layers();
  m.kinds[0].attention.window = 16;
  const auto cache = kv_cache(m, Precision::bf16, MlaForm::latent);
  ASSERT_TRUE(cache);
  EXPECT_EQ(cache->bytes_per_token, 80);
  EXPECT_EQ(cache->bytes_per_token_beyond_window, 16);
  EXPECT_EQ(cache->fixed_bytes_per_sequence, 16 * 64);
  const Attention& a = m.kinds[0].attention;
  EXPECT_EQ(kv_elements(a, MlaForm::latent, 10, 0), 10 * 32);
  EXPECT_EQ(kv_elements(a, MlaForm::latent, 100, 0), 16 * 32);
  EXPECT_EQ(kv_elements(a, MlaForm::latent, 100, 4), 20 * 32);
}

// Conservation: (2) equals the sum of (1) over layers from the window on.
TEST(KvCache, SlopeAndFixedPartEqualTheSumOfLayers) {
  Model m = two_layers();
  m.kinds[0].attention.window = 16;
  m.kinds[1].attention.window = 8;
  m.kinds[1].attention.compress_ratio = 4;
  const auto cache = kv_cache(m, Precision::bf16, MlaForm::latent);
  ASSERT_TRUE(cache);
  for (const double n : {16.0, 100.0, 4096.0}) {
    double elements = 0;
    for (const std::uint8_t k : m.layers) {
      elements += kv_elements(m.kinds[k].attention, MlaForm::latent, n, 0);
    }
    EXPECT_DOUBLE_EQ(2 * elements,
                     cache->bytes_per_token_beyond_window * n + cache->fixed_bytes_per_sequence);
  }
}

TEST(KvCache, SizesRecurrentState) {
  Attention a;
  a.kind = AttentionKind::recurrent;
  a.state_heads = 4;
  a.state_key_dim = 8;
  a.state_value_dim = 16;
  a.conv_channels = 100;
  a.conv_kernel = 4;
  EXPECT_EQ(state_elements(a), 512 + 300);
  EXPECT_FALSE(has_cache(a));
  EXPECT_EQ(state_elements(grouped()), 0);
}

}  // namespace
}  // namespace ridgeline::physics
