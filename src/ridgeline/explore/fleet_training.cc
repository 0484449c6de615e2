#include "ridgeline/explore/fleet_training.h"

#include <algorithm>
#include <array>
#include <limits>

namespace ridgeline::explore {
namespace {

namespace fit_training = solve::fit_training;

double as_double(std::int64_t n) {
  return static_cast<double>(n);
}

std::vector<std::int64_t> device_counts(const Cluster& cluster) {
  const std::int64_t all = cluster.device_count();
  std::vector<std::int64_t> out;
  for (std::int64_t n = cluster.devices_per_node; n < all; n *= 2) out.push_back(n);
  out.push_back(all);
  return out;
}

struct Rate {
  const char* name;
  void (*twice)(Cluster&);
  double (*value)(const Cluster&);
};

void double_rates(Cluster& c) {
  for (FlopsPerSecond& rate : c.device.rates) rate = 2 * rate;
}

constexpr std::array kRates = {
    Rate{"peak", double_rates,
         [](const Cluster& c) { return c.device.rate_of(Precision::bf16).base(); }},
    Rate{"memory_bandwidth",
         [](Cluster& c) { c.device.memory_bandwidth = 2 * *c.device.memory_bandwidth; },
         [](const Cluster& c) {
           return c.device.memory_bandwidth.value_or(BytesPerSecond{}).base();
         }},
    Rate{"intra_node_bandwidth",
         [](Cluster& c) { c.intra_node_bandwidth = 2 * *c.intra_node_bandwidth; },
         [](const Cluster& c) { return c.intra_node_bandwidth.value_or(BytesPerSecond{}).base(); }},
    Rate{"fabric_bandwidth", [](Cluster& c) { c.fabric_bandwidth = 2 * *c.fabric_bandwidth; },
         [](const Cluster& c) { return c.fabric_bandwidth.value_or(BytesPerSecond{}).base(); }},
};

}  // namespace

std::vector<TrainingCandidate> training_candidates(const fit_training::Inputs& in,
                                                   const solve::Subject& subject,
                                                   const Cluster& cluster) {
  const fit_training::Open all{
      .degrees = true, .zero = true, .recompute = true, .micro_batches = true};
  std::vector<TrainingCandidate> out;
  for (const std::int64_t devices : device_counts(cluster)) {
    fit_training::Inputs plan = in;
    const auto choice = fit_training::choose(plan, subject, devices, all, &cluster);
    if (!choice || !choice->fits) continue;
    const auto speed = fit_training::speed_of(plan, subject, cluster);
    if (speed) out.push_back({std::move(plan), *choice, *speed});
  }
  return out;
}

Pass pass_of(const TrainingCandidate& candidate) {
  const auto& t = candidate.in.training;
  return {candidate.speed.step, as_double(*t.batch_size) * as_double(*t.seq_len),
          candidate.choice.devices, std::min(1.0, candidate.speed.mfu_fraction)};
}

std::array<double, kMetricCount> metrics_of(const TrainingCandidate& candidate) {
  std::array<double, kMetricCount> out;
  out.fill(std::numeric_limits<double>::quiet_NaN());
  const auto put = [&out](Metric m, double value) { out[static_cast<std::size_t>(m)] = value; };
  const double devices = as_double(candidate.choice.devices);
  put(Metric::latency_s, candidate.speed.step.base());
  put(Metric::pes_used, devices);
  put(Metric::tokens_per_s, candidate.speed.tokens_per_s);
  put(Metric::tokens_per_s_per_pe, candidate.speed.tokens_per_s / devices);
  put(Metric::memory_bytes, candidate.choice.total.base());
  return out;
}

std::vector<FleetSensitivity> sensitivity_to_rates(const TrainingCandidate& candidate,
                                                   const solve::Subject& subject,
                                                   const Cluster& cluster, const Terms& terms) {
  const FleetRow row = row_of(pass_of(candidate), metrics_of(candidate), terms);
  std::vector<FleetSensitivity> out;
  for (const Rate& rate : kRates) {
    const double value = rate.value(cluster);
    if (value <= 0) continue;
    Cluster twice = cluster;
    rate.twice(twice);
    TrainingCandidate changed = candidate;
    const auto speed = fit_training::speed_of(candidate.in, subject, twice);
    if (!speed) continue;
    changed.speed = *speed;
    FleetSensitivity one = change_between(row, pass_of(changed), terms);
    one.name = rate.name;
    one.baseline = value;
    one.doubled = 2 * value;
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace ridgeline::explore
