#include <gtest/gtest.h>

#include "ridgeline/app/testing.h"

namespace ridgeline::app {
namespace {

using testing::run_line;

const std::string kReliability =
    "solve reliability --job-duration 30d --checkpoint-time '60 s' --avg-recovery-time '300 s' ";

// failures = T/M = 720 h/M: M uniform on 10 to 20 h has its p5 at 10.5, so failures have their
// p95 at 720/10.5 = 68.57, p5 at 720/19.5 = 36.92, median 720/15 = 48, mean 72 ln 2 = 49.91.
// Standard errors at 20,000 samples are below 0.1.
TEST(Uncertain, MeetsAClosedForm) {
  const auto ran =
      run_line(kReliability + R"(--mtbf '{"uniform": ["10 h", "20 h"]}' --samples 20000)");
  ASSERT_EQ(ran.status, 0) << ran.text;
  const Json& spread = ran.json["result"]["uncertainty"]["values"]["expected_failures"];
  EXPECT_NEAR(spread["p5"].get<double>(), 36.92, 0.3);
  EXPECT_NEAR(spread["p50"].get<double>(), 48, 0.4);
  EXPECT_NEAR(spread["p95"].get<double>(), 68.57, 0.4);
  EXPECT_NEAR(spread["mean"].get<double>(), 49.91, 0.35);
  // The plain answer is that of the middle, 15 h.
  EXPECT_DOUBLE_EQ(ran.json["result"]["expected_failures"].get<double>(), 48);
  const Json& driver = ran.json["result"]["uncertainty"]["drivers"][0];
  EXPECT_EQ(driver["input"], "mtbf");
  EXPECT_NEAR(driver["share_fraction"].get<double>(), 1, 1e-9);
}

TEST(Uncertain, ZeroSpreadIsThePlainAnswerToTheBit) {
  const auto plain = run_line(kReliability + "--mtbf '17.3 h'");
  for (const char* form :
       {R"({"normal": ["17.3 h", "0 h"]})", R"({"uniform": ["17.3 h", "17.3 h"]})",
        R"({"lognormal": ["17.3 h", 0]})", R"({"choice": ["17.3 h"]})"}) {
    SCOPED_TRACE(form);
    const auto ran = run_line(kReliability + "--mtbf '" + form + "' --samples 100");
    ASSERT_EQ(ran.status, 0) << ran.text;
    for (const auto& [key, spread] : ran.json["result"]["uncertainty"]["values"].items()) {
      const Json& value = plain.json["result"][key];
      const Json expected = value.is_boolean() ? Json(value.get<bool>() ? 1 : 0) : value;
      for (const char* part : {"p5", "p50", "p95", "mean"}) {
        EXPECT_EQ(spread[part].get<double>(), expected.get<double>()) << key;
      }
    }
  }
}

TEST(Uncertain, DependsOnTheSeedAndNotOnThreads) {
  const std::string line = kReliability + R"(--mtbf '{"lognormal": ["15 h", 0.3]}' --samples 5000)";
  const auto one = run_line(line + " --threads 1");
  for (const char* threads : {"2", "7"}) {
    EXPECT_EQ(run_line(line + " --threads " + threads).json["result"], one.json["result"]);
  }
  EXPECT_NE(run_line(line + " --seed 2").json["result"], one.json["result"]);
}

// Bandwidth of a device that the registry names.
TEST(Uncertain, ReachesFieldsOfNamedMachines) {
  const auto ran = run_line(
      "solve serving --model llama-3.1-8b --seq-len 2048 --samples 200 --machine "
      R"('{"base": "H100", "device": {"memory_bandwidth": {"uniform": ["2 TB/s", "4 TB/s"]}}}')");
  ASSERT_EQ(ran.status, 0) << ran.text;
  const Json& itl = ran.json["result"]["uncertainty"]["values"]["itl_s"];
  EXPECT_LT(itl["p5"].get<double>(), itl["p95"].get<double>());
}

TEST(Uncertain, RefusesWhatHasNoMeaning) {
  const struct {
    const char* value;
    const char* code;
  } kCases[] = {
      {R"({"normal": ["10 h"]})", "bad_value"},
      {R"({"normal": ["10 h", "-1 h"]})", "bad_value"},
      {R"({"uniform": ["20 h", "10 h"]})", "bad_value"},
      {R"({"choice": []})", "bad_value"},
      {R"({"normal": [10, 1]})", "wrong_unit"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.value);
    const auto ran = run_line(kReliability + "--mtbf '" + c.value + "'");
    EXPECT_EQ(ran.status, 2);
    EXPECT_EQ(ran.json["error"]["code"], c.code) << ran.text;
    EXPECT_EQ(ran.json["error"]["where"], "--mtbf") << ran.text;
  }
  const auto text =
      run_line(kReliability + R"(--mtbf 9h --interval-method '{"choice": ["young"]}')");
  EXPECT_EQ(text.json["error"]["code"], "unsupported") << text.text;
}

// Samples that the solver refuses are counted: a normal of mean 1 h and deviation 1 h is negative
// with probability 0.1587; the standard error of the count of 10,000 is 37.
TEST(Uncertain, CountsSamplesWithoutMeaning) {
  const auto ran = run_line(kReliability + R"(--mtbf '{"normal": ["1 h", "1 h"]}')");
  EXPECT_NEAR(ran.json["result"]["uncertainty"]["rejected_count"].get<double>(), 1587, 185);
}

}  // namespace
}  // namespace ridgeline::app
