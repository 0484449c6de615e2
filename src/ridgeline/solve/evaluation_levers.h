// Levers of a plan: what a tenth more of each thing would change, by evaluating the plan anew; and
// what binds at each level, by the lever of that level that moves the answer most.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "ridgeline/base/few.h"
#include "ridgeline/base/fields.h"
#include "ridgeline/base/label.h"
#include "ridgeline/solve/evaluation.h"

namespace ridgeline::solve::evaluation {

enum class Level : std::uint8_t { device, node, fabric, facility, budget };
inline constexpr std::size_t kLevels = 5;

inline std::span<const char* const> names_of(Level) {
  static constexpr std::array<const char*, kLevels> kNames = {"device", "node", "fabric",
                                                              "facility", "budget"};
  return kNames;
}

// One input, a tenth better. Changes are shares of the answer as it is; empty: no such answer.
struct Lever {
  Level level = Level::device;
  Label input;
  double step_fraction = 0;  // +0.1: a tenth more of it, -0.1: a tenth less
  std::optional<double> training_time_change_fraction;  // wall time per token
  std::optional<double> serving_time_change_fraction;   // device time per request
  std::optional<double> cost_change_fraction;
  std::optional<double> emissions_change_fraction;

  static constexpr auto fields() {
    return std::tuple(
        field(&Lever::level, "level", "", "where it belongs"),
        field(&Lever::input, "input", "", "what is changed"),
        field(&Lever::step_fraction, "step_fraction", "", "by how much"),
        field(&Lever::training_time_change_fraction, "training_time_change_fraction", "",
              "of the wall time per token"),
        field(&Lever::serving_time_change_fraction, "serving_time_change_fraction", "",
              "of the device time per request"),
        field(&Lever::cost_change_fraction, "cost_change_fraction", "", "of the money"),
        field(&Lever::emissions_change_fraction, "emissions_change_fraction", "",
              "of the emissions"));
  }
};

struct Binding {
  Level level = Level::device;
  bool passes = true;
  Label binds;                            // input of the lever; empty: nothing at this level
  std::optional<double> change_fraction;  // what a tenth more of it brings
  Label of;                               // of which answer

  static constexpr auto fields() {
    return std::tuple(field(&Binding::level, "level", "", "of the plan"),
                      field(&Binding::passes, "passes", "", "nothing at this level fails"),
                      field(&Binding::binds, "binds", "", "the input that moves the answer most"),
                      field(&Binding::change_fraction, "change_fraction", "",
                            "of the answer, for a tenth better"),
                      field(&Binding::of, "of", "", "the answer that changes"));
  }
};

// Largest change of time first, then of cost, then of emissions. Levers that change nothing are
// left out. REQUIRES: `in` as it was before check(), which it passes; `out` its answer.
std::vector<Lever> levers(const Inputs& in, const Output& out);

Few<Binding, kLevels> scorecard(const std::vector<Lever>& levers, const Output& out);

}  // namespace ridgeline::solve::evaluation
