// `result` of inspect (docs/chiplet-model.md section 15); other machines have their own level
// names.
#include <fmt/format.h>

#include <algorithm>

#include "ridgeline/app/inspect.h"
#include "ridgeline/app/messages.h"
#include "ridgeline/physics/memory.h"

namespace ridgeline::app {
namespace {

using report::JsonWriter;
using Form = JsonWriter::Form;

template <class E>
const char* name_of(E value) {
  return names_of(value)[static_cast<std::size_t>(value)];
}

constexpr char kCostSource[] = "docs/chiplet-model.md section 5";
constexpr char kTrafficSource[] = "docs/chiplet-model.md section 4";

template <class Numbers>
void write_numbers(const char* key, const Numbers& numbers, std::size_t count, JsonWriter& out) {
  out.plain_key(key);
  out.begin_list(Form::line);
  for (std::size_t i = 0; i < count; ++i) out.number(static_cast<double>(numbers[i]));
  out.end_list();
}

void write_formula(const char* term, const Formula& f, const char* source, JsonWriter& out) {
  out.plain_key(term);
  out.begin_object(Form::line);
  out.member("symbols", f.symbols);
  out.member("values", f.values);
  out.plain_key("refs");
  out.begin_list(Form::line);
  out.value(source);
  out.end_list();
  out.end_object();
}

// One layer of how many, and how long it takes.
struct Whole {
  double count = 1;
  double layer_s = 0;  // zero: the stage belongs to no layer
  bool moe = false;
};

class StageWriter {
 public:
  StageWriter(const Inspection& in, JsonWriter& out)
      : in_(in), out_(out), defines_(has_definitions(in.c.model)) {}

  void stage(StageName name, const StageWork& work, const Whole& whole) const {
    const std::size_t levels = in_.c.scenario.machine.levels.size();
    const StageCost cost = physics::cost_of(work, in_.rates);
    const bool explains = in_.detail.has(InspectPart::formulas);
    out_.begin_object(explains && has_work(work) ? Form::lines : Form::line);
    out_.member("name", name_of(name));
    out_.member("title", title_of(name));
    out_.member_number("matrix_flop", work.matrix_flop);
    out_.member_number("vector_flop", work.vector_flop);
    out_.member_number("hbm_bytes", work.memory_bytes);
    write_numbers("hops", work.traffic.hops, levels, out_);
    write_numbers("link_bytes", work.traffic.link_bytes, levels, out_);
    out_.member("compute_s", cost.compute_s);
    out_.member("memory_s", cost.memory_s);
    out_.member("network_s", cost.network_s);
    out_.member("total_s", cost.total_s);
    out_.member("bound", name_of(cost.bound));
    out_.member("share_fraction", whole.count * cost.total_s / in_.objectives.latency_s);
    out_.member_or_null("layer_fraction", whole.layer_s > 0, cost.total_s / whole.layer_s);
    write_reach(work, cost);
    if (explains) {
      write_formulas(work);
      if (defines_) {
        out_.plain_key("definitions");
        write_definitions(in_, name, whole.moe, out_);
      }
    }
    out_.end_object();
  }

 private:
  bool has_work(const StageWork& work) const {
    return work.matrix_flop != 0 || work.vector_flop != 0 || work.memory_bytes != 0 ||
           work.traffic.any(in_.c.scenario.machine.levels.size());
  }

  // Operations over the time at the roof: what is sent is left out.
  void write_reach(const StageWork& work, const StageCost& cost) const {
    const double flop = work.matrix_flop + work.vector_flop;
    out_.member_or_null("intensity_flop_per_byte", work.memory_bytes != 0,
                        flop / work.memory_bytes);
    out_.member_or_null("flop_per_s", flop != 0, flop / std::max(cost.compute_s, cost.memory_s));
  }

  void write_formulas(const StageWork& work) const {
    const Machine& machine = in_.c.scenario.machine;
    out_.plain_key("formulas");
    out_.begin_object(Form::line);
    if (work.matrix_flop != 0 || work.vector_flop != 0) {
      write_formula("compute", compute_formula(work, in_.rates, machine, Digits::all), kCostSource,
                    out_);
    }
    if (work.memory_bytes != 0) {
      write_formula("memory", memory_formula(work, in_.rates, Digits::all), kCostSource, out_);
    }
    if (work.traffic.any(machine.levels.size())) {
      write_formula("network", network_formula(work, in_.rates, machine, Digits::all),
                    kTrafficSource, out_);
    }
    out_.end_object();
  }

