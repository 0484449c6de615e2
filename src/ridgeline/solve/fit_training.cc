#include "ridgeline/solve/fit_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "ridgeline/physics/memory.h"
#include "ridgeline/physics/totals.h"
#include "ridgeline/solve/checks.h"
#include "ridgeline/solve/distributed.h"
#include "ridgeline/spec/engine.h"

namespace ridgeline::solve::fit_training {
namespace {

namespace memory = training_memory;
using physics::Recompute;

constexpr std::int64_t kMostDevices = 4096;      // of a plan that is looked for
constexpr std::int64_t kMostTokens = 1LL << 40;  // of a sequence
constexpr std::array kRecomputes = {Recompute::none, Recompute::selective, Recompute::full};

double as_double(std::int64_t n) {
  return static_cast<double>(n);
}

std::int64_t devices_of(const memory::Inputs& in) {
  return in.tp * in.pp * in.dp * in.cp;
}

Bytes runtime_of(const Inputs& in) {
  if (in.runtime_memory) return *in.runtime_memory;
  const Engine usual;
  return devices_of(in.training) > 1 ? usual.context + usual.communication : usual.context;
}

std::optional<Bytes> usable_of(const Inputs& in) {
  if (!in.training.memory) return std::nullopt;
  return in.training.memory_utilization * *in.training.memory;
}

Bytes total_of(const Inputs& in, const Subject& subject) {
  return *memory::solve(in.training, subject).output.total + runtime_of(in);
}

bool fits(const Inputs& in, Bytes total) {
  const auto usable = usable_of(in);
  return usable && total <= *usable;
}

// ---- longest, largest ----

bool fits_with_length(Inputs in, const Subject& subject, std::int64_t tokens) {
  in.training.seq_len = tokens;
  return fits(in, total_of(in, subject));
}

std::optional<std::int64_t> longest_sequence(const Inputs& in, const Subject& subject) {
  if (!in.training.memory || !in.training.batch_size) return std::nullopt;
  std::int64_t low = 0, high = 1;
  while (high < kMostTokens && fits_with_length(in, subject, high)) {
    low = high;
    high *= 2;
  }
  if (high >= kMostTokens) return std::nullopt;  // nothing grows with it
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (fits_with_length(in, subject, middle) ? low : high) = middle;
  }
  return low;
}

std::optional<std::int64_t> largest_micro_batch(const Inputs& in, const Subject& subject) {
  if (!in.training.memory) return std::nullopt;
  memory::Inputs beside = in.training;  // the runtime
  const Bytes room = *usable_of(in) - runtime_of(in);
  if (room.base() <= 0) return 0;
  beside.memory = room;
  beside.memory_utilization = 1;
  return memory::solve(beside, subject).output.largest_micro_batch;
}

// ---- speed ----

std::optional<Cluster> cut(const Cluster& whole, std::int64_t devices) {
  if (devices == whole.device_count()) return whole;
  if (!whole.levels.empty() || devices > whole.device_count()) return std::nullopt;
  Cluster out = whole;
  const std::int64_t inside = std::min(devices, whole.devices_per_node);
  if (devices % inside != 0) return std::nullopt;
  out.devices_per_node = inside;
  out.nodes = devices / inside;
  return out;
}

// Of what can be offloaded, `distributed` knows the traffic of the optimizer alone.
bool can_be_timed(const memory::Inputs& t) {
  return std::all_of(t.offload.begin(), t.offload.end(),
                     [](memory::Offload part) { return part == memory::Offload::optimizer; });
}

distributed::Inputs step_of(const Inputs& in, const Subject& subject, const Cluster& cluster) {
  const memory::Inputs& t = in.training;
  distributed::Inputs out;
  out.model = subject.model != nullptr ? physics::totals_of(*subject.model) : *subject.totals;
  out.machine = cluster;
  out.setting.precision = out.setting.activation_precision = t.precision;
  out.setting.efficiency = in.efficiency;
  out.batch_size = *t.batch_size;
  out.seq_len = *t.seq_len;
  distributed::Degrees& d = out.degrees;
  d.tp = t.tp;
  d.cp = t.cp;
  d.pp = t.pp;
  d.dp = t.dp;
  d.ep = t.ep;
  d.etp = t.etp;
  d.v_stages = t.v_stages;
  d.microbatch_count = t.microbatch_count;
  d.pipeline_schedule = t.pipeline_schedule;
  out.traffic.zero_stage = t.zero_stage;
  out.traffic.sequence_parallel = t.sequence_parallel;
  out.traffic.overlap_comm = true;  // as trainers send gradients
  out.activation_recomputation = t.activation_checkpointing;
  out.trainable_fraction = t.trainable_fraction;
  out.optimizer = t.optimizer;
  const bool moved = std::count(t.offload.begin(), t.offload.end(), memory::Offload::optimizer) > 0;
  out.offload = moved ? distributed::OptimizerPlace::host : distributed::OptimizerPlace::device;
  return out;
}

// ---- changes ----

// The same work on as many devices: `axis` twice as wide, replicas half as many.
std::optional<Inputs> widened(Inputs in, std::int64_t memory::Inputs::*axis) {
  memory::Inputs& t = in.training;
  if (t.dp % 2 != 0) return std::nullopt;
  const bool halves = *t.etp == t.tp && axis == &memory::Inputs::tp && t.ep == 1;
  t.*axis *= 2;
  t.dp /= 2;
  if (halves) t.etp = t.tp;
  t.pp_layers.clear();
  // each replica has twice the sequences, in twice the micro-batches
  t.microbatch_count = std::min(t.microbatch_count * 2, t.batch_size.value_or(1 << 30));
  return in;
}

struct Candidate {
  Label flags;
  Inputs in;
};

class Candidates {
 public:
  explicit Candidates(const Inputs& base) : base_(base) {}

