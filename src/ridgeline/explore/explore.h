// Joint exploration of hardware x workload x plan: best, Pareto front, sensitivity, counts.
//
// Every number in the answer comes from the plain evaluation (physics/cost.h); the fast evaluator
// only finds which pairs deserve it. Ties break by the total order of docs/chiplet-model.md section
// 8, so the answer does not depend on threads.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ridgeline/base/result.h"
#include "ridgeline/explore/space.h"
#include "ridgeline/spec/model.h"
#include "ridgeline/spec/scenario.h"
#include "ridgeline/spec/step.h"

namespace ridgeline::explore {

struct Options {
  int threads = 0;            // 0: as many as the machine has; changes nothing but the speed
  std::int64_t top = 0;       // rows of `top`: the best pairs over all hardware
  bool per_hardware = false;  // keep the best pair of every hardware point
  bool best_only = false;     // no sensitivity, no near misses
  bool plain = false;  // evaluate every pair by the plain evaluator (slow; the oracle of the tests)
  // Called now and then from one thread with the share done, 0 to 1. Return false to stop.
  std::function<bool(double)> progress;
};

// One pair (hardware x workload, plan), evaluated plainly.
struct Point {
  Scenario scenario;             // machine, workload and plan of the pair
  std::vector<double> hardware;  // values of Exploration::hardware_fields, base units
  std::int64_t latency_key = 0;  // whole picoseconds
  std::array<double, kMetricCount> metrics{};
  double metric(Metric m) const { return metrics[static_cast<std::size_t>(m)]; }
};

struct SensitivityRow {
  ScalarField knob;
  double baseline = 0, doubled = 0;  // base units
  double baseline_latency_s = 0, doubled_latency_s = 0;
  double speedup_fraction = 0;  // 1 - doubled / baseline
  double halved = 0;
  std::optional<double> halved_latency_s;  // none: out of range, or it does not fit
};

// A pair that misses by the least: why nothing fits.
struct NearMiss {
  Point point;
  std::int64_t lacking_bytes = 0;
};

struct Exploration {
  bool stopped = false;  // `progress` asked to stop: the rest covers what was done until then
  std::int64_t hardware_count = 0;
  std::int64_t workload_count = 1;
  std::int64_t parallelism_count = 0;
  std::int64_t distinct_plan_count = 0;  // without plans that differ in knobs of no effect only
  std::int64_t evaluated_count = 0;      // their product
  std::int64_t feasible_count =
      0;                         // valid, fitting and within the constraints, folded plans included
  std::int64_t valid_count = 0;  // valid placements, fitting or not
  std::array<std::int64_t, 16> rejected{};  // pairs by first InvalidReason
  std::int64_t does_not_fit_count = 0;      // rejected for that: none where a space takes misfits
  std::vector<ScalarField>
      hardware_fields;        // shown of each point: the knobs, then other machine axes
  std::vector<Point> best;    // one, or none when nothing is feasible
  std::vector<Point> pareto;  // ordered by (latency key, cost, knob values)
  std::vector<Point> top;
  std::vector<Point> per_hardware;
  std::vector<SensitivityRow> sensitivity;  // largest speed-up first
  std::vector<NearMiss> near_misses;  // up to 3, least lacking first; only when nothing is feasible
};

// REQUIRES: physics::check_supported(model, base.machine); axes checked with check_scalar.
// Errors: conflict or out_of_range where the space is larger than 2^62 pairs or has no pair.
Result<Exploration> explore(const Model& model, const Scenario& base, const Space& space,
                            const Options& options);

// What doubling and halving each field does to the latency of one configuration, its plan kept; by
// doubled latency in whole picoseconds, then in the order of `fields`. Choices, counts and doubled
// values out of a field's range are left out. `explore` asks for it at its best point.
std::vector<SensitivityRow> sensitivity_at(const Model& model, const Scenario& at,
                                           std::span<const ScalarField> fields);

// What bounds a point: the largest part of its latency. REQUIRES: it can be placed.
Bound bound_of(const Model& model, const Scenario& at);

// One cell of a heat map: the best pair of the space with two of its axes held at one value each.
struct Cell {
  std::size_t x = 0, y = 0;  // which values
  std::int64_t feasible_count = 0;
  std::vector<Point> best;  // one, or none
  const char* reason = "";  // why none: the most frequent reason
};

// Cells in the order of x, then y; none where options.progress asked to stop. REQUIRES: two
// different axes of `space`.
Result<std::vector<Cell>> heat_map(const Model& model, const Scenario& base, const Space& space,
                                   std::size_t x_axis, std::size_t y_axis, const Options& options);

// Which pairs a drawing of all of them needs: one of each cell of a grid over two metrics.
struct CloudOptions {
  Metric x = Metric::latency_s, y = Metric::cost_score;
  double cells_per_octave = 8;
  std::span<const Point> taken;          // points that are drawn anyway: their cells need no other
  std::function<bool(double)> progress;  // as in Options
};
struct Cloud {
  bool stopped = false;
  std::int64_t total = 0;  // feasible pairs; plans that differ in knobs of no effect once
  std::vector<Point> points;
  std::vector<Bound> bounds;  // one per point
};

// REQUIRES: a space that `explore` accepts.
Result<Cloud> cloud(const Model& model, const Scenario& base, const Space& space,
                    const CloudOptions& options);

// The fastest plan of the plan axes of `space` at the machine and workload of `at`, if one is
// faster than the plan of `at` by a picosecond or more; with the constraints of `space`, ties as in
// `explore`. Its other axes are ignored. Takes a fraction of the time of `explore`: most plans are
// ruled out unseen.
std::optional<Point> faster_point(const Model& model, const Point& at, const Space& space);

// Calls `row` for each feasible pair in enumeration order (hardware outermost, then workload, then
// plan), evaluated plainly; plans that differ in knobs of no effect once. Stops when it returns
// false. REQUIRES: a space that `explore` accepts.
void for_each_point(const Model& model, const Scenario& base, const Space& space,
                    const std::function<bool(const Point&)>& row);

}  // namespace ridgeline::explore
