// Collector: keeps of the rows of a search what the answer shows: best, front, top, one per
// hardware.
//
// The order in which rows come does not matter: each list is decided by a total order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ridgeline/explore/problem.h"

namespace ridgeline::explore {

struct Counts {
  std::int64_t valid = 0;         // pairs whose plan can be placed
  std::int64_t does_not_fit = 0;  // valid, but over the capacity
  std::int64_t feasible = 0;
  std::array<std::int64_t, 16> rejected{};  // by first reason
};

// The rows of one hardware point and workload that no other of them dominates; of rows equal in all
// objectives the one that faster_plan puts first.
std::vector<Row> front_of_site(const Problem& problem, std::vector<Row> rows);

class Collector {
 public:
  Collector(const Problem& problem, const Options& options)
      : problem_(problem), options_(options) {}

  // All rows below are feasible.
  void offer_best(const Row& row);
  void offer_top(const Row& row);
  void offer_front(std::span<const Row> front_of_site);
  // The row of the plan that stands for a hardware point.
  void offer_site(const Row& row);

  // A row that `top` or `best` would not take: no better_row than this one. Empty while all are
  // taken.
  const Row* worst_kept() const;

  const std::optional<Row>& best() const { return best_; }
  // The front of what was offered so far.
  std::span<const Row> front();

  // Moves the rows into the answer, in their orders.
  void finish(Exploration& out);

 private:
  bool top_before(const Row& a, const Row& b) const;
  void thin_front();

  const Problem& problem_;
  const Options& options_;
  std::optional<Row> best_;
  std::vector<Row> top_;    // a heap, the last in order at its front
  std::vector<Row> front_;  // with dominated rows among it until thinned
  std::size_t thinned_size_ = 0;
  std::vector<Row> sites_;
};

}  // namespace ridgeline::explore
