// `result` of inspect (docs/chiplet-model.md section 15); other machines have their own level
// names.
#include <fmt/format.h>

#include <cmath>

#include "ridgeline/app/inspect.h"
#include "ridgeline/app/messages.h"

namespace ridgeline::app {
namespace {

// A number that JSON shows as an integer where it is one.
Json number(double value) {
  const bool whole = value == std::floor(value) && std::fabs(value) < 9e15;
  return whole ? Json(static_cast<std::int64_t>(value)) : Json(value);
}

template <class E>
const char* name_of(E value) {
  return names_of(value)[static_cast<std::size_t>(value)];
}

Json formula_json(const Formula& f) {
  return {{"symbols", f.symbols}, {"values", f.values}};
}

class StageWriter {
 public:
  explicit StageWriter(const Inspection& in) : in_(in) {}

  Json stage(StageName name, const StageWork& work) const {
    const std::size_t levels = in_.c.scenario.machine.levels.size();
    const StageCost cost = physics::cost_of(work, in_.rates);
    Json hops = Json::array(), link_bytes = Json::array();
    for (std::size_t l = 0; l < levels; ++l) {
      hops.push_back(number(work.traffic.hops[l]));
      link_bytes.push_back(number(work.traffic.link_bytes[l]));
    }
    return {{"name", name_of(name)},
            {"title", title_of(name)},
            {"matrix_flop", number(work.matrix_flop)},
            {"vector_flop", number(work.vector_flop)},
            {"hbm_bytes", number(work.memory_bytes)},
            {"hops", std::move(hops)},
            {"link_bytes", std::move(link_bytes)},
            {"compute_s", cost.compute_s},
            {"memory_s", cost.memory_s},
            {"network_s", cost.network_s},
            {"total_s", cost.total_s},
            {"bound", name_of(cost.bound)},
            {"intensity_flop_per_byte", intensity(work)},
            {"formulas", formulas(work)}};
  }

 private:
  static Json intensity(const StageWork& work) {
    if (work.memory_bytes == 0) return nullptr;
    return (work.matrix_flop + work.vector_flop) / work.memory_bytes;
  }

  Json formulas(const StageWork& work) const {
    const Machine& machine = in_.c.scenario.machine;
    Json out = Json::object();
    const bool computes = work.matrix_flop != 0 || work.vector_flop != 0;
    if (computes) out["compute"] = formula_json(compute_formula(work, in_.rates, machine));
    if (work.memory_bytes != 0) out["memory"] = formula_json(memory_formula(work, in_.rates));
    if (work.traffic.any(machine.levels.size())) {
      out["network"] = formula_json(network_formula(work, in_.rates, machine));
    }
    return out;
  }

