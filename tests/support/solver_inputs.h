// Models by their totals, devices and clusters for tests of solvers, with round or published
// numbers.
#pragma once

#include <cstdint>

#include "ridgeline/base/units.h"
#include "ridgeline/physics/setting.h"
#include "ridgeline/spec/hardware.h"
#include "ridgeline/spec/totals.h"

namespace ridgeline::testing {

inline Totals totals(double params, std::int64_t layers, std::int64_t hidden, std::int64_t heads,
                     std::int64_t kv_heads) {
  Totals t;
  t.params = params;
  t.layers = layers;
  t.hidden = hidden;
  t.heads = heads;
  t.kv_heads = kv_heads;
  return t;
}

inline Totals round_7b() {
  return totals(7e9, 32, 4096, 32, 8);
}
inline Totals llama_8b_totals() {
  return totals(8.03e9, 32, 4096, 32, 8);
}
inline Totals llama_70b_totals() {
  return totals(70.6e9, 80, 8192, 64, 8);
}

inline Totals mixtral_totals() {
  Totals t = totals(46.7e9, 32, 4096, 32, 8);
  t.active_params = 12.9e9;
  t.experts = 8;
  t.active_experts = 2;
  return t;
}

inline void set_rate(Hardware& hw, Precision p, double flop_per_s) {
  hw.rates[static_cast<std::size_t>(p)] = FlopsPerSecond::from_base(flop_per_s);
}

// 1 PFLOP/s, 4 TB/s, 100 GB, 50 GB/s to the host, 1 kW.
inline Hardware round_device() {
  Hardware hw;
  set_rate(hw, Precision::bf16, 1e15);
  set_rate(hw, Precision::fp16, 1e15);
  set_rate(hw, Precision::fp8, 2e15);
  set_rate(hw, Precision::fp32, 1e14);
  hw.memory_capacity = 100 * gigabyte;
  hw.memory_bandwidth = 4000 * gigabyte_per_second;
  hw.host_link = 50 * gigabyte_per_second;
  hw.storage_bandwidth = 5 * gigabyte_per_second;
  hw.tdp = 1000 * watt;
  hw.unit_cost = 20000 * dollar;
  return hw;
}

inline Hardware h100() {
  Hardware hw = round_device();
  set_rate(hw, Precision::bf16, 989e12);
  set_rate(hw, Precision::fp16, 989e12);
  set_rate(hw, Precision::fp8, 1979e12);
  hw.memory_capacity = 80 * gibibyte;
  hw.memory_bandwidth = 3350 * gigabyte_per_second;
  hw.host_link = 64 * gigabyte_per_second;
  hw.tdp = 700 * watt;
  hw.unit_cost = 25000 * dollar;
  return hw;
}

// Nodes of eight, 400 GB/s and 0.5 us inside, 50 GB/s and 5 us between.
inline Cluster round_cluster(std::int64_t nodes) {
  Cluster c;
  c.nodes = nodes;
  c.devices_per_node = 8;
  c.device = round_device();
  c.intra_node_bandwidth = 400 * gigabyte_per_second;
  c.intra_node_latency = 0.5 * microsecond;
  c.fabric_bandwidth = 50 * gigabyte_per_second;
  c.fabric_latency = 5 * microsecond;
  return c;
}

inline physics::Setting flat(double efficiency) {
  physics::Setting s;
  s.efficiency = efficiency;
  return s;
}

}  // namespace ridgeline::testing
