// Spec files: YAML or JSON text into the input object, with caps on size and depth.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "ridgeline/app/request.h"
#include "ridgeline/base/result.h"

namespace ridgeline::app {

struct Spec {
  Json value;
  std::map<std::string, int> lines;  // JSON pointer -> line (YAML)
};

// Text that starts with '{' or '[' is JSON, anything else YAML. Errors: bad_value with the line,
// conflict for a key that stands twice; `where` is empty or a pointer.
Result<Spec> parse_spec(std::string_view text);

// JSON text alone: what a flag or a config.json holds.
Result<Json> parse_json(std::string_view text);

}  // namespace ridgeline::app
