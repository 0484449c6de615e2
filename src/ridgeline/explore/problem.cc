#include "ridgeline/explore/problem.h"

#include <tuple>

#include "ridgeline/physics/cost.h"

namespace ridgeline::explore {
namespace {

constexpr double kMostPairs = 4611686018427387904.0;  // 2^62
constexpr double kMostPlans = 16777216;               // 2^24: each is held in memory

Error no_value(const ScalarField& field) {
  return {ErrorCode::missing, field.path, "the axis has no value", "give it at least one value"};
}

std::vector<Axis> axes_of(const Space& space, ScalarOwner owner) {
  std::vector<Axis> out;
  for (const Axis& axis : space.axes) {
    if (axis.field.owner == owner) out.push_back(axis);
  }
  return out;
}

double product_of(const std::vector<Axis>& axes) {
  double n = 1;
  for (const Axis& axis : axes) n *= static_cast<double>(axis.values.size());
  return n;
}

Status check_size(const Space& space, const std::vector<Axis>& machine) {
  for (const Axis& axis : space.axes) {
    const bool listed = axis.field.owner == ScalarOwner::machine && !space.hardware_points.empty();
    if (axis.values.empty() && !listed) return no_value(axis.field);
  }
  for (const std::vector<double>& row : space.hardware_points) {
    if (row.size() == machine.size()) continue;
    return Error{ErrorCode::bad_value, "hardware_points",
                 "a row does not have one value per machine axis",
                 "give as many values as there are machine axes"};
  }
  const double plans = product_of(axes_of(space, ScalarOwner::plan));
  const double works = product_of(axes_of(space, ScalarOwner::workload));
  const double points = space.hardware_points.empty()
                            ? product_of(machine)
                            : static_cast<double>(space.hardware_points.size());
  if (plans > kMostPlans || works > kMostPlans) {
    return Error{ErrorCode::out_of_range, "axes", "the space lists too many plans or workloads",
                 "list at most 16777216 of each"};
  }
  if (points * works * plans > kMostPairs) {
    return Error{ErrorCode::out_of_range, "axes", "the space has more than 2^62 pairs",
                 "give fewer values"};
  }
  return Ok{};
}

std::vector<Workload> workloads_of(const Scenario& base, const std::vector<Axis>& axes) {
  std::vector<Workload> out = {base.work};
  for (const Axis& axis : axes) {
    std::vector<Workload> next;
    for (const Workload& work : out) {
      Scenario scenario = base;
      scenario.work = work;
      for (const double value : axis.values) {
        set_scalar(scenario, axis.field, value);
        next.push_back(scenario.work);
      }
    }
    out = std::move(next);
  }
  return out;
}

auto plan_key(const Plan& p) {
  return std::tuple(p.pp, p.dp, p.cp, p.tp, p.ep, p.kv_shard_mode, p.ffn_shard_scope,
                    p.tp_placement, p.cp_placement, p.cp_ring_variant);
}

// -1, 0, 1 as the hardware of a comes before, is like or comes after that of b.
int compare_hardware(const Problem& problem, const Row& a, const Row& b) {
  if (a.hardware == b.hardware) return 0;
  for (std::size_t f = 0; f < problem.hardware_fields.size(); ++f) {
    const double va = problem.hardware_value(a.hardware, f),
                 vb = problem.hardware_value(b.hardware, f);
    if (va != vb) return va < vb ? -1 : 1;
  }
  return a.hardware < b.hardware ? -1 : 1;
}

}  // namespace

double Problem::hardware_value(std::int64_t index, std::size_t field) const {
  const int axis = field_axis[field];
  return axis < 0 ? field_base[field] : hardware.value(index, static_cast<std::size_t>(axis));
}

Result<Problem> resolve_problem(const Model& model, const Scenario& base, const Space& space) {
  const std::vector<Axis> machine = axes_of(space, ScalarOwner::machine);
  RIDGELINE_CHECK(check_size(space, machine));
  Problem p{&model,
            &space,
            space.objectives,
            base,
            Hardware(base.machine, machine, space.hardware_points),
            workloads_of(base, axes_of(space, ScalarOwner::workload)),
            PlanList(base.plan, axes_of(space, ScalarOwner::plan), space.ring_rule),
            hardware_knobs(base.machine),
            {},
            {}};
  if (p.objectives.empty()) p.objectives = Space{}.objectives;
  for (const Axis& axis : machine) {
    bool knob = false;
    for (const ScalarField& field : p.hardware_fields) knob = knob || same_field(field, axis.field);
    if (!knob) p.hardware_fields.push_back(axis.field);
  }
  for (const ScalarField& field : p.hardware_fields) {
    int found = -1;
    for (std::size_t a = 0; a < machine.size(); ++a) {
      if (same_field(machine[a].field, field)) found = static_cast<int>(a);
    }
    p.field_axis.push_back(found);
    p.field_base.push_back(get_scalar(base, field));
  }
  return p;
}

Plan plan_of(const Problem& problem, const Row& row) {
  return problem.plans.at(row.plan, problem.workloads[row.workload].phase);
}

Point point_of(const Problem& problem, const Row& row) {
  Point point;
  point.scenario = {problem.hardware.machine(row.hardware), problem.workloads[row.workload],
                    plan_of(problem, row)};
  for (const ScalarField& field : problem.hardware_fields) {
    point.hardware.push_back(get_scalar(point.scenario, field));
  }
  point.latency_key = row.latency_key;
  point.metrics = row.metrics;
  return point;
}

bool faster_plan(const Problem& problem, const Row& a, const Row& b) {
  if (a.latency_key != b.latency_key) return a.latency_key < b.latency_key;
  const double pa = a.metric(Metric::pes_used), pb = b.metric(Metric::pes_used);
  if (pa != pb) return pa < pb;
  return plan_less(plan_of(problem, a), plan_of(problem, b));
}

bool smaller_plan(const Problem& problem, const Row& a, const Row& b) {
  const auto key = [&](const Row& row) {
    const Plan p = plan_of(problem, row);
    return std::tuple(row.metric(Metric::pes_used), row.metric(Metric::memory_bytes), p.pp, p.tp,
                      p.cp, plan_key(p));
  };
  return key(a) < key(b);
}

bool row_less(const Problem& problem, const Row& a, const Row& b) {
  if (a.latency_key != b.latency_key) return a.latency_key < b.latency_key;
  if (a.cost() != b.cost()) return a.cost() < b.cost();
  if (const int order = compare_hardware(problem, a, b); order != 0) return order < 0;
  if (a.workload != b.workload) return a.workload < b.workload;
  return faster_plan(problem, a, b);
}

double objective_value(const Row& row, const Objective& objective) {
  const auto key = static_cast<double>(row.latency_key);
  double value = row.metric(objective.metric);
  if (objective.metric == Metric::latency_s) value = key;
  if (objective.metric == Metric::tokens_per_s) value = row.tokens / key;
  if (objective.metric == Metric::tokens_per_s_per_pe) {
    value = row.tokens / key / row.metric(Metric::pes_used);
  }
  return objective.sense == Sense::maximize ? -value : value;
}

bool better_row(const Problem& problem, const Row& a, const Row& b) {
  const Objective& first = problem.objectives.front();
  const double va = objective_value(a, first), vb = objective_value(b, first);
  return va != vb ? va < vb : row_less(problem, a, b);
}

bool needs_latency(Metric metric) {
  switch (metric) {
    case Metric::latency_s:
    case Metric::tokens_per_s:
    case Metric::tokens_per_s_per_pe:
    case Metric::energy_j:
    case Metric::energy_j_per_token: return true;
    default: return false;
  }
}

bool of_hardware(Metric metric) {
  return metric == Metric::cost_score;
}

bool holds(const Constraint& constraint, double value) {
  switch (constraint.comparison) {
    case Comparison::less: return value < constraint.value;
    case Comparison::less_equal: return value <= constraint.value;
    case Comparison::greater: return value > constraint.value;
    case Comparison::greater_equal: return value >= constraint.value;
    case Comparison::equal: return value == constraint.value;
    case Comparison::not_equal: return value != constraint.value;
  }
  return false;
}

ConstraintSets sort_constraints(std::span<const Constraint> all) {
  ConstraintSets sets;
  for (const Constraint& c : all) {
    if (!c.on_metric) {
      const ScalarOwner owner = c.field.owner;
      (owner == ScalarOwner::machine    ? sets.hardware
       : owner == ScalarOwner::workload ? sets.workload
                                        : sets.plan)
          .push_back(c);
    } else if (of_hardware(c.metric)) {
      sets.hardware.push_back(c);
    } else if (c.metric == Metric::pes_used || c.metric == Metric::memory_bytes) {
      sets.plan.push_back(c);
    } else {
      sets.pair.push_back(c);
    }
  }
  return sets;
}

bool hardware_allowed(const Problem& problem, std::span<const Constraint> constraints,
                      std::int64_t hardware) {
  if (constraints.empty()) return true;
  const Scenario scenario{problem.hardware.machine(hardware), {}, {}};
  for (const Constraint& c : constraints) {
    const double value =
        c.on_metric ? problem.hardware.cost(hardware) : get_scalar(scenario, c.field);
    if (!holds(c, value)) return false;
  }
  return true;
}

bool workload_allowed(std::span<const Constraint> constraints, const Workload& work) {
  const Scenario scenario{{}, work, {}};
  for (const Constraint& c : constraints) {
    if (!holds(c, get_scalar(scenario, c.field))) return false;
  }
  return true;
}

bool plan_allowed(std::span<const Constraint> constraints, const Plan& plan, const Step& step) {
  if (constraints.empty()) return true;
  const Scenario scenario{{}, {}, plan};
  for (const Constraint& c : constraints) {
    double value = 0;
    if (!c.on_metric) {
      value = get_scalar(scenario, c.field);
    } else {
      value = static_cast<double>(c.metric == Metric::pes_used ? step.layout.devices_used
                                                               : step.memory.total());
    }
    if (!holds(c, value)) return false;
  }
  return true;
}

bool pair_allowed(std::span<const Constraint> constraints, const Row& row) {
  for (const Constraint& c : constraints) {
    if (!holds(c, row.metric(c.metric))) return false;
  }
  return true;
}

}  // namespace ridgeline::explore
