#include "ridgeline/solve/fit_plans.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "ridgeline/physics/lower.h"
#include "ridgeline/physics/memory.h"
#include "ridgeline/physics/weights.h"
#include "ridgeline/solve/checks.h"

namespace ridgeline::solve::fit_plans {
namespace {

constexpr std::int64_t kMostDevices = 4096;  // of a plan that is looked for

double as_double(std::int64_t n) {
  return static_cast<double>(n);
}

// ---- speed ----

Plan plan_of(const fit::Inputs& in) {
  Plan plan;
  plan.tp = in.tp;
  plan.pp = in.pp;
  plan.dp = in.dp;
  plan.cp = in.cp;
  plan.ep = in.ep;
  plan.ffn_shard_scope = FfnShardScope::tp;
  plan.kv_shard_mode = KvShardMode::replicate;
  return plan;
}

Bound largest_part(const Step& step, const physics::Rates& rates) {
  std::array<double, 3> sum{};
  const auto add = [&](const StageWork& work, double times) {
    const StageCost cost = physics::cost_of(work, rates);
    sum[0] += times * cost.compute_s;
    sum[1] += times * cost.memory_s;
    sum[2] += times * cost.network_s;
  };
  for (const LayerWork& layer : step.layers) {
    for (const StageWork& work : layer.stages) add(work, as_double(layer.count));
  }
  for (const StageWork& work : step.edges) add(work, 1);
  return static_cast<Bound>(std::max_element(sum.begin(), sum.end()) - sum.begin());
}

SpeedBasis basis_of(const Model& model, const Machine& machine) {
  const bool recurrent =
      std::any_of(model.kinds.begin(), model.kinds.end(), [](const LayerKind& kind) {
        return kind.attention.kind == AttentionKind::recurrent || kind.attention.index_heads > 0;
      });
  return recurrent || machine.device.compute_util < 1 ? SpeedBasis::estimate
                                                      : SpeedBasis::datasheet;
}

bool can_be_lowered(const fit::Inputs& in, const Subject& subject) {
  if (subject.model == nullptr || subject.machine == nullptr || !in.context) return false;
  const Machine& machine = *subject.machine;
  const bool has_rates = machine.device.memory_bandwidth.base() > 0 &&
                         machine.device.peak_of(machine.device.main_precision()).base() > 0;
  const bool valid_levels =
      std::all_of(machine.levels.begin(), machine.levels.end(),
                  [](const Level& level) { return level.bandwidth.base() > 0; });
  return has_rates && valid_levels && subject.model->why_no_count.empty() &&
         physics::check_supported(*subject.model, machine).has_value();
}

struct Pass {
  Step step;
  Seconds latency;
};

std::optional<Pass> pass_of(const Workload& work, const Plan& plan, const Subject& subject,
                            const physics::Rates& rates) {
  Pass pass;
  physics::Lowering(*subject.model, *subject.machine, work).lower(plan, pass.step);
  if (!pass.step.layout.valid()) return std::nullopt;
  pass.latency = Seconds::from_base(physics::latency_s(pass.step, rates));
  return pass;
}

// ---- plans ----

std::vector<std::int64_t> divisors(std::int64_t n) {
  std::vector<std::int64_t> out;
  for (std::int64_t d = 1; d <= n; ++d) {
    if (n % d == 0) out.push_back(d);
  }
  return out;
}

struct Degree {
  std::int64_t tp, pp, dp, ep, etp;
};

enum class Replicas : std::uint8_t { one, any };

// Plans of so many devices, more tp first, then more pp. Experts are split over tp as the rest is,
// or over all ranks of tp x dp.
std::vector<Degree> degrees_of(std::int64_t devices, const Subject& subject, Replicas replicas) {
  const bool routed = subject.model != nullptr &&
                      std::any_of(subject.model->kinds.begin(), subject.model->kinds.end(),
                                  [](const LayerKind& kind) { return kind.moe(); });
  std::vector<Degree> out;
  std::vector<std::int64_t> sizes = divisors(devices);
  std::reverse(sizes.begin(), sizes.end());
  for (const std::int64_t tp : sizes) {
    for (const std::int64_t pp : sizes) {
      if ((devices / tp) % pp != 0) continue;
      const std::int64_t dp = devices / tp / pp;
      if (replicas == Replicas::one && dp > 1) continue;
      out.push_back({tp, pp, dp, 1, tp});
      if (routed && tp * dp > 1) out.push_back({tp, pp, dp, tp * dp, 1});
    }
  }
  return out;
}

fit::Inputs with_degrees(const fit::Inputs& asked, const Degree& d) {
  fit::Inputs in = asked;
  in.tp = d.tp;
  in.pp = d.pp;
  in.dp = d.dp;
  in.cp = 1;
  in.ep = d.ep;
  in.etp = d.etp;
  in.pp_layers.clear();
  in.memory = in.weight_memory = in.activation_memory = in.runtime_memory = in.kv_pool = {};
  in.kv_blocks = in.kv_tokens = {};
  return in;
}

// Empty when the model cannot be divided so.
std::optional<Row> row_of(const fit::Inputs& asked, const Subject& subject, const Degree& d,
                          const Engine* engine) {
  const auto in = fit::check(with_degrees(asked, d), subject, engine);
  if (!in) return std::nullopt;
  const fit::Output found = fit::solve(*in, subject, engine).output;
  Row row;
  row.devices = d.tp * d.pp * d.dp;
  row.tp = d.tp;
  row.pp = d.pp;
  row.dp = d.dp;
  row.ep = d.ep;
  row.etp = d.etp;
  row.fits = found.fits.value_or(false);
  row.total_memory = as_double(row.devices) * subject.machine->device.memory_capacity;
  row.headroom = found.headroom;
  if (found.kv_tokens_capacity) row.kv_tokens_capacity = *found.kv_tokens_capacity * d.dp;
  row.max_context_tokens = found.max_context_tokens;
  row.max_batch = found.max_batch;
  if (const auto speed = row.fits ? speed_of(*in, subject, found) : std::nullopt) {
    row.decode_latency = speed->decode_latency;
    row.prefill_latency = speed->prefill_latency;
    row.decode_tokens_per_s = speed->decode_tokens_per_s;
  }
  return row;
}

template <class Better>
std::optional<std::int64_t> best_of(const std::vector<Row>& rows, Better better) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].fits) continue;
    if (!best || better(rows[i], rows[*best])) best = i;
  }
  return best ? std::optional(static_cast<std::int64_t>(*best)) : std::nullopt;
}

