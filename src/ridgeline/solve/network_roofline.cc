#include "ridgeline/solve/network_roofline.h"

#include <algorithm>
#include <numeric>

#include "ridgeline/physics/switched.h"

namespace ridgeline::solve::network_roofline {
namespace {

using Job = distributed::Inputs;

constexpr std::int64_t kMostNodes = 1'000'000;

Seconds network_time(const distributed::Output& step) {
  double busy = 0;
  for (const double load : step.link_load) busy += load;
  return busy * step.step;  // (3)
}

Seconds compute_time(const distributed::Output& step) {
  return step.scaling_efficiency_fraction * step.step;  // (1)
}

physics::Pace pace_of(const Job& job) {
  const Hardware& device = job.machine.device;
  return physics::pace_of(device, job.setting,
                          physics::compute_precision(device, job.model, job.setting));
}

// On links of 1 B/s without latency the seconds of traffic are its bytes.
Job on_unit_links(Job job) {
  constexpr BytesPerSecond kUnit = BytesPerSecond::from_base(1);
  Cluster& machine = job.machine;
  machine.intra_node_bandwidth = machine.fabric_bandwidth = kUnit;
  machine.intra_node_latency = machine.fabric_latency = Seconds{};
  machine.fabric_oversubscription = 1;
  for (LinkLevel& level : machine.levels) level = {level.count, kUnit, Seconds{}};
  job.setting.network_efficiency = 1;
  job.traffic.congestion_factor = 1;
  if (job.traffic.all_reduce_algorithm == physics::AllReduce::automatic) {
    job.traffic.all_reduce_algorithm = physics::AllReduce::ring;
  }
  return job;
}

// Of the links that work longest; of the outermost ones where none does.
std::optional<BytesPerSecond> busiest_link(const Job& job, const distributed::Output& step) {
  const LinkTree links = physics::links_of(job.machine, job.setting);
  if (links.empty()) return std::nullopt;
  std::size_t busiest = links.size() - 1;
  for (std::size_t l = links.size(); l-- > 0;) {
    if (step.link_load[l] > step.link_load[busiest]) busiest = l;
  }
  return pace_of(job).network_efficiency * links[busiest].bandwidth;
}

// ---- as the job grows ----

// Devices of all levels but the outermost.
std::int64_t inner_devices(const Cluster& machine) {
  if (machine.levels.empty()) return machine.devices_per_node;
  return machine.device_count() / machine.levels[machine.levels.size() - 1].count;
}

// The same plan on so many devices, with as many replicas as that gives.
Job grown(Job job, std::int64_t devices) {
  Cluster& machine = job.machine;
  if (machine.levels.empty()) {
    machine.devices_per_node = std::min(devices, machine.devices_per_node);
  } else {
    machine.levels[machine.levels.size() - 1].count = devices / inner_devices(job.machine);
  }
  machine.nodes = devices / machine.devices_per_node;
  job.degrees.dp = devices / (job.degrees.tp * job.degrees.cp * job.degrees.pp);
  return job;
}

bool network_binds(const Job& job, std::int64_t devices) {
  const distributed::Output step = distributed::solve(grown(job, devices)).output;
  return network_time(step) >= compute_time(step);
}

// The first of the multiples `low` to `high` of `step` devices at which the network binds, by
// halving: its share grows with the job.
std::optional<std::int64_t> first_bound(const Job& job, std::int64_t step, std::int64_t low,
                                        std::int64_t high) {
  if (low > high || !network_binds(job, high * step)) return std::nullopt;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (network_binds(job, middle * step)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return high * step;
}

std::optional<std::int64_t> crossover(const Job& job) {
  const distributed::Degrees& d = job.degrees;
  const std::int64_t replica = d.tp * d.cp * d.pp;
  const std::int64_t unit = std::lcm(replica, d.pp * d.ep * *d.etp);
  const std::int64_t most_replicas = job.batch_size / d.micro_batches();
  const std::int64_t inner = inner_devices(job.machine);
  const std::int64_t most = std::min(most_replicas, kMostNodes * inner / replica) * replica;
  if (job.machine.levels.empty()) {
    const auto inside = first_bound(job, unit, 1, std::min(inner, most) / unit);
    if (inside) return inside;
    if (!job.machine.fabric_bandwidth) return std::nullopt;
  }
  const std::int64_t whole = std::lcm(unit, inner);
  const std::int64_t first = job.machine.levels.empty() ? inner / whole + 1 : 1;
  return first_bound(job, whole, first, most / whole);  // (6)
}

physics::TimeBound bound_of(const Output& out) {
  return physics::StepTime{out.compute, out.memory, out.network, {}}.bound();  // (4)
}

}  // namespace

Result<Inputs> check(const Inputs& given) {
  Inputs in;
  RIDGELINE_TRY(in.job, distributed::check(given.job));
  return in;
}

Output solve(const Inputs& in) {
  const distributed::Output step = distributed::solve(in.job).output;
  const FlopsPerSecond rate = pace_of(in.job).rate;
  Output out{.compute = compute_time(step),
             .memory = distributed::weight_read_time(in.job),  // (2)
             .network = network_time(step)};
  out.bound = bound_of(out);
  out.devices = in.job.machine.device_count();
  const Seconds sent = network_time(distributed::solve(on_unit_links(in.job)).output);
  out.sent = BytesPerSecond::from_base(1) * sent;
  if (out.sent > Bytes{}) {
    out.network_intensity_flop_per_byte = (out.compute * rate).base() / out.sent.base();  // (5)
  }
  if (const auto link = busiest_link(in.job, step)) {
    out.ridge_flop_per_byte = rate.base() / link->base();  // (5)
  }
  out.crossover_devices = crossover(in.job);
  return out;
}

}  // namespace ridgeline::solve::network_roofline
