#include "ridgeline/solve/fit_training.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/published_models.h"
#include "tests/support/solver_inputs.h"

namespace ridgeline::solve::fit_training {
namespace {

using namespace ridgeline::testing;
using physics::Recompute;

// A node of eight devices with so much memory each.
Machine node(double gigabytes, std::int64_t devices = 8) {
  Machine machine = gpu_tree();
  machine.levels.clear();
  machine.levels.push_back(gpu_tree().levels[0]);
  machine.levels[0].count = devices;
  machine.device.memory_capacity = gigabytes * gigabyte;
  return machine;
}

Inputs asked(std::int64_t batch, std::int64_t seq_len, double gigabytes) {
  Inputs in;
  in.training.batch_size = batch;
  in.training.seq_len = seq_len;
  in.training.microbatch_count = batch;
  in.training.memory = gigabytes * gigabyte;
  return in;
}

Inputs checked(const Inputs& in, const Subject& subject) {
  const auto out = check(in, subject);
  EXPECT_TRUE(out.has_value()) << out.error().message;
  return *out;
}

// 7e9 parameters x (2 + 2 + 12) B = 112 GB and 0.35 GiB of runtime; of 128 GB.
TEST(FitTraining, CountsStatesAndRuntime) {
  const Totals model = round_7b();
  const Subject subject{.totals = &model};
  Inputs in;
  in.training.memory = 128 * gigabyte;
  const Output out = solve(checked(in, subject), subject).output;
  const double need = 112e9 + 0.35 * 1073741824;
  EXPECT_DOUBLE_EQ(out.total->base(), need);
  EXPECT_DOUBLE_EQ(out.headroom->base(), 128e9 - need);
  EXPECT_TRUE(*out.fits);
  EXPECT_FALSE(out.max_context_tokens.has_value());
  in.training.memory = 112 * gigabyte;
  EXPECT_FALSE(*solve(checked(in, subject), subject).output.fits);
  in.runtime_memory = Bytes{};
  EXPECT_TRUE(*solve(checked(in, subject), subject).output.fits);
}

TEST(FitTraining, IsTrainingMemoryAndRuntime) {
  const Model model = llama_3_70b();
  const Subject subject{.model = &model};
  Inputs in = asked(64, 4096, 80);
  in.training.tp = 8;
  in.training.pp = 4;
  in.training.activation_checkpointing = Recompute::full;
  in = checked(in, subject);
  const auto found = solve(in, subject);
  const auto memory = training_memory::solve(in.training, subject);
  EXPECT_EQ(*found.output.total, *memory.output.total + found.output.runtime);
  EXPECT_EQ(found.output.limiting_rank, memory.output.peak_stage);
  EXPECT_EQ(found.rows.size(), 4U);
}

TEST(FitTraining, FindsTheLongestSequenceAndTheLargestBatch) {
  const Model model = llama_3_8b();
  const Subject subject{.model = &model};
  Inputs in = asked(8, 2048, 200);
  in = checked(in, subject);
  const Output out = solve(in, subject).output;
  ASSERT_TRUE(out.max_context_tokens.has_value());
  const auto fits_at = [&](std::int64_t seq_len, std::int64_t batch) {
    Inputs other = in;
    other.training.seq_len = seq_len;
    other.training.batch_size = batch;
    return *solve(checked(other, subject), subject).output.fits;
  };
  EXPECT_TRUE(fits_at(*out.max_context_tokens, 8));
  EXPECT_FALSE(fits_at(*out.max_context_tokens + 1, 8));
  EXPECT_TRUE(fits_at(2048, *out.max_batch));
  EXPECT_FALSE(fits_at(2048, *out.max_batch + 1));
}

// Eight replicas of 7e9 parameters: ZeRO 1 leaves 12/8 of the optimizer's 84 GB, and so on.
TEST(FitTraining, RanksWhatFreesMost) {
  const Totals model = round_7b();
  const Subject subject{.totals = &model};
  Inputs in;
  in.training.dp = 8;
  in.training.memory = 100 * gigabyte;
  const auto found = changes(checked(in, subject), subject, nullptr);
  const auto freed = [&](std::string_view flags) {
    const auto it = std::find_if(found.begin(), found.end(),
                                 [&](const Change& c) { return c.flags.view() == flags; });
    EXPECT_NE(it, found.end()) << flags;
    return it == found.end() ? 0.0 : it->freed.base();
  };
  constexpr double kOptimizer = 84e9, kGradients = 14e9, kWeights = 14e9, kKept = 7.0 / 8;
  EXPECT_DOUBLE_EQ(freed("--zero-stage 1"), kKept * kOptimizer);
  EXPECT_DOUBLE_EQ(freed("--zero-stage 2"), kKept * (kOptimizer + kGradients));
  EXPECT_DOUBLE_EQ(freed("--zero-stage 3"), kKept * (kOptimizer + kGradients + kWeights));
  EXPECT_DOUBLE_EQ(freed("--offload optimizer"), kOptimizer);
  EXPECT_DOUBLE_EQ(freed("--optimizer adam-8bit"), kOptimizer - 7e9 * 6);
  EXPECT_TRUE(std::is_sorted(found.begin(), found.end(),
                             [](const Change& a, const Change& b) { return a.freed > b.freed; }));
  for (const Change& change : found) {
    EXPECT_GT(change.freed.base(), 0);
    EXPECT_EQ(change.fits, change.total <= 100 * gigabyte);
  }
}

TEST(FitTraining, OffloadedActivationsHaveNoSpeed) {
  const Totals model = round_7b();
  const Subject subject{.totals = &model};
  const Cluster cluster = round_cluster(1);
  Inputs in = asked(8, 2048, 100);
  in.training.tp = 8;
  EXPECT_TRUE(speed_of(checked(in, subject), subject, cluster).has_value());
  in.training.offload = {training_memory::Offload::activations};
  EXPECT_FALSE(speed_of(checked(in, subject), subject, cluster).has_value());
}

// Every plan of the devices by hand: tp x pp x dp = 8, ZeRO 0 to 3, three recomputations.
TEST(FitTraining, ChoosesTheFastestPlanThatFits) {
  const Model model = llama_3_8b();
  const Machine machine = node(60);
  const Subject subject{.model = &model, .machine = &machine};
  const Cluster cluster = round_cluster(1);
  const Inputs in = checked(asked(64, 4096, 60), subject);
  const Open open{.degrees = true, .zero = true, .recompute = true, .micro_batches = true};
  Inputs best = in;
  const auto chosen = choose(best, subject, 8, open, &cluster);
  ASSERT_TRUE(chosen.has_value());
  EXPECT_TRUE(chosen->fits);
  const Seconds step = speed_of(best, subject, cluster)->step;
  int tried = 0;
  for (std::int64_t tp = 1; tp <= 8; tp *= 2) {
    for (std::int64_t pp = 1; tp * pp <= 8; pp *= 2) {
      for (std::int64_t zero = 0; zero <= 3; ++zero) {
        for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
          Inputs one = in;
          one.training.tp = tp;
          one.training.pp = pp;
          one.training.dp = 8 / tp / pp;
          one.training.etp = std::nullopt;
          one.training.zero_stage = zero;
          one.training.activation_checkpointing = recompute;
          one.training.microbatch_count = 64 / one.training.dp;
          const auto usable = check(one, subject);
          if (!usable || !*solve(*usable, subject).output.fits) continue;
          ++tried;
          EXPECT_LE(step, speed_of(*usable, subject, cluster)->step);
        }
      }
    }
  }
  EXPECT_GT(tried, 10);
}

// 16 B x 8.03e9 = 128.5 GB of states with their activations: 4 x 80 = 320 GB beat 8 x 48 = 384 GB;
// two of 80 GB do not hold them without sharing out, ZeRO 3 with two replicas does.
TEST(FitTraining, FindsTheSmallestMachine) {
  const Model model = llama_3_8b();
  const Subject subject{.model = &model};
  const Inputs in = checked(asked(8, 4096, 1), subject);
  const std::vector<Machine> machines = {node(48), node(80), node(24)};
  const Open fixed{.degrees = true, .micro_batches = true};
  const Open free{.degrees = true, .zero = true, .recompute = true, .micro_batches = true};
  const auto found = smallest_machine(in, subject, machines, free);
  ASSERT_TRUE(found.has_value());
  const double least = static_cast<double>(found->choice.devices) *
                       machines[found->machine].device.memory_capacity.base();
  const auto rigid = smallest_machine(in, subject, machines, fixed);
  ASSERT_TRUE(rigid.has_value());
  EXPECT_LE(least, static_cast<double>(rigid->choice.devices) *
                       machines[rigid->machine].device.memory_capacity.base());
  // nothing with less memory in all holds any plan
  for (const Machine& machine : machines) {
    for (std::int64_t devices = 1; devices <= 8; devices *= 2) {
      if (static_cast<double>(devices) * machine.device.memory_capacity.base() >= least) continue;
      Inputs one = in;
      one.training.memory = machine.device.memory_capacity;
      const Subject here{.model = &model, .machine = &machine};
      const auto chosen = choose(one, here, devices, free, nullptr);
      EXPECT_FALSE(chosen && chosen->fits) << devices;
    }
  }
}

TEST(FitTraining, RefusesWhatHasNoMeaning) {
  const Totals model = round_7b();
  const Subject subject{.totals = &model};
  Inputs in;
  in.runtime_memory = -1 * gigabyte;
  EXPECT_EQ(check(in, subject).error().where, "runtime_memory");
  in.runtime_memory = std::nullopt;
  in.efficiency = 2;
  EXPECT_EQ(check(in, subject).error().where, "efficiency");
  in.efficiency = std::nullopt;
  in.training.zero_stage = 4;
  EXPECT_EQ(check(in, subject).error().where, "zero_stage");
}

}  // namespace
}  // namespace ridgeline::solve::fit_training
