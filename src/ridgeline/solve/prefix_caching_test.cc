#include "ridgeline/solve/prefix_caching.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "ridgeline/solve/serving.h"
#include "tests/support/solver_inputs.h"

namespace ridgeline::solve::prefix_caching {
namespace {

Inputs llama() {
  Inputs in;
  in.service.model = testing::llama_8b_totals();
  in.service.hardware = testing::h100();
  in.service.setting = testing::flat(0.5);
  return in;
}

Answer<Output, TierHits> answer(const Inputs& in) {
  const auto checked = check(in);
  EXPECT_TRUE(checked) << (checked ? "" : checked.error().message);
  return solve(*checked);
}

Inputs equal_prefixes(std::int64_t n, double cache_tokens) {
  Inputs in;
  in.prefix_count = n;
  in.prefix_tokens = 1024;
  in.zipf_exponent = 0;
  in.cache_tokens = cache_tokens;
  return in;
}

// 6144 of 8192 tokens are cached: 0.75, and 6144 x 131 072 B. What serving says of both prompts.
TEST(PrefixCaching, AgreesWithServingOnOnePrompt) {
  Inputs in = llama();
  in.seq_len = 8192;
  in.cached_prefix_len = 6144;
  const Output out = answer(in).output;
  EXPECT_DOUBLE_EQ(out.hit_fraction, 0.75);
  EXPECT_DOUBLE_EQ(out.bytes->base(), 6144 * 131072.0);
  serving::Inputs cold{.service = in.service, .seq_len = 8192}, warm = cold;
  warm.cached_prefix_len = 6144;
  const double saved = serving::solve(*serving::check(cold)).prefill.base() -
                       serving::solve(*serving::check(warm)).prefill.base();
  EXPECT_NEAR(out.ttft_saved->base(), saved, 1e-12);
  EXPECT_NEAR(out.ttft->base(), serving::solve(*serving::check(warm)).ttft.base(), 1e-12);
}

// Two equal prefixes, room for one: each is there half of the time.
TEST(PrefixCaching, HalvesTheHitsOfTwoInRoomForOne) {
  EXPECT_NEAR(answer(equal_prefixes(2, 1024)).output.hit_fraction, 0.5, 1e-12);
  EXPECT_NEAR(answer(equal_prefixes(10, 3 * 1024)).output.hit_fraction, 0.3, 1e-12);
}

// Popularity 3:1, sizes 1:1, room for one: e^(-3t/4) + e^(-t/4) = 1; with x = e^(-t/4) the root of
// x^3 + x = 1 is 0.6823278, so the hits are 3/4 (1 - 0.3176722) + 1/4 (1 - 0.6823278) = 0.5911639.
TEST(PrefixCaching, FavoursThePopular) {
  Inputs in;
  in.prefixes = {{3, 1000}, {1, 1000}};
  in.cache_tokens = 1000;
  EXPECT_NEAR(answer(in).output.hit_fraction, 0.5911639, 1e-7);
}

// Trust: nothing hits nothing, room for all hits all, more never hits less, pages are whole.
TEST(PrefixCaching, KeepsItsTrustStatement) {
  EXPECT_EQ(answer(equal_prefixes(5, 0)).output.hit_fraction, 0);
  EXPECT_EQ(answer(equal_prefixes(5, 5 * 1024)).output.hit_fraction, 1);
  double last = 0;
  for (int i = 0; i <= 40; ++i) {
    Inputs in = equal_prefixes(100, 1024.0 * 3 * i);
    in.zipf_exponent = 0.9;
    const double hit = answer(in).output.hit_fraction;
    EXPECT_GE(hit, last);
    last = hit;
  }
  EXPECT_EQ(last, 1);
  Inputs paged = equal_prefixes(1, 1e6);
  paged.prefix_tokens = 100;
  paged.page_size = 16;
  EXPECT_DOUBLE_EQ(answer(paged).output.hit_fraction, 0.96);
  paged.prefix_tokens = 15;
  EXPECT_EQ(answer(paged).output.request_hit_fraction, 0);
}

// A cache that drops what was asked for longest ago, played through.
TEST(PrefixCaching, AgreesWithASimulatedCache) {
  constexpr int kPrefixes = 200, kRoom = 40;
  Inputs in = equal_prefixes(kPrefixes, kRoom * 1024.0);
  in.zipf_exponent = 0.8;
  std::vector<double> weights;
  for (int i = 1; i <= kPrefixes; ++i) weights.push_back(std::pow(i, -0.8));
  std::mt19937_64 random(7);
  std::discrete_distribution<int> pick(weights.begin(), weights.end());
  std::vector<int> recent;  // last asked for first
  int hits = 0;
  constexpr int kRequests = 60'000;
  for (int i = 0; i < kRequests; ++i) {
    const int one = pick(random);
    const auto found = std::find(recent.begin(), recent.end(), one);
    if (found != recent.end()) {
      ++hits;
      recent.erase(found);
    } else if (recent.size() == kRoom) {
      recent.pop_back();
    }
    recent.insert(recent.begin(), one);
  }
  EXPECT_NEAR(answer(in).output.hit_fraction, hits / double{kRequests}, 0.015);
}

// The tier below holds the other half; its hits cost at most what computing would.
TEST(PrefixCaching, TiersHoldTheRest) {
  Inputs in = llama();
  in.prefixes = {{1, 4096}, {1, 4096}};
  in.seq_len = 8192;
  in.cache_tokens = 4096;
  in.tiers = {{"host", std::nullopt, 50 * gigabyte_per_second}};
  const auto both = answer(in);
  ASSERT_EQ(both.rows.size(), 2U);
  EXPECT_NEAR(both.rows[0].hit_fraction, 0.25, 1e-12);
  EXPECT_NEAR(both.rows[1].hit_fraction, 0.25, 1e-12);
  EXPECT_DOUBLE_EQ(both.output.hit_fraction, 0.5);
  EXPECT_NEAR(both.output.bytes->base(), 2 * 4096 * 131072.0, 1);
  in.tiers[0].bandwidth = gigabyte_per_second / 1000;
  const auto slow = answer(in);
  in.tiers.clear();
  const auto none = answer(in);
  EXPECT_LT(*both.output.ttft, *none.output.ttft);
  EXPECT_NEAR(slow.output.ttft->base(), none.output.ttft->base(), 1e-12);
}

// A token computes in 16.06e9/494.5e12 s + 4 x 32 x 4096 (c + 1)/2 /494.5e12 and loads in 131 072 B
// over 2 GB/s: equal where 16.06e9 + 262 144 (c + 1) = 131 072 x 494.5e12/2e9, c = 62 359.96.
TEST(PrefixCaching, ReloadPaysFromABreakEven) {
  Inputs in = llama();
  in.seq_len = 1024;
  in.cached_prefix_len = 512;
  in.service.hardware.host_link = 2 * gigabyte_per_second;
  EXPECT_EQ(answer(in).output.reload_break_even_tokens, 62360);
  in.service.hardware.host_link = 64 * gigabyte_per_second;
  EXPECT_EQ(answer(in).output.reload_break_even_tokens, 1);
  in.service.hardware.host_link = gigabyte_per_second;
  in.service.setting.attention_count = physics::AttentionCount::none;
  EXPECT_FALSE(answer(in).output.reload_break_even_tokens);
}

TEST(PrefixCaching, TakesWhatTheWeightsLeave) {
  Inputs in = llama();
  in.prefixes = {{1, 1024}};
  EXPECT_NEAR(answer(in).output.cache->base(), 80 * 1073741824.0 - 16.06e9, 1);
  in.service.model = testing::llama_70b_totals();
  EXPECT_FALSE(answer(in).output.feasible);
  EXPECT_EQ(answer(in).output.reason, Reason::memory);
}

TEST(PrefixCaching, NamesWhatIsMissing) {
  EXPECT_EQ(check({}).error().where, "prefixes");
  Inputs in = equal_prefixes(2, 1024);
  in.cache_tokens.reset();
  EXPECT_EQ(check(in).error().where, "cache");
  in.cache = gigabyte;
  EXPECT_EQ(check(in).error().where, "kv_per_token");
  in.kv_per_token = 131072 * byte;
  EXPECT_TRUE(check(in));
  in.seq_len = 512;
  in.prefixes = {{1, 1024}};
  EXPECT_EQ(check(in).error().where, "tokens");
}

}  // namespace
}  // namespace ridgeline::solve::prefix_caching
