// `result` of inspect (docs/chiplet-model.md section 15); other machines have their own level
// names.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgeline/app/inspect.h"
#include "ridgeline/app/messages.h"
#include "ridgeline/physics/memory.h"

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

constexpr char kCostSource[] = "docs/chiplet-model.md section 5";
constexpr char kTrafficSource[] = "docs/chiplet-model.md section 4";

Json formula_json(const Formula& f, const char* source) {
  return {{"symbols", f.symbols}, {"values", f.values}, {"refs", Json::array({source})}};
}

// One layer of how many, and how long it takes.
struct Whole {
  double count = 1;
  double layer_s = 0;  // zero: the stage belongs to no layer
};

class StageWriter {
 public:
  explicit StageWriter(const Inspection& in) : in_(in) {}

  Json stage(StageName name, const StageWork& work, const Whole& whole) const {
    const std::size_t levels = in_.c.scenario.machine.levels.size();
    const StageCost cost = physics::cost_of(work, in_.rates);
    Json hops = Json::array(), link_bytes = Json::array();
    for (std::size_t l = 0; l < levels; ++l) {
      hops.push_back(number(work.traffic.hops[l]));
      link_bytes.push_back(number(work.traffic.link_bytes[l]));
    }
    return {
        {"name", name_of(name)},
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
        {"share_fraction", whole.count * cost.total_s / in_.objectives.latency_s},
        {"layer_fraction", whole.layer_s > 0 ? Json(cost.total_s / whole.layer_s) : Json(nullptr)},
        {"intensity_flop_per_byte", intensity(work)},
        {"flop_per_s", reached(work, cost)},
        {"formulas", formulas(work)},
        {"definitions", definitions_of(name)}};
  }

 private:
  static Json intensity(const StageWork& work) {
    if (work.memory_bytes == 0) return nullptr;
    return (work.matrix_flop + work.vector_flop) / work.memory_bytes;
  }

  // Operations over the time at the roof: what is sent is left out.
  static Json reached(const StageWork& work, const StageCost& cost) {
    const double flop = work.matrix_flop + work.vector_flop;
    if (flop == 0) return nullptr;
    return flop / std::max(cost.compute_s, cost.memory_s);
  }

