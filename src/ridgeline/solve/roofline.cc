#include "ridgeline/solve/roofline.h"

#include <fmt/format.h>

#include <algorithm>

#include "ridgeline/solve/checks.h"

namespace ridgeline::solve::roofline {
namespace {

Status fill_from(const Machine& machine, Inputs& in) {
  const Accelerator& device = machine.device;
  if (!in.bandwidth) in.bandwidth = device.memory_bandwidth;
  if (in.peak) return Ok{};
  const FlopsPerSecond peak = device.peak_of(in.precision);
  if (peak.base() > 0) {
    in.peak = peak;
  } else if (in.flop) {
    return Error{ErrorCode::unsupported, "precision",
                 fmt::format("{} has no rate at this precision", device.name),
                 "a precision that the device multiplies in, or --peak"};
  }
  return Ok{};
}

}  // namespace

Result<Inputs> check(const Inputs& given, const Subject& subject) {
  Inputs in = given;
  RIDGELINE_CHECK(check_not_negative("flop", in.flop));
  RIDGELINE_CHECK(check_not_negative("bytes", in.bytes));
  RIDGELINE_CHECK(check_positive("peak", in.peak));
  RIDGELINE_CHECK(check_positive("bandwidth", in.bandwidth));
  RIDGELINE_CHECK(check_positive("measured_rate", in.measured_rate));
  if (subject.machine != nullptr) RIDGELINE_CHECK(fill_from(*subject.machine, in));
  const bool rates = in.peak && in.bandwidth;
  if (!in.flop && !in.bytes && !rates) {
    return missing("flop", "there is nothing to time", "--flop, --bytes, or both rates");
  }
  if (in.flop && !in.peak) return missing("peak", "flop need a rate", "--peak or --machine");
  if (in.bytes && !in.bandwidth) {
    return missing("bandwidth", "bytes need a bandwidth", "--bandwidth or --machine");
  }
  return in;
}

Output solve(const Inputs& in) {
  Output out;
  if (in.flop) out.compute = *in.flop / *in.peak;        // (1)
  if (in.bytes) out.memory = *in.bytes / *in.bandwidth;  // (2)
  if (in.flop || in.bytes) {
    const Seconds t = std::max(out.compute.value_or(Seconds{}), out.memory.value_or(Seconds{}));
    out.latency = t;  // (3)
    if (t > Seconds{}) out.throughput = PerSecond::from_base(1 / t.base());
    if (in.measured_rate) out.roofline_fraction = *in.measured_rate * t;  // (4)
  }
  if (in.peak && in.bandwidth) {
    out.ridge_flop_per_byte = in.peak->base() / in.bandwidth->base();  // (5)
  }
  return out;
}

}  // namespace ridgeline::solve::roofline
