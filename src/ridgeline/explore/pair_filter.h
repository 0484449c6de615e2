// PairFilter: which pairs of one hardware point could be on a front, or among the best, whatever the
// objectives are. It works on the kernels' latencies and keeps every pair that rounding could still decide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ridgeline/explore/minima.h"
#include "ridgeline/explore/plan_table.h"
#include "ridgeline/explore/problem.h"

namespace ridgeline::explore {

// Rows of a search so far, as a PairFilter uses them.
struct Known {
  std::vector<Row> front;          // pairs that these dominate are dropped
  std::optional<Row> worst_kept;   // pairs certainly after it in the order of `best` are not among the best
  std::size_t most = 1;            // how many best ones are wanted
  bool want_fastest = false;       // of each site, whatever the objectives
};

class PairFilter {
 public:
  PairFilter(const Problem& problem, const PlanTable& table, double static_power_w, const Known& known);

  struct Found {
    std::vector<std::uint32_t> plans;   // to be evaluated plainly: feasible ones
    std::vector<std::uint32_t> unsure;  // and those that rounding may bring over a constraint
    std::int64_t feasible = 0;          // weight of the pairs within all constraints but `unsure`
  };
  // `latencies` as Minima gives them; plans must fit in `limit`; `capacity` is what the point has.
  struct At {
    std::span<const double> latencies;
    double limit, capacity, cost;
  };
  void find(const At& at, Found& out);

 private:
  // An objective's value as that of a pair which may be dominated, and as that of one which dominates:
  // between the two lies what rounding can do.
  struct Bounds {
    double low, reach;
  };
  struct Dominator {
    double latency_reach;
    bool same_site;
  };
  struct Pair {
    std::uint32_t plan;
    double latency, memory, devices, energy;
  };
  enum class Verdict : std::uint8_t { no, unsure, yes };

  double metric(Metric m, const Pair& pair, const At& at) const;
  Verdict allowed(const Pair& pair, const At& at) const;
  Bounds bounds_of(std::size_t objective, double value, double latency) const;
  void collect(const At& at, Found& out);
  void start_dominators(const At& at);
  void add_dominator(std::size_t pair);
  bool dominated(std::size_t pair);
  void keep_front(std::vector<char>& keep);
  void keep_best(std::vector<char>& keep);
  void keep_fastest(std::vector<char>& keep);

  const Problem& problem_;
  const PlanTable& table_;
  double static_power_w_;
  const Known& known_;
  std::vector<Constraint> constraints_;
  std::size_t n_;                 // objectives
  std::vector<char> exact_;       // by objective: no rounding between kernels and plain evaluation
  bool all_exact_ = true;
  std::vector<double> known_reach_;  // n_ per known row

  std::vector<Pair> pairs_;       // of the site at hand
  std::vector<double> low_;       // n_ per pair
  std::vector<double> reach_;     // n_ per pair
  std::vector<Dominator> dominators_;
  std::vector<double> dominator_reach_;  // n_ per dominator
};

}  // namespace ridgeline::explore
