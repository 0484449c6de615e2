#include "ridgeline/app/spec_file.h"

#include <gtest/gtest.h>

namespace ridgeline::app {
namespace {

TEST(SpecFile, ReadsYamlAndJsonAlike) {
  const auto yaml = parse_spec(
      "model: llama-3.1-8b\nplan:\n  tp: 8\n  order: [tp, cp, pp, dp]\nrate: 1.5\n"
      "name: \"8\"\non: true\nnothing: ~\n");
  const auto json = parse_spec(
      R"({"model": "llama-3.1-8b", "plan": {"tp": 8, "order": ["tp", "cp", "pp", "dp"]},)"
      R"( "rate": 1.5, "name": "8", "on": true, "nothing": null})");
  ASSERT_TRUE(yaml.has_value()) << yaml.error().message;
  ASSERT_TRUE(json.has_value()) << json.error().message;
  EXPECT_EQ(yaml->value, json->value);
}

TEST(SpecFile, KnowsTheLineOfEachYamlValue) {
  const auto spec = parse_spec("a: 1\nplan:\n  tp: 8\n");
  ASSERT_TRUE(spec.has_value());
  EXPECT_EQ(spec->lines.at("/plan/tp"), 3);
}

TEST(SpecFile, SyntaxErrorsNameTheLine) {
  const auto yaml = parse_spec("a: 1\nb: [1, 2\nc: 3\n");
  ASSERT_FALSE(yaml.has_value());
  EXPECT_NE(yaml.error().message.find("line "), std::string::npos);
  const auto json = parse_spec("{\n\"a\": 1,\n\"b\": }\n");
  ASSERT_FALSE(json.has_value());
  EXPECT_NE(json.error().message.find("line 3"), std::string::npos) << json.error().message;
}

TEST(SpecFile, KeepsNumbersThatAreNoJsonAsText) {
  const auto spec = parse_spec("a: .nan\nb: .inf\nc: 0x10\nd: 128k\ne: 1e3\n");
  ASSERT_TRUE(spec.has_value());
  EXPECT_TRUE(spec->value["a"].is_string());
  EXPECT_TRUE(spec->value["b"].is_string());
  EXPECT_TRUE(spec->value["c"].is_string());
  EXPECT_TRUE(spec->value["d"].is_string());
  EXPECT_EQ(spec->value["e"], 1000.0);
}

TEST(SpecFile, NamesAKeyThatStandsTwice) {
  EXPECT_EQ(parse_spec(R"({"plan": {"tp": 1, "tp": 2}})").error().where, "/plan/tp");
  EXPECT_EQ(parse_spec("plan: {tp: 1, tp: 2}").error().where, "/plan/tp");
}

}  // namespace
}  // namespace ridgeline::app