  Json formulas(const StageWork& work) const {
    const Machine& machine = in_.c.scenario.machine;
    Json out = Json::object();
    const bool computes = work.matrix_flop != 0 || work.vector_flop != 0;
    if (computes) {
      out["compute"] =
          formula_json(compute_formula(work, in_.rates, machine, Digits::all), kCostSource);
    }
    if (work.memory_bytes != 0) {
      out["memory"] = formula_json(memory_formula(work, in_.rates, Digits::all), kCostSource);
    }
    if (work.traffic.any(machine.levels.size())) {
      out["network"] =
          formula_json(network_formula(work, in_.rates, machine, Digits::all), kTrafficSource);
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

Json memory_parts(const MemoryUse& m) {
  return {{"attn_weights_bytes", m.attn_weights},
          {"ffn_weights_bytes", m.ffn_weights},
          {"kv_cache_bytes", m.kv_cache},
          {"embedding_bytes", m.embedding},
          {"head_bytes", m.head},
          {"activations_bytes", m.activations},
          {"total_bytes", m.total()},
          {"stage", m.stage}};
}

// Each pipeline stage on its own; none of a plan with more stages than layers.
Json memory_stages(const Inspection& in) {
  const auto& [machine, work, plan] = in.c.scenario;
  const Model& model = in.c.model;
  Json out = Json::array();
  if (plan.pp > model.layer_count()) return out;
  const physics::LayerPrefix prefix = physics::layer_prefix(model);
  for (std::int64_t stage = 0; stage < plan.pp; ++stage) {
    const MemoryUse m = physics::memory_of_stage(model, prefix, machine, work, plan, stage);
    Json row = memory_parts(m);
    row["layers"] = physics::layers_of_stage(model.layer_count(), plan.pp, stage);
    row["fits"] = m.total() <= in.capacity_bytes;
    out.push_back(std::move(row));
  }
  return out;
}

Json memory_json(const Inspection& in) {
  const std::int64_t total = in.step.memory.total();
  Json out = memory_parts(in.step.memory);
  out["capacity_bytes"] = in.capacity_bytes;
  out["used_fraction"] =
      in.capacity_bytes > 0
          ? Json(static_cast<double>(total) / static_cast<double>(in.capacity_bytes))
          : Json(nullptr);
  out["over_bytes"] = in.fits ? 0 : total - in.capacity_bytes;
  out["stages"] = memory_stages(in);
  return out;
}

double layer_seconds(const LayerWork& layer, const physics::Rates& rates) {
  double total_s = 0;
  for (const StageWork& work : layer.stages) total_s += physics::cost_of(work, rates).total_s;
  return total_s;
}

Json layers_json(const Inspection& in, const StageWriter& writer) {
  constexpr auto kFirstFfn = static_cast<std::size_t>(StageName::f1);
  Json out = Json::array();
  for (const LayerWork& layer : in.step.layers) {
    const auto count = static_cast<double>(layer.count);
    const double layer_s = layer_seconds(layer, in.rates);
    Json stages = Json::array();
    double attention_s = 0;
    for (std::size_t i = 0; i < layer.stages.size(); ++i) {
      stages.push_back(writer.stage(static_cast<StageName>(i), layer.stages[i], {count, layer_s}));
      if (i < kFirstFfn) attention_s += stages.back()["total_s"].get<double>();
    }
    out.push_back({{"windowed", layer.windowed},
                   {"moe", layer.moe},
                   {"count", layer.count},
                   {"ring_blocks", number(layer.ring_visits)},
                   {"ring_hops", number(layer.ring_visits - 1)},
                   {"layer_s", layer_s},
                   {"attention_s", attention_s},
                   {"ffn_s", layer_s - attention_s},
                   {"total_s", count * layer_s},
                   {"share_fraction", count * layer_s / in.objectives.latency_s},
                   {"stages", std::move(stages)}});
  }
  return out;
}

Json edges_json(const Inspection& in, const StageWriter& writer) {
  Json out = Json::array();
  if (!in.valid()) return out;
  for (std::size_t i = 0; i < in.step.edges.size(); ++i) {
    const auto name = static_cast<StageName>(kLayerStages + i);
    out.push_back(writer.stage(name, in.step.edges[i], {}));
  }
  return out;
}

// The time of the pass by what it waits for: the larger of compute and memory, and network.
Json shares_json(const Inspection& in) {
  if (!in.valid()) return Json::array();
  const physics::BoundTimes times = physics::bound_times(in.step, in.rates);
  Json out = Json::array();
  for (std::size_t b = 0; b < times.size(); ++b) {
    out.push_back({{"bound", name_of(static_cast<Bound>(b))},
                   {"seconds", times[b]},
                   {"share_fraction", times[b] / in.objectives.latency_s}});
  }
  return out;
}

Json roofline_json(const Inspection& in) {
  const physics::Rates& rates = in.rates;
  return {{"flop_per_s", rates.flop_per_s},
          {"vector_flop_per_s", rates.flop_per_s * rates.vector_fraction},
          {"memory_bytes_per_s", rates.memory_bytes_per_s},
          {"ridge_flop_per_byte", rates.flop_per_s / rates.memory_bytes_per_s}};
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

}  // namespace

Json inspect_result(const Inspection& in) {
  const StageWriter writer(in);
  Json reasons = Json::array();
  for (const InvalidReason r : in.step.layout.invalid_reasons) reasons.push_back(name_of(r));
  return {
      {"latency_s", in.valid() ? Json(in.objectives.latency_s) : Json(nullptr)},
      {"fits_memory", in.fits},
      {"placement_valid", in.valid()},
      {"invalid_reasons", std::move(reasons)},
      {"bound", in.valid() ? Json(name_of(physics::bound_of(in.step, in.rates))) : Json(nullptr)},
      {"shares", shares_json(in)},
      {"roofline", roofline_json(in)},
      {"symbols", symbols_json(in)},
      {"layout", layout_json(in)},
      {"topology", topology_json(in)},
      {"memory", memory_json(in)},
      {"layers", layers_json(in, writer)},
      {"edges", edges_json(in, writer)},
      {"objectives", objectives_json(in)},
      {"hints", hints_json(in)},
      {"mends", mends_json(in)},
      {"replication", replication_json(in.replication)},
      {"shards", shards_json(in)}};
}

}  // namespace ridgeline::app