  // `change` edits a copy of the plan and says whether it can.
  template <class Change>
  void add(const std::string& flags, Change change) {
    Inputs in = base_;
    if (change(in.training)) out_.push_back({flags, std::move(in)});
  }
  void add_wider(const char* flag, std::int64_t memory::Inputs::*axis) {
    const auto in = widened(base_, axis);
    if (!in) return;
    out_.push_back({fmt::format("--{} {} --dp {} --microbatch-count {}", flag, in->training.*axis,
                                in->training.dp, in->training.microbatch_count),
                    *in});
  }
  std::vector<Candidate> take() { return std::move(out_); }

 private:
  const Inputs& base_;
  std::vector<Candidate> out_;
};

void add_sharding(const memory::Inputs& t, Candidates& out) {
  for (std::int64_t zero = t.zero_stage + 1; zero <= 3 && t.dp * t.cp > 1; ++zero) {
    out.add(fmt::format("--zero-stage {}", zero), [&](memory::Inputs& in) {
      in.zero_stage = zero;
      return true;
    });
  }
  out.add_wider("tp", &memory::Inputs::tp);
  out.add_wider("pp", &memory::Inputs::pp);
  out.add_wider("cp", &memory::Inputs::cp);
}

void add_less_kept(const memory::Inputs& t, Candidates& out) {
  for (const Recompute recompute : kRecomputes) {
    if (recompute <= t.activation_checkpointing) continue;
    const char* name = names_of(recompute)[static_cast<std::size_t>(recompute)];
    out.add(fmt::format("--activation-checkpointing {}", name), [&](memory::Inputs& in) {
      in.activation_checkpointing = recompute;
      return true;
    });
  }
  const std::int64_t local = t.batch_size ? (*t.batch_size - 1) / t.dp + 1 : 0;
  const std::int64_t more = std::min(2 * t.microbatch_count, local);
  out.add(fmt::format("--microbatch-count {}", more), [&](memory::Inputs& in) {
    in.microbatch_count = more;
    return more > t.microbatch_count;
  });
  out.add("--sequence-parallel true", [&](memory::Inputs& in) {
    in.sequence_parallel = true;
    return t.tp > 1 && !t.sequence_parallel;
  });
  out.add("--include-logits false", [&](memory::Inputs& in) {
    in.include_logits = false;
    return t.include_logits;
  });
}

void add_states_elsewhere(const memory::Inputs& t, Candidates& out) {
  const bool adam =
      t.optimizer == memory::Optimizer::adam || t.optimizer == memory::Optimizer::adamw;
  out.add("--optimizer adam-8bit", [&](memory::Inputs& in) {
    in.optimizer = memory::Optimizer::adam_8bit;
    return adam;
  });
  for (const memory::Offload part : {memory::Offload::optimizer, memory::Offload::activations}) {
    if (std::count(t.offload.begin(), t.offload.end(), part) > 0) continue;
    std::string list;
    for (const memory::Offload held : t.offload) {
      list += fmt::format("{},", names_of(held)[static_cast<std::size_t>(held)]);
    }
    list += names_of(part)[static_cast<std::size_t>(part)];
    out.add("--offload " + list, [&](memory::Inputs& in) {
      in.offload.push_back(part);
      return true;
    });
  }
}

// ---- plans ----

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

// Every plan of so many devices under which the model can be divided, checked.
std::vector<Inputs> plans_of(const Inputs& asked, const Subject& subject, std::int64_t devices,
                             const Open& open) {
  std::vector<Inputs> out;
  const auto add = [&](std::int64_t tp, std::int64_t pp, std::int64_t dp) {
    Inputs in = asked;
    memory::Inputs& t = in.training;
    if (open.degrees) {
      t.tp = tp;
      t.pp = pp;
      t.dp = dp;
      t.cp = t.ep = 1;
      t.etp = std::nullopt;
      t.pp_layers.clear();
    }
    if (t.batch_size && t.dp > *t.batch_size) return;  // replicas without a sequence
    t.microbatch_count = micro_batches_of(t, open);
    auto checked = check(in, subject);
    if (checked) out.push_back(*std::move(checked));
  };
  if (!open.degrees) {
    add(0, 0, 0);
    return out;
  }
  const auto sizes = divisors_downwards(devices);
  for (const std::int64_t tp : sizes) {
    for (const std::int64_t pp : sizes) {
      if ((devices / tp) % pp == 0) add(tp, pp, devices / tp / pp);
    }
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
  return {devices_of(t),
          t.tp,
          t.pp,
          t.dp,
          t.zero_stage,
          t.microbatch_count,
          t.activation_checkpointing,
          total,
          fits(in, total)};
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
                              const Open& open) {
  std::optional<Judged> best;
  for (const Inputs& plan : plans_of(asked, subject, devices, open)) {
    const Inputs in = with_savings(plan, open).back();
    Judged judged{in, total_of(in, subject)};
    if (!best || judged.total < best->total) best = std::move(judged);
  }
  return best;
}

}  // namespace

Result<Inputs> check(const Inputs& given, const Subject& subject) {
  Inputs in = given;
  RIDGELINE_TRY(in.training, memory::check(given.training, subject));
  RIDGELINE_CHECK(check_not_negative("runtime_memory", in.runtime_memory));
  RIDGELINE_CHECK(check_share("efficiency", in.efficiency.value_or(1)));
  return in;
}

Answer<Output, memory::Stage> solve(const Inputs& in, const Subject& subject) {
  const auto found = memory::solve(in.training, subject);
  Answer<Output, memory::Stage> answer;
  answer.rows = found.rows;
  Output& out = answer.output;
  out.runtime = runtime_of(in);
  out.total = *found.output.total + out.runtime;
  out.usable = usable_of(in);
  out.limiting_rank = found.output.peak_stage;
  out.micro_batch = found.output.micro_batch;
  out.state = found.output.state;
  out.state_bytes_per_param = found.output.state_bytes_per_param;
  out.host = found.output.host;
  if (!out.usable) return answer;
  out.fits = fits(in, *out.total);
  out.headroom = *out.usable - *out.total;
  out.max_context_tokens = longest_sequence(in, subject);
  out.largest_micro_batch = largest_micro_batch(in, subject);
  if (out.largest_micro_batch && in.training.batch_size) {
    out.max_batch = *out.largest_micro_batch * in.training.dp * in.training.microbatch_count;
  }
  return answer;
}

std::optional<Speed> speed_of(const Inputs& in, const Subject& subject, const Cluster& cluster) {
  const memory::Inputs& t = in.training;
  const bool counts = subject.model == nullptr || subject.model->why_no_count.empty();
  if (!counts || !t.batch_size || !t.seq_len || !can_be_timed(t)) return std::nullopt;
  const auto here = cut(cluster, devices_of(t));
  if (!here) return std::nullopt;
  const auto step = distributed::check(step_of(in, subject, *here));
  if (!step) return std::nullopt;
  const distributed::Output out = distributed::solve(*step).output;
  const double tokens = as_double(*t.batch_size) * as_double(*t.seq_len);
  return Speed{out.step, tokens / out.step.base(), out.mfu_fraction, out.bubble_fraction,
               physics::basis_of(step->machine.device, step->setting)};
}

std::vector<Change> changes(const Inputs& in, const Subject& subject, const Cluster* cluster) {
  Candidates candidates(in);
  add_sharding(in.training, candidates);
  add_less_kept(in.training, candidates);
  add_states_elsewhere(in.training, candidates);
  const Bytes before = total_of(in, subject);
  std::vector<Change> out;
  for (const Candidate& candidate : candidates.take()) {
    const auto usable = check(candidate.in, subject);
    if (!usable) continue;
    const Bytes total = total_of(*usable, subject);
    if (!(total < before)) continue;
    Change change{candidate.flags, fits(*usable, total), total, before - total, {}};
    if (cluster != nullptr) {
      if (const auto speed = speed_of(*usable, subject, *cluster)) change.step = speed->step;
    }
    out.push_back(change);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Change& a, const Change& b) { return a.freed > b.freed; });
  return out;
}

std::optional<Choice> choose(Inputs& in, const Subject& subject, std::int64_t devices,
                             const Open& open, const Cluster* cluster) {
  std::optional<Judged> best;
  for (const Inputs& plan : plans_of(in, subject, std::min(devices, kMostDevices), open)) {
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
  std::optional<Smallest> out;
  Bytes least;
  for (std::int64_t devices = 1; devices <= kMostDevices; devices *= 2) {
    const auto lean = leanest(any, nowhere, devices, all);
    if (!lean) continue;
    for (std::size_t i = 0; i < machines.size(); ++i) {
      const Machine& machine = machines[i];
      if (devices > machine.device_count()) continue;
      const Bytes each =
          asked.training.memory_utilization * Bytes::from_base(physics::usable_bytes(machine));
      const Bytes in_all = as_double(devices) * machine.device.memory_capacity;
      if (lean->total > each || (out && in_all >= least)) continue;
      least = in_all;
      out = Smallest{i, choice_of(lean->in, lean->total)};
      out->choice.fits = true;
    }
  }
  return out;
}

}  // namespace ridgeline::solve::fit_training
