// Evaluate: one plan through all solvers. Read by evaluate_plan.cc, asked by evaluate.cc, described
// by evaluate_text.cc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridgeline/app/derived.h"
#include "ridgeline/app/uncertain.h"
#include "ridgeline/report/document.h"
#include "ridgeline/solve/evaluation.h"
#include "ridgeline/solve/evaluation_levers.h"

namespace ridgeline::app {

// What the plan says must hold: "ttft_s" and "< 0.5".
struct Assertion {
  std::string metric;
  std::string condition;
  std::string key;  // as results print it, "performance.ttft_s"
  std::optional<double> value;
  bool passes = false;
};

struct PlanRequest {
  Request request;  // with the plan's file read, and names of facts replaced by their numbers
  Uncertain uncertain;
  Json sources = Json::array();
  std::vector<Note> notes;
};

// The fields of a plan, in the order in which they are shown.
const FieldList& evaluate_fields();

// Reads the plan's file, if one is named; spreads what concerns all parts over them; fills in what
// registries know. Errors name what is unknown or follows from another part.
Result<PlanRequest> plan_request(const Request& request, const Context& context);

// A plan of mlsysim in our words. Errors name what has no counterpart.
Result<Json> from_mlsysim(const Json& plan);

// Checks the plan's assertions against its answer.
Result<std::vector<Assertion>> check_assertions(const Request& request,
                                                const solve::evaluation::Output& out);

struct Evaluated {
  std::string title, machine;
  solve::evaluation::Inputs in;  // as used
  solve::evaluation::Output out;
  std::vector<solve::evaluation::Lever> levers;
  Few<solve::evaluation::Binding, solve::evaluation::kLevels> scorecard;
  std::vector<Assertion> assertions;
  Json uncertainty;  // null: nothing is uncertain
  Json inputs;
  Json sources;
  std::vector<Note> notes;

  bool good() const;
};

Json evaluate_result(const Evaluated& evaluated);
std::vector<report::Section> evaluate_sections(const Evaluated& evaluated);

}  // namespace ridgeline::app
