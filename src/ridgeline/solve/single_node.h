#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"
#include "ridgeline/physics/pace.h"
#include "ridgeline/physics/setting.h"
#include "ridgeline/solve/subject.h"
#include "ridgeline/spec/hardware.h"
#include "ridgeline/spec/totals.h"

namespace ridgeline::solve::single_node {

inline constexpr char kCard[] = R"(
One device, one pass of inference or training: how long, what binds it, does it fit, what energy?

Equations
  (1) F   = B (O n + attention)               n = seq_len tokens of each of B samples  [pope2022]
  (2) Q   = W_touch(B n) + kappa (c + n) B + A B           weights, KV after c cached, activations
  (3) t_c = mu F/(R e)    t_m = max over memories Q_j/(BW_j e_m)                  [williams2009]
  (4) T   = max(t_c, t_m) + step_overhead + L layer_overhead
  (5) need = W + KV; to train what training-memory counts, without layers 2 W + 12 P + A B
  (6) spill = need - (M u - reserved); offloaded, its share of the traffic crosses the host link:
      t_m = max(Q_main/BW, Q_link/link), their sum without overlap
  (7) X   = B/T    intensity = mu F/Q    ridge = R e/(BW e_m)
  (8) MFU = HFU = mu F/(R T)              nothing is computed twice              [chowdhery2022]
  (9) E   = TDP (i + (1 - i) HFU) T                                               [barroso2007]
Assumes     compute and memory overlap; weights lie in SRAM if they fit, else in flash that is
            executed in place, else in main memory; mu = 1, in training 3 for F and mu Q.
Leaves out  caches; the time that an answer which does not fit would take is that of one that does.
            attention_count none leaves out attention altogether, its FLOP and its KV.
Trust       for B large, X tends to R e/O; for B = 1 with KV off, a dense model to BW/W; both
            are equal at B = R e b_w/(2 BW).
)";

enum class Offload : std::uint8_t { none, host };
enum class Reason : std::uint8_t { none, memory };

inline std::span<const char* const> names_of(Offload) {
  static constexpr std::array<const char*, 2> kNames = {"none", "host"};
  return kNames;
}
inline std::span<const char* const> names_of(Reason) {
  static constexpr std::array<const char*, 2> kNames = {"none", "memory"};
  return kNames;
}

struct Inputs {
  Totals model;
  Hardware hardware;
  physics::Setting setting;
  std::int64_t batch_size = 1;
  Pass phase = Pass::infer;
  std::int64_t seq_len = 1;
  std::int64_t context_len = 0;
  Bytes activation_per_sample;
  Offload offload = Offload::none;
  bool offload_overlap = true;

  static constexpr auto fields() {
    return std::tuple(
        field(&Inputs::model, "model", "", "the model"),
        field(&Inputs::hardware, "hardware", "", "the device"), flat(&Inputs::setting),
        field(&Inputs::batch_size, "batch_size", "B", "samples in the pass"),
        field(&Inputs::phase, "phase", "", "inference, or a training step"),
        field(&Inputs::seq_len, "seq_len", "n", "tokens of each sample that are computed"),
        field(&Inputs::context_len, "context_len", "c", "tokens cached before them"),
        field(&Inputs::activation_per_sample, "activation_per_sample", "A",
              "traffic of activations per sample", {"activation_bytes_per_sample", 1}),
        field(&Inputs::offload, "offload", "", "where what does not fit goes"),
        field(&Inputs::offload_overlap, "offload_overlap", "",
              "the host link works while main memory does"));
  }
};

struct Output {
  Seconds latency, compute, memory, overhead;
  double throughput_per_s = 0;
  physics::TimeBound bound = physics::TimeBound::compute;
  std::optional<double> intensity_flop_per_byte;
  double ridge_flop_per_byte = 0;
  Bytes memory_required, spill;
  double mfu_fraction = 0, hfu_fraction = 0;
  std::optional<Joules> energy;
  bool feasible = true;
  Reason reason = Reason::none;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::latency, "latency", "T", "time of the pass"),
        field(&Output::compute, "compute", "t_c", "time that arithmetic takes"),
        field(&Output::memory, "memory", "t_m", "time that memory traffic takes"),
        field(&Output::overhead, "overhead", "", "added to the larger of both"),
        field(&Output::throughput_per_s, "throughput_per_s", "X", "samples per second"),
        field(&Output::bound, "bound", "", "the largest part"),
        field(&Output::intensity_flop_per_byte, "intensity_flop_per_byte", "", "FLOP per byte"),
        field(&Output::ridge_flop_per_byte, "ridge_flop_per_byte", "",
              "intensity at which arithmetic and memory take the same time"),
        field(&Output::memory_required, "memory_required", "need", "bytes that must be held"),
        field(&Output::spill, "spill", "spill", "bytes beyond the device's memory"),
        field(&Output::mfu_fraction, "mfu_fraction", "MFU", "model FLOP over the peak"),
        field(&Output::hfu_fraction, "hfu_fraction", "HFU", "FLOP that are done over the peak"),
        field(&Output::energy, "energy", "E", "of the device, a lower bound if memory binds"),
        field(&Output::feasible, "feasible", "", "it fits, or may spill"),
        field(&Output::reason, "reason", "", "what makes it infeasible"));
  }
};

// Rejects inputs that have no meaning.
Result<Inputs> check(const Inputs& in);

// Pure and allocation-free. REQUIRES: `in` passed check().
Output solve(const Inputs& in);

}  // namespace ridgeline::solve::single_node