  const Inspection& in_;
  JsonWriter& out_;
  bool defines_;
};

void write_layout(const Inspection& in, JsonWriter& out) {
  const Layout& layout = in.step.layout;
  const Machine& machine = in.c.scenario.machine;
  const std::size_t levels = machine.levels.size();
  out.begin_object(Form::line);
  if (machine.kind == MachineKind::chiplet) {
    out.member("cubes_used", layout.groups_used[0]);
    out.member("sips_used", layout.groups_used[1]);
    out.member("pes_used", layout.devices_used);
  } else {
    for (std::size_t l = 0; l < levels; ++l) {
      out.key(machine.levels[l].name + "s_used");
      out.value(layout.groups_used[l]);
    }
    out.member("devices_used", layout.devices_used);
  }
  out.plain_key("levels");
  out.begin_list(Form::line);
  for (const Level& level : machine.levels) out.value(level.name);
  out.end_list();
  out.plain_key("spans");
  out.begin_object(Form::line);
  write_numbers("tp", layout.tp.members, levels, out);
  write_numbers("cp", layout.cp.members, levels, out);
  write_numbers("dp", layout.dp.members, levels, out);
  out.end_object();
  out.end_object();
}

void write_parts(const MemoryUse& m, JsonWriter& out) {
  out.member("attn_weights_bytes", m.attn_weights);
  out.member("ffn_weights_bytes", m.ffn_weights);
  out.member("kv_cache_bytes", m.kv_cache);
  out.member("embedding_bytes", m.embedding);
  out.member("head_bytes", m.head);
  out.member("activations_bytes", m.activations);
  out.member("total_bytes", m.total());
  out.member("stage", m.stage);
}

void write_memory(const Inspection& in, JsonWriter& out) {
  const auto& [machine, work, plan] = in.c.scenario;
  const Model& model = in.c.model;
  const bool cut = plan.pp <= model.layer_count();  // else there is no such pipeline
  const std::int64_t total = in.step.memory.total();
  out.begin_object(cut ? Form::lines : Form::line);
  write_parts(in.step.memory, out);
  out.member("capacity_bytes", in.capacity_bytes);
  out.member_or_null("used_fraction", in.capacity_bytes > 0,
                     static_cast<double>(total) / static_cast<double>(in.capacity_bytes));
  out.member("over_bytes", in.fits ? 0 : total - in.capacity_bytes);
  out.plain_key("stages");
  out.begin_list();
  const physics::LayerPrefix prefix = physics::layer_prefix(model);
  for (std::int64_t stage = 0; cut && stage < plan.pp; ++stage) {
    const MemoryUse m = physics::memory_of_stage(model, prefix, machine, work, plan, stage);
    out.begin_object(Form::line);
    write_parts(m, out);
    out.member("layers", physics::layers_of_stage(model.layer_count(), plan.pp, stage));
    out.member("fits", m.total() <= in.capacity_bytes);
    out.end_object();
  }
  out.end_list();
  out.end_object();
}

// Seconds of one layer: of its attention, of all of it.
struct LayerTime {
  double attention_s = 0, whole_s = 0;
};

LayerTime time_of(const LayerWork& layer, const physics::Rates& rates) {
  constexpr auto kFirstFfn = static_cast<std::size_t>(StageName::f1);
  LayerTime out;
  for (std::size_t i = 0; i < layer.stages.size(); ++i) {
    const double stage_s = physics::cost_of(layer.stages[i], rates).total_s;
    if (i < kFirstFfn) out.attention_s += stage_s;
    out.whole_s += stage_s;
  }
  return out;
}

void write_layers(const Inspection& in, const StageWriter& writer, JsonWriter& out) {
  out.begin_list();
  for (const LayerWork& layer : in.step.layers) {
    const auto count = static_cast<double>(layer.count);
    const LayerTime time = time_of(layer, in.rates);
    out.begin_object();
    out.member("windowed", layer.windowed);
    out.member("moe", layer.moe);
    out.member("count", layer.count);
    out.member_number("ring_blocks", layer.ring_visits);
    out.member_number("ring_hops", layer.ring_visits - 1);
    out.member("layer_s", time.whole_s);
    out.member("attention_s", time.attention_s);
    out.member("ffn_s", time.whole_s - time.attention_s);
    out.member("total_s", count * time.whole_s);
    out.member("share_fraction", count * time.whole_s / in.objectives.latency_s);
    out.plain_key("stages");
    out.begin_list();
    for (std::size_t i = 0; i < layer.stages.size(); ++i) {
      writer.stage(static_cast<StageName>(i), layer.stages[i], {count, time.whole_s, layer.moe});
    }
    out.end_list();
    out.end_object();
  }
  out.end_list();
}

void write_edges(const Inspection& in, const StageWriter& writer, JsonWriter& out) {
  out.begin_list();
  for (std::size_t i = 0; in.valid() && i < in.step.edges.size(); ++i) {
    writer.stage(static_cast<StageName>(kLayerStages + i), in.step.edges[i], {});
  }
  out.end_list();
}

// The time of the pass by what it waits for: the larger of compute and memory, and network.
void write_shares(const Inspection& in, JsonWriter& out) {
  out.begin_list();
  const physics::BoundTimes times =
      in.valid() ? physics::bound_times(in.step, in.rates) : physics::BoundTimes{};
  for (std::size_t b = 0; in.valid() && b < times.size(); ++b) {
    out.begin_object(Form::line);
    out.member("bound", name_of(static_cast<Bound>(b)));
    out.member("seconds", times[b]);
    out.member("share_fraction", times[b] / in.objectives.latency_s);
    out.end_object();
  }
  out.end_list();
}

void write_roofline(const Inspection& in, JsonWriter& out) {
  const physics::Rates& rates = in.rates;
  out.begin_object(Form::line);
  out.member("flop_per_s", rates.flop_per_s);
  out.member("vector_flop_per_s", rates.flop_per_s * rates.vector_fraction);
  out.member("memory_bytes_per_s", rates.memory_bytes_per_s);
  out.member("ridge_flop_per_byte", rates.flop_per_s / rates.memory_bytes_per_s);
  out.end_object();
}

void write_objectives(const Inspection& in, JsonWriter& out) {
  if (!in.valid()) return out.value(nullptr);
  const physics::Objectives& o = in.objectives;
  const bool energy = energy_known(in.c.scenario.machine);
  out.begin_object(Form::line);
  out.member("cost_score", o.cost_score);
  out.member("pes_used", o.devices_used);
  out.member("cost_x_pes", o.cost_x_devices);
  out.member("tokens_per_s", o.tokens_per_s);
  out.member("tokens_per_s_per_pe", o.tokens_per_s_per_device);
  out.member_or_null("energy_j", energy, o.energy_j);
  out.member_or_null("energy_j_per_token", energy, o.energy_j_per_token);
  out.end_object();
}

void write_held(const advise::Holding& h, JsonWriter& out) {
  out.member_number("held_bytes", h.held_bytes);
  out.member_number("unique_bytes", h.unique_bytes);
  out.member_number("redundant_bytes", h.redundant_bytes());
}

void write_replication(const advise::Replication& r, JsonWriter& out) {
  out.begin_object();
  out.plain_key("rows");
  out.begin_list();
  for (const advise::ReplicationRow& row : r.rows) {
    out.begin_object(Form::line);
    out.member("tensor", name_of(row.tensor));
    out.member("per_pe_bytes", row.per_device_bytes);
    out.member("replicated_across", row.replicated_across);
    out.member_number("copies", row.copies);
    out.member("wasted_bytes", row.wasted_bytes);
    out.member("overlaps", row.overlaps);
    out.end_object();
  }
  out.end_list();
  out.plain_key("classes");
  out.begin_object(Form::line);
  for (std::size_t i = 0; i < r.classes.size(); ++i) {
    out.plain_key(name_of(static_cast<advise::Tensor>(i)));
    out.begin_object(Form::line);
    write_held(r.classes[i], out);
    out.end_object();
  }
  out.end_object();
  out.plain_key("total");
  out.begin_object(Form::line);
  write_held(r.total, out);
  out.member("redundant_fraction", r.redundant_fraction());
  out.end_object();
  out.end_object();
}

void write_headline(const Inspection& in, JsonWriter& out) {
  out.member_or_null("latency_s", in.valid(), in.objectives.latency_s);
  out.member("fits_memory", in.fits);
  out.member("placement_valid", in.valid());
  out.plain_key("invalid_reasons");
  out.begin_list(Form::line);
  for (const InvalidReason r : in.step.layout.invalid_reasons) out.value(name_of(r));
  out.end_list();
  out.plain_key("bound");
  if (in.valid()) {
    out.value(name_of(physics::bound_of(in.step, in.rates)));
  } else {
    out.value(nullptr);
  }
}

}  // namespace

void write_inspect_result(const Inspection& in, JsonWriter& out) {
  const StageWriter writer(in, out);
  const auto part = [&](const char* key, const auto& write) {
    out.plain_key(key);
    write();
  };
  const auto optional = [&](InspectPart which, const char* key, const auto& write) {
    if (in.detail.has(which)) part(key, write);
  };
  out.begin_object();
  write_headline(in, out);
  part("shares", [&] { write_shares(in, out); });
  part("roofline", [&] { write_roofline(in, out); });
  optional(InspectPart::symbols, "symbols", [&] { write_symbols(in, out); });
  part("layout", [&] { write_layout(in, out); });
  optional(InspectPart::topology, "topology", [&] { write_topology(in, out); });
  part("memory", [&] { write_memory(in, out); });
  part("layers", [&] { write_layers(in, writer, out); });
  part("edges", [&] { write_edges(in, writer, out); });
  part("objectives", [&] { write_objectives(in, out); });
  part("hints", [&] { write_hints(in, out); });
  optional(InspectPart::effects, "mends", [&] { write_mends(in, out); });
  part("replication", [&] { write_replication(in.replication, out); });
  optional(InspectPart::shards, "shards", [&] { write_shards(in, out); });
  out.end_object();
}

}  // namespace ridgeline::app
