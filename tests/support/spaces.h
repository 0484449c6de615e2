// Spaces for tests and benchmarks, and answers as text.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ridgeline/base/assert.h"
#include "ridgeline/explore/explore.h"
#include "ridgeline/explore/space.h"
#include "ridgeline/spec/scenario.h"

namespace ridgeline::testing {

// The field of the machine, workload or plan with this path; stops when there is none.
inline ScalarField field_of(const Machine& machine, const std::string& path) {
  const std::vector<ScalarField> fields = scalar_fields(machine);
  const auto found = find_scalar(fields, path);
  RIDGELINE_ASSERT(found.has_value());
  return found->field;
}

// Values in base units.
inline explore::Axis axis(const Machine& machine, const std::string& path,
                          std::vector<double> values) {
  return {field_of(machine, path), std::move(values)};
}

// Every hardware knob of the machine at these multiples of its value.
inline std::vector<explore::Axis> knob_axes(const Machine& machine,
                                            const std::vector<double>& multiples) {
  std::vector<explore::Axis> out;
  const Scenario base{machine, {}, {}};
  for (const ScalarField& knob : hardware_knobs(machine)) {
    explore::Axis a{knob, {}};
    for (const double multiple : multiples) a.values.push_back(multiple * get_scalar(base, knob));
    out.push_back(std::move(a));
  }
  return out;
}

// The plan lists of docs/chiplet-model.md section 8: 1,920 and 46,080 on the chiplet machine.
inline std::vector<explore::Axis> reduced_plans(const Machine& machine) {
  return {axis(machine, "plan.cp", {1, 2, 4, 8, 16, 32, 64, 96}),
          axis(machine, "plan.tp", {1, 2, 4, 8, 16, 32}),
          axis(machine, "plan.pp", {1, 2, 4, 8, 16}), axis(machine, "plan.dp", {1, 2, 4, 8}),
          axis(machine, "plan.kv_shard_mode", {0, 1})};
}

inline std::vector<explore::Axis> full_plans(const Machine& machine) {
  std::vector<explore::Axis> out = reduced_plans(machine);
  out.push_back(axis(machine, "plan.ffn_shard_scope", {0, 1, 2}));
  out.push_back(axis(machine, "plan.tp_placement", {0, 1}));
  out.push_back(axis(machine, "plan.cp_placement", {0, 1}));
  out.push_back(axis(machine, "plan.cp_ring_variant", {0, 1}));
  return out;
}

// The shipped spaces: "two_stage", "balanced", "coarse" (reduced plans), "full".
inline explore::Space shipped_space(const Machine& machine, const std::string& name) {
  explore::Space space;
  space.name = name;
  if (name == "balanced") space.axes = knob_axes(machine, {1, 2});
  if (name == "coarse") space.axes = knob_axes(machine, {1, 2, 4});
  std::vector<explore::Axis> plans = name == "full" ? full_plans(machine) : reduced_plans(machine);
  if (name == "two_stage") {
    plans.resize(3);
    space.pick = explore::Pick::fewest_devices;
  }
  space.axes.insert(space.axes.end(), plans.begin(), plans.end());
  if (name != "full") space.ring_rule = explore::RingRule::by_phase;
  return space;
}

// Every hardware knob at these multiples, with all plans of the full list.
inline explore::Space full_space(const Machine& machine, const std::vector<double>& multiples) {
  explore::Space space;
  space.axes = knob_axes(machine, multiples);
  const std::vector<explore::Axis> plans = full_plans(machine);
  space.axes.insert(space.axes.end(), plans.begin(), plans.end());
  return space;
}

// The chiplet machine at its defaults.
inline Scenario chiplet(Phase phase, std::int64_t context, std::int64_t batch) {
  Scenario scenario;
  scenario.machine = default_chiplet();
  scenario.work.phase = phase;
  scenario.work.context = context;
  scenario.work.batch = batch;
  return scenario;
}

inline std::string text_of(const char* name, const explore::Point& p) {
  const Plan& plan = p.scenario.plan;
  const Workload& work = p.scenario.work;
  const auto number = [](auto choice) { return static_cast<int>(choice); };
  return fmt::format(
             "{} key {} hw {} cp {} tp {} pp {} dp {} ep {} kv {} scope {} at {} {} ring {} ", name,
             p.latency_key, fmt::join(p.hardware, " "), plan.cp, plan.tp, plan.pp, plan.dp, plan.ep,
             number(plan.kv_shard_mode), number(plan.ffn_shard_scope), number(plan.tp_placement),
             number(plan.cp_placement), number(plan.cp_ring_variant)) +
         fmt::format("context {} batch {} phase {} metrics {}\n", work.context, work.batch,
                     number(work.phase), fmt::join(p.metrics, " "));
}

// Everything of an answer, numbers in full: equal texts, equal answers.
inline std::string text_of(const explore::Exploration& found) {
  std::string out = fmt::format(
      "hw {} work {} plans {} distinct {} pairs {} feasible {} valid {} over {} rejected {}\n",
      found.hardware_count, found.workload_count, found.parallelism_count,
      found.distinct_plan_count, found.evaluated_count, found.feasible_count, found.valid_count,
      found.does_not_fit_count, fmt::join(found.rejected, " "));
  for (const explore::Point& p : found.best) out += text_of("best", p);
  for (const explore::Point& p : found.pareto) out += text_of("front", p);
  for (const explore::Point& p : found.top) out += text_of("top", p);
  for (const explore::Point& p : found.per_hardware) out += text_of("site", p);
  for (const explore::NearMiss& miss : found.near_misses) {
    out += fmt::format("lacking {} ", miss.lacking_bytes) + text_of("miss", miss.point);
  }
  for (const explore::SensitivityRow& row : found.sensitivity) {
    out += fmt::format("{} {} -> {}: {} -> {}, {}\n", row.knob.path, row.baseline, row.doubled,
                       row.baseline_latency_s, row.doubled_latency_s, row.speedup_fraction);
  }
  return out;
}

// The first line in which two texts differ, of both; empty when there is none.
inline std::string first_difference(const std::string& a, const std::string& b) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    if (i >= a.size() || i >= b.size() || a[i] != b[i]) {
      return a.substr(begin, a.find('\n', begin) - begin) + "\n" +
             b.substr(begin, b.find('\n', begin) - begin);
    }
    if (a[i] == '\n') begin = i + 1;
  }
  return "";
}

}  // namespace ridgeline::testing
