#include "ridgeline/explore/pareto.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "ridgeline/base/assert.h"

namespace ridgeline::explore {
namespace {

using Rows = std::span<const std::size_t>;

// Below this many pairs comparing all of them is faster than halving.
constexpr std::size_t kSmall = 256;

class Fronts {
 public:
  Fronts(std::span<const double> values, std::size_t objectives)
      : values_(values), n_(objectives), dominated_(values.size() / objectives, 0) {}

  std::vector<std::size_t> run() {
    std::vector<std::size_t> distinct = sorted();
    const std::vector<std::size_t> order = distinct;
    distinct.erase(std::unique(distinct.begin(), distinct.end(),
                               [&](std::size_t a, std::size_t b) { return equal(a, b); }),
                   distinct.end());
    halve(distinct);
    std::vector<std::size_t> out;
    std::size_t first = 0;  // of the run of equal rows; only it was judged
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (!equal(order[first], order[i])) first = i;
      if (!dominated_[order[first]]) out.push_back(order[i]);
    }
    std::sort(out.begin(), out.end());
    return out;
  }

 private:
  double at(std::size_t row, std::size_t objective) const { return values_[row * n_ + objective]; }

  bool equal(std::size_t a, std::size_t b) const {
    return std::equal(&values_[a * n_], &values_[a * n_] + n_, &values_[b * n_]);
  }

  // All rows in lexicographic order, equal ones in the order given.
  std::vector<std::size_t> sorted() const {
    std::vector<std::size_t> order(values_.size() / n_);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      for (std::size_t j = 0; j < n_; ++j) {
        if (at(a, j) != at(b, j)) return at(a, j) < at(b, j);
      }
      return a < b;
    });
    return order;
  }

  // Marks the dominated among `rows`, which are distinct and in lexicographic order.
  void halve(Rows rows) {
    if (rows.size() < 2) return;
    if (n_ <= 2) return sweep_all(rows);
    const Rows low = rows.first(rows.size() / 2), high = rows.subspan(rows.size() / 2);
    halve(low);
    halve(high);
    const auto kept = [&](Rows from) {
      std::vector<std::size_t> out;
      for (const std::size_t row : from) {
        if (!dominated_[row]) out.push_back(row);
      }
      return out;
    };
    marry(kept(low), kept(high), n_ - 1);
  }

  // One or two objectives: a row stays when its last objective is below all before it.
  void sweep_all(Rows rows) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double last = at(rows[i], n_ - 1);
      if (i > 0 && last >= least) dominated_[rows[i]] = 1;
      least = std::min(least, last);
    }
  }

  // Marks each of `high` that one of `low` does not exceed in objectives 1..last; in the others it
  // is known not to.
  void marry(std::vector<std::size_t> low, std::vector<std::size_t> high, std::size_t last) {
    if (low.empty() || high.empty()) return;
    if (low.size() * high.size() <= kSmall) return compare_all(low, high, last);
    if (last == 1) return sweep(low, high);
    const double pivot = median(low, high, last);
    std::vector<std::size_t> low_below, low_above, high_below, high_above;
    for (const std::size_t row : low)
      (at(row, last) < pivot ? low_below : low_above).push_back(row);
    for (const std::size_t row : high) {
      (at(row, last) < pivot ? high_below : high_above).push_back(row);
    }
    if (low_below.empty() && high_below.empty())
      return marry_equal(low_above, high_above, last, pivot);
    marry(low_below, high_above, last - 1);
    marry(std::move(low_below), std::move(high_below), last);
    std::erase_if(high_above, [&](std::size_t row) { return dominated_[row]; });
    marry(std::move(low_above), std::move(high_above), last);
  }

  // As marry, where no row is below `pivot`, the median: those equal to it need no more of `last`.
  void marry_equal(std::vector<std::size_t>& low, std::vector<std::size_t>& high, std::size_t last,
                   double pivot) {
    std::vector<std::size_t> low_equal, low_above, high_above;
    for (const std::size_t row : low)
      (at(row, last) == pivot ? low_equal : low_above).push_back(row);
    for (const std::size_t row : high) {
      if (at(row, last) > pivot) high_above.push_back(row);
    }
    marry(std::move(low_equal), std::move(high), last - 1);
    std::erase_if(high_above, [&](std::size_t row) { return dominated_[row]; });
    marry(std::move(low_above), std::move(high_above), last);
  }

  double median(Rows low, Rows high, std::size_t objective) {
    scratch_.clear();
    for (const std::size_t row : low) scratch_.push_back(at(row, objective));
    for (const std::size_t row : high) scratch_.push_back(at(row, objective));
    const auto middle = scratch_.begin() + static_cast<std::ptrdiff_t>(scratch_.size() / 2);
    std::nth_element(scratch_.begin(), middle, scratch_.end());
    return *middle;
  }

  void compare_all(Rows low, Rows high, std::size_t last) {
    for (const std::size_t b : high) {
      for (const std::size_t a : low) {
        std::size_t j = 1;
        while (j <= last && at(a, j) <= at(b, j)) ++j;
        if (j > last) dominated_[b] = 1;
      }
    }
  }

  // Only objective 1 is left to compare: the least of `low` decides.
  void sweep(Rows low, Rows high) {
    double least = std::numeric_limits<double>::infinity();
    for (const std::size_t a : low) least = std::min(least, at(a, 1));
    for (const std::size_t b : high) {
      if (at(b, 1) >= least) dominated_[b] = 1;
    }
  }

  std::span<const double> values_;
  std::size_t n_;
  std::vector<char> dominated_;
  std::vector<double> scratch_;
};

}  // namespace

std::vector<std::size_t> pareto_front(std::span<const double> values, std::size_t objectives) {
  RIDGELINE_ASSERT(objectives >= 1 && values.size() % objectives == 0);
  return Fronts(values, objectives).run();
}

}  // namespace ridgeline::explore
