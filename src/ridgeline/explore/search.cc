#include "ridgeline/explore/search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ridgeline/explore/minima.h"
#include "ridgeline/explore/pair_filter.h"
#include "ridgeline/explore/plain.h"
#include "ridgeline/explore/plan_table.h"
#include "ridgeline/explore/workers.h"

namespace ridgeline::explore {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSecondsPerVisit = 5e-6;  // a site whose pairs are looked at one by one

// Is less latency at the same hardware and workload always better, and nothing else of the plan
// looked at?
bool follows_latency(const Objective& o) {
  return (o.metric == Metric::latency_s && o.sense == Sense::minimize) ||
         (o.metric == Metric::tokens_per_s && o.sense == Sense::maximize);
}

// How much of the search the objectives and constraints need.
enum class Depth : std::uint8_t {
  fastest,  // the fastest plans of each site
  all,      // every pair
};

Depth depth_of(const Problem& problem, const ConstraintSets& sets, const Options& options) {
  bool simple = sets.pair.empty();
  for (const Objective& o : problem.objectives) {
    simple = simple && (follows_latency(o) || of_hardware(o.metric));
  }
  const bool top_is_simple = options.top <= 0 || follows_latency(problem.objectives.front());
  return simple && top_is_simple ? Depth::fastest : Depth::all;
}

// A hardware point of the loaded chunk.
struct Visit {
  Site site;
  double cost = 0;
  double least = kInfinity;         // latency of its fastest plan, by the kernels
  std::uint64_t tiles = kAllTiles;  // where that may be
};

// One hardware group and workload.
class Batch {
 public:
  Batch(const Problem& problem, const Options& options, const ConstraintSets& sets, std::size_t g,
        std::uint32_t workload, Workers& workers)
      : problem_(problem),
        options_(options),
        sets_(sets),
        workload_(workload),
        workers_(workers),
        group_(problem.hardware.group(g, problem.workloads[workload].activation_precision)),
        table_(problem, group_, workload, bucket_bounds(group_, problem.space->require_fit),
               workers),
        minima_(group_, table_, problem.space->require_fit, workers),
        workload_allowed_(workload_allowed(sets.workload, problem.workloads[workload])) {
    std::vector<double> ascending = group_.capacities;
    std::sort(ascending.begin(), ascending.end());
    const auto by_capacity = [&](const std::vector<std::int64_t>& weights) {
      std::vector<std::int64_t> out;
      for (const double capacity : group_.capacities) {
        const auto at = std::lower_bound(ascending.begin(), ascending.end(), capacity);
        out.push_back(weights[static_cast<std::size_t>(at - ascending.begin())]);
      }
      return out;
    };
    fitting_ = by_capacity(table_.fitting_weights(ascending));
    allowed_ = by_capacity(table_.allowed_weights(ascending));
    if (problem.space->require_fit) return;
    const double infinity[] = {kInfinity};
    allowed_.assign(allowed_.size(), table_.allowed_weights(infinity)[0]);
  }

  std::size_t chunk_count() const { return minima_.chunk_count(); }

  struct Turn {
    std::size_t chunk;
    Depth depth;
    double done;  // share of the search before it
  };
  // False: the search is to stop.
  bool run(const Turn& turn, Collector& collector, Counts& counts) {
    const std::vector<Site>& sites = minima_.load(turn.chunk);
    visits_.clear();
    count(sites, counts);
    for (const Site& site : sites) {
      if (!workload_allowed_ || !hardware_allowed(problem_, sets_.hardware, site.hardware))
        continue;
      visits_.push_back({site, problem_.hardware.cost(site.hardware)});
    }
    if (problem_.space->pick == Pick::fewest_devices) {
      run_fewest(collector, counts);
      return true;
    }
    if (sets_.pair.empty()) {
      for (const Visit& at : visits_) counts.feasible += allowed_[at.site.capacity];
    }
    if (turn.depth == Depth::all) return run_all(turn.done, collector, counts);
    run_fastest(sites, collector);
    return true;
  }

 private:
  void count(const std::vector<Site>& sites, Counts& counts) const {
    const auto n = static_cast<std::int64_t>(sites.size());
    counts.valid += n * table_.valid_weight();
    for (std::size_t r = 0; r < counts.rejected.size(); ++r) {
      counts.rejected[r] += n * table_.rejected_weight()[r];
    }
    for (const Site& site : sites) {
      counts.does_not_fit += table_.valid_weight() - fitting_[site.capacity];
    }
  }

