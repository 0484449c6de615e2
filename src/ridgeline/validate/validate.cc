#include "ridgeline/validate/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ridgeline::validate {
namespace {

struct Kind {
  const char* what;
  std::array<const char*, 3> columns;  // that only tables of this kind have
  void (*add)(const Table& table, const Registry& registry, Findings& out);
};
constexpr std::array kKinds = {
    Kind{"training", {"iter_time_s", "global_batch_seqs", "recompute"}, add_training},
    Kind{"serving", {"tpot_mean_ms", "ttft_mean_ms", "concurrency"}, add_serving},
    Kind{"memory", {"kind", "quantity", "zero_stage"}, add_memory},
    Kind{"microbench", {"op", "seq_or_bytes", "fraction_of_peak"}, add_microbench},
    Kind{"carbon", {"grid_g_per_kwh", "energy_mwh", "co2e_t"}, add_carbon},
    Kind{"reliability", {"event_or_metric", "period_days", "n_nodes"}, add_reliability},
    Kind{"cost", {"subject", "quantity", "basis"}, add_cost},
};

bool is_kind(const Table& table, const Kind& kind) {
  return std::all_of(kind.columns.begin(), kind.columns.end(),
                     [&](const char* column) { return table.has(column); });
}

}  // namespace

Status add_table(const Table& table, const Registry& registry, Findings& out) {
  for (const Kind& kind : kKinds) {
    if (!is_kind(table, kind)) continue;
    kind.add(table, registry, out);
    return Ok{};
  }
  std::string hint;
  for (const Kind& kind : kKinds) {
    hint +=
        fmt::format("{}{}: {}", hint.empty() ? "" : "; ", kind.what, fmt::join(kind.columns, ", "));
  }
  return Error{ErrorCode::bad_value, "",
               fmt::format("{} has the columns of no known table", table.name),
               "columns that tell a table: " + hint};
}

}  // namespace ridgeline::validate
