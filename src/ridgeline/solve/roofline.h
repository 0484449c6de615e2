#pragma once

#include <optional>
#include <tuple>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"
#include "ridgeline/solve/subject.h"
#include "ridgeline/spec/precision.h"

namespace ridgeline {

using PerSecond = Quantity<Dim{.time = -1}>;  // a rate of things that are counted

}  // namespace ridgeline

namespace ridgeline::solve::roofline {

inline constexpr char kCard[] = R"(
How fast could a device be at so much arithmetic and so many bytes, and how near is a measurement?

Equations
  (1) t_c = F / R              seconds of arithmetic at the peak
  (2) t_m = Q / BW             seconds of memory traffic
  (3) t   = max(t_c, t_m)      both at once; the larger alone where one is not asked    [williams2009]
  (4) fraction = measured t    measured rate over 1/t
  (5) ridge    = R / BW        intensity at which both are equal                        [williams2009]
Assumes     arithmetic and traffic overlap fully; dense peak of one precision.
Leaves out  efficiency of kernels, launch overhead, caches: (3) is a bound, not a forecast.
Trust       no measurement of the same work exceeds (3): fraction <= 1.
)";

struct Inputs {
  std::optional<Flops> flop;
  std::optional<Bytes> bytes;
  std::optional<FlopsPerSecond> peak;       // else the machine's, at `precision`
  std::optional<BytesPerSecond> bandwidth;  // else the machine's
  Precision precision = Precision::bf16;
  std::optional<PerSecond> measured_rate;

  static constexpr auto fields() {
    return std::tuple(field(&Inputs::flop, "flop", "F", "arithmetic of one piece of work"),
                      field(&Inputs::bytes, "bytes", "Q", "memory traffic of one piece of work"),
                      field(&Inputs::peak, "peak", "R", "dense rate"),
                      field(&Inputs::bandwidth, "bandwidth", "BW", "memory bandwidth"),
                      field(&Inputs::precision, "precision", "", "of the machine's rate"),
                      field(&Inputs::measured_rate, "measured_rate", "", "pieces per second seen"));
  }
};

struct Output {
  std::optional<Seconds> compute, memory, latency;
  std::optional<PerSecond> throughput;
  std::optional<double> roofline_fraction;
  std::optional<double> ridge_flop_per_byte;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::compute, "compute", "t_c", "arithmetic at the peak"),
        field(&Output::memory, "memory", "t_m", "traffic at the bandwidth"),
        field(&Output::latency, "latency", "t", "the larger of the two"),
        field(&Output::throughput, "throughput", "1/t", "pieces per second at most"),
        field(&Output::roofline_fraction, "roofline_fraction", "", "measured over possible"),
        field(&Output::ridge_flop_per_byte, "ridge_flop_per_byte", "R/BW",
              "balance of the device"));
  }
};

// Fills peak and bandwidth from the machine. One of flop and bytes is due, with its rate.
Result<Inputs> check(const Inputs& in, const Subject& subject);

// Pure and allocation-free. REQUIRES: `in` came from check().
Output solve(const Inputs& in);

}  // namespace ridgeline::solve::roofline
