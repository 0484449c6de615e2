#include "ridgeline/app/worked.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ridgeline/app/testing.h"

namespace ridgeline::app {
namespace {

using testing::run_line;

bool has_line(const Json& answer, const std::string& line) {
  const Json& worked = answer["result"]["worked"];
  return std::find(worked.begin(), worked.end(), line) != worked.end();
}

// sqrt(2 x 60 x 525 600) = 7941.8 s = 2.206 h; 60/7941.8 = 0.00755497.
TEST(Worked, ReliabilityShowsHowItsNumbersCome) {
  const std::string line =
      "explain reliability --mtbf 146h --job-duration 30d --checkpoint-time '60 s'";
  const Json answer = run_line(line).json;
  EXPECT_TRUE(has_line(answer, "(3) tau = sqrt(2 x 1 min x 6.083 d) = 2.206 h")) << answer.dump(2);
  EXPECT_TRUE(has_line(answer, "lost_checkpoint_fraction = 1 min / 2.206 h = 0.00755497"));
  EXPECT_TRUE(has_line(answer, "(2) P(fail) = 1 - e^(-30 d / 6.083 d) = 0.992784"));
  // Another branch of the card is not shown as if it had been taken.
  const Json daly = run_line(line + " --interval-method daly").json;
  EXPECT_FALSE(has_line(daly, "(3) tau = sqrt(2 x 1 min x 6.083 d) = 2.206 h"));
}

TEST(Worked, NothingIsWorkedWithoutValues) {
  EXPECT_TRUE(run_line("explain reliability").json["result"]["worked"].empty());
}

constexpr const char* kCard = R"(
A question?

Equations, of p
  (1) area   = p q       by words                        [somebody1900]
      half   = area/2,  theta = p
             + q
  (2) other: total = area + theta; total = 3
Assumes     total = 7.
)";

constexpr Dim kTimeDim{.time = 1};

Term term(const char* key, const char* symbol, const Json& value) {
  return {key, symbol, "", value, {}, 1};
}

TEST(Worked, ReadsCardsLineByLine) {
  const std::vector<Term> in = {term("p", "p", 2), term("q", "q", 3), term("none", "r", nullptr)};
  const std::vector<Term> out = {term("area", "area", 6), term("half", "half", 3),
                                 term("total", "total", 11), term("wrong", "area/2", 4),
                                 term("right", "area/q", 2)};
  const std::vector<std::string> expected = {"(1) area = 2 x 3 = 6", "(1) half = 6 / 2 = 3",
                                             "(1) theta = 2 + 3", "(2) total = 6 + theta = 11",
                                             "right = 6 / 3 = 2"};
  EXPECT_EQ(worked_equations(kCard, in, out), expected);
}

// Where a symbol is the unit of its field, days are counted in days: 365 of them are one year.
TEST(Worked, SymbolsThatAreUnitsCountThem) {
  const Term days{"duration_days", "days", "", 365, kTimeDim, 86400};
  const std::vector<Term> in = {days, term("p", "p", 2)};
  const std::vector<Term> out = {term("area", "area", 2)};
  const std::vector<std::string> expected = {"(1) area = 2 x 365 / 365 = 2"};
  EXPECT_EQ(worked_equations("\nEquations\n  (1) area = p days/365\nAssumes\n", in, out), expected);
}

TEST(Worked, ASymbolOfTwoValuesIsNotPutIn) {
  const std::vector<Term> in = {term("p", "p", 2), term("q", "q", 3), term("other", "p", 4)};
  const std::vector<Term> out = {term("area", "area", 6)};
  EXPECT_TRUE(worked_equations(kCard, in, out).empty());
}

}  // namespace
}  // namespace ridgeline::app
