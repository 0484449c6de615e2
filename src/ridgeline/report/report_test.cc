#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "ridgeline/report/numbers.h"
#include "ridgeline/report/render.h"

namespace ridgeline::report {
namespace {

std::string rendered(const Document& document, Format format) {
  std::string out;
  const auto status = render(document, format, Colour::off, [&out](std::string_view bytes) {
    out += bytes;
    return true;
  });
  EXPECT_TRUE(status.has_value());
  return out;
}

Rows three_rows() {
  return {{"hardware/bw", "hardware/g.b", "plan/tp", "latency_s"},
          {"bw", "gb", "tp", "latency_s"},
          [](const RowSink& sink) {
            for (std::int64_t i = 1; i <= 3; ++i) {
              const Scalar row[] = {0.5 * static_cast<double>(i), std::string_view("a,b"), i,
                                    std::monostate{}};
              if (!sink(row)) return;
            }
          }};
}

TEST(Numbers, AreTheShortestThatReadBack) {
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(33554432.0), "33554432");
  EXPECT_EQ(number_text(-0.0), "0");
  EXPECT_EQ(number_text(std::nan("")), "null");
  EXPECT_EQ(number_text(1.0 / 3), "0.3333333333333333");
}

TEST(JsonRenderer, WritesNoBareInfinityAndEscapesText) {
  Document d;
  d.tree = {{"a", INFINITY}, {"b", "x\"\\\n\x01\xFF"}, {"c", Json::array({1, 2.5, true, nullptr})}};
  EXPECT_EQ(rendered(d, Format::json),
            "{\n  \"a\": null,\n  \"b\": \"x\\\"\\\\\\n\\u0001\xEF\xBF\xBD\",\n"
            "  \"c\": [1, 2.5, true, null]\n}\n");
}

TEST(JsonRenderer, ReadsBackAsTheSameTree) {
  Document d;
  d.tree = {{"empty", Json::object()},
            {"list", Json::array({Json{{"x", 1}}, Json::array(), Json::array({1, 2})})},
            {"text", "\xE6\xA8\xA1"},
            {"big", 9007199254740993}};
  EXPECT_EQ(Json::parse(rendered(d, Format::json)), d.tree);
}

TEST(JsonRenderer, StreamsRowsIntoTheTree) {
  Document d;
  d.tree = {{"result", {{"count", 3}}}, {"notes", Json::array()}};
  d.stream = Stream{"result", "points", three_rows()};
  const Json back = Json::parse(rendered(d, Format::json));
  ASSERT_EQ(back["result"]["points"].size(), 3U);
  EXPECT_EQ(back["result"]["points"][1].dump(),
            R"({"hardware":{"bw":1,"g.b":"a,b"},"plan":{"tp":2},"latency_s":null})");
}

TEST(CsvRenderer, QuotesWhereItMustAndLeavesMissingValuesEmpty) {
  Document d;
  d.csv = three_rows();
  EXPECT_EQ(rendered(d, Format::csv),
            "bw,gb,tp,latency_s\n0.5,\"a,b\",1,\n1,\"a,b\",2,\n1.5,\"a,b\",3,\n");
}

TEST(TextRenderer, AlignsNumbersToTheRight) {
  Document d;
  d.sections.push_back(Heading{"Stages"});
  d.sections.push_back(Table{{{"stage", Align::left}, {"time", Align::right}},
                             {{"S1", "1 ns"}, {"HEAD", "120 ns"}}});
  d.sections.push_back(Bars{{{"bw", 0.5, "+50 %"}}});
  EXPECT_EQ(rendered(d, Format::table),
            "Stages\nstage    time\nS1       1 ns\nHEAD   120 ns\n"
            "bw  ################................  +50 %\n");
}

TEST(MarkdownRenderer, EscapesBars) {
  Document d;
  d.sections.push_back(Table{{{"a", Align::left}}, {{"x|y"}}});
  EXPECT_EQ(rendered(d, Format::markdown), "| a |\n|---|\n| x\\|y |\n");
}

TEST(SvgRenderer, DrawsFiniteCoordinatesForAnyRange) {
  for (const double spread : {0.0, 1e-12, 1.0, 1e12}) {
    for (const AxisScale scale : {AxisScale::linear, AxisScale::log}) {
      Document d;
      Series series{"front", {}, Series::Form::steps};
      for (int i = 0; i < 4; ++i) series.marks.push_back({1 + spread * i, 5 + spread * i, "<p>"});
      d.chart = Scatter{"t & u", {"x", scale}, {"y", scale}, {series}};
      const std::string svg = rendered(d, Format::svg);
      EXPECT_EQ(svg.find("nan"), std::string::npos);
      EXPECT_EQ(svg.find("inf"), std::string::npos);
      EXPECT_NE(svg.find("t &amp; u"), std::string::npos);
      EXPECT_NE(svg.find("&lt;p&gt;"), std::string::npos);
    }
  }
}

TEST(Render, RefusesAFormThatTheAnswerLacks) {
  const Document d;
  const auto status = render(d, Format::svg, Colour::off, [](std::string_view) { return true; });
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().where, "--format");
}

TEST(ErrorText, HasTwoLines) {
  EXPECT_EQ(error_text({ErrorCode::bad_value, "--tp", "\"x\" is no count", "give 8"}, Colour::off),
            "error: --tp: \"x\" is no count\n  hint: give 8\n");
}

}  // namespace
}  // namespace ridgeline::report
