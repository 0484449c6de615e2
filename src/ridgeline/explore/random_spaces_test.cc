// The fast search against the plain evaluation of every pair, on random spaces.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "ridgeline/explore/explore.h"
#include "ridgeline/physics/lower.h"
#include "tests/support/models.h"
#include "tests/support/spaces.h"

namespace ridgeline::explore {
namespace {

using testing::pick;

// Not inRange: its width grows with the test's size.
bool one_in(std::int64_t n) {
  return pick({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}) % n == 0;
}

// Up to `most` of the values, repeated ones among them, in random order.
std::vector<double> some_of(const std::vector<double>& values, std::size_t most) {
  const auto n = static_cast<std::size_t>(pick({1, 2, 3, 3})) * most / 3 + 1;
  return *rc::gen::container<std::vector<double>>(n, rc::gen::elementOf(values));
}

// Values that a field of the machine may take.
std::vector<double> values_of(const Scenario& base, const ScalarField& field) {
  const double now = get_scalar(base, field);
  if (field.key == "compute_util") return some_of({0.3, 0.7, 1}, 2);
  if (field.key == "vector_fraction") return some_of({0.03125, 0.0625}, 2);
  if (field.key == "sip_topology") return some_of({3, 4, 5}, 2);
  if (field.kind == ScalarKind::integer) return some_of({4, 8, 16}, 2);
  return some_of({now, 2 * now, 0.5 * now, 1.7 * now}, 3);
}

std::vector<Axis> machine_axes(const Scenario& base) {
  const bool chiplet = base.machine.kind == MachineKind::chiplet;
  const std::vector<std::string> names =
      chiplet ? std::vector<std::string>{"pe_hbm_gb",         "bw_hbm_gbs",
                                         "peak_tflops_f16",   "bw_intra_gbs",
                                         "bw_inter_gbs",      "bw_intersip_gbs",
                                         "alpha_intersip_ns", "compute_util",
                                         "vector_fraction",   "sips",
                                         "sip_topology",      "static_w_per_pe",
                                         "pj_per_hbm_byte"}
              : std::vector<std::string>{"device.memory_capacity_bytes",
                                         "device.memory_bandwidth_bytes_per_s",
                                         "device.peak_flop_per_s",
                                         "levels.node.link.bandwidth_bytes_per_s",
                                         "levels.pod.link.bandwidth_bytes_per_s",
                                         "levels.pod.link.latency_s",
                                         "device.compute_util",
                                         "levels.node.count"};
  std::vector<Axis> out;
  for (const std::string& name : names) {
    if (!one_in(3)) continue;
    const ScalarField field = testing::field_of(base.machine, "machine." + name);
    out.push_back({field, values_of(base, field)});
  }
  return *rc::gen::arbitrary<bool>() ? out : std::vector<Axis>(out.rbegin(), out.rend());
}

void add_plan_axes(const Machine& machine, std::vector<Axis>& out) {
  const bool chiplet = machine.kind == MachineKind::chiplet;
  const auto add = [&](const char* name, std::vector<double> values, std::size_t most) {
    if (!one_in(4)) out.push_back(testing::axis(machine, name, some_of(values, most)));
  };
  add("plan.cp", {1, 2, 4, 8, 16}, 4);
  add("plan.tp", {1, 2, 4, 8, 16, 32}, 5);
  add("plan.pp", {1, 2, 4, 8}, 3);
  add("plan.dp", {1, 2, 4}, 2);
  if (one_in(4)) add("plan.ep", {1, 2, 4}, 2);
  add("plan.kv_shard_mode", {0, 1}, 2);
  add("plan.ffn_shard_scope", {0, 1, 2}, 3);
  if (chiplet) add("plan.tp_placement", {0, 1}, 2);
  if (chiplet) add("plan.cp_placement", {0, 1}, 2);
  add("plan.cp_ring_variant", {0, 1}, 2);
}

void add_work_axes(const Machine& machine, std::vector<Axis>& out) {
  if (one_in(4)) out.push_back(testing::axis(machine, "context", some_of({4096, 8192, 1000}, 2)));
  if (one_in(4)) out.push_back(testing::axis(machine, "batch", some_of({1, 3, 8}, 2)));
  if (one_in(6)) out.push_back(testing::axis(machine, "phase", some_of({0, 1}, 2)));
}

Metric any_metric() {
  return static_cast<Metric>(pick({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}
Sense any_sense() {
  return *rc::gen::arbitrary<bool>() ? Sense::minimize : Sense::maximize;
}

// Bounds taken from a point that exists, so that they are met exactly now and then.
Constraint any_constraint(const Scenario& base, const Point& at) {
  Constraint c;
  c.comparison = static_cast<Comparison>(pick({0, 1, 2, 3, 4, 5}));
  const double factor = *rc::gen::elementOf(std::vector<double>{1, 1, 1.3, 4, 0.8});
  if (one_in(3)) {
    c.on_metric = false;
    c.field = *rc::gen::elementOf(scalar_fields(base.machine));
    c.value = get_scalar(at.scenario, c.field);
  } else {
    c.metric = any_metric();
    c.value = factor * at.metric(c.metric);
  }
  return c;
}

void choose_goals(const Model& model, const Scenario& base, Space& space) {
  if (*rc::gen::arbitrary<bool>()) {
    space.objectives.clear();
    const auto n = pick({1, 2, 3, 4});
    for (std::int64_t i = 0; i < n; ++i) space.objectives.push_back({any_metric(), any_sense()});
  }
  if (one_in(5)) space.require_fit = false;
  if (one_in(6)) space.pick = Pick::fewest_devices;
  if (*rc::gen::arbitrary<bool>()) return;
  std::vector<Point> points;
  for_each_point(model, base, space, [&](const Point& p) {
    points.push_back(p);
    return points.size() < 40;
  });
  if (points.empty()) return;
  const auto n = pick({1, 1, 2});
  for (std::int64_t i = 0; i < n; ++i) {
    space.constraints.push_back(any_constraint(base, *rc::gen::elementOf(points)));
  }
}

// Rows of the axes' values, some moved a little off the grid.
void list_points(Space& space) {
  std::vector<Axis> axes;
  for (const Axis& a : space.axes) {
    if (a.field.owner == ScalarOwner::machine) axes.push_back(a);
  }
  const auto n = static_cast<std::size_t>(pick({1, 3, 10, 40, 150}));
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> row;
    for (const Axis& a : axes) {
      const double value = *rc::gen::elementOf(a.values);
      const bool move = a.field.effect != ScalarEffect::shape && one_in(2) && value > 1;
      row.push_back(move ? value * *rc::gen::elementOf(std::vector<double>{1.01, 1.2, 1.3})
                         : value);
    }
    space.hardware_points.push_back(row);
  }
}

struct Case {
  Model model;
  Scenario base;
  Space space;
  Options options;
};

Case any_case() {
  Case c;
  c.model = testing::any_model();
  c.base.machine = one_in(3) ? testing::gpu_tree() : testing::any_chiplet();
  c.base.work = testing::any_work();
  c.base.plan.tp = pick({1, 4, 8});
  c.base.machine.device.memory_capacity =
      static_cast<double>(pick({1, 4, 20})) * c.base.machine.device.memory_capacity;
  RC_PRE(physics::check_supported(c.model, c.base.machine).has_value());
  c.space.axes = machine_axes(c.base);
  add_work_axes(c.base.machine, c.space.axes);
  add_plan_axes(c.base.machine, c.space.axes);
  std::int64_t pairs = 1;
  for (const Axis& a : c.space.axes) pairs *= static_cast<std::int64_t>(a.values.size());
  RC_PRE(pairs <= 40000);
  if (one_in(3)) list_points(c.space);
  if (*rc::gen::arbitrary<bool>()) c.space.ring_rule = RingRule::by_phase;
  choose_goals(c.model, c.base, c.space);
  c.options.top = pick({0, 0, 1, 5, 60});
  c.options.per_hardware = *rc::gen::arbitrary<bool>();
  return c;
}

std::string answer(const Case& c, bool plain, int threads) {
  Options options = c.options;
  options.plain = plain;
  options.threads = threads;
  const Result<Exploration> found = explore(c.model, c.base, c.space, options);
  RC_ASSERT(found.has_value());
  return testing::text_of(*found);
}

RC_GTEST_PROP(RandomSpaces, FastSearchEqualsPlainEvaluation, ()) {
  const Case c = any_case();
  RC_ASSERT(testing::first_difference(answer(c, false, 1), answer(c, true, 1)) == "");
}

// What for_each_point yields is what explore counts, and nothing in it is better than `best`.
RC_GTEST_PROP(RandomSpaces, PointsAgreeWithTheAnswer, ()) {
  Case c = any_case();
  c.options.top = 1 << 20;
  const Result<Exploration> found = explore(c.model, c.base, c.space, c.options);
  RC_ASSERT(found.has_value());
  std::vector<std::string> points, top;
  for_each_point(c.model, c.base, c.space, [&](const Point& p) {
    points.push_back(testing::text_of("", p));
    return true;
  });
  for (const Point& p : found->top) top.push_back(testing::text_of("", p));
  std::sort(points.begin(), points.end());
  std::sort(top.begin(), top.end());
  RC_ASSERT(points == top);
  RC_ASSERT(found->best.empty() == points.empty());
}

}  // namespace
}  // namespace ridgeline::explore
