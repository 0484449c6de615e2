// Service: a model and the devices of one replica that serves it, as the serving solvers take them.
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/physics/replica.h"
#include "ridgeline/physics/setting.h"
#include "ridgeline/spec/hardware.h"
#include "ridgeline/spec/totals.h"

namespace ridgeline::solve {

struct Service {
  Totals model;
  Hardware hardware;
  std::optional<Cluster> machine;
  physics::Setting setting;
  std::int64_t tp_size = 1;
  std::int64_t pp_size = 1;

  static constexpr auto fields() {
    return std::tuple(
        field(&Service::model, "model", "", "the model"),
        field(&Service::hardware, "hardware", "", "each device; the machine's if there is one"),
        field(&Service::machine, "machine", "", "whose links join the devices of a replica"),
        flat(&Service::setting),
        field(&Service::tp_size, "tp_size", "tp", "tensor-parallel ranks of a replica"),
        field(&Service::pp_size, "pp_size", "pp", "pipeline stages of a replica"));
  }
};

// Fills the hardware from the machine. Everything that a step's time and memory need is there.
Result<Service> check_service(const Service& service);

// The replica on its own devices, or on others of the same links.
physics::Replica replica_of(const Service& service, const Hardware& hardware);

}  // namespace ridgeline::solve
