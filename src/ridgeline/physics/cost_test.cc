#include "ridgeline/physics/cost.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "ridgeline/physics/lower.h"
#include "tests/support/models.h"

namespace ridgeline::physics {
namespace {

double separable_latency(const Separable& s, const Rates& r) {
  double t = 0;
  for (const Term& term : s.terms) {
    t += term.count * std::max(term.flop / r.flop_per_s, term.memory_bytes / r.memory_bytes_per_s);
  }
  for (std::size_t l = 0; l < r.levels; ++l) {
    t += s.traffic.hops[l] * r.latency_s[l] + s.traffic.link_bytes[l] / r.bytes_per_s[l];
  }
  return t;
}

struct Evaluated {
  Step step;
  Scenario scenario;
  double latency;
};

Evaluated evaluate(const Model& model, const Scenario& scenario) {
  Evaluated out{{}, scenario, 0};
  Lowering lowering(model, scenario.machine, scenario.work);
  lowering.lower(scenario.plan, out.step);
  if (out.step.layout.valid()) {
    out.latency =
        latency_s(out.step, rates_of(scenario.machine, scenario.work.activation_precision));
  }
  return out;
}

Machine any_machine() {
  return testing::pick({0, 1}) == 0 ? testing::any_chiplet() : testing::gpu_tree();
}

RC_GTEST_PROP(Cost, SeparableFormEqualsStageByStage, ()) {
  const Model model = testing::any_model();
  const Evaluated e = evaluate(model, {any_machine(), testing::any_work(), testing::any_plan()});
  RC_PRE(e.step.layout.valid());
  const Rates rates = rates_of(e.scenario.machine, Precision::bf16);
  Separable s;
  separate(e.step, rates.vector_fraction, rates.levels, s);
  RC_ASSERT(std::fabs(separable_latency(s, rates) / e.latency - 1) < 1e-12);
}

RC_GTEST_PROP(Cost, StagesSumToTheTotal, ()) {
  const Model model = testing::any_model();
  const Evaluated e = evaluate(model, {any_machine(), testing::any_work(), testing::any_plan()});
  RC_PRE(e.step.layout.valid());
  const Rates rates = rates_of(e.scenario.machine, Precision::bf16);
  double sum = 0;
  for (const LayerWork& layer : e.step.layers) {
    for (const StageWork& w : layer.stages) {
      sum += static_cast<double>(layer.count) * cost_of(w, rates).total_s;
    }
  }
  for (const StageWork& w : e.step.edges) sum += cost_of(w, rates).total_s;
  RC_ASSERT(std::fabs(sum / e.latency - 1) < 1e-12);
}

RC_GTEST_PROP(Cost, NoKnobDoubledMakesAPlanSlowerOrLessFeasible, ()) {
  const Model model = testing::any_model();
  const Scenario base{any_machine(), testing::any_work(), testing::any_plan()};
  const Evaluated before = evaluate(model, base);
  RC_PRE(before.step.layout.valid());
  for (const ScalarField& knob : hardware_knobs(base.machine)) {
    Scenario doubled = base;
    set_scalar(doubled, knob, 2 * get_scalar(base, knob));
    const Evaluated after = evaluate(model, doubled);
    RC_ASSERT(after.latency <= before.latency * (1 + 1e-12));
    RC_ASSERT(after.step.memory.total() == before.step.memory.total());
    if (knob.effect == ScalarEffect::capacity) RC_ASSERT(after.latency == before.latency);
  }
}

// Section 8.1: knobs without effect.
RC_GTEST_PROP(Cost, FoldedKnobsKeepTheLatencyKey, ()) {
  const Model model = testing::any_model();
  Scenario s{testing::any_chiplet(), testing::any_work(), testing::any_plan()};
  s.plan.ep = 1;
  const auto key = [&](const Plan& plan) {
    Scenario other = s;
    other.plan = plan;
    const Evaluated e = evaluate(model, other);
    return e.step.layout.valid() ? latency_key(e.latency) : -1;
  };
  const std::int64_t before = key(s.plan);
  Plan p = s.plan;
  if (p.tp == 1) {
    p.kv_shard_mode = KvShardMode::split;
    p.tp_placement = Spread::pe;
    RC_ASSERT(key(p) == before);
  }
  if (p.cp == 1) {
    p.cp_placement = Spread::pe;
    p.cp_ring_variant = CpRing::kv;
    if (p.ffn_shard_scope == FfnShardScope::tp_cp) p.ffn_shard_scope = FfnShardScope::tp;
    RC_ASSERT(key(p) == before);
  }
  if (p.dp == 1 && p.ffn_shard_scope == FfnShardScope::tp_cp_dp) {
    p.ffn_shard_scope = FfnShardScope::tp_cp;
    RC_ASSERT(key(p) == before);
  }
}

TEST(LatencyKey, RoundsToWholePicoseconds) {
  EXPECT_EQ(latency_key(4.865471380892859e-3), 4'865'471'381);
  EXPECT_EQ(latency_key(0), 0);
  EXPECT_EQ(latency_key(1e300), std::numeric_limits<std::int64_t>::max());
}

TEST(Bound, TiesGoToComputeThenMemory) {
  Rates r;
  r.flop_per_s = 1;
  r.vector_fraction = 1;
  r.memory_bytes_per_s = 1;
  r.levels = 1;
  r.latency_s[0] = 1;
  r.bytes_per_s[0] = 1;
  StageWork w;
  EXPECT_EQ(cost_of(w, r).bound, Bound::compute);
  w.memory_bytes = w.traffic.hops[0] = 2;
  EXPECT_EQ(cost_of(w, r).bound, Bound::memory);
  w.traffic.hops[0] = 3;
  EXPECT_EQ(cost_of(w, r).bound, Bound::network);
  EXPECT_DOUBLE_EQ(cost_of(w, r).total_s, 5);
}

// One PE: two FLOP per weight and token against its bytes; decode is bound by HBM.
TEST(Cost, OneDeviceIsTheRoofline) {
  const Evaluated e =
      evaluate(testing::llama_8b(), {default_chiplet(), {Phase::decode, 4096, 1}, {}});
  const double weights = 2.0 * (8'030'261'248 - 65 * 4096.0 - 128256 * 4096.0);
  const double cache = 2.0 * 32 * 4096 * 2 * 8 * 128;
  EXPECT_GT(e.latency, (weights + cache) / 256e9);
  EXPECT_LT(e.latency, 1.01 * (weights + cache) / 256e9);
}

TEST(Energy, IsStaticPowerTimesTimeOnTopOfWork) {
  const Evaluated e =
      evaluate(testing::llama_8b(), {default_chiplet(), {Phase::decode, 4096, 1}, {}});
  const StepFacts facts = facts_of(e.step, e.scenario.machine, e.scenario.work, 1);
  const Objectives o = objectives_of(facts, e.latency, 6, 2 * watt);
  EXPECT_DOUBLE_EQ(o.energy_j, facts.dynamic_energy_j + 2 * e.latency);
  EXPECT_DOUBLE_EQ(o.tokens_per_s, 1 / e.latency);
}

}  // namespace
}  // namespace ridgeline::physics
