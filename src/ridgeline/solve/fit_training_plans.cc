// Plans for a number of devices, and the smallest machine that holds one.
#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "ridgeline/physics/memory.h"
#include "ridgeline/solve/fit_training.h"

namespace ridgeline::solve::fit_training {
namespace {

namespace memory = training_memory;
using physics::Recompute;

constexpr std::int64_t kMostDevices = 4096;  // of a plan that is looked for

double as_double(std::int64_t n) {
  return static_cast<double>(n);
}

std::vector<std::int64_t> divisors_downwards(std::int64_t n) {
  std::vector<std::int64_t> out;
  for (std::int64_t d = n; d >= 1; --d) {
    if (n % d == 0) out.push_back(d);
  }
  return out;
}

// Sequences one at a time, where that is open.
std::int64_t micro_batches_of(const memory::Inputs& t, const Open& open) {
  if (!open.micro_batches || !t.batch_size) return t.microbatch_count;
  return (*t.batch_size - 1) / t.dp + 1;
}

struct Degree {
  std::int64_t tp, pp, dp, ep;
};

std::int64_t experts_of(const Subject& subject) {
  if (subject.totals != nullptr) return subject.totals->experts.value_or(0);
  std::int64_t most = 0;
  for (const LayerKind& kind : subject.model->kinds) most = std::max(most, kind.ffn.experts);
  return most;
}

// tp within `most_tp`; experts as the rest is, or over as many ranks of tp x dp as divide them.
std::vector<Degree> degrees_of(std::int64_t devices, std::int64_t most_tp, std::int64_t experts) {
  std::vector<Degree> out;
  const auto sizes = divisors_downwards(devices);
  for (const std::int64_t tp : sizes) {
    for (const std::int64_t pp : sizes) {
      if (tp > most_tp || (devices / tp) % pp != 0) continue;
      const std::int64_t dp = devices / tp / pp, ep = std::gcd(experts, tp * dp);
      out.push_back({tp, pp, dp, 1});
      if (experts > 0 && ep > 1) out.push_back({tp, pp, dp, ep});
    }
  }
  return out;
}

void set_degrees(const Degree& d, memory::Inputs& t) {
  t.tp = d.tp;
  t.pp = d.pp;
  t.dp = d.dp;
  t.ep = d.ep;
  t.cp = 1;
  t.etp = std::nullopt;
  t.pp_layers.clear();
}

// Links of the innermost level, over which tp is put.
std::int64_t innermost(const Machine* machine) {
  const bool joined = machine != nullptr && machine->levels.size() > 0;
  return joined ? machine->levels[0].count : 1;
}

// Every plan of so many devices under which the model can be divided, checked.
std::vector<Inputs> plans_of(const Inputs& asked, const Subject& subject, std::int64_t devices,
                             std::int64_t most_tp, const Open& open) {
  std::vector<Inputs> out;
  const auto add = [&](Inputs in) {
    memory::Inputs& t = in.training;
    if (t.batch_size && t.dp > *t.batch_size) return;  // replicas without a sequence
    t.microbatch_count = micro_batches_of(t, open);
    auto checked = check(in, subject);
    if (checked) out.push_back(*std::move(checked));
  };
  if (!open.degrees) {
    add(asked);
    return out;
  }
  for (const Degree& degree : degrees_of(devices, most_tp, experts_of(subject))) {
    Inputs in = asked;
    set_degrees(degree, in.training);
    add(std::move(in));
  }
  return out;
}

// The ways to save memory that are open, the dearest in memory first.
std::vector<Inputs> with_savings(const Inputs& plan, const Open& open) {
  std::vector<Inputs> out;
  const std::int64_t last_zero = plan.training.dp * plan.training.cp > 1 ? 3 : 0;
  for (const Recompute recompute : kRecomputes) {
    if (!open.recompute && recompute != Recompute::none) continue;
    for (std::int64_t zero = 0; zero <= last_zero; ++zero) {
      if (!open.zero && zero != 0) continue;
      Inputs in = plan;
      if (open.recompute) in.training.activation_checkpointing = recompute;
      if (open.zero) in.training.zero_stage = zero;
      out.push_back(std::move(in));
    }
  }
  return out;
}

Choice choice_of(const Inputs& in, Bytes total) {
  const memory::Inputs& t = in.training;
  return {.devices = devices_of(t),
          .tp = t.tp,
          .pp = t.pp,
          .dp = t.dp,
          .ep = t.ep,
          .zero_stage = t.zero_stage,
          .microbatch_count = t.microbatch_count,
          .activation_checkpointing = t.activation_checkpointing,
          .total = total,
          .fits = fits(in, total)};
}

// Is `a` the better plan? One that fits; the faster; the one that needs less.
struct Judged {
  Inputs in;
  Bytes total;
  bool fits = false;
  std::optional<Seconds> step;

