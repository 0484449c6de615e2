// The files of data/ as they were at build; made by cmake/embed.cmake.
#pragma once

#include <span>
#include <string_view>

#include "ridgeline/catalog/catalog.h"

namespace ridgeline::catalog {

struct RegistryFile {
  EntryKind kind;
  std::string_view name;
  std::span<const std::string_view> aliases;
  std::string_view text;
};

// Sorted by kind, then by name as cmake sorts them.
std::span<const RegistryFile> registry_files();

}  // namespace ridgeline::catalog
