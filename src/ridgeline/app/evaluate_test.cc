#include <gtest/gtest.h>

#include "ridgeline/app/testing.h"

namespace ridgeline::app {
namespace {

using testing::run_line;
using testing::TemporaryFile;

std::string example(const char* name) {
  return std::string(RIDGELINE_EXAMPLES) + "/" + name + ".yaml";
}

// A run on 8 devices whose numbers are all given: one dense model of 1e9 parameters, 2e9 FLOP a
// token forward, 6e9 trained on; efficiency 0.5 of 1e15 FLOP/s on 8 devices, no traffic that costs.
constexpr const char* kPlan = R"(
name: by hand
model: {parameters_count: 1e9, flop_per_unit: 2e9, layers: 10, hidden_dim: 1000, heads: 10}
machine:
  nodes: 1
  devices_per_node: 8
  device: {rates: {bf16: 1e15}, memory_capacity: 1000 GB, memory_bandwidth: 1e6 GB/s, tdp: 1000 W}
  intra_node_bandwidth: 1e9 GB/s
precision: bf16
attention_count: none
efficiency: 0.5
training: {batch_size: 8, seq_len: 1000, tokens_count: 1e12}
reliability: {mtbf: 100 h, checkpoint_time: 18 s, avg_recovery_time: 0 s}
site: {pue: 1.5, carbon_intensity_kgco2e_per_kwh: 0.4, wue_l_per_kwh: 1, kwh_price_usd: 0.1}
economics: {unit_cost: 30000 USD, maintenance_fraction_per_year: 0}
)";

double number(const Json& json, const char* pointer) {
  return json.at(Json::json_pointer(pointer)).get<double>();
}

// tokens/s = 8 x 1e15 x 0.5/6e9 = 666,667; 1e12 tokens take 1.5e6 s. M = 3.6e5 s, delta = 18 s:
// tau = sqrt(2 x 18 x 3.6e5) = 3600 s; useful by the exponential form is tau/(M (e^((tau +
// delta)/M)
// - 1)) = 0.01/0.01010067 = 0.990033 and the wall time 1.515e6 s.
TEST(Evaluate, MatchesAHandWorkedRun) {
  const TemporaryFile plan("ridgeline-plan.yaml", kPlan);
  const auto ran = run_line("evaluate " + plan.path());
  ASSERT_EQ(ran.status, 0) << ran.text;
  EXPECT_NEAR(number(ran.json, "/result/performance/training_tokens_per_s"), 666667, 2000);
  EXPECT_NEAR(number(ran.json, "/result/performance/mfu_fraction"), 0.5, 0.002);
  EXPECT_NEAR(number(ran.json, "/result/reliability/interval_s"), 3600, 1e-6);
  EXPECT_NEAR(number(ran.json, "/result/reliability/useful_fraction"), 0.990033, 1e-6);
  const double wall = number(ran.json, "/result/reliability/wall_time_s");
  EXPECT_NEAR(wall, 1.515e6, 5e3);
  // Power 0.3 + 0.7 MFU useful of 8 kW; PUE 1.5; 0.4 kg and 0.1 USD a kWh.
  const double u = number(ran.json, "/result/performance/mfu_fraction") * 0.990033;
  const double kwh = 8 * (0.3 + 0.7 * u) * wall / 3600;
  EXPECT_NEAR(number(ran.json, "/result/energy/facility_j"), 1.5 * kwh * 3.6e6, 1e-4 * kwh * 3.6e6);
  EXPECT_NEAR(number(ran.json, "/result/carbon/emissions_kgco2e"), 0.6 * kwh, 1e-4 * kwh);
  EXPECT_NEAR(number(ran.json, "/result/water/water_l"), kwh, 1e-4 * kwh);
  // 8 x 30,000 USD over 3 years, and power.
  const double capex = 240000 / 3.0 * wall / (365 * 86400.0);
  EXPECT_NEAR(number(ran.json, "/result/cost/tco_usd"), capex + 0.15 * kwh, 1e-3 * capex);
}

TEST(Evaluate, NamesWhatBindsByTheSolversThemselves) {
  const TemporaryFile plan("ridgeline-plan.yaml", kPlan);
  const auto ran = run_line("evaluate " + plan.path());
  ASSERT_EQ(ran.status, 0) << ran.text;
  const Json& device = ran.json["result"]["scorecard"][0];
  EXPECT_EQ(device["binds"], "peak FLOP/s");
  // All time is arithmetic: a tenth more of it saves 1 - 1/1.1 = 9.09 %.
  EXPECT_NEAR(device["change_fraction"].get<double>(), 1 / 1.1 - 1, 2e-3);
  EXPECT_EQ(ran.json["result"]["levers"][0]["input"], "peak FLOP/s");
}

TEST(Evaluate, ExitsWithThreeWhenAnAssertionFails) {
  const TemporaryFile plan(
      "ridgeline-plan.yaml",
      std::string(kPlan) + "assert: {mfu_fraction: '> 0.4', run_time: '< 5 d'}");
  const auto ran = run_line("evaluate " + plan.path());
  EXPECT_EQ(ran.status, 3);
  const Json& assertions = ran.json["result"]["assertions"];
  EXPECT_EQ(assertions[0]["passes"], true);
  EXPECT_EQ(assertions[1]["passes"], false);
  EXPECT_EQ(assertions[1]["key"], "performance.run_time_s");
  const auto wrong = run_line("evaluate " + plan.path() + " --assert '{\"speed\": \"> 1\"}'");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_EQ(wrong.json["error"]["code"], "unknown_name");
}

TEST(Evaluate, ExitsWithThreeWhenItDoesNotFit) {
  const TemporaryFile plan("ridgeline-plan.yaml", kPlan);
  const auto memory =
      run_line("evaluate " + plan.path() + " --set machine.device.memory_capacity='10 GB'");
  EXPECT_EQ(memory.status, 3);
  EXPECT_EQ(memory.json["result"]["reason"], "memory");
  EXPECT_EQ(memory.json["result"]["scorecard"][0]["passes"], false);
  const auto power = run_line("evaluate " + plan.path() + " --set limits.power='5 kW'");
  EXPECT_EQ(power.status, 3);
  EXPECT_EQ(power.json["result"]["reason"], "power");
}

TEST(Evaluate, RefusesByNameWhatItDoesNotUnderstand) {
  const struct {
    const char* added;
    const char* where;
    const char* code;
  } kCases[] = {
      {"colour: red", "colour", "unknown_key"},
      {"limits: {power: 5}", "/limits/power", "wrong_unit"},
      {"limits: {volume: 5 W}", "/limits/volume", "unknown_key"},
      {"sustainability: {mfu: 0.3}", "/sustainability/mfu", "conflict"},
      {"checkpoint: {storage: no-such-store}", "/checkpoint", "unknown_name"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.added);
    const TemporaryFile plan("ridgeline-plan.yaml", std::string(kPlan) + c.added + "\n");
    const auto ran = run_line("evaluate " + plan.path());
    EXPECT_EQ(ran.status, 2);
    EXPECT_EQ(ran.json["error"]["code"], c.code) << ran.text;
    EXPECT_NE(ran.json["error"]["where"].get<std::string>().find(c.where), std::string::npos)
        << ran.text;
  }
  EXPECT_EQ(run_line("evaluate no-such-plan.yaml").json["error"]["code"], "io");
  EXPECT_EQ(run_line("evaluate --model llama-3.1-8b").status, 2);
}

TEST(Evaluate, AnswersTheExamples) {
  for (const char* name : {"teacher", "capacity-planner", "training-lead"}) {
    SCOPED_TRACE(name);
    const auto ran = run_line("evaluate " + example(name));
    EXPECT_EQ(ran.status, 0) << ran.text;
    for (const char* group : {"performance", "memory", "cost", "energy", "carbon", "water"}) {
      EXPECT_TRUE(ran.json["result"][group].is_object()) << group;
    }
    EXPECT_GT(number(ran.json, "/result/cost/tco_usd"), 0);
    EXPECT_EQ(ran.json["result"]["scorecard"].size(), 5U);
  }
}

constexpr const char* kTheirs = R"(
version: "1.0"
workload: {name: Llama3_8B, batch_size: 512, seq_len: 2048}
hardware: {name: H100, nodes: 16, precision: fp16, efficiency: 0.45}
ops: {region: US_Avg, duration_days: 14.0}
)";

TEST(Evaluate, ReadsPlansOfMlsysim) {
  const TemporaryFile plan(
      "ridgeline-theirs.yaml",
      std::string(kTheirs) + "constraints: {assert: [{metric: macro.carbon_footprint, max: 0.1}]}");
  const auto ran = run_line("evaluate " + plan.path() + " --from mlsysim");
  EXPECT_EQ(ran.status, 3) << ran.text;
  EXPECT_EQ(ran.json["inputs"]["devices"], 16);
  EXPECT_EQ(ran.json["inputs"]["training"]["batch_size"], 512);
  // 0.1 tonnes of theirs are 100 kg.
  EXPECT_EQ(ran.json["result"]["assertions"][0]["condition"], "<= 100");
  EXPECT_EQ(ran.json["result"]["assertions"][0]["passes"], false);
  const TemporaryFile other("ridgeline-theirs.yaml", std::string(kTheirs) + "quantum: true\n");
  const auto refused = run_line("evaluate " + other.path() + " --from mlsysim");
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.json["error"]["where"].get<std::string>().find("/quantum"), std::string::npos);
}

}  // namespace
}  // namespace ridgeline::app
