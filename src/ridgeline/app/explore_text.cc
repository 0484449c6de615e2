// Explore for readers: the question, counts, the front, what each knob is worth.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgeline/app/conditions.h"
#include "ridgeline/app/explore.h"
#include "ridgeline/app/input.h"
#include "ridgeline/app/messages.h"
#include "ridgeline/base/text.h"

namespace ridgeline::app {
namespace {

using explore::Metric;
using explore::Point;
using report::Align;
using report::Heading;
using report::Line;
using report::Section;
using report::Table;
using report::Tone;

constexpr std::size_t kMostRows = 40;  // of the front as text; JSON and CSV have all

template <class E>
const char* name_of(E value) {
  return names_of(value)[static_cast<std::size_t>(value)];
}

std::string knob_text(const ScalarField& field, double base) {
  if (field.kind == ScalarKind::choice) return field.choices[static_cast<std::size_t>(base)];
  if (field.dim == Dim{}) return fmt::format("{:.6g}", base);
  return format_quantity(base, field.dim);
}

std::string metric_text(const Point& point, Metric metric) {
  const double value = point.metric(metric);
  if (metric == Metric::pes_used) return count_text(static_cast<std::int64_t>(value));
  const Dim dim = dim_of(metric);
  return dim == Dim{} ? fmt::format("{:.4g}", value) : format_quantity(value, dim);
}

bool has_pes(const Search& search) {
  return search.c.scenario.machine.kind == MachineKind::chiplet;
}

// "PEs" or "devices": what the machine is made of.
const char* devices_word(const Search& search) {
  return has_pes(search) ? "PEs" : "devices";
}

const char* metric_title(const Search& search, Metric metric) {
  const bool pes = has_pes(search);
  switch (metric) {
    case Metric::latency_s: return "latency";
    case Metric::cost_score: return "cost";
    case Metric::pes_used: return devices_word(search);
    case Metric::cost_x_pes: return pes ? "cost x PEs" : "cost x devices";
    case Metric::tokens_per_s: return "tokens/s";
    case Metric::tokens_per_s_per_pe: return pes ? "tokens/s per PE" : "tokens/s per device";
    case Metric::energy_j: return "energy";
    case Metric::energy_j_per_token: return "energy/token";
    case Metric::memory_bytes: return "memory";
    case Metric::memory_headroom_bytes: return "free memory";
  }
  return "";
}

// Latency, cost, PEs and rate always; then whatever else is an objective.
std::vector<Metric> shown_metrics(const Search& search) {
  std::vector<Metric> out = {Metric::latency_s, Metric::cost_score, Metric::pes_used,
                             Metric::tokens_per_s};
  for (const explore::Objective& objective : search.space.space.objectives) {
    if (std::find(out.begin(), out.end(), objective.metric) == out.end()) {
      out.push_back(objective.metric);
    }
  }
  return out;
}

// Hardware fields whose values differ among the points.
std::vector<std::size_t> varying(const std::vector<Point>& points, std::size_t count) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < count; ++i) {
    const bool differs = std::any_of(points.begin(), points.end(), [&](const Point& p) {
      return p.hardware[i] != points.front().hardware[i];
    });
    if (differs) out.push_back(i);
  }
  return out;
}

Table point_table(const Search& search, const std::vector<Point>& points) {
  const auto& fields = search.found.hardware_fields;
  const std::vector<std::size_t> shown = varying(points, fields.size());
  const std::vector<Metric> metrics = shown_metrics(search);
  Table table;
  for (const std::size_t i : shown) table.columns.push_back({flag_name(fields[i]), Align::right});
  for (const Metric m : metrics) table.columns.push_back({metric_title(search, m), Align::right});
  table.columns.push_back({"plan", Align::left});
  for (std::size_t r = 0; r < std::min(points.size(), kMostRows); ++r) {
    const Point& point = points[r];
    std::vector<std::string> row;
    for (const std::size_t i : shown) row.push_back(knob_text(fields[i], point.hardware[i]));
    for (const Metric m : metrics) row.push_back(metric_text(point, m));
    row.push_back(plan_text(point.scenario.plan));
    table.rows.push_back(std::move(row));
  }
  return table;
}

