#include "ridgeline/solve/checkpoint.h"

#include <algorithm>

#include "ridgeline/solve/model_checks.h"
#include "ridgeline/solve/training_state.h"

namespace ridgeline::solve::checkpoint {
namespace {

double as_double(std::int64_t n) {
  return static_cast<double>(n);
}

Bytes size_of(const Inputs& in) {
  training_memory::Inputs states;
  states.precision = in.checkpoint_precision.value_or(state_precision(in.model, in.setting));
  states.optimizer = in.optimizer;
  const double o_B = training_memory::optimizer_bytes_per_param(states);
  return Bytes::from_base(in.model.params * (bytes_per_element(states.precision) + o_B));  // (1)
}

BytesPerSecond together(BytesPerSecond each, const Inputs& in) {
  const BytesPerSecond all = as_double(in.n_writers) * each;
  return in.filesystem_limit ? std::min(all, *in.filesystem_limit) : all;  // (2)
}

Status fill_bandwidths(Inputs& in) {
  if (in.hardware) {
    RIDGELINE_CHECK(check_hardware(*in.hardware));
    if (!in.writer_bandwidth) in.writer_bandwidth = in.hardware->storage_bandwidth;
    if (!in.snapshot_bandwidth) in.snapshot_bandwidth = in.hardware->host_link;
  }
  RIDGELINE_CHECK(check_needed("writer_bandwidth", in.writer_bandwidth,
                               "a checkpoint is written at this rate"));
  RIDGELINE_CHECK(check_amount("filesystem_limit", in.filesystem_limit));
  RIDGELINE_CHECK(check_amount("snapshot_bandwidth", in.snapshot_bandwidth));
  if (in.mode == Mode::async) {
    RIDGELINE_CHECK(check_needed("snapshot_bandwidth", in.snapshot_bandwidth,
                                 "an asynchronous save first copies to the host"));
  }
  if (in.mode == Mode::incremental && !in.changed_fraction) {
    return missing("changed_fraction", "an increment holds a share of the bytes");
  }
  return Ok{};
}

}  // namespace

Result<Inputs> check(const Inputs& given) {
  Inputs in = given;
  RIDGELINE_CHECK(check_totals(in.model));
  if (in.model.params == 0) {
    return missing("model/parameters_count", "the number of parameters is not known",
                   "optimizer states are kept per parameter, whatever the bytes of the weights");
  }
  RIDGELINE_CHECK(check_setting(in.setting));
  RIDGELINE_CHECK(check_amount("checkpoint_interval", in.checkpoint_interval));
  RIDGELINE_CHECK(check_degree_of("n_writers", in.n_writers));
  RIDGELINE_CHECK(check_degree_of("replicas", in.replicas));
  if (in.ranks) RIDGELINE_CHECK(check_degree_of("ranks", *in.ranks));
  RIDGELINE_CHECK(check_share("changed_fraction", in.changed_fraction));
  RIDGELINE_CHECK(fill_bandwidths(in));
  return in;
}

Output solve(const Inputs& in) {
  const bool partly = in.mode == Mode::incremental;
  const Bytes whole = size_of(in), bytes = (partly ? *in.changed_fraction : 1.0) * whole;
  const BytesPerSecond bw = together(*in.writer_bandwidth, in);
  Output out{.checkpoint = whole, .write = bytes / bw, .stall = bytes / bw};  // (2), (3)
  if (in.mode == Mode::async) {
    out.stall = bytes / (as_double(in.ranks.value_or(in.n_writers)) * *in.snapshot_bandwidth);
    out.stall = std::min(out.stall, out.write);  // (3)
  }
  out.restore = as_double(in.replicas) * whole / bw;  // (5)
  out.feasible = out.write <= in.checkpoint_interval;
  out.reason = out.feasible ? Reason::none : Reason::write_time;
  out.stall_fraction = out.feasible ? out.stall / in.checkpoint_interval : 1;  // (4)
  out.write_bandwidth = bw;
  out.storage_per_day = day / in.checkpoint_interval * bytes;
  return out;
}

}  // namespace ridgeline::solve::checkpoint
