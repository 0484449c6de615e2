// What a fleet search is asked: objectives, sites, and the terms of each machine at each site.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ridgeline/app/conditions.h"
#include "ridgeline/app/facts.h"
#include "ridgeline/app/fleet.h"
#include "ridgeline/app/input.h"
#include "ridgeline/base/text.h"

namespace ridgeline::app {
namespace {

using explore::FleetMetric;
using explore::FleetObjective;
using explore::Terms;

constexpr std::array kFields = {
    Field{"machines", FieldKind::texts, "", "machines of the registry, to be compared"},
    Field{"sites", FieldKind::texts, "",
          "sites or grids of the registry, for PUE, water, carbon and price of their power"},
};
constexpr std::size_t kMostSites = 128;
constexpr std::string_view kRunTime = "run_time_s";

struct RunInput {
  std::optional<double> train_tokens;

  static constexpr auto fields() {
    return std::tuple(field(&RunInput::train_tokens, "train_tokens", "",
                            "of a training run, batch sequences of the context a step"));
  }
};

std::optional<FleetMetric> fleet_metric_named(std::string_view name, bool trains) {
  const std::string typed = snake(lower(name));
  constexpr std::string_view kGrams = "gco2e_per_million_tokens";  // shown by its own prefix
  if (typed == kGrams) return FleetMetric::kgco2e_per_million_tokens;
  const auto names = names_of(FleetMetric{});
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto metric = static_cast<FleetMetric>(i);
    if (typed == names[i] || (trains && typed == run_key(metric))) return metric;
  }
  return std::nullopt;
}

// The name behind a verb: "minimize usd_per_million_tokens", {"minimize": ...}.
std::string name_in(const Json& objective, bool& maximizes) {
  std::string text;
  if (objective.is_object() && objective.size() == 1 && objective.begin()->is_string()) {
    text = objective.begin().key() + " " + objective.begin()->get<std::string>();
  } else if (objective.is_string()) {
    text = objective.get<std::string>();
  }
  const std::size_t space = text.find_first_of(" :");
  const std::string verb = lower(text.substr(0, space));
  maximizes = verb == "maximize" || verb == "max";
  const bool minimizes = verb == "minimize" || verb == "min";
  return space != std::string::npos && (maximizes || minimizes) ? text.substr(space + 1) : text;
}

Result<FleetObjective> objective_at(const Json& given, bool trains) {
  bool maximizes = false;
  const std::string name = name_in(given, maximizes);
  const auto metric = fleet_metric_named(name, trains);
  if (metric && maximizes) {
    return Error{ErrorCode::bad_value, "", "less of it is better, always", "minimize it"};
  }
  if (metric) return FleetObjective{.of_fleet = true, .plain = {}, .fleet = *metric};
  if (trains && snake(lower(name)) == kRunTime) return FleetObjective{};
  auto plain = objective_of(given);
  if (!plain) {
    Error error = plain.error();
    if (error.code == ErrorCode::unknown_name) {
      error.hint += fmt::format(", {}", fmt::join(names_of(FleetMetric{}), ", "));
    }
    return error;
  }
  constexpr std::array kOfSteps = {
      explore::Metric::latency_s, explore::Metric::pes_used, explore::Metric::tokens_per_s,
      explore::Metric::tokens_per_s_per_pe, explore::Metric::memory_bytes};
  const bool known =
      !trains || std::find(kOfSteps.begin(), kOfSteps.end(), plain->metric) != kOfSteps.end();
  if (known) return FleetObjective{.of_fleet = false, .plain = *plain};
  return Error{ErrorCode::unsupported, "",
               fmt::format("\"{}\" is nothing that is known of a training run", name),
               fmt::format("name {}, usd_per_run, kgco2e_per_run, pes_used", kRunTime)};
}

bool is_term(std::string_view key) {
  Terms terms;
  double factor = 0;
  return find_member(members_of(terms), lower(key), factor) != nullptr;
}

// What stands in the place of a site's or device's name, in the user's words.
Request terms_request(const Request& request, const FleetSearch::Machine& machine,
                      const FleetSearch::Site& site, const Context& context) {
  Request out = request;
  out.input = Json::object();
  const auto take = [&](const Json& from) {
    for (const auto& [key, value] : from.items()) {
      const bool named = key == "site" || key == "grid" || key == "device";
      if (named || is_term(key)) out.input[key] = value;
    }
  };
  take(request.input);
  if (site.given.is_object()) take(site.given);
  if (site.given.is_string()) out.input["site"] = site.given;
  if (!request.input.contains("site")) {
    out.origins.typed["/site"] = request.origins.where("/sites");
  }
  const std::string& device = machine.search.c.scenario.machine.device.name;
  const bool listed = context.catalog->find(catalog::EntryKind::accelerator, device).has_value();
  if (listed && !out.input.contains("device")) out.input["device"] = device;
  return out;
}

Error at_place(Error error, const Request& request, const FleetSearch::Machine& machine,
               const FleetSearch::Site& site) {
  const bool of_a_field = !error.where.empty() && is_term(error.where);
  if (of_a_field) error.where = request.origins.where("/" + error.where);
  error.message = fmt::format("{}{}{}: {}", machine.name, site.name.empty() ? "" : " at ",
                              site.name, error.message);
  return error;
}

std::vector<FleetMetric> wanted(std::span<const FleetObjective> objectives) {
  std::vector<FleetMetric> out;
  for (const FleetObjective& one : objectives) {
    if (one.of_fleet) out.push_back(one.fleet);
  }
  return out;
}

}  // namespace

