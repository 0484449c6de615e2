// Fit: does a model fit its devices. Asked here, described by fit_json.cc and fit_text.cc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridgeline/app/derived.h"
#include "ridgeline/report/document.h"
#include "ridgeline/solve/fit.h"
#include "ridgeline/solve/fit_plans.h"
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

Json fit_result(const FitAnswer& fit);
Json fit_basis(const FitAnswer& fit);
std::vector<report::Section> fit_sections(const FitAnswer& fit);
report::Chart fit_chart(const FitAnswer& fit);

}  // namespace ridgeline::app
