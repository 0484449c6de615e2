// Machines from and to JSON: registry entries, what a user writes, and `inputs` of an answer.
//
// Three forms are read: a name ("dgx-h100", "H100"); a change {"base": NAME, FIELD: value, ...}; a
// full tree {"name", "device": NAME | {fields}, "levels": [...]}. A field is its name with text
// that has a unit, or its name with a unit suffix and a number in that unit; both, or an unknown
// key, is an error. `where` of an error is the JSON pointer inside the value ("/levels/0/count").
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "ridgeline/base/result.h"
#include "ridgeline/catalog/catalog.h"
#include "ridgeline/spec/machine.h"

namespace ridgeline::catalog {

// FIELD of a change is
//   on chiplet-sip: a flat name of docs/chiplet-model.md section 2 ("bw_hbm_gbs": 512, "bw_hbm":
//   "512 GB/s"); on a tree: "device" (a name, or fields to change), "levels" (a list replaces them;
//   an object
//   {"node": {"count": 4}} changes levels by name), "tree_max", "ffn_chunk_tokens", or a dotted
//   path
//   ("device.memory_bandwidth": "4 TB/s", "levels.node.count": 4).
Result<Machine> read_machine(const nlohmann::json& value, const Catalog& catalog);
Result<Machine> read_machine(const nlohmann::ordered_json& value, const Catalog& catalog);

// The fields of one device: {"memory_capacity": "80 GB", "peak_flop_per_s": {"bf16": 989e12}, ...},
// laid over `base`.
Result<Accelerator> read_accelerator(const nlohmann::ordered_json& value, const Accelerator& base);

// What read_machine() turns into the same machine again. A chiplet machine: {"base": "chiplet-sip"}
// and all flat fields in order; a tree: {"name", "device", "levels", ...} with the units in the
// keys.
nlohmann::ordered_json write_machine(const Machine& machine);

}  // namespace ridgeline::catalog
