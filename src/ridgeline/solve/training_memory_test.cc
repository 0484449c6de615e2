#include "ridgeline/solve/training_memory.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "tests/support/published_models.h"

namespace ridgeline::solve::training_memory {
namespace {

using namespace ridgeline::testing;
using physics::ActivationForm;
using physics::Recompute;
using physics::Schedule;

Answer<Output, Stage> full_answer(const Inputs& in, const Subject& subject) {
  const auto checked = check(in, subject);
  EXPECT_TRUE(checked.has_value()) << (checked ? "" : checked.error().message);
  return solve(*checked, subject);
}

Output answer(const Inputs& in, const Totals& totals) {
  return full_answer(in, {nullptr, &totals}).output;
}
Output answer(const Inputs& in, const Model& model) {
  return full_answer(in, {&model}).output;
}

Totals of_params(double params) {
  return {.params = params};
}

TEST(TrainingMemory, CountsStatesPerParameter) {
  const auto per_param = [](const Inputs& in) {
    return *answer(in, of_params(1e9)).state_bytes_per_param;
  };
  Inputs in;
  EXPECT_DOUBLE_EQ(per_param(in), 16);  // 2 + 2 + 12
  in.gradient_precision = StoredPrecision::fp32;
  EXPECT_DOUBLE_EQ(per_param(in), 18);
  in.zero_stage = 1;
  EXPECT_DOUBLE_EQ(per_param(in), 18);
  in.dp = 8;
  EXPECT_DOUBLE_EQ(per_param(in), 7.5);  // 2 + 4 + 12/8
  in.dp = 64;
  EXPECT_DOUBLE_EQ(per_param(in), 6.1875);
  in = {.zero_stage = 2};
  in.dp = 8;
  EXPECT_DOUBLE_EQ(per_param(in), 3.75);  // 2 + 14/8
  in.zero_stage = 3;
  EXPECT_DOUBLE_EQ(per_param(in), 2);  // 16/8
}

TEST(TrainingMemory, KnowsTheOptimizers) {
  const auto bytes = [](Optimizer optimizer) {
    return optimizer_bytes_per_param({.optimizer = optimizer});
  };
  EXPECT_EQ(bytes(Optimizer::adam), 12);
  EXPECT_EQ(bytes(Optimizer::adamw), 12);
  EXPECT_EQ(bytes(Optimizer::sgd_momentum), 8);
  EXPECT_EQ(bytes(Optimizer::sgd), 4);
  EXPECT_EQ(bytes(Optimizer::adam_8bit), 6);
  EXPECT_EQ(bytes(Optimizer::none), 0);
  EXPECT_EQ(optimizer_bytes_per_param({.precision = Precision::fp32}), 8);
  EXPECT_EQ(optimizer_bytes_per_param(
                {.optimizer_precision = Precision::bf16, .master_weights = StoredPrecision::none}),
            4);
}

// Llama-2-7B in fp32, gradients consumed as made: (4 + 8) x 6 738 415 616. 7e9 x 16. Llama-3.1-70B
// all in 16 bits: 8 x 70 553 706 496.
TEST(TrainingMemory, FollowsTheRecipe) {
  Inputs in{.precision = Precision::fp32, .gradient_precision = StoredPrecision::none};
  in.master_weights = StoredPrecision::none;
  in.memory = 128 * gigabyte;
  const Output fp32 = answer(in, of_params(6738415616));
  EXPECT_DOUBLE_EQ(fp32.state->base(), 80860987392);
  EXPECT_TRUE(*fp32.feasible);
  in.gradient_precision = StoredPrecision::fp32;
  EXPECT_DOUBLE_EQ(answer(in, of_params(7e9)).state->base(), 112e9);
  EXPECT_DOUBLE_EQ(*answer(in, of_params(7e9)).state_bytes_per_param, 16);
  in = {.optimizer_precision = Precision::bf16, .master_weights = StoredPrecision::none};
  EXPECT_DOUBLE_EQ(answer(in, of_params(70553706496)).state->base(), 564429651968);
  EXPECT_FALSE(answer(in, of_params(1e9)).feasible.has_value());
}

// 68 976 648 192 x 4/8 with the optimizer in host memory; two gathered layers on top.
TEST(TrainingMemory, OffloadedStatesLeaveTheDevice) {
  Inputs in{.batch_size = 8, .seq_len = 2048, .activation_checkpointing = Recompute::full};
  in.dp = 8;
  in.zero_stage = 3;
  in.offload = {Offload::optimizer};
  in.memory = 80 * gigabyte;
  const Output out = answer(in, llama_2_70b());
  EXPECT_DOUBLE_EQ(out.state->base(), 34488324096);
  EXPECT_DOUBLE_EQ(out.host->base(), 68976648192.0 * 12 / 8);
  EXPECT_NEAR(out.resident_state->base(), 34488324096 + 2 * 855654400.0 * 2, 1);
  EXPECT_TRUE(*out.feasible);
  in.offload = {};
  EXPECT_FALSE(*answer(in, llama_2_70b()).feasible);
}

TEST(TrainingMemory, ShardsLlama7BLikeADistributedOptimizer) {
  Inputs in{.batch_size = 16, .seq_len = 4096, .gradient_precision = StoredPrecision::fp32};
  in.dp = 8;
  in.zero_stage = 1;
  EXPECT_NEAR(answer(in, llama_2_7b()).state->base(), 50538117120, 0.001 * 50538117120);
}

TEST(TrainingMemory, Gpt3KeepsWhatIsPublishedPerLayer) {
  Inputs in{.batch_size = 1, .seq_len = 2048, .activation_form = ActivationForm::gpt};
  EXPECT_DOUBLE_EQ(*answer(in, gpt_3_175b()).activations_bytes_per_layer, 2868903936);
  in.tp = 8;
  EXPECT_DOUBLE_EQ(*answer(in, gpt_3_175b()).activations_bytes_per_layer, 358612992);
  in.sequence_parallel = false;
  EXPECT_DOUBLE_EQ(*answer(in, gpt_3_175b()).activations_bytes_per_layer, 578813952);
}

// ---- models by their totals: the numbers of the golden cases, redone by hand ----

Totals llama_8b_totals() {
  return {.params = 8.03e9, .layers = 32, .hidden = 4096, .heads = 32, .kv_heads = 8};
}

Inputs golden(Recompute recompute) {
  Inputs in{.batch_size = 8,
            .seq_len = 2048,
            .precision = Precision::fp16,
            .activation_checkpointing = recompute,
            .activation_form = ActivationForm::gpt};
  in.include_logits = false;
  in.communication_buffer_fraction = 0.05;
  in.memory = 80 * gibibyte;
  return in;
}

// 32 x 8 x (34 x 2048 x 4096 + 5 x 32 x 2048^2).
TEST(TrainingMemory, TotalsOnOneDevice) {
  const Output none = answer(golden(Recompute::none), llama_8b_totals());
  EXPECT_DOUBLE_EQ(none.weights->base(), 16.06e9);
  EXPECT_DOUBLE_EQ(none.optimizer->base(), 96.36e9);
  EXPECT_DOUBLE_EQ(none.activations->base(), 244813135872);
  EXPECT_DOUBLE_EQ(none.buffers->base(), 0.05 * 16.06e9);
  EXPECT_NEAR(none.total->base(), 374096135872, 1);
  EXPECT_NEAR(*none.utilization_fraction, 4.355052205175162, 1e-9);
  EXPECT_FALSE(*none.feasible);
  Inputs fp32 = golden(Recompute::selective);
  fp32.precision = Precision::fp32;
  const Output wide = answer(fp32, llama_8b_totals());
  EXPECT_DOUBLE_EQ(wide.optimizer->base(), 64.24e9);
  EXPECT_DOUBLE_EQ(wide.activations->base(), 146028888064);
  Inputs lora = golden(Recompute::selective);
  lora.trainable_fraction = 0.01;
  EXPECT_NEAR(answer(lora, llama_8b_totals()).total->base(), 90206674032, 1);
  Inputs sgd = golden(Recompute::selective);
  sgd.optimizer = Optimizer::sgd;
  EXPECT_NEAR(answer(sgd, llama_8b_totals()).total->base(), 138057444032, 1);
}

// S 2048, d 4096, mb 8, L 32, t 8: 34/8 with sequence parallelism, 10 + 3 without; ZeRO 2 over 8.
TEST(TrainingMemory, TotalsOnManyDevices) {
  Inputs in = golden(Recompute::selective);
  in.tp = 8;
  EXPECT_NEAR(answer(in, llama_8b_totals()).total->base(), 25287180504, 1);
  in.sequence_parallel = false;
  EXPECT_DOUBLE_EQ(answer(in, llama_8b_totals()).activations->base(), 27917287424);
  in = golden(Recompute::selective);
  in.dp = 8;
  in.zero_stage = 2;
  EXPECT_NEAR(answer(in, llama_8b_totals()).total->base(), 39339680504, 1);
}

// pp 4, m 8: one sequence a micro-batch, four in flight on the first stage of eight layers; buffers
// 0.05 x 4.015e9 + 2 x 2048 x 4096 x 2.
TEST(TrainingMemory, TotalsInAPipeline) {
  Inputs in = golden(Recompute::selective);
  in.pp = 4;
  in.microbatch_count = 8;
  const Output out = answer(in, llama_8b_totals());
  EXPECT_DOUBLE_EQ(out.activations->base(), 9126805504);
  EXPECT_NEAR(out.buffers->base(), 234304432, 1);
  EXPECT_NEAR(out.total->base(), 41481109936, 1);
  EXPECT_EQ(out.peak_stage, 0);
}

// syn-70b: 10 layers a stage, mb 32, inputs kept sharded and one layer's 34/8 S mb d.
TEST(TrainingMemory, FullRecomputationHasAWorkingSet) {
  const Totals totals{.params = 70e9, .layers = 80, .hidden = 8192, .heads = 64, .kv_heads = 8};
  Inputs in = golden(Recompute::full);
  in.batch_size = 64;
  in.tp = in.pp = 8;
  in.dp = 2;
  in.zero_stage = 3;
  in.memory = 100 * gigabyte;
  const Output out = answer(in, totals);
  EXPECT_DOUBLE_EQ(out.activations->base(), 1342177280 + 2281701376.0);
  EXPECT_NEAR(out.buffers->base(), 2202171148, 1);
  EXPECT_NEAR(out.total->base(), 14576049804, 1);
  EXPECT_TRUE(*out.feasible);
}

// Mixtral: x = 33.8e9/6 per expert, S_0 = 12.9e9 - 2 x; one of eight experts on a device.
TEST(TrainingMemory, ExpertsAreSplitOverDataParallelRanks) {
  const Totals totals{.params = 46.7e9,
                      .active_params = 12.9e9,
                      .layers = 32,
                      .hidden = 4096,
                      .heads = 32,
                      .experts = 8,
                      .active_experts = 2};
  Inputs in = golden(Recompute::selective);
  in.batch_size = in.dp = 64;
  in.ep = 8;
  const Output out = answer(in, totals);
  EXPECT_NEAR(out.weights->base(), 14533333333.333334, 10);
  EXPECT_NEAR(out.optimizer->base(), 87.2e9, 10);
  EXPECT_FALSE(*out.feasible);  // the optimizer alone is more than 80 GiB
  const double with_ep = out.activations->base();
  in.ep = 1;
  EXPECT_DOUBLE_EQ(answer(in, totals).activations->base(), with_ep);
}

// ---- measured peaks ----

// SimuMax, 8 x B200, Megatron with a distributed optimizer and fp32 gradients; GiB allocated by the
// fullest rank [simumax]. Models cut to 12 or 4 layers.
struct Measured {
  const char* name;
  Model model;
  std::int64_t tp, pp, dp, cp, ep, seq_len;
  double gib;
};

Model cut(Model model, std::size_t layers) {
  model.layers.resize(layers);
  return model;
}

Model deepseek_v3_of_4_layers() {
  Model model = cut(deepseek_v3_fp8(), 4);
  model.layers = {0, 1, 1, 1};
  return model;
}

// Trust: within 5 % of measured peaks.
TEST(TrainingMemory, KeepsItsTrustStatement) {
  const Measured kRows[] = {
      {"70B tp1 pp2", cut(llama_3_70b(), 12), 1, 2, 4, 1, 1, 4096, 66.55},
      {"70B tp2", cut(llama_3_70b(), 12), 2, 1, 4, 1, 1, 4096, 60.68},
      {"70B tp4", cut(llama_3_70b(), 12), 4, 1, 2, 1, 1, 4096, 39.07},
      {"70B tp8", cut(llama_3_70b(), 12), 8, 1, 1, 1, 1, 4096, 28.29},
      {"405B tp2", cut(llama_3_405b(), 4), 2, 1, 4, 1, 1, 4096, 81.59},
      {"405B tp8", cut(llama_3_405b(), 4), 8, 1, 1, 1, 1, 4096, 38.57},
      {"70B tp2 cp4", cut(llama_3_70b(), 12), 2, 1, 1, 4, 1, 32768, 68.43},
      {"405B tp2 cp4", cut(llama_3_405b(), 4), 2, 1, 1, 4, 1, 32768, 87.03},
      {"70B cp8", cut(llama_3_70b(), 12), 1, 1, 1, 8, 1, 131072, 147.99},
      {"405B cp4 128k", cut(llama_3_405b(), 4), 2, 1, 1, 4, 1, 131072, 118.13},
      {"V3 ep8", deepseek_v3_of_4_layers(), 1, 1, 8, 1, 8, 4096, 104.3},
      {"V3 ep4 pp2", deepseek_v3_of_4_layers(), 1, 2, 4, 1, 4, 4096, 114.0},
  };
  for (const Measured& r : kRows) {
    SCOPED_TRACE(r.name);
    Inputs in{.batch_size = 8 * r.dp, .seq_len = r.seq_len};
    in.gradient_precision = StoredPrecision::fp32;
    in.microbatch_count = 8;
    in.zero_stage = 1;
    in.tp = r.tp;
    in.pp = r.pp;
    in.dp = r.dp;
    in.cp = r.cp;
    in.ep = r.ep;
    EXPECT_NEAR(answer(in, r.model).total->base() / gibibyte.base(), r.gib, 0.025 * r.gib);
  }
}

// TorchTitan, Llama-3.1-8B, eager loss: 14 bytes per logit (bf16, and fp32 three times over)
// [torchtitan]; fully sharded in fp32 over all ranks.
TEST(TrainingMemory, EagerLossesKeepCopiesOfTheLogits) {
  const struct {
    const char* name;
    std::int64_t micro_batch, seq_len, dp, cp;
    Recompute recompute;
    double gib;
  } kRows[] = {
      {"8 GPUs", 2, 8192, 8, 1, Recompute::selective_op, 77.0},
      {"128 GPUs", 2, 8192, 128, 1, Recompute::selective_op, 62.0},
      {"32k", 1, 32768, 8, 1, Recompute::full, 83.9},
      {"64k", 1, 65536, 4, 2, Recompute::full, 84.2},
      {"128k", 1, 131072, 2, 4, Recompute::full, 84.0},
      {"256k", 1, 262144, 1, 8, Recompute::full, 84.5},
  };
  for (const auto& r : kRows) {
    SCOPED_TRACE(r.name);
    Inputs in{.batch_size = r.micro_batch * r.dp, .seq_len = r.seq_len};
    in.gradient_precision = StoredPrecision::fp32;
    in.activation_checkpointing = r.recompute;
    in.dp = r.dp;
    in.cp = r.cp;
    in.zero_stage = 3;
    in.logits_bytes_per_value = 14;
    EXPECT_NEAR(answer(in, llama_3_8b()).total->base() / gibibyte.base(), r.gib, 0.03 * r.gib);
  }
}

// ---- properties ----

Inputs any_inputs() {
  Inputs in{.batch_size = pick({1, 8, 64}), .seq_len = pick({512, 4096})};
  in.activation_checkpointing = static_cast<Recompute>(pick({0, 1, 2, 3}));
  in.tp = pick({1, 2, 4});
  in.pp = pick({1, 2, 3});
  in.dp = pick({1, 2, 8});
  in.cp = pick({1, 2});
  in.microbatch_count = pick({1, 4, 16});
  in.zero_stage = pick({0, 1, 2, 3});
  in.pipeline_schedule = static_cast<Schedule>(pick({0, 2, 4}));
  in.memory = 80 * gigabyte;
  return in;
}

// Sharded over D ranks, the states of all ranks together are the unsharded ones.
RC_GTEST_PROP(TrainingMemory, ShardsSumToTheWhole, ()) {
  Inputs in = any_inputs();
  const Model model = pick({0, 1}) == 0 ? llama_3_8b() : qwen_3_30b();
  in.zero_stage = 0;
  const auto whole = full_answer(in, {&model}).rows;
  in.zero_stage = 3;
  const auto sharded = full_answer(in, {&model}).rows;
  const double ranks = static_cast<double>(in.dp * in.cp);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const double sum = (*sharded[i].weights + *sharded[i].gradients + *sharded[i].optimizer).base();
    const double due = (*whole[i].weights + *whole[i].gradients + *whole[i].optimizer).base();
    RC_ASSERT(std::abs(sum * ranks - due) <= 1e-9 * due);
  }
}

RC_GTEST_PROP(TrainingMemory, TheLargestMicroBatchFitsAndOneMoreDoesNot, ()) {
  Inputs in = any_inputs();
  const Model model = llama_3_8b();
  in.memory = static_cast<double>(pick({20, 80, 400})) * gigabyte;
  const Output out = answer(in, model);
  RC_PRE(out.largest_micro_batch.has_value());
  const std::int64_t most = *out.largest_micro_batch;
  in.batch_size = (most + 1) * in.dp * in.microbatch_count;
  RC_ASSERT(!*answer(in, model).feasible);
  RC_PRE(most > 0);
  in.batch_size = most * in.dp * in.microbatch_count;
  RC_ASSERT(*answer(in, model).feasible);
}

RC_GTEST_PROP(TrainingMemory, HigherZeroStagesNeverHoldMore, ()) {
  Inputs in = any_inputs();
  in.activation_form = ActivationForm::gpt;
  const Totals totals = llama_8b_totals();
  double last = INFINITY;
  for (in.zero_stage = 0; in.zero_stage <= 3; ++in.zero_stage) {
    const double total = answer(in, totals).total->base();
    RC_ASSERT(total <= last);
    last = total;
  }
}

TEST(TrainingMemory, ThePeakIsTheFirstStageUnlessLogitsDominate) {
  Inputs in{.batch_size = 16, .seq_len = 4096};
  in.pp = 4;
  in.microbatch_count = 16;
  EXPECT_EQ(answer(in, cut(llama_3_405b(), 8)).peak_stage, 0);
  in.logits_bytes_per_value = 100;
  EXPECT_EQ(answer(in, cut(llama_3_405b(), 8)).peak_stage, 3);
}

TEST(TrainingMemory, UnevenStagesUseTheirOwnLayers) {
  Inputs in{.batch_size = 2, .seq_len = 2048};
  in.pp = 2;
  in.pp_layers = {4, 28};
  const Model model = llama_3_8b();
  const auto rows = full_answer(in, {&model}).rows;
  EXPECT_EQ(*rows[0].layers, 4);
  EXPECT_GT(rows[1].total->base(), 5 * rows[0].total->base() / 2);
}

TEST(TrainingMemory, RejectsWhatHasNoMeaning) {
  const Totals totals = llama_8b_totals();
  const Model dense = llama_3_8b(), moe = qwen_3_30b();
  const auto fault = [](const Inputs& in, const Subject& subject) {
    const auto checked = check(in, subject);
    return checked ? std::string("none") : checked.error().where;
  };
  Inputs in;
  in.zero_stage = 4;
  EXPECT_EQ(fault(in, {nullptr, &totals}), "zero_stage");
  in = {};
  in.tp = 0;
  EXPECT_EQ(fault(in, {nullptr, &totals}), "tp");
  in = {.precision = Precision::int4};
  EXPECT_EQ(fault(in, {nullptr, &totals}), "precision");
  in = {};
  in.ep = 2;
  in.dp = 2;
  EXPECT_EQ(fault(in, {&dense}), "ep");
  in.ep = in.dp = 3;
  EXPECT_EQ(fault(in, {&moe}), "ep");  // 128 experts
  in.ep = 4;
  in.dp = 2;
  EXPECT_EQ(fault(in, {&moe}), "ep");
  in = {};
  in.pp = 33;
  EXPECT_EQ(fault(in, {&dense}), "pp");
  in.pp = 16;
  in.v_stages = 3;
  EXPECT_EQ(fault(in, {&dense}), "v_stages");
  in = {.batch_size = 0};
  EXPECT_EQ(fault(in, {&dense}), "batch_size");
  EXPECT_EQ(fault({}, {}), "model");
}

}  // namespace
}  // namespace ridgeline::solve::training_memory
