// Resolve: names, files and numbers of a request into one checked Case.
#pragma once

#include <string>
#include <vector>

#include "ridgeline/app/request.h"
#include "ridgeline/base/result.h"
#include "ridgeline/spec/model.h"
#include "ridgeline/spec/scenario.h"

namespace ridgeline::app {

// Something that a reader should know, for `notes`.
struct Note {
  std::string code;
  std::string message;
  std::string where;  // may be empty
};
Json notes_json(const std::vector<Note>& notes);

struct Case {
  Model model;
  Json model_input;  // what `inputs` shows: a registry name, or the config itself
  Scenario scenario;
  std::vector<ScalarField> fields;  // of the scenario's machine
  std::vector<std::string> given;   // paths of plan and workload that the input sets
  std::vector<Note> notes;
};

// Model, machine, workload and plan of `inspect` and `explore`.
Result<Case> resolve_case(const Request& request, const Context& context);

// `value` null: the chiplet machine at its defaults.
Result<Machine> machine_of(const Json* value, const Origins& origins, const Context& context);
Json machine_json(const Machine& machine);

struct NamedModel {
  Model model;
  Json input;
};
// A name, a file or a config inline, at `pointer` of the input. Missing: error `missing`.
Result<NamedModel> model_of(const Json* value, const Origins& origins, const std::string& pointer,
                            const Context& context);

// The `inputs` of a case, everything filled in: model, machine, plan, workload. Fields of the plan
// in `left_out` (paths) are not shown.
Json inputs_of(const Case& c, const std::vector<std::string>& left_out);

// Does the machine say what anything costs in energy?
bool energy_known(const Machine& machine);

// The `basis` of an answer of the chiplet model.
Json basis_of(const Case& c);

}  // namespace ridgeline::app
