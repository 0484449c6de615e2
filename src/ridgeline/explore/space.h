// Space: which hardware, workloads and plans are joined, what is allowed and what is wanted.
//
// As data (data/spaces/*.json; read by app/, which fills a Space):
//   {"name": "coarse", "kind": "space", "description": ..., "source": ...,
//    "plans": "plans-reduced",    // optional: a file of kind "plans" whose axes follow this one's
//    own and
//                                 // whose "fixed" and "ring" hold as well; --plans reduced|full
//                                 swaps it
//    "axes": {PATH: VALUES, ...}, // in nesting order, the last runs fastest
//    "fixed": {PATH: VALUE, ...}, // set before the axes run
//    "ring": "by_phase" | "as_given", "pick": "fastest" | "fewest_devices",
//    "constraints": ["fits_memory", "pes_used <= 512"], "objectives": [{"minimize": "latency_s"},
//    ...]}
//   VALUES is a list, {"powers_of_two": [least, most]}, {"from": a, "to": b, "steps": n, "scale":
//   "log"}, or {"multiples": [1, 2, 4]} of the base machine's value. The path "machine.knobs"
//   stands for every hardware knob of the machine, one axis each, in knob order. A path of a
//   shipped file that the machine does not have (placements off the chiplet machine) is left out.
// A file of kind "plans" has "axes", "fixed" and "ring" only.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ridgeline/spec/scenario.h"

namespace ridgeline::explore {

// One axis: a scalar field of machine, workload or plan and the values it takes, in base units (a
// choice: the index of its name). Order of axes = nesting, the last runs fastest, within each of
// the three owners.
struct Axis {
  ScalarField field;
  std::vector<double> values;
};

// Keys of a point that objectives and constraints can name.
enum class Metric : std::uint8_t {
  latency_s,
  cost_score,
  pes_used,
  cost_x_pes,
  tokens_per_s,
  tokens_per_s_per_pe,
  energy_j,
  energy_j_per_token,
  memory_bytes,
  memory_headroom_bytes,
};
inline constexpr std::size_t kMetricCount = 10;

inline std::span<const char* const> names_of(Metric) {
  static constexpr std::array<const char*, kMetricCount> kNames = {
      "latency_s",    "cost_score",           "pes_used", "cost_x_pes",
      "tokens_per_s", "tokens_per_s_per_pe",  "energy_j", "energy_j_per_token",
      "memory_bytes", "memory_headroom_bytes"};
  return kNames;
}

enum class Sense : std::uint8_t { minimize, maximize };

struct Objective {
  Metric metric = Metric::latency_s;
  Sense sense = Sense::minimize;
};

enum class Comparison : std::uint8_t { less, less_equal, greater, greater_equal, equal, not_equal };

// `metric op value` or `field op value` (field: one of the scenario's scalars, value in base
// units).
struct Constraint {
  std::string text;  // as the user wrote it
  bool on_metric = true;
  Metric metric = Metric::latency_s;
  ScalarField field;
  Comparison comparison = Comparison::less_equal;
  double value = 0;
};

// How the ring variant is chosen where it is no axis.
enum class RingRule : std::uint8_t {
  as_given,
  by_phase
};  // by_phase: qoml in decode with CP > 1, else kv

// Which plan stands for a hardware point.
enum class Pick : std::uint8_t {
  fastest,
  fewest_devices
};  // the latter: auto_suggest of section 8

struct Space {
  std::string name;                                  // "coarse"; empty for a user's own
  std::vector<Axis> axes;                            // of all owners, in nesting order
  std::vector<std::vector<double>> hardware_points;  // if not empty: rows of values of the machine
                                                     // axes, in place of their grid
  RingRule ring_rule = RingRule::as_given;
  Pick pick = Pick::fastest;
  bool require_fit = true;  // the constraint fits_memory
  std::vector<Constraint> constraints;
  std::vector<Objective> objectives = {{Metric::latency_s, Sense::minimize},
                                       {Metric::cost_score, Sense::minimize}};
};

}  // namespace ridgeline::explore
