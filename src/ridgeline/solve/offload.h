#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"
#include "ridgeline/solve/answer.h"

namespace ridgeline::solve::offload {

inline constexpr char kCard[] = R"(
What should move from a device to host memory or flash, and how much of the traffic does compute
hide?

Equations
  (1) shortfall = optimizer + activations + weights + resident - memory
  (2) order     = least bytes moved per byte freed: optimizer states updated on the host 1/3
                  (2 P gradients out and 2 P weights in for 12 P freed), activations 2 (out and in),
                  weights 2 (forward and backward)                                    [ren2021]
  (3) moved     = sum of freed x moved per byte; where bytes moved are given, those
  (4) transfer  = max(moved/link, moved to flash/flash);  flash takes what the host cannot hold
  (5) exposed   = max(0, transfer - t_stage),  required bandwidth = moved/t_stage
Assumes     traffic overlaps the stage's compute wholly; a part may move in portions.
Leaves out  the time of the update on the host; pinned buffers.
Trust       an infinite link costs nothing; what is freed covers the shortfall and no more.
)";

enum class Part : std::uint8_t { optimizer, activations, weights };
enum class Reason : std::uint8_t { none, memory, host_memory };

inline std::span<const char* const> names_of(Part) {
  static constexpr std::array<const char*, 3> kNames = {"optimizer", "activations", "weights"};
  return kNames;
}
inline std::span<const char* const> names_of(Reason) {
  static constexpr std::array<const char*, 3> kNames = {"none", "memory", "host memory"};
  return kNames;
}

struct Inputs {
  Seconds stage;
  std::optional<BytesPerSecond> host_link, flash_bandwidth;
  std::optional<Bytes> moved;
  Bytes optimizer, activations, weights, resident;
  std::optional<Bytes> memory_capacity, host_capacity;
  double optimizer_moves = 1.0 / 3, activations_moves = 2, weights_moves = 2;

  static constexpr auto fields() {
    return std::tuple(
        field(&Inputs::stage, "stage", "t_stage", "compute that hides the traffic"),
        field(&Inputs::host_link, "host_link", "link", "to the host's memory, one direction"),
        field(&Inputs::flash_bandwidth, "flash_bandwidth", "flash", "of the flash behind the host"),
        field(&Inputs::moved, "moved", "moved", "in a stage, in place of what is to be placed"),
        field(&Inputs::optimizer, "optimizer", "", "states on the device"),
        field(&Inputs::activations, "activations", "", "stored on the device"),
        field(&Inputs::weights, "weights", "", "on the device"),
        field(&Inputs::resident, "resident", "", "all that cannot move"),
        field(&Inputs::memory_capacity, "memory_capacity", "memory", "of the device"),
        field(&Inputs::host_capacity, "host_capacity", "", "host memory for what moves"),
        field(&Inputs::optimizer_moves, "optimizer_moves", "",
              "bytes moved in a stage per byte of optimizer states freed"),
        field(&Inputs::activations_moves, "activations_moves", "", "and of activations"),
        field(&Inputs::weights_moves, "weights_moves", "", "and of weights"));
  }
};

struct Output {
  std::optional<Seconds> exposed;
  BytesPerSecond required_bandwidth;
  std::optional<Seconds> transfer;
  Bytes moved, freed, shortfall, host, flash;
  bool feasible = true;
  Reason reason = Reason::none;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::exposed, "exposed", "exposed", "not hidden; none without a link"),
        field(&Output::required_bandwidth, "required_bandwidth", "", "that hides all of it"),
        field(&Output::transfer, "transfer", "transfer", "time of the traffic"),
        field(&Output::moved, "moved", "moved", "bytes in a stage"),
        field(&Output::freed, "freed", "freed", "bytes that leave the device"),
        field(&Output::shortfall, "shortfall", "shortfall", "bytes beyond the device's memory"),
        field(&Output::host, "host", "", "bytes that host memory takes"),
        field(&Output::flash, "flash", "", "bytes that flash takes"),
        field(&Output::feasible, "feasible", "", "everything has a place"),
        field(&Output::reason, "reason", "", "what makes it infeasible"));
  }
};

struct Placed {
  static constexpr const char* kListName = "placement";
  Part part = Part::optimizer;
  Bytes device, host, flash, moved;

  static constexpr auto fields() {
    return std::tuple(field(&Placed::part, "part", "", "what"),
                      field(&Placed::device, "device", "", "bytes that stay"),
                      field(&Placed::host, "host", "", "bytes in host memory"),
                      field(&Placed::flash, "flash", "", "bytes in flash"),
                      field(&Placed::moved, "moved", "", "bytes in a stage"));
  }
};

Result<Inputs> check(const Inputs& in);

// REQUIRES: `in` passed check(). Rows: the parts in the order in which they leave.
Answer<Output, Placed> solve(const Inputs& in);

}  // namespace ridgeline::solve::offload
