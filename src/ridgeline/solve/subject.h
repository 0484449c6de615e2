// Subject: what a question is about. A model by its architecture or by its totals, one of the two;
// and, where one is given, the machine.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ridgeline/spec/machine.h"
#include "ridgeline/spec/model.h"
#include "ridgeline/spec/totals.h"

namespace ridgeline::solve {

struct Subject {
  const Model* model = nullptr;
  const Totals* totals = nullptr;
  const Machine* machine = nullptr;
};

// What is done with a model.
enum class Pass : std::uint8_t { train, infer };

inline std::span<const char* const> names_of(Pass) {
  static constexpr std::array<const char*, 2> kNames = {"train", "infer"};
  return kNames;
}

}  // namespace ridgeline::solve
