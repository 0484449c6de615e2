#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>

#include "ridgeline/base/few.h"
#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"
#include "ridgeline/physics/pace.h"
#include "ridgeline/physics/setting.h"
#include "ridgeline/solve/answer.h"
#include "ridgeline/spec/hardware.h"
#include "ridgeline/spec/kernels.h"
#include "ridgeline/spec/workload.h"

namespace ridgeline::solve::efficiency {

inline constexpr char kCard[] = R"(
Which share of its peak does one operator reach on a device, and what takes the rest?

Equations
  (1) e    = ideal/T      ideal: F/R of products and attention, bytes/BW of a norm, bytes on the
                          link/bw of a collective
  (2) T    = the curve that was fitted to measurements, where the device has one
                                                                           [aiconfigurator-core]
      else launch + max(F/(R e_c tile wave), Q/(BW e_m))                         [williams2009]
  (3) tile = m n/(ceil(m/tm) ceil(n/tn) tm tn)     part of the tiles' work that is wanted
  (4) wave = tiles/(ceil(tiles/units) units)       mean share of units at work   [nvidia-matmul]
  (5) mem  = min(1, (F/(R tile wave))/(Q/BW))      memory is slower than arithmetic
  (6) idle = (T - launch)/T
  (7) e    = tile wave mem idle kernel             kernel: what is left, and of a fit what its
                                                   kernels gain by tiles of other sizes
Assumes     one kernel alone on an idle device; a convolution is its implicit product; causal
            attention in 16 bits; a message is the larger buffer of a rank; devices without links of
            their own meet over the host link.
Leaves out  weights that stay in a cache between calls, clocks, other work on the links.
Trust       133 tiles on 132 units: 2 waves, 133/264 = 0.504. 0 < e <= 1; of square
            products it grows with their size to the curve's plateau. `interval` holds 9 of 10 of
            the rows that the curve was fitted to.
)";

enum class Operator : std::uint8_t { gemm, attention, norm, conv, collective };
enum class Collective : std::uint8_t { all_reduce, all_gather, reduce_scatter, all_to_all };
enum class Cause : std::uint8_t { tile, wave, memory, launch, kernel };

inline std::span<const char* const> names_of(Operator) {
  static constexpr std::array<const char*, 5> kNames = {"gemm", "attention", "norm", "conv",
                                                        "collective"};
  return kNames;
}
inline std::span<const char* const> names_of(Collective) {
  static constexpr std::array<const char*, 4> kNames = {"all-reduce", "all-gather",
                                                        "reduce-scatter", "all-to-all"};
  return kNames;
}
inline std::span<const char* const> names_of(Cause) {
  static constexpr std::array<const char*, 5> kNames = {
      "tile quantisation", "wave quantisation", "memory bound", "launch overhead", "kernel"};
  return kNames;
}

struct Inputs {
  Operator what = Operator::gemm;
  Hardware hardware;
  physics::Setting setting;
  const Kernels* kernels = nullptr;  // the device's curves; not a field, they outlive the inputs
  std::optional<std::int64_t> m, n, k;
  std::int64_t tile_m = 128, tile_n = 128;
  std::optional<std::int64_t> units;
  Phase phase = Phase::prefill;
  std::int64_t batch_size = 1;
  std::optional<std::int64_t> heads, kv_heads, seq_len;
  std::int64_t head_dim = 128;
  Collective op = Collective::all_reduce;
  std::optional<Bytes> bytes;
  std::optional<std::int64_t> ranks;
  std::optional<BytesPerSecond> link_bandwidth;
  Seconds link_latency;

 private:  // the parts of fields()
  static constexpr auto product_fields() {
    return std::tuple(
        field(&Inputs::m, "m", "m", "rows of a product; of a norm; output pixels of a convolution"),
        field(&Inputs::n, "n", "n", "columns; output channels of a convolution"),
        field(&Inputs::k, "k", "k", "depth; input channels x kernel area of a convolution"),
        field(&Inputs::tile_m, "tile_m", "tm", "rows of a tile"),
        field(&Inputs::tile_n, "tile_n", "tn", "columns of a tile"),
        field(&Inputs::units, "units", "units",
              "compute units that tiles are spread over; the device's where it is known"));
  }
  static constexpr auto attention_fields() {
    return std::tuple(field(&Inputs::phase, "phase", "", "of attention: a prompt, or one token"),
                      field(&Inputs::batch_size, "batch_size", "B", "sequences of attention"),
                      field(&Inputs::heads, "heads", "H", "query heads"),
                      field(&Inputs::kv_heads, "kv_heads", "H_k", "KV heads; the query heads else"),
                      field(&Inputs::head_dim, "head_dim", "h", "width of a head"),
                      field(&Inputs::seq_len, "seq_len", "S", "tokens of the prompt, or cached"));
  }
  static constexpr auto collective_fields() {
    return std::tuple(
        field(&Inputs::op, "op", "", "which collective"),
        field(&Inputs::bytes, "bytes", "M", "larger buffer of a rank in a collective"),
        field(&Inputs::ranks, "ranks", "p", "devices that take part"),
        field(&Inputs::link_bandwidth, "link_bandwidth", "bw", "of a device's links, one way"),
        field(&Inputs::link_latency, "link_latency", "a", "of one hop"));
  }

 public:
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple(field(&Inputs::what, "operator", "",
                         "gemm, attention, norm, conv (as a product), collective"),
                   field(&Inputs::hardware, "hardware", "", "the device")),
        product_fields(), attention_fields(), collective_fields(),
        std::tuple(flat(&Inputs::setting)));
  }
};

struct Output {
  double efficiency_fraction = 0;
  std::optional<FlopsPerSecond> achieved;
  Seconds time, ideal;
  Few<double, 2> interval;  // of the efficiency; empty: not measured
  std::optional<std::int64_t> fit_rows;
  std::optional<double> fit_error_fraction;
  physics::Basis basis = physics::Basis::estimate;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::efficiency_fraction, "efficiency_fraction", "e", "of the peak that counts"),
        field(&Output::achieved, "achieved", "F/T", "rate of arithmetic",
              {"achieved_flop_per_s", 1}),
        field(&Output::time, "time", "T", "of one call"),
        field(&Output::ideal, "ideal", "", "at the peak that counts"),
        field(&Output::interval, "interval", "", "of e: 9 of 10 measured rows lie inside"),
        field(&Output::fit_rows, "fit_rows", "", "measurements that the curve was fitted to"),
        field(&Output::fit_error_fraction, "fit_error_fraction", "", "median, of those rows"),
        field(&Output::basis, "basis", "", "where the time comes from"));
  }
};

// One factor of the efficiency; their product is the whole.
struct Loss {
  static constexpr const char* kListName = "loss";
  Cause cause = Cause::kernel;
  double factor = 1;

  static constexpr auto fields() {
    return std::tuple(field(&Loss::cause, "cause", "", "what takes it"),
                      field(&Loss::factor, "factor", "", "share that it leaves"));
  }
};

// Fills kv_heads, units and link_bandwidth. Error: something that the operator needs is missing.
Result<Inputs> check(const Inputs& in);

// REQUIRES: `in` came from check().
Answer<Output, Loss> solve(const Inputs& in);

}  // namespace ridgeline::solve::efficiency
