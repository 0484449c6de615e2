#include "ridgeline/solve/service.h"

#include <fmt/format.h>

#include <algorithm>

#include "ridgeline/solve/model_checks.h"

namespace ridgeline::solve {
namespace {

bool has_rates(const Hardware& hw) {
  return std::any_of(hw.rates.begin(), hw.rates.end(),
                     [](FlopsPerSecond rate) { return rate.base() != 0; });
}

Status check_plan(const Service& s) {
  RIDGELINE_CHECK(check_degree_of("tp_size", s.tp_size));
  RIDGELINE_CHECK(check_degree_of("pp_size", s.pp_size));
  const std::int64_t heads = s.model.heads.value_or(0), layers = s.model.layers.value_or(0);
  if (heads > 0 && heads % s.tp_size != 0) {
    return out_of_range("tp_size",
                        fmt::format("tp_size {} does not divide {} heads", s.tp_size, heads),
                        fmt::format("{} does", nearest_divisor(heads, s.tp_size)));
  }
  if (layers > 0 && s.pp_size > layers) {
    return out_of_range("pp_size", fmt::format("{} stages for {} layers", s.pp_size, layers),
                        fmt::format("at most {}", layers));
  }
  const std::int64_t devices = s.tp_size * s.pp_size;
  if (devices == 1) return Ok{};
  if (!s.machine) return missing("machine", "the devices of a replica need links");
  if (!s.model.hidden) return missing("model/hidden_dim", "messages are as wide as the model");
  if (devices <= s.machine->device_count()) return Ok{};
  return out_of_range(s.tp_size > s.machine->device_count() ? "tp_size" : "pp_size",
                      fmt::format("{} devices of {}", devices, s.machine->device_count()),
                      fmt::format("tp_size x pp_size of at most {}", s.machine->device_count()));
}

}  // namespace

Result<Service> check_service(const Service& given) {
  Service s = given;
  if (s.machine) {
    RIDGELINE_CHECK(check_cluster(*s.machine));
    if (!has_rates(s.hardware)) s.hardware = s.machine->device;
  }
  RIDGELINE_CHECK(check_totals(s.model));
  RIDGELINE_CHECK(check_computes(s.model));
  RIDGELINE_CHECK(check_attends(s.model));
  RIDGELINE_CHECK(check_hardware(s.hardware));
  RIDGELINE_CHECK(check_setting(s.setting));
  RIDGELINE_CHECK(check_plan(s));
  RIDGELINE_CHECK(check_needed("hardware/memory_capacity", s.hardware.memory_capacity,
                               "it decides whether the model fits"));
  RIDGELINE_CHECK(check_needed("hardware/memory_bandwidth", s.hardware.memory_bandwidth,
                               "every step reads main memory"));
  RIDGELINE_CHECK(check_rate(s.hardware, s.model, s.setting));
  return s;
}

physics::Replica replica_of(const Service& s, const Hardware& hardware) {
  const LinkTree links = s.machine ? physics::links_of(*s.machine, s.setting) : LinkTree{};
  return physics::replica_of(s.model, hardware, s.setting, links, {s.tp_size, s.pp_size});
}

}  // namespace ridgeline::solve
