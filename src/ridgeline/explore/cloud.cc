// Cloud: one feasible pair of each cell of a fixed grid over two metrics, so that a million pairs
// can be drawn. The kernels tell the cells; the plain evaluation tells what is shown.
#include <array>
#include <bit>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "ridgeline/explore/explore.h"
#include "ridgeline/explore/minima.h"
#include "ridgeline/explore/plain.h"
#include "ridgeline/explore/plan_table.h"
#include "ridgeline/explore/problem.h"
#include "ridgeline/explore/workers.h"

namespace ridgeline::explore {
namespace {

// The cells of a metric: so many between any power of two and the next, of equal width. A value
// within kRelativeError of an edge may fall on either side of it.
class Ruler {
 public:
  explicit Ruler(double cells_per_octave) : cells_per_octave_(cells_per_octave) {}

  std::int32_t cell(double value) const {
    if (!(value > 0)) return 0;
    constexpr double kOne = 1.0 / (std::int64_t{1} << 52);
    const double octaves = static_cast<double>(std::bit_cast<std::int64_t>(value)) * kOne;
    return static_cast<std::int32_t>(octaves * cells_per_octave_);  // bits order as values do
  }

 private:
  double cells_per_octave_;
};

// What a site gives the metrics of all of its plans.
struct At {
  const double* latency;  // of the plans of one tile
  double cost, capacity, tokens, static_power_w;
};

// put(i, value of the metric) for each plan of the tile.
template <class Put>
void for_each_value(Metric metric, const Tile& tile, const At& at, const Put& put) {
  const double *latency = at.latency, *devices = tile.devices(), *memory = tile.memory();
  const auto each = [&, n = tile.count()](const auto& value) {
    for (std::size_t i = 0; i < n; ++i) put(i, value(i));
  };
  const auto energy = [&, work = tile.energy()](std::size_t i) {
    return work[i] + at.static_power_w * devices[i] * latency[i];
  };
  using I = std::size_t;
  switch (metric) {
    case Metric::latency_s: return each([&](I i) { return latency[i]; });
    case Metric::cost_score: return each([&](I) { return at.cost; });
    case Metric::pes_used: return each([&](I i) { return devices[i]; });
    case Metric::cost_x_pes: return each([&](I i) { return at.cost * devices[i]; });
    case Metric::tokens_per_s: return each([&](I i) { return at.tokens / latency[i]; });
    case Metric::tokens_per_s_per_pe:
      return each([&](I i) { return at.tokens / latency[i] / devices[i]; });
    case Metric::energy_j: return each(energy);
    case Metric::energy_j_per_token: return each([&](I i) { return energy(i) / at.tokens; });
    case Metric::memory_bytes: return each([&](I i) { return memory[i]; });
    case Metric::memory_headroom_bytes: return each([&](I i) { return at.capacity - memory[i]; });
  }
}

enum class Verdict : std::uint8_t { no, unsure, yes };

class CloudMaker {
 public:
  CloudMaker(const Problem& problem, const CloudOptions& options)
      : problem_(problem),
        options_(options),
        sets_(sort_constraints(problem.space->constraints)),
        ruler_(options.cells_per_octave) {
    for (const Point& point : options.taken) {
      take(ruler_.cell(point.metric(options.x)), ruler_.cell(point.metric(options.y)));
    }
  }

  Cloud make() {
    Workers workers(1);
    for (std::size_t g = 0; g < problem_.hardware.group_count() && !out_.stopped; ++g) {
      for (std::uint32_t w = 0; w < problem_.workloads.size() && !out_.stopped; ++w) {
        if (workload_allowed(sets_.workload, problem_.workloads[w])) walk(g, w, workers);
      }
    }
    return std::move(out_);
  }

 private:
  bool take(std::int32_t x, std::int32_t y) {
    const auto key = static_cast<std::uint64_t>(static_cast<std::uint32_t>(x)) << 32U |
                     static_cast<std::uint32_t>(y);
    return seen_.insert(key).second;
  }

  bool goes_on(std::size_t site, std::size_t sites) const {
    return !options_.progress ||
           options_.progress(static_cast<double>(site) / static_cast<double>(sites));
  }

