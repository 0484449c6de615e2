#include "ridgeline/explore/pareto.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace ridgeline::explore {
namespace {

bool dominates(const double* a, const double* b, std::size_t n) {
  bool less = false;
  for (std::size_t j = 0; j < n; ++j) {
    if (a[j] > b[j]) return false;
    less = less || a[j] < b[j];
  }
  return less;
}

std::vector<std::size_t> brute_force(const std::vector<double>& values, std::size_t n) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < values.size() / n; ++i) {
    bool kept = true;
    for (std::size_t k = 0; k < values.size() / n; ++k) {
      kept = kept && !dominates(&values[k * n], &values[i * n], n);
    }
    if (kept) out.push_back(i);
  }
  return out;
}

TEST(Pareto, KeepsWhatNothingDominates) {
  // (1, 5) and (2, 3) and (4, 1) trade; (2, 4) loses to (2, 3), (5, 1) to (4, 1), (6, 6) to all.
  EXPECT_EQ(pareto_front(std::vector<double>{6, 6, 2, 4, 1, 5, 2, 3, 5, 1, 4, 1}, 2),
            (std::vector<std::size_t>{2, 3, 5}));
}

TEST(Pareto, KeepsEqualRows) {
  EXPECT_EQ(pareto_front(std::vector<double>{1, 2, 3, 1, 2, 3, 1, 2, 4}, 3),
            (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(pareto_front(std::vector<double>{3, 1, 2, 1}, 1), (std::vector<std::size_t>{1, 3}));
  EXPECT_TRUE(pareto_front({}, 2).empty());
}

// Few distinct values: many ties; many: long fronts.
RC_GTEST_PROP(Pareto, EqualsBruteForce, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(1, 6);
  const auto rows = *rc::gen::inRange<std::size_t>(0, 400);
  const auto distinct = *rc::gen::elementOf(std::vector<int>{2, 5, 30, 100000});
  const auto whole = *rc::gen::container<std::vector<int>>(n * rows, rc::gen::inRange(0, distinct));
  const std::vector<double> values(whole.begin(), whole.end());
  RC_ASSERT(pareto_front(values, n) == brute_force(values, n));
}

// Rows on a plane: all of them stay, in time that does not grow with the square of their number.
TEST(Pareto, HandlesLongFronts) {
  std::vector<double> values;
  for (int i = 0; i < 300; ++i) {
    for (int j = 0; j < 300; ++j) {
      for (const double v : {1.0 * i, 1.0 * j, -1.0 * (i + j)}) values.push_back(v);
    }
  }
  EXPECT_EQ(pareto_front(values, 3).size(), 90000u);
}

}  // namespace
}  // namespace ridgeline::explore
