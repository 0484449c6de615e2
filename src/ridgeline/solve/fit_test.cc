#include "ridgeline/solve/fit.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "tests/support/published_models.h"

namespace ridgeline::solve::fit {
namespace {

using namespace ridgeline::testing;

Answer<Output, Rank> full_answer(const Inputs& in, const Subject& subject,
                                 const Engine* engine = nullptr) {
  const auto checked = check(in, subject, engine);
  EXPECT_TRUE(checked.has_value()) << (checked ? "" : checked.error().message);
  return solve(*checked, subject, engine);
}
Output answer(const Inputs& in, const Model& model) {
  return full_answer(in, {&model}).output;
}
Rank first_rank(const Inputs& in, const Model& model) {
  return full_answer(in, {&model}).rows[0];
}

std::string fault(const Inputs& in, const Subject& subject) {
  const auto checked = check(in, subject);
  return checked ? "none" : checked.error().where;
}

// ---- cache: engine logs and published sizes ----

TEST(Fit, BlocksTokensAndBytesAreOnePool) {
  const Output blocks = answer({.kv_blocks = 1952, .block_size = 16}, llama_3_8b());
  EXPECT_EQ(*blocks.kv_bytes_per_token, 131072);
  EXPECT_EQ(*blocks.kv_tokens_capacity, 31232);
  EXPECT_EQ(blocks.kv_pool->base(), 4093640704);
  Inputs in{.kv_tokens = 367404, .block_size = 1};
  in.tp = 4;
  const Output tokens = answer(in, qwen_3_235b());
  EXPECT_EQ(*tokens.kv_bytes_per_token_per_device, 48128);
  EXPECT_NEAR(tokens.kv_pool->base(), 17673790423, 0.001 * 17673790423);
  EXPECT_EQ(*tokens.kv_heads_per_device, 1);
  const Output bytes = answer({.kv_pool = 69524783104.0 * byte, .block_size = 64},
                              partial_model(32, softmax_heads(32, 32, 128)));
  EXPECT_EQ(*bytes.kv_tokens_capacity, 132608);
  EXPECT_TRUE(*bytes.fits);
}

// 229 blocks of 16 hold 3664 tokens of 524 288 B; 4096 are asked for.
TEST(Fit, APoolThatIsTooSmallSaysSo) {
  const Output out = answer({.context = 4096, .kv_blocks = 229, .block_size = 16}, llama_2_7b());
  EXPECT_EQ(*out.kv_tokens_capacity, 3664);
  EXPECT_EQ(out.kv_cache->base(), 2147483648);
  EXPECT_FALSE(*out.fits);
  EXPECT_EQ(out.reason, Reason::context_and_batch);
}

// 100 000 tokens are 3125 blocks of 32, a sequence of 4000 is 125: 25 of 64.
TEST(Fit, ABatchBeyondThePoolDoesNotFit) {
  const Output out =
      answer({.context = 4000, .batch = 64, .kv_tokens = 100000, .block_size = 32}, llama_3_8b());
  EXPECT_EQ(*out.max_batch, 25);
  EXPECT_FALSE(*out.fits);
  EXPECT_DOUBLE_EQ(*out.max_concurrency, 25);
}

TEST(Fit, TheFullestStageDecides) {
  Inputs in{.context = 262144, .kv_pool = 3.18 * gibibyte, .block_size = 16};
  in.pp = 2;
  in.pp_layers = {16, 32};
  const Model model = qwen_3_30b();
  const auto both = full_answer(in, {&model});
  EXPECT_EQ(both.rows[0].kv_cache->base(), 8589934592);
  EXPECT_EQ(both.rows[1].kv_cache->base(), 17179869184);
  EXPECT_EQ(*both.rows[0].max_context_tokens, 104192);
  EXPECT_EQ(*both.output.max_context_tokens, 52096);
  EXPECT_EQ(both.output.limiting_rank, 1);
  EXPECT_FALSE(*both.output.fits);
  in.pp = 1;  // the sizes alone say how many stages there are
  EXPECT_EQ(full_answer(in, {&model}).rows.size(), 2);
}

TEST(Fit, LatentsAreOnEveryRank) {
  Inputs in{.context = 32768};
  in.tp = 8;
  const Output v3 = answer(in, deepseek_v3_fp8());
  EXPECT_EQ(*v3.kv_bytes_per_token_per_device, 70272);
  EXPECT_EQ(*v3.kv_bytes_per_token_all_devices, 562176);
  Attention mla;
  mla.kind = AttentionKind::mla;
  mla.kv_lora_rank = 256;
  mla.qk_rope_head_dim = 64;
  const Output small = answer({.context = 1048576, .kv_pool = 17.39 * gibibyte, .block_size = 16},
                              partial_model(36, mla));
  EXPECT_EQ(*small.kv_bytes_per_token, 23040);
  EXPECT_EQ(small.kv_cache->base(), 24159191040);
  EXPECT_NEAR(static_cast<double>(*small.max_context_tokens), 810208, 811);
  EXPECT_FALSE(*small.fits);
  EXPECT_EQ(*answer(in, partial_model(36, mla)).kv_bytes_per_token_all_devices, 8 * 23040);
}

TEST(Fit, KvHeadsAreReplicatedNotCut) {
  Inputs in{.context = 4096};
  in.tp = 32;
  const Output out = answer(in, partial_model(80, softmax_heads(64, 8, 128)));
  EXPECT_EQ(*out.kv_heads_per_device, 1);
  EXPECT_EQ(*out.kv_bytes_per_token_per_device, 40960);
  EXPECT_FALSE(out.weights.has_value());
  in.tp = 16;
  const Output llama = answer(in, llama_3_70b());
  EXPECT_EQ(*llama.kv_bytes_per_token_per_device, 40960);
  EXPECT_EQ(*llama.kv_bytes_per_token_all_devices, 655360);
}

TEST(Fit, WindowsHoldTheirTokensAndWhatEnginesAdd) {
  const Output gemma = answer({.context = 131072, .window_extra = 512}, gemma_3_4b());
  EXPECT_EQ(gemma.kv_full->base(), 2684354560);
  EXPECT_EQ(gemma.kv_sliding->base(), 182452224);
  EXPECT_EQ(gemma.kv_cache->base(), 2866806784);
  // gpt-oss 120B: 18 full layers and 18 with a window of 128.
  const Output oss = answer({.kv_pool = 5.38 * gibibyte, .block_size = 16}, gpt_oss_120b());
  EXPECT_EQ(*oss.kv_bytes_per_token, 73728);
  EXPECT_EQ(*oss.kv_bytes_per_token_beyond_window, 36864);
  EXPECT_EQ(*oss.kv_fixed_bytes_per_sequence, 4718592);
  EXPECT_NEAR(static_cast<double>(*oss.kv_tokens_capacity), 78384, 0.002 * 78384);
  const Output full = answer({.context = 131072, .kv_pool = 1.71 * gibibyte}, gpt_oss_120b());
  EXPECT_EQ(full.kv_cache->base(), 4836556800);
  EXPECT_FALSE(*full.fits);
  Inputs in{.context = 1048576, .full_kv = true};
  in.tp = 8;
  EXPECT_EQ(first_rank(in, llama_4_maverick()).kv_cache->base(), 25769803776);
}

// 5 layers x 2 x 2 x 512 x 2 B and 25 x 2 x 8 x 256 x 2 B up to 1024 + 512 tokens; logged in MB.
TEST(Fit, LayersMayHaveHeadsOfTheirOwn) {
  const struct {
    std::int64_t context;
    double bytes;
  } kRows[] = {{4096, 400e6}, {8192, 480e6}, {32768, 990e6}, {131072, 3000e6}};
  for (const auto& r : kRows) {
    const Output out = answer({.context = r.context, .window_extra = 512}, gemma_4_26b());
    EXPECT_NEAR(out.kv_cache->base(), r.bytes, 0.02 * r.bytes);
  }
}

// 60 layers x 2 x 52 x 128 x 512 tokens in 2 and in 4 bytes.
TEST(Fit, TheCacheHasItsOwnPrecision) {
  const Model model = partial_model(60, softmax_heads(52, 52, 128), 6656);
  EXPECT_EQ(answer({.context = 512, .kv_precision = Precision::fp16}, model).kv_cache->base(),
            817889280);
  EXPECT_EQ(answer({.context = 512, .kv_precision = Precision::fp32}, model).kv_cache->base(),
            1635778560);
}

// Trust: weights and cache against what engines log; GiB unless said otherwise.
TEST(Fit, KeepsItsTrustStatement) {
  const double log_8b = 14.9888;  // "model weights take", vLLM [vllm-10517]
  const double weights = answer({}, llama_3_8b()).weights->base() / gibibyte.base();
  EXPECT_NEAR(weights, log_8b, 0.01 * log_8b);
  Inputs in{.kv_tokens = 367404, .block_size = 1};  // "K size 8.23, V size 8.23" [vllm-21348]
  in.tp = 4;
  EXPECT_NEAR(answer(in, qwen_3_235b()).kv_pool->base() / gibibyte.base(), 16.46, 0.01 * 16.46);
  // 4.0 bits and their scales: a 7B file of 3.7 GB in groups of 128 [gptq].
  Inputs groups{.precision = Precision::int4, .group_size = 128};
  groups.zero_bits = 4;
  EXPECT_NEAR(answer(groups, llama_1_7b()).weights->base() / gibibyte.base(), 3.63, 0.04);
}

// ---- weights and memory ----

TEST(Fit, WeightsAreThoseOfTheFormat) {
  EXPECT_EQ(answer({.context = 8192}, llama_3_8b()).weights->base(), 16060522496);
  const auto at = [](Precision p) {
    return answer({.context = 16000, .precision = p}, llama_3_70b()).weights->base();
  };
  EXPECT_NEAR(at(Precision::fp8), 72655052800, 0.01 * 72655052800);
  EXPECT_NEAR(at(Precision::int8), 72716910173, 0.003 * 72716910173);
  EXPECT_EQ(answer({.context = 2048}, gpt_oss_120b()).weights->base(), 65248815744);
  Inputs groups{.precision = Precision::int4, .unquantized_precision = Precision::fp16};
  groups.group_size = 128;
  groups.scale_bits = 16;
  groups.zero_bits = 4;
  EXPECT_NEAR(answer(groups, llama_1_7b()).weights->base(), 3889307648, 0.03 * 3889307648);
}

TEST(Fit, TotalsAreStoredAlike) {
  Inputs in{.precision = Precision::int4, .group_size = 64, .scale_bits = 16, .zero_bits = 16};
  for (const double params : {596049920.0, 1100048384.0, 7241732096.0}) {
    const Totals totals{.params = params};
    const Output out = full_answer(in, {nullptr, &totals}).output;
    EXPECT_EQ(*out.bits_per_weight, 4.5);
    EXPECT_EQ(out.weights->base(), params * 4.5 / 8);
    EXPECT_FALSE(out.fits.has_value());
    EXPECT_FALSE(out.kv_bytes_per_token.has_value());
  }
}

TEST(Fit, DevicesDoNotPoolTheirMemory) {
  Inputs in{.context = 32768};
  in.tp = 2;
  EXPECT_NEAR(first_rank(in, qwen_2_5_14b()).weights->base(), 14770033664, 0.001 * 14770033664);
  in.memory = 23.08 * gibibyte;
  in.memory_utilization = 1;
  in.weight_memory = 13.9476 * gibibyte;
  in.activation_memory = 0.19 * gibibyte;
  in.runtime_memory = 0.25 * gibibyte;
  const Output out = answer(in, qwen_2_5_14b());
  EXPECT_NEAR(out.kv_pool->base(), 9330816451, 0.002 * 9330816451);
  EXPECT_EQ(*out.kv_bytes_per_token_per_device, 98304);
  EXPECT_TRUE(*out.fits);
}

// One card, one model; the longer context needs more activations, which shrinks the pool under it.
TEST(Fit, ALongerContextShrinksThePool) {
  Inputs in{.context = 20000, .memory = 23.58 * gibibyte};
  in.weight_memory = 14.99 * gibibyte;
  in.activation_memory = 2.07 * gibibyte;
  in.runtime_memory = 0.35 * gibibyte;
  const Output fits = answer(in, llama_3_8b());
  EXPECT_NEAR(fits.kv_pool->base(), 4090956349, 0.004 * 4090956349);
  EXPECT_TRUE(*fits.fits);
  in.context = 29000;
  in.activation_memory = 2.99 * gibibyte;
  const Output lacks = answer(in, llama_3_8b());
  EXPECT_NEAR(lacks.kv_pool->base(), 3103113871, 0.004 * 3103113871);
  EXPECT_FALSE(*lacks.fits);
  EXPECT_LT(lacks.headroom->base(), 0);
}

TEST(Fit, AllExpertsMustBeResident) {
  const struct {
    std::int64_t tp;
    Bytes memory;
    bool fits;
  } kRows[] = {{8, 80 * gibibyte, false},
               {8, 96 * gigabyte, true},
               {8, 141 * gigabyte, true},
               {16, 80 * gibibyte, true}};
  for (const auto& r : kRows) {
    Inputs in{.context = 16384, .memory = r.memory, .memory_utilization = 0.95};
    in.tp = r.tp;
    const Output out = answer(in, deepseek_v3_fp8());
    EXPECT_EQ(*out.fits, r.fits);
    EXPECT_NEAR(out.weights->base(), 671026419200, 0.03 * 671026419200);
  }
}

TEST(Fit, AnImpossiblePoolIsCalledSo) {
  Inputs in{.memory = 24 * gigabyte, .memory_utilization = 0.95};
  in.kv_tokens = 10718;
  in.block_size = 1;
  EXPECT_TRUE(*answer(in, llama_2_7b()).fits);
  EXPECT_NEAR(answer(in, llama_2_7b()).kv_pool->base(), 5619318784, 0.001 * 5619318784);
  in.kv_tokens = {};
  in.kv_blocks = 8348;
  in.block_size = 16;
  const Output out = answer(in, llama_2_7b());
  EXPECT_EQ(out.kv_pool->base(), 70028099584);
  EXPECT_FALSE(*out.fits);
  EXPECT_EQ(out.reason, Reason::pool);
}

TEST(Fit, OneDeviceOfAMachine) {
  Machine machine;
  machine.device.memory_capacity = 80 * gigabyte;
  machine.device.usable_memory = 79.19 * gibibyte;
  const Model llama = llama_2_70b(), small = llama_2_7b();
  const Output lacks = full_answer({.context = 256}, {&llama, nullptr, &machine}).output;
  EXPECT_FALSE(*lacks.fits);
  EXPECT_EQ(lacks.reason, Reason::weights);
  Inputs in{.memory_utilization = 0.95, .precision = Precision::fp8};
  in.kv_precision = Precision::fp8;
  const struct {
    std::int64_t context, batch;
    double kv;
  } kRows[] = {{256, 768, 51539607552},
               {2176, 112, 63887638528},
               {2176, 80, 45634027520},
               {4096, 48, 51539607552}};
  for (const auto& r : kRows) {
    in.context = r.context;
    in.batch = r.batch;
    const Output out = full_answer(in, {&small, nullptr, &machine}).output;
    EXPECT_EQ(out.kv_cache->base(), r.kv);
    EXPECT_TRUE(*out.fits);
  }
}

TEST(Fit, FullPrecisionDoesNotFitWhereHalfWould) {
  const Output out = answer({.context = 2048, .memory = 79.6 * gibibyte}, llama_3_70b());
  EXPECT_NEAR(out.weights->base(), 141.1e9, 0.002 * 141.1e9);
  EXPECT_FALSE(*out.fits);
}

// ---- plans ----

TEST(Fit, EveryLayerIsOnAStage) {
  Inputs in;
  in.pp = 4;
  const Output partial = answer(in, partial_model(30, softmax_heads(0, 0, 0)));
  EXPECT_EQ(*partial.layers_assigned, 30);
  EXPECT_FALSE(*partial.even_split);
  EXPECT_EQ(*partial.max_layers_per_stage, 8);
  EXPECT_EQ(*partial.min_layers_per_stage, 7);
  EXPECT_FALSE(partial.kv_bytes_per_token.has_value());
  const std::int64_t kLongest[][2] = {{2, 31}, {4, 16}, {8, 8}, {16, 4}};
  for (const auto& [pp, most] : kLongest) {
    in = {.context = 4096};
    in.pp = pp;
    const Output out = answer(in, deepseek_v3_fp8());
    EXPECT_EQ(*out.max_layers_per_stage, most);
    EXPECT_EQ(*out.layers_assigned, 61);
  }
  in.pp = 4;
  in.tp = 8;
  const Output glm = answer(in, glm_4_5_air());
  EXPECT_FALSE(*glm.even_split);
  EXPECT_EQ(*glm.layers_assigned, 46);
  EXPECT_EQ(*glm.kv_heads_per_device, 1);
}

// 28 heads, 4 kv heads: tp divides 28, and divides 4 or is divided by it.
TEST(Fit, TensorParallelismObeysBothRules) {
  const Model model = qwen_2_5_7b();
  const struct { std::int64_t tp, heads; } kValid[] = {{1, 4}, {2, 2}, {4, 1}, {28, 1}};
  for (const auto& r : kValid) {
    Inputs in{.context = 4096};
    in.tp = r.tp;
    EXPECT_EQ(*answer(in, model).kv_heads_per_device, r.heads);
  }
  for (const std::int64_t tp : {7, 8, 14}) {
    Inputs in{.context = 4096};
    in.tp = tp;
    EXPECT_EQ(fault(in, {&model}), "tp");
  }
}

TEST(Fit, HeadsCanBePadded) {
  Inputs in{.context = 4096};
  in.tp = 5;
  in.pad_heads = true;
  const Output out = answer(in, partial_model(32, softmax_heads(32, 32, 128)));
  EXPECT_EQ(*out.padded_heads, 35);
  EXPECT_DOUBLE_EQ(*out.padding_fraction, 0.09375);
  EXPECT_EQ(*out.kv_heads_per_device, 7);
  EXPECT_GT(*answer(in, llama_2_7b()).resident_params, 6738415616);
}

TEST(Fit, NormsAreOnEveryRank) {
  Inputs in{.context = 4096};
  in.tp = 2;
  EXPECT_EQ(*first_rank(in, llama_2_70b()).norm_params, 1318912);
}

TEST(Fit, ATiedTableIsOnBothEnds) {
  Inputs in;
  in.pp = 2;
  const Output tied = answer(in, qwen_3_0_6b());
  EXPECT_EQ(*tied.resident_params, *tied.total_params + 151936 * 1024);
  const Output untied = answer(in, llama_3_8b());
  EXPECT_EQ(*untied.resident_params, *untied.total_params);
}

TEST(Fit, ExpertsAreSplitOverTheirRanks) {
  Inputs in{.context = 4096};
  in.dp = in.ep = 8;
  const std::int64_t experts = std::int64_t{94} * 128 * 3 * 4096 * 1536;
  EXPECT_EQ(*first_rank(in, qwen_3_235b()).routed_expert_params, experts / 8);
  in.dp = in.ep = 1;
  in.tp = 4;  // etp = tp
  EXPECT_EQ(*first_rank(in, qwen_3_235b()).routed_expert_params, experts / 4);
}

// ---- engines ----

TEST(Fit, EnginesReserveInTheirOwnWays) {
  Engine free_share;
  free_share.utilization_of = UtilizationOf::free;
  free_share.context = free_share.graphs = Bytes{};
  const Model model = llama_3_8b();
  Inputs in{.context = 4096, .memory = 80 * gigabyte};
  in.activation_memory = Bytes{};
  // 0.9 of (80e9 - 16 060 522 496).
  EXPECT_DOUBLE_EQ(full_answer(in, {&model}, &free_share).output.kv_pool->base(),
                   0.9 * (80e9 - 16060522496.0));
  Engine by_rule;
  by_rule.memory_utilization = 1;
  by_rule.graphs = Bytes{};
  by_rule.reserve = 0.5 * gibibyte;
  by_rule.reserve_per_prefill_token = 1.5 / 1024 * gibibyte;
  by_rule.reserve_least = 10 * gibibyte;
  by_rule.reserve_least_above = 60 * gibibyte;
  by_rule.prefill_tokens = 2048;
  in.activation_memory = {};
  // 0.5 + 3 GiB below the least of 10 GiB on a large device.
  EXPECT_DOUBLE_EQ(full_answer(in, {&model}, &by_rule).output.kv_pool->base(),
                   80e9 - 16060522496.0 - 10 * 1073741824.0);
  in.memory = 24 * gigabyte;
  EXPECT_DOUBLE_EQ(full_answer(in, {&model}, &by_rule).output.kv_pool->base(),
                   24e9 - 16060522496.0 - 3.5 * 1073741824.0);
}

// ---- properties ----

Inputs any_inputs() {
  Inputs in{.context = pick({1, 1000, 4096, 131072}), .batch = pick({1, 3, 64})};
  in.memory = static_cast<double>(pick({24, 80, 288})) * gigabyte;
  in.tp = pick({1, 2, 4});
  in.pp = pick({1, 2, 3});
  in.block_size = pick({1, 16, 64});
  in.window_extra = pick({0, 512});
  return in;
}
const Model& any_published() {
  static const std::vector<Model> kModels = published_models();
  return kModels[*rc::gen::inRange<std::size_t>(0, kModels.size())];
}

// The longest context and the largest batch that are promised fit, and no more.
RC_GTEST_PROP(Fit, PromisesAreKept, ()) {
  Inputs in = any_inputs();
  in.activation_memory = 1 * gigabyte;  // does not grow with what is asked
  const Model& model = any_published();
  const Output out = answer(in, model);
  if (out.max_batch && *out.max_batch > 0) {
    in.batch = *out.max_batch;
    RC_ASSERT(*answer(in, model).fits);
    in.batch += 1;
    RC_ASSERT(!*answer(in, model).fits);
    in.batch -= 1;
  }
  const Output again = answer(in, model);
  if (again.max_context_tokens && *again.max_context_tokens > 0) {
    in.context = *again.max_context_tokens;
    RC_ASSERT(*answer(in, model).fits);
    in.context = *again.max_context_tokens + *in.block_size;
    RC_ASSERT(!*answer(in, model).fits);
  }
}

RC_GTEST_PROP(Fit, MoreMemoryIsNeverWorse, ()) {
  Inputs in = any_inputs();
  const Model& model = any_published();
  const Output less = answer(in, model);
  in.memory = 1.5 * *in.memory;
  const Output more = answer(in, model);
  RC_ASSERT(*more.fits || !*less.fits);
  RC_ASSERT(*more.max_batch >= *less.max_batch);
  RC_ASSERT(*more.kv_tokens_capacity >= *less.kv_tokens_capacity);
}

// Conservation: the whole cache is that of all stages and distinct heads.
RC_GTEST_PROP(Fit, StagesSumToTheModel, ()) {
  Inputs in = any_inputs();
  in.tp = 1;
  const Model& model = any_published();
  const auto all = full_answer(in, {&model});
  double kv = 0, weights = 0;
  for (const Rank& r : all.rows) {
    kv += r.kv_cache->base();
    weights += r.weights->base();
  }
  RC_ASSERT(std::abs(kv - all.output.kv_cache->base()) <= 1e-9 * kv);
  RC_ASSERT(weights >= all.output.weights->base() * (1 - 1e-12));
}

TEST(Fit, RejectsWhatHasNoMeaning) {
  const Model model = llama_3_8b(), moe = qwen_3_30b();
  const Model partial = partial_model(30, softmax_heads(0, 0, 0));
  EXPECT_EQ(fault({}, {}), "model");
  EXPECT_EQ(fault({.context = 0}, {&model}), "context");
  EXPECT_EQ(fault({.batch = 0}, {&model}), "batch");
  EXPECT_EQ(fault({.memory = -1 * gigabyte}, {&model}), "memory");
  EXPECT_EQ(fault({.memory_utilization = 1.5}, {&model}), "memory_utilization");
  EXPECT_EQ(fault({.kv_blocks = 1, .kv_tokens = 1}, {&model}), "kv_blocks");
  EXPECT_EQ(fault({.bits_per_weight = 0}, {&model}), "bits_per_weight");
  EXPECT_EQ(fault({.context = 4096}, {&partial}), "model/num_attention_heads");
  EXPECT_EQ(fault({.memory = 1 * gigabyte}, {&partial}), "model");
  Inputs in;
  in.pp = 33;
  EXPECT_EQ(fault(in, {&model}), "pp");
  in = {};
  in.pp_layers = {16, 15};
  EXPECT_EQ(fault(in, {&model}), "pp_layers");
  in.pp_layers = {16, 16};
  in.pp = 4;
  EXPECT_EQ(fault(in, {&model}), "pp_layers");
  in = {};
  in.ep = in.dp = 2;
  EXPECT_EQ(fault(in, {&model}), "ep");
  in.ep = in.dp = 3;
  EXPECT_EQ(fault(in, {&moe}), "ep");
  in = {};
  in.etp = 3;
  EXPECT_EQ(fault(in, {&moe}), "etp");
}

}  // namespace
}  // namespace ridgeline::solve::fit
