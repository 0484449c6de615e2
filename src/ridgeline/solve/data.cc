#include "ridgeline/solve/data.h"

#include <algorithm>
#include <cmath>

#include "ridgeline/solve/model_checks.h"

namespace ridgeline::solve::data {
namespace {

struct Part {
  Bottleneck name;
  const std::optional<BytesPerSecond>& rate;
};

Status fill_rate(Inputs& in) {
  if (in.data_rate && in.samples_per_s) {
    return conflict("samples_per_s", "data_rate and samples_per_s are given", "keep one of them");
  }
  if (in.data_rate) return Ok{};
  if (!in.samples_per_s) {
    return missing("data_rate", "the rate of reading is not known",
                   "give data_rate, or samples_per_s and sample");
  }
  if (!in.sample) return missing("sample", "the size of a sample is not known");
  in.data_rate = BytesPerSecond::from_base(*in.samples_per_s * in.sample->base());  // (1)
  return Ok{};
}

}  // namespace

Result<Inputs> check(const Inputs& given) {
  Inputs in = given;
  RIDGELINE_CHECK(check_amount("data_rate", in.data_rate));
  RIDGELINE_CHECK(check_amount("samples_per_s", in.samples_per_s));
  RIDGELINE_CHECK(check_amount("sample", in.sample));
  RIDGELINE_CHECK(check_amount("storage_bandwidth", in.storage_bandwidth));
  RIDGELINE_CHECK(check_amount("host_link", in.host_link));
  RIDGELINE_CHECK(check_amount("network_bandwidth", in.network_bandwidth));
  RIDGELINE_CHECK(check_fraction("cache_hit_fraction", in.cache_hit_fraction));
  RIDGELINE_CHECK(check_degree_of("prefetch_depth", in.prefetch_depth));
  RIDGELINE_CHECK(check_amount("step", in.step));
  RIDGELINE_CHECK(check_amount("read_p99", in.read_p99));
  if (in.read_p99 && !in.step) return missing("step", "the depth of prefetching is in steps");
  if (!in.storage_bandwidth) {
    return missing("storage_bandwidth", "the storage's bandwidth is not known");
  }
  RIDGELINE_CHECK(fill_rate(in));
  return in;
}

Output solve(const Inputs& in) {
  Output out{.demand = (1 - in.cache_hit_fraction) * *in.data_rate,  // (1)
             .supply = *in.storage_bandwidth};
  for (const Part& part : {Part{Bottleneck::host_link, in.host_link},
                           Part{Bottleneck::network, in.network_bandwidth}}) {
    if (!part.rate || *part.rate >= out.supply) continue;
    out.supply = *part.rate;  // (2)
    out.bottleneck = part.name;
  }
  out.utilization_fraction = out.demand / out.supply;  // (3)
  out.margin = out.supply - out.demand;
  out.stalled = out.utilization_fraction > 1;
  if (in.step) out.stall = std::max(0.0, out.utilization_fraction - 1) * *in.step;  // (4)
  if (in.read_p99) {
    out.needed_prefetch_depth = static_cast<std::int64_t>(std::ceil(*in.read_p99 / *in.step));
    out.reads_hidden = in.prefetch_depth >= *out.needed_prefetch_depth;  // (5)
  }
  return out;
}

}  // namespace ridgeline::solve::data
