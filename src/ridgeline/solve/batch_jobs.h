#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"
#include "ridgeline/solve/service.h"

namespace ridgeline::solve::batch_jobs {

inline constexpr char kCard[] = R"(
How long does offline work take, what does it cost, and do devices that may be taken away pay?

Equations
  (1) tokens/s  = B out/(B t_p + out t_d) at the batch that makes it largest, of a replica; or as
                  given                                                           batching (7)
  (2) T         = tokens/(tokens/s x replicas)                  on demand
  (3) tax       = rate x (restart + rework)                     hours lost per useful hour
  (4) makespan  = T (1 + tax) on interruptible devices, else T
  (5) USD       = price x devices x makespan                              economics (7)
  (6) break even = (price on demand/price interruptible - 1)/(restart + rework)   interruptions an
                  hour at which both cost the same
  (7) kWh       = TDP (i + (1 - i) u) devices x makespan x PUE            sustainability (1)
Assumes     work that splits evenly; an interruption stops one replica, and only while it works;
            rework is the mean work lost since the last save.
Leaves out  waiting for devices; prices that change while the job runs; the last, partial batch.
Trust       at a rate of 0 interruptible devices take the time of those on demand; at the break-even
            rate both cost the same.
)";

enum class Reason : std::uint8_t { none, memory, deadline };

inline std::span<const char* const> names_of(Reason) {
  static constexpr std::array<const char*, 3> kNames = {"none", "memory", "deadline"};
  return kNames;
}

struct Inputs {
  Service service;
  double tokens = 0;
  std::optional<double> tokens_per_s;
  std::int64_t replicas = 1;
  std::optional<std::int64_t> devices_per_replica;
  std::int64_t max_seq_len = 2048;
  std::optional<double> mean_request_tokens;
  std::int64_t output_tokens = 128;
  std::int64_t max_search_batch = 256;
  std::int64_t page_size = 16;
  std::optional<Seconds> deadline;
  std::optional<DollarsPerSecond> hourly_rental_price, interruptible_price;
  double interruptions_per_h = 0;
  Seconds restart_time, rework_time;
  std::optional<Watts> tdp;
  double mfu = 1;
  std::optional<double> pue;
  std::optional<EmissionsPerJoule> carbon_intensity;

 private:  // the parts of fields()
  static constexpr auto work_fields() {
    return std::tuple(
        field(&Inputs::tokens, "tokens", "tokens", "of output, in all"),
        field(&Inputs::tokens_per_s, "tokens_per_s", "", "of a replica, in place of a model"),
        field(&Inputs::replicas, "replicas", "", "that work at once"),
        field(&Inputs::devices_per_replica, "devices_per_replica", "",
              "of them; those of its plan"),
        field(&Inputs::max_seq_len, "max_seq_len", "", "longest prompt"),
        field(&Inputs::mean_request_tokens, "mean_request_tokens", "",
              "mean prompt; the longest if not given"),
        field(&Inputs::output_tokens, "output_tokens", "out", "that a request generates"),
        field(&Inputs::max_search_batch, "max_search_batch", "", "largest batch to try"),
        field(&Inputs::page_size, "page_size", "", "tokens per page of KV"),
        field(&Inputs::deadline, "deadline", "", "by which the work must be done"));
  }
  static constexpr auto price_fields() {
    return std::tuple(
        field(&Inputs::hourly_rental_price, "hourly_rental_price", "price", "of one device",
              {"hourly_rental_price_usd", 1.0 / 3600}),
        field(&Inputs::interruptible_price, "interruptible_price", "",
              "of one that may be taken away", {"interruptible_price_usd", 1.0 / 3600}),
        field(&Inputs::interruptions_per_h, "interruptions_per_h", "rate", "of a replica"),
        field(&Inputs::restart_time, "restart_time", "restart", "until it works again"),
        field(&Inputs::rework_time, "rework_time", "rework", "work lost, on average"),
        field(&Inputs::tdp, "tdp", "TDP", "of a device, with its share of the node"),
        field(&Inputs::mfu, "mfu", "u", "share of the peak, which the power follows"),
        field(&Inputs::pue, "pue", "PUE", "facility over IT energy of the site; 1 if not given"),
        field(&Inputs::carbon_intensity, "carbon_intensity", "CI", "of the site's electricity",
              {"carbon_intensity_kgco2e_per_kwh", 1 / 3.6e6}));
  }

 public:
  static constexpr auto fields() {
    return std::tuple_cat(std::tuple(flat(&Inputs::service)), work_fields(), price_fields());
  }
};

struct Output {
  std::optional<Seconds> makespan, on_demand_makespan;
  std::optional<double> tokens_per_s;
  std::optional<std::int64_t> best_batch;
  double tax_fraction = 0;
  std::optional<Dollars> cost, on_demand_cost, per_million_tokens;
  std::optional<double> break_even_interruption_per_h;
  std::optional<double> device_hours, kwh_per_million_tokens, kgco2e_per_million_tokens;
  bool feasible = true;
  Reason reason = Reason::none;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::makespan, "makespan", "makespan", "until all is done"),
        field(&Output::on_demand_makespan, "on_demand_makespan", "T", "without interruptions"),
        field(&Output::best_batch, "best_batch", "B", "of a replica; none of a given speed"),
        field(&Output::tokens_per_s, "tokens_per_s", "", "of a replica"),
        field(&Output::tax_fraction, "tax_fraction", "tax", "time lost to interruptions"),
        field(&Output::cost, "cost", "USD", "interruptible, where that has a price", {"usd", 1}),
        field(&Output::on_demand_cost, "on_demand_cost", "", "on demand", {"on_demand_usd", 1}),
        field(&Output::per_million_tokens, "per_million_tokens", "", "at that price",
              {"usd_per_million_tokens", 1}),
        field(&Output::break_even_interruption_per_h, "break_even_interruption_per_h", "",
              "up to which interruptible devices are cheaper"),
        field(&Output::device_hours, "device_hours", "", "of all devices"),
        field(&Output::kwh_per_million_tokens, "kwh_per_million_tokens", "", "of the facility"),
        field(&Output::kgco2e_per_million_tokens, "kgco2e_per_million_tokens", "", "in operation"),
        field(&Output::feasible, "feasible", "", "a replica holds the model, and is done in time"),
        field(&Output::reason, "reason", "", "why not"));
  }
};

// Fills the mean and the devices of a replica.
Result<Inputs> check(const Inputs& in);

// REQUIRES: `in` came from check().
Output solve(const Inputs& in);

}  // namespace ridgeline::solve::batch_jobs
