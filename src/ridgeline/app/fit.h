// Fit: does a model fit its devices. Serving is asked in fit.cc and described by fit_json.cc and
// fit_text.cc, training asked in fit_training.cc and described by fit_training_text.cc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridgeline/app/derived.h"
#include "ridgeline/report/document.h"
#include "ridgeline/solve/fit.h"
#include "ridgeline/solve/fit_plans.h"
#include "ridgeline/solve/fit_training.h"
#include "ridgeline/spec/engine.h"

namespace ridgeline::app {

struct FitAnswer {
  std::string model_name;
  solve::fit::Inputs in;  // as used
  solve::Answer<solve::fit::Output, solve::fit::Rank> answer;
  std::optional<Machine> machine;
  std::optional<Engine> engine;
  std::optional<solve::fit_plans::Speed> speed;

  struct Smallest {
    std::string machine;
    solve::fit_plans::Row row;
  };
  std::optional<Smallest> smallest;  // of the registry
  Json inputs;
  std::vector<Note> notes;

  bool good() const { return answer.output.fits.value_or(true); }
};

struct TrainingFit {
  std::string model_name;
  solve::fit_training::Inputs in;  // as used
  solve::Answer<solve::fit_training::Output, solve::training_memory::Stage> answer;
  std::optional<Machine> machine;
  std::optional<solve::fit_training::Speed> speed;
  std::vector<solve::fit_training::Change> changes;

  struct Smallest {
    std::string machine;
    solve::fit_training::Choice choice;
  };
  std::optional<Smallest> smallest;  // of the registry
  Json inputs;
  std::vector<Note> notes;

  bool good() const { return answer.output.fits.value_or(true); }
};

Result<report::Document> answer_fit_training(const Request& request, const Context& context);
std::vector<report::Section> training_sections(const TrainingFit& fit);

// What both ask.
bool gives(const Request& request, const char* name);
std::string model_name_of(const Request& request, const SubjectInput& input);

// One device or node of every kind in the registry, of at most so many devices.
std::vector<Machine> registry_machines(const Context& context, std::int64_t most_devices);

Json fit_result(const FitAnswer& fit);
Json fit_basis(const FitAnswer& fit);
std::vector<report::Section> fit_sections(const FitAnswer& fit);
report::Chart fit_chart(const FitAnswer& fit);

}  // namespace ridgeline::app
