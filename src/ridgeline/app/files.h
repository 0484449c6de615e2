// Files: the only place where app opens any. Sizes are capped; a directory or a device is no file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ridgeline/app/request.h"
#include "ridgeline/base/result.h"

namespace ridgeline::app {

struct File {
  std::string path;  // as found
  std::string text;
};

// The named file, looked for in the context's folders and then as given. Errors: io, `where` empty.
Result<File> read_file(std::string_view name, const Context& context);

// The beginning of a file that may be larger than any that is read whole.
struct Head {
  std::string text;  // at most 128 MiB
  std::int64_t file_bytes = 0;
};
Result<Head> read_head(std::string_view name, const Context& context);

// Is there such a file? Never opens it.
bool file_exists(std::string_view name, const Context& context);

// "a/b/config.json" -> "config": what a model or machine from a file is called.
std::string stem_of(std::string_view path);

// "a/b/config.json" -> "a/b"; "." where there is no slash.
std::string folder_of(std::string_view path);

}  // namespace ridgeline::app