void add_points(const Search& search, const std::string& title, const std::vector<Point>& points,
                std::vector<Section>& out) {
  out.emplace_back(Heading{title});
  out.emplace_back(point_table(search, points));
  if (points.size() > kMostRows) {
    out.emplace_back(
        Line{fmt::format("and {} more: --format csv or json has all",
                         count_text(static_cast<std::int64_t>(points.size() - kMostRows))),
             Tone::dim});
  }
}

std::string question(const Search& search) {
  const Workload& w = search.c.scenario.work;
  return fmt::format("{}: {}, {} tokens of context, batch {}, on {}", search.c.model.name,
                     name_of(w.phase), count_text(w.context), count_text(w.batch),
                     search.c.scenario.machine.name);
}

// "1 machine", "1,920 plans".
std::string numbered(std::int64_t count, const char* one) {
  return fmt::format("{} {}{}", count_text(count), one, count == 1 ? "" : "s");
}

std::string counts(const Search& search) {
  const auto& f = search.found;
  std::string product = numbered(f.hardware_count, "machine") + " x ";
  if (f.workload_count != 1) product += numbered(f.workload_count, "workload") + " x ";
  return fmt::format("{}{} = {}, {} feasible", product, numbered(f.parallelism_count, "plan"),
                     numbered(f.evaluated_count, "pair"), count_text(f.feasible_count));
}

std::string speed(const Search& search) {
  const double rate = search.elapsed_s > 0
                          ? static_cast<double>(search.found.evaluated_count) / search.elapsed_s
                          : 0;
  return fmt::format("searched in {} ({:.3g} million pairs/s)", time_text(search.elapsed_s),
                     rate / 1e6);
}

void add_rejected(const Search& search, std::vector<Section>& out) {
  const auto& f = search.found;
  Table table{{{"rejected because", Align::left}, {"pairs", Align::right}}, {}};
  for (std::size_t i = 0; i < names_of(InvalidReason{}).size(); ++i) {
    if (f.rejected[i] == 0) continue;
    table.rows.push_back({message_of(static_cast<InvalidReason>(i)), count_text(f.rejected[i])});
  }
  if (f.does_not_fit_count > 0) {
    table.rows.push_back({"it does not fit the memory", count_text(f.does_not_fit_count)});
  }
  const std::int64_t constrained = f.valid_count - f.does_not_fit_count - f.feasible_count;
  if (constrained > 0) table.rows.push_back({"of the constraints", count_text(constrained)});
  if (table.rows.empty()) return;
  out.emplace_back(Heading{"Rejected"});
  out.emplace_back(std::move(table));
}

void add_near_misses(const Search& search, std::vector<Section>& out) {
  if (search.found.near_misses.empty()) return;
  Table table{{{"lacks", Align::right}, {"needs", Align::right}, {"plan", Align::left}}, {}};
  for (const explore::NearMiss& miss : search.found.near_misses) {
    table.rows.push_back({bytes_text(static_cast<double>(miss.lacking_bytes)),
                          metric_text(miss.point, Metric::memory_bytes),
                          plan_text(miss.point.scenario.plan)});
  }
  out.emplace_back(Heading{"Nearest misses, by memory per device"});
  out.emplace_back(std::move(table));
}

void add_sensitivity(const Search& search, std::vector<Section>& out) {
  if (search.found.sensitivity.empty()) return;
  report::Bars bars;
  for (const explore::SensitivityRow& row : search.found.sensitivity) {
    bars.rows.push_back(
        {fmt::format("{} {} -> {}", flag_name(row.knob), knob_text(row.knob, row.baseline),
                     knob_text(row.knob, row.doubled)),
         2 * row.speedup_fraction, fmt::format("{:.2f} % faster", 100 * row.speedup_fraction)});
  }
  out.emplace_back(Heading{"What doubling each knob of the best is worth, same plan"});
  out.emplace_back(std::move(bars));
}

