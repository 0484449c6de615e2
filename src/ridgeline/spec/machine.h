// Machine: a device, and a tree of levels that join devices, innermost first.
//
// gpu > node > pod and pe > cube > sip > system are two machines of this one form. The flat names
// of the chiplet machine (bw_hbm_gbs, ...) are other names of the same fields: see
// machine_fields.h.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>

#include "ridgeline/base/few.h"
#include "ridgeline/base/fields.h"
#include "ridgeline/base/units.h"
#include "ridgeline/spec/precision.h"

namespace ridgeline {

inline constexpr std::size_t kMaxLevels = 6;

enum class Topology : std::uint8_t { switched, fat_tree, crossbar, ring, mesh2d, torus2d, torus3d };
enum class LinkOf : std::uint8_t { device, group };
enum class MachineKind : std::uint8_t { tree, chiplet };

inline std::span<const char* const> names_of(Topology) {
  static constexpr std::array<const char*, 7> kNames = {"switch", "fat-tree", "crossbar", "ring",
                                                        "mesh2d", "torus2d",  "torus3d"};
  return kNames;
}
inline std::span<const char* const> names_of(LinkOf) {
  static constexpr std::array<const char*, 2> kNames = {"device", "group"};
  return kNames;
}
inline std::span<const char* const> names_of(MachineKind) {
  static constexpr std::array<const char*, 2> kNames = {"tree", "chiplet"};
  return kNames;
}

// Messages pass a switch (any pair at one hop's cost) instead of member-to-member links.
constexpr bool is_switched(Topology t) {
  return t == Topology::switched || t == Topology::fat_tree;
}

struct Level {
  std::string name;        // of the group it makes: "node", "cube"
  std::int64_t count = 1;  // members from the level below
  Topology topology = Topology::switched;
  BytesPerSecond bandwidth;         // per direction of one endpoint
  Seconds latency;                  // per hop, software included
  LinkOf link_of = LinkOf::device;  // device: each device has its own endpoint; group: shared
  double oversubscription = 1;      // of switched levels
  std::array<std::int64_t, 3> shape = {0, 0,
                                       0};  // of a mesh or torus; zeros: near-square of those used

  static constexpr auto fields() {
    return std::tuple(
        field(&Level::count, "count", "", "members from the level below"),
        field(&Level::topology, "topology", "", "how the members are joined"),
        field(&Level::bandwidth, "bandwidth", "beta", "per direction of one endpoint"),
        field(&Level::latency, "latency", "alpha", "per hop, software included"),
        field(&Level::link_of, "link_of", "",
              "whose link it is: each device's own, or the group's"),
        field(&Level::oversubscription, "oversubscription", "",
              "of the switches, 1 = full bisection"));
  }
};

struct Accelerator {
  std::string name;
  std::array<FlopsPerSecond, kPrecisionCount> peak{};  // dense matrix rate; zero: not supported
  Bytes memory_capacity;                               // data sheet
  Bytes usable_memory;  // what the driver reports as total; zero: = memory_capacity
  BytesPerSecond memory_bandwidth;
  double compute_util = 1;            // share of the peak that matrix kernels reach
  double vector_fraction = 1.0 / 16;  // vector rate over the bf16 matrix rate
  JoulesPerFlop energy_per_flop;
  JoulesPerByte energy_per_memory_byte;
  Watts static_power;

  FlopsPerSecond peak_of(Precision p) const { return peak[static_cast<std::size_t>(p)]; }

  // The format whose rate stands for the device as a whole: bf16 where it has one.
  Precision main_precision() const {
    for (const Precision p : {Precision::bf16, Precision::fp16, Precision::fp32, Precision::int8}) {
      if (peak_of(p).base() > 0) return p;
    }
    return Precision::bf16;
  }

  static constexpr auto fields() {
    return std::tuple(
        field(&Accelerator::memory_capacity, "memory_capacity", "", "memory per device, as sold"),
        field(&Accelerator::usable_memory, "usable_memory", "", "what the driver reports as total"),
        field(&Accelerator::memory_bandwidth, "memory_bandwidth", "B_h",
              "main memory, read or write"),
        field(&Accelerator::compute_util, "compute_util", "u",
              "share of the peak that kernels reach"),
        field(&Accelerator::vector_fraction, "vector_fraction", "nu",
              "vector rate over matrix rate"),
        field(&Accelerator::energy_per_flop, "energy_per_flop", "", "dynamic energy of one FLOP"),
        field(&Accelerator::energy_per_memory_byte, "energy_per_memory_byte", "",
              "dynamic energy of one byte read or written"),
        field(&Accelerator::static_power, "static_power", "", "drawn whatever the device does"));
  }
};

struct Machine {
  std::string name;
  MachineKind kind = MachineKind::tree;
  Accelerator device;
  Few<Level, kMaxLevels> levels;  // innermost first; may be empty (one device)
  std::array<JoulesPerByte, kMaxLevels> energy_per_link_byte{};
  Bytes tree_max = 262144.0 * byte;  // direct levels: largest message sent along a tree
  double ffn_chunk_tokens = 8192;    // tokens whose feed-forward intermediates are live at once

  static constexpr auto fields() {
    return std::tuple(field(&Machine::tree_max, "tree_max", "M_t",
                            "direct levels: largest message sent along a tree"),
                      field(&Machine::ffn_chunk_tokens, "ffn_chunk_tokens", "",
                            "tokens whose feed-forward intermediates are live at once"));
  }

  std::int64_t device_count() const {
    std::int64_t n = 1;
    for (const Level& level : levels) n *= level.count;
    return n;
  }
};

}  // namespace ridgeline
