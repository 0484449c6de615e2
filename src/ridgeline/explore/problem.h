// Problem: a space resolved for one model; and the rows that a search leaves.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ridgeline/base/result.h"
#include "ridgeline/explore/explore.h"
#include "ridgeline/explore/hardware.h"
#include "ridgeline/explore/plans.h"
#include "ridgeline/explore/space.h"
#include "ridgeline/spec/model.h"
#include "ridgeline/spec/step.h"

namespace ridgeline::explore {

struct Problem {
  const Model* model;
  const Space* space;
  std::vector<Objective> objectives;  // at least one
  Scenario base;
  Hardware hardware;
  std::vector<Workload> workloads;  // in enumeration order
  PlanList plans;
  std::vector<ScalarField> hardware_fields;  // the knobs, then other machine axes
  std::vector<int> field_axis;               // axis of each, -1 where it is none
  std::vector<double> field_base;            // value of each on the base machine

  std::int64_t pair_count() const {
    return hardware.count() * static_cast<std::int64_t>(workloads.size()) * plans.listed_count();
  }
  double hardware_value(std::int64_t hardware_index, std::size_t field) const;
};

// Errors: missing where an axis or the list has no value, out_of_range where there are too many
// pairs.
Result<Problem> resolve_problem(const Model& model, const Scenario& base, const Space& space);

// One evaluated pair, small enough to be kept by the thousand.
struct Row {
  std::int64_t latency_key = 0;
  std::int64_t hardware = 0;
  std::uint32_t workload = 0;
  std::uint32_t plan = 0;  // in Problem::plans
  double tokens = 0;       // of the pass
  std::array<double, kMetricCount> metrics{};

  double metric(Metric m) const { return metrics[static_cast<std::size_t>(m)]; }
  double cost() const { return metric(Metric::cost_score); }
};

Plan plan_of(const Problem& problem, const Row& row);
Point point_of(const Problem& problem, const Row& row);

// (latency key, pes_used, then plan_less): which of two plans stands for a hardware point.
bool faster_plan(const Problem& problem, const Row& a, const Row& b);

// auto_suggest's (pes_used, memory, PP, TP, CP), then the rest of the plan key.
bool smaller_plan(const Problem& problem, const Row& a, const Row& b);

// The total order of rows: latency key, cost, hardware values in field order, workload, plan key.
bool row_less(const Problem& problem, const Row& a, const Row& b);

// What an objective compares, oriented so that less is better. Latencies count as whole
// picoseconds, in tokens per second as well.
double objective_value(const Row& row, const Objective& objective);

// row_less after the first objective: the order of `best` and `top`.
bool better_row(const Problem& problem, const Row& a, const Row& b);

// Does the value of a metric depend on the latency of the pair?
bool needs_latency(Metric metric);

// Is it the same for all plans of a hardware point?
bool of_hardware(Metric metric);

bool holds(const Constraint& constraint, double value);

// Constraints by what they look at.
struct ConstraintSets {
  std::vector<Constraint> hardware;  // machine fields and cost_score
  std::vector<Constraint> workload;  // workload fields
  std::vector<Constraint> plan;      // plan fields, pes_used, memory_bytes
  std::vector<Constraint> pair;      // the rest
};
ConstraintSets sort_constraints(std::span<const Constraint> all);

bool hardware_allowed(const Problem& problem, std::span<const Constraint> constraints,
                      std::int64_t hardware);
bool workload_allowed(std::span<const Constraint> constraints, const Workload& work);
bool plan_allowed(std::span<const Constraint> constraints, const Plan& plan, const Step& step);
bool pair_allowed(std::span<const Constraint> constraints, const Row& row);

}  // namespace ridgeline::explore
