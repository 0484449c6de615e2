#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/label.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"
#include "ridgeline/solve/answer.h"
#include "ridgeline/solve/single_node.h"

namespace ridgeline::solve::sensitivity {

inline constexpr char kCard[] = R"(
Which input of a pass on one device moves its time most?

Equations, T of single-node, p one input, x the perturbation
  (1) change     = (T(p (1 + x)) - T(p))/T(p)
  (2) elasticity = ln(T(p (1 + x))/T(p (1 - x)))/ln((1 + x)/(1 - x))        two-sided
  (3) binding    = the largest |change|; memory_capacity where the model does not fit
Assumes     one input at a time. peak_flops scales the rates of all number formats.
Leaves out  inputs that are whole numbers; pairs of inputs.
Trust       elasticities of all rates sum to -(1 - the overhead's share); what is not used has 0;
            (2) is the derivative as x shrinks.
)";

enum class Solver : std::uint8_t { single_node };

inline std::span<const char* const> names_of(Solver) {
  static constexpr std::array<const char*, 1> kNames = {"single-node"};
  return kNames;
}

struct Inputs {
  Solver of = Solver::single_node;
  single_node::Inputs pass;
  std::vector<std::string> paths;
  double perturbation_fraction = 0.1;

  static constexpr auto fields() {
    return std::tuple(
        field(&Inputs::of, "of", "", "the solver that is asked"), flat(&Inputs::pass),
        field(&Inputs::paths, "paths", "p",
              "inputs to move, such as hardware/memory_bandwidth; rates and capacities if none"),
        field(&Inputs::perturbation_fraction, "perturbation_fraction", "x", "how far"));
  }
};

struct Output {
  Label binding;
  Seconds baseline_latency;
  std::optional<double> change_peak_flops_fraction, change_memory_bandwidth_fraction;
  std::optional<double> change_memory_capacity_fraction;
  Bytes shortfall;
  bool feasible = true;

  static constexpr auto fields() {
    return std::tuple(field(&Output::binding, "binding", "", "input that moves the time most"),
                      field(&Output::baseline_latency, "baseline_latency", "T", "as given"),
                      field(&Output::change_peak_flops_fraction, "change_peak_flops_fraction", "",
                            "of the time, with faster arithmetic"),
                      field(&Output::change_memory_bandwidth_fraction,
                            "change_memory_bandwidth_fraction", "", "with faster memory"),
                      field(&Output::change_memory_capacity_fraction,
                            "change_memory_capacity_fraction", "", "with more memory"),
                      field(&Output::shortfall, "shortfall", "", "memory that is missing"),
                      field(&Output::feasible, "feasible", "", "the model fits"));
  }
};

struct Knob {
  static constexpr const char* kListName = "knobs";
  Label path;
  double baseline = 0;
  double change_fraction = 0;
  double elasticity = 0;

  static constexpr auto fields() {
    return std::tuple(field(&Knob::path, "path", "p", "the input"),
                      field(&Knob::baseline, "baseline", "", "its value, in base units"),
                      field(&Knob::change_fraction, "change_fraction", "change",
                            "of the time, when it grows by x"),
                      field(&Knob::elasticity, "elasticity", "elasticity",
                            "per cent of time per per cent of input"));
  }
};

Result<Inputs> check(const Inputs& in);

// REQUIRES: `in` passed check(). Rows: the inputs, largest |change| first.
Answer<Output, Knob> solve(const Inputs& in);

}  // namespace ridgeline::solve::sensitivity