  void run_fastest(const std::vector<Site>& sites, Collector& collector);
  std::vector<std::size_t> worth_visiting(double top_reach) const;
  double reach_of_top(const Collector& collector) const;
  void visit_fastest(const Visit& at, double top_reach, Plain& plain, Minima::Scratch& scratch,
                     std::vector<Row>& rows) const;

  bool run_all(double done, Collector& collector, Counts& counts);
  void visit_all(const Visit& at, PairFilter& filter, Plain& plain, Minima::Scratch& scratch,
                 std::vector<Row>& rows, std::int64_t& feasible) const;

  void run_fewest(Collector& collector, Counts& counts);
  Spot spot(const Visit& at) const {
    return {at.site.hardware, group_.rates_at(at.site), group_.capacities[at.site.capacity],
            at.cost};
  }
  void offer(const std::vector<Row>& rows, Collector& collector) const;

  const Problem& problem_;
  const Options& options_;
  const ConstraintSets& sets_;
  std::uint32_t workload_;
  Workers& workers_;
  HardwareGroup group_;
  PlanTable table_;
  Minima minima_;
  bool workload_allowed_;
  // Listed plans by capacity of the group: valid ones that fit; those that may be taken.
  std::vector<std::int64_t> fitting_, allowed_;
  std::vector<Visit> visits_;  // of the loaded chunk, within the constraints
};

// The rows of one site: which plan stands for it, its front, and each for `best` and `top`.
void Batch::offer(const std::vector<Row>& rows, Collector& collector) const {
  if (rows.empty()) return;
  for (const Row& row : rows) {
    collector.offer_best(row);
    collector.offer_top(row);
  }
  collector.offer_front(front_of_site(problem_, rows));
  collector.offer_site(*std::min_element(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    return faster_plan(problem_, a, b);
  }));
}

// Latency up to which pairs are needed for `top`; none below zero.
double Batch::reach_of_top(const Collector& collector) const {
  if (options_.top <= 0) return -1;
  double reach = kInfinity;
  if (const Row* worst = collector.worst_kept()) {
    reach = certainly_later(worst->metric(Metric::latency_s));
    if (problem_.objectives.front().metric == Metric::tokens_per_s) {
      // The worst row may be of another workload: the same rate takes as much longer as it has more
      // tokens.
      constexpr double kPicosecond = 1e-12;  // keys are rounded
      const double ratio = table_.tokens() / worst->tokens;
      reach = certainly_later((worst->metric(Metric::latency_s) + kPicosecond) * ratio);
    }
  }
  const auto most = static_cast<std::size_t>(options_.top);
  if (visits_.size() >= most) {
    std::vector<double> least;
    for (const Visit& at : visits_) least.push_back(at.least);
    const auto last = least.begin() + static_cast<std::ptrdiff_t>(most - 1);
    std::nth_element(least.begin(), last, least.end());
    reach = std::min(reach, certainly_later(*last));
  }
  return reach;
}

