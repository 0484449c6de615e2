// UTF-8: what a terminal shows, and bytes that are safe to print.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ridgeline::report {

// The code point at text[i]; moves i behind it. Bytes that are not UTF-8 give U+FFFD, one at a
// time.
char32_t next_code_point(std::string_view text, std::size_t& i);

void append_utf8(std::string& out, char32_t code_point);

// Columns that the text takes on a terminal: combining marks none, East Asian wide characters two.
std::size_t display_width(std::string_view text);

// The text without control characters and invalid bytes, which become U+FFFD.
std::string printable(std::string_view text);

}  // namespace ridgeline::report
