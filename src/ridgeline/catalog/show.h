// What `show KIND NAME` and `list KIND` answer: the `result` object, built from specs and entries.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "ridgeline/base/result.h"
#include "ridgeline/catalog/catalog.h"
#include "ridgeline/physics/kv_cache.h"
#include "ridgeline/spec/model.h"

namespace ridgeline::catalog {

// `result` of `show model` at a cache precision. What the model does not tell is null, and a note
// {"code", "message", "where"} is appended to `notes` (an array) for each such group of keys.
nlohmann::ordered_json show_model(const Model& model, Precision kv_precision,
                                  physics::MlaForm mla_form, nlohmann::ordered_json& notes);

// `result` of `show accelerator|machine|fabric|space NAME`, with the source of each number; of a
// model entry: as show_model() at bf16, latent, with the sources of the entry.
Result<nlohmann::ordered_json> show_entry(const Entry& entry, const Catalog& catalog,
                                          nlohmann::ordered_json& notes);

// What of `show accelerator` is no part of a spec: {"tdp_w": 700, ...}; null where it is not
// stated.
Result<nlohmann::ordered_json> facts_of_accelerator(const Entry& entry);

// Rows of `list KIND`, sorted by name: [{"name", "aliases", a few facts, "source"}].
Result<nlohmann::ordered_json> list_entries(const Catalog& catalog, EntryKind kind);

}  // namespace ridgeline::catalog
