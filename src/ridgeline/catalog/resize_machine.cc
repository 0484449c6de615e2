#include "ridgeline/catalog/resize_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ridgeline/base/integers.h"
#include "ridgeline/catalog/entry_json.h"
#include "ridgeline/catalog/read_machine.h"

namespace ridgeline::catalog {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kMostDevices = 1000000000;

void set_count(Level& level, std::int64_t count) {
  if (level.count != count) level.shape = {0, 0, 0};
  level.count = count;
}

// Fewer devices: levels that one group holds go away, the outermost that stays is cut.
Machine shrunk(const Machine& machine, std::int64_t devices) {
  Machine out = machine;
  out.levels.clear();
  std::int64_t inner = 1;
  for (const Level& level : machine.levels) {
    if (inner >= devices && !out.levels.empty()) break;
    Level kept = level;
    set_count(kept, std::min(level.count, ceil_div(devices, inner)));
    out.levels.push_back(kept);
    inner *= kept.count;
  }
  return out;
}

// As few nodes as hold the devices; filled evenly where that comes out, else whole.
Machine grown(const Machine& machine, Level outer, std::int64_t devices) {
  Machine out = machine;
  const std::int64_t copies = ceil_div(devices, machine.device_count());
  if (machine.levels.size() == 1 && devices % copies == 0) {
    set_count(out.levels[0], devices / copies);
  }
  set_count(outer, copies);
  out.levels.push_back(outer);
  return out;
}

}  // namespace

Result<std::optional<Level>> scale_out_of(std::string_view name, const Catalog& catalog) {
  const auto entry = catalog.find(EntryKind::machine, name);
  if (!entry) return std::optional<Level>{};
  RIDGELINE_TRY(const Json json, entry_json(**entry));
  const auto given = json.find("scale_out");
  if (given == json.end()) return std::optional<Level>{};
  Json level = *given;
  level["count"] = 1;
  const Json one{{"device", json["device"]}, {"levels", Json::array({level})}};
  RIDGELINE_TRY(const Machine machine, read_machine(one, catalog));
  return std::optional<Level>(machine.levels[0]);
}

Result<Machine> resized(const Machine& machine, const std::optional<Level>& scale_out,
                        std::int64_t devices) {
  if (devices < 1 || devices > kMostDevices) {
    return Error{ErrorCode::out_of_range, "", fmt::format("{} devices", devices),
                 fmt::format("from 1 to {}", kMostDevices)};
  }
  const std::int64_t has = machine.device_count();
  if (devices == has) return machine;
  if (devices < has) return shrunk(machine, devices);
  if (!scale_out || machine.levels.size() == kMaxLevels) {
    return Error{
        ErrorCode::out_of_range, "",
        fmt::format("{} has {} devices, and nothing says how more are joined", machine.name, has),
        "a node or cluster from: ridgeline list machines, or a machine with \"levels\""};
  }
  return grown(machine, *scale_out, devices);
}

}  // namespace ridgeline::catalog
