#include "ridgeline/catalog/entry_json.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "ridgeline/catalog/config_reader.h"

namespace ridgeline::catalog {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kFacts = {
    Fact{"tdp", "tdp_w", Watts::kDim},
    Fact{"link_bandwidth", "link_bandwidth_bytes_per_s", BytesPerSecond::kDim},
    Fact{"host_bandwidth", "host_bandwidth_bytes_per_s", BytesPerSecond::kDim},
    Fact{"on_chip_memory", "on_chip_memory_bytes", Bytes::kDim},
    Fact{"vector_peak_fp32", "vector_peak_fp32_flop_per_s", FlopsPerSecond::kDim},
    Fact{"memory_util", "memory_util", Dim{}},
    Fact{"layer_overhead", "layer_overhead_s", Seconds::kDim},
    Fact{"compute_units", "compute_units", Dim{}},
    Fact{"release_year", "release_year", Dim{}},
};

// Keys of a machine's file that say where its numbers come from.
constexpr std::array<const char*, 6> kAbout = {"kind", "aliases",     "sources",
                                               "note", "description", "scale_out"};

}  // namespace

std::span<const Fact> accelerator_facts() {
  return kFacts;
}

Result<Json> entry_json(const Entry& entry) {
  auto json = parse_json_object(entry.text);
  if (json) return json;
  Error error = json.error();
  error.message = "the registry entry " + entry.name + ": " + error.message;
  return error;
}

Result<Json> accelerator_fields(const Entry& entry) {
  RIDGELINE_TRY(const Json json, entry_json(entry));
  const auto fields = json.find("fields");
  if (fields == json.end() || !fields->is_object()) {
    return Error{ErrorCode::missing, "/fields", "the entry " + entry.name + " has no fields", ""};
  }
  Json out = Json::object();
  for (const auto& item : fields->items()) {
    const std::string& name = item.key();
    const Json& field = item.value();
    const bool fact =
        std::any_of(kFacts.begin(), kFacts.end(), [&](const Fact& f) { return name == f.name; });
    if (fact) continue;
    const auto value = field.is_object() ? field.find("value") : field.end();
    if (!field.is_object() || value == field.end()) {
      return Error{ErrorCode::missing, "/fields/" + name + "/value", "the field has no value", ""};
    }
    out[name] = *value;
  }
  return out;
}

Result<Json> machine_form(const Entry& entry) {
  RIDGELINE_TRY(Json json, entry_json(entry));
  for (const char* key : kAbout) json.erase(key);
  json["name"] = entry.name;
  return json;
}

}  // namespace ridgeline::catalog
