#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"
#include "ridgeline/solve/single_node.h"
#include "ridgeline/spec/hardware.h"
#include "ridgeline/spec/precision.h"
#include "ridgeline/spec/totals.h"

namespace ridgeline::solve::compression {

inline constexpr char kCard[] = R"(
How small do quantised or pruned weights get, does the model then fit, and how much faster is it?

Equations, of P weights of `base` bits
  (1) quantised: bits + scale_bits/group per weight (group none: bits)             [frantar2022]
  (2) pruned by a share s: base (1 - s), and 1 bit per weight that marks the kept ones
      (unstructured), or ceil(log2 m) bits per kept weight (n of m) [mishra2021]; structured: none
  (3) ratio = before/after,  savings = 1 - 1/ratio
  (4) speed-up = T before/T after of single-node; weights alone shrink, activations and their rate
      stay; structured pruning takes the arithmetic away as well, n of m makes it `sparse_speedup`
      times as fast where the pattern is 2 of 4
Assumes     every weight is treated alike; unpacking is as fast as reading.
Leaves out  what it does to accuracy: no formula knows, accuracy_delta stays open.
Trust       s = 0 of structured pruning changes nothing; the speed-up tends to the ratio where
            memory binds, and to 1 where arithmetic does.
)";

enum class Method : std::uint8_t { quantization, pruning };
enum class Sparsity : std::uint8_t { unstructured, n_m, structured };

inline std::span<const char* const> names_of(Method) {
  static constexpr std::array<const char*, 2> kNames = {"quantization", "pruning"};
  return kNames;
}
inline std::span<const char* const> names_of(Sparsity) {
  static constexpr std::array<const char*, 3> kNames = {"unstructured", "n_m", "structured"};
  return kNames;
}

struct Inputs {
  std::optional<Totals> model;
  std::optional<double> params;
  std::optional<Hardware> hardware;
  Method method = Method::quantization;
  double target_bitwidth = 8;
  std::optional<std::int64_t> group_size = 128;
  double scale_bits = 16;
  std::optional<double> sparsity;
  Sparsity sparsity_type = Sparsity::unstructured;
  std::int64_t sparsity_n = 2, sparsity_m = 4;
  double sparse_speedup = 1;
  Precision baseline_precision = Precision::bf16;
  Pass phase = Pass::infer;
  std::int64_t batch_size = 1, seq_len = 1, context_len = 0;
  std::optional<double> efficiency;

 private:  // the parts of fields()
  static constexpr auto subject_fields() {
    return std::tuple(
        field(&Inputs::model, "model", "", "the model"),
        field(&Inputs::params, "parameters_count", "P", "in its place, for sizes alone"),
        field(&Inputs::hardware, "hardware", "", "for the speed, and whether it fits"),
        field(&Inputs::baseline_precision, "baseline_precision", "base", "of the weights before"));
  }
  static constexpr auto method_fields() {
    return std::tuple(
        field(&Inputs::method, "method", "", "quantization or pruning"),
        field(&Inputs::target_bitwidth, "target_bitwidth", "bits", "of a quantised weight"),
        field(&Inputs::group_size, "group_size", "group", "weights that share a scale, or none"),
        field(&Inputs::scale_bits, "scale_bits", "", "of a scale"),
        field(&Inputs::sparsity, "sparsity", "s", "share of weights that are pruned"),
        field(&Inputs::sparsity_type, "sparsity_type", "", "how the pruned weights lie"),
        field(&Inputs::sparsity_n, "sparsity_n", "n", "weights kept of m"),
        field(&Inputs::sparsity_m, "sparsity_m", "m", "weights of a group"),
        field(&Inputs::sparse_speedup, "sparse_speedup", "",
              "rate of the device at 2 of 4 over its dense rate"));
  }
  static constexpr auto speed_fields() {
    return std::tuple(
        field(&Inputs::phase, "phase", "", "inference, or a training step"),
        field(&Inputs::batch_size, "batch_size", "B", "samples of the pass"),
        field(&Inputs::seq_len, "seq_len", "n", "tokens of each that are computed"),
        field(&Inputs::context_len, "context_len", "c", "tokens cached before them"),
        field(&Inputs::efficiency, "efficiency", "e", "share of the peak that is reached"));
  }

 public:
  static constexpr auto fields() {
    return std::tuple_cat(subject_fields(), method_fields(), speed_fields());
  }
};

struct Output {
  Bytes original, compressed;
  double ratio = 1, memory_savings_fraction = 0;
  double bits_per_weight = 16;
  std::optional<double> speedup;
  std::optional<bool> fits_before, fits_after;
  std::optional<double> accuracy_delta;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::original, "original", "", "weights before"),
        field(&Output::compressed, "compressed", "", "weights after"),
        field(&Output::ratio, "ratio", "ratio", "before over after"),
        field(&Output::memory_savings_fraction, "memory_savings_fraction", "", "of the bytes"),
        field(&Output::bits_per_weight, "bits_per_weight", "", "after, of all weights"),
        field(&Output::speedup, "speedup", "", "time before over after"),
        field(&Output::fits_before, "fits_before", "", "the weights fit the device"),
        field(&Output::fits_after, "fits_after", "", "and after"),
        field(&Output::accuracy_delta, "accuracy_delta", "", "not known without a measurement"));
  }
};

// Fills the parameters from the model, the group and the sparsity.
Result<Inputs> check(const Inputs& in);

// Pure and allocation-free. REQUIRES: `in` came from check().
Output solve(const Inputs& in);

}  // namespace ridgeline::solve::compression
