// What a registry entry's file says beside the numbers themselves.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>

#include "ridgeline/base/result.h"
#include "ridgeline/catalog/catalog.h"
#include "ridgeline/spec/machine.h"

namespace ridgeline::catalog {

// Facts of an accelerator that are shown, but no field of its spec.
struct Fact {
  const char* name;  // in the entry's fields
  const char* key;   // in `show`, with its unit
  Dim dim;
};
std::span<const Fact> accelerator_facts();

// The file parsed; error internal when it is not an object.
Result<nlohmann::ordered_json> entry_json(const Entry& entry);

// An accelerator's {field: value}, without facts and sources.
Result<nlohmann::ordered_json> accelerator_fields(const Entry& entry);

// A machine's file in the form that read_machine() takes.
Result<nlohmann::ordered_json> machine_form(const Entry& entry);

// Catalog::machine(); `depth` counts the "base" entries on the way.
Result<Machine> named_machine(const Catalog& catalog, std::string_view name, int depth);

}  // namespace ridgeline::catalog
