#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/label.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"
#include "ridgeline/solve/answer.h"
#include "ridgeline/solve/single_node.h"

namespace ridgeline::solve::synthesis {

inline constexpr char kCard[] = R"(
What must a device be able to do to meet a latency, and which devices can?

Equations
  (1) T'        = T - overhead                           must be above zero
  (2) bandwidth >= Q/(T' e_m),  rate >= F/(T' e),  memory >= need       F, Q, need of single-node
  (3) balance   = rate/bandwidth, intensity at which both are used up         [williams2009]
  (4) a candidate passes when single-node with it takes at most T and it holds what it must;
      cheaper first, those without a price last, then the slower ones
Assumes     arithmetic and memory traffic overlap.
Leaves out  several devices (network-roofline, distributed).
Trust       single-node with exactly the required rates takes T.
)";

// A device to choose.
struct Candidate {
  std::string name;
  Hardware hardware;

  static constexpr auto fields() {
    return std::tuple(field(&Candidate::name, "name", "", "of the device"),
                      field(&Candidate::hardware, "hardware", "", "the device"));
  }
};

enum class Reason : std::uint8_t { none, overhead };

inline std::span<const char* const> names_of(Reason) {
  static constexpr std::array<const char*, 2> kNames = {"none", "overhead"};
  return kNames;
}

struct Inputs {
  Totals model;
  physics::Setting setting;
  Seconds target_latency;
  std::int64_t batch_size = 1;
  Pass phase = Pass::infer;
  std::int64_t seq_len = 1, context_len = 0;
  Bytes activation_per_sample;
  std::vector<Candidate> candidates;

  static constexpr auto fields() {
    return std::tuple(
        field(&Inputs::model, "model", "", "the model"), flat(&Inputs::setting),
        field(&Inputs::target_latency, "target_latency", "T", "that a pass may take"),
        field(&Inputs::batch_size, "batch_size", "B", "samples in the pass"),
        field(&Inputs::phase, "phase", "", "inference, or a training step"),
        field(&Inputs::seq_len, "seq_len", "n", "tokens of each sample that are computed"),
        field(&Inputs::context_len, "context_len", "c", "tokens cached before them"),
        field(&Inputs::activation_per_sample, "activation_per_sample", "A",
              "traffic of activations per sample", {"activation_bytes_per_sample", 1}),
        field(&Inputs::candidates, "candidates", "",
              "devices to choose among; those of the registry if none is given"));
  }
};

struct Output {
  std::optional<BytesPerSecond> required_bandwidth;
  std::optional<FlopsPerSecond> required;
  Bytes required_memory;
  std::optional<double> balance_flop_per_byte;
  std::int64_t passing_count = 0, candidates_count = 0;
  bool feasible = true;
  Reason reason = Reason::none;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::required_bandwidth, "required_bandwidth", "", "of main memory, at least"),
        field(&Output::required, "required", "", "dense rate, at least"),
        field(&Output::required_memory, "required_memory", "need", "at least"),
        field(&Output::balance_flop_per_byte, "balance_flop_per_byte", "", "rate over bandwidth"),
        field(&Output::passing_count, "passing_count", "", "candidates that do"),
        field(&Output::candidates_count, "candidates_count", "", "of so many"),
        field(&Output::feasible, "feasible", "", "some device could"),
        field(&Output::reason, "reason", "", "why none could"));
  }
};

// A candidate that passes.
struct Device {
  static constexpr const char* kListName = "candidates";
  Label name;
  Seconds latency;
  double memory_utilization_fraction = 0;
  std::optional<Dollars> unit_cost;

  static constexpr auto fields() {
    return std::tuple(field(&Device::name, "name", "", "of the device"),
                      field(&Device::latency, "latency", "", "of the pass on it"),
                      field(&Device::memory_utilization_fraction, "memory_utilization_fraction", "",
                            "of its memory, needed"),
                      field(&Device::unit_cost, "unit_cost", "", "price, where it is known"));
  }
};

Result<Inputs> check(const Inputs& in);

// REQUIRES: `in` passed check(). Rows: the candidates that pass.
Answer<Output, Device> solve(const Inputs& in);

}  // namespace ridgeline::solve::synthesis
