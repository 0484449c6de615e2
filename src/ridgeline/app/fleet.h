// Fleet: explore over machines and sites, with money, energy, carbon and water among the
// objectives; of serving or of a training run. What is asked is read in fleet_request.cc, searched
// in fleet.cc, described by fleet_json.cc and fleet_text.cc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridgeline/app/derived.h"
#include "ridgeline/app/explore.h"
#include "ridgeline/explore/fleet.h"
#include "ridgeline/explore/fleet_training.h"

namespace ridgeline::app {

struct FleetSearch {
  struct Machine {
    std::string name;
    Search search;                                  // the case; of serving its pairs
    std::optional<Cluster> cluster;                 // of training
    std::vector<explore::TrainingCandidate> plans;  // of training
  };
  struct Site {
    std::string name;  // empty: none is named
    Json given;        // an object, or the name
  };
  std::optional<double> train_tokens;  // of a run; none: serving
  std::vector<Machine> machines;
  std::vector<Site> sites;
  std::vector<explore::Terms> terms;  // of machine i at site j: i x sites + j
  std::vector<explore::FleetObjective> objectives;
  std::vector<explore::FleetRow> front;
  std::vector<explore::FleetRow> places;  // of each machine and site, the least second objective
  std::vector<explore::FleetSensitivity> sensitivity;  // of the first row
  std::int64_t evaluated_count = 0, feasible_count = 0;
  double elapsed_s = 0;
  Json inputs;
  Json sources = Json::array();
  std::vector<Note> notes;

  bool trains() const { return train_tokens.has_value(); }
  bool has_site_names() const { return !sites.front().name.empty(); }
  const explore::Terms& terms_of(std::size_t machine, std::size_t site) const {
    return terms[machine * sites.size() + site];
  }
  const explore::Point& point_of(const explore::FleetRow& row) const {
    return machines[row.machine].search.found.pareto[row.candidate];
  }
  const explore::TrainingCandidate& plan_of(const explore::FleetRow& row) const {
    return machines[row.machine].plans[row.candidate];
  }
  // Of a run: how often it takes a million tokens, and a step.
  double millions() const { return *train_tokens / 1e6; }
  double steps(const explore::FleetRow& row) const { return *train_tokens / row.pass.tokens; }
};

// ---- what is asked (fleet_request.cc)

// Does the request ask about machines, sites or what they cost?
bool asks_about_fleet(const Request& request);

// The fields of explore that only this reads.
std::span<const Field> fleet_fields();

Json list_of(const Json& input, const char* key);
Result<std::vector<explore::FleetObjective>> fleet_objectives(const Request& request, bool trains);
Result<std::optional<double>> train_tokens_of(const Request& request, const Context& context);
Status read_sites(const Request& request, FleetSearch& out);

// What the search of one machine is asked: no machines, sites or terms.
Request request_for(const Request& request, const Json& machine);

// The terms of a machine at a site: the site's own numbers, those given for all, the registry's.
// Their sources are added to `out`.
Result<explore::Terms> fleet_terms(const Request& request, const FleetSearch::Machine& machine,
                                   const FleetSearch::Site& site, const Context& context,
                                   FleetSearch& out);

// ---- the answer

Result<report::Document> answer_fleet(const Request& request, const Context& context);
Json fleet_inputs(const Request& request, const FleetSearch& found);
Json fleet_result(const FleetSearch& found);
std::vector<report::Section> fleet_sections(const FleetSearch& found);
report::Chart fleet_chart(const FleetSearch& found);

// The key of an objective, such as "usd_per_million_tokens" or, of a run, "usd_per_run".
std::string fleet_key(const explore::FleetObjective& objective, bool trains);
std::string run_key(explore::FleetMetric metric);

}  // namespace ridgeline::app
