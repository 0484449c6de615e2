#include "ridgeline/explore/explore.h"

#include <map>

#include "ridgeline/explore/collect.h"
#include "ridgeline/explore/near_misses.h"
#include "ridgeline/explore/oracle.h"
#include "ridgeline/explore/plain.h"
#include "ridgeline/explore/problem.h"
#include "ridgeline/explore/search.h"

namespace ridgeline::explore {
namespace {

void fill_counts(const Problem& problem, const Counts& counts, Exploration& out) {
  out.hardware_count = problem.hardware.count();
  out.workload_count = static_cast<std::int64_t>(problem.workloads.size());
  out.parallelism_count = problem.plans.listed_count();
  out.distinct_plan_count = static_cast<std::int64_t>(problem.plans.size());
  out.evaluated_count = problem.pair_count();
  out.feasible_count = counts.feasible;
  out.valid_count = counts.valid;
  out.rejected = counts.rejected;
  if (problem.space->require_fit) out.does_not_fit_count = counts.does_not_fit;
}

// Plain evaluators by hardware group and workload, a few at a time.
class Plains {
 public:
  explicit Plains(const Problem& problem) : problem_(problem) {}

  Plain& of(std::int64_t hardware, std::uint32_t workload) {
    constexpr std::size_t kMost = 8;
    const std::pair key(problem_.hardware.group_of(hardware), workload);
    const auto found = plains_.find(key);
    if (found != plains_.end()) return found->second;
    if (plains_.size() == kMost) plains_.clear();
    return plains_.try_emplace(key, problem_, problem_.hardware.machine(hardware), workload)
        .first->second;
  }

 private:
  const Problem& problem_;
  std::map<std::pair<std::size_t, std::uint32_t>, Plain> plains_;
};

// Walks all pairs in enumeration order.
class PointWalk {
 public:
  PointWalk(const Problem& problem, const std::function<bool(const Point&)>& fn)
      : problem_(problem),
        sets_(sort_constraints(problem.space->constraints)),
        plains_(problem),
        fn_(fn) {}

  void run() {
    for (std::int64_t h = 0; h < problem_.hardware.count(); ++h) {
      if (!hardware_allowed(problem_, sets_.hardware, h)) continue;
      if (!visit(h)) return;
    }
  }

 private:
  bool visit(std::int64_t hardware) {
    point_.scenario.machine = problem_.hardware.machine(hardware);
    const Machine& machine = point_.scenario.machine;
    point_.hardware.clear();
    for (const ScalarField& field : problem_.hardware_fields) {
      point_.hardware.push_back(get_scalar(point_.scenario, field));
    }
    Spot spot{hardware, {}, capacity_bytes(machine.device), problem_.hardware.cost(hardware)};
    for (std::size_t w = 0; w < problem_.workloads.size(); ++w) {
      const Workload& work = problem_.workloads[w];
      if (!workload_allowed(sets_.workload, work)) continue;
      spot.rates = physics::rates_of(machine, work.activation_precision);
      point_.scenario.work = work;
      if (!visit(spot, plains_.of(hardware, static_cast<std::uint32_t>(w)))) return false;
    }
    return true;
  }

  bool visit(const Spot& spot, Plain& plain) {
    for (std::uint32_t p = 0; p < problem_.plans.size(); ++p) {
      const Step& step = plain.step(p);
      const bool fits = static_cast<double>(step.memory.total()) <= spot.capacity_bytes;
      if (!step.layout.valid() || (problem_.space->require_fit && !fits)) continue;
      point_.scenario.plan = problem_.plans.at(p, point_.scenario.work.phase);
      if (!plan_allowed(sets_.plan, point_.scenario.plan, step)) continue;
      const Row row = plain.row(p, spot);
      if (!pair_allowed(sets_.pair, row)) continue;
      point_.latency_key = row.latency_key;
      point_.metrics = row.metrics;
      if (!fn_(point_)) return false;
    }
    return true;
  }

  const Problem& problem_;
  ConstraintSets sets_;
  Plains plains_;
  const std::function<bool(const Point&)>& fn_;
  Point point_;
};

}  // namespace

Result<Exploration> explore(const Model& model, const Scenario& base, const Space& space,
                            const Options& options) {
  RIDGELINE_TRY(const Problem problem, resolve_problem(model, base, space));
  Collector collector(problem, options);
  Counts counts;
  Exploration out;
  const auto search = options.plain ? &search_plainly : &search_fast;
  out.stopped = !search(problem, options, collector, counts);
  collector.finish(out);
  fill_counts(problem, counts, out);
  out.hardware_fields = problem.hardware_fields;
  if (options.best_only) return out;
  if (!out.best.empty()) {
    out.sensitivity = sensitivity_at(model, out.best[0].scenario, problem.hardware_fields);
  } else if (!out.stopped) {
    out.near_misses = near_misses(problem, options.threads);
  }
  return out;
}

void for_each_point(const Model& model, const Scenario& base, const Space& space,
                    const std::function<bool(const Point&)>& row) {
  const Result<Problem> problem = resolve_problem(model, base, space);
  RIDGELINE_ASSERT(problem.has_value());
  PointWalk(*problem, row).run();
}

}  // namespace ridgeline::explore
