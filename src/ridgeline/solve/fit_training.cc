#include "ridgeline/solve/fit_training.h"

#include <algorithm>

#include "ridgeline/physics/totals.h"
#include "ridgeline/solve/checks.h"
#include "ridgeline/solve/distributed.h"
#include "ridgeline/spec/engine.h"

namespace ridgeline::solve::fit_training {
namespace {

namespace memory = training_memory;

constexpr std::int64_t kMostTokens = 1LL << 40;  // of a sequence

double as_double(std::int64_t n) {
  return static_cast<double>(n);
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
  out.zero_stage = t.zero_stage;
  out.traffic.sequence_parallel = t.sequence_parallel;
  out.traffic.overlap_comm = true;  // as trainers send gradients
  out.activation_recomputation = t.activation_checkpointing;
  out.trainable_fraction = t.trainable_fraction;
  out.optimizer = t.optimizer;
  const bool moved = std::count(t.offload.begin(), t.offload.end(), memory::Offload::optimizer) > 0;
  out.offload = moved ? distributed::OptimizerPlace::host : distributed::OptimizerPlace::device;
  return out;
}

}  // namespace

std::int64_t devices_of(const memory::Inputs& in) {
  return in.tp * in.pp * in.dp * in.cp;
}

Bytes total_of(const Inputs& in, const Subject& subject) {
  return *memory::solve(in.training, subject).output.total + runtime_of(in);
}

bool fits(const Inputs& in, Bytes total) {
  const auto usable = usable_of(in);
  return usable && total <= *usable;
}

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

}  // namespace ridgeline::solve::fit_training