  bool is_better_than(const Judged& b) const {
    if (fits != b.fits) return fits;
    if (fits && step && b.step && *step != *b.step) return *step < *b.step;
    if (fits && step.has_value() != b.step.has_value()) return step.has_value();
    return total < b.total;
  }
};

// The least memory of any plan of so many devices.
std::optional<Judged> leanest(const Inputs& asked, const Subject& subject, std::int64_t devices,
                              std::int64_t most_tp, const Open& open) {
  std::optional<Judged> best;
  for (const Inputs& plan : plans_of(asked, subject, devices, most_tp, open)) {
    const Inputs in = with_savings(plan, open).back();
    Judged judged{in, total_of(in, subject)};
    if (!best || judged.total < best->total) best = std::move(judged);
  }
  return best;
}

}  // namespace

std::optional<Choice> choose(Inputs& in, const Subject& subject, std::int64_t devices,
                             const Open& open, const Cluster* cluster) {
  std::optional<Judged> best;
  const std::int64_t most = std::min(devices, kMostDevices);
  const std::int64_t most_tp = innermost(subject.machine);
  for (const Inputs& plan : plans_of(in, subject, most, most_tp, open)) {
    for (Inputs& candidate : with_savings(plan, open)) {
      const Bytes total = total_of(candidate, subject);
      Judged judged{std::move(candidate), total};
      judged.fits = fits(judged.in, total);
      if (judged.fits && cluster != nullptr) {
        if (const auto speed = speed_of(judged.in, subject, *cluster)) judged.step = speed->step;
      }
      if (!best || judged.is_better_than(*best)) best = std::move(judged);
    }
  }
  if (!best) return std::nullopt;
  in = best->in;
  return choice_of(in, best->total);
}

std::optional<Smallest> smallest_machine(const Inputs& asked, const Subject& subject,
                                         std::span<const Machine> machines, const Open& open) {
  Inputs any = asked;
  any.training.memory = std::nullopt;
  Open all = open;
  all.degrees = true;
  const Subject nowhere{subject.model, subject.totals};
  std::map<std::pair<std::int64_t, std::int64_t>, std::optional<Judged>> known;
  std::optional<Smallest> out;
  Bytes least;
  for (std::int64_t devices = 1; devices <= kMostDevices; devices *= 2) {
    for (std::size_t i = 0; i < machines.size(); ++i) {
      const Machine& machine = machines[i];
      const Bytes in_all = as_double(devices) * machine.device.memory_capacity;
      if (devices > machine.device_count() || (out && in_all >= least)) continue;
      const std::int64_t most_tp = std::min(devices, innermost(&machine));
      const auto [it, added] = known.try_emplace({devices, most_tp});
      if (added) it->second = leanest(any, nowhere, devices, most_tp, all);
      const std::optional<Judged>& lean = it->second;
      const Bytes each =
          asked.training.memory_utilization * Bytes::from_base(physics::usable_bytes(machine));
      if (!lean || lean->total > each) continue;
      least = in_all;
      out = Smallest{i, choice_of(lean->in, lean->total)};
      out->choice.fits = true;
    }
  }
  return out;
}

}  // namespace ridgeline::solve::fit_training
