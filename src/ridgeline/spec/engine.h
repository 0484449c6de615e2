// Engine: what a serving engine keeps of a device's memory for itself, and how it divides the rest.
// The numbers are data (data/engines/), each with its source; the values here are those of no
// engine in particular.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/units.h"

namespace ridgeline {

// The memory that `memory_utilization` is a share of.
enum class UtilizationOf : std::uint8_t {
  total,  // of the device: weights, activations and cache share it
  free    // of what is left once weights and buffers are there: the cache alone
};

inline std::span<const char* const> names_of(UtilizationOf) {
  static constexpr std::array<const char*, 2> kNames = {"total", "free"};
  return kNames;
}

struct Engine {
  std::string name;     // empty: none in particular
  std::string version;  // that the numbers were read in
  double memory_utilization = 0.9;
  UtilizationOf utilization_of = UtilizationOf::total;
  std::int64_t block_size = 16;        // tokens per block of the cache
  std::int64_t prefill_tokens = 8192;  // most tokens of one pass
  // Runtime on each device: context and libraries; captured graphs; buffers of collectives, where
  // a replica has more than one device. Means of what engines log [vllm-10517] [vllm-12126]
  // [vllm-10511].
  Bytes context = 0.35 * gibibyte;
  Bytes graphs = 0.5 * gibibyte;
  Bytes communication = 0.5 * gibibyte;
  // A reserve by rule in place of estimated activations and runtime; none when all are zero.
  Bytes reserve;  // fixed
  Bytes reserve_per_prefill_token;
  Bytes reserve_per_device;   // for each device of the replica
  Bytes reserve_least;        // at least so much ...
  Bytes reserve_least_above;  // ... on devices with more memory than this

  static constexpr auto fields() {
    return std::tuple(
        field(&Engine::memory_utilization, "memory_utilization", "u", "share that may be used"),
        field(&Engine::utilization_of, "utilization_of", "", "the memory it is a share of"),
        field(&Engine::block_size, "block_size", "", "tokens per block of the cache"),
        field(&Engine::prefill_tokens, "prefill_tokens", "", "most tokens of one pass"),
        field(&Engine::context, "context", "", "driver context and libraries"),
        field(&Engine::graphs, "graphs", "", "captured graphs"),
        field(&Engine::communication, "communication", "", "buffers of collectives"),
        field(&Engine::reserve, "reserve", "", "fixed part of a reserve by rule"),
        field(&Engine::reserve_per_prefill_token, "reserve_per_prefill_token", "",
              "part of that reserve per token of a pass"),
        field(&Engine::reserve_per_device, "reserve_per_device", "",
              "part of that reserve per device of a replica"),
        field(&Engine::reserve_least, "reserve_least", "", "its least on large devices"),
        field(&Engine::reserve_least_above, "reserve_least_above", "",
              "memory above which a device is large"));
  }

  bool reserves_by_rule() const {
    return reserve.base() > 0 || reserve_per_prefill_token.base() > 0 ||
           reserve_per_device.base() > 0;
  }
};

}  // namespace ridgeline
