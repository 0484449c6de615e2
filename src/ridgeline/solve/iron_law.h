#pragma once

#include <tuple>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"

namespace ridgeline::solve::iron_law {

inline constexpr char kCard[] = R"(
What is gained when memory or arithmetic gets faster, with and without overlap of the two?

Equations
  (1) sequential = m + c + o
  (2) overlapped = max(m, c) + o                                                [williams2009]
  (3) upgraded   = the same of m/k_m, c/k_c                                       [amdahl1967]
Assumes     overhead is neither sped up nor hidden.
Leaves out  partial overlap: the truth lies between (1) and (2).
Trust       overlapped is never longer than sequential; only the larger part gains in (2).
)";

struct Inputs {
  Seconds memory_time, compute_time, overhead;
  double memory_speedup = 1, compute_speedup = 1;

  static constexpr auto fields() {
    return std::tuple(field(&Inputs::memory_time, "memory_time", "m", "moving data"),
                      field(&Inputs::compute_time, "compute_time", "c", "arithmetic"),
                      field(&Inputs::overhead, "overhead", "o", "everything else"),
                      field(&Inputs::memory_speedup, "memory_speedup", "k_m", "of moving data"),
                      field(&Inputs::compute_speedup, "compute_speedup", "k_c", "of arithmetic"));
  }
};

struct Output {
  Seconds sequential_time, overlapped_time;
  Seconds upgraded_sequential_time, upgraded_overlapped_time;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::sequential_time, "sequential_time", "m + c + o", "one after the other"),
        field(&Output::overlapped_time, "overlapped_time", "max(m, c) + o", "both at once"),
        field(&Output::upgraded_sequential_time, "upgraded_sequential_time", "",
              "one after the other, sped up"),
        field(&Output::upgraded_overlapped_time, "upgraded_overlapped_time", "",
              "both at once, sped up"));
  }
};

Result<Inputs> check(const Inputs& in);

// Pure and allocation-free. REQUIRES: `in` passed check().
Output solve(const Inputs& in);

}  // namespace ridgeline::solve::iron_law
