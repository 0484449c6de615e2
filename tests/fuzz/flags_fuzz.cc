// Any lines as the arguments of a command line: an answer, or an error that says something.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "ridgeline/app/arguments.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> arguments(1);
  for (std::size_t i = 0; i < size; ++i) {
    const char c = static_cast<char>(data[i]);
    if (c == '\n') {
      arguments.emplace_back();
    } else {
      arguments.back() += c;
    }
  }
  const auto line = ridgeline::app::parse_command_line(arguments);
  if (!line) return line.error().message.empty() ? std::abort(), 0 : 0;
  ridgeline::app::Context context;  // reads no files
  context.catalog = &ridgeline::catalog::Catalog::embedded();
  const auto request = ridgeline::app::make_request(*line, context, nullptr);
  if (!request && request.error().message.empty()) std::abort();
  return 0;
}
