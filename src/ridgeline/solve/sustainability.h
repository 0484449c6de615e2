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
#include "ridgeline/solve/fleet_energy.h"

namespace ridgeline::solve::sustainability {

inline constexpr char kCard[] = R"(
What energy, carbon and water does a run take, in operation and in the making of its devices?

Equations
  (1) IT          = TDP (i + (1 - i) u) n hours,  facility = IT PUE   [barroso2007] [iso-30134-2]
  (2) operational = sum over hours of facility CI                                [patterson2021]
  (3) embodied    = n e x,  x = days/(365 life) as a share, 1 in all                 [gupta2022]
  (4) water       = IT WUE + facility x source water                [iso-30134-9] [li2023-water]
  (5) best hour   = the start, within the profile, of the window of the run's length with the
                    least mean CI; the run starts at hour 0 otherwise            [wiesner2021]
Assumes     power follows u = MFU; the intensity given is the one that the accounting names.
Leaves out  networks, storage and hosts unless TDP includes them; disposal.
Trust       the hours of a flat profile give the mean; embodied at full life is e n.
)";

enum class EmbodiedCharge : std::uint8_t { share, all };
enum class Accounting : std::uint8_t { location, market, marginal };

inline std::span<const char* const> names_of(EmbodiedCharge) {
  static constexpr std::array<const char*, 2> kNames = {"share", "all"};
  return kNames;
}
inline std::span<const char* const> names_of(Accounting) {
  static constexpr std::array<const char*, 3> kNames = {"location", "market", "marginal"};
  return kNames;
}

struct Inputs {
  FleetEnergy fleet;
  std::optional<Emissions> embodied_per_device;
  double service_life_years = 5;
  EmbodiedCharge embodied_charge = EmbodiedCharge::share;
  std::vector<EmissionsPerJoule> intensity_profile;
  Accounting accounting = Accounting::location;
  std::optional<double> tokens_count;

  static constexpr auto fields() {
    return std::tuple(
        flat(&Inputs::fleet),
        field(&Inputs::embodied_per_device, "embodied_per_device", "e",
              "emitted in making one device; zero must be said", {"embodied_kgco2e_per_device", 1}),
        field(&Inputs::service_life_years, "service_life_years", "life", "of a device"),
        field(&Inputs::embodied_charge, "embodied_charge", "x",
              "the run's share of the life, or all"),
        field(&Inputs::intensity_profile, "intensity_profile", "CI", "by hour: 24 or 8760",
              {"intensity_profile_kgco2e_per_kwh", 1 / 3.6e6}),
        field(&Inputs::accounting, "accounting", "", "what the intensity given is"),
        field(&Inputs::tokens_count, "tokens_count", "", "that the run produces"));
  }
};

struct Output {
  Joules it_energy, facility_energy;
  Emissions operational, embodied, emissions;
  Water water;
  double pue = 1;
  std::optional<Emissions> per_million_tokens;
  std::optional<std::int64_t> best_hour;
  std::optional<Emissions> saved;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::it_energy, "it_energy", "IT", "of the devices"),
        field(&Output::facility_energy, "facility_energy", "facility", "of the site"),
        field(&Output::operational, "operational", "", "emitted in operation"),
        field(&Output::embodied, "embodied", "", "charged for the making of the devices"),
        field(&Output::emissions, "emissions", "", "both"),
        field(&Output::water, "water", "", "of the site and of its power"),
        field(&Output::pue, "pue", "PUE", "as used"),
        field(&Output::per_million_tokens, "per_million_tokens", "", "emitted",
              {"kgco2e_per_million_tokens", 1}),
        field(&Output::best_hour, "best_hour", "", "to start a run that can wait"),
        field(&Output::saved, "saved", "", "by starting then rather than at hour 0"));
  }
};

Result<Inputs> check(const Inputs& in);

// Pure and allocation-free. REQUIRES: `in` passed check().
Output solve(const Inputs& in);

}  // namespace ridgeline::solve::sustainability
