// Numbers as text for machines: the shortest that reads back as the same value.
#pragma once

#include <cstdint>
#include <string>

namespace ridgeline::report {

// Appends nothing and returns false for a value that is not finite.
bool append_number(std::string& out, double value);
void append_number(std::string& out, std::int64_t value);

std::string number_text(double value);  // "null" where not finite

}  // namespace ridgeline::report
