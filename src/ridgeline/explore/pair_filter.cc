#include "ridgeline/explore/pair_filter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace ridgeline::explore {
namespace {

constexpr double kRounding = 1e-13;       // relative: of a metric, kernels against plain evaluation
constexpr double kKeyRounding = 1.1e-12;  // seconds: of a latency when it becomes whole picoseconds
constexpr std::size_t kMostKnown = 256;   // rows of the front that are tried on each pair
constexpr std::size_t kMostDominators = 768;

// Is the objective's value computed from the whole picoseconds?
bool by_key(Metric metric) {
  return metric == Metric::tokens_per_s || metric == Metric::tokens_per_s_per_pe;
}

}  // namespace

PairFilter::PairFilter(const Problem& problem, const PlanTable& table, double static_power_w,
                       const Known& known)
    : problem_(problem),
      table_(table),
      static_power_w_(static_power_w),
      known_(known),
      constraints_(sort_constraints(problem.space->constraints).pair),
      n_(problem.objectives.size()) {
  for (const Objective& o : problem.objectives) {
    exact_.push_back(needs_latency(o.metric) ? 0 : 1);
    all_exact_ = all_exact_ && exact_.back() != 0;
  }
  const std::size_t step = known.front.size() / kMostKnown + 1;
  for (std::size_t r = 0; r < known.front.size(); r += step) {
    const Row& row = known.front[r];
    for (std::size_t j = 0; j < n_; ++j) {
      const double sign = problem.objectives[j].sense == Sense::maximize ? -1 : 1;
      const double value = sign * row.metric(problem.objectives[j].metric);
      known_reach_.push_back(bounds_of(j, value, row.metric(Metric::latency_s)).reach);
    }
  }
}

double PairFilter::metric(Metric m, const Pair& p, const At& at) const {
  const double energy = p.energy + static_power_w_ * p.devices * p.latency;
  switch (m) {
    case Metric::latency_s: return p.latency;
    case Metric::cost_score: return at.cost;
    case Metric::pes_used: return p.devices;
    case Metric::cost_x_pes: return at.cost * p.devices;
    case Metric::tokens_per_s: return table_.tokens() / p.latency;
    case Metric::tokens_per_s_per_pe: return table_.tokens() / p.latency / p.devices;
    case Metric::energy_j: return energy;
    case Metric::energy_j_per_token: return energy / table_.tokens();
    case Metric::memory_bytes: return p.memory;
    case Metric::memory_headroom_bytes: return at.capacity - p.memory;
  }
  return 0;
}

PairFilter::Verdict PairFilter::allowed(const Pair& pair, const At& at) const {
  Verdict verdict = Verdict::yes;
  for (const Constraint& c : constraints_) {
    const double value = metric(c.metric, pair, at);
    const bool close = std::fabs(value - c.value) <= kRounding * std::fabs(c.value);
    if (needs_latency(c.metric) && close) {
      verdict = Verdict::unsure;
    } else if (!holds(c, value)) {
      return Verdict::no;
    }
  }
  return verdict;
}

PairFilter::Bounds PairFilter::bounds_of(std::size_t objective, double value, double latency) const {
  if (exact_[objective]) return {value, value};
  const Objective& o = problem_.objectives[objective];
  if (o.metric == Metric::latency_s && o.sense == Sense::minimize) {
    return {value, certainly_later(value)};
  }
  const bool keyed = by_key(o.metric) || o.metric == Metric::latency_s;
  const double share = 2 * kRounding + (keyed ? kKeyRounding / latency : 0);
  return {value - share * std::fabs(value), value + share * std::fabs(value)};
}

// The pairs that fit, with what they are compared by.
void PairFilter::collect(const At& at, Found& out) {
  pairs_.clear();
  low_.clear();
  reach_.clear();
  for (std::size_t t = 0; t < table_.tiles().size(); ++t) {
    const Tile& tile = table_.tiles()[t];
    const bool none_fits = tile.bucket() > 0 && table_.bounds()[tile.bucket() - 1] >= at.limit;
    for (std::size_t i = 0; i < tile.count() && !none_fits; ++i) {
      const Pair pair{tile.plan(i), at.latencies[t * kPitch + i], tile.memory()[i], tile.devices()[i],
                      tile.energy()[i]};
      if (pair.memory > at.limit || !std::isfinite(pair.latency)) continue;
      const Verdict verdict = constraints_.empty() ? Verdict::yes : allowed(pair, at);
      if (verdict == Verdict::unsure) out.unsure.push_back(pair.plan);
      if (verdict != Verdict::yes) continue;
      out.feasible += problem_.plans.weight(pair.plan);
      pairs_.push_back(pair);
      for (std::size_t j = 0; j < n_; ++j) {
        const Objective& o = problem_.objectives[j];
        const double value = metric(o.metric, pair, at);
        const Bounds b = bounds_of(j, o.sense == Sense::maximize ? -value : value, pair.latency);
        low_.push_back(b.low);
        reach_.push_back(b.reach);
      }
    }
  }
}

