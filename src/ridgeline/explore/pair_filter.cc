#include "ridgeline/explore/pair_filter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace ridgeline::explore {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kKeyRounding = 1.1e-12;  // seconds: of a latency when it becomes whole picoseconds
constexpr std::size_t kMostKnown = 256;   // rows of the front that are tried on each pair
constexpr std::size_t kFirstRivals = 64;  // tried on all pairs by the kernel
constexpr std::size_t kMostRivals = 768;

// Is the objective's value computed from the whole picoseconds?
bool by_key(Metric metric) {
  return metric == Metric::latency_s || metric == Metric::tokens_per_s ||
         metric == Metric::tokens_per_s_per_pe;
}

double oriented(const Objective& objective, double value) {
  return objective.sense == Sense::maximize ? -value : value;
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
  for (const Objective& o : problem.objectives) exact_.push_back(needs_latency(o.metric) ? 0 : 1);
  const std::size_t step = known.front.size() / kMostKnown + 1;
  for (std::size_t r = 0; r < known.front.size(); r += step) {
    const Row& row = known.front[r];
    for (std::size_t j = 0; j < n_; ++j) {
      const double value =
          oriented(problem.objectives[j], row.metric(problem.objectives[j].metric));
      known_reach_.push_back(bounds_of(j, value, row.metric(Metric::latency_s)).reach);
    }
  }
  known_order_.resize(known_reach_.size() / n_);
  std::iota(known_order_.begin(), known_order_.end(), 0u);
}

double PairFilter::metric(Metric m, const Pair& p) const {
  const double devices = tile(p).devices()[p.index], memory = tile(p).memory()[p.index];
  const double tokens = table_.tokens();
  const double energy = tile(p).energy()[p.index] + static_power_w_ * devices * latency(p);
  switch (m) {
    case Metric::latency_s: return latency(p);
    case Metric::cost_score: return at_->cost;
    case Metric::pes_used: return devices;
    case Metric::cost_x_pes: return at_->cost * devices;
    case Metric::tokens_per_s: return tokens / latency(p);
    case Metric::tokens_per_s_per_pe: return tokens / latency(p) / devices;
    case Metric::energy_j: return energy;
    case Metric::energy_j_per_token: return energy / tokens;
    case Metric::memory_bytes: return memory;
    case Metric::memory_headroom_bytes: return at_->capacity - memory;
  }
  return 0;
}

PairFilter::Bounds PairFilter::bounds_of(std::size_t objective, double value,
                                         double latency) const {
  if (exact_[objective]) return {value, value};
  const Objective& o = problem_.objectives[objective];
  if (o.metric == Metric::latency_s && o.sense == Sense::minimize) {
    return {value, certainly_later(value)};
  }
  const double share = 2 * kMetricRounding + (by_key(o.metric) ? kKeyRounding / latency : 0);
  return {value - share * std::fabs(value), value + share * std::fabs(value)};
}

PairFilter::Verdict PairFilter::allowed(const Pair& pair) const {
  Verdict verdict = Verdict::yes;
  for (const Constraint& c : constraints_) {
    const double value = metric(c.metric, pair);
    const bool close = std::fabs(value - c.value) <= kMetricRounding * std::fabs(c.value);
    if (needs_latency(c.metric) && close) {
      verdict = Verdict::unsure;
    } else if (!holds(c, value)) {
      return Verdict::no;
    }
  }
  return verdict;
}

// Which plans of a tile are pairs, and their values.
void PairFilter::fill_tile(std::uint32_t t, Found& out) {
  const Tile& now = table_.tiles()[t];
  double* alive = &alive_[t * kPitch];
  std::fill(alive, alive + kPitch, 0.0);
  if (now.bucket() > 0 && table_.bounds()[now.bucket() - 1] >= at_->limit) return;
  for (std::size_t i = 0; i < now.count(); ++i) alive[i] = now.memory()[i] <= at_->limit ? 1 : 0;
  if (!constraints_.empty()) {
    for (std::uint32_t i = 0; i < now.count(); ++i) {
      if (alive[i] == 0) continue;
      const Verdict verdict = allowed({t, i});
      if (verdict == Verdict::unsure) out.unsure.push_back(now.plan(i));
      if (verdict == Verdict::yes) out.feasible += problem_.plans.weight(now.plan(i));
      alive[i] = verdict == Verdict::yes ? 1 : 0;
    }
  }
  for (std::size_t j = 0; j < n_; ++j) fill_column(t, j);
}

