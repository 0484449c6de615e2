#include "ridgeline/base/text.h"

#include <gtest/gtest.h>

#include <limits>

namespace ridgeline {
namespace {

constexpr Dim kBytes{.byte = 1};
constexpr Dim kRate{.time = -1, .byte = 1};
constexpr Dim kTimeDim{.time = 1};
constexpr Dim kFlopRate{.time = -1, .flop = 1};

TEST(Quantity, ReadsUnitsExactly) {
  const struct {
    const char* text;
    Dim dim;
    double base;
  } kCases[] = {
      {"100GB/s", kRate, 100e9},
      {"80 GiB", kBytes, 80 * 1073741824.0},
      {"80 GB", kBytes, 80e9},
      {"1.2 TB/s", kRate, 1.2e12},
      {"400 Gb/s", kRate, 50e9},
      {"400 Gbit/s", kRate, 50e9},
      {"0.5 us", kTimeDim, 0.5e-6},
      {"3h", kTimeDim, 10800},
      {"54d", kTimeDim, 54 * 86400.0},
      {"8 TFLOP/s", kFlopRate, 8e12},
      {"8 TFLOPS", kFlopRate, 8e12},
      {"5 MB", kBytes, 5e6},
      {"5 mb", kBytes, 5e6},
      {"0", kBytes, 0},
      {"30 pJ/B", {.byte = -1, .energy = 1}, 30e-12},
      {"2USD/h", {.time = -1, .money = 1}, 2.0 / 3600},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.text);
    const auto got = parse_quantity(c.text, c.dim);
    ASSERT_TRUE(got.has_value()) << got.error().message;
    EXPECT_DOUBLE_EQ(*got, c.base);
  }
}

TEST(Quantity, RejectsWhatIsNoQuantity) {
  const struct {
    const char* text;
    Dim dim;
    ErrorCode code;
  } kCases[] = {
      {"100", kRate, ErrorCode::wrong_unit},         {"100 GB", kRate, ErrorCode::wrong_unit},
      {"5 parsec", kTimeDim, ErrorCode::wrong_unit}, {"nan GB", kBytes, ErrorCode::bad_value},
      {"inf s", kTimeDim, ErrorCode::bad_value},     {"", kBytes, ErrorCode::bad_value},
      {"GB", kBytes, ErrorCode::bad_value},          {"1e999 GB", kBytes, ErrorCode::out_of_range},
      {"1e308 EB", kBytes, ErrorCode::out_of_range}, {"1,5 GB", kBytes, ErrorCode::wrong_unit},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.text);
    const auto got = parse_quantity(c.text, c.dim);
    ASSERT_FALSE(got.has_value());
    EXPECT_EQ(got.error().code, c.code);
  }
}

TEST(Count, ReadsSuffixes) {
  EXPECT_EQ(*parse_count("128k", CountScale::tokens), 131072);
  EXPECT_EQ(*parse_count("1M", CountScale::tokens), 1048576);
  EXPECT_EQ(*parse_count("70B", CountScale::decimal), 70'000'000'000);
  EXPECT_EQ(*parse_count("1.5k", CountScale::decimal), 1500);
  EXPECT_EQ(*parse_count("-3", CountScale::decimal), -3);
  EXPECT_FALSE(parse_count("1.5", CountScale::decimal).has_value());
  EXPECT_FALSE(parse_count("1e30", CountScale::decimal).has_value());
  EXPECT_FALSE(parse_count("8 GB", CountScale::decimal).has_value());
}

TEST(Format, ScalesToReadableText) {
  EXPECT_EQ(format_quantity(3.35e12, kRate), "3.35 TB/s");
  EXPECT_EQ(format_quantity(4.865471e-3, kTimeDim), "4.865 ms");
  EXPECT_EQ(format_quantity(0, kBytes), "0 B");
  EXPECT_EQ(format_quantity(90, kTimeDim), "1.5 min");
}

// Rates of money, carbon and water: no scale of prefixes, the unit that a bill has.
TEST(Format, WritesRatesInTheirUsualUnit) {
  const Dim price = {.time = -1, .money = 1};
  const Dim carbon = {.energy = -1, .carbon = 1};
  EXPECT_EQ(format_quantity(3.0 / 3600, price), "3 USD/h");
  EXPECT_EQ(format_quantity(0, price), "0 USD/h");
  EXPECT_EQ(format_quantity(0.38 / 3.6e6, carbon), "0.38 kgCO2e/kWh");
  const Dim tax = {.money = 1, .carbon = -1};
  EXPECT_EQ(format_quantity(0.1, tax), "100 USD/tCO2e");
}

TEST(Format, ExamplesAreAccepted) {
  for (const Dim dim :
       {kRate, kBytes, kTimeDim, Dim{.time = -1, .money = 1}, Dim{.energy = -1, .money = 1},
        Dim{.energy = -1, .carbon = 1}, Dim{.energy = -1, .water = 1},
        Dim{.money = 1, .carbon = -1}, Dim{.money = 1, .water = -1}}) {
    SCOPED_TRACE(example_of(dim));
    const auto read = parse_quantity(example_of(dim), dim);
    ASSERT_TRUE(read.has_value());
    EXPECT_GT(*read, 0);
  }
}

TEST(Suffix, NamesAndFactors) {
  EXPECT_EQ(unit_suffix(kRate), "_bytes_per_s");
  EXPECT_EQ(unit_suffix(Dim{}), "");
  EXPECT_EQ(suffix_factor("gbs", kRate), 1e9);
  EXPECT_EQ(suffix_factor("days", kTimeDim), 86400);
  EXPECT_EQ(suffix_factor("gbs", kBytes), 0);
}

TEST(Names, AreSuggestedNearestFirst) {
  const std::vector<std::string> names = {"llama-3.1-8b", "llama-3.1-70b", "qwen3-8b",
                                          "mixtral-8x7b"};
  const auto near = nearest("lama-3.1-70b", names);
  ASSERT_FALSE(near.empty());
  EXPECT_EQ(near.front(), "llama-3.1-70b");
  EXPECT_EQ(did_you_mean("zzzzzzzzzzzzzzzzzzzzzzzzzzz", names), "");
}

TEST(Text, ParsersSurviveGarbage) {
  for (const char* text :
       {"\xff\xfe", "--", "+", "-", ".", "1e", "0x10", "1e+", "  ", "\n1\n", "1__0"}) {
    (void)parse_quantity(text, kBytes);
    (void)parse_number(text);
    (void)parse_count(text, CountScale::tokens);
  }
}

}  // namespace
}  // namespace ridgeline
