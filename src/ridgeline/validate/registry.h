// Registry: how rows find what they name. The layer above fills it.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "ridgeline/base/result.h"
#include "ridgeline/spec/hardware.h"
#include "ridgeline/spec/model.h"

namespace ridgeline::validate {

struct Registry {
  // By name or alias; case and punctuation do not count.
  std::function<Result<Model>(std::string_view name)> model;
  // So many devices of the kind, joined as the registry's machines join them.
  std::function<Result<Cluster>(std::string_view device, std::int64_t count)> cluster;
  // The registry's short name of a device: "H100" of "H100-SXM-80GB"; as given where there is none.
  std::function<std::string(std::string_view device)> short_name;
};

}  // namespace ridgeline::validate
