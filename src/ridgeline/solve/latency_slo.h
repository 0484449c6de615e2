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

namespace ridgeline::solve::latency_slo {

inline constexpr char kCard[] = R"(
What is the largest load whose time to first token, time between tokens and latency stay inside
their targets?

Equations, of r replicas of N slots; t_p, t_d, base and q_1 of serving-capacity
  (1) W_q    = quantile of the wait of r N servers of mean time base at load qps   [erlang1917]
  (2) ttft   = W_q + t_p + t_d,  itl = t_d,  latency = base + W_q                   [allen1990]
  (3) qps    = the largest at which each is within its target, by bisection: W_q grows with the
               load; below r q_1, where the queue has no end
  (4) of a service time alone: latency = quantile of wait and service of tail-latency
  (5) goodput = qps x share of requests that meet all targets                       [zhong2024]
Assumes     requests are spread evenly over full replicas; all targets at one quantile.
Leaves out  the stall of a decode step by a neighbour's prefill; slots that are empty at low load.
Trust       a looser target never lowers qps; at qps the latency's quantile is its target.
)";

enum class Binding : std::uint8_t { none, ttft, itl, latency, capacity, memory };

inline std::span<const char* const> names_of(Binding) {
  static constexpr std::array<const char*, 6> kNames = {"none",    "ttft",     "itl",
                                                        "latency", "capacity", "memory"};
  return kNames;
}

struct Inputs {
  Service service;
  std::optional<Seconds> service_latency;
  std::optional<Seconds> target_ttft, target_itl, target_p99_latency;
  double quantile = 0.99;
  std::int64_t num_replicas = 1;
  std::int64_t max_seq_len = 2048;
  std::optional<double> mean_request_tokens;
  std::int64_t output_tokens = 128;
  std::int64_t max_batch_size = 32;
  std::int64_t page_size = 16;
  double service_time_cv = 1;
  double arrival_cv = 1;

 private:  // the parts of fields()
  static constexpr auto target_fields() {
    return std::tuple(
        field(&Inputs::service_latency, "service_latency", "s",
              "mean time of a request without a queue, in place of a model"),
        field(&Inputs::target_ttft, "target_ttft", "", "of the time to first token"),
        field(&Inputs::target_itl, "target_itl", "", "of the time between tokens"),
        field(&Inputs::target_p99_latency, "target_p99_latency", "", "of the whole request"),
        field(&Inputs::quantile, "quantile", "q", "of requests inside the targets"),
        field(&Inputs::num_replicas, "num_replicas", "r", "replicas, or servers of that time"));
  }
  static constexpr auto request_fields() {
    return std::tuple(
        field(&Inputs::max_seq_len, "max_seq_len", "", "longest prompt"),
        field(&Inputs::mean_request_tokens, "mean_request_tokens", "",
              "mean prompt; the longest if not given"),
        field(&Inputs::output_tokens, "output_tokens", "out", "tokens that a request generates"),
        field(&Inputs::max_batch_size, "max_batch_size", "", "requests of a replica at once"),
        field(&Inputs::page_size, "page_size", "", "tokens per page of KV"),
        field(&Inputs::service_time_cv, "service_time_cv", "cv_s",
              "coefficient of variation of service"),
        field(&Inputs::arrival_cv, "arrival_cv", "cv_a", "and of the time between arrivals"));
  }

 public:
  static constexpr auto fields() {
    return std::tuple_cat(std::tuple(flat(&Inputs::service)), target_fields(), request_fields());
  }
};

struct Output {
  double qps = 0;
  double goodput_requests_per_s = 0;
  Binding binding = Binding::none;
  std::optional<double> qps_capacity, utilization_fraction;
  std::optional<Seconds> ttft, itl, latency, queue_wait;
  std::optional<std::int64_t> active_batch_size, largest_batch_within_target;
  bool feasible = true;
  Binding reason = Binding::none;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::qps, "qps", "qps", "largest load inside the targets"),
        field(&Output::goodput_requests_per_s, "goodput_requests_per_s", "goodput",
              "requests of it that meet them all"),
        field(&Output::binding, "binding", "", "the target, or the capacity, that ends it"),
        field(&Output::qps_capacity, "qps_capacity", "r q_1", "where the queue has no end"),
        field(&Output::utilization_fraction, "utilization_fraction", "", "qps over that"),
        field(&Output::ttft, "ttft", "ttft", "its quantile at that load"),
        field(&Output::itl, "itl", "itl", "decode step of full slots"),
        field(&Output::latency, "latency", "latency", "its quantile at that load",
              {"p99_latency_s", 1}),
        field(&Output::queue_wait, "queue_wait", "W_q", "quantile of the wait",
              {"queue_wait_p99_s", 1}),
        field(&Output::active_batch_size, "active_batch_size", "N", "slots of a replica"),
        field(&Output::largest_batch_within_target, "largest_batch_within_target", "",
              "max_batch_size that meets the latency's target; 0: none does"),
        field(&Output::feasible, "feasible", "", "some load is inside the targets"),
        field(&Output::reason, "reason", "", "what no load meets"));
  }
};

// Fills the mean.
Result<Inputs> check(const Inputs& in);

// Pure and allocation-free. REQUIRES: `in` came from check().
Output solve(const Inputs& in);

}  // namespace ridgeline::solve::latency_slo
