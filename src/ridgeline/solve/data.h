#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"

namespace ridgeline::solve::data {

inline constexpr char kCard[] = R"(
Does storage feed a job, and what does it cost where it does not?

Equations
  (1) demand  = data_rate (1 - hit),  data_rate given, or samples per second x bytes of a sample
  (2) supply  = the least of storage, host link and network that are given
  (3) u       = demand/supply,  margin = supply - demand; u > 1 stalls      [mohan2021]
  (4) exposed = step (u - 1), time by which each step grows
  (5) depth   = ceil(t99/step), batches to fetch ahead so that a read of t99 is hidden (Little)
Assumes     the three work one after another on a stream, so that the slowest sets the rate; a
            share `hit` of the bytes comes from memory.
Leaves out  decoding and augmentation on the host (transformation).
Trust       hit = 1 asks for nothing; more of any rate never lowers the supply.
)";

enum class Bottleneck : std::uint8_t { storage, host_link, network };

inline std::span<const char* const> names_of(Bottleneck) {
  static constexpr std::array<const char*, 3> kNames = {"storage", "host link", "network"};
  return kNames;
}

struct Inputs {
  std::optional<BytesPerSecond> data_rate;
  std::optional<double> samples_per_s;
  std::optional<Bytes> sample;
  std::optional<BytesPerSecond> storage_bandwidth, host_link, network_bandwidth;
  double cache_hit_fraction = 0;
  std::int64_t prefetch_depth = 2;
  std::optional<Seconds> step, read_p99;

  static constexpr auto fields() {
    return std::tuple(
        field(&Inputs::data_rate, "data_rate", "", "that the job reads"),
        field(&Inputs::samples_per_s, "samples_per_s", "", "in place of data_rate"),
        field(&Inputs::sample, "sample", "", "stored size of one sample"),
        field(&Inputs::storage_bandwidth, "storage_bandwidth", "", "of the storage, reading"),
        field(&Inputs::host_link, "host_link", "", "from the host to the devices"),
        field(&Inputs::network_bandwidth, "network_bandwidth", "", "from storage to the host"),
        field(&Inputs::cache_hit_fraction, "cache_hit_fraction", "hit", "of the bytes, cached"),
        field(&Inputs::prefetch_depth, "prefetch_depth", "", "batches fetched ahead"),
        field(&Inputs::step, "step", "step", "of the job, fed"),
        field(&Inputs::read_p99, "read_p99", "t99", "99th percentile of the read of a batch"));
  }
};

struct Output {
  double utilization_fraction = 0;
  BytesPerSecond demand, supply, margin;
  bool stalled = false;
  Bottleneck bottleneck = Bottleneck::storage;
  std::optional<Seconds> stall;
  std::optional<std::int64_t> needed_prefetch_depth;
  std::optional<bool> reads_hidden;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::utilization_fraction, "utilization_fraction", "u", "demand over supply"),
        field(&Output::demand, "demand", "demand", "beyond the cache"),
        field(&Output::supply, "supply", "supply", "of the slowest part"),
        field(&Output::margin, "margin", "margin", "supply less demand"),
        field(&Output::stalled, "stalled", "", "devices wait for data"),
        field(&Output::bottleneck, "bottleneck", "", "the slowest part"),
        field(&Output::stall, "stall", "exposed", "wait of each step"),
        field(&Output::needed_prefetch_depth, "needed_prefetch_depth", "depth",
              "batches that hide a slow read"),
        field(&Output::reads_hidden, "reads_hidden", "", "prefetch_depth is that deep"));
  }
};

// Fills data_rate from samples.
Result<Inputs> check(const Inputs& in);

// Pure and allocation-free. REQUIRES: `in` came from check().
Output solve(const Inputs& in);

}  // namespace ridgeline::solve::data
