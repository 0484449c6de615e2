// Registry: how rows find what they name. The layer above fills it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgeline/base/result.h"
#include "ridgeline/solve/reliability.h"
#include "ridgeline/spec/hardware.h"
#include "ridgeline/spec/kernels.h"
#include "ridgeline/spec/model.h"

namespace ridgeline::validate {

struct Registry {
  // By name or alias; case and punctuation do not count.
  std::function<Result<Model>(std::string_view name)> model;
  // So many devices of the kind, joined as the registry's machines join them.
  std::function<Result<Cluster>(std::string_view device, std::int64_t count)> cluster;
  // The curves of the device's kernels; null where there are none. They outlive the registry.
  std::function<const Kernels*(std::string_view device)> kernels;
  // A number of an entry of the kind ("grid", "site", "filesystem"), of the year where past ones
  // are kept; nothing where there is none.
  std::function<std::optional<double>(std::string_view kind, std::string_view name,
                                      std::string_view key, std::optional<std::int64_t> year)>
      fact;
  // The parts of a node whose failure stops a job; empty where the registry does not know.
  std::function<std::vector<solve::reliability::Part>(std::string_view name)> parts;
  // The registry's short name of a device: "H100" of "H100-SXM-80GB"; as given where there is none.
  std::function<std::string(std::string_view device)> short_name;
};

}  // namespace ridgeline::validate
