#include "ridgeline/solve/weight_streaming.h"

#include <algorithm>
#include <cmath>

#include "ridgeline/physics/pace.h"
#include "ridgeline/physics/totals.h"
#include "ridgeline/solve/model_checks.h"

namespace ridgeline::solve::weight_streaming {
namespace {

double as_double(std::int64_t n) {
  return static_cast<double>(n);
}

physics::StepWork work_of(const Inputs& in, const physics::ModelSums& m) {
  const double B = as_double(in.batch_size);
  const physics::AttentionCount count = in.setting.attention_count;
  if (in.phase == Phase::decode) {
    return physics::decode_work(m, count, {.sequences = B, .context = as_double(in.seq_len)});
  }
  return physics::prefill_work(m, count, {.part = {in.seq_len, 0, in.seq_len}, .sequences = B});
}

// FLOP of one decoding sequence.
Flops each(const Inputs& in, const physics::ModelSums& m) {
  return Flops::from_base(m.flop_per_unit) +
         physics::decode_attention(m, in.setting.attention_count, as_double(in.seq_len));
}

}  // namespace

Result<Inputs> check(const Inputs& given) {
  Inputs in = given;
  RIDGELINE_CHECK(check_totals(in.model));
  RIDGELINE_CHECK(check_computes(in.model));
  RIDGELINE_CHECK(check_attends(in.model));
  RIDGELINE_CHECK(check_hardware(in.hardware));
  RIDGELINE_CHECK(check_setting(in.setting));
  RIDGELINE_CHECK(check_number("seq_len", in.seq_len, 1));
  RIDGELINE_CHECK(check_number("batch_size", in.batch_size, 1));
  if (!in.injection_bandwidth) in.injection_bandwidth = in.hardware.injection_bandwidth;
  RIDGELINE_CHECK(check_needed("injection_bandwidth", in.injection_bandwidth,
                               "weights stream in at this rate"));
  RIDGELINE_CHECK(check_amount_or_zero("kv_headroom_fraction", in.kv_headroom_fraction));
  RIDGELINE_CHECK(check_needed("hardware/memory_capacity", in.hardware.memory_capacity,
                               "the cache must fit in it"));
  RIDGELINE_CHECK(check_rate(in.hardware, in.model, in.setting));
  return in;
}

Output solve(const Inputs& in) {
  const physics::ModelSums m = physics::sums_of(in.model, in.setting);
  const physics::Pace pace = physics::pace_of(
      in.hardware, in.setting, physics::compute_precision(in.hardware, in.model, in.setting));
  const double L = m.layers, B = as_double(in.batch_size);
  const double tokens = in.phase == Phase::decode ? B : B * as_double(in.seq_len);
  const physics::StepWork work = work_of(in, m);

  const Seconds t_inj = work.weights / (L * *in.injection_bandwidth);     // (1)
  const Seconds t_c = work.flop / (L * pace.rate) + pace.layer_overhead;  // (2)
  const Seconds t_layer = std::max(t_c, t_inj);                           // (3)
  const Bytes need =
      (1 + in.kv_headroom_fraction) * B * physics::kept_kv(m, as_double(in.seq_len), 1);  // (4)
  Output out{.layer_compute = t_c, .layer_injection = t_inj, .memory_required = need};
  out.utilization_fraction = need / *in.hardware.memory_capacity;
  out.feasible = need <= physics::usable_memory(in.hardware, in.setting);
  out.reason = out.feasible ? Reason::none : Reason::memory;
  out.tokens_per_s = out.feasible ? tokens / (L * t_layer).base() : 0;  // (3)
  out.bound = t_c >= t_inj ? Bound::compute : Bound::injection;
  if (in.phase == Phase::decode && m.expert_weights == 0) {
    const double balanced = (t_inj - pace.layer_overhead) * pace.rate * L / each(in, m);
    out.balanced_batch =
        static_cast<std::int64_t>(std::clamp(std::floor(balanced), 1.0, 1e15));  // (5)
  }
  return out;
}

}  // namespace ridgeline::solve::weight_streaming
