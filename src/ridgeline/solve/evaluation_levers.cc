#include "ridgeline/solve/evaluation_levers.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace ridgeline::solve::evaluation {
namespace {

constexpr double kMore = 1.1, kLess = 0.9;
constexpr double kTenth = 0.1;

// A move scales an input in place; false: the plan has no such input.
bool scale(double& value, double factor) {
  value *= factor;
  return true;
}

template <Dim D>
bool scale(Quantity<D>& value, double factor) {
  value = factor * value;
  return value.base() != 0;
}

template <class T>
bool scale(std::optional<T>& value, double factor) {
  return value && scale(*value, factor);
}

bool peak_rates(Inputs& in) {
  for (FlopsPerSecond& rate : in.machine.device.rates) rate = kMore * rate;
  return true;
}
bool memory_bandwidth(Inputs& in) {
  return scale(in.machine.device.memory_bandwidth, kMore);
}
bool memory_capacity(Inputs& in) {
  return scale(in.machine.device.memory_capacity, kMore);
}
bool layer_overhead(Inputs& in) {
  bool any = scale(in.machine.device.sustained.layer_overhead, kLess);
  if (in.training) any |= scale(in.training->run.setting.layer_overhead, kLess);
  if (in.serving) any |= scale(in.serving->load.service.setting.layer_overhead, kLess);
  return any;
}

bool link_bandwidth(Cluster& machine, std::size_t first, std::size_t end) {
  for (std::size_t i = first; i < std::min(end, machine.levels.size()); ++i) {
    machine.levels[i].bandwidth = kMore * machine.levels[i].bandwidth;
  }
  return true;
}
bool link_latency(Cluster& machine, std::size_t first, std::size_t end) {
  for (std::size_t i = first; i < std::min(end, machine.levels.size()); ++i) {
    machine.levels[i].latency = kLess * machine.levels[i].latency;
  }
  return true;
}
bool intra_node_bandwidth(Inputs& in) {
  return link_bandwidth(in.machine, 0, 1) && scale(in.machine.intra_node_bandwidth, kMore);
}
bool intra_node_latency(Inputs& in) {
  return link_latency(in.machine, 0, 1) && scale(in.machine.intra_node_latency, kLess);
}
bool fabric_bandwidth(Inputs& in) {
  return link_bandwidth(in.machine, 1, kMaxLinkLevels) && scale(in.machine.fabric_bandwidth, kMore);
}
bool fabric_latency(Inputs& in) {
  return link_latency(in.machine, 1, kMaxLinkLevels) && scale(in.machine.fabric_latency, kLess);
}

bool failure_rate(Inputs& in) {
  if (!in.reliability) return false;
  for (reliability::Part& part : in.reliability->parts) part.count_per_node *= kLess;
  bool any = scale(in.reliability->mtbf, 1 / kLess);
  any |= scale(in.reliability->node_failures_per_1000_days, kLess);
  return any || !in.reliability->parts.empty();
}
bool recovery_time(Inputs& in) {
  if (!in.reliability) return false;
  reliability::Inputs& r = *in.reliability;
  bool any = scale(r.avg_recovery_time, kLess);
  for (auto* part : {&r.detect_time, &r.restart_time, &r.reload_time, &r.warm_up_time}) {
    any |= scale(*part, kLess);
  }
  return any;
}
bool checkpoint_bandwidth(Inputs& in) {
  if (!in.checkpoint) return false;
  scale(in.checkpoint->filesystem_limit, kMore);
  const bool async = in.checkpoint->mode == checkpoint::Mode::async;
  if (async) scale(in.checkpoint->snapshot_bandwidth, kMore);
  return scale(in.checkpoint->writer_bandwidth, kMore);
}
bool tdp(Inputs& in) {
  const bool own = scale(in.economics.fleet.tdp, kLess),
             other = scale(in.sustainability.fleet.tdp, kLess);
  return scale(in.machine.device.tdp, kLess) || own || other;
}
bool pue(Inputs& in) {  // of what lies above 1
  bool any = false;
  for (auto* value : {&in.site.pue, &in.economics.fleet.pue, &in.sustainability.fleet.pue}) {
    if (!*value || !(**value > 1)) continue;
    *value = 1 + kLess * (**value - 1);
    any = true;
  }
  return any;
}
bool carbon_intensity(Inputs& in) {
  for (EmissionsPerJoule& hour : in.sustainability.intensity_profile) hour = kLess * hour;
  const bool own = scale(in.sustainability.fleet.carbon_intensity, kLess);
  return scale(in.site.carbon_intensity, kLess) || own ||
         !in.sustainability.intensity_profile.empty();
}

bool unit_cost(Inputs& in) {
  const bool own = scale(in.economics.unit_cost, kLess);
  return scale(in.machine.device.unit_cost, kLess) || own;
}
bool kwh_price(Inputs& in) {
  const bool own = scale(in.economics.kwh_price, kLess);
  return scale(in.site.kwh_price, kLess) || own;
}
bool rental_price(Inputs& in) {
  return scale(in.economics.hourly_rental_price, kLess);
}
bool staff(Inputs& in) {
  return scale(in.economics.staff_per_year, kLess);
}

struct Move {
  Level level;
  const char* input;
  double step;
  bool (*apply)(Inputs&);
};
constexpr std::array kMoves = {
    Move{Level::device, "peak FLOP/s", kTenth, peak_rates},
    Move{Level::device, "memory bandwidth", kTenth, memory_bandwidth},
    Move{Level::device, "memory capacity", kTenth, memory_capacity},
    Move{Level::device, "layer overhead", -kTenth, layer_overhead},
    Move{Level::node, "link bandwidth in the node", kTenth, intra_node_bandwidth},
    Move{Level::node, "link latency in the node", -kTenth, intra_node_latency},
    Move{Level::fabric, "fabric bandwidth", kTenth, fabric_bandwidth},
    Move{Level::fabric, "fabric latency", -kTenth, fabric_latency},
    Move{Level::facility, "failure rate", -kTenth, failure_rate},
    Move{Level::facility, "recovery time", -kTenth, recovery_time},
    Move{Level::facility, "checkpoint bandwidth", kTenth, checkpoint_bandwidth},
    Move{Level::facility, "device power", -kTenth, tdp},
    Move{Level::facility, "PUE above 1", -kTenth, pue},
    Move{Level::facility, "carbon intensity", -kTenth, carbon_intensity},
    Move{Level::budget, "price of a device", -kTenth, unit_cost},
    Move{Level::budget, "price of electricity", -kTenth, kwh_price},
    Move{Level::budget, "rental price", -kTenth, rental_price},
    Move{Level::budget, "staff", -kTenth, staff},
};

std::optional<double> base_of(const std::optional<Dollars>& value) {
  return value ? std::optional(value->base()) : std::nullopt;
}
std::optional<double> base_of(const std::optional<Emissions>& value) {
  return value ? std::optional(value->base()) : std::nullopt;
}

// Wall time per token; empty without training.
std::optional<double> training_time(const Output& out) {
  const Performance& p = out.performance;
  if (!p.training_tokens_per_s || !out.reliability.wall_time) return std::nullopt;
  return *out.reliability.wall_time / *p.run_time / *p.training_tokens_per_s;
}

// Device time per request; empty without serving.
std::optional<double> serving_time(const Output& out) {
  const Performance& p = out.performance;
  if (!p.qps_capacity || !p.replicas) return std::nullopt;
  return static_cast<double>(*p.replicas) / *p.qps_capacity;
}

std::optional<double> change(std::optional<double> from, std::optional<double> to) {
  if (!from || !to || !(*from > 0)) return std::nullopt;
  return *to / *from - 1;
}

Lever lever_of(const Move& move, const Output& from, const Output& to) {
  return {.level = move.level,
          .input = move.input,
          .step_fraction = move.step,
          .training_time_change_fraction = change(training_time(from), training_time(to)),
          .serving_time_change_fraction = change(serving_time(from), serving_time(to)),
          .cost_change_fraction = change(base_of(from.cost.paid()), base_of(to.cost.paid())),
          .emissions_change_fraction =
              change(base_of(from.carbon.emissions), base_of(to.carbon.emissions))};
}

double size_of(const std::optional<double>& change) {
  constexpr double kRounding = 1e-12;
  const double size = std::fabs(change.value_or(0));
  return size < kRounding ? 0 : size;
}

double time_change(const Lever& l) {
  return std::max(size_of(l.training_time_change_fraction),
                  size_of(l.serving_time_change_fraction));
}

std::tuple<double, double, double> weight(const Lever& l) {
  return {time_change(l), size_of(l.cost_change_fraction), size_of(l.emissions_change_fraction)};
}

bool level_passes(Level level, Reason reason) {
  switch (reason) {
    case Reason::none: return true;
    case Reason::memory:
    case Reason::latency: return level != Level::device;
    case Reason::devices:
    case Reason::capacity: return level != Level::fabric;
    case Reason::checkpoint:
    case Reason::never_done:
    case Reason::power: return level != Level::facility;
    case Reason::budget: return level != Level::budget;
  }
  return true;
}

struct Answer {
  const char* name;
  std::optional<double> Lever::*change;
};
constexpr std::array kAnswers = {
    Answer{"training time", &Lever::training_time_change_fraction},
    Answer{"device time per request", &Lever::serving_time_change_fraction},
    Answer{"cost", &Lever::cost_change_fraction},
    Answer{"emissions", &Lever::emissions_change_fraction},
};

// The lever of the level that changes a time most; where none does, the cost or the emissions.
void put_binding(const std::vector<Lever>& levers, Binding& out) {
  const auto largest_of = [&](std::size_t first, std::size_t end) {
    double largest = 0;
    for (const Lever& lever : levers) {
      for (std::size_t i = first; i < end && lever.level == out.level; ++i) {
        const std::optional<double>& change = lever.*kAnswers[i].change;
        if (!(size_of(change) > largest)) continue;
        largest = size_of(change);
        out.binds = lever.input;
        out.change_fraction = change;
        out.of = kAnswers[i].name;
      }
    }
    return largest > 0;
  };
  constexpr std::size_t kTimes = 2, kMoney = 3;
  if (largest_of(0, kTimes) || largest_of(kTimes, kMoney)) return;
  largest_of(kMoney, kAnswers.size());
}

}  // namespace

std::vector<Lever> levers(const Inputs& in, const Output& out) {
  std::vector<Lever> all;
  for (const Move& move : kMoves) {
    Inputs moved = in;
    if (!move.apply(moved)) continue;
    const auto checked = check(moved);
    if (!checked) continue;
    const Lever lever = lever_of(move, out, solve(*checked));
    if (weight(lever) > std::tuple(0.0, 0.0, 0.0)) all.push_back(lever);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Lever& a, const Lever& b) { return weight(a) > weight(b); });
  return all;
}

Few<Binding, kLevels> scorecard(const std::vector<Lever>& levers, const Output& out) {
  Few<Binding, kLevels> card;
  for (std::size_t i = 0; i < kLevels; ++i) {
    Binding row{.level = static_cast<Level>(i)};
    row.passes = level_passes(row.level, out.reason);
    put_binding(levers, row);
    if (out.reason == Reason::memory && row.level == Level::device) {
      row.binds = "memory capacity";
      row.change_fraction.reset();
      row.of = "";
    }
    card.push_back(row);
  }
  return card;
}

}  // namespace ridgeline::solve::evaluation
