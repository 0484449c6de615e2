// Any text: parsing quantities, counts and names never crashes, and what parses is finite.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "ridgeline/base/text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const ridgeline::Dim dim : {ridgeline::Dim{.byte = 1}, ridgeline::Dim{.time = 1},
                                   ridgeline::Dim{.time = -1, .byte = 1}, ridgeline::Dim{}}) {
    const auto parsed = ridgeline::parse_quantity(text, dim);
    if (parsed && !std::isfinite(*parsed)) std::abort();
  }
  (void)ridgeline::parse_count(text, ridgeline::CountScale::tokens);
  const std::vector<std::string> names = {"llama-3.1-70b", "context", ""};
  (void)ridgeline::did_you_mean(text, names);
  return 0;
}
