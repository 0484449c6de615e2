#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"
#include "ridgeline/solve/service.h"
#include "ridgeline/spec/workload.h"

namespace ridgeline::solve::energy_per_token {

inline constexpr char kCard[] = R"(
What energy does a token take, which part of the machine takes it, and does the power limit slow the
step?

Equations, of a step as serving counts it, or as given
  (1) D      = F e_flop + sum over memories of Q e_byte + sent e_link     dynamic, by the energy of
               each operation and each byte                                      [horowitz2014]
  (2) P      = D/(ranks T) + static       of a device at work; ranks work at once
  (3) T'     = D/(ranks (TDP - static))   where P is above TDP: the clock falls until it is TDP
  (4) E      = D + devices static T',  per token E/tokens
Assumes     an operation takes the same energy at any clock; static power is drawn by every device
            for the whole step; an all-reduce sends 2 (n - 1)/n of its buffer.
Leaves out  hosts, switches and cooling (sustainability: PUE); voltage that falls with the clock.
Trust       the parts add up to E; P is never above TDP; coefficients of zero leave static power.
)";

// Arithmetic in one number format.
struct FormatEnergy {
  Precision precision = Precision::bf16;
  JoulesPerFlop energy_per_flop;

  static constexpr auto fields() {
    return std::tuple(
        field(&FormatEnergy::precision, "precision", "", "number format"),
        field(&FormatEnergy::energy_per_flop, "energy_per_flop", "e_flop", "of one operation"));
  }
};

// What a device draws.
struct Coefficients {
  std::optional<JoulesPerFlop> flop;
  std::vector<FormatEnergy> formats;
  std::optional<JoulesPerByte> memory, sram, host, flash, link;
  std::optional<Watts> static_power, tdp;

  static constexpr auto fields() {
    return std::tuple(
        field(&Coefficients::flop, "energy_per_flop", "e_flop", "of one operation"),
        field(&Coefficients::formats, "energy_per_flop_by_precision", "",
              "the same for the formats that it names: [{precision, energy_per_flop}]"),
        field(&Coefficients::memory, "energy_per_memory_byte", "e_byte",
              "of one byte read or written"),
        field(&Coefficients::sram, "energy_per_sram_byte", "", "of on-chip memory"),
        field(&Coefficients::host, "energy_per_host_byte", "", "over the link to the host"),
        field(&Coefficients::flash, "energy_per_flash_byte", "", "of flash"),
        field(&Coefficients::link, "energy_per_link_byte", "e_link", "sent to another device"),
        field(&Coefficients::static_power, "static_power", "static",
              "drawn whatever the device does; idle_power_fraction x TDP if not given"),
        field(&Coefficients::tdp, "tdp", "TDP",
              "that limits the power; the device's if not given"));
  }
};

// A step as given, in place of a model's.
struct Work {
  std::optional<Flops> flop;
  std::optional<Bytes> bytes, sram, host, flash, messages;
  std::optional<Seconds> time;
  double tokens = 1;

  static constexpr auto fields() {
    return std::tuple(
        field(&Work::flop, "flop", "F", "operations of a step, in place of a model"),
        field(&Work::bytes, "bytes", "Q", "of main memory"),
        field(&Work::sram, "sram_bytes", "", "of on-chip memory", {"sram_bytes", 1}),
        field(&Work::host, "host_bytes", "", "over the link to the host", {"host_bytes", 1}),
        field(&Work::flash, "flash_bytes", "", "of flash", {"flash_bytes", 1}),
        field(&Work::messages, "message_bytes", "sent", "to other devices", {"message_bytes", 1}),
        field(&Work::time, "time", "T", "of the step, if no limit slows it"),
        field(&Work::tokens, "tokens", "", "of the step"));
  }
  bool is_given() const { return flop || bytes || sram || host || flash || messages; }
};

struct Inputs {
  Service service;
  Phase phase = Phase::decode;
  std::int64_t seq_len = 2048;
  std::int64_t batch_size = 1;
  Coefficients coefficients;
  Work work;

  static constexpr auto fields() {
    return std::tuple(
        flat(&Inputs::service), field(&Inputs::phase, "phase", "", "one decode step, or a prefill"),
        field(&Inputs::seq_len, "seq_len", "S", "context of a decode step, or the prompt"),
        field(&Inputs::batch_size, "batch_size", "B", "sequences"), flat(&Inputs::coefficients),
        flat(&Inputs::work));
  }
};

enum class Reason : std::uint8_t { none, memory };

inline std::span<const char* const> names_of(Reason) {
  static constexpr std::array<const char*, 2> kNames = {"none", "memory"};
  return kNames;
}

struct Output {
  Joules energy_per_token, compute, memory, link, static_energy;
  Joules energy;
  std::optional<Watts> power;
  std::optional<Seconds> step, unthrottled_step;
  std::optional<double> tokens_per_s;
  bool throttled = false;
  bool feasible = true;
  Reason reason = Reason::none;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::energy_per_token, "energy_per_token", "E/tokens", "all devices",
              {"energy_j_per_token", 1}),
        field(&Output::compute, "compute_per_token", "", "of it, arithmetic",
              {"compute_j_per_token", 1}),
        field(&Output::memory, "memory_per_token", "", "of it, all memories",
              {"memory_j_per_token", 1}),
        field(&Output::link, "link_per_token", "", "of it, messages", {"link_j_per_token", 1}),
        field(&Output::static_energy, "static_per_token", "", "of it, static power",
              {"static_j_per_token", 1}),
        field(&Output::energy, "energy", "E", "of the step, all devices"),
        field(&Output::power, "power", "P", "of a device at work; none without a time"),
        field(&Output::step, "step", "T'", "time of the step"),
        field(&Output::unthrottled_step, "unthrottled_step", "T", "without the limit"),
        field(&Output::tokens_per_s, "tokens_per_s", "", "of the step"),
        field(&Output::throttled, "throttled", "", "the power limit slows the step"),
        field(&Output::feasible, "feasible", "", "devices hold what they must"),
        field(&Output::reason, "reason", "", "why they do not"));
  }
};

// Fills the power limit and the static power.
Result<Inputs> check(const Inputs& in);

// Pure. REQUIRES: `in` came from check().
Output solve(const Inputs& in);

}  // namespace ridgeline::solve::energy_per_token
