#include "ridgeline/explore/plain.h"

namespace ridgeline::explore {
namespace {

constexpr std::size_t kMostSteps = 4096;  // remembered, about 3 kB each

}  // namespace

std::array<double, kMetricCount> metrics_of(const physics::Objectives& o, std::int64_t memory_bytes,
                                            double capacity_bytes) {
  std::array<double, kMetricCount> out{};
  const auto set = [&](Metric metric, double value) {
    out[static_cast<std::size_t>(metric)] = value;
  };
  const auto memory = static_cast<double>(memory_bytes);
  set(Metric::latency_s, o.latency_s);
  set(Metric::cost_score, o.cost_score);
  set(Metric::pes_used, static_cast<double>(o.devices_used));
  set(Metric::cost_x_pes, o.cost_x_devices);
  set(Metric::tokens_per_s, o.tokens_per_s);
  set(Metric::tokens_per_s_per_pe, o.tokens_per_s_per_device);
  set(Metric::energy_j, o.energy_j);
  set(Metric::energy_j_per_token, o.energy_j_per_token);
  set(Metric::memory_bytes, memory);
  set(Metric::memory_headroom_bytes, capacity_bytes - memory);
  return out;
}

Plain::Plain(const Problem& problem, const Machine& machine, std::uint32_t workload)
    : problem_(problem),
      workload_(workload),
      lowering_(*problem.model, machine, problem.workloads[workload]) {}

Plain::Entry& Plain::entry(std::uint32_t plan) {
  const auto found = entries_.find(plan);
  if (found != entries_.end()) return found->second;
  if (entries_.size() >= kMostSteps) entries_.clear();
  Entry& made = entries_[plan];
  const Workload& work = problem_.workloads[workload_];
  const Plan p = problem_.plans.at(plan, work.phase);
  lowering_.lower(p, made.step);
  if (made.step.layout.valid()) {
    made.facts = physics::facts_of(made.step, lowering_.machine(), work, p.tp * p.cp * p.dp);
  }
  return made;
}

Row Plain::row(std::uint32_t plan, const Spot& spot) {
  const Entry& e = entry(plan);
  const double latency = physics::latency_s(e.step, spot.rates);
  const physics::Objectives o =
      physics::objectives_of(e.facts, latency, spot.cost, lowering_.machine().device.static_power);
  Row row;
  row.latency_key = physics::latency_key(latency);
  row.hardware = spot.hardware;
  row.workload = workload_;
  row.plan = plan;
  row.tokens = e.facts.tokens;
  row.metrics = metrics_of(o, e.facts.memory_bytes, spot.capacity_bytes);
  return row;
}

}  // namespace ridgeline::explore
