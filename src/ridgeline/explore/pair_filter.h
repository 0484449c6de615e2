// PairFilter: which pairs of one hardware point could be on a front, or among the best, whatever
// the objectives are. It works on the kernels' latencies and keeps every pair that rounding could
// still decide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ridgeline/explore/minima.h"
#include "ridgeline/explore/plan_table.h"
#include "ridgeline/explore/problem.h"

namespace ridgeline::explore {

// Rows of a search so far, as a PairFilter uses them.
struct Known {
  std::vector<Row> front;  // pairs that these dominate are dropped
  std::optional<Row>
      worst_kept;        // pairs certainly after it in the order of `best` are not among the best
  std::size_t most = 1;  // how many best ones are wanted
  bool want_fastest = false;  // of each site, whatever the objectives
};

class PairFilter {
 public:
  PairFilter(const Problem& problem, const PlanTable& table, double static_power_w,
             const Known& known);

  struct Found {
    std::vector<std::uint32_t> plans;   // to be evaluated plainly: feasible ones
    std::vector<std::uint32_t> unsure;  // and those that rounding may bring over a constraint
    std::int64_t feasible =
        0;  // with pair constraints: weight of the pairs within them but `unsure`
  };
  // `latencies` as Minima gives them; plans must fit in `limit`; `capacity` is what the point has.
  struct At {
    std::span<const double> latencies;
    double limit, capacity, cost;
  };
  void find(const At& at, Found& out);

 private:
  // An objective's value as that of a pair which may be dominated, and as that of one which
  // dominates: between the two lies what rounding can do.
  struct Bounds {
    double low, reach;
  };
  struct Pair {
    std::uint32_t tile, index;
  };
  enum class Verdict : std::uint8_t { no, unsure, yes };

  const Tile& tile(const Pair& p) const { return table_.tiles()[p.tile]; }
  double latency(const Pair& p) const { return at_->latencies[p.tile * kPitch + p.index]; }
  double low(const Pair& p, std::size_t objective) const {
    return low_[(p.tile * n_ + objective) * kPitch + p.index];
  }
  double metric(Metric m, const Pair& pair) const;
  Bounds bounds_of(std::size_t objective, double value, double latency) const;
  Verdict allowed(const Pair& pair) const;

  void fill_tile(std::uint32_t tile, Found& out);
  void fill_column(std::uint32_t tile, std::size_t objective);
  void choose_rivals();
  void add_rival(const Pair& pair);
  bool dominated(const Pair& pair);
  void keep_front(std::vector<Pair>& kept);
  void keep_best(std::vector<Pair>& kept) const;
  void keep_fastest(std::vector<Pair>& kept) const;
  template <class F>
  void for_each_alive(F&& fn) const;

  const Problem& problem_;
  const PlanTable& table_;
  double static_power_w_;
  const Known& known_;
  std::vector<Constraint> constraints_;
  std::size_t n_;  // objectives
  std::vector<std::uint8_t>
      exact_;  // by objective: kernels and plain evaluation give the same bits
  std::vector<double> known_reach_;         // n_ per known row
  std::vector<std::uint32_t> known_order_;  // rows that have dominated much come first

  // Of the site at hand.
  const At* at_ = nullptr;
  std::vector<double> low_;            // by tile, objective, plan; kPitch apart
  std::vector<double> alive_;          // by tile and plan: 1 or 0
  std::vector<double> rival_reach_;    // n_ per rival
  std::vector<double> rival_latency_;  // a pair of this site, alike in all, is worse above this
  std::vector<std::uint32_t> rival_known_;  // place in known_order_ + 1; 0: of this site
};

}  // namespace ridgeline::explore