// Known rows that this hardware point's own values do not beat; then the best pair of each objective.
void PairFilter::start_dominators(const At& at) {
  dominators_.clear();
  dominator_reach_.clear();
  for (std::size_t r = 0; r * n_ < known_reach_.size(); ++r) {
    const double* reach = &known_reach_[r * n_];
    bool may = true;
    for (std::size_t j = 0; j < n_; ++j) {
      const Objective& o = problem_.objectives[j];
      if (of_hardware(o.metric)) may = may && reach[j] <= (o.sense == Sense::maximize ? -at.cost : at.cost);
    }
    if (!may) continue;
    dominators_.push_back({std::numeric_limits<double>::infinity(), false});
    dominator_reach_.insert(dominator_reach_.end(), reach, reach + n_);
  }
  for (std::size_t j = 0; j < n_; ++j) {
    std::size_t least = 0;
    for (std::size_t i = 1; i < pairs_.size(); ++i) {
      const double a = low_[i * n_ + j], b = low_[least * n_ + j];
      if (a < b || (a == b && pairs_[i].latency < pairs_[least].latency)) least = i;
    }
    add_dominator(least);
  }
}

void PairFilter::add_dominator(std::size_t pair) {
  if (dominators_.size() >= kMostDominators) return;
  dominators_.push_back({certainly_later(pairs_[pair].latency), true});
  dominator_reach_.insert(dominator_reach_.end(), &reach_[pair * n_], &reach_[pair * n_] + n_);
}

// The dominator that is found moves forward, so that the strong ones are tried first.
bool PairFilter::dominated(std::size_t pair) {
  const double* low = &low_[pair * n_];
  for (std::size_t q = 0; q < dominators_.size(); ++q) {
    const double* reach = &dominator_reach_[q * n_];
    bool all = true, strict = !all_exact_;
    for (std::size_t j = 0; j < n_ && all; ++j) {
      all = exact_[j] ? reach[j] <= low[j] : reach[j] < low[j];
      strict = strict || reach[j] < low[j];
    }
    if (!all) continue;
    const bool later = dominators_[q].same_site && pairs_[pair].latency > dominators_[q].latency_reach;
    if (!strict && !later) continue;
    const std::size_t to = q / 2;
    std::swap(dominators_[q], dominators_[to]);
    std::swap_ranges(&dominator_reach_[q * n_], &dominator_reach_[q * n_] + n_, &dominator_reach_[to * n_]);
    return true;
  }
  return false;
}

void PairFilter::keep_front(std::vector<char>& keep) {
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    if (dominated(i)) continue;
    keep[i] = 1;
    add_dominator(i);
  }
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    if (keep[i] && dominated(i)) keep[i] = 0;  // by one that came later
  }
}

// The first objective, then latency, order `best`; beyond that only the plain evaluation can tell.
void PairFilter::keep_best(std::vector<char>& keep) {
  std::vector<std::uint32_t> open;
  const auto after = [&](std::size_t i, double low0, double reach0, double latency) {
    const double mine = low_[i * n_];
    if (!exact_[0]) return mine > reach0;
    return mine > low0 || (mine == low0 && pairs_[i].latency > certainly_later(latency));
  };
  const bool bounded = known_.worst_kept.has_value();
  const Objective& first = problem_.objectives.front();
  const double worst = bounded ? known_.worst_kept->metric(first.metric) : 0;
  const double worst_latency = bounded ? known_.worst_kept->metric(Metric::latency_s) : 0;
  const Bounds w = bounds_of(0, first.sense == Sense::maximize ? -worst : worst, worst_latency);
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    if (!bounded || !after(i, w.low, w.reach, worst_latency)) open.push_back(static_cast<std::uint32_t>(i));
  }
  if (open.size() > known_.most) {
    const auto last = open.begin() + static_cast<std::ptrdiff_t>(known_.most - 1);
    std::nth_element(open.begin(), last, open.end(), [&](std::uint32_t a, std::uint32_t b) {
      const double va = low_[a * n_], vb = low_[b * n_];
      return va != vb ? va < vb : pairs_[a].latency < pairs_[b].latency;
    });
    const std::size_t l = *last;
    std::erase_if(open, [&](std::uint32_t i) {
      return after(i, low_[l * n_], reach_[l * n_], pairs_[l].latency);
    });
  }
  for (const std::uint32_t i : open) keep[i] = 1;
}

void PairFilter::keep_fastest(std::vector<char>& keep) {
  double least = std::numeric_limits<double>::infinity();
  for (const Pair& pair : pairs_) least = std::min(least, pair.latency);
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    if (pairs_[i].latency <= certainly_later(least)) keep[i] = 1;
  }
}

void PairFilter::find(const At& at, Found& out) {
  out.plans.clear();
  out.unsure.clear();
  out.feasible = 0;
  collect(at, out);
  if (pairs_.empty()) return;
  start_dominators(at);
  std::vector<char> keep(pairs_.size(), 0);
  keep_front(keep);
  keep_best(keep);
  if (known_.want_fastest) keep_fastest(keep);
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    if (keep[i]) out.plans.push_back(pairs_[i].plan);
  }
}

}  // namespace ridgeline::explore
