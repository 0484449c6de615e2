#include "ridgeline/explore/plan_table.h"

#include <algorithm>
#include <numeric>

#include "ridgeline/physics/lower.h"

namespace ridgeline::explore {
namespace {

constexpr std::size_t kBlock = 256;         // plans lowered at a time
constexpr double kSecondsPerPlan = 0.5e-6;  // to lower one

// Is a metric that needs the dynamic energy looked at before the plain evaluation?
bool needs_energy(const Problem& problem) {
  const auto energy = [](Metric m) {
    return m == Metric::energy_j || m == Metric::energy_j_per_token;
  };
  bool needed = false;
  for (const Objective& o : problem.objectives) needed = needed || energy(o.metric);
  for (const Constraint& c : problem.space->constraints)
    needed = needed || (c.on_metric && energy(c.metric));
  return needed;
}

// Kinds of layers bound the terms of a plan: 16 stages each, and the edges.
std::size_t most_terms(const Model& model) {
  return model.kinds.size() * kLayerStages + kEdges;
}

std::vector<std::int64_t> weights_within(
    const std::vector<std::pair<double, std::int64_t>>& weights,
    std::span<const double> capacities) {
  std::vector<std::int64_t> out(capacities.size() + 1);
  for (const auto& [memory, weight] : weights) {
    const auto first = std::lower_bound(capacities.begin(), capacities.end(), memory);
    out[static_cast<std::size_t>(first - capacities.begin())] += weight;
  }
  out.pop_back();
  std::partial_sum(out.begin(), out.end(), out.begin());
  return out;
}

}  // namespace

Tile::Tile(std::size_t bucket, std::size_t slots, std::size_t levels)
    : bucket_(bucket),
      slots_(slots),
      levels_(levels),
      data_(std::make_unique<double[]>((2 * slots + 2 * levels + 3) * kPitch)),
      plans_(std::make_unique<std::uint32_t[]>(kTile)) {}

TileView Tile::view() const {
  return {.count = count_,
          .slots = used_slots_,
          .levels = levels_,
          .flop = column(0),
          .bytes = column(slots_),
          .hops = column(2 * slots_),
          .link_bytes = column(2 * slots_ + levels_),
          .memory = memory()};
}

void Tile::add(const Entry& e) {
  const std::size_t i = count_++;
  double* at = data_.get() + i;
  const std::vector<physics::Term>& terms = e.work->terms;
  RIDGELINE_ASSERT(i < kTile && terms.size() <= slots_);
  for (std::size_t t = 0; t < terms.size(); ++t) {
    at[t * kPitch] = terms[t].count * terms[t].flop;
    at[(slots_ + t) * kPitch] = terms[t].count * terms[t].memory_bytes;
  }
  used_slots_ = std::max(used_slots_, terms.size());
  for (std::size_t l = 0; l < levels_; ++l) {
    at[(2 * slots_ + l) * kPitch] = e.work->traffic.hops[l];
    at[(2 * slots_ + levels_ + l) * kPitch] = e.work->traffic.link_bytes[l];
  }
  const std::size_t facts = 2 * (slots_ + levels_);
  at[facts * kPitch] = e.memory;
  at[(facts + 1) * kPitch] = e.devices;
  at[(facts + 2) * kPitch] = e.energy;
  plans_[i] = e.plan;
}

// Lowers blocks of plans into tiles of its own.
struct PlanTable::Share {
  const Problem* problem;
  const HardwareGroup* group;
  const std::vector<double>* bounds;
  const Workload* work;
  const std::vector<Constraint>* constraints;
  bool with_energy;
  physics::Lowering lowering;

  Step step;
  physics::Separable separable;
  std::vector<Tile> full;
  std::vector<std::optional<Tile>> open;  // per bucket
  std::int64_t valid = 0;
  std::array<std::int64_t, 16> rejected{};
  Weights valid_by_memory, allowed_by_memory;
  double tokens = 0;

  void lower(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) lower(static_cast<std::uint32_t>(i));
  }

  void lower(std::uint32_t index) {
    const Plan plan = problem->plans.at(index, work->phase);
    const std::int64_t weight = problem->plans.weight(index);
    lowering.lower(plan, step);
    if (!step.layout.valid()) {
      rejected[static_cast<std::size_t>(step.layout.invalid_reasons[0])] += weight;
      return;
    }
    valid += weight;
    const auto memory = static_cast<double>(step.memory.total());
    valid_by_memory.push_back({memory, weight});
    if (!plan_allowed(*constraints, plan, step)) return;
    allowed_by_memory.push_back({memory, weight});
    const auto bucket = static_cast<std::size_t>(
        std::lower_bound(bounds->begin(), bounds->end(), memory) - bounds->begin());
    if (bucket == bounds->size()) return;
    double energy = 0;
    if (with_energy) {
      energy = physics::dynamic_energy_j(step, group->machine, plan.tp * plan.cp * plan.dp);
    }
    const std::size_t levels = group->machine.levels.size();
    physics::separate(step, group->rates.vector_fraction, levels, separable);
    std::optional<Tile>& tile = open[bucket];
    if (!tile) tile.emplace(bucket, most_terms(*problem->model), levels);
    tile->add({index, memory, static_cast<double>(step.layout.devices_used), energy, &separable});
    if (tile->count() == kTile) {
      full.push_back(*std::move(tile));
      tile.reset();
    }
  }
};

PlanTable::PlanTable(const Problem& problem, const HardwareGroup& group, std::uint32_t workload,
                     std::vector<double> bounds, Workers& workers)
    : bounds_(std::move(bounds)) {
  const Workload& work = problem.workloads[workload];
  const std::vector<Constraint> constraints = sort_constraints(problem.space->constraints).plan;
  const bool with_energy = needs_energy(problem);
  const auto make = [&] {
    Share share{.problem = &problem,
                .group = &group,
                .bounds = &bounds_,
                .work = &work,
                .constraints = &constraints,
                .with_energy = with_energy,
                .lowering = physics::Lowering(*problem.model, group.machine, work)};
    share.open.resize(bounds_.size());
    return share;
  };
  PerWorker<Share> shares(workers);
  const std::size_t n = problem.plans.size();
  workers.run(n, kBlock, static_cast<double>(n) * kSecondsPerPlan,
              [&](std::size_t worker, std::size_t begin, std::size_t end) {
                shares.of(worker, make).lower(begin, end);
              });
  shares.for_each([&](Share& share) { gather(share); });
  tokens_ = physics::facts_of(Step{}, group.machine, work, 1).tokens;
}

void PlanTable::gather(Share& share) {
  std::move(share.full.begin(), share.full.end(), std::back_inserter(tiles_));
  for (std::optional<Tile>& tile : share.open) {
    if (tile) tiles_.push_back(*std::move(tile));
  }
  valid_ += share.valid;
  for (std::size_t r = 0; r < rejected_.size(); ++r) rejected_[r] += share.rejected[r];
  const auto append = [](const Weights& from, Weights& to) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(share.valid_by_memory, valid_by_memory_);
  append(share.allowed_by_memory, allowed_by_memory_);
}

std::size_t PlanTable::plan_count() const {
  std::size_t n = 0;
  for (const Tile& tile : tiles_) n += tile.count();
  return n;
}

std::vector<std::int64_t> PlanTable::fitting_weights(std::span<const double> capacities) const {
  return weights_within(valid_by_memory_, capacities);
}

std::vector<std::int64_t> PlanTable::allowed_weights(std::span<const double> capacities) const {
  return weights_within(allowed_by_memory_, capacities);
}

}  // namespace ridgeline::explore