  void walk(std::size_t g, std::uint32_t w, Workers& workers) {
    const bool fits = problem_.space->require_fit;
    const HardwareGroup group =
        problem_.hardware.group(g, problem_.workloads[w].activation_precision);
    const PlanTable table(problem_, group, w, bucket_bounds(group, fits), workers);
    Minima minima(group, table, fits, workers);
    Plain plain(problem_, group.machine, w);
    Minima::Scratch scratch;
    for (std::size_t chunk = 0; chunk < minima.chunk_count(); ++chunk) {
      const std::vector<Site>& sites = minima.load(chunk);
      scratch = {};
      for (std::size_t i = 0; i < sites.size(); ++i) {
        if (!goes_on(i, sites.size())) out_.stopped = true;
        if (out_.stopped) return;
        if (!hardware_allowed(problem_, sets_.hardware, sites[i].hardware)) continue;
        const double* latencies = minima.latencies(sites[i], kAllTiles, scratch).data();
        visit(sites[i], group, table, {latencies, minima.limit(sites[i])}, plain);
      }
    }
  }

  struct Pairs {
    const double* latencies;
    double limit;
  };
  void visit(const Site& site, const HardwareGroup& group, const PlanTable& table,
             const Pairs& pairs, Plain& plain) {
    At at{nullptr, problem_.hardware.cost(site.hardware), group.capacities[site.capacity],
          table.tokens(), group.machine.device.static_power.base()};
    const Spot spot{site.hardware, group.rates_at(site), at.capacity, at.cost};
    for (std::size_t t = 0; t < table.tiles().size(); ++t) {
      const Tile& tile = table.tiles()[t];
      at.latency = pairs.latencies + t * kPitch;
      for_each_value(options_.x, tile, at,
                     [&](std::size_t i, double v) { x_[i] = ruler_.cell(v); });
      for_each_value(options_.y, tile, at,
                     [&](std::size_t i, double v) { y_[i] = ruler_.cell(v); });
      judge(tile, at, pairs.limit);
      for (std::size_t i = 0; i < tile.count(); ++i) {
        if (!is_pair(i, tile.plan(i), spot, plain)) continue;
        ++out_.total;
        // Plans of one site stand in few cells: the last one is looked at first.
        if (x_[i] == last_x_ && y_[i] == last_y_) continue;
        last_x_ = x_[i];
        last_y_ = y_[i];
        if (take(x_[i], y_[i])) show(tile.plan(i), spot, plain);
      }
    }
  }

  // Which plans of the tile fit and are within the constraints, as far as the kernels can tell.
  void judge(const Tile& tile, const At& at, double limit) {
    for (std::size_t i = 0; i < tile.count(); ++i) {
      verdicts_[i] = tile.memory()[i] <= limit ? Verdict::yes : Verdict::no;
    }
    for (const Constraint& c : sets_.pair) {
      const double close = needs_latency(c.metric) ? kMetricRounding * std::fabs(c.value) : -1;
      for_each_value(c.metric, tile, at, [&](std::size_t i, double v) {
        if (verdicts_[i] == Verdict::no) return;
        if (std::fabs(v - c.value) <= close) {
          verdicts_[i] = Verdict::unsure;
        } else if (!holds(c, v)) {
          verdicts_[i] = Verdict::no;
        }
      });
    }
  }

  bool is_pair(std::size_t i, std::uint32_t plan, const Spot& spot, Plain& plain) const {
    if (verdicts_[i] != Verdict::unsure) return verdicts_[i] == Verdict::yes;
    return pair_allowed(sets_.pair, plain.row(plan, spot));
  }

  void show(std::uint32_t plan, const Spot& spot, Plain& plain) {
    out_.points.push_back(point_of(problem_, plain.row(plan, spot)));
    out_.bounds.push_back(physics::bound_of(plain.step(plan), spot.rates));
  }

  const Problem& problem_;
  const CloudOptions& options_;
  ConstraintSets sets_;
  Ruler ruler_;
  std::unordered_set<std::uint64_t> seen_;
  std::array<std::int32_t, kTile> x_{}, y_{};
  std::array<Verdict, kTile> verdicts_{};
  std::int32_t last_x_ = -1, last_y_ = -1;
  Cloud out_;
};

}  // namespace

Result<Cloud> cloud(const Model& model, const Scenario& base, const Space& space,
                    const CloudOptions& options) {
  RIDGELINE_TRY(Problem problem, resolve_problem(model, base, space));
  problem.objectives = {{options.x}, {options.y}};  // what plans are lowered for
  return CloudMaker(problem, options).make();
}

}  // namespace ridgeline::explore
