// What done otherwise would free most.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ridgeline/solve/fit_training.h"

namespace ridgeline::solve::fit_training {
namespace {

namespace memory = training_memory;
using physics::Recompute;

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

}  // namespace

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

}  // namespace ridgeline::solve::fit_training
