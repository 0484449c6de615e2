// fit of serving: does a model fit its devices; if so, how long a context and how large a batch.
#include "ridgeline/app/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ridgeline/app/input.h"
#include "ridgeline/app/json_view.h"
#include "ridgeline/app/messages.h"
#include "ridgeline/base/text.h"

namespace ridgeline::app {
namespace {

namespace fit = solve::fit;
namespace fit_plans = solve::fit_plans;

constexpr std::array kModelWord = {"model"};
constexpr Field kEngine{"engine", FieldKind::text, "",
                        "a serving engine of the registry: what it keeps of the memory"};
constexpr std::array kDegrees = {"tp", "pp", "dp", "cp", "ep", "etp", "pp_layers"};

// The largest registry machine that is offered as the smallest that fits.
constexpr std::int64_t kMostDevices = 72;

struct PhaseInput {
  solve::Pass phase = solve::Pass::infer;

  static constexpr auto fields() {
    return std::tuple(
        field(&PhaseInput::phase, "phase", "", "infer: weights and cache; train: all its states"));
  }
};

const FieldList& fit_fields() {
  static const FieldList kFields = [] {
    FieldList out;
    for (const Field& field : subject_fields()) out.add(field);
    PhaseInput phase;
    out.add(members_of(phase));
    out.add(kEngine);
    fit::Inputs in;
    out.add(members_of(in));
    solve::fit_training::Inputs training;
    out.add(members_of(training));
    return out;
  }();
  return kFields;
}

const FieldList& fit_outputs() {
  static const FieldList kFields = [] {
    FieldList out;
    fit::Output answer;
    out.add(members_of(answer));
    solve::fit_training::Output training;
    out.add(members_of(training));
    out.add({"ranks",
             FieldKind::texts,
             "",
             "devices of a replica; of training, one a stage",
             {},
             "ranks"});
    out.add(
        {"speed", FieldKind::object, "", "of serving one pass, of training a step", {}, "speed"});
    out.add({"changes", FieldKind::texts, "", "of training: what would free most", {}, "changes"});
    out.add({"smallest_machine",
             FieldKind::object,
             "",
             "of the registry, that fits",
             {},
             "smallest_machine"});
    return out;
  }();
  return kFields;
}

const Engine* engine_of(const FitAnswer& fit) {
  return fit.engine ? &*fit.engine : nullptr;
}

// Devices are given and no degree: the plan of them that fits best.
void choose_plan(const Request& request, const solve::Subject& subject, FitAnswer& out) {
  const bool planned = std::any_of(kDegrees.begin(), kDegrees.end(),
                                   [&](const char* name) { return gives(request, name); });
  if (planned || !gives(request, "devices") || subject.machine == nullptr) return;
  const std::int64_t devices = subject.machine->device_count();
  if (devices <= 1) return;
  fit::Inputs& in = out.in;
  const auto plans = fit_plans::plans_on(in, subject, devices, engine_of(out));
  if (plans.rows.empty()) return;
  const fit_plans::Row& best = plans.rows.front();
  in.tp = best.tp;
  in.pp = best.pp;
  in.dp = best.dp;
  in.ep = best.ep;
  in.etp = best.etp;
  out.notes.push_back(
      {"plan_chosen",
       fmt::format("no degrees are given, so one of {} plans on {} devices is taken: "
                   "TP {} PP {} DP {} EP {}",
                   plans.rows.size(), devices, in.tp, in.pp, in.dp, in.ep),
       "/devices"});
}

void find_smallest(const Context& context, const solve::Subject& subject, FitAnswer& out) {
  const bool asked =
      out.in.context && subject.model != nullptr && subject.model->why_no_count.empty();
  if (!asked) return;
  const std::vector<Machine> machines = registry_machines(context, kMostDevices);
  const auto found = fit_plans::smallest_machines(out.in, subject, machines, engine_of(out));
  if (!found.output.smallest) return;
  const fit_plans::Row& row = found.rows[static_cast<std::size_t>(*found.output.smallest)];
  out.smallest = {machines[static_cast<std::size_t>(row.machine)].name, row};
}

void note_unknown(const solve::Subject& subject, FitAnswer& out) {
  const fit::Output& o = out.answer.output;
  if (subject.totals != nullptr) {
    out.notes.push_back({"totals_only",
                         "a model known by its totals has no layers: its cache, activations and "
                         "context are null",
                         "/model"});
  } else if (!o.weights) {
    out.notes.push_back(
        {"weights_unknown",
         fmt::format("parameters and weights are null: {}", subject.model->why_no_count),
         "/model"});
  }
  if (!o.fits) {
    out.notes.push_back({"not_asked",
                         "neither memory nor a pool is given: what depends on them is null",
                         "/memory"});
  }
  const std::int64_t most = subject.model != nullptr ? subject.model->max_context : 0;
  if (most > 0 && out.in.context && *out.in.context > most) {
    out.notes.push_back(
        {"context_beyond_model",
         fmt::format("the model was made for {} tokens of context, {} are asked for", most,
                     *out.in.context),
         "/context"});
  }
}

Result<FitAnswer> ask(const Request& given, const Context& context) {
  Names names(context);
  FitAnswer out;
  RIDGELINE_TRY(const Request request, with_totals(given));
  const std::vector<Member> members = members_of(out.in);
  if (const Status read = read_members(members, request.input, names); !read) {
    return placed(request, read.error());
  }
  RIDGELINE_CHECK(set_devices(request, names));
  RIDGELINE_TRY(const SubjectInput input, subject_of(request, names));
  const solve::Subject subject = input.subject();
  if (gives(request, "engine")) {
    auto engine = names.engine(request.input["engine"]);
    if (!engine) return placed(request, inside_of("/engine", engine.error()));
    out.engine = *engine;
  }
  choose_plan(request, subject, out);
  auto checked = fit::check(out.in, subject, engine_of(out));
  if (!checked) return placed_check(request, members, checked.error());
  out.in = *checked;
  out.model_name = model_name_of(given, input);
  out.machine = input.machine;
  out.answer = fit::solve(out.in, subject, engine_of(out));
  out.speed = fit_plans::speed_of(out.in, subject, out.answer.output);
  find_smallest(context, subject, out);
  note_unknown(subject, out);
  out.inputs = inputs_json(given, members);
  if (out.engine) out.inputs["engine"] = out.engine->name;
  return out;
}

// Which of the two is asked; a field of the other alone is refused.
Result<solve::Pass> phase_of(const Request& request, const Context& context) {
  Names names(context);
  PhaseInput asked;
  if (const Status read = read_members(members_of(asked), request.input, names); !read) {
    return placed(request, read.error());
  }
  const bool trains = asked.phase == solve::Pass::train;
  fit::Inputs serving;
  solve::fit_training::Inputs training;
  const std::vector<Member> own = trains ? members_of(training) : members_of(serving);
  const std::vector<Member> other = trains ? members_of(serving) : members_of(training);
  const auto named = [](const std::vector<Member>& members, const std::string& key) {
    double factor = 0;
    return find_member(members, lower(key), factor) != nullptr;
  };
  for (const auto& [key, value] : request.input.items()) {
    const bool foreign = (named(other, key) && !named(own, key)) || (trains && key == kEngine.name);
    if (!foreign || value.is_null()) continue;
    return Error{ErrorCode::conflict, request.origins.where("/" + key),
                 fmt::format("{} is asked of {}", key, trains ? "serving" : "training"),
                 trains ? "leave it out, or --phase infer" : "add --phase train"};
  }
  return asked.phase;
}

}  // namespace

bool gives(const Request& request, const char* name) {
  const auto it = request.input.find(name);
  return it != request.input.end() && !it->is_null();
}

std::string model_name_of(const Request& request, const SubjectInput& input) {
  if (input.model != nullptr) return input.model->name;
  const auto params = request.input.find("params");
  if (params == request.input.end()) return "model";
  return fmt::format("{} parameters", value_text("params", *params));
}

std::vector<Machine> registry_machines(const Context& context, std::int64_t most_devices) {
  std::vector<Machine> out;
  const auto add = [&](const Result<Machine>& machine) {
    if (!machine || machine->kind != MachineKind::tree) return;
    if (machine->device.memory_capacity.base() <= 0) return;
    if (machine->device_count() <= most_devices) out.push_back(*machine);
  };
  for (const auto kind : {catalog::EntryKind::accelerator, catalog::EntryKind::machine}) {
    for (const std::string& name : context.catalog->names(kind))
      add(context.catalog->machine(name));
  }
  return out;
}

Command fit_command() {
  Command out{"fit",
              "does it fit: weights, KV, longest context, largest batch, smallest machine",
              "ridgeline fit --model llama-3.1-70b --machine H100 --devices 4 --precision fp8 "
              "--context 32k",
              Scope::own,
              fit_fields().fields(),
              kModelWord,
              answer_fit};
  out.outputs = fit_outputs().fields();
  return out;
}

Result<report::Document> answer_fit(const Request& request, const Context& context) {
  RIDGELINE_TRY(const solve::Pass phase, phase_of(request, context));
  if (phase == solve::Pass::train) return answer_fit_training(request, context);
  RIDGELINE_TRY(FitAnswer found, ask(request, context));
  report::Document out;
  Json result = fit_result(found);
  drop_non_finite(result, found.notes);
  out.csv = rows_of(result["ranks"]);
  out.sections = fit_sections(found);
  out.chart = fit_chart(found);
  out.tree =
      envelope("fit", found.inputs, std::move(result), fit_basis(found), notes_json(found.notes));
  out.exit_status = found.good() ? 0 : 3;
  return out;
}

}  // namespace ridgeline::app
