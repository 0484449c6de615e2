#include "ridgeline/base/expression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace ridgeline {
namespace {

const Known* named(std::string_view name) {
  static const std::map<std::string, Known, std::less<>> kNames = {
      {"a", {2, "2 s"}}, {"b", {3, "3 m"}}, {"M", {4, "4 h"}}, {"loss", {-1, "-1"}}};
  const auto found = kNames.find(name);
  return found == kNames.end() ? nullptr : &found->second;
}

double value(std::string_view text) {
  const auto parsed = Expression::parse(text);
  EXPECT_TRUE(parsed.has_value()) << text;
  return parsed ? parsed->value(named).value_or(NAN) : NAN;
}

TEST(Expression, ReadsSumsAsCardsWriteThem) {
  EXPECT_EQ(value("2 a M"), 16);
  EXPECT_EQ(value("a b/(a M)"), 0.75);
  EXPECT_EQ(value("(b - 1)/b M"), 8.0 / 3);
  EXPECT_EQ(value("b/2M"), 3.0 / 8);
  EXPECT_EQ(value("a x b + 1"), 7);
  EXPECT_EQ(value("a^b^2"), 512);
  EXPECT_EQ(value("-a^2"), -4);
  EXPECT_EQ(value("1 - a - b"), -4);
  EXPECT_EQ(value("max(a, b, 1) + min(a, b)"), 5);
  EXPECT_EQ(value("sqrt(2 (a + 6)) x 1.5e1"), 60);
  EXPECT_EQ(value("ceil(b/a) floor(b/a)"), 2);
  EXPECT_DOUBLE_EQ(value("1 - e^(-a/b)"), 1 - std::exp(-2.0 / 3));
  EXPECT_DOUBLE_EQ(value("sqrt(2 ln M)"), std::sqrt(2 * std::log(4)));
}

TEST(Expression, PutsValuesInTheirPlaces) {
  const auto put = [](std::string_view text) {
    return Expression::parse(text)->with_values(named);
  };
  EXPECT_EQ(put("sqrt(2 a M)"), "sqrt(2 x 2 s x 4 h)");
  EXPECT_EQ(put("b/2M"), "3 m / (2 x 4 h)");
  EXPECT_EQ(put("a^2 + unknown"), "(2 s)^2 + unknown");
  EXPECT_EQ(put("max(0, 1 - a)"), "max(0, 1 - 2 s)");
  EXPECT_EQ(put("e^(-a/b)"), "e^(-2 s / 3 m)");
}

TEST(Expression, WordsAreNoArithmetic) {
  for (const char* text : {"", " ", "a +", "(a", "a)", "f(a)", "a, b", "a <= b", "F&B", "|a|",
                           "max()", "1 / ", "E[a]", "a x"}) {
    EXPECT_FALSE(Expression::parse(text).has_value()) << text;
  }
  EXPECT_FALSE(Expression::parse("a c")->value(named).has_value());
  EXPECT_FALSE(Expression::parse("1/(a - 2)")->value(named).has_value());
  EXPECT_FALSE(Expression::parse(std::string(1000, '(') + "1").has_value());
  EXPECT_FALSE(Expression::parse(std::string(1000, '-') + "1").has_value());
}

}  // namespace
}  // namespace ridgeline
