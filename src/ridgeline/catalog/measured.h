// The tables of data/measured/ as they were at build: published measurements, each row with its
// source. Made by cmake/embed_tables.cmake.
#pragma once

#include <span>
#include <string_view>

namespace ridgeline::catalog {

struct MeasuredFile {
  std::string_view name;  // "training.csv"
  std::string_view text;
};

// Sorted by name.
std::span<const MeasuredFile> measured_files();

}  // namespace ridgeline::catalog
