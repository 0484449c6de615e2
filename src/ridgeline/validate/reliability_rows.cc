// Rows of reliability: interruptions, time between failures and checkpoints of published runs, by
// the solvers `reliability` and `checkpoint` with the registry's rates. Rates of an entry were read
// from the same publications: counts of the run that an entry is named after test the solver and
// the registry, not a forecast; other jobs of the same fleet are forecasts.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "ridgeline/base/text.h"
#include "ridgeline/physics/parameters.h"
#include "ridgeline/solve/checkpoint.h"
#include "ridgeline/solve/reliability.h"
#include "ridgeline/validate/row_model.h"
#include "ridgeline/validate/validate.h"

namespace ridgeline::validate {
namespace {

namespace reliability = solve::reliability;

constexpr const char* kPlanned = "planned";
constexpr double kDevicesPerNode = 8, kGigabyte = 1e9;

std::string bare(std::string_view text) {
  std::string out = lower(text);
  std::erase_if(out, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return out;
}

bool says(const Row& row, std::string_view part) {
  return lower(row.text("event_or_metric")).find(part) != std::string::npos;
}

std::vector<reliability::Part> parts_of(const Row& row, const Registry& registry) {
  if (says(row, "rsc-2")) return registry.parts("rsc-2");
  return registry.parts(row.text("system"));
}

std::int64_t nodes_of(const Row& row) {
  return row.count_or("n_nodes",
                      static_cast<std::int64_t>(row.number_or("n_gpus", 0) / kDevicesPerNode));
}

using Parts = std::vector<reliability::Part>;

Result<reliability::Output> job(const Row& row, Parts parts) {
  reliability::Inputs in;
  in.nodes = nodes_of(row);
  in.parts = std::move(parts);
  in.job_duration = row.number_or("period_days", 1) * day;
  in.checkpoint_time = 1 * second;  // no count of failures depends on it
  RIDGELINE_TRY(const reliability::Inputs checked, reliability::check(in));
  return reliability::solve(checked);
}

Error unknown(const char* what) {
  return {ErrorCode::missing, "", what, ""};
}

// ---- what rows ask ----

Result<double> interruptions(const Row& row, const Registry& registry) {
  Parts parts = parts_of(row, registry);
  const std::string_view metric = row.text("event_or_metric");
  const std::size_t colon = metric.find(": ");
  const bool planned = lower(metric).starts_with("planned");
  std::erase_if(parts, [&](const reliability::Part& part) {
    if (planned) return part.name != kPlanned;
    if (colon == std::string_view::npos) return false;
    return bare(part.name) != bare(metric.substr(colon + 2));
  });
  if (parts.empty()) return unknown("the registry has no such part");
  RIDGELINE_TRY(const reliability::Output out, job(row, std::move(parts)));
  return out.expected_failures;
}

Result<double> hours_between(const Row& row, const Registry& registry) {
  RIDGELINE_TRY(const reliability::Output out, job(row, parts_of(row, registry)));
  return out.mtbf.base();
}

Result<double> failures_per_1000_node_days(const Row& row, const Registry& registry) {
  constexpr double kDays = 1000;
  RIDGELINE_TRY(const reliability::Output out, job(row, parts_of(row, registry)));
  return kDays * day / (static_cast<double>(nodes_of(row)) * out.mtbf);
}

Result<double> nodes_per_day(const Row& row, const Registry& registry) {
  RIDGELINE_TRY(const reliability::Output out, job(row, parts_of(row, registry)));
  return day / out.mtbf;
}

Result<double> write_bandwidth(const Row& row, const Registry& registry) {
  for (const char* key : {"writer_bandwidth_bytes_per_s", "filesystem_limit_bytes_per_s"}) {
    if (const auto known = registry.fact("filesystem", row.text("system"), key, std::nullopt)) {
      return *known;
    }
  }
  return unknown("the registry has no such filesystem");
}

Result<double> save_time(const Row& row, const Registry& registry) {
  RIDGELINE_TRY(const double bandwidth, write_bandwidth(row, registry));
  RIDGELINE_TRY(const Model model, registry.model(row.text("system")));
  solve::checkpoint::Inputs in;
  in.model.params = static_cast<double>(physics::count_parameters(model).total);
  in.writer_bandwidth = BytesPerSecond::from_base(bandwidth);
  RIDGELINE_TRY(const auto checked, solve::checkpoint::check(in));
  return solve::checkpoint::solve(checked).write.base();
}

struct Metric {
  const char* words;  // that the row's metric holds, in lower case; the first that fits
  const char* unit;   // how its unit begins
  const char* name;   // of class and quantity
  double factor;      // base units per unit
  Result<double> (*answer)(const Row& row, const Registry& registry);
};
constexpr std::array kMetrics = {
    Metric{"interruptions", "count", "interruptions", 1, interruptions},
    Metric{"mttf", "hours", "mttf", 3600, hours_between},
    Metric{"failure rate", "per 1000 node-days", "failure_rate", 1, failures_per_1000_node_days},
    Metric{"machines lost per day", "nodes/day", "nodes_per_day", 1, nodes_per_day},
    Metric{"checkpoint save time", "s", "checkpoint_time", 1, save_time},
    Metric{"write", "GB/s", "write_bandwidth", kGigabyte, write_bandwidth},
};

}  // namespace

void add_reliability(const Table& table, const Registry& registry, Findings& out) {
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const Row row(table, i);
    const auto metric = std::find_if(kMetrics.begin(), kMetrics.end(), [&](const Metric& m) {
      return says(row, m.words) && row.text("unit").starts_with(m.unit);
    });
    const bool known = metric != kMetrics.end();
    const Classes classes = {fmt::format("reliability/{}", known ? metric->name : "other"),
                             "reliability/all"};
    const auto skip = [&](std::string reason) {
      out.skipped.push_back({row.id(), classes, known ? metric->name : "other", std::move(reason)});
    };
    const std::optional<double> value = row.number("value");
    if (!row.is("complete_inputs")) {
      skip("the source leaves inputs open");
    } else if (!known) {
      skip(fmt::format("no solver answers \"{}\"", row.text("event_or_metric")));
    } else if (!value || *value <= 0) {
      skip("no value is given");
    } else if (const auto answer = metric->answer(row, registry); answer) {
      out.predictions.push_back({row.id(), classes, metric->name, *value * metric->factor, *answer,
                                 physics::Basis::calibrated});
    } else {
      skip(answer.error().message);
    }
  }
}

}  // namespace ridgeline::validate
