#include "ridgeline/app/inspect.h"

#include <fmt/format.h>

#include "ridgeline/app/command.h"
#include "ridgeline/app/input.h"
#include "ridgeline/app/messages.h"
#include "ridgeline/base/integers.h"
#include "ridgeline/physics/lower.h"
#include "ridgeline/physics/memory.h"

namespace ridgeline::app {
namespace {

// Which degree a reason that is an error on tree machines speaks of.
const char* degree_of(InvalidReason reason) {
  switch (reason) {
    case InvalidReason::pp_gt_layers: return "/plan/pp";
    case InvalidReason::cp_gt_s_kv: return "/plan/cp";
    case InvalidReason::ep_without_experts:
    case InvalidReason::ep_not_dividing_experts:
    case InvalidReason::ep_not_dividing_ffn_copies: return "/plan/ep";
    default: return "/plan/tp";
  }
}

// The degree of `plan` to name where all of them are at fault together: the largest.
const char* largest_degree(const Plan& plan) {
  const char* name = "/plan/tp";
  std::int64_t most = plan.tp;
  const auto consider = [&](std::int64_t degree, const char* other) {
    if (degree > most) {
      most = degree;
      name = other;
    }
  };
  consider(plan.cp, "/plan/cp");
  consider(plan.pp, "/plan/pp");
  consider(plan.dp, "/plan/dp");
  return name;
}

// On a tree machine degrees that cannot be are wrong input; the chiplet machine answers with
// reasons.
Status check_degrees(const Inspection& in, const Origins& origins) {
  if (in.c.scenario.machine.kind == MachineKind::chiplet || in.valid()) return Ok{};
  const InvalidReason reason = in.step.layout.invalid_reasons[0];
  const bool together = reason == InvalidReason::not_enough_devices ||
                        reason == InvalidReason::group_not_whole_levels;
  const char* pointer = together ? largest_degree(in.c.scenario.plan) : degree_of(reason);
  return Error{ErrorCode::out_of_range, origins.where(pointer), message_of(reason),
               fmt::format("{} has {} devices; lower the degree, or make it a divisor",
                           in.c.scenario.machine.name, in.c.scenario.machine.device_count())};
}

double cost_score(const Machine& machine) {
  if (machine.kind == MachineKind::chiplet) return chiplet_cost_score(machine);
  return static_cast<double>(hardware_knobs(machine).size());
}

// Why the answer is no, or why a number is null.
void note_outcome(Inspection& in) {
  std::string reasons;
  for (const InvalidReason reason : in.step.layout.invalid_reasons) {
    reasons += fmt::format("{}{}", reasons.empty() ? "" : "; ", message_of(reason));
  }
  if (!in.valid()) {
    in.c.notes.push_back(
        {"placement_invalid", "latency and objectives are null: " + reasons, "/plan"});
  }
  if (in.fits) return;
  const std::int64_t lacking = in.step.memory.total() - in.capacity_bytes;
  in.c.notes.push_back(
      {"does_not_fit",
       fmt::format("the fullest device lacks {}", bytes_text(static_cast<double>(lacking))),
       "/plan"});
}

HintPatch tried(const Inspection& in, advise::Patch patch) {
  if (patch.empty()) return {};
  const advise::Effect after = advise::effect_of(in.c.model, advise::patched(in.c.scenario, patch));
  return {std::move(patch), after};
}

void try_patches(Inspection& in) {
  in.now = {in.valid(), in.fits, in.objectives.latency_s, in.step.memory.total()};
  for (const advise::Hint& hint : in.hints) {
    in.patches.push_back(tried(in, advise::patch_of(in.c.model, in.c.scenario, in.c.fields, hint)));
  }
  if (in.good()) return;
  for (advise::Patch& patch : advise::mends_of(in.c.model, in.c.scenario, in.c.fields)) {
    in.mends.push_back(tried(in, std::move(patch)));
  }
}

Result<InspectDetail> detail_of(const Request& request, const Plan& plan) {
  RIDGELINE_TRY(const Command* command, find_command(request.command));
  const InputReader reader(request.input, request.origins, *command);
  InspectDetail out;
  RIDGELINE_TRY(out.devices, reader.toggle("topology"));
  RIDGELINE_TRY(out.formulas, reader.toggle("formulas"));
  const std::int64_t ranks = saturating_product(saturating_product(plan.tp, plan.cp), plan.dp);
  RIDGELINE_TRY(out.rank, reader.count("rank", 0, ranks - 1));
  return out;
}

}  // namespace

Result<Inspection> inspect(Case c, const Origins& origins) {
  if (const auto status = physics::check_supported(c.model, c.scenario.machine); !status) {
    return origins.placed(status.error(), "/model");
  }
  Inspection in;
  in.c = std::move(c);
  const Model& model = in.c.model;
  const auto& [machine, work, plan] = in.c.scenario;
  physics::Lowering lowering(model, machine, work);
  lowering.lower(plan, in.step);
  RIDGELINE_CHECK(check_degrees(in, origins));
  in.rates = physics::rates_of(machine, work.activation_precision);
  in.capacity_bytes = static_cast<std::int64_t>(physics::usable_bytes(machine));
  in.fits = static_cast<double>(in.step.memory.total()) <= physics::usable_bytes(machine);
  if (in.valid()) {
    const auto facts = physics::facts_of(in.step, machine, work, plan.tp * plan.cp * plan.dp);
    in.objectives = physics::objectives_of(facts, physics::latency_s(in.step, in.rates),
                                           cost_score(machine), machine.device.static_power);
  }
  in.replication = advise::replication_of(model, work, plan, in.step);
  in.hints = advise::hints_of(model, machine, work, plan, in.step);
  in.shards = advise::shards_of(model, work, plan);
  in.placement = physics::place(machine, physics::placement_facts(model, work), plan);
  try_patches(in);
  note_outcome(in);
  return in;
}

Result<report::Document> answer_inspect(const Request& request, const Context& context) {
  RIDGELINE_TRY(Case c, resolve_case(request, context));
  RIDGELINE_TRY(const InspectDetail detail, detail_of(request, c.scenario.plan));
  RIDGELINE_TRY(Inspection in, inspect(std::move(c), request.origins));
  in.detail = detail;
  report::Document out;
  out.tree = {{"ridgeline", RIDGELINE_VERSION}, {"command", "inspect"},
              {"inputs", inputs_of(in.c, {})},  {"result", inspect_result(in)},
              {"basis", basis_of(in.c)},        {"notes", notes_json(in.c.notes)}};
  out.sections = inspect_sections(in);
  out.csv = inspect_rows(in);
  out.chart = inspect_chart(in);
  out.exit_status = in.good() ? 0 : 3;
  return out;
}

}  // namespace ridgeline::app