void PairFilter::fill_column(std::uint32_t t, std::size_t j) {
  const Tile& now = table_.tiles()[t];
  const Objective& o = problem_.objectives[j];
  const double* lat = &at_->latencies[t * kPitch];
  const double* devices = now.devices();
  double* out = &low_[(t * n_ + j) * kPitch];
  const std::size_t count = now.count();
  const double cost = at_->cost, tokens = table_.tokens();
  const auto fill = [&](auto&& value) {
    for (std::size_t i = 0; i < count; ++i) out[i] = value(i);
  };
  switch (o.metric) {
    case Metric::latency_s: fill([&](std::size_t i) { return lat[i]; }); break;
    case Metric::cost_score: fill([&](std::size_t) { return cost; }); break;
    case Metric::pes_used: fill([&](std::size_t i) { return devices[i]; }); break;
    case Metric::cost_x_pes: fill([&](std::size_t i) { return cost * devices[i]; }); break;
    case Metric::tokens_per_s: fill([&](std::size_t i) { return tokens / lat[i]; }); break;
    case Metric::tokens_per_s_per_pe:
      fill([&](std::size_t i) { return tokens / lat[i] / devices[i]; });
      break;
    case Metric::energy_j:
    case Metric::energy_j_per_token: {
      const double per = o.metric == Metric::energy_j ? 1 : tokens;
      fill([&, energy = now.energy()](std::size_t i) {
        return (energy[i] + static_power_w_ * devices[i] * lat[i]) / per;
      });
      break;
    }
    case Metric::memory_bytes: fill([&](std::size_t i) { return now.memory()[i]; }); break;
    case Metric::memory_headroom_bytes:
      fill([&](std::size_t i) { return at_->capacity - now.memory()[i]; });
      break;
  }
  const double sign = o.sense == Sense::maximize ? -1 : 1;
  if (exact_[j]) return fill([&](std::size_t i) { return sign * out[i]; });
  if (o.metric == Metric::latency_s && o.sense == Sense::minimize) return;
  const double key = by_key(o.metric) ? kKeyRounding : 0;
  fill([&](std::size_t i) {
    return sign * out[i] - (2 * kMetricRounding + key / lat[i]) * std::fabs(out[i]);
  });
}

template <class F>
void PairFilter::for_each_alive(F&& fn) const {
  for (std::uint32_t t = 0; t < table_.tiles().size(); ++t) {
    const double* alive = &alive_[t * kPitch];
    const auto count = static_cast<std::uint32_t>(table_.tiles()[t].count());
    for (std::uint32_t i = 0; i < count; ++i) {
      if (alive[i] != 0) fn(Pair{t, i});
    }
  }
}

// The best pair of each objective, then the known rows that this hardware's own values do not beat.
void PairFilter::choose_rivals() {
  rival_reach_.clear();
  rival_latency_.clear();
  rival_known_.clear();
  // The kernel reads the first ones while more are added: they must not move.
  rival_reach_.reserve((kMostRivals + kMostKnown) * n_);
  rival_latency_.reserve(kMostRivals + kMostKnown);
  for (std::size_t j = 0; j < n_; ++j) {
    double least = kInfinity;
    Pair best{};
    for (std::uint32_t t = 0; t < table_.tiles().size(); ++t) {
      const double* column = &low_[(t * n_ + j) * kPitch];
      const std::size_t i = least_alive(column, &alive_[t * kPitch], table_.tiles()[t].count());
      if (i == kTile || column[i] >= least) continue;
      least = column[i];
      best = {t, static_cast<std::uint32_t>(i)};
    }
    if (least < kInfinity) add_rival(best);
  }
  for (std::uint32_t k = 0; k < known_order_.size(); ++k) {
    const double* reach = &known_reach_[known_order_[k] * n_];
    bool may = true;
    for (std::size_t j = 0; j < n_; ++j) {
      const Objective& o = problem_.objectives[j];
      if (of_hardware(o.metric)) may = may && reach[j] <= oriented(o, at_->cost);
    }
    if (!may) continue;
    rival_reach_.insert(rival_reach_.end(), reach, reach + n_);
    rival_latency_.push_back(kInfinity);
    rival_known_.push_back(k + 1);
  }
}

void PairFilter::add_rival(const Pair& p) {
  if (rival_latency_.size() >= kMostRivals) return;
  for (std::size_t j = 0; j < n_; ++j) {
    const Objective& o = problem_.objectives[j];
    rival_reach_.push_back(bounds_of(j, oriented(o, metric(o.metric, p)), latency(p)).reach);
  }
  rival_latency_.push_back(certainly_later(latency(p)));
  rival_known_.push_back(0);
}

