// The entries of REFERENCES.md as they were at build; made by cmake/embed_references.cmake.
#pragma once

#include <span>
#include <string_view>

namespace ridgeline::catalog {

struct Reference {
  std::string_view key;   // "young1974"
  std::string_view text;  // the citation, on one line
};

std::span<const Reference> references();

}  // namespace ridgeline::catalog
