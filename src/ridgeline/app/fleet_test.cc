// explore over machines and sites, from the command line.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "ridgeline/app/testing.h"

namespace ridgeline::app {
namespace {

using testing::Ran;
using testing::run_line;

const std::string kFive =
    "explore --model llama-3.1-70b --context 8k --precision fp8 "
    "--machines dgx-h100,dgx-a100,dgx-h200,dgx-b200,mi300x-8 --sites france,poland,united-states "
    "--pue 1.2 --kwh-price-usd 0.1 ";

TEST(Fleet, OneCommandGivesTheFrontOfLatencyMoneyAndCarbon) {
  const Ran ran =
      run_line(kFive + "--objectives latency_s,usd_per_million_tokens,gco2e_per_million_tokens");
  ASSERT_EQ(ran.status, 0) << ran.text;
  const Json& result = ran.json["result"];
  EXPECT_EQ(result["machines"].size(), 5u);
  EXPECT_EQ(result["places"].size(), 15u);
  ASSERT_GT(result["pareto"].size(), 5u);
  for (const Json& a : result["pareto"]) {
    for (const Json& b : result["pareto"]) {
      const bool no_worse = b["latency_s"] <= a["latency_s"] &&
                            b["usd_per_million_tokens"] <= a["usd_per_million_tokens"] &&
                            b["kgco2e_per_million_tokens"] <= a["kgco2e_per_million_tokens"];
      EXPECT_TRUE(&a == &b || !no_worse);
    }
  }
  EXPECT_GT(result["sensitivity"].size(), 8u);
  EXPECT_GT(ran.json["basis"]["sources"].size(), 5u);
}

TEST(Fleet, AgreesWithSolveEconomics) {
  const Ran ran = run_line(
      "explore --model llama-3.1-8b --machine dgx-h100 --context 4096 --batch 8 --tp 8 "
      "--unit-cost '30000 USD' --tdp '700 W' --pue 1.2 --kwh-price-usd 0.1 "
      "--carbon-intensity-kgco2e-per-kwh 0.4 --objectives usd_per_million_tokens");
  ASSERT_EQ(ran.status, 0) << ran.text;
  const Json& best = ran.json["result"]["best"];
  const double tokens_per_s = best["tokens_per_s"];
  // Power follows the model's FLOP of the pass over the peak of its devices.
  const double devices = best["pes_used"].get<double>();
  const double energy = best["j_per_token"].get<double>() * tokens_per_s / 1.2 / devices;  // W
  const double mfu = (energy / 700 - 0.3) / 0.7;
  const Ran solved = run_line(fmt::format(
      "solve economics --devices {} --duration-days 1 --unit-cost '30000 USD' --tdp '700 W' --pue "
      "1.2 --kwh-price-usd 0.1 --mfu {:.17g} --tokens-per-s {:.17g}",
      static_cast<int>(devices), mfu, tokens_per_s));
  ASSERT_EQ(solved.status, 0) << solved.text;
  const double usd = solved.json["result"]["usd_per_million_tokens"];
  EXPECT_NEAR(best["usd_per_million_tokens"].get<double>(), usd, 1e-9 * usd);
}

TEST(Fleet, TellsWhatATrainingRunCosts) {
  const Ran ran = run_line(
      "explore --model llama-3.1-8b --context 8k --batch 256 --train-tokens 1e12 "
      "--machines dgx-h100,dgx-a100-superpod --sites france,poland --pue 1.2 --kwh-price-usd 0.1 "
      "--objectives run_time_s,usd_per_run,kgco2e_per_run");
  ASSERT_EQ(ran.status, 0) << ran.text;
  const Json& best = ran.json["result"]["best"];
  const double steps = 1e12 / (256 * 8192);
  EXPECT_DOUBLE_EQ(best["run_time_s"].get<double>(), best["step_s"].get<double>() * steps);
  EXPECT_DOUBLE_EQ(best["usd_per_run"].get<double>(),
                   best["usd_per_million_tokens"].get<double>() * 1e6);
  const double hours = best["device_hours_per_run"].get<double>();
  EXPECT_NEAR(hours, best["run_time_s"].get<double>() / 3600 * best["pes_used"].get<double>(),
              1e-9 * hours);
}

struct Wrong {
  const char* line;
  const char* where;
  const char* says;
};

TEST(Fleet, NamesWhatIsWrong) {
  const std::string base = "explore --model llama-3.1-8b --context 4k ";
  const Wrong kWrong[] = {
      {"--machines dgx-h100 --sites atlantis --pue 1.2", "--sites", "atlantis"},
      {"--machines dgx-h1000 --sites france --pue 1.2", "--machines", "dgx-h1000"},
      {"--machines dgx-h100 --machine dgx-a100 --pue 1.2", "--machine", "both"},
      {"--machines dgx-h100 --sites france", "--pue", "dgx-h100 at france"},
      {"--machines dgx-h100 --sites france --pue 0.5", "--pue", "0.5"},
      {"--machines gaudi3-8 --sites france --pue 1.2 --kwh-price-usd 0.1", "--unit-cost",
       "unit_cost"},
      {"--machines dgx-h100 --objectives maximize:usd_per_million_tokens", "--objectives",
       "always"},
      {"--machines dgx-h100 --objectives speed", "--objectives", "usd_per_million_tokens"},
      {"--machines dgx-h100 --train-tokens 1e12 --pue 1.2 --kwh-price-usd 0.1", "--batch",
       "sequences"},
      {"--machines dgx-h100 --train-tokens 0 --batch 8", "--train-tokens", "more than 0"},
      {"--machines dgx-h100 --sites france --points", "--points", "leave it out"},
      {"--machines dgx-h100 --sites france --misfits", "--misfits", "leave it out"},
      {"--machines dgx-h100 --train-tokens 1e12 --batch 8 --depth full", "--depth", "training run"},
  };
  for (const Wrong& wrong : kWrong) {
    const Ran ran = run_line(base + wrong.line);
    EXPECT_EQ(ran.status, 2) << wrong.line << ran.text.substr(0, 200);
    const std::string where = ran.json["error"].value("where", "");
    EXPECT_EQ(where.substr(0, std::string(wrong.where).size()), wrong.where) << wrong.line;
    EXPECT_NE(ran.text.find(wrong.says), std::string::npos) << ran.text;
  }
}

TEST(Fleet, NothingFitsIsAnAnswer) {
  const Ran ran = run_line(
      "explore --model llama-3.1-405b --context 8k --machines l4-8 --sites france --pue 1.2 "
      "--objectives latency_s,j_per_token");
  EXPECT_EQ(ran.status, 3) << ran.text;
  EXPECT_TRUE(ran.json["result"]["best"].is_null());
}

}  // namespace
}  // namespace ridgeline::app
