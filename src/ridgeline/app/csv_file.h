// CSV: text of RFC 4180 (quotes, quoted line ends, CRLF) into a table of texts.
#pragma once

#include <string>
#include <string_view>

#include "ridgeline/base/result.h"
#include "ridgeline/validate/table.h"

namespace ridgeline::app {

// The first line names the columns; short rows are filled with empty cells, empty lines left out.
// Errors, `where` empty: bad_value with the line.
Result<validate::Table> parse_csv(std::string_view text, std::string name);

}  // namespace ridgeline::app
