#include "ridgeline/solve/parallelism.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/models.h"
#include "tests/support/solver_inputs.h"

namespace ridgeline::solve::parallelism {
namespace {

using physics::Recompute;
using physics::Schedule;

Inputs round_inputs(std::int64_t nodes) {
  Inputs in;
  in.model = testing::llama_8b_totals();
  in.machine = testing::round_cluster(nodes);
  in.setting = testing::flat(0.5);
  in.setting.precision = Precision::bf16;
  in.batch_size = 32;
  in.seq_len = 4096;
  return in;
}

Answer<Output, Plan> answer(const Inputs& in) {
  const auto checked = check(in);
  EXPECT_TRUE(checked.has_value()) << (checked ? "" : checked.error().message);
  return solve(*checked);
}

// Every setting of every degree up to the devices, whatever divides what, that distributed takes.
struct Brute {
  std::vector<Plan> fit;

  const Plan& fastest() const {
    return *std::min_element(fit.begin(), fit.end(),
                             [](const Plan& a, const Plan& b) { return a.step < b.step; });
  }
  // In how many plans is no other as good in one and better in the other?
  std::int64_t front() const {
    std::vector<Plan> by_step = fit;
    std::sort(by_step.begin(), by_step.end(), [](const Plan& a, const Plan& b) {
      return a.step != b.step ? a.step < b.step : a.memory < b.memory;
    });
    std::int64_t count = 0;
    Bytes least = Bytes::from_base(1e300);
    for (const Plan& plan : by_step) {
      if (plan.memory >= least) continue;
      least = plan.memory;
      ++count;
    }
    return count;
  }
};

void add_settings(const Inputs& in, distributed::Inputs step, Brute& out) {
  for (const Schedule schedule : in.space.pipeline_schedule) {
    for (std::int64_t v = 1; v <= *in.model.layers; ++v) {
      const bool divides = (*in.model.layers / step.degrees.pp) % v == 0;
      if (!divides || (v > 1) != (schedule == Schedule::interleaved)) continue;
      for (std::int64_t m = 1; m <= in.batch_size; ++m) {
        step.degrees.pipeline_schedule = schedule;
        step.degrees.v_stages = v;
        step.degrees.microbatch_count = m;
        for (const Recompute recompute : in.space.activation_recomputation) {
          for (const std::int64_t zero : in.space.zero_stage) {
            step.activation_recomputation = recompute;
            step.zero_stage = zero;
            const auto checked = distributed::check(step);
            const std::int64_t samples = (in.batch_size - 1) / (checked ? *checked->degrees.dp : 1);
            if (!checked || (samples + 1) % m != 0) continue;
            const distributed::Output made = distributed::solve(*checked).output;
            if (!*made.feasible) continue;
            out.fit.push_back({.tp = step.degrees.tp,
                               .zero_stage = zero,
                               .step = made.step,
                               .memory = *made.memory.total});
          }
        }
      }
    }
  }
}

Brute brute_force(const Inputs& in) {
  Brute out;
  const std::int64_t N = in.machine.device_count(), E = in.model.experts.value_or(1);
  for (std::int64_t tp = 1; tp <= in.machine.devices_per_node; ++tp) {
    for (std::int64_t cp = 1; tp * cp <= N; ++cp) {
      for (std::int64_t pp = 1; tp * cp * pp <= N; ++pp) {
        for (std::int64_t ep = 1; ep <= E; ++ep) {
          if (N % (tp * cp * pp) != 0) continue;
          distributed::Inputs step = step_of(in);
          step.degrees = {.tp = tp, .cp = cp, .pp = pp, .ep = ep};
          add_settings(in, step, out);
        }
      }
    }
  }
  return out;
}

void expect_brute_force(const Inputs& given) {
  const auto in = check(given);
  ASSERT_TRUE(in.has_value()) << in.error().message;
  const Output found = solve(*in).output;
  const Brute all = brute_force(*in);
  ASSERT_FALSE(all.fit.empty());
  ASSERT_TRUE(found.best.has_value());
  EXPECT_EQ(found.best->step, all.fastest().step);
  EXPECT_EQ(found.pareto_count, all.front());
  EXPECT_LT(found.priced_count, found.settings_count);
}

// Trust: bounds rule out nothing that wins, neither the best nor the front.
TEST(Parallelism, KeepsItsTrustStatement) {
  expect_brute_force(round_inputs(1));
  Inputs tight = round_inputs(2);
  tight.setting.memory_utilization = 0.25;
  tight.traffic.overlap_comm = true;
  tight.setting.layer_overhead = 20 * microsecond;
  expect_brute_force(tight);
  Inputs paired = round_inputs(2);
  paired.space.pipeline_schedule = {Schedule::dualpipe, Schedule::gpipe, Schedule::zb1p};
  expect_brute_force(paired);
  Inputs experts = round_inputs(4);
  experts.model = testing::mixtral_totals();
  experts.batch_size = 16;
  experts.traffic.straggler_factor = 1.1;
  experts.traffic.moe_routing_imbalance_factor = 1.5;
  experts.space.zero_stage = {1, 3};
  expect_brute_force(experts);
}

// Trust: more memory never worsens the best, nor does less shut it out silently.
TEST(Parallelism, MoreMemoryNeverWorsensTheBest) {
  Seconds last = Seconds::from_base(1e9);
  Inputs in = round_inputs(2);
  for (const double gigabytes : {12, 20, 40, 80, 160}) {
    in.machine.device.memory_capacity = gigabytes * gigabyte;
    const Output out = answer(in).output;
    ASSERT_TRUE(out.feasible) << gigabytes;
    EXPECT_LE(out.best->step, last);
    EXPECT_EQ(out.candidates_count, out.feasible_count + out.rejected.all());
    last = out.best->step;
  }
}

// Eight devices, tp alone: 1, 2, 4 and 8. The best of each is listed, the fastest first.
TEST(Parallelism, CountsItsCandidates) {
  Inputs in = round_inputs(1);
  in.space.max_cp = in.space.max_pp = in.space.max_ep = 1;
  const Answer<Output, Plan> four = answer(in);
  EXPECT_EQ(four.output.candidates_count, 4);
  ASSERT_EQ(four.rows.size(), 4U);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_LE(four.rows[i - 1].step, four.rows[i].step);
  EXPECT_EQ(four.rows[0].step, four.output.best->step);
  in.top = 2;
  EXPECT_EQ(answer(in).rows.size(), 2U);
  in.space.tp = {2};
  EXPECT_EQ(answer(in).output.candidates_count, 1);
  EXPECT_EQ(answer(in).output.best->tp, 2);
}

// 12 devices a node: 3 and 6 are divisors too; of 32 heads only 1, 2 and 4 are.
TEST(Parallelism, TriesAllDivisorsAndSaysWhatIsRejected) {
  Inputs in = round_inputs(1);
  in.machine.devices_per_node = 12;
  in.space.max_cp = in.space.max_pp = 1;
  const Output out = answer(in).output;
  EXPECT_EQ(out.candidates_count, 6);
  EXPECT_EQ(out.rejected.heads, 3);
  in = round_inputs(8);
  in.space.tp = {1};
  in.space.cp = {1};
  const Output deep = answer(in).output;  // pp 64 of 32 layers
  EXPECT_EQ(deep.rejected.layers, 1);
  in.space.pp = {64};
  EXPECT_FALSE(answer(in).output.feasible);
  EXPECT_EQ(answer(in).output.reason, Reason::layers);
}

TEST(Parallelism, LeavesTheNodeOnlyWhenAllowed) {
  Inputs in = round_inputs(4);
  in.space.max_cp = in.space.max_pp = 1;
  EXPECT_EQ(answer(in).output.candidates_count, 4);
  in.space.max_tp = 32;
  EXPECT_EQ(answer(in).output.candidates_count, 6);
}

TEST(Parallelism, RanksByTheObjective) {
  Inputs in = round_inputs(1);
  in.objective = Objective::memory;
  const Output small = answer(in).output;
  EXPECT_EQ(small.best->memory, small.pareto[small.pareto.size() - 1].memory);
  in.objective = Objective::energy;
  const Output frugal = answer(in).output;
  EXPECT_LE(*frugal.best->energy, *small.best->energy);
  in.machine.device.tdp.reset();
  EXPECT_EQ(check(in).error().where, "machine/device/tdp");
}

TEST(Parallelism, SaysWhenNothingFits) {
  Inputs in = round_inputs(1);
  in.machine.device.memory_capacity = 1 * gigabyte;
  const Answer<Output, Plan> none = answer(in);
  EXPECT_FALSE(none.output.feasible);
  EXPECT_EQ(none.output.reason, Reason::memory);
  EXPECT_FALSE(none.output.best.has_value());
  EXPECT_TRUE(none.rows.empty());
}

TEST(Parallelism, NamesWhatIsWrong) {
  Inputs in = round_inputs(1);
  in.space.tp = {3};
  EXPECT_EQ(check(in).error().where, "tp_size");
  in = round_inputs(1);
  in.machine.device.memory_capacity.reset();
  EXPECT_EQ(check(in).error().where, "machine/device/memory_capacity");
}

}  // namespace
}  // namespace ridgeline::solve::parallelism
