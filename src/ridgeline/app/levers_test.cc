#include "ridgeline/app/levers.h"

#include <gtest/gtest.h>

#include <string>

#include "ridgeline/app/testing.h"

namespace ridgeline::app {
namespace {

using testing::run_line;

Json lever_of(const Json& result, const std::string& input) {
  for (const Json& lever : result["levers"]) {
    if (lever["input"] == input) return lever;
  }
  return nullptr;
}

// failures = T/M: a tenth more of M gives 1/1.1, of T 1.1.
TEST(Levers, FollowTheEquation) {
  const auto ran = run_line(
      "solve reliability --job-duration 30d --checkpoint-time '60 s' --avg-recovery-time '300 s' "
      "--mtbf '15 h' --levers");
  ASSERT_EQ(ran.status, 0) << ran.text;
  const Json& result = ran.json["result"];
  EXPECT_NEAR(lever_of(result, "mtbf_hours")["changes"]["expected_failures"], 1 / 1.1 - 1, 1e-12);
  EXPECT_NEAR(lever_of(result, "job_duration_hours")["changes"]["expected_failures"], 0.1, 1e-12);
  EXPECT_EQ(lever_of(result, "mtbf_hours")["value"], 15);
  EXPECT_NEAR(lever_of(result, "mtbf_hours")["raised"], 16.5, 1e-9);
  EXPECT_EQ(ran.json["inputs"]["levers"], true);
}

// A decode step that reads its weights from memory is near 1/1.1 as long with a tenth more
// bandwidth; its overhead stays.
TEST(Levers, NameTheDevicesRates) {
  const auto ran = run_line("solve serving --model llama-3.1-8b --hardware h100-sxm --levers");
  ASSERT_EQ(ran.status, 0) << ran.text;
  const Json& result = ran.json["result"];
  const Json memory = lever_of(result, "hardware.memory_bandwidth_bytes_per_s");
  EXPECT_NEAR(memory["changes"]["itl_s"], 1 / 1.1 - 1, 0.02);
  EXPECT_FALSE(memory["changes"].contains("ttft_s"));  // bound by arithmetic
  const Json tp = lever_of(result, "tp_size");
  EXPECT_EQ(tp["raised"], 2);  // whole numbers go up by one
  // The one that moves anything most comes first, those that move nothing last.
  double last = 1e300;
  for (const Json& lever : result["levers"]) {
    if (lever["changes"].is_null()) continue;
    double most = 0;
    for (const auto& [key, change] : lever["changes"].items()) {
      most = std::max(most, std::fabs(change.get<double>()));
    }
    EXPECT_LE(most, last);
    last = most;
  }
}

TEST(Levers, AnInputThatMayNotRiseSaysWhy) {
  const auto ran = run_line(
      "solve serving --model llama-3.1-8b --hardware h100-sxm --levers "
      "--efficiency 1");
  ASSERT_EQ(ran.status, 0) << ran.text;
  const Json lever = lever_of(ran.json["result"], "efficiency");
  EXPECT_TRUE(lever["changes"].is_null());
  EXPECT_FALSE(lever["reason"].get<std::string>().empty());
}

TEST(Levers, AreNotToldUnlessTheyAreAskedFor) {
  const auto ran = run_line("solve serving --model llama-3.1-8b --hardware h100-sxm");
  EXPECT_FALSE(ran.json["result"].contains("levers"));
}

}  // namespace
}  // namespace ridgeline::app
