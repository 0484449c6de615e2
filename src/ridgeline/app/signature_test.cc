#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include "ridgeline/app/command.h"
#include "ridgeline/app/testing.h"

namespace ridgeline::app {
namespace {

using testing::run_line;

TEST(Signature, IsTheSameForAnyNumberOfThreads) {
  const auto one = run_line("signature --threads 1");
  ASSERT_EQ(one.status, 0) << one.text;
  const std::string digits = one.json["result"]["signature"];
  EXPECT_EQ(digits.size(), 12U);
  EXPECT_TRUE(std::all_of(digits.begin(), digits.end(),
                          [](unsigned char c) { return std::isxdigit(c) != 0; }));
  for (const char* threads : {"2", "7"}) {
    const auto other = run_line(std::string("signature --threads ") + threads);
    EXPECT_EQ(other.json["result"], one.json["result"]);
  }
}

TEST(Signature, ChangesWhenAResultDoes) {
  const Json before{{"latency_s", 1.0}, {"choice", "ring"}, {"list", {1, 2}}, {"elapsed_s", 3}};
  Json timing = before, number = before, text = before, order = before;
  timing["elapsed_s"] = 4;
  number["latency_s"] = 1.000001;
  text["choice"] = "tree";
  order["list"] = {2, 1};
  EXPECT_EQ(signature_of(timing), signature_of(before));
  for (const Json& after : {number, text, order}) {
    EXPECT_NE(signature_of(after), signature_of(before));
  }
}

}  // namespace
}  // namespace ridgeline::app