  const Inspection& in_;
};

Json span_json(const Span& span, std::size_t levels) {
  Json out = Json::array();
  for (std::size_t l = 0; l < levels; ++l) out.push_back(span.members[l]);
  return out;
}

Json layout_json(const Inspection& in) {
  const Layout& layout = in.step.layout;
  const Machine& machine = in.c.scenario.machine;
  const std::size_t levels = machine.levels.size();
  Json out = Json::object();
  if (machine.kind == MachineKind::chiplet) {
    out["cubes_used"] = layout.groups_used[0];
    out["sips_used"] = layout.groups_used[1];
    out["pes_used"] = layout.devices_used;
  } else {
    for (std::size_t l = 0; l < levels; ++l) {
      out[machine.levels[l].name + "s_used"] = layout.groups_used[l];
    }
    out["devices_used"] = layout.devices_used;
  }
  Json names = Json::array();
  for (const Level& level : machine.levels) names.push_back(level.name);
  out["levels"] = std::move(names);
  out["spans"] = {{"tp", span_json(layout.tp, levels)},
                  {"cp", span_json(layout.cp, levels)},
                  {"dp", span_json(layout.dp, levels)}};
  return out;
}

Json memory_json(const Inspection& in) {
  const MemoryUse& m = in.step.memory;
  return {{"attn_weights_bytes", m.attn_weights},
          {"ffn_weights_bytes", m.ffn_weights},
          {"kv_cache_bytes", m.kv_cache},
          {"embedding_bytes", m.embedding},
          {"head_bytes", m.head},
          {"activations_bytes", m.activations},
          {"total_bytes", m.total()},
          {"stage", m.stage},
          {"capacity_bytes", in.capacity_bytes}};
}

Json layers_json(const Inspection& in, const StageWriter& writer) {
  Json out = Json::array();
  for (const LayerWork& layer : in.step.layers) {
    Json stages = Json::array();
    double total_s = 0;
    for (std::size_t i = 0; i < layer.stages.size(); ++i) {
      stages.push_back(writer.stage(static_cast<StageName>(i), layer.stages[i]));
      total_s += stages.back()["total_s"].get<double>();
    }
    out.push_back({{"windowed", layer.windowed},
                   {"moe", layer.moe},
                   {"count", layer.count},
                   {"ring_blocks", number(layer.ring_visits)},
                   {"ring_hops", number(layer.ring_visits - 1)},
                   {"layer_s", total_s},
                   {"stages", std::move(stages)}});
  }
  return out;
}

Json edges_json(const Inspection& in, const StageWriter& writer) {
  Json out = Json::array();
  if (!in.valid()) return out;
  for (std::size_t i = 0; i < in.step.edges.size(); ++i) {
    const auto name = static_cast<StageName>(kLayerStages + i);
    out.push_back(writer.stage(name, in.step.edges[i]));
  }
  return out;
}

Json objectives_json(const Inspection& in) {
  if (!in.valid()) return nullptr;
  const physics::Objectives& o = in.objectives;
  const bool energy = energy_known(in.c.scenario.machine);
  return {{"cost_score", o.cost_score},
          {"pes_used", o.devices_used},
          {"cost_x_pes", o.cost_x_devices},
          {"tokens_per_s", o.tokens_per_s},
          {"tokens_per_s_per_pe", o.tokens_per_s_per_device},
          {"energy_j", energy ? Json(o.energy_j) : Json(nullptr)},
          {"energy_j_per_token", energy ? Json(o.energy_j_per_token) : Json(nullptr)}};
}

Json hints_json(const Inspection& in) {
  Json out = Json::array();
  for (const advise::Hint& hint : in.hints) {
    Json values = Json::object();
    for (const advise::HintValue& v : hint.values) values[v.name] = number(v.value);
    if (hint.id == advise::HintId::placement_invalid) {
      values["reasons"] = Json::array();
      for (const InvalidReason r : in.step.layout.invalid_reasons) {
        values["reasons"].push_back(name_of(r));
      }
    }
    out.push_back({{"id", name_of(hint.id)},
                   {"category", name_of(hint.category)},
                   {"severity", name_of(hint.severity)},
                   {"message", message_of(hint, in.step.layout)},
                   {"values", std::move(values)}});
  }
  return out;
}

Json holding_json(const advise::Holding& h) {
  return {{"held_bytes", number(h.held_bytes)},
          {"unique_bytes", number(h.unique_bytes)},
          {"redundant_bytes", number(h.redundant_bytes())}};
}

Json replication_json(const advise::Replication& r) {
  Json rows = Json::array(), classes = Json::object();
  for (const advise::ReplicationRow& row : r.rows) {
    rows.push_back({{"tensor", name_of(row.tensor)},
                    {"per_pe_bytes", row.per_device_bytes},
                    {"replicated_across", row.replicated_across},
                    {"copies", number(row.copies)},
                    {"wasted_bytes", row.wasted_bytes},
                    {"overlaps", row.overlaps}});
  }
  for (std::size_t i = 0; i < r.classes.size(); ++i) {
    classes[name_of(static_cast<advise::Tensor>(i))] = holding_json(r.classes[i]);
  }
  Json total = holding_json(r.total);
  total["redundant_fraction"] = r.redundant_fraction();
  return {{"rows", std::move(rows)}, {"classes", std::move(classes)}, {"total", std::move(total)}};
}

Json shards_json(const Inspection& in) {
  Json out = Json::array();
  for (const advise::Shard& s : in.shards) {
    out.push_back({{"tensor", name_of(s.tensor)},
                   {"layers", s.layers},
                   {"full_shape", {number(s.rows), number(s.columns)}},
                   {"sharded_over", s.sharded_over},
                   {"per_pe_shape", {number(s.part_rows), number(s.part_columns)}},
                   {"per_pe_bytes", number(s.bytes)},
                   {"copies", number(s.copies)}});
  }
  return out;
}

}  // namespace

Json inspect_result(const Inspection& in) {
  const StageWriter writer(in);
  Json reasons = Json::array();
  for (const InvalidReason r : in.step.layout.invalid_reasons) reasons.push_back(name_of(r));
  return {{"latency_s", in.valid() ? Json(in.objectives.latency_s) : Json(nullptr)},
          {"fits_memory", in.fits},
          {"placement_valid", in.valid()},
          {"invalid_reasons", std::move(reasons)},
          {"layout", layout_json(in)},
          {"memory", memory_json(in)},
          {"layers", layers_json(in, writer)},
          {"edges", edges_json(in, writer)},
          {"objectives", objectives_json(in)},
          {"hints", hints_json(in)},
          {"replication", replication_json(in.replication)},
          {"shards", shards_json(in)}};
}

}  // namespace ridgeline::app
