// Space: which hardware, workloads and plans are joined, what is allowed and what is wanted.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ridgeline/spec/scenario.h"

namespace ridgeline::explore {

// One axis: a scalar field of machine, workload or plan and the values it takes, in base units (a choice:
// the index of its name). Order of axes = nesting, the last runs fastest, within each of the three owners.
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

constexpr std::span<const char* const> names_of(Metric) {
  static constexpr std::array<const char*, kMetricCount> kNames = {
      "latency_s",   "cost_score",   "pes_used",       "cost_x_pes",
      "tokens_per_s", "tokens_per_s_per_pe", "energy_j", "energy_j_per_token",
      "memory_bytes", "memory_headroom_bytes"};
  return kNames;
}

enum class Sense : std::uint8_t { minimize, maximize };

struct Objective {
  Metric metric = Metric::latency_s;
  Sense sense = Sense::minimize;
};

enum class Comparison : std::uint8_t { less, less_equal, greater, greater_equal, equal, not_equal };

// `metric op value` or `field op value` (field: one of the scenario's scalars, value in base units).
struct Constraint {
  std::string text;  // as the user wrote it
  bool on_metric = true;
  Metric metric = Metric::latency_s;
  ScalarField field;
  Comparison comparison = Comparison::less_equal;
  double value = 0;
};

// How the ring variant is chosen where it is no axis.
enum class RingRule : std::uint8_t { as_given, by_phase };  // by_phase: qoml in decode with CP > 1, else kv

// Which plan stands for a hardware point.
enum class Pick : std::uint8_t { fastest, fewest_devices };  // the latter: auto_suggest of section 8

struct Space {
  std::string name;            // "coarse"; empty for a user's own
  std::vector<Axis> axes;      // of all owners, in nesting order
  std::vector<std::vector<double>> hardware_points;  // if not empty: rows of values of the machine axes,
                                                     // in place of their grid
  RingRule ring_rule = RingRule::as_given;
  Pick pick = Pick::fastest;
  bool require_fit = true;     // the constraint fits_memory
  std::vector<Constraint> constraints;
  std::vector<Objective> objectives = {{Metric::latency_s, Sense::minimize},
                                       {Metric::cost_score, Sense::minimize}};
};

}  // namespace ridgeline::explore
