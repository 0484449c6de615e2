#include "ridgeline/solve/parallelism.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

namespace ridgeline::solve::parallelism {
namespace {

using physics::Recompute;
using physics::Schedule;

constexpr std::int64_t kNoBound = std::numeric_limits<std::int64_t>::max();

using Values = std::vector<std::int64_t>;

Values divisors(std::int64_t whole) {
  Values low, high;
  for (std::int64_t d = 1; d * d <= whole; ++d) {
    if (whole % d != 0) continue;
    low.push_back(d);
    if (d != whole / d) high.push_back(whole / d);
  }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

bool has(const Values& values, std::int64_t value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

// The divisors that are asked for; all of them if none is.
Values among(Values all, const Values& asked, const std::optional<std::int64_t>& most) {
  std::erase_if(all, [&](std::int64_t value) {
    return value > most.value_or(kNoBound) || (!asked.empty() && !has(asked, value));
  });
  return all;
}

// ---- the order of plans ----

double value_of(const Plan& p, Objective objective) {
  switch (objective) {
    case Objective::memory: return p.memory.base();
    case Objective::energy: return p.energy->base();
    default: return p.step.base();
  }
}

auto knobs_of(const Plan& p) {
  return std::tuple(p.tp, p.cp, p.pp, p.ep, p.pipeline_schedule, p.v_stages, p.microbatch_count,
                    p.activation_recomputation, p.zero_stage);
}

bool beats(const Plan& a, const Plan& b, Objective objective) {
  const double x = value_of(a, objective), y = value_of(b, objective);
  return x != y ? x < y : knobs_of(a) < knobs_of(b);  // (4)
}

// Settings that no other beats in both step and memory, fastest first: memory falls along it.
class Front {
 public:
  // Is there one that is faster and holds no more?
  bool rules_out(Seconds step, Bytes memory) const {
    const auto after = std::lower_bound(plans_.begin(), plans_.end(), step,
                                        [](const Plan& p, Seconds s) { return p.step < s; });
    return after != plans_.begin() && std::prev(after)->memory <= memory;
  }

  void add(const Plan& plan) {
    if (rules_out(plan.step, plan.memory)) return;
    const auto at = std::lower_bound(plans_.begin(), plans_.end(), plan.step,
                                     [](const Plan& p, Seconds s) { return p.step < s; });
    if (at != plans_.end() && at->step == plan.step && !wins_tie(plan, *at)) return;
    auto end = at;
    while (end != plans_.end() && end->memory >= plan.memory) ++end;
    plans_.insert(plans_.erase(at, end), plan);
  }

  const std::vector<Plan>& plans() const { return plans_; }

 private:
  static bool wins_tie(const Plan& a, const Plan& b) {
    return a.memory != b.memory ? a.memory < b.memory : knobs_of(a) < knobs_of(b);
  }

  std::vector<Plan> plans_;
};

// ---- the settings of a candidate ----

// Order of passes and micro-batches.
struct Passes {
  Schedule schedule = Schedule::one_f_one_b;
  std::int64_t chunks = 1, micro_batches = 1;
};

// The rest of a setting, and what it takes and holds at least whatever the passes, (5).
struct Group {
  Recompute recompute = Recompute::none;
  std::int64_t zero_stage = 0;
  Seconds least_step;
  Bytes least_memory;
};

struct Priced {
  Plan plan;
  Seconds least_step;  // without the bubble
  bool fits = false;
};

// The step with nothing idle; the straggler slows every part alike.
Seconds without_bubble(const distributed::Output& out) {
  if (out.bubble == Seconds{}) return out.step;
  const Seconds pipeline = out.bubble / out.bubble_fraction;
  const Seconds sum = pipeline + out.dp_exposed + out.optimizer + out.offload;
  return (1 - out.bubble / sum) * out.step;
}

Priced price(distributed::Inputs& step, const Group& group, const Passes& passes) {
  step.degrees.pipeline_schedule = passes.schedule;
  step.degrees.v_stages = passes.chunks;
  step.degrees.microbatch_count = passes.micro_batches;
  step.activation_recomputation = group.recompute;
  step.zero_stage = group.zero_stage;
  const distributed::Output out = distributed::solve(step).output;
  const distributed::Degrees& d = step.degrees;
  return {.plan = {.tp = d.tp,
                   .cp = d.cp,
                   .pp = d.pp,
                   .dp = *d.dp,
                   .ep = d.ep,
                   .pipeline_schedule = passes.schedule,
                   .v_stages = passes.chunks,
                   .microbatch_count = passes.micro_batches,
                   .activation_recomputation = group.recompute,
                   .zero_stage = group.zero_stage,
                   .step = out.step,
                   .samples_per_s = out.samples_per_s,
                   .tokens_per_s_per_device = out.tokens_per_s_per_device,
                   .mfu_fraction = out.mfu_fraction,
                   .bubble_fraction = out.bubble_fraction,
                   .memory = *out.memory.total,
                   .energy = out.energy},
          .least_step = without_bubble(out),
          .fits = *out.feasible};
}

// Samples of the fullest replica.
std::int64_t samples_of(const distributed::Inputs& step) {
  return (step.batch_size - 1) / *step.degrees.dp + 1;
}

// What (2) allows, in the order of the knobs.
std::vector<Passes> passes_of(const Inputs& in, const distributed::Inputs& step) {
  const Space& space = in.space;
  const std::int64_t pp = step.degrees.pp, layers = in.model.layers.value_or(1) / pp;
  const Values counts =
      among(divisors(samples_of(step)), space.microbatch_count, space.max_microbatch_count);
  std::vector<Passes> out;
  if (pp == 1) {
    for (const std::int64_t m : counts) out.push_back({Schedule::one_f_one_b, 1, m});
    return out;
  }
  const Values chunks = among(divisors(layers), space.v_stages, space.max_v_stages);
  for (const Schedule schedule : space.pipeline_schedule) {
    const bool interleaves = schedule == Schedule::interleaved;
    for (const std::int64_t v : chunks) {
      if (interleaves != (v > 1)) continue;
      for (const std::int64_t m : counts) {
        if (!interleaves || m % pp == 0) out.push_back({schedule, v, m});
      }
    }
  }
  return out;
}

// Are there states that several ranks hold? Else nothing is shared out.
bool has_copies(const distributed::Degrees& d) {
  return d.cp * *d.dp > 1 || d.tp != d.ep * *d.etp;
}

// Groups of which at least the smallest passes fit, the fastest first, (3), (5).
std::vector<Group> groups_of(const Inputs& in, distributed::Inputs& step) {
  const auto& schedules = in.space.pipeline_schedule;
  const bool pairs = std::find(schedules.begin(), schedules.end(), Schedule::dualpipe) !=
                     schedules.end();  // hides traffic
  const Passes fastest{.schedule = pairs ? Schedule::dualpipe : Schedule::one_f_one_b};
  const Passes smallest{.micro_batches = samples_of(step)};
  std::vector<Group> out;
  for (const Recompute recompute : in.space.activation_recomputation) {
    for (const std::int64_t zero : in.space.zero_stage) {
      Group group{recompute, zero};
      const Priced least = price(step, group, smallest);
      if (least.fits) {
        group.least_memory = least.plan.memory;
        group.least_step = price(step, group, fastest).least_step;
        out.push_back(group);
      }
      if (!has_copies(step.degrees)) break;
    }
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Group& a, const Group& b) { return a.least_step < b.least_step; });
  return out;
}

// ---- the search ----

struct Search {
  const Inputs& in;
  distributed::Inputs step;  // of the candidate at hand
  Front front;
  Answer<Output, Plan> answer;
};

// Can no setting of the group be the candidate's best, or on the front? (5)
bool is_ruled_out(const Search& search, const Group& group, const std::optional<Plan>& best) {
  if (!best || search.in.objective == Objective::energy) return false;
  const bool by_memory = search.in.objective == Objective::memory;
  const double least = by_memory ? group.least_memory.base() : group.least_step.base();
  return least > value_of(*best, search.in.objective) &&
         search.front.rules_out(group.least_step, group.least_memory);
}

// The degree that distributed refuses says what it does not suit, (3).
void reject(Rejected& rejected, const std::string& where) {
  std::int64_t& count = where == "pp_size"   ? rejected.layers
                        : where == "ep_size" ? rejected.experts
                        : where == "cp_size" ? rejected.sequence
                                             : rejected.heads;
  count += 1;
}

void try_candidate(Search& search) {
  Output& out = search.answer.output;
  out.candidates_count += 1;
  const auto checked = distributed::check(search.step);
  if (!checked) return reject(out.rejected, checked.error().where);
  search.step = *checked;
  const std::vector<Passes> passes = passes_of(search.in, search.step);
  const auto shared = static_cast<std::int64_t>(search.in.space.zero_stage.size());
  const auto recomputes =
      static_cast<std::int64_t>(search.in.space.activation_recomputation.size());
  out.settings_count += static_cast<std::int64_t>(passes.size()) * recomputes *
                        (has_copies(search.step.degrees) ? shared : 1);
  std::optional<Plan> best;
  for (const Group& group : groups_of(search.in, search.step)) {
    if (is_ruled_out(search, group, best)) continue;
    for (const Passes& each : passes) {
      const Priced priced = price(search.step, group, each);
      out.priced_count += 1;
      if (!priced.fits) continue;
      search.front.add(priced.plan);
      if (!best || beats(priced.plan, *best, search.in.objective)) best = priced.plan;
    }
  }
  if (best) {
    search.answer.rows.push_back(*best);
  } else {
    out.rejected.memory += 1;
  }
}

void try_all(Search& search) {
  const Space& space = search.in.space;
  const Cluster& machine = search.in.machine;
  const std::int64_t N = machine.device_count(), A = machine.devices_per_node;
  const bool within = space.tp.empty() && space.max_tp.value_or(A) <= A;
  const bool routed = search.in.model.split().experts > 0;
  const Values experts =
      among(routed ? divisors(*search.in.model.experts) : Values{1}, space.ep, space.max_ep);
  for (const std::int64_t tp : among(divisors(within ? A : N), space.tp, space.max_tp)) {
    for (const std::int64_t cp : among(divisors(N / tp), space.cp, space.max_cp)) {
      for (const std::int64_t pp : among(divisors(N / tp / cp), space.pp, space.max_pp)) {
        if (!space.dp.empty() && !has(space.dp, N / tp / cp / pp)) continue;
        for (const std::int64_t ep : experts) {
          search.step.degrees = {.tp = tp, .cp = cp, .pp = pp, .ep = ep};
          try_candidate(search);
        }
      }
    }
  }
}

// What rejects most candidates.
Reason reason_of(const Output& out) {
  if (out.best) return Reason::none;
  const Rejected& r = out.rejected;
  const std::array<std::pair<std::int64_t, Reason>, 5> kinds = {{{r.memory, Reason::memory},
                                                                 {r.heads, Reason::heads},
                                                                 {r.layers, Reason::layers},
                                                                 {r.experts, Reason::experts},
                                                                 {r.sequence, Reason::sequence}}};
  const auto most = std::max_element(
      kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return most->first > 0 ? most->second : Reason::no_candidate;
}

}  // namespace

Answer<Output, Plan> solve(const Inputs& in) {
  Search search{.in = in, .step = step_of(in)};
  try_all(search);
  std::vector<Plan>& rows = search.answer.rows;
  Output& out = search.answer.output;
  out.feasible_count = static_cast<std::int64_t>(rows.size());
  std::sort(rows.begin(), rows.end(),
            [&](const Plan& a, const Plan& b) { return beats(a, b, in.objective); });
  if (!rows.empty()) out.best = rows.front();
  rows.resize(std::min(rows.size(), static_cast<std::size_t>(in.top)));
  const std::vector<Plan>& front = search.front.plans();
  out.pareto_count = static_cast<std::int64_t>(front.size());
  for (const Plan& plan : front) {
    if (out.pareto.size() < kMostPareto) out.pareto.push_back(plan);
  }
  out.reason = reason_of(out);
  out.feasible = out.best.has_value();
  return search.answer;
}

}  // namespace ridgeline::solve::parallelism
