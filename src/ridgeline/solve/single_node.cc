#include "ridgeline/solve/single_node.h"

#include <algorithm>

#include "ridgeline/physics/totals.h"
#include "ridgeline/solve/model_checks.h"
#include "ridgeline/solve/training_state.h"

namespace ridgeline::solve::single_node {
namespace {

using physics::ModelSums;
using physics::StepWork;

bool counts_attention(const Inputs& in) {
  return in.setting.attention_count != physics::AttentionCount::none;
}

// Forward work of the pass.
StepWork forward(const Inputs& in, const ModelSums& m) {
  const auto B = static_cast<double>(in.batch_size);
  const double A = in.activation_per_sample.base();
  const std::int64_t n = in.seq_len, c = in.context_len;
  const bool decodes = in.phase == Pass::infer && n == 1 && c > 0;
  StepWork work =
      decodes ? physics::decode_work(
                    m, in.setting.attention_count,
                    {.sequences = B, .context = static_cast<double>(c + n), .activation_bytes = A})
              : physics::prefill_work(
                    m, in.setting.attention_count,
                    {.part = {n, c, c + n}, .sequences = B, .activation_bytes = A});  // (1), (2)
  if (in.phase == Pass::train || !counts_attention(in)) work.kv = {};
  return work;
}

// All that the pass does: in training forward and backward.
StepWork whole(const StepWork& forward, Pass phase) {
  if (phase == Pass::infer) return forward;
  const double mu = physics::model_factors(1).weights;
  return {mu * forward.flop, mu * forward.weights, mu * forward.kv, mu * forward.activations,
          mu * forward.attention};
}

// Without layers: weights, gradients, Adam's states and activations; else as training-memory says.
Bytes needed_to_train(const Inputs& in) {
  const TrainingPlan plan{.batch_size = in.batch_size, .seq_len = in.seq_len};
  const Bytes activations = static_cast<double>(in.batch_size) * in.activation_per_sample;
  return *training_state(in.model, in.setting, plan).output.total + activations;
}

Bytes needed(const Inputs& in, const ModelSums& m) {
  if (in.phase == Pass::train) return needed_to_train(in);  // (5)
  const auto B = static_cast<double>(in.batch_size);
  const double seen = static_cast<double>(in.seq_len + in.context_len);
  const Bytes kv = counts_attention(in) ? B * physics::kept_kv(m, seen, 1) : Bytes{};
  return Bytes::from_base(m.weights) + kv;  // (5)
}

enum class Home : std::uint8_t { sram, flash, main };

// The innermost memory that holds the weights.
Home home_of(const Hardware& hw, Bytes weights) {
  if (hw.sram_capacity && hw.sram_bandwidth && weights <= *hw.sram_capacity) return Home::sram;
  return hw.flash_bandwidth ? Home::flash : Home::main;
}

// Traffic where the weights have a memory of their own.
Seconds time_apart(const Inputs& in, const StepWork& work, Home home, const physics::Pace& pace) {
  const BytesPerSecond own =
      home == Home::sram ? *in.hardware.sram_bandwidth : *in.hardware.flash_bandwidth;
  const Seconds weights = work.weights / (own * pace.memory_efficiency);
  return std::max(weights, (work.kv + work.activations) / pace.bandwidth);  // (3)
}

// Traffic of which a share crosses the host link.
Seconds time_spilled(const Inputs& in, const StepWork& work, double share,
                     const physics::Pace& pace) {
  const Bytes Q_link = share * work.bytes(), Q_main = work.bytes() - Q_link;
  const Seconds main = Q_main / pace.bandwidth;
  const Seconds link = Q_link / (*in.hardware.host_link * pace.memory_efficiency);
  return in.offload_overlap ? std::max(main, link) : main + link;  // (6)
}

struct Fit {
  Bytes need, spill;
  Home home = Home::main;
  bool offloaded = false;
};

Fit fit(const Inputs& in, const ModelSums& m) {
  Fit out;
  const Bytes W = Bytes::from_base(m.weights);
  out.need = needed(in, m);
  out.home = in.phase == Pass::infer ? home_of(in.hardware, W) : Home::main;
  const Bytes in_main = out.home == Home::main ? out.need : out.need - W;
  out.spill = std::max(Bytes{}, in_main - physics::usable_memory(in.hardware, in.setting));  // (6)
  out.offloaded = out.spill > Bytes{} && in.offload == Offload::host;
  return out;
}

Seconds memory_time(const Inputs& in, const StepWork& work, const Fit& fit,
                    const physics::Pace& pace) {
  if (fit.offloaded) {
    return time_spilled(in, work, std::min(1.0, fit.spill / fit.need), pace);
  }
  if (fit.home != Home::main) return time_apart(in, work, fit.home, pace);
  return work.bytes() / pace.bandwidth;
}

Status check_memories(const Inputs& in) {
  const Hardware& hw = in.hardware;
  RIDGELINE_CHECK(check_needed("hardware/memory_capacity", hw.memory_capacity,
                               "it decides whether the model fits"));
  RIDGELINE_CHECK(check_needed("hardware/memory_bandwidth", hw.memory_bandwidth,
                               "every step reads main memory"));
  if (in.offload == Offload::none) return Ok{};
  return check_needed("hardware/host_link", hw.host_link, "what is offloaded crosses it");
}

}  // namespace

Result<Inputs> check(const Inputs& in) {
  RIDGELINE_CHECK(check_totals(in.model));
  RIDGELINE_CHECK(check_computes(in.model));
  RIDGELINE_CHECK(check_hardware(in.hardware));
  RIDGELINE_CHECK(check_setting(in.setting));
  RIDGELINE_CHECK(check_number("batch_size", in.batch_size, 1));
  RIDGELINE_CHECK(check_number("seq_len", in.seq_len, 1));
  RIDGELINE_CHECK(check_number("context_len", in.context_len, 0));
  RIDGELINE_CHECK(check_amount_or_zero("activation_per_sample", in.activation_per_sample));
  RIDGELINE_CHECK(check_memories(in));
  RIDGELINE_CHECK(check_rate(in.hardware, in.model, in.setting));
  return in;
}

Output solve(const Inputs& in) {
  const ModelSums m = physics::sums_of(in.model, in.setting);
  const Precision p = physics::compute_precision(in.hardware, in.model, in.setting);
  const physics::Pace pace = physics::pace_of(in.hardware, in.setting, p);
  const Fit fits = fit(in, m);
  const StepWork work = whole(forward(in, m), in.phase);

  physics::StepTime t;
  t.compute = pace.compute_time(work.flop, work.attention);  // (3)
  t.memory = memory_time(in, work, fits, pace);              // (3), (6)
  t.overhead = pace.overhead(m.layers);
  const Seconds T = t.total();                                     // (4)
  const double u = physics::utilization(work.flop, pace.peak, T);  // (8)

  Output out{.latency = T, .compute = t.compute, .memory = t.memory, .overhead = t.overhead};
  out.bound = t.bound();
  out.throughput_per_s = static_cast<double>(in.batch_size) / T.base();  // (7)
  if (work.bytes() > Bytes{}) out.intensity_flop_per_byte = work.flop.base() / work.bytes().base();
  out.ridge_flop_per_byte = pace.rate.base() / pace.bandwidth.base();  // (7)
  out.memory_required = fits.need;
  out.spill = fits.spill;
  out.mfu_fraction = out.hfu_fraction = u;  // nothing is computed twice
  if (in.hardware.tdp) {
    out.energy = physics::energy_of(*in.hardware.tdp, in.setting.idle_power_fraction, u, T);  // (9)
  }
  out.feasible = fits.spill == Bytes{} || fits.offloaded;
  out.reason = out.feasible ? Reason::none : Reason::memory;
  return out;
}

}  // namespace ridgeline::solve::single_node
