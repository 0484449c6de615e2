// Evaluation: one plan, a model on a machine at a site with its work, through all solvers at once.
//
//   training      step of distributed; save and restore of checkpoint; useful share of reliability
//     run         = tokens/rate,  wall = run/useful, or tokens = rate x useful x duration
//   serving       replicas of serving-capacity; bound and memory of serving at its batch
//   power         follows u, the share of the peak: MFU in training; in serving O and the prompts'
//                 attention over R (attention of decode is left out)
//   both          energy, cost and carbon by economics and sustainability, added up; devices side
//   by
//                 side
// Each part takes the inputs of its solver; what follows from other parts is filled in here.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"
#include "ridgeline/solve/checkpoint.h"
#include "ridgeline/solve/distributed.h"
#include "ridgeline/solve/economics.h"
#include "ridgeline/solve/reliability.h"
#include "ridgeline/solve/serving.h"
#include "ridgeline/solve/serving_capacity.h"
#include "ridgeline/solve/sustainability.h"
#include "ridgeline/spec/hardware.h"
#include "ridgeline/spec/totals.h"

namespace ridgeline::solve::evaluation {

struct Training {
  distributed::Inputs run;
  std::optional<double> tokens;
  std::optional<Seconds> duration;

  static constexpr auto fields() {
    return std::tuple(flat(&Training::run),
                      field(&Training::tokens, "tokens_count", "", "of the whole run"),
                      field(&Training::duration, "duration", "",
                            "in place of tokens: how long it may take", {"duration_days", 86400}));
  }
};

struct Serving {
  serving_capacity::Inputs load;
  Seconds duration = 365 * day;

  static constexpr auto fields() {
    return std::tuple(flat(&Serving::load),
                      field(&Serving::duration, "duration", "", "for which it is paid",
                            {"duration_days", 86400}));
  }
};

// Where the machine stands. A value that economics or sustainability gives itself wins.
struct Place {
  std::optional<double> pue;
  std::optional<EmissionsPerJoule> carbon_intensity;
  std::optional<WaterPerJoule> wue;
  WaterPerJoule source_water;
  std::optional<DollarsPerJoule> kwh_price;

  static constexpr auto fields() {
    constexpr double kPerKwh = 1 / 3.6e6;
    return std::tuple(
        field(&Place::pue, "pue", "PUE", "facility over IT energy"),
        field(&Place::carbon_intensity, "carbon_intensity", "CI", "of the electricity",
              {"carbon_intensity_kgco2e_per_kwh", kPerKwh}),
        field(&Place::wue, "wue", "WUE", "water of the site per IT energy",
              {"wue_l_per_kwh", kPerKwh}),
        field(&Place::source_water, "source_water", "", "water that generating power takes",
              {"source_water_l_per_kwh", kPerKwh}),
        field(&Place::kwh_price, "kwh_price", "price", "of electricity",
              {"kwh_price_usd", kPerKwh}));
  }
};

struct Limits {
  std::optional<Watts> power;
  std::optional<Dollars> budget;

  static constexpr auto fields() {
    return std::tuple(field(&Limits::power, "power", "", "that the facility has"),
                      field(&Limits::budget, "budget", "", "for all of the work"));
  }
};

struct Inputs {
  Totals model;
  Cluster machine;
  std::optional<Training> training;
  std::optional<Serving> serving;
  Place site;
  std::optional<reliability::Inputs> reliability;
  std::optional<checkpoint::Inputs> checkpoint;
  economics::Inputs economics;
  sustainability::Inputs sustainability;
  Limits limits;

