// Any text as a spec file of inspect: refused with an error, or a document.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ridgeline/app/arguments.h"
#include "ridgeline/app/flow.h"
#include "ridgeline/app/spec_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ridgeline::app;
  const auto spec = parse_spec({reinterpret_cast<const char*>(data), size});
  if (!spec) return spec.error().message.empty() ? std::abort(), 0 : 0;
  Context context;  // reads no files
  context.catalog = &ridgeline::catalog::Catalog::embedded();
  const auto command = find_command("inspect");
  const auto request = make_request(**command, spec->value, context);
  if (!request) return request.error().message.empty() ? std::abort(), 0 : 0;
  const auto status =
      run(*request, context, ridgeline::report::Colour::off, [](std::string_view) { return true; });
  if (!status && status.error().message.empty()) std::abort();
  return 0;
}
