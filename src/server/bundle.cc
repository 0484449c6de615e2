#include "server/bundle.h"

#include <cstddef>
#include <vector>

#define X(number, path)                             \
  extern "C" const char ridgeline_asset_##number[]; \
  extern "C" const char ridgeline_asset_##number##_end[];
#include "assets.inc"
#undef X

namespace ridgeline::server {

std::span<const Asset> bundle() {
  static const std::vector<Asset> kAssets = {
#define X(number, path)            \
  Asset{path,                      \
        {ridgeline_asset_##number, \
         static_cast<std::size_t>(ridgeline_asset_##number##_end - ridgeline_asset_##number)}},
#include "assets.inc"
#undef X
  };
  return kAssets;
}

}  // namespace ridgeline::server
