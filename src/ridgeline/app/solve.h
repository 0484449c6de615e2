// Solve: any solver of solve/all.h, run from a request and told without its types.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ridgeline/app/derived.h"
#include "ridgeline/app/request.h"
#include "ridgeline/base/result.h"

namespace ridgeline::app {

// A value of an answer with what it means.
struct Term {
  std::string key;
  std::string symbol;
  std::string help;
  Json value;
  Dim dim;
  double unit = 1;  // base units per unit of the key
};
std::vector<Term> terms_of(std::span<const Member> members);

struct Solved {
  Json inputs;
  Json result;
  std::vector<Term> in, out;
  Json rows = Json::array();
  std::string rows_name;
  std::string basis;             // of `basis.level`
  Json sources = Json::array();  // of `basis.sources`
  bool good = true;
  std::vector<Note> notes;
  Json uncertainty;  // null: nothing is uncertain
  Json levers;       // null: not asked for
};

struct SolverEntry {
  std::string name;
  const char* card = "";
  FieldList fields, outputs;
  std::vector<Term> in;  // defaults, for the glossary
  std::function<Result<Solved>(const Request& request, const Context& context)> run;
};

// In the order of the list of solvers.
std::span<const SolverEntry> solver_entries();

}  // namespace ridgeline::app
