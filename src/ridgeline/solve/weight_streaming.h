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
#include "ridgeline/spec/hardware.h"
#include "ridgeline/spec/totals.h"
#include "ridgeline/spec/workload.h"

namespace ridgeline::solve::weight_streaming {

inline constexpr char kCard[] = R"(
How fast is a model whose weights stream layer by layer into on-chip memory that holds the KV cache?

Equations
  (1) t_inj   = W_touch(tokens)/(L BW_inj),  tokens = B in decode, B S in prefill      [lie2022]
  (2) t_c     = (O tokens + attention)/(L R e) + layer_overhead                       [pope2022]
  (3) t_layer = max(t_c, t_inj),  tokens/s = tokens/(L t_layer)              double-buffered
  (4) need    = (1 + headroom) kappa S B <= M
  (5) B*      = floor((t_inj - layer_overhead) R e L/(O + 4 L H h S))  in decode, at least 1, dense
Assumes     layers alike; a whole layer is in flight while the one before it computes.
Leaves out  activations between layers, the space of the layer in flight.
Trust       tokens/s are linear in B below B* and flat above it, attention aside.
)";

enum class Bound : std::uint8_t { compute, injection };
enum class Reason : std::uint8_t { none, memory };

inline std::span<const char* const> names_of(Bound) {
  static constexpr std::array<const char*, 2> kNames = {"compute", "injection"};
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
  std::int64_t seq_len = 2048;
  std::int64_t batch_size = 1;
  Phase phase = Phase::decode;
  std::optional<BytesPerSecond> injection_bandwidth;
  double kv_headroom_fraction = 0.1;

  static constexpr auto fields() {
    return std::tuple(field(&Inputs::model, "model", "", "the model"),
                      field(&Inputs::hardware, "hardware", "", "the device"),
                      flat(&Inputs::setting),
                      field(&Inputs::seq_len, "seq_len", "S", "tokens of a sequence"),
                      field(&Inputs::batch_size, "batch_size", "B", "sequences"),
                      field(&Inputs::phase, "phase", "", "decode or prefill"),
                      field(&Inputs::injection_bandwidth, "injection_bandwidth", "BW_inj",
                            "at which weights stream in; the device's if not given"),
                      field(&Inputs::kv_headroom_fraction, "kv_headroom_fraction", "headroom",
                            "memory kept free beyond the cache, as a share of it"));
  }
};

struct Output {
  double tokens_per_s = 0;
  Bound bound = Bound::compute;
  Seconds layer_compute, layer_injection;
  std::optional<std::int64_t> balanced_batch;
  Bytes memory_required;
  double utilization_fraction = 0;
  bool feasible = true;
  Reason reason = Reason::none;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::tokens_per_s, "tokens_per_s", "", "0 when the cache does not fit"),
        field(&Output::bound, "bound", "", "what a layer waits for"),
        field(&Output::layer_compute, "layer_compute", "t_c", "arithmetic of a layer"),
        field(&Output::layer_injection, "layer_injection", "t_inj", "its weights stream in"),
        field(&Output::balanced_batch, "balanced_batch", "B*", "largest that injection binds"),
        field(&Output::memory_required, "memory_required", "need", "of the cache, with headroom"),
        field(&Output::utilization_fraction, "utilization_fraction", "", "need over memory"),
        field(&Output::feasible, "feasible", "", "the cache fits"),
        field(&Output::reason, "reason", "", "what does not"));
  }
};

// Fills the injection bandwidth from the device.
Result<Inputs> check(const Inputs& in);

// Pure and allocation-free. REQUIRES: `in` came from check().
Output solve(const Inputs& in);

}  // namespace ridgeline::solve::weight_streaming