// The known row that is found moves forward for the sites to come.
bool PairFilter::dominated(const Pair& p) {
  for (std::size_t r = 0; r < rival_latency_.size(); ++r) {
    const double* reach = &rival_reach_[r * n_];
    bool all = true, strict = false;
    for (std::size_t j = 0; j < n_ && all; ++j) {
      const double mine = low(p, j);
      all = exact_[j] ? reach[j] <= mine : reach[j] < mine;
      strict = strict || reach[j] < mine;
    }
    if (!all || (!strict && latency(p) <= rival_latency_[r])) continue;
    if (const std::uint32_t k = rival_known_[r]; k > 1)
      std::swap(known_order_[k - 1], known_order_[(k - 1) / 2]);
    return true;
  }
  return false;
}

// The kernel drops what the first rivals dominate; the rest is compared with all, and with each
// other.
void PairFilter::keep_front(std::vector<Pair>& kept) {
  const RivalSet first{rival_reach_.data(), rival_latency_.data(),
                       std::min(kFirstRivals, rival_latency_.size()), exact_.data(), n_};
  std::array<std::uint32_t, kTile> left;
  std::vector<Pair> open;
  for (std::uint32_t t = 0; t < table_.tiles().size(); ++t) {
    const std::size_t n =
        select_undominated(&low_[t * n_ * kPitch], &at_->latencies[t * kPitch], &alive_[t * kPitch],
                           table_.tiles()[t].count(), first, left.data());
    for (std::size_t i = 0; i < n; ++i) {
      const Pair p{t, left[i]};
      if (dominated(p)) continue;
      open.push_back(p);
      add_rival(p);
    }
  }
  for (const Pair& p : open) {
    if (!dominated(p)) kept.push_back(p);
  }
}

// The first objective, then latency, order `best`; beyond that only the plain evaluation can tell.
void PairFilter::keep_best(std::vector<Pair>& kept) const {
  const auto after = [&](const Pair& p, const Bounds& first, double latency_s) {
    const double mine = low(p, 0);
    if (!exact_[0]) return mine > first.reach;
    return mine > first.low || (mine == first.low && latency(p) > certainly_later(latency_s));
  };
  const Objective& o = problem_.objectives.front();
  std::vector<Pair> open;
  if (const std::optional<Row>& worst = known_.worst_kept) {
    const double latency_s = worst->metric(Metric::latency_s);
    const Bounds bounds = bounds_of(0, oriented(o, worst->metric(o.metric)), latency_s);
    for_each_alive([&](const Pair& p) {
      if (!after(p, bounds, latency_s)) open.push_back(p);
    });
  } else {
    for_each_alive([&](const Pair& p) { open.push_back(p); });
  }
  if (open.size() > known_.most) {
    const auto last = open.begin() + static_cast<std::ptrdiff_t>(known_.most - 1);
    std::nth_element(open.begin(), last, open.end(), [&](const Pair& a, const Pair& b) {
      return low(a, 0) != low(b, 0) ? low(a, 0) < low(b, 0) : latency(a) < latency(b);
    });
    const Pair l = *last;
    const Bounds bounds = bounds_of(0, oriented(o, metric(o.metric, l)), latency(l));
    std::erase_if(open, [&](const Pair& p) { return after(p, bounds, latency(l)); });
  }
  kept.insert(kept.end(), open.begin(), open.end());
}

void PairFilter::keep_fastest(std::vector<Pair>& kept) const {
  double least = kInfinity;
  for_each_alive([&](const Pair& p) { least = std::min(least, latency(p)); });
  for_each_alive([&](const Pair& p) {
    if (latency(p) <= certainly_later(least)) kept.push_back(p);
  });
}

void PairFilter::find(const At& at, Found& out) {
  out.plans.clear();
  out.unsure.clear();
  out.feasible = 0;
  at_ = &at;
  low_.resize(table_.tiles().size() * n_ * kPitch);
  alive_.resize(table_.tiles().size() * kPitch);
  for (std::uint32_t t = 0; t < table_.tiles().size(); ++t) fill_tile(t, out);
  choose_rivals();
  std::vector<Pair> kept;
  keep_front(kept);
  keep_best(kept);
  if (known_.want_fastest) keep_fastest(kept);
  const auto place = [](const Pair& p) { return std::pair(p.tile, p.index); };
  std::sort(kept.begin(), kept.end(),
            [&](const Pair& a, const Pair& b) { return place(a) < place(b); });
  kept.erase(std::unique(kept.begin(), kept.end(),
                         [&](const Pair& a, const Pair& b) { return place(a) == place(b); }),
             kept.end());
  for (const Pair& p : kept) out.plans.push_back(tile(p).plan(p.index));
}

}  // namespace ridgeline::explore
