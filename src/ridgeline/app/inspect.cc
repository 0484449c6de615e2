#include "ridgeline/app/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "ridgeline/app/command.h"
#include "ridgeline/app/input.h"
#include "ridgeline/app/json_view.h"
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

void try_patches(physics::Lowering& lowering, Inspection& in) {
  advise::Tries tries(lowering, in.c.scenario, in.c.fields);
  const auto tried = [&](const advise::Patch& patch) {
    return patch.empty() ? HintPatch{} : HintPatch{patch, tries.effect_of(patch)};
  };
  in.now = tries.now();
  for (const advise::Hint& hint : in.hints) in.patches.push_back(tried(tries.patch_of(hint)));
  if (in.good()) return;
  for (const advise::Patch& patch : tries.mends()) in.mends.push_back(tried(patch));
}

// All parts, unless the input says which.
Status read_parts(const InputReader& reader, const Origins& origins, InspectDetail& out) {
  RIDGELINE_TRY(const std::vector<std::string> wanted, reader.texts("parts"));
  if (!reader.has("parts")) return Ok{};
  const auto names = names_of(InspectPart{});
  for (std::size_t i = 0; i < names.size(); ++i) {
    out.parts[i] = std::find(wanted.begin(), wanted.end(), names[i]) != wanted.end();
  }
  for (const std::string& part : wanted) {
    if (part == "none" || std::find(names.begin(), names.end(), part) != names.end()) continue;
    return Error{ErrorCode::bad_value, origins.where("/parts"),
                 fmt::format("\"{}\" is no part that can be left out", part.substr(0, 40)),
                 fmt::format("give some of {}, or none", fmt::join(names, ", "))};
  }
  return Ok{};
}

Result<InspectDetail> detail_of(const Request& request, const Plan& plan) {
  RIDGELINE_TRY(const Command* command, find_command(request.command));
  const InputReader reader(request.input, request.origins, *command);
  InspectDetail out;
  RIDGELINE_TRY(out.devices, reader.toggle("topology"));
  RIDGELINE_TRY(out.formulas, reader.toggle("formulas"));
  const std::int64_t ranks = saturating_product(saturating_product(plan.tp, plan.cp), plan.dp);
  RIDGELINE_TRY(out.rank, reader.count("rank", 0, ranks - 1));
  RIDGELINE_CHECK(read_parts(reader, request.origins, out));
  return out;
}

}  // namespace

Result<Inspection> inspect(Case c, const InspectDetail& detail, const Origins& origins) {
  if (const auto status = physics::check_supported(c.model, c.scenario.machine); !status) {
    return origins.placed(status.error(), "/model");
  }
  Inspection in;
  in.c = std::move(c);
  in.detail = detail;
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
  if (detail.has(InspectPart::effects)) try_patches(lowering, in);
  note_outcome(in);
  return in;
}

Result<report::Document> answer_inspect(const Request& request, const Context& context) {
  RIDGELINE_TRY(Case c, resolve_case(request, context));
  RIDGELINE_TRY(const InspectDetail detail, detail_of(request, c.scenario.plan));
  RIDGELINE_TRY(Inspection found, inspect(std::move(c), detail, request.origins));
  const auto in = std::make_shared<const Inspection>(std::move(found));
  report::Document out;
  out.exit_status = in->good() ? 0 : 3;
  out.tree =
      envelope("inspect", inputs_of(in->c, {}), nullptr, basis_of(in->c), notes_json(in->c.notes));
  out.result = [in](report::JsonWriter& json) { write_inspect_result(*in, json); };
  if (request.format == report::Format::json) return out;
  out.sections = inspect_sections(*in);
  out.csv = inspect_rows(*in);
  out.chart = inspect_chart(*in);
  return out;
}

}  // namespace ridgeline::app
