// Hardware: one device as the solvers see it, every number in the open; Cluster: nodes of such
// devices behind two levels of links. A registry entry fills the same fields.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <tuple>

#include "ridgeline/base/few.h"
#include "ridgeline/base/fields.h"
#include "ridgeline/base/units.h"
#include "ridgeline/spec/precision.h"

namespace ridgeline {

// What kernels reach of a device's rates, measured; empty where nothing is known, which leaves the
// data sheet's rates.
struct Sustained {
  std::optional<double> compute;  // share of the peak
  std::optional<double> memory;   // share of the memory's rate
  std::optional<double> network;  // share of a link's rate
  std::optional<Seconds> step_overhead, layer_overhead;
  // Of curves fitted to measured kernels; not fields. Zero: not known.
  std::array<double, kPrecisionCount> compute_at{};  // share of each format's own peak
  std::array<double, kPrecisionCount> memory_at{};   // share of the rate, by the weights' format
  std::array<Seconds, kPrecisionCount> layer_overhead_at{};  // launches, by the weights' format
  double attention = 0;                                      // share of the 16-bit peak
  bool measured = false;                                     // shares come from such curves

  static constexpr auto fields() {
    return std::tuple(
        field(&Sustained::compute, "compute", "e_c", "share of the peak that kernels reach"),
        field(&Sustained::memory, "memory", "e_m", "share of the memory's rate that they reach"),
        field(&Sustained::network, "network", "e_n", "share of a link's rate that they reach"),
        field(&Sustained::step_overhead, "step_overhead", "", "added to every launched step"),
        field(&Sustained::layer_overhead, "layer_overhead", "", "added to every layer of a step"));
  }
  bool any() const { return compute || memory || network || step_overhead || layer_overhead; }
};

struct Hardware {
  std::array<FlopsPerSecond, kPrecisionCount> rates{};  // dense; zero: not supported
  std::optional<Bytes> memory_capacity;
  std::optional<BytesPerSecond> memory_bandwidth;
  std::optional<Bytes> sram_capacity;
  std::optional<BytesPerSecond> sram_bandwidth;
  std::optional<BytesPerSecond> flash_bandwidth;
  std::optional<BytesPerSecond> storage_bandwidth;
  std::optional<BytesPerSecond> host_link;
  std::optional<BytesPerSecond> injection_bandwidth;
  std::optional<Watts> tdp;
  std::optional<Dollars> unit_cost;
  Sustained sustained;

  FlopsPerSecond rate_of(Precision p) const { return rates[static_cast<std::size_t>(p)]; }

  static constexpr auto fields() {
    return std::tuple(
        field(&Hardware::rates, "rates", "R", "dense rate of each number format"),
        field(&Hardware::memory_capacity, "memory_capacity", "M", "main memory"),
        field(&Hardware::memory_bandwidth, "memory_bandwidth", "BW", "of main memory"),
        field(&Hardware::sram_capacity, "sram_capacity", "", "on-chip memory that holds weights"),
        field(&Hardware::sram_bandwidth, "sram_bandwidth", "", "of that memory"),
        field(&Hardware::flash_bandwidth, "flash_bandwidth", "",
              "of flash that weights are read from in place"),
        field(&Hardware::storage_bandwidth, "storage_bandwidth", "", "to storage"),
        field(&Hardware::host_link, "host_link", "", "to the host's memory, one direction"),
        field(&Hardware::injection_bandwidth, "injection_bandwidth", "BW_inj",
              "at which weights stream into on-chip memory"),
        field(&Hardware::tdp, "tdp", "TDP", "thermal design power"),
        field(&Hardware::unit_cost, "unit_cost", "", "price of one device"),
        field(&Hardware::sustained, "sustained", "", "what kernels reach, measured"));
  }
};

// One level of links: `count` members from the level below, each with its own endpoint.
struct LinkLevel {
  std::int64_t count = 1;
  BytesPerSecond bandwidth;  // one direction of one endpoint, oversubscription taken off
  Seconds latency;
};
inline constexpr std::size_t kMaxLinkLevels = 6;
using LinkTree = Few<LinkLevel, kMaxLinkLevels>;  // innermost first

// What collectives reach on the links inside a node, measured: an all-reduce of M bytes over p
// devices takes base + (p - 1) per_peer + 2 (p - 1)/p M/(share of the link's rate). Zero share: not
// known.
struct MeasuredLink {
  double share = 0;
  Seconds base, per_peer;
};

struct Cluster {
  std::int64_t nodes = 1;
  std::int64_t devices_per_node = 1;
  Hardware device;
  MeasuredLink intra_node_measured;  // not a field
  std::optional<BytesPerSecond> intra_node_bandwidth;
  Seconds intra_node_latency;
  std::optional<BytesPerSecond> fabric_bandwidth;
  Seconds fabric_latency;
  double fabric_oversubscription = 1;
  // A machine of more levels than two, which then stands for the links above. Not a field.
  LinkTree levels;

  std::int64_t device_count() const { return nodes * devices_per_node; }

  static constexpr auto fields() {
    return std::tuple(
        field(&Cluster::nodes, "nodes", "", "nodes of the machine"),
        field(&Cluster::devices_per_node, "devices_per_node", "A", "devices of a node"),
        field(&Cluster::device, "device", "", "each device"),
        field(&Cluster::intra_node_bandwidth, "intra_node_bandwidth", "bw_in",
              "of one device inside its node, one direction"),
        field(&Cluster::intra_node_latency, "intra_node_latency", "a_in", "of one hop inside"),
        field(&Cluster::fabric_bandwidth, "fabric_bandwidth", "bw_out",
              "of one device between nodes, one direction"),
        field(&Cluster::fabric_latency, "fabric_latency", "a_out", "of one hop between nodes"),
        field(&Cluster::fabric_oversubscription, "fabric_oversubscription", "",
              "of the fabric; 1 is full bisection"));
  }
};

}  // namespace ridgeline
