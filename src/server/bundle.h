// Bundle: the files of the dashboard, gzipped, as the program holds them.
#pragma once

#include <span>
#include <string_view>

namespace ridgeline::server {

struct Asset {
  std::string_view path;  // "/index.html", "/assets/index-1f2e.js"
  std::string_view gzipped;
};

// Empty where the program was built without the dashboard.
std::span<const Asset> bundle();

}  // namespace ridgeline::server
