#pragma once

#include <optional>
#include <tuple>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"

namespace ridgeline::solve::goodput {

inline constexpr char kCard[] = R"(
What share of the device time that is paid for does useful work, and where is the rest lost?

Equations
  (1) goodput = S R P       scheduling x runtime x program
  (2) R       = useful (1 - input stall)(1 - startup)   where R is not given; useful as in
                reliability (4), the share that failures and saves leave         [kokolis2024]
  (3) P       = achieved/attainable                     where P is not given
  (4) lost    = 1 - S, S (1 - R), S R (1 - P)           shares of the time that is paid
  (5) USD lost = paid (1 - goodput)
Assumes     the three are independent; S the share of paid time in which a job has its devices.
Leaves out  work that is useful but not needed.
Trust       the three losses and goodput add up to 1.
)";

struct Inputs {
  double scheduling = 1;
  std::optional<double> runtime, useful_fraction;
  double input_stall_fraction = 0, startup_fraction = 0;
  std::optional<double> program;
  std::optional<FlopsPerSecond> achieved, attainable;
  std::optional<Dollars> paid;

  static constexpr auto fields() {
    return std::tuple(
        field(&Inputs::scheduling, "scheduling", "S", "share of paid time with a job on devices"),
        field(&Inputs::runtime, "runtime", "R", "share of that in which the job advances"),
        field(&Inputs::useful_fraction, "useful_fraction", "useful",
              "in its place: what failures and saves leave"),
        field(&Inputs::input_stall_fraction, "input_stall_fraction", "", "spent waiting for data"),
        field(&Inputs::startup_fraction, "startup_fraction", "", "spent starting"),
        field(&Inputs::program, "program", "P", "share of the attainable speed"),
        field(&Inputs::achieved, "achieved", "", "in its place: the rate that is reached"),
        field(&Inputs::attainable, "attainable", "", "and the rate that could be"),
        field(&Inputs::paid, "paid", "", "for the whole time"));
  }
};

struct Output {
  double goodput_fraction = 0;
  double runtime_fraction = 0, program_fraction = 0;
  double scheduling_share_fraction = 0, runtime_share_fraction = 0, program_share_fraction = 0;
  std::optional<Dollars> lost;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::goodput_fraction, "goodput_fraction", "goodput", "useful share"),
        field(&Output::runtime_fraction, "runtime_fraction", "R", "as used"),
        field(&Output::program_fraction, "program_fraction", "P", "as used"),
        field(&Output::scheduling_share_fraction, "scheduling_share_fraction", "1 - S",
              "lost without a job"),
        field(&Output::runtime_share_fraction, "runtime_share_fraction", "S (1 - R)",
              "lost to failures, saves, starts and data"),
        field(&Output::program_share_fraction, "program_share_fraction", "S R (1 - P)",
              "lost to slow programs"),
        field(&Output::lost, "lost", "", "of what is paid", {"usd_lost", 1}));
  }
};

// Fills runtime and program from their parts.
Result<Inputs> check(const Inputs& in);

// Pure and allocation-free. REQUIRES: `in` came from check().
Output solve(const Inputs& in);

}  // namespace ridgeline::solve::goodput
