#include "ridgeline/report/numbers.h"

#include <array>
#include <charconv>
#include <cmath>

namespace ridgeline::report {

bool append_number(std::string& out, double value) {
  if (!std::isfinite(value)) return false;
  std::array<char, 40> buffer{};
  const double positive_zero = value == 0 ? 0.0 : value;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), positive_zero);
  out.append(buffer.data(), end.ptr);
  return true;
}

void append_number(std::string& out, std::int64_t value) {
  std::array<char, 24> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  out.append(buffer.data(), end.ptr);
}

std::string number_text(double value) {
  std::string out;
  if (!append_number(out, value)) out = "null";
  return out;
}

}  // namespace ridgeline::report
