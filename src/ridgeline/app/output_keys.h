// Output keys: what each command answers, path by path, for `schema`; a test holds answers against
// it.
#pragma once

#include <span>
#include <string_view>

namespace ridgeline::app {

// "result.layers[].count": an object member after a dot, a list item after []. `type` is one of
// JSON Schema, "?" behind it: may be null; or "@name": the keys of that group stand below the path.
struct OutputKey {
  const char* path;
  const char* type;
  const char* help;
};

// Of a command's `result`; empty: any object.
std::span<const OutputKey> result_keys(std::string_view command);

// Of a group: "@stage", "@row", "@holding".
std::span<const OutputKey> group_keys(std::string_view group);

}  // namespace ridgeline::app