bool is_smaller(const Row& a, const Row& b) {
  if (a.total_memory != b.total_memory) return a.total_memory < b.total_memory;
  return a.devices < b.devices;
}

Output output_of(const std::vector<Row>& rows) {
  Output out;
  out.smallest = best_of(rows, is_smaller);
  out.freest = best_of(rows, [](const Row& a, const Row& b) { return *a.headroom > *b.headroom; });
  out.most_tokens = best_of(rows, [](const Row& a, const Row& b) {
    return a.kv_tokens_capacity.value_or(0) > b.kv_tokens_capacity.value_or(0);
  });
  out.fastest = best_of(rows, [](const Row& a, const Row& b) {
    return a.decode_tokens_per_s.value_or(0) > b.decode_tokens_per_s.value_or(0);
  });
  if (out.fastest && !rows[static_cast<std::size_t>(*out.fastest)].decode_tokens_per_s) {
    out.fastest = std::nullopt;
  }
  out.fitting_count =
      std::count_if(rows.begin(), rows.end(), [](const Row& row) { return row.fits; });
  return out;
}

// Numbers of devices worth trying: powers of two, and all of them.
std::vector<std::int64_t> device_counts(const Machine& machine) {
  const std::int64_t all = std::min(machine.device_count(), kMostDevices);
  std::vector<std::int64_t> out;
  for (std::int64_t n = 1; n < all; n *= 2) out.push_back(n);
  out.push_back(all);
  return out;
}

// The fewest devices of the machine on which one replica fits; fewer than hold the weights alone
// are not tried.
std::optional<Row> smallest_on(const fit::Inputs& asked, const Subject& subject, Bytes weights,
                               const Engine* engine) {
  const Bytes each = Bytes::from_base(physics::usable_bytes(*subject.machine));
  for (const std::int64_t devices : device_counts(*subject.machine)) {
    if (as_double(devices) * each < weights) continue;
    for (const Degree& d : degrees_of(devices, subject, Replicas::one)) {
      const std::optional<Row> row = row_of(asked, subject, d, engine);
      if (row && row->fits) return row;
    }
  }
  return std::nullopt;
}

Bytes weights_of(const fit::Inputs& asked, const Subject& subject, const Engine* engine) {
  const auto in = fit::check(with_degrees(asked, {1, 1, 1, 1, 1}), subject, engine);
  if (!in) return {};
  return fit::solve(*in, subject, engine).output.weights.value_or(Bytes{});
}

}  // namespace

std::optional<Speed> speed_of(const fit::Inputs& in, const Subject& subject,
                              const fit::Output& found) {
  if (!can_be_lowered(in, subject)) return std::nullopt;
  const physics::Rates rates = physics::rates_of(*subject.machine, in.activation_precision);
  Workload work;
  work.context = *in.context;
  work.batch = in.batch;
  work.bits_per_weight = found.bits_per_weight.value_or(0);
  work.kv_precision = in.kv_precision;
  work.activation_precision = in.activation_precision;
  const Plan plan = plan_of(in);
  const std::optional<Pass> decode = pass_of(work, plan, subject, rates);
  work.phase = Phase::prefill;
  work.batch = in.dp;  // one sequence of each replica
  const std::optional<Pass> prefill = pass_of(work, plan, subject, rates);
  if (!decode || !prefill) return std::nullopt;
  return Speed{decode->latency, as_double(in.batch) / decode->latency.base(), prefill->latency,
               largest_part(decode->step, rates), basis_of(*subject.model, *subject.machine)};
}

Answer<Output, Row> plans_on(const fit::Inputs& in, const Subject& subject, std::int64_t devices,
                             const Engine* engine) {
  Answer<Output, Row> answer;
  if (subject.machine == nullptr) return answer;
  for (const Degree& d : degrees_of(std::min(devices, kMostDevices), subject, Replicas::any)) {
    if (const auto row = row_of(in, subject, d, engine)) answer.rows.push_back(*row);
  }
  std::stable_sort(answer.rows.begin(), answer.rows.end(),
                   [](const Row& a, const Row& b) { return a.fits && !b.fits; });
  answer.output = output_of(answer.rows);
  return answer;
}

Answer<Output, Row> smallest_machines(const fit::Inputs& in, const Subject& subject,
                                      std::span<const Machine> machines, const Engine* engine) {
  Answer<Output, Row> answer;
  const Bytes weights = weights_of(in, {subject.model, subject.totals}, engine);
  for (std::size_t i = 0; i < machines.size(); ++i) {
    const Subject here{subject.model, subject.totals, &machines[i]};
    std::optional<Row> row = smallest_on(in, here, weights, engine);
    if (!row) continue;
    row->machine = static_cast<std::int64_t>(i);
    answer.rows.push_back(*row);
  }
  std::stable_sort(answer.rows.begin(), answer.rows.end(), is_smaller);
  answer.output = output_of(answer.rows);
  return answer;
}

}  // namespace ridgeline::solve::fit_plans
