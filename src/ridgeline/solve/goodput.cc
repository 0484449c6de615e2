#include "ridgeline/solve/goodput.h"

#include "ridgeline/solve/model_checks.h"

namespace ridgeline::solve::goodput {
namespace {

Status fill_runtime(Inputs& in) {
  if (in.runtime && in.useful_fraction) {
    return conflict("useful_fraction", "runtime and a part of it are given", "keep one of them");
  }
  if (in.runtime) return Ok{};
  in.runtime = in.useful_fraction.value_or(1) * (1 - in.input_stall_fraction) *
               (1 - in.startup_fraction);  // (2)
  return Ok{};
}

Status fill_program(Inputs& in) {
  if (in.program && in.achieved) {
    return conflict("achieved", "program and the rate that gives it are given", "keep one of them");
  }
  if (in.program) return Ok{};
  if (!in.achieved) {
    return missing("program", "the share of the attainable speed is not known",
                   "give program, or achieved and attainable");
  }
  if (!in.attainable) return missing("attainable", "the attainable rate is not known");
  if (*in.achieved > *in.attainable) {
    return out_of_range("achieved", "more is achieved than attainable", "at most attainable");
  }
  in.program = *in.achieved / *in.attainable;  // (3)
  return Ok{};
}

}  // namespace

Result<Inputs> check(const Inputs& given) {
  Inputs in = given;
  RIDGELINE_CHECK(check_fraction("scheduling", in.scheduling));
  RIDGELINE_CHECK(check_fraction("runtime", in.runtime));
  RIDGELINE_CHECK(check_fraction("useful_fraction", in.useful_fraction));
  RIDGELINE_CHECK(check_fraction("input_stall_fraction", in.input_stall_fraction));
  RIDGELINE_CHECK(check_fraction("startup_fraction", in.startup_fraction));
  RIDGELINE_CHECK(check_fraction("program", in.program));
  RIDGELINE_CHECK(check_amount("achieved", in.achieved));
  RIDGELINE_CHECK(check_amount("attainable", in.attainable));
  RIDGELINE_CHECK(check_amount_or_zero("paid", in.paid));
  RIDGELINE_CHECK(fill_runtime(in));
  RIDGELINE_CHECK(fill_program(in));
  return in;
}

Output solve(const Inputs& in) {
  const double S = in.scheduling, R = *in.runtime, P = *in.program;
  Output out{.goodput_fraction = S * R * P, .runtime_fraction = R, .program_fraction = P};  // (1)
  out.scheduling_share_fraction = 1 - S;                                                    // (4)
  out.runtime_share_fraction = S * (1 - R);
  out.program_share_fraction = S * R * (1 - P);
  if (in.paid) out.lost = (1 - out.goodput_fraction) * *in.paid;  // (5)
  return out;
}

}  // namespace ridgeline::solve::goodput