// Sites whose fastest plan may be on the front, is among the best or is asked for.
std::vector<std::size_t> Batch::worth_visiting(double top_reach) const {
  bool by_latency = false, cheap = false, dear = false;
  for (const Objective& o : problem_.objectives) {
    by_latency = by_latency || follows_latency(o);
    if (of_hardware(o.metric)) (o.sense == Sense::minimize ? cheap : dear) = true;
  }
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < visits_.size(); ++i) {
    if (std::isfinite(visits_[i].least)) order.push_back(i);
  }
  if (options_.per_hardware || (cheap && dear)) return order;
  const auto cost = [&](std::size_t i) {
    return cheap ? visits_[i].cost : dear ? -visits_[i].cost : 0.0;
  };
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return cost(a) < cost(b); });
  std::vector<std::size_t> out;
  double least = kInfinity;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    if (!by_latency && begin > 0) break;  // only the cheapest
    for (end = begin; end < order.size() && cost(order[end]) == cost(order[begin]); ++end) {
      least = std::min(least, visits_[order[end]].least);
    }
    const double reach = by_latency ? certainly_later(least) : kInfinity;
    for (std::size_t i = begin; i < end; ++i) {
      if (visits_[order[i]].least <= reach) out.push_back(order[i]);
    }
  }
  if (top_reach < 0) return out;
  for (const std::size_t i : order) {
    if (visits_[i].least <= top_reach) out.push_back(i);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

void Batch::run_fastest(const std::vector<Site>& sites, Collector& collector) {
  const std::vector<Minima::Least> least = minima_.least();
  for (std::size_t s = 0, i = 0; i < visits_.size(); ++s) {
    if (sites[s].hardware != visits_[i].site.hardware) continue;
    visits_[i].least = least[s].latency_s;
    visits_[i++].tiles = least[s].tiles;
  }
  const double top_reach = reach_of_top(collector);
  const std::vector<std::size_t> visits = worth_visiting(top_reach);
  struct Local {
    Plain plain;
    Minima::Scratch scratch;
  };
  PerWorker<Local> locals(workers_);
  const auto make = [&] { return Local{Plain(problem_, group_.machine, workload_), {}}; };
  constexpr std::size_t kBlock = 64;
  for (std::size_t first = 0; first < visits.size(); first += 4096) {
    const std::size_t count = std::min<std::size_t>(4096, visits.size() - first);
    std::vector<std::vector<Row>> rows(count);
    workers_.run(count, kBlock, static_cast<double>(count) * kSecondsPerVisit,
                 [&](std::size_t worker, std::size_t begin, std::size_t end) {
                   Local& local = locals.of(worker, make);
                   for (std::size_t i = begin; i < end; ++i) {
                     visit_fastest(visits_[visits[first + i]], top_reach, local.plain,
                                   local.scratch, rows[i]);
                   }
                 });
    for (const std::vector<Row>& of_site : rows) offer(of_site, collector);
  }
}

// The plans within reach of the fastest, and those within reach of `top`, as many of them as it has
// room.
void Batch::visit_fastest(const Visit& at, double top_reach, Plain& plain, Minima::Scratch& scratch,
                          std::vector<Row>& rows) const {
  const double limit = minima_.limit(at.site);
  const double reach = std::max(certainly_later(at.least), top_reach);
  const std::uint64_t tiles = top_reach < 0 ? at.tiles : kAllTiles;
  const std::vector<double>& latencies = minima_.latencies(at.site, tiles, scratch);
  std::array<std::uint32_t, kTile> found;
  std::vector<std::pair<double, std::uint32_t>> near;  // (latency, plan)
  for (std::size_t t = 0; t < table_.tiles().size(); ++t) {
    const Tile& tile = table_.tiles()[t];
    if ((tiles >> (t % 64) & 1) == 0) continue;
    if (tile.bucket() > 0 && table_.bounds()[tile.bucket() - 1] >= limit) continue;
    const std::size_t n = select_below(&latencies[t * kPitch], tile.count(), reach, found.data());
    for (std::size_t i = 0; i < n; ++i) {
      if (tile.memory()[found[i]] > limit) continue;
      near.push_back({latencies[t * kPitch + found[i]], tile.plan(found[i])});
    }
  }
  const auto most = static_cast<std::size_t>(std::max<std::int64_t>(1, options_.top));
  if (near.size() > most) {
    const auto last = near.begin() + static_cast<std::ptrdiff_t>(most - 1);
    std::nth_element(near.begin(), last, near.end());
    const double cut = certainly_later(last->first);
    std::erase_if(near, [&](const auto& pair) { return pair.first > cut; });
  }
  const Spot here = spot(at);
  for (const auto& [latency, plan] : near) rows.push_back(plain.row(plan, here));
}

bool Batch::run_all(double done, Collector& collector, Counts& counts) {
  struct Local {
    PairFilter filter;
    Plain plain;
    Minima::Scratch scratch;
  };
  const double watts = group_.machine.device.static_power.base();
  constexpr std::size_t kBlock = 32;
  std::size_t step = 64;  // grows: what the first sites leave sieves the later ones
  for (std::size_t first = 0, count = 0; first < visits_.size(); first += count) {
    count = std::min(step, visits_.size() - first);
    step = std::min<std::size_t>(4096, 4 * step);
    const std::span<const Row> front = collector.front();
    Known known{{front.begin(), front.end()}, {}, 1};
    known.most = static_cast<std::size_t>(std::max<std::int64_t>(1, options_.top));
    known.want_fastest = options_.per_hardware;
    if (const Row* worst = collector.worst_kept()) known.worst_kept = *worst;
    PerWorker<Local> locals(workers_);
    const auto make = [&] {
      return Local{PairFilter(problem_, table_, watts, known),
                   Plain(problem_, group_.machine, workload_),
                   {}};
    };
    std::vector<std::vector<Row>> rows(count);
    std::vector<std::int64_t> feasible(count, 0);
    const double seconds = static_cast<double>(count * table_.plan_count()) * 10e-9;
    workers_.run(count, kBlock, seconds,
                 [&](std::size_t worker, std::size_t begin, std::size_t end) {
                   Local& local = locals.of(worker, make);
                   for (std::size_t i = begin; i < end; ++i) {
                     visit_all(visits_[first + i], local.filter, local.plain, local.scratch,
                               rows[i], feasible[i]);
                   }
                 });
    for (const std::vector<Row>& of_site : rows) offer(of_site, collector);
    if (!sets_.pair.empty())
      counts.feasible += std::accumulate(feasible.begin(), feasible.end(), std::int64_t{0});
    if (options_.progress && !options_.progress(done)) return false;
  }
  return true;
}

void Batch::visit_all(const Visit& at, PairFilter& filter, Plain& plain, Minima::Scratch& scratch,
                      std::vector<Row>& rows, std::int64_t& feasible) const {
  PairFilter::Found found;
  filter.find({minima_.latencies(at.site, kAllTiles, scratch), minima_.limit(at.site),
               group_.capacities[at.site.capacity], at.cost},
              found);
  feasible = found.feasible;
  const Spot here = spot(at);
  for (const std::uint32_t plan : found.plans) rows.push_back(plain.row(plan, here));
  for (const std::uint32_t plan : found.unsure) {
    const Row row = plain.row(plan, here);
    if (!pair_allowed(sets_.pair, row)) continue;
    feasible += problem_.plans.weight(plan);
    rows.push_back(row);
  }
}

// The plan with the fewest devices that fits: no latency is needed to find it.
void Batch::run_fewest(Collector& collector, Counts& counts) {
  struct Entry {
    Row row;  // with what smaller_plan compares
    double memory;
  };
  std::vector<Entry> entries;
  for (const Tile& tile : table_.tiles()) {
    for (std::size_t i = 0; i < tile.count(); ++i) {
      Row row;
      row.workload = workload_;
      row.plan = tile.plan(i);
      row.metrics[static_cast<std::size_t>(Metric::pes_used)] = tile.devices()[i];
      row.metrics[static_cast<std::size_t>(Metric::memory_bytes)] = tile.memory()[i];
      entries.push_back({row, tile.memory()[i]});
    }
  }
  std::sort(entries.begin(), entries.end(),
            [&](const Entry& a, const Entry& b) { return smaller_plan(problem_, a.row, b.row); });
  Plain plain(problem_, group_.machine, workload_);
  const auto most = static_cast<std::size_t>(std::max<std::int64_t>(1, options_.top));
  for (const Visit& at : visits_) {
    const Spot here = spot(at);
    std::size_t taken = 0;
    for (const Entry& e : entries) {
      if (e.memory > minima_.limit(at.site)) continue;
      if (taken == most && sets_.pair.empty()) break;  // with pair constraints all are counted
      const Row row = plain.row(e.row.plan, here);
      if (!pair_allowed(sets_.pair, row)) continue;
      if (!sets_.pair.empty()) counts.feasible += problem_.plans.weight(row.plan);
      if (taken++ == 0) {
        collector.offer_best(row);
        collector.offer_front({&row, 1});
        collector.offer_site(row);
      }
      if (taken <= most) collector.offer_top(row);
    }
    if (sets_.pair.empty()) counts.feasible += allowed_[at.site.capacity];
  }
}

}  // namespace

bool search_fast(const Problem& problem, const Options& options, Collector& collector,
                 Counts& counts) {
  const ConstraintSets sets = sort_constraints(problem.space->constraints);
  const Depth depth = depth_of(problem, sets, options);
  Workers workers(options.threads);
  const std::size_t works = problem.workloads.size(),
                    batches = problem.hardware.group_count() * works;
  for (std::size_t b = 0; b < batches; ++b) {
    Batch batch(problem, options, sets, b / works, static_cast<std::uint32_t>(b % works), workers);
    const std::size_t chunks = batch.chunk_count();
    const auto share = [&](std::size_t chunk) {
      const double of_batch = static_cast<double>(chunk) / static_cast<double>(chunks);
      return (static_cast<double>(b) + of_batch) / static_cast<double>(batches);
    };
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      if (!batch.run({chunk, depth, share(chunk)}, collector, counts)) return false;
      if (options.progress && !options.progress(share(chunk + 1))) return false;
    }
  }
  return true;
}

}  // namespace ridgeline::explore
