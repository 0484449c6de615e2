// JSON values as text for readers: the unit that the key names decides how a number is shown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ridgeline/app/request.h"
#include "ridgeline/report/document.h"

namespace ridgeline::app {

// "80 GB" for memory_bytes 8e10, "8,030,261,248" for total_params; "-" for null, lists joined.
std::string value_text(std::string_view key, const Json& value);

// "memory" of "memory_bytes", "total params" of "total_params".
std::string key_text(std::string_view key);

// A table of objects with the same keys, in the order of the first.
report::Table table_of(const Json& rows);

// The same as rows for CSV; lists are joined with spaces.
report::Rows rows_of(const Json& rows);

// Facts of the plain members of an object; objects in it become headed sections, lists of objects
// tables.
std::vector<report::Section> sections_of(const Json& object);

// The envelope that every answer has.
Json envelope(const char* command, Json inputs, Json result, Json basis, Json notes);

}  // namespace ridgeline::app
