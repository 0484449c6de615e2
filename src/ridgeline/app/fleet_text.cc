// The fleet search for readers: the front over machines and sites, and what moves it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ridgeline/app/fleet.h"
#include "ridgeline/app/input.h"
#include "ridgeline/app/messages.h"
#include "ridgeline/base/text.h"

namespace ridgeline::app {
namespace {

using explore::FleetMetric;
using explore::FleetObjective;
using explore::FleetRow;
using report::Align;
using report::Heading;
using report::Line;
using report::Section;
using report::Table;
using report::Tone;

constexpr std::size_t kMostRows = 40;
constexpr std::size_t kMostKnobs = 12;

const char* title_of(FleetMetric metric) {
  switch (metric) {
    case FleetMetric::usd_per_million_tokens: return "cost";
    case FleetMetric::kgco2e_per_million_tokens: return "carbon";
    case FleetMetric::j_per_token: return "energy";
    case FleetMetric::l_per_million_tokens: return "water";
    case FleetMetric::device_hours_per_million_tokens: return "device time";
  }
  return "";
}

std::string emissions_text(double kilograms) {
  if (kilograms >= 1000) return fmt::format("{:.4g} t", kilograms / 1000);
  if (kilograms >= 1) return fmt::format("{:.4g} kg", kilograms);
  return fmt::format("{:.4g} g", 1000 * kilograms);
}

// The value in its unit, per million tokens (energy: per token) or per run.
std::string value_text(FleetMetric metric, double value) {
  switch (metric) {
    case FleetMetric::usd_per_million_tokens: return format_quantity(value, Dim{.money = 1});
    case FleetMetric::kgco2e_per_million_tokens: return emissions_text(value);
    case FleetMetric::j_per_token: return format_quantity(value, Dim{.energy = 1});
    case FleetMetric::l_per_million_tokens: return fmt::format("{:.4g} l", value);
    case FleetMetric::device_hours_per_million_tokens: return fmt::format("{:.4g} h", value);
  }
  return "";
}

double times_of(const FleetSearch& found, FleetMetric metric) {
  if (!found.trains()) return 1;
  return metric == FleetMetric::j_per_token ? *found.train_tokens : found.millions();
}

// Money, carbon and energy always; water and device time where they are objectives.
std::vector<FleetMetric> shown_metrics(const FleetSearch& found) {
  std::vector<FleetMetric> out = {FleetMetric::usd_per_million_tokens,
                                  FleetMetric::kgco2e_per_million_tokens, FleetMetric::j_per_token};
  for (const FleetObjective& one : found.objectives) {
    const bool there = std::find(out.begin(), out.end(), one.fleet) != out.end();
    if (one.of_fleet && !there) out.push_back(one.fleet);
  }
  std::erase_if(out, [&](FleetMetric m) {
    return std::none_of(found.front.begin(), found.front.end(),
                        [&](const FleetRow& row) { return row.bill.metric(m).has_value(); });
  });
  return out;
}

std::string training_plan(const solve::fit_training::Choice& c) {
  const char* recompute =
      names_of(c.activation_checkpointing)[static_cast<std::size_t>(c.activation_checkpointing)];
  return fmt::format("TP {} PP {} DP {} EP {}, ZeRO {}, recompute {}", c.tp, c.pp, c.dp, c.ep,
                     c.zero_stage, recompute);
}

// What a row is, before what it costs.
std::vector<std::string> pass_cells(const FleetSearch& found, const FleetRow& row) {
  const std::string latency = time_text(row.pass.latency.base());
  const std::string devices = count_text(row.pass.devices);
  const std::string rate = fmt::format("{:.4g}", row.pass.tokens / row.pass.latency.base());
  if (found.trains()) {
    return {devices, latency, time_text(row.pass.latency.base() * found.steps(row)), rate};
  }
  return {count_text(found.point_of(row).scenario.work.batch), latency, devices, rate};
}

Table rows_table(const FleetSearch& found, const std::vector<FleetRow>& rows) {
  const std::vector<FleetMetric> metrics = shown_metrics(found);
  Table table;
  table.columns = {{"machine"}};
  if (found.has_site_names()) table.columns.push_back({"site"});
  const std::vector<const char*> pass =
      found.trains() ? std::vector<const char*>{"devices", "step", "run", "tokens/s"}
                     : std::vector<const char*>{"batch", "latency", "devices", "tokens/s"};
  for (const char* title : pass) table.columns.push_back({title, Align::right});
  for (const FleetMetric m : metrics) table.columns.push_back({title_of(m), Align::right});
  table.columns.push_back({"plan"});
  for (std::size_t i = 0; i < std::min(rows.size(), kMostRows); ++i) {
    const FleetRow& row = rows[i];
    std::vector<std::string> cells = {found.machines[row.machine].name};
    if (found.has_site_names()) cells.push_back(found.sites[row.site].name);
    for (std::string& cell : pass_cells(found, row)) cells.push_back(std::move(cell));
    for (const FleetMetric m : metrics) {
      const auto& value = row.bill.metric(m);
      cells.push_back(value ? value_text(m, *value * times_of(found, m)) : "-");
    }
    cells.push_back(found.trains() ? training_plan(found.plan_of(row).choice)
                                   : plan_text(found.point_of(row).scenario.plan));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string question(const FleetSearch& found) {
  const Search& first = found.machines.front().search;
  const Workload& w = first.c.scenario.work;
  const std::string work =
      found.trains()
          ? fmt::format("{:.4g} tokens of training, {} sequences of {} a step", *found.train_tokens,
                        count_text(w.batch), count_text(w.context))
          : fmt::format("{}, {} tokens of context", w.phase == Phase::decode ? "decode" : "prefill",
                        count_text(w.context));
  const auto counted = [](std::size_t n, const char* word) {
    return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s");
  };
  return fmt::format("{}: {}, on {} at {}", first.c.model.name, work,
                     counted(found.machines.size(), "machine"),
                     counted(found.sites.size(), "site"));
}

std::string counts(const FleetSearch& found) {
  if (found.trains()) {
    return fmt::format("{} numbers of devices hold the run; searched in {}",
                       count_text(found.feasible_count), time_text(found.elapsed_s));
  }
  return fmt::format("{} pairs of batch and plan, {} feasible; searched in {}",
                     count_text(found.evaluated_count), count_text(found.feasible_count),
                     time_text(found.elapsed_s));
}

std::string objectives_text(const FleetSearch& found) {
  std::string out;
  for (const FleetObjective& one : found.objectives) {
    if (!out.empty()) out += ", ";
    out += fleet_key(one, found.trains());
  }
  return out;
}

std::string knob_text(const explore::FleetSensitivity& one) {
  if (!one.knob) {
    std::string name(one.name.view());
    std::replace(name.begin(), name.end(), '_', ' ');
    return fmt::format("{} {:.4g} -> {:.4g}", name, one.baseline, one.doubled);
  }
  return fmt::format("{} {} -> {}", flag_name(*one.knob),
                     format_quantity(one.baseline, one.knob->dim),
                     format_quantity(one.doubled, one.knob->dim));
}

// The inputs that move most of anything shown.
Table sensitivity_table(const FleetSearch& found) {
  constexpr double kLeast = 5e-4;
  const std::vector<FleetMetric> metrics = shown_metrics(found);
  const auto change = [](const explore::FleetSensitivity& one, FleetMetric m) {
    return one.changes[static_cast<std::size_t>(m)];
  };
  const auto most = [&](const explore::FleetSensitivity& one) {
    double out = std::fabs(one.latency_change);
    for (const FleetMetric m : metrics) out = std::max(out, std::fabs(change(one, m).value_or(0)));
    return out;
  };
  std::vector<explore::FleetSensitivity> rows = found.sensitivity;
  std::erase_if(rows, [&](const auto& one) { return most(one) < kLeast; });
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const auto& a, const auto& b) { return most(a) > most(b); });
  const auto text = [](double share) { return fmt::format("{:+.1f} %", 100 * share); };
  Table table;
  table.columns = {{"doubled"}, {found.trains() ? "step" : "latency", Align::right}};
  for (const FleetMetric m : metrics) table.columns.push_back({title_of(m), Align::right});
  for (std::size_t i = 0; i < std::min(rows.size(), kMostKnobs); ++i) {
    std::vector<std::string> cells = {knob_text(rows[i]), text(rows[i].latency_change)};
    for (const FleetMetric m : metrics) {
      const auto share = change(rows[i], m);
      cells.push_back(share ? text(*share) : "-");
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

double drawn(const FleetSearch& found, const FleetRow& row, const FleetObjective& objective) {
  if (objective.of_fleet) {
    return row.bill.metric(objective.fleet).value_or(0) * times_of(found, objective.fleet);
  }
  const double value = row.metrics[static_cast<std::size_t>(objective.plain.metric)];
  const bool run = found.trains() && objective.plain.metric == explore::Metric::latency_s;
  return run ? value * found.steps(row) : value;
}

}  // namespace

std::vector<Section> fleet_sections(const FleetSearch& found) {
  std::vector<Section> out;
  out.emplace_back(Heading{question(found)});
  out.emplace_back(Line{counts(found)});
  if (found.front.empty()) {
    out.emplace_back(Line{"nothing is feasible", Tone::bad});
  } else {
    out.emplace_back(Line{found.trains() ? "cost, carbon and energy of the whole run"
                                         : "cost and carbon of a million tokens, energy of one",
                          Tone::dim});
    out.emplace_back(Heading{"Pareto front: " + objectives_text(found)});
    out.emplace_back(rows_table(found, found.front));
    if (found.front.size() > kMostRows) {
      out.emplace_back(Line{
          fmt::format("and {} more: --format csv or json has all", found.front.size() - kMostRows),
          Tone::dim});
    }
    if (found.places.size() > 1) {
      const std::size_t second = std::min<std::size_t>(1, found.objectives.size() - 1);
      out.emplace_back(Heading{"Each machine at each site, by least " +
                               fleet_key(found.objectives[second], found.trains())});
      out.emplace_back(rows_table(found, found.places));
    }
    out.emplace_back(Heading{"What doubling an input does to the first row, same plan"});
    out.emplace_back(sensitivity_table(found));
  }
  for (const Note& note : found.notes) out.emplace_back(Line{"note: " + note.message, Tone::dim});
  return out;
}

// Radii that grow with the logarithm of the third objective, from one to three times the least.
class Sizes {
 public:
  explicit Sizes(const FleetSearch& found) : found_(found) {
    if (found.objectives.size() < 3) return;
    for (const FleetRow& row : found.front) {
      least_ = std::min(least_, drawn(found, row, found.objectives[2]));
      most_ = std::max(most_, drawn(found, row, found.objectives[2]));
    }
  }
  double operator()(const FleetRow& row) const {
    constexpr double kTwice = 2;
    if (!(least_ > 0 && most_ > least_)) return 1;
    const double value = drawn(found_, row, found_.objectives[2]);
    return 1 + kTwice * std::log(value / least_) / std::log(most_ / least_);
  }

 private:
  const FleetSearch& found_;
  double least_ = std::numeric_limits<double>::infinity(), most_ = 0;
};

// The first objective over the second, one colour for a machine at a site, the third by the size of
// the dots; all of them in tool tips.
report::Chart fleet_chart(const FleetSearch& found) {
  const Sizes size(found);
  const FleetObjective& y = found.objectives.front();
  const FleetObjective& x = found.objectives[std::min<std::size_t>(1, found.objectives.size() - 1)];
  report::Scatter chart;
  chart.title = question(found);
  chart.x = {fleet_key(x, found.trains()), report::AxisScale::log};
  chart.y = {fleet_key(y, found.trains()), report::AxisScale::log};
  if (found.objectives.size() > 2) {
    chart.x.title +=
        fmt::format("; larger dots: more {}", fleet_key(found.objectives[2], found.trains()));
  }
  for (std::size_t m = 0; m < found.machines.size(); ++m) {
    for (std::size_t s = 0; s < found.sites.size(); ++s) {
      const std::string at = found.has_site_names() ? " at " + found.sites[s].name : "";
      report::Series series{found.machines[m].name + at, {}, report::Series::Form::dots};
      for (const FleetRow& row : found.front) {
        if (row.machine != m || row.site != s) continue;
        std::string label = series.name;
        for (const FleetObjective& one : found.objectives) {
          label +=
              fmt::format(", {} {:.4g}", fleet_key(one, found.trains()), drawn(found, row, one));
        }
        series.marks.push_back(
            {drawn(found, row, x), drawn(found, row, y), std::move(label), size(row)});
      }
      if (!series.marks.empty()) chart.series.push_back(std::move(series));
    }
  }
  return chart;
}

}  // namespace ridgeline::app
