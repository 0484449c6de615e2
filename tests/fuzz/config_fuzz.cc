// Any text as a config.json: refused with an error or imported into a model whose counts add up.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ridgeline/catalog/catalog.h"
#include "ridgeline/physics/parameters.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto model = ridgeline::catalog::import_config(text, "fuzzed");
  if (!model) return model.error().message.empty() ? std::abort(), 0 : 0;
  const auto count = ridgeline::physics::count_parameters(*model);
  if (count.total < 0 || count.active < 0 || count.active > count.total) std::abort();
  return 0;
}