std::string plan_of(const Search& search) {
  const Point& best = search.found.best.front();
  return fmt::format("{} with {} on {} {}, cost {:.4g}", metric_text(best, Metric::latency_s),
                     plan_text(best.scenario.plan), metric_text(best, Metric::pes_used),
                     devices_word(search), best.metric(Metric::cost_score));
}

std::string front_title(const Search& search) {
  std::string names;
  for (const explore::Objective& objective : search.space.space.objectives) {
    if (!names.empty()) names += ", ";
    names += objective.sense == explore::Sense::minimize ? "least " : "most ";
    names += metric_title(search, objective.metric);
  }
  return "Pareto front: " + names;
}

// Points for a drawing: one per cell of a fixed grid, so that their number is bounded.
class Thinner {
 public:
  bool is_new(double x, double y) {
    const auto cell = [](double v) { return static_cast<std::int64_t>(std::floor(v * kCells)); };
    const std::pair<std::int64_t, std::int64_t> key(cell(std::log10(x)), cell(std::log10(y)));
    const auto at = std::lower_bound(seen_.begin(), seen_.end(), key);
    if (at != seen_.end() && *at == key) return false;
    seen_.insert(at, key);
    return true;
  }

 private:
  static constexpr double kCells = 120;  // per decade
  std::vector<std::pair<std::int64_t, std::int64_t>> seen_;
};

}  // namespace

std::vector<Section> explore_sections(const Search& search) {
  std::vector<Section> out;
  out.emplace_back(Heading{question(search)});
  out.emplace_back(Line{counts(search)});
  out.emplace_back(Line{speed(search), Tone::dim});
  if (search.feasible()) {
    out.emplace_back(Line{"best: " + plan_of(search), Tone::good});
    add_points(search, front_title(search), search.found.pareto, out);
    if (!search.found.top.empty()) {
      add_points(search, "Fastest pairs", search.found.top, out);
    }
    if (!search.found.per_hardware.empty()) {
      add_points(search, "Best of each machine", search.found.per_hardware, out);
    }
    if (search.wants_points) {
      out.emplace_back(
          Line{"every feasible pair is written by --format csv and --format json", Tone::dim});
    }
    add_sensitivity(search, out);
  } else {
    out.emplace_back(Line{"nothing is feasible", Tone::bad});
    add_near_misses(search, out);
    add_rejected(search, out);
  }
  if (!search.notes.empty()) out.emplace_back(Heading{"Notes"});
  for (const Note& note : search.notes) out.emplace_back(Line{note.message});
  return out;
}

report::Chart explore_chart(const Search& search) {
  const auto& objectives = search.space.space.objectives;
  const Metric y = objectives.front().metric;
  const Metric x = objectives.size() > 1     ? objectives[1].metric
                   : y == Metric::cost_score ? Metric::latency_s
                                             : Metric::cost_score;
  report::Scatter chart;
  chart.title = question(search);
  chart.x = {name_of(x), report::AxisScale::log};
  chart.y = {name_of(y), report::AxisScale::log};
  const auto mark = [&](const Point& p) {
    return report::Mark{p.metric(x), p.metric(y), plan_text(p.scenario.plan), 1};
  };
  report::Series front{"Pareto front", {}, report::Series::Form::steps};
  for (const Point& p : search.found.pareto) front.marks.push_back(mark(p));
  report::Series rest{"best of each machine", {}, report::Series::Form::dots};
  if (search.wants_points) {
    rest.name = "feasible pairs";
    Thinner thinner;
    explore::for_each_point(search.c.model, search.c.scenario, search.space.space,
                            [&](const Point& p) {
                              const bool drawable = p.metric(x) > 0 && p.metric(y) > 0;
                              if (drawable && thinner.is_new(p.metric(x), p.metric(y))) {
                                rest.marks.push_back({p.metric(x), p.metric(y), "", 1});
                              }
                              return true;
                            });
  } else {
    for (const Point& p : search.found.per_hardware) rest.marks.push_back(mark(p));
  }
  if (!rest.marks.empty()) {
    chart.series = {std::move(front), std::move(rest)};
  } else {
    chart.series = {std::move(front)};
  }
  return chart;
}

}  // namespace ridgeline::app
