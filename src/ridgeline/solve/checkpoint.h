#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"
#include "ridgeline/physics/setting.h"
#include "ridgeline/solve/training_memory.h"
#include "ridgeline/spec/hardware.h"
#include "ridgeline/spec/totals.h"

namespace ridgeline::solve::checkpoint {

inline constexpr char kCard[] = R"(
How large is a checkpoint, how long does it take to write and restore, and what time does it steal?

Equations
  (1) bytes  = P (b + o_B)       o_B of training-memory (3): Adam 12, SGD with momentum 8, SGD 4
  (2) bw     = min(n writer, limit),  write = bytes/bw
  (3) stall  = write; async: snapshot = bytes/(ranks x link), the write goes on under the next
      steps; incremental: bytes x changed share                                 [eisenman2022]
  (4) share  = stall/interval, interval from start to start; write > interval: infeasible, share 1
  (5) restore = bytes read by every replica/min(n read, limit)
Assumes     writers share the bytes evenly; reads are as fast as writes.
Leaves out  metadata, compression, storage that slows as it fills.
Trust       (1) is exact for weights and optimizer states; data loaders and random states are small.
)";

enum class Mode : std::uint8_t { sync, async, incremental };
enum class Reason : std::uint8_t { none, write_time };

inline std::span<const char* const> names_of(Mode) {
  static constexpr std::array<const char*, 3> kNames = {"sync", "async", "incremental"};
  return kNames;
}
inline std::span<const char* const> names_of(Reason) {
  static constexpr std::array<const char*, 2> kNames = {"none", "write-time"};
  return kNames;
}

struct Inputs {
  Totals model;
  std::optional<Hardware> hardware;
  physics::Setting setting;
  training_memory::Optimizer optimizer = training_memory::Optimizer::adam;
  std::optional<Precision> checkpoint_precision;
  Seconds checkpoint_interval = 14400 * second;
  std::int64_t n_writers = 1;
  std::optional<BytesPerSecond> writer_bandwidth, filesystem_limit;
  Mode mode = Mode::sync;
  std::optional<double> changed_fraction;
  std::optional<std::int64_t> ranks;
  std::optional<BytesPerSecond> snapshot_bandwidth;
  std::int64_t replicas = 1;

  static constexpr auto fields() {
    return std::tuple(
        field(&Inputs::model, "model", "", "the model"),
        field(&Inputs::hardware, "hardware", "", "whose storage and host link are used"),
        flat(&Inputs::setting),
        field(&Inputs::optimizer, "optimizer", "", "whose states are saved"),
        field(&Inputs::checkpoint_precision, "checkpoint_precision", "b",
              "of the weights as saved; as trained if not given"),
        field(&Inputs::checkpoint_interval, "checkpoint_interval", "interval",
              "from the start of one save to that of the next"),
        field(&Inputs::n_writers, "n_writers", "n", "that write at once"),
        field(&Inputs::writer_bandwidth, "writer_bandwidth", "writer",
              "of one writer; the device's storage if not given"),
        field(&Inputs::filesystem_limit, "filesystem_limit", "limit", "of all of them"),
        field(&Inputs::mode, "mode", "", "what the job waits for"),
        field(&Inputs::changed_fraction, "changed_fraction", "", "that an increment holds"),
        field(&Inputs::ranks, "ranks", "", "that take the snapshot; the writers if not given"),
        field(&Inputs::snapshot_bandwidth, "snapshot_bandwidth", "link",
              "from device to host; the host link if not given"),
        field(&Inputs::replicas, "replicas", "", "that read the checkpoint to restore"));
  }
};

struct Output {
  Bytes checkpoint;
  Seconds write, restore, stall;
  double stall_fraction = 0;
  BytesPerSecond write_bandwidth;
  Bytes storage_per_day;
  bool feasible = true;
  Reason reason = Reason::none;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::checkpoint, "checkpoint", "bytes", "of weights and optimizer"),
        field(&Output::write, "write", "write", "until it is stored"),
        field(&Output::restore, "restore", "restore", "until it is read back"),
        field(&Output::stall, "stall", "stall", "that the job waits"),
        field(&Output::stall_fraction, "stall_fraction", "share", "of the time"),
        field(&Output::write_bandwidth, "write_bandwidth", "bw", "that is used"),
        field(&Output::storage_per_day, "storage_per_day", "", "written in a day",
              {"storage_bytes_per_day", 1}),
        field(&Output::feasible, "feasible", "", "a save ends before the next one starts"),
        field(&Output::reason, "reason", "", "why it does not"));
  }
};

// Fills bandwidths from the device.
Result<Inputs> check(const Inputs& in);

// Pure and allocation-free. REQUIRES: `in` came from check().
Output solve(const Inputs& in);

}  // namespace ridgeline::solve::checkpoint
