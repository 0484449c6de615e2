// evaluate: one plan, a model on a machine at a site with its work, through all solvers at once.
#include "ridgeline/app/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ridgeline/app/input.h"
#include "ridgeline/app/json_view.h"
#include "ridgeline/physics/setting.h"

namespace ridgeline::app {
namespace {

namespace evaluation = solve::evaluation;

constexpr std::array kPlanWord = {"plan"};

const FieldList& evaluate_outputs() {
  static const FieldList kFields = [] {
    FieldList out;
    evaluation::Output answer;
    out.add(members_of(answer));
    out.add({"scorecard", FieldKind::texts, "", "what binds at each level", {}, "scorecard"});
    out.add({"levers", FieldKind::texts, "", "what a tenth more would change", {}, "levers"});
    out.add({"assertions", FieldKind::texts, "", "of the plan", {}, "assertions"});
    out.add({"uncertainty", FieldKind::object, "", "percentiles and drivers", {}, "uncertainty"});
    return out;
  }();
  return kFields;
}

std::string name_in(const Json& input, const char* key, const char* otherwise) {
  const auto it = input.find(key);
  if (it == input.end()) return otherwise;
  if (it->is_string()) return it->get<std::string>();
  for (const char* inner : {"name", "base"}) {
    if (it->is_object() && it->contains(inner) && (*it)[inner].is_string()) {
      return (*it)[inner].get<std::string>();
    }
  }
  return otherwise;
}

void note_left_out(const evaluation::Inputs& in, std::vector<Note>& notes) {
  const auto note = [&](bool missing, const char* code, const char* message) {
    if (missing) notes.push_back({code, message, ""});
  };
  note(in.training && !in.reliability, "no_failures",
       "nothing is said to fail: the run's time has no losses from failures");
  note(!in.economics.unit_cost && !in.economics.hourly_rental_price, "no_prices",
       "no price of a device is given: cost is null");
  const bool emits =
      in.sustainability.fleet.carbon_intensity || !in.sustainability.intensity_profile.empty();
  note(!emits, "no_site", "no carbon intensity is given: carbon is null");
  note(emits && !in.sustainability.embodied_per_device, "no_embodied",
       "the making of the devices is not counted: embodied carbon is not given");
}

// The count of devices stands beside the machine, not in it.
Error read_error(Error error) {
  if (error.where == "/machine/devices") error.where = "/devices";
  return error;
}

// The first error that distributions, central values or the check meet.
Result<Evaluated> ask(const Request& given, const Context& context) {
  RIDGELINE_TRY(PlanRequest plan, plan_request(given, context));
  const Request& request = plan.request;
  Context local = context;
  local.folders.insert(local.folders.begin(), request.folders.begin(), request.folders.end());
  Names names(local);
  RIDGELINE_CHECK(set_devices(request, names));
  evaluation::Inputs in;
  const std::vector<Member> members = members_of(in);
  if (const Status read = read_members(members, request.input, names); !read) {
    return placed(request, read_error(read.error()));
  }
  if (!request.input.contains("model") || !request.input.contains("machine")) {
    const char* missing = request.input.contains("model") ? "machine" : "model";
    return Error{ErrorCode::missing, request.origins.where(pointer_of(missing)),
                 fmt::format("the plan has no {}", missing), fmt::format("give {}: NAME", missing)};
  }
  if (const Status set = set_central(plan.uncertain, in); !set) {
    return placed(request, set.error());
  }
  auto checked = evaluation::check(in);
  if (!checked) return placed_check(request, members, checked.error());

  Evaluated out;
  out.in = *checked;
  out.title = name_in(request.input, "name", "");
  out.machine = name_in(request.input, "machine", "machine");
  if (out.title.empty()) out.title = name_in(request.input, "model", "model");
  out.out = evaluation::solve(*checked);
  out.levers = evaluation::levers(in, out.out);
  out.scorecard = evaluation::scorecard(out.levers, out.out);
  RIDGELINE_TRY(out.assertions, check_assertions(request, out.out));
  if (!plan.uncertain.inputs.empty()) {
    constexpr double kSeconds = 3e-5;  // of one evaluation
    auto drawn =
        draw_answers(plan.uncertain, in, kSeconds,
                     [](const evaluation::Inputs& sample) -> std::optional<evaluation::Output> {
                       const auto usable = evaluation::check(sample);
                       if (!usable) return std::nullopt;
                       return evaluation::solve(*usable);
                     });
    if (!drawn) return placed(request, drawn.error());
    out.uncertainty = *std::move(drawn);
  }
  out.inputs = inputs_json(request, members_of(*checked));
  for (const char* key : {"name", "assert"}) {
    if (request.input.contains(key)) out.inputs[key] = request.input[key];
  }
  show_uncertain(plan.uncertain, out.inputs);
  out.sources = std::move(plan.sources);
  out.notes = std::move(plan.notes);
  note_left_out(*checked, out.notes);
  return out;
}

Json basis_of(const Evaluated& e) {
  const bool flat = (e.in.training && e.in.training->run.setting.is_flat()) ||
                    (e.in.serving && e.in.serving->load.service.setting.is_flat());
  return {{"level", flat ? "estimate" : "datasheet"},
          {"why", Json::array({flat ? "one efficiency is assumed for all work"
                                    : "rates as stated by the registry, or as given"})},
          {"sources", e.sources},
          {"interval", nullptr}};
}

// One row a number, as tables take them.
Json csv_rows(const Json& result) {
  Json out = Json::array();
  for (const auto& [group, values] : result.items()) {
    if (!values.is_object()) {
      if (!values.is_array()) out.push_back({{"group", ""}, {"key", group}, {"value", values}});
      continue;
    }
    for (const auto& [key, value] : values.items()) {
      if (!value.is_structured()) {
        out.push_back({{"group", group}, {"key", key}, {"value", value}});
      }
    }
  }
  return out;
}

}  // namespace

bool Evaluated::good() const {
  return out.feasible && std::all_of(assertions.begin(), assertions.end(),
                                     [](const Assertion& a) { return a.passes; });
}

Json evaluate_result(const Evaluated& e) {
  evaluation::Output answer = e.out;
  Json out = members_json(members_of(answer));
  out["scorecard"] = Json::array();
  for (evaluation::Binding row : e.scorecard) {
    Json binding = members_json(members_of(row));
    if (row.binds.view().empty()) binding["binds"] = binding["of"] = nullptr;
    out["scorecard"].push_back(std::move(binding));
  }
  out["levers"] = Json::array();
  for (evaluation::Lever lever : e.levers) {
    out["levers"].push_back(members_json(members_of(lever)));
  }
  out["assertions"] = Json::array();
  for (const Assertion& a : e.assertions) {
    out["assertions"].push_back({{"metric", a.metric},
                                 {"condition", a.condition},
                                 {"key", a.key},
                                 {"value", a.value ? number_json(*a.value) : Json(nullptr)},
                                 {"passes", a.passes}});
  }
  if (!e.uncertainty.is_null()) out["uncertainty"] = e.uncertainty;
  return out;
}

Command evaluate_command() {
  Command out{"evaluate",
              "one plan through all solvers: time, memory, failures, cost, energy, carbon, water",
              "ridgeline evaluate examples/training-lead.yaml",
              Scope::own,
              evaluate_fields().fields(),
              kPlanWord,
              answer_evaluate};
  out.outputs = evaluate_outputs().fields();
  return out;
}

Result<report::Document> answer_evaluate(const Request& request, const Context& context) {
  RIDGELINE_TRY(Evaluated found, ask(request, context));
  report::Document out;
  Json result = evaluate_result(found);
  drop_non_finite(result, found.notes);
  out.csv = rows_of(csv_rows(result));
  out.sections = evaluate_sections(found);
  out.tree = envelope("evaluate", found.inputs, std::move(result), basis_of(found),
                      notes_json(found.notes));
  out.exit_status = found.good() ? 0 : 3;
  return out;
}

}  // namespace ridgeline::app
