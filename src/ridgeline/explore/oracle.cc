#include "ridgeline/explore/oracle.h"

#include <algorithm>

#include "ridgeline/explore/plain.h"

namespace ridgeline::explore {
namespace {

class Oracle {
 public:
  Oracle(const Problem& problem, const Options& options, Collector& collector, Counts& counts)
      : problem_(problem),
        options_(options),
        sets_(sort_constraints(problem.space->constraints)),
        collector_(collector),
        counts_(counts) {}

  bool run() {
    const std::size_t works = problem_.workloads.size();
    for (std::size_t g = 0; g < problem_.hardware.group_count(); ++g) {
      for (std::size_t w = 0; w < works; ++w) {
        if (!visit(g, static_cast<std::uint32_t>(w))) return false;
      }
    }
    return true;
  }

 private:
  bool visit(std::size_t g, std::uint32_t w) {
    const Workload& work = problem_.workloads[w];
    const HardwareGroup group = problem_.hardware.group(g, work.activation_precision);
    Plain plain(problem_, group.machine, w);
    const bool allowed = workload_allowed(sets_.workload, work);
    for (std::int64_t i = 0; i < group.size(); ++i) {
      const Site site = group.site(i);
      visit_site(plain,
                 {site.hardware, group.rates_at(site), group.capacities[site.capacity],
                  problem_.hardware.cost(site.hardware)},
                 allowed);
      ++done_;
      const double all = static_cast<double>(problem_.hardware.count()) *
                         static_cast<double>(problem_.workloads.size());
      if (options_.progress && !options_.progress(static_cast<double>(done_) / all)) return false;
    }
    return true;
  }

  void visit_site(Plain& plain, const Spot& spot, bool work_allowed) {
    const bool allowed = work_allowed && hardware_allowed(problem_, sets_.hardware, spot.hardware);
    std::vector<Row> rows;
    for (std::uint32_t p = 0; p < problem_.plans.size(); ++p) {
      const std::int64_t weight = problem_.plans.weight(p);
      const Step& step = plain.step(p);
      if (!step.layout.valid()) {
        counts_.rejected[static_cast<std::size_t>(step.layout.invalid_reasons[0])] += weight;
        continue;
      }
      counts_.valid += weight;
      const bool fits = static_cast<double>(step.memory.total()) <= spot.capacity_bytes;
      counts_.does_not_fit += fits ? 0 : weight;
      if (!allowed || (problem_.space->require_fit && !fits)) continue;
      const Row row = plain.row(p, spot);
      if (!pair_allowed(sets_.pair, row)) continue;
      if (!plan_allowed(sets_.plan, plan_of(problem_, row), step)) continue;
      counts_.feasible += weight;
      rows.push_back(row);
    }
    if (!rows.empty()) offer(rows);
  }

  void offer(const std::vector<Row>& rows) {
    const bool fewest = problem_.space->pick == Pick::fewest_devices;
    const Row& pick = *std::min_element(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
      return fewest ? smaller_plan(problem_, a, b) : faster_plan(problem_, a, b);
    });
    for (const Row& row : rows) {
      collector_.offer_top(row);
      if (!fewest) collector_.offer_best(row);
    }
    collector_.offer_site(pick);
    if (fewest) {
      collector_.offer_best(pick);
      collector_.offer_front({&pick, 1});
    } else {
      collector_.offer_front(front_of_site(problem_, rows));
    }
  }

  const Problem& problem_;
  const Options& options_;
  ConstraintSets sets_;
  Collector& collector_;
  Counts& counts_;
  std::int64_t done_ = 0;
};

}  // namespace

bool search_plainly(const Problem& problem, const Options& options, Collector& collector,
                    Counts& counts) {
  return Oracle(problem, options, collector, counts).run();
}

}  // namespace ridgeline::explore