std::string run_key(FleetMetric metric) {
  constexpr std::array kNames = {"usd_per_run", "kgco2e_per_run", "j_per_run", "l_per_run",
                                 "device_hours_per_run"};
  return kNames[static_cast<std::size_t>(metric)];
}

std::string fleet_key(const FleetObjective& objective, bool trains) {
  if (objective.of_fleet) {
    return trains ? run_key(objective.fleet)
                  : names_of(objective.fleet)[static_cast<std::size_t>(objective.fleet)];
  }
  if (trains && objective.plain.metric == explore::Metric::latency_s) return std::string(kRunTime);
  return names_of(objective.plain.metric)[static_cast<std::size_t>(objective.plain.metric)];
}

Json list_of(const Json& input, const char* key) {
  const auto it = input.find(key);
  if (it == input.end() || it->is_null()) return Json::array();
  return it->is_array() ? *it : Json::array({*it});
}

Result<std::vector<FleetObjective>> fleet_objectives(const Request& request, bool trains) {
  std::vector<FleetObjective> out;
  const Json given = list_of(request.input, "objectives");
  for (std::size_t i = 0; i < given.size(); ++i) {
    auto one = objective_at(given[i], trains);
    if (!one) return request.origins.placed(one.error(), fmt::format("/objectives/{}", i));
    out.push_back(*one);
  }
  if (!out.empty()) return out;
  out.push_back({});  // latency
  for (const auto metric :
       {FleetMetric::usd_per_million_tokens, FleetMetric::kgco2e_per_million_tokens}) {
    out.push_back({.of_fleet = true, .plain = {}, .fleet = metric});
  }
  return out;
}

Result<std::optional<double>> train_tokens_of(const Request& request, const Context& context) {
  RunInput run;
  Names names(context);
  if (const Status read = read_members(members_of(run), request.input, names); !read) {
    return placed(request, read.error());
  }
  if (run.train_tokens && !(*run.train_tokens > 0 && *run.train_tokens <= 1e18)) {
    return Error{ErrorCode::out_of_range, request.origins.where("/train_tokens"),
                 fmt::format("train_tokens is {}", *run.train_tokens), "more than 0, at most 1e18"};
  }
  return run.train_tokens;
}

Status read_sites(const Request& request, FleetSearch& out) {
  const Json sites = list_of(request.input, "sites");
  if (sites.size() > kMostSites) {
    return Error{ErrorCode::out_of_range, request.origins.where("/sites"),
                 fmt::format("{} sites", sites.size()), fmt::format("at most {}", kMostSites)};
  }
  for (const Json& site : sites) {
    const bool named = site.is_object() && site.contains("name") && site["name"].is_string();
    if (!site.is_string() && !named) {
      return Error{ErrorCode::bad_value, request.origins.where("/sites"),
                   "a site is a name, or an object with one",
                   R"(such as {"name": "north", "site": "france", "pue": 1.1})"};
    }
    const Json& name = site.is_string() ? site : site["name"];
    out.sites.push_back({name.get<std::string>(), site});
  }
  if (out.sites.empty()) out.sites.push_back({"", Json::object()});
  return Ok{};
}

Request request_for(const Request& request, const Json& machine) {
  Request out = request;
  out.input = Json::object();
  for (const auto& [key, value] : request.input.items()) {
    constexpr std::array kOwn = {"machines", "sites",  "objectives",  "site",
                                 "grid",     "device", "train_tokens"};
    const bool own = std::find(kOwn.begin(), kOwn.end(), key) != kOwn.end();
    if (!own && !is_term(key)) out.input[key] = value;
  }
  if (!machine.is_null()) out.input["machine"] = machine;
  const bool says_space = out.input.contains("depth") || out.input.contains("space");
  if (!says_space) out.input["space"] = "fleet";
  return out;
}

Result<Terms> fleet_terms(const Request& request, const FleetSearch::Machine& machine,
                          const FleetSearch::Site& site, const Context& context, FleetSearch& out) {
  Terms terms;
  const std::vector<Member> members = members_of(terms);
  const Request asked = terms_request(request, machine, site, context);
  auto filled = with_facts(asked, members, context);
  if (!filled) return at_place(filled.error(), request, machine, site);
  Names names(context);
  if (const Status read = read_members(members, filled->request.input, names); !read) {
    return placed(request, read.error());
  }
  const auto metrics = wanted(out.objectives);
  if (const Status checked = explore::check_terms(terms, metrics); !checked) {
    return at_place(checked.error(), request, machine, site);
  }
  for (const Json& source : filled->sources) {
    if (std::find(out.sources.begin(), out.sources.end(), source) == out.sources.end()) {
      out.sources.push_back(source);
    }
  }
  return terms;
}

bool asks_about_fleet(const Request& request) {
  constexpr std::array kWords = {"machines", "sites", "site", "grid", "device", "train_tokens"};
  for (const auto& [key, value] : request.input.items()) {
    if (value.is_null()) continue;
    if (std::find(kWords.begin(), kWords.end(), key) != kWords.end() || is_term(key)) return true;
  }
  for (const Json& objective : list_of(request.input, "objectives")) {
    bool maximizes = false;
    if (fleet_metric_named(name_in(objective, maximizes), true)) return true;
  }
  return false;
}

std::span<const Field> fleet_fields() {
  static const FieldList kAll = [] {
    FieldList out;
    for (const Field& field : kFields) out.add(field);
    RunInput run;
    out.add(members_of(run));
    Terms terms;
    const std::vector<Member> members = members_of(terms);
    out.add(members);
    for (const Field& field : fact_fields(members)) out.add(field);
    return out;
  }();
  return kAll.fields();
}

}  // namespace ridgeline::app
