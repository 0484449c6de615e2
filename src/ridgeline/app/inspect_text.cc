// Inspect for readers: headline, stages with their formulas, memory, layout, shards, copies, hints.
#include <fmt/format.h>

#include <algorithm>

#include "ridgeline/app/inspect.h"
#include "ridgeline/app/messages.h"

namespace ridgeline::app {
namespace {

using report::Align;
using report::Facts;
using report::Heading;
using report::Line;
using report::Section;
using report::Table;
using report::Tone;

template <class E>
const char* name_of(E value) {
  return names_of(value)[static_cast<std::size_t>(value)];
}

std::string device_word(const Inspection& in) {
  return in.c.scenario.machine.kind == MachineKind::chiplet ? "PE" : "device";
}

std::string work_text(const Case& c) {
  const Workload& w = c.scenario.work;
  return fmt::format("{}, {} tokens of context, batch {}, {} weights, {} cache", name_of(w.phase),
                     count_text(w.context), count_text(w.batch), name_of(w.precision),
                     name_of(w.kv_precision));
}

std::string latency_text(const Inspection& in) {
  if (!in.valid()) return "none: the plan cannot be placed";
  std::string out = fmt::format("{} for one pass, {:.4g} tokens/s",
                                time_text(in.objectives.latency_s), in.objectives.tokens_per_s);
  if (energy_known(in.c.scenario.machine)) {
    out += fmt::format(", {:.4g} J per token", in.objectives.energy_j_per_token);
  }
  return out;
}

std::string fit_text(const Inspection& in) {
  const std::int64_t need = in.step.memory.total();
  const std::string both = fmt::format("{} of {}", bytes_text(static_cast<double>(need)),
                                       bytes_text(static_cast<double>(in.capacity_bytes)));
  if (in.fits) return "yes, " + both;
  return fmt::format("no, {}: {} too much", both,
                     bytes_text(static_cast<double>(need - in.capacity_bytes)));
}

Facts headline(const Inspection& in) {
  const Case& c = in.c;
  Facts out;
  out.rows = {{"model", c.model.name},       {"machine", c.scenario.machine.name},
              {"work", work_text(c)},        {"plan", plan_text(c.scenario.plan)},
              {"latency", latency_text(in)}, {"fits", fit_text(in)}};
  for (const InvalidReason reason : in.step.layout.invalid_reasons) {
    out.rows.emplace_back("not placed", message_of(reason));
  }
  return out;
}

std::string placed_text(const Inspection& in) {
  const Layout& layout = in.step.layout;
  const Machine& machine = in.c.scenario.machine;
  std::string out = fmt::format("{} {}s", count_text(layout.devices_used), device_word(in));
  for (std::size_t l = 0; l < machine.levels.size(); ++l) {
    const bool outermost = l + 1 == machine.levels.size();
    if (!outermost || machine.kind == MachineKind::tree) {
      out += fmt::format(" in {} {}{}", count_text(layout.groups_used[l]), machine.levels[l].name,
                         layout.groups_used[l] == 1 ? "" : "s");
    }
  }
  return out;
}

std::string span_text(const Span& span, const Machine& machine) {
  std::string out;
  for (std::size_t l = 0; l < machine.levels.size(); ++l) {
    if (l > 0) out += " x ";
    out += fmt::format("{} in a {}", span.members[l], machine.levels[l].name);
  }
  return out;
}

void add_layout(const Inspection& in, std::vector<Section>& out) {
  const Machine& machine = in.c.scenario.machine;
  out.emplace_back(Heading{"Layout"});
  Facts facts;
  facts.rows = {{"used", placed_text(in)}};
  if (!machine.levels.empty()) {
    facts.rows.emplace_back("TP group", span_text(in.step.layout.tp, machine));
    facts.rows.emplace_back("CP group", span_text(in.step.layout.cp, machine));
    facts.rows.emplace_back("DP group", span_text(in.step.layout.dp, machine));
  }
  out.emplace_back(std::move(facts));
}

std::string dash_if_none(double value, const std::string& text) {
  return value == 0 ? "-" : text;
}

std::vector<std::string> stage_row(const Inspection& in, StageName name, const StageWork& work) {
  const StageCost cost = physics::cost_of(work, in.rates);
  const Formula network = network_formula(work, in.rates, in.c.scenario.machine, Digits::few);
  return {name_of(name),
          title_of(name),
          dash_if_none(cost.compute_s, time_text(cost.compute_s)),
          dash_if_none(cost.memory_s, time_text(cost.memory_s)),
          dash_if_none(cost.network_s, time_text(cost.network_s)),
          name_of(cost.bound),
          dash_if_none(cost.total_s, time_text(cost.total_s)),
          network.values};
}

std::vector<report::Column> stage_columns() {
  return {{"stage", Align::left},    {"what", Align::left},
          {"compute", Align::right}, {"memory", Align::right},
          {"network", Align::right}, {"bound", Align::left},
          {"total", Align::right},   {"network = hops x latency + bytes / bandwidth", Align::left}};
}

std::string kind_text(const LayerWork& layer) {
  return fmt::format("{} attention, {} FFN", layer.windowed ? "windowed" : "full",
                     layer.moe ? "MoE" : "dense");
}

void add_stages(const Inspection& in, std::vector<Section>& out) {
  for (const LayerWork& layer : in.step.layers) {
    Table table{stage_columns(), {}};
    double total_s = 0;
    for (std::size_t i = 0; i < layer.stages.size(); ++i) {
      table.rows.push_back(stage_row(in, static_cast<StageName>(i), layer.stages[i]));
      total_s += physics::cost_of(layer.stages[i], in.rates).total_s;
    }
    out.emplace_back(Heading{fmt::format("One layer of {} ({})", layer.count, kind_text(layer))});
    out.emplace_back(std::move(table));
    std::string sum = fmt::format("one layer {}, {} layers {}", time_text(total_s), layer.count,
                                  time_text(total_s * static_cast<double>(layer.count)));
    if (layer.ring_visits > 1) {
      sum += fmt::format("; S5 to S8 visit {:.6g} blocks in {:.6g} hops of the CP ring",
                         layer.ring_visits, layer.ring_visits - 1);
    }
    out.emplace_back(Line{sum, Tone::dim});
  }
  if (!in.valid()) return;
  Table table{stage_columns(), {}};
  for (std::size_t i = 0; i < in.step.edges.size(); ++i) {
    const auto name = static_cast<StageName>(kLayerStages + i);
    table.rows.push_back(stage_row(in, name, in.step.edges[i]));
  }
  out.emplace_back(Heading{"Before and after the layers"});
  out.emplace_back(std::move(table));
}

void add_formula_rows(const Inspection& in, StageName name, const StageWork& work, Table& out) {
  const Machine& machine = in.c.scenario.machine;
  const StageCost cost = physics::cost_of(work, in.rates);
  const auto add = [&](const char* term, double seconds, const Formula& f) {
    if (seconds > 0)
      out.rows.push_back({name_of(name), term, time_text(seconds), f.symbols, f.values});
  };
  add("compute", cost.compute_s, compute_formula(work, in.rates, machine, Digits::all));
  add("memory", cost.memory_s, memory_formula(work, in.rates, Digits::all));
  add("network", cost.network_s, network_formula(work, in.rates, machine, Digits::all));
}

void add_formulas(const Inspection& in, std::vector<Section>& out) {
  const auto table = [] {
    return Table{{{"stage"}, {"term"}, {"time", Align::right}, {"symbols"}, {"values"}}, {}};
  };
  for (const LayerWork& layer : in.step.layers) {
    Table rows = table();
    for (std::size_t i = 0; i < layer.stages.size(); ++i) {
      add_formula_rows(in, static_cast<StageName>(i), layer.stages[i], rows);
    }
    out.emplace_back(Heading{fmt::format("Formulas ({})", kind_text(layer))});
    out.emplace_back(std::move(rows));
  }
  Table rows = table();
  for (std::size_t i = 0; i < in.step.edges.size(); ++i) {
    add_formula_rows(in, static_cast<StageName>(kLayerStages + i), in.step.edges[i], rows);
  }
  if (in.valid()) out.emplace_back(std::move(rows));
}

void add_memory(const Inspection& in, std::vector<Section>& out) {
  const MemoryUse& m = in.step.memory;
  const auto whole = static_cast<double>(in.capacity_bytes);
  report::Bars bars;
  const auto add = [&](const char* label, std::int64_t bytes) {
    const double b = static_cast<double>(bytes);
    bars.rows.push_back({label, whole > 0 ? b / whole : 0, bytes_text(b)});
  };
  add("attention weights", m.attn_weights);
  add("FFN weights", m.ffn_weights);
  add("KV cache", m.kv_cache);
  add("embedding", m.embedding);
  add("head", m.head);
  add("activations", m.activations);
  add("total", m.total());
  out.emplace_back(Heading{fmt::format("Memory of the fullest {} (pipeline stage {}), of {}",
                                       device_word(in), m.stage, bytes_text(whole))});
  out.emplace_back(std::move(bars));
}

std::string shape_text(double rows, double columns) {
  return fmt::format("{:.8g} x {:.8g}", rows, columns);
}

void add_shards(const Inspection& in, std::vector<Section>& out) {
  Table table{{{"tensor", Align::left},
               {"layers", Align::right},
               {"full shape", Align::right},
               {"sharded over", Align::left},
               {"per " + device_word(in), Align::right},
               {"bytes", Align::right},
               {"copies", Align::right}},
              {}};
  for (const advise::Shard& s : in.shards) {
    table.rows.push_back({name_of(s.tensor), count_text(s.layers), shape_text(s.rows, s.columns),
                          s.sharded_over, shape_text(s.part_rows, s.part_columns),
                          bytes_text(s.bytes), fmt::format("{:.6g}", s.copies)});
  }
  out.emplace_back(Heading{"Tensor sharding"});
  out.emplace_back(std::move(table));
}

void add_replication(const Inspection& in, std::vector<Section>& out) {
  out.emplace_back(Heading{"Replication"});
  const advise::Replication& r = in.replication;
  if (!r.rows.empty()) {
    Table table{{{"held more than once", Align::left},
                 {"per " + device_word(in), Align::right},
                 {"across", Align::left},
                 {"copies", Align::right},
                 {"wasted", Align::right}},
                {}};
    for (const advise::ReplicationRow& row : r.rows) {
      table.rows.push_back({fmt::format("{}{}", name_of(row.tensor), row.overlaps ? " *" : ""),
                            bytes_text(static_cast<double>(row.per_device_bytes)),
                            row.replicated_across, fmt::format("{:.6g}", row.copies),
                            bytes_text(static_cast<double>(row.wasted_bytes))});
    }
    out.emplace_back(std::move(table));
  }
  const bool overlaps =
      std::any_of(r.rows.begin(), r.rows.end(), [](const auto& row) { return row.overlaps; });
  if (overlaps)
    out.emplace_back(Line{"* counts bytes of other rows again: not to be added", Tone::dim});
  out.emplace_back(Line{fmt::format(
      "{} held over all, {} would do: {:.1f} % are copies", bytes_text(r.total.held_bytes),
      bytes_text(r.total.unique_bytes), 100 * r.redundant_fraction())});
}

void add_hints(const Inspection& in, std::vector<Section>& out) {
  if (in.hints.empty()) return;
  out.emplace_back(Heading{"Hints"});
  for (const advise::Hint& hint : in.hints) {
    const Tone tone = hint.severity == advise::Severity::warn   ? Tone::warn
                      : hint.severity == advise::Severity::good ? Tone::good
                                                                : Tone::plain;
    out.emplace_back(Line{fmt::format("{} ({}): {}", name_of(hint.severity), name_of(hint.category),
                                      message_of(hint, in.step.layout)),
                          tone});
  }
}

}  // namespace

std::vector<Section> inspect_sections(const Inspection& in) {
  std::vector<Section> out;
  out.emplace_back(headline(in));
  add_stages(in, out);
  if (in.detail.formulas) add_formulas(in, out);
  add_memory(in, out);
  add_layout(in, out);
  add_shards(in, out);
  add_replication(in, out);
  add_hints(in, out);
  if (!in.c.notes.empty()) out.emplace_back(Heading{"Notes"});
  for (const Note& note : in.c.notes) out.emplace_back(Line{note.message});
  return out;
}

report::Rows inspect_rows(const Inspection& in) {
  using report::Scalar;
  std::vector<std::vector<Scalar>> rows;
  const auto add = [&](std::string_view layer, std::int64_t count, StageName name,
                       const StageWork& work) {
    const StageCost cost = physics::cost_of(work, in.rates);
    rows.push_back({layer, count, std::string_view(name_of(name)), std::string_view(title_of(name)),
                    work.matrix_flop, work.vector_flop, work.memory_bytes, cost.compute_s,
                    cost.memory_s, cost.network_s, cost.total_s,
                    std::string_view(name_of(cost.bound))});
  };
  for (const LayerWork& layer : in.step.layers) {
    const std::string_view kind = layer.windowed ? (layer.moe ? "windowed moe" : "windowed dense")
                                                 : (layer.moe ? "full moe" : "full dense");
    for (std::size_t i = 0; i < layer.stages.size(); ++i) {
      add(kind, layer.count, static_cast<StageName>(i), layer.stages[i]);
    }
  }
  for (std::size_t i = 0; in.valid() && i < in.step.edges.size(); ++i) {
    add("edge", 1, static_cast<StageName>(kLayerStages + i), in.step.edges[i]);
  }
  const std::vector<std::string> keys = {"layer",       "count",       "stage",     "title",
                                         "matrix_flop", "vector_flop", "hbm_bytes", "compute_s",
                                         "memory_s",    "network_s",   "total_s",   "bound"};
  return {keys, keys, [rows = std::move(rows)](const report::RowSink& sink) {
            for (const auto& row : rows) {
              if (!sink(row)) return;
            }
          }};
}

report::Chart inspect_chart(const Inspection& in) {
  report::StackedBars chart;
  chart.title =
      fmt::format("{} on {}: time of each stage", in.c.model.name, in.c.scenario.machine.name);
  chart.axis_title = "microseconds: compute or memory (the larger), then network";
  chart.parts = {"compute", "memory", "network"};
  const auto add = [&](const std::string& label, const StageWork& work) {
    const StageCost cost = physics::cost_of(work, in.rates);
    const bool computes = cost.compute_s >= cost.memory_s;
    chart.rows.push_back({label,
                          {computes ? cost.compute_s * 1e6 : 0, computes ? 0 : cost.memory_s * 1e6,
                           cost.network_s * 1e6},
                          time_text(cost.total_s)});
  };
  for (const LayerWork& layer : in.step.layers) {
    for (std::size_t i = 0; i < layer.stages.size(); ++i) {
      const auto name = static_cast<StageName>(i);
      add(fmt::format("{} {}", name_of(name), title_of(name)), layer.stages[i]);
    }
  }
  return chart;
}

}  // namespace ridgeline::app
