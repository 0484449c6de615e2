// Names: models, devices and machines by name, file or object, as solvers take them.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "ridgeline/app/request.h"
#include "ridgeline/base/result.h"
#include "ridgeline/spec/engine.h"
#include "ridgeline/spec/hardware.h"
#include "ridgeline/spec/kernels.h"
#include "ridgeline/spec/machine.h"
#include "ridgeline/spec/model.h"
#include "ridgeline/spec/totals.h"

namespace ridgeline::app {

// `where` of errors is a pointer inside the value, or names a place in a file.
class Names {
 public:
  explicit Names(const Context& context) : context_(context) {}

  // Machines are taken with so many devices.
  void set_devices(std::int64_t devices) { devices_ = devices; }

  // Models live as long as this object.
  Result<const Model*> model(const Json& value);
  Result<Totals> totals(const Json& value);
  Result<Hardware> hardware(const Json& value);
  Result<Hardware> device(const std::string& name) const;  // of the registry
  Result<Cluster> cluster(const Json& value);

  // What was measured of a device's kernels, and the rate of its links; nothing where the registry
  // does not know, and no curves for a device whose rates differ from its entry's. Curves live as
  // long as this object.
  struct Measured {
    const Kernels* kernels = nullptr;
    std::optional<BytesPerSecond> link_bandwidth;
  };
  Result<Measured> measured(const Json& hardware);

  // A tree; a `hardware` object stands for one device.
  Result<Machine> machine(const Json& value);
  Result<Machine> machine_of_hardware(const Json& value);

  // What a serving engine keeps for itself; the error names the engines.
  Result<Engine> engine(const Json& value);

  // Is the object a model by its totals, rather than a config?
  static bool is_totals(const Json& value);

 private:
  Result<Machine> resized(Machine machine, const Json& value) const;
  Hardware hardware_of(const Accelerator& device) const;
  Cluster cluster_of(const Machine& machine) const;
  void sustain(const std::string& device, Sustained& out) const;
  std::optional<double> registry_fact(const std::string& device, const char* key) const;
  MeasuredLink measured_link(const std::string& device) const;

  const Context& context_;
  std::optional<std::int64_t> devices_;
  std::deque<Model> models_;
  std::deque<Kernels> kernels_;
};

}  // namespace ridgeline::app
