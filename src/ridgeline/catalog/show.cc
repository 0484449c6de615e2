#include "ridgeline/catalog/show.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "ridgeline/base/text.h"
#include "ridgeline/catalog/entry_json.h"
#include "ridgeline/catalog/field_reader.h"
#include "ridgeline/catalog/read_machine.h"
#include "ridgeline/physics/parameters.h"

namespace ridgeline::catalog {
namespace {

using Json = nlohmann::ordered_json;

Json head(const Entry& entry) {
  return Json{{"name", entry.name}, {"aliases", entry.aliases}};
}

// [{"field", "source", "kind", "note"}] of an entry whose fields carry their own source.
Json sources_of_fields(const Json& fields) {
  Json out = Json::array();
  for (const auto& [name, field] : fields.items()) {
    Json row{{"field", name}};
    for (const char* key : {"source", "kind", "note"}) {
      if (const auto it = field.find(key); it != field.end()) row[key] = *it;
    }
    out.push_back(std::move(row));
  }
  return out;
}

// The same of an entry that lists its sources by path.
Json sources_of_paths(const Json& json) {
  Json out = Json::array();
  const auto sources = json.find("sources");
  if (sources == json.end() || !sources->is_object()) return out;
  for (const auto& [path, about] : sources->items()) {
    Json row{{"field", path}};
    if (about.is_object()) row.update(about);
    out.push_back(std::move(row));
  }
  return out;
}

Result<Json> fact_value(const Json& field, const Fact& fact) {
  const auto value = field.find("value");
  if (value == field.end()) return Json(nullptr);
  RIDGELINE_TRY(const double v, quantity_of(*value, fact.dim, 0, {}, fact.name));
  const bool whole = fact.dim == Dim{} && std::floor(v) == v;
  return whole ? Json(static_cast<std::int64_t>(v)) : Json(v);
}

void put_device(const Accelerator& device, Json& out) {
  const auto names = names_of(Precision{});
  Json peaks = Json::object();
  for (std::size_t p = 0; p < kPrecisionCount; ++p) {
    if (device.peak[p].base() > 0) peaks[names[p]] = device.peak[p].base();
  }
  out["peak_flop_per_s"] = std::move(peaks);
  out["memory_bandwidth_bytes_per_s"] = device.memory_bandwidth.base();
  out["memory_bytes"] = device.memory_capacity.base();
  out["usable_memory_bytes"] =
      device.usable_memory.base() > 0 ? device.usable_memory.base() : device.memory_capacity.base();
  out["compute_util"] = device.compute_util;
  out["vector_fraction"] = device.vector_fraction;
}

Result<Json> facts_in(const Json& fields) {
  Json out = Json::object();
  for (const Fact& fact : accelerator_facts()) {
    out[fact.key] = nullptr;
    const auto field = fields.find(fact.name);
    if (field == fields.end()) continue;
    RIDGELINE_TRY(out[fact.key], fact_value(*field, fact));
  }
  return out;
}

Result<Json> show_accelerator(const Entry& entry, const Catalog& catalog, Json& notes) {
  RIDGELINE_TRY(const Accelerator device, catalog.accelerator(entry.name));
  RIDGELINE_TRY(const Json json, entry_json(entry));
  const Json& fields = json["fields"];
  Json out = head(entry);
  put_device(device, out);
  RIDGELINE_TRY(const Json facts, facts_in(fields));
  out.update(facts);
  if (device.usable_memory.base() == 0) {
    notes.push_back(
        {{"code", "usable_memory_unknown"},
         {"message", "what the driver reports is not known: the data sheet's memory is shown"},
         {"where", "/usable_memory_bytes"}});
  }
  out["sources"] = sources_of_fields(fields);
  return out;
}

Result<Json> show_machine(const Entry& entry, const Catalog& catalog) {
  RIDGELINE_TRY(const Machine machine, catalog.machine(entry.name));
  RIDGELINE_TRY(const Json json, entry_json(entry));
  Json out = head(entry);
  out["devices"] = machine.device_count();
  Machine tree = machine;
  tree.kind = MachineKind::tree;
  const Json written = write_machine(tree);
  for (const auto& [key, value] : written.items()) {
    if (key != "name") out[key] = value;
  }
  if (machine.kind == MachineKind::chiplet) out["fields"] = write_machine(machine);
  out["sources"] = sources_of_paths(json);
  return out;
}

// A fabric: bandwidth per direction of one endpoint, and latency per message.
Result<Json> show_fabric(const Entry& entry) {
  RIDGELINE_TRY(const Json json, entry_json(entry));
  const auto fields = json.find("fields");
  if (fields == json.end() || !fields->is_object()) {
    return Error{ErrorCode::internal, "", "the entry " + entry.name + " has no fields", ""};
  }
  const Fact kFields[] = {{"bandwidth", "bandwidth_bytes_per_s", BytesPerSecond::kDim},
                          {"latency", "latency_s", Seconds::kDim}};
  Json out = head(entry);
  for (const Fact& field : kFields) {
    out[field.key] = nullptr;
    if (const auto it = fields->find(field.name); it != fields->end()) {
      RIDGELINE_TRY(out[field.key], fact_value(*it, field));
    }
  }
  out["sources"] = sources_of_fields(*fields);
  return out;
}

// An engine: its fields as the entry states them, quantities with their unit.
Result<Json> show_engine(const Entry& entry) {
  RIDGELINE_TRY(const Json json, entry_json(entry));
  const auto fields = json.find("fields");
  if (fields == json.end() || !fields->is_object()) {
    return Error{ErrorCode::internal, "", "the entry " + entry.name + " has no fields", ""};
  }
  Json out = head(entry);
  for (const auto& [name, field] : fields->items()) out[name] = field.value("value", Json(nullptr));
  out["sources"] = sources_of_fields(*fields);
  return out;
}

// Numbers under keys that say their unit, each with its source; past years where there are some.
Result<Json> show_facts(const Entry& entry) {
  RIDGELINE_TRY(const Json json, entry_json(entry));
  const auto fields = json.find("fields");
  if (fields == json.end() || !fields->is_object()) {
    return Error{ErrorCode::internal, "", "the entry " + entry.name + " has no fields", ""};
  }
  Json out = head(entry);
  for (const auto& [name, field] : fields->items()) {
    const auto value = field.find("value");
    const bool number = value != field.end() && value->is_number();
    if (!number || !std::isfinite(value->get<double>()) || value->get<double>() < 0) {
      return Error{ErrorCode::bad_value, "/fields/" + name, name + " is no amount", "a number"};
    }
    out[name] = *value;
  }
  if (const auto history = json.find("history"); history != json.end()) out["history"] = *history;
  out["sources"] = sources_of_fields(*fields);
  return out;
}

// Parts whose failure stops a job.
Result<Json> show_failure(const Entry& entry) {
  RIDGELINE_TRY(const Json json, entry_json(entry));
  const auto parts = json.find("parts");
  if (parts == json.end() || !parts->is_array() || parts->empty()) {
    return Error{ErrorCode::missing, "/parts", entry.name + " has no parts",
                 "[{name, count_per_node, mttf_hours}, ...]"};
  }
  double per_hour = 0;
  for (const Json& part : *parts) {
    const double mttf = part.value("mttf_hours", 0.0);
    if (!(mttf > 0)) {
      return Error{ErrorCode::bad_value, "/parts", "a part has no mttf_hours", "hours above zero"};
    }
    per_hour += part.value("count_per_node", 1.0) / mttf;
  }
  Json out = head(entry);
  out["node_mtbf_hours"] = 1 / per_hour;
  out["parts"] = *parts;
  out["sources"] = sources_of_paths(json);
  return out;
}

// As the file states it.
Result<Json> show_plainly(const Entry& entry) {
  RIDGELINE_TRY(const Json json, entry_json(entry));
  Json out = head(entry);
  for (const auto& [key, value] : json.items()) {
    if (key != "name" && key != "aliases" && key != "kind") out[key] = value;
  }
  return out;
}

std::string first_source(const Json& result) {
  if (const auto source = result.find("source"); source != result.end() && source->is_string()) {
    return source->get<std::string>();
  }
  const auto sources = result.find("sources");
  if (sources == result.end() || sources->empty()) return "";
  return (*sources)[0].value("source", "");
}

// The facts of a row of `list`, out of what `show` says.
Json row_of(EntryKind kind, const Json& shown) {
  Json row{{"name", shown["name"]}, {"aliases", shown["aliases"]}};
  const auto copy = [&](std::initializer_list<const char*> keys) {
    for (const char* key : keys) row[key] = shown.value(key, Json(nullptr));
  };
  switch (kind) {
    case EntryKind::model:
      copy({"architecture", "total_params", "active_params", "layers", "attention",
            "kv_bytes_per_token", "model_max_context_tokens", "weight_precision"});
      break;
    case EntryKind::accelerator:
      row["bf16_flop_per_s"] = shown["peak_flop_per_s"].value("bf16", Json(nullptr));
      copy({"memory_bytes", "memory_bandwidth_bytes_per_s", "tdp_w", "release_year"});
      break;
    case EntryKind::machine:
      copy({"devices"});
      row["device"] = shown["device"]["name"];
      row["levels"] = shown["levels"].size();
      break;
    case EntryKind::fabric: copy({"bandwidth_bytes_per_s", "latency_s"}); break;
    case EntryKind::space: copy({"description"}); break;
    case EntryKind::engine: copy({"version", "memory_utilization", "block_size"}); break;
    case EntryKind::grid: copy({"carbon_intensity_kgco2e_per_kwh", "kwh_price_usd"}); break;
    case EntryKind::site: copy({"pue", "wue_l_per_kwh"}); break;
    case EntryKind::filesystem:
      copy({"filesystem_limit_bytes_per_s", "writer_bandwidth_bytes_per_s",
            "storage_bandwidth_bytes_per_s"});
      break;
    case EntryKind::failure: copy({"node_mtbf_hours"}); break;
    case EntryKind::kernel: copy({"memory_bandwidth_gb_s", "compute_units"}); break;
    case EntryKind::price:
      copy({"unit_cost_usd", "hourly_rental_price_usd", "embodied_per_device_kgco2e"});
      break;
  }
  row["source"] = first_source(shown);
  return row;
}

}  // namespace

Result<Json> show_entry(const Entry& entry, const Catalog& catalog, Json& notes) {
  switch (entry.kind) {
    case EntryKind::model: {
      RIDGELINE_TRY(const Model model, catalog.model(entry.name));
      Json out = show_model(model, Precision::bf16, physics::MlaForm::latent, notes);
      out["aliases"] = entry.aliases;
      return out;
    }
    case EntryKind::accelerator: return show_accelerator(entry, catalog, notes);
    case EntryKind::machine: return show_machine(entry, catalog);
    case EntryKind::fabric: return show_fabric(entry);
    case EntryKind::space:
    case EntryKind::kernel: return show_plainly(entry);
    case EntryKind::engine: return show_engine(entry);
    case EntryKind::grid:
    case EntryKind::site:
    case EntryKind::filesystem:
    case EntryKind::price: return show_facts(entry);
    case EntryKind::failure: return show_failure(entry);
  }
  return Error{ErrorCode::internal, "", "an entry of no kind", ""};
}

Result<Json> facts_of_accelerator(const Entry& entry) {
  RIDGELINE_TRY(const Json json, entry_json(entry));
  const auto fields = json.find("fields");
  return facts_in(fields != json.end() ? *fields : Json::object());
}

Result<Json> list_entries(const Catalog& catalog, EntryKind kind) {
  Json rows = Json::array();
  for (const Entry* entry : catalog.entries(kind)) {
    Json notes = Json::array();
    RIDGELINE_TRY(const Json shown, show_entry(*entry, catalog, notes));
    rows.push_back(row_of(kind, shown));
  }
  return rows;
}

}  // namespace ridgeline::catalog
