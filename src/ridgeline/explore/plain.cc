#include "ridgeline/explore/plain.h"

namespace ridgeline::explore {
namespace {

constexpr std::size_t kMostSteps = 4096;  // remembered, about 3 kB each

}  // namespace

Plain::Plain(const Problem& problem, const HardwareGroup& group, std::uint32_t workload)
    : problem_(problem),
      group_(group),
      workload_(workload),
      lowering_(*problem.model, group.machine, problem.workloads[workload]) {}

Plain::Entry& Plain::entry(std::uint32_t plan) {
  const auto found = entries_.find(plan);
  if (found != entries_.end()) return found->second;
  if (entries_.size() >= kMostSteps) entries_.clear();
  Entry& made = entries_[plan];
  const Workload& work = problem_.workloads[workload_];
  const Plan p = problem_.plans.at(plan, work.phase);
  lowering_.lower(p, made.step);
  if (made.step.layout.valid()) {
    made.facts = physics::facts_of(made.step, group_.machine, work, p.tp * p.cp * p.dp);
  }
  return made;
}

Row Plain::row(std::uint32_t plan, const Site& site, double cost) {
  const Entry& e = entry(plan);
  const double latency = physics::latency_s(e.step, group_.rates_at(site));
  const physics::Objectives o =
      physics::objectives_of(e.facts, latency, cost, group_.machine.device.static_power);
  Row row;
  row.latency_key = physics::latency_key(latency);
  row.hardware = site.hardware;
  row.workload = workload_;
  row.plan = plan;
  row.tokens = e.facts.tokens;
  const auto set = [&](Metric metric, double value) {
    row.metrics[static_cast<std::size_t>(metric)] = value;
  };
  set(Metric::latency_s, o.latency_s);
  set(Metric::cost_score, o.cost_score);
  set(Metric::pes_used, static_cast<double>(o.devices_used));
  set(Metric::cost_x_pes, o.cost_x_devices);
  set(Metric::tokens_per_s, o.tokens_per_s);
  set(Metric::tokens_per_s_per_pe, o.tokens_per_s_per_device);
  set(Metric::energy_j, o.energy_j);
  set(Metric::energy_j_per_token, o.energy_j_per_token);
  set(Metric::memory_bytes, static_cast<double>(e.facts.memory_bytes));
  set(Metric::memory_headroom_bytes,
      group_.capacities[site.capacity] - static_cast<double>(e.facts.memory_bytes));
  return row;
}

}  // namespace ridgeline::explore
