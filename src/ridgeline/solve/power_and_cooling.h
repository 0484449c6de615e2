#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"

namespace ridgeline::solve::power_and_cooling {

inline constexpr char kCard[] = R"(
What power, how many racks and what flow of coolant does a fleet need?

Equations
  (1) IT      = n TDP                                    or as given
  (2) site    = IT PUE                                                           [iso-30134-2]
  (3) racks   = ceil(n/floor(limit/TDP));  of a given IT power alone: ceil(IT/limit)
  (4) coolant = x IT/(c_p dT)       kg/s that carry off a share x of the heat, warmed by dT
  (5) devices per MW = 1e6/(PUE TDP)
Assumes     all power becomes heat; c_p is 4186 J/(kg K) of water, 1005 J/(kg K) of air.
Leaves out  pumps and fans beyond the PUE, redundancy, the chiller's own limits.
Trust       the flow halves when dT doubles; racks hold every device, none beyond its limit.
)";

enum class Cooling : std::uint8_t { liquid, air };
enum class Reason : std::uint8_t { none, rack_limit };

inline std::span<const char* const> names_of(Cooling) {
  static constexpr std::array<const char*, 2> kNames = {"liquid", "air"};
  return kNames;
}
inline std::span<const char* const> names_of(Reason) {
  static constexpr std::array<const char*, 2> kNames = {"none", "rack limit"};
  return kNames;
}

struct Inputs {
  std::optional<std::int64_t> devices;
  std::optional<Watts> tdp, it_power;
  std::optional<double> pue;
  std::optional<Watts> rack_limit;
  Cooling cooling = Cooling::liquid;
  double coolant_rise_k = 10;
  double coolant_heat_fraction = 1;
  std::optional<double> coolant_heat_capacity;

  static constexpr auto fields() {
    return std::tuple(
        field(&Inputs::devices, "devices", "n", "of the fleet"),
        field(&Inputs::tdp, "tdp", "TDP", "of a device, with its share of the node"),
        field(&Inputs::it_power, "it_power", "IT", "in place of devices and their power"),
        field(&Inputs::pue, "pue", "PUE", "facility over IT power of the site"),
        field(&Inputs::rack_limit, "rack_limit", "limit", "power that a rack can carry and cool"),
        field(&Inputs::cooling, "cooling", "", "the coolant: liquid (water) or air"),
        field(&Inputs::coolant_rise_k, "coolant_rise_k", "dT", "kelvins by which it warms"),
        field(&Inputs::coolant_heat_fraction, "coolant_heat_fraction", "x",
              "share of the heat that it carries off"),
        field(&Inputs::coolant_heat_capacity, "coolant_heat_capacity", "c_p",
              "of the coolant; by its kind if not given", {"coolant_heat_capacity_j_per_kg_k", 1}));
  }
};

struct Output {
  Watts it;
  std::optional<Watts> site;
  std::optional<std::int64_t> racks, devices_per_rack;
  double coolant_kg_per_s = 0;
  std::optional<double> devices_per_mw;
  bool feasible = true;
  Reason reason = Reason::none;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::it, "it", "IT", "power of the devices"),
        field(&Output::site, "site", "site", "power of the facility; none without PUE"),
        field(&Output::racks, "racks", "racks", "that hold them; none without a limit"),
        field(&Output::devices_per_rack, "devices_per_rack", "", "at most"),
        field(&Output::coolant_kg_per_s, "coolant_kg_per_s", "coolant", "flow of coolant"),
        field(&Output::devices_per_mw, "devices_per_mw", "", "of the facility's power"),
        field(&Output::feasible, "feasible", "", "a rack carries at least one device"),
        field(&Output::reason, "reason", "", "what makes it infeasible"));
  }
};

Result<Inputs> check(const Inputs& in);

// Pure and allocation-free. REQUIRES: `in` passed check().
Output solve(const Inputs& in);

}  // namespace ridgeline::solve::power_and_cooling
