// fit of training: does a step fit its devices; what frees most; how fast; the smallest machine.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ridgeline/app/fit.h"
#include "ridgeline/app/json_view.h"
#include "ridgeline/app/messages.h"

namespace ridgeline::app {
namespace {

namespace fit_training = solve::fit_training;
namespace memory = solve::training_memory;

constexpr std::array kDegrees = {"tp", "pp", "dp", "cp", "ep", "etp", "pp_layers"};

// The largest registry machine that is offered as the smallest that fits.
constexpr std::int64_t kMostDevices = 4096;

const char* name_of(physics::Recompute recompute) {
  return names_of(recompute)[static_cast<std::size_t>(recompute)];
}

// What the caller leaves to us: degrees where devices are there and none is given, and with them
// how states are shared out and what is recomputed.
fit_training::Open open_of(const Request& request, const std::optional<Machine>& machine) {
  const bool planned = std::any_of(kDegrees.begin(), kDegrees.end(),
                                   [&](const char* name) { return gives(request, name); });
  const bool several = machine && machine->device_count() > 1;
  fit_training::Open open;
  open.degrees = !planned && several;
  open.zero = open.degrees && !gives(request, "zero_stage");
  open.recompute = open.degrees && !gives(request, "activation_checkpointing");
  open.micro_batches = !gives(request, "microbatch_count");
  return open;
}

void choose_plan(const fit_training::Open& open, const solve::Subject& subject,
                 const Cluster* cluster, TrainingFit& out) {
  if (!open.degrees && !open.micro_batches) return;
  memory::Inputs& t = out.in.training;
  const std::int64_t devices =
      open.degrees ? subject.machine->device_count() : t.tp * t.pp * t.dp * t.cp;
  const auto chosen = fit_training::choose(out.in, subject, devices, open, cluster);
  if (!chosen) return;
  if (open.degrees) {
    out.notes.push_back(
        {"plan_chosen",
         fmt::format("no degrees are given, so the fastest plan that fits {} devices is taken: "
                     "TP {} PP {} DP {} EP {}, ZeRO {}, recomputation {}",
                     devices, t.tp, t.pp, t.dp, t.ep, t.zero_stage,
                     name_of(t.activation_checkpointing)),
         "/devices"});
  }
  if (open.micro_batches && t.microbatch_count > 1) {
    out.notes.push_back(
        {"micro_batches_chosen",
         fmt::format("microbatch_count is not given: {}, of one sequence each", t.microbatch_count),
         "/microbatch_count"});
  }
}

void note_unknown(const solve::Subject& subject, TrainingFit& out) {
  const memory::Inputs& t = out.in.training;
  if (!t.batch_size || !t.seq_len) {
    out.notes.push_back({"states_alone",
                         "without batch_size and seq_len only weights, gradients and optimizer "
                         "are counted; speed and longest sequence are null",
                         t.batch_size ? "/seq_len" : "/batch_size"});
  }
  if (!out.answer.output.fits) {
    out.notes.push_back({"not_asked",
                         "neither memory nor machine is given: what depends on them "
                         "is null",
                         "/memory"});
  }
  if (subject.model != nullptr && !subject.model->why_no_count.empty()) {
    out.notes.push_back(
        {"weights_unknown",
         fmt::format("parameters and weights are null: {}", subject.model->why_no_count),
         "/model"});
  }
}

void find_smallest(const Context& context, const solve::Subject& subject,
                   const fit_training::Open& open, TrainingFit& out) {
  const memory::Inputs& t = out.in.training;
  if (!t.batch_size || !t.seq_len) return;
  fit_training::Open all = open;
  all.zero = all.recompute = true;
  const std::vector<Machine> machines = registry_machines(context, kMostDevices);
  const auto found = fit_training::smallest_machine(out.in, subject, machines, all);
  if (found) out.smallest = {machines[found->machine].name, found->choice};
}

Result<std::optional<Cluster>> cluster_of(const Request& request, Names& names) {
  std::optional<Cluster> out;
  if (!gives(request, "machine")) return out;
  RIDGELINE_TRY(out, names.cluster(request.input["machine"]));
  return out;
}

Result<TrainingFit> ask(const Request& given, const Context& context) {
  Names names(context);
  TrainingFit out;
  RIDGELINE_TRY(const Request request, with_totals(given));
  const std::vector<Member> members = members_of(out.in);
  if (const Status read = read_members(members, request.input, names); !read) {
    return placed(request, read.error());
  }
  RIDGELINE_CHECK(set_devices(request, names));
  RIDGELINE_TRY(const SubjectInput input, subject_of(request, names));
  const solve::Subject subject = input.subject();
  RIDGELINE_TRY(const std::optional<Cluster> cluster, cluster_of(request, names));
  const Cluster* links = cluster ? &*cluster : nullptr;
  const auto open = open_of(request, input.machine);
  auto checked = fit_training::check(out.in, subject);
  if (!checked) return placed_check(request, members, checked.error());
  choose_plan(open, subject, links, out);
  checked = fit_training::check(out.in, subject);
  if (!checked) return placed_check(request, members, checked.error());
  out.in = *checked;
  out.model_name = model_name_of(given, input);
  out.machine = input.machine;
  out.answer = fit_training::solve(out.in, subject);
  if (links != nullptr) out.speed = fit_training::speed_of(out.in, subject, *links);
  out.changes = fit_training::changes(out.in, subject, links);
  find_smallest(context, subject, open, out);
  note_unknown(subject, out);
  out.inputs = inputs_json(given, members);
  out.inputs["phase"] = "train";
  return out;
}

template <class S>
Json json_of(S value) {
  return members_json(members_of(value));
}

Json stage_json(const TrainingFit& fit, const memory::Stage& stage) {
  const memory::Inputs& t = fit.in.training;
  const solve::fit_training::Output& o = fit.answer.output;
  Json out = json_of(stage);
  out["rank"] = stage.stage * t.tp * t.cp;
  out["kv_cache_bytes"] = 0;
  out["runtime_bytes"] = o.runtime.base();
  out["total_bytes"] = stage.total->base() + o.runtime.base();
  out["capacity_bytes"] = o.usable ? Json(o.usable->base()) : Json(nullptr);
  return out;
}

Json result_of(const TrainingFit& fit) {
  Json out = json_of(fit.answer.output);
  Json ranks = Json::array(), changes = Json::array();
  for (const memory::Stage& stage : fit.answer.rows) ranks.push_back(stage_json(fit, stage));
  for (const fit_training::Change& change : fit.changes) changes.push_back(json_of(change));
  out["ranks"] = std::move(ranks);
  out["speed"] = fit.speed ? json_of(*fit.speed) : Json(nullptr);
  out["changes"] = std::move(changes);
  out["smallest_machine"] = nullptr;
  if (!fit.smallest) return out;
  out["smallest_machine"] = {{"name", fit.smallest->machine}};
  out["smallest_machine"].update(json_of(fit.smallest->choice));
  return out;
}

Json basis_of(const TrainingFit& fit) {
  const auto level = fit.speed ? fit.speed->basis : physics::Basis::estimate;
  Json sources = Json::array();
  if (fit.machine) sources.push_back({{"field", "machine"}, {"source", fit.machine->name}});
  return {{"level", names_of(level)[static_cast<std::size_t>(level)]},
          {"why",
           {"states are counted from the model's layers; activations, buffers and runtime "
            "are estimates"}},
          {"sources", std::move(sources)},
          {"interval", nullptr}};
}

report::Chart chart_of(const TrainingFit& fit) {
  report::StackedBars out;
  out.title = "Memory of a device of each stage";
  out.axis_title = "bytes";
  out.parts = {"weights", "gradients", "optimizer", "activations",
               "working", "buffers",   "logits",    "runtime"};
  constexpr std::size_t kMost = 32;
  for (std::size_t i = 0; i < std::min(fit.answer.rows.size(), kMost); ++i) {
    const memory::Stage& s = fit.answer.rows[i];
    report::StackedBars::Row row;
    row.label = fmt::format("stage {}", s.stage);
    for (const auto& part : {s.weights, s.gradients, s.optimizer, s.activations, s.working,
                             s.buffers, s.logits, std::optional(fit.answer.output.runtime)}) {
      row.values.push_back(part ? part->base() : 0);
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

}  // namespace

Result<report::Document> answer_fit_training(const Request& request, const Context& context) {
  RIDGELINE_TRY(TrainingFit found, ask(request, context));
  report::Document out;
  Json result = result_of(found);
  drop_non_finite(result, found.notes);
  out.csv = rows_of(result["ranks"]);
  out.sections = training_sections(found);
  out.chart = chart_of(found);
  out.tree =
      envelope("fit", found.inputs, std::move(result), basis_of(found), notes_json(found.notes));
  out.exit_status = found.good() ? 0 : 3;
  return out;
}

}  // namespace ridgeline::app