  static constexpr auto fields() {
    return std::tuple(
        field(&Inputs::model, "model", "", "the model"),
        field(&Inputs::machine, "machine", "", "all devices that there are"),
        field(&Inputs::training, "training", "", "a training run, as in solve distributed"),
        field(&Inputs::serving, "serving", "", "requests to serve, as in solve serving-capacity"),
        field(&Inputs::site, "site", "", "PUE, carbon, water and price of the power"),
        field(&Inputs::reliability, "reliability", "", "what fails, as in solve reliability"),
        field(&Inputs::checkpoint, "checkpoint", "", "how it is saved, as in solve checkpoint"),
        field(&Inputs::economics, "economics", "", "prices, as in solve economics"),
        field(&Inputs::sustainability, "sustainability", "", "as in solve sustainability"),
        field(&Inputs::limits, "limits", "", "power and money that there are"));
  }
};

struct Performance {
  std::optional<Seconds> step;
  std::optional<double> mfu_fraction, training_tokens_per_s;
  std::optional<Seconds> run_time;
  std::optional<Seconds> ttft, ttft_p99, itl, p99_latency;
  std::optional<std::int64_t> replicas;
  std::optional<double> qps_capacity, utilization_fraction, output_tokens_per_s;
  std::optional<physics::TimeBound> prefill_bound, decode_bound;
  std::optional<serving_capacity::Bottleneck> bottleneck;
  std::int64_t devices = 0;

  static constexpr auto fields() {
    return std::tuple(
        field(&Performance::step, "step", "", "of training"),
        field(&Performance::mfu_fraction, "mfu_fraction", "MFU", "of training"),
        field(&Performance::training_tokens_per_s, "training_tokens_per_s", "",
              "while nothing fails"),
        field(&Performance::run_time, "run_time", "", "of the training run, nothing failing"),
        field(&Performance::ttft, "ttft", "", "first token of a prompt alone"),
        field(&Performance::ttft_p99, "ttft_p99", "", "99 % have their first token by then"),
        field(&Performance::itl, "itl", "", "between two tokens of a request"),
        field(&Performance::p99_latency, "p99_latency", "", "99 % of requests are done by then"),
        field(&Performance::replicas, "replicas", "", "that serve"),
        field(&Performance::qps_capacity, "qps_capacity", "", "requests/s of all of them"),
        field(&Performance::utilization_fraction, "utilization_fraction", "", "of that"),
        field(&Performance::output_tokens_per_s, "output_tokens_per_s", "", "served"),
        field(&Performance::prefill_bound, "prefill_bound", "", "largest part of a prefill"),
        field(&Performance::decode_bound, "decode_bound", "", "largest part of a decode step"),
        field(&Performance::bottleneck, "bottleneck", "", "what stops serving, if anything"),
        field(&Performance::devices, "devices", "", "in use"));
  }
};

struct Memory {
  std::optional<Bytes> training, serving, capacity;
  std::optional<double> utilization_fraction;

  static constexpr auto fields() {
    return std::tuple(field(&Memory::training, "training", "", "of the fullest device in training"),
                      field(&Memory::serving, "serving", "", "of a device that serves"),
                      field(&Memory::capacity, "capacity", "", "of a device"),
                      field(&Memory::utilization_fraction, "utilization_fraction", "",
                            "the larger need over it"));
  }
};

struct Reliability {
  std::optional<Seconds> mtbf, interval;
  std::optional<Bytes> checkpoint;
  std::optional<Seconds> write, stall;
  std::optional<double> expected_failures, useful_fraction;
  std::optional<Seconds> wall_time;

  static constexpr auto fields() {
    return std::tuple(
        field(&Reliability::mtbf, "mtbf", "", "between failures of the run"),
        field(&Reliability::interval, "interval", "", "between saves"),
        field(&Reliability::checkpoint, "checkpoint", "", "size of one"),
        field(&Reliability::write, "write", "", "until it is stored"),
        field(&Reliability::stall, "stall", "", "that the run waits for it"),
        field(&Reliability::expected_failures, "expected_failures", "", "during the run"),
        field(&Reliability::useful_fraction, "useful_fraction", "", "of the run's time"),
        field(&Reliability::wall_time, "wall_time", "", "of the run with what fails"));
  }
};

struct Cost {
  std::optional<Dollars> capex, energy, maintenance, opex, tco, cloud;
  std::optional<Dollars> per_device_hour, per_million_tokens;

