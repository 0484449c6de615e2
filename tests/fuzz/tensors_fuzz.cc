// Any bytes as a file of weights: refused with an error, or tensors that lie inside the file.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ridgeline/catalog/catalog.h"
#include "ridgeline/catalog/tensor_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ridgeline;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto bytes = static_cast<std::int64_t>(size);
  const auto file = catalog::is_gguf(text) ? catalog::read_gguf(text, bytes)
                                           : catalog::read_safetensors(text, bytes);
  if (!file) return file.error().message.empty() ? std::abort(), 0 : 0;
  if (file->bytes() < 0 || file->bytes() > bytes || file->params() > file->elements()) std::abort();
  if (file->format != catalog::TensorFormat::gguf) return 0;
  const auto config = catalog::config_of_gguf(*file);
  if (!config) return config.error().message.empty() ? std::abort(), 0 : 0;
  const auto model = catalog::import_config(*config, "fuzzed");
  if (!model && model.error().message.empty()) std::abort();
  return 0;
}
