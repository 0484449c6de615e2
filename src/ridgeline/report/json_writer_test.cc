#include "ridgeline/report/json_writer.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ridgeline::report {
namespace {

using Form = JsonWriter::Form;

TEST(JsonWriter, PutsMembersOnLinesOrOnOne) {
  std::string text;
  JsonWriter out(text);
  out.begin_object();
  out.member("count", 3);
  out.plain_key("rows");
  out.begin_list();
  out.begin_object(Form::line);
  out.member("name", "a\"b");
  out.plain_key("inner");
  out.begin_list();  // within a line all is on it
  out.value(0.5);
  out.value(true);
  out.end_list();
  out.end_object();
  out.end_list();
  out.plain_key("none");
  out.begin_list();
  out.end_list();
  out.end_object();
  EXPECT_EQ(
      text,
      "{\n  \"count\": 3,\n  \"rows\": [\n    {\"name\": \"a\\\"b\", \"inner\": [0.5, true]}\n"
      "  ],\n  \"none\": []\n}");
}

TEST(JsonWriter, ShowsWholeNumbersAsIntegersWhereAsked) {
  std::string text;
  JsonWriter out(text);
  out.begin_list(Form::line);
  out.number(3);
  out.number(2.5);
  out.number(1e16);
  out.value(std::nan(""));
  out.end_list();
  EXPECT_EQ(text, "[3, 2.5, 1e+16, null]");
}

TEST(JsonWriter, WritesShortObjectsOfATreeOnOneLine) {
  const auto tree = nlohmann::ordered_json::parse(
      R"({"plan": {"tp": 1}, "rows": [{"a": [1, 2], "b": {"c": 1}}, {"d": {"e": {}, "f": [{}]}},
          {"g": [{"h": 1}]}]})");
  std::string text;
  JsonWriter(text).value(tree);
  EXPECT_EQ(text, R"({
  "plan": {
    "tp": 1
  },
  "rows": [
    {"a": [1, 2], "b": {"c": 1}},
    {"d": {"e": {}, "f": [{}]}},
    {
      "g": [
        {"h": 1}
      ]
    }
  ]
})");
}

}  // namespace
}  // namespace ridgeline::report