  static constexpr auto fields() {
    return std::tuple(
        field(&Cost::capex, "capex", "", "share of the investment"),
        field(&Cost::energy, "energy", "", "electricity", {"energy_usd", 1}),
        field(&Cost::maintenance, "maintenance", "", "of the investment"),
        field(&Cost::opex, "opex", "", "energy, maintenance and staff"),
        field(&Cost::tco, "tco", "", "all of it, owned"),
        field(&Cost::cloud, "cloud", "", "the same device time rented"),
        field(&Cost::per_device_hour, "per_device_hour", "", "owned, else rented",
              {"usd_per_device_hour", 1}),
        field(&Cost::per_million_tokens, "per_million_tokens", "",
              "trained on or generated; owned, else rented", {"usd_per_million_tokens", 1}));
  }
  const std::optional<Dollars>& paid() const { return tco ? tco : cloud; }
};

struct Energy {
  std::optional<Joules> it, facility;
  std::optional<Watts> power;
  std::optional<Joules> per_token;

  static constexpr auto fields() {
    return std::tuple(
        field(&Energy::it, "it", "", "of the devices"),
        field(&Energy::facility, "facility", "", "of the site"),
        field(&Energy::power, "power", "", "of the site with all devices at full power"),
        field(&Energy::per_token, "per_token", "", "of the site", {"j_per_token", 1}));
  }
};

struct Carbon {
  std::optional<Emissions> operational, embodied, emissions, per_million_tokens;

  static constexpr auto fields() {
    return std::tuple(field(&Carbon::operational, "operational", "", "emitted in operation"),
                      field(&Carbon::embodied, "embodied", "", "for the making of the devices"),
                      field(&Carbon::emissions, "emissions", "", "both"),
                      field(&Carbon::per_million_tokens, "per_million_tokens", "", "emitted",
                            {"kgco2e_per_million_tokens", 1}));
  }
};

struct WaterUse {
  std::optional<Water> water;

  static constexpr auto fields() {
    return std::tuple(field(&WaterUse::water, "water", "", "of the site and of its power"));
  }
};

enum class Reason : std::uint8_t {
  none,
  memory,
  devices,
  latency,
  capacity,
  checkpoint,
  never_done,
  power,
  budget
};

inline std::span<const char* const> names_of(Reason) {
  static constexpr std::array<const char*, 9> kNames = {"none",       "memory",   "devices",
                                                        "latency",    "capacity", "checkpoint",
                                                        "never-done", "power",    "budget"};
  return kNames;
}

struct Output {
  Performance performance;
  Memory memory;
  Reliability reliability;
  Cost cost;
  Energy energy;
  Carbon carbon;
  WaterUse water;
  std::optional<double> tokens;
  bool feasible = true;
  Reason reason = Reason::none;

  static constexpr auto fields() {
    return std::tuple(field(&Output::performance, "performance", "", "how fast"),
                      field(&Output::memory, "memory", "", "how full"),
                      field(&Output::reliability, "reliability", "", "what failures take"),
                      field(&Output::cost, "cost", "", "in money"),
                      field(&Output::energy, "energy", "", "drawn"),
                      field(&Output::carbon, "carbon", "", "emitted"),
                      field(&Output::water, "water", "", "taken"),
                      field(&Output::tokens, "tokens_count", "", "trained on and generated"),
                      field(&Output::feasible, "feasible", "", "everything fits"),
                      field(&Output::reason, "reason", "", "what does not, first of all"));
  }
};

// Errors of a part stand below its name: "training/tp_size".
Result<Inputs> check(const Inputs& in);

// Pure. REQUIRES: `in` came from check().
Output solve(const Inputs& in);

}  // namespace ridgeline::solve::evaluation
