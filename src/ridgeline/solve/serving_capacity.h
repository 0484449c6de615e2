#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"
#include "ridgeline/physics/queue.h"
#include "ridgeline/solve/service.h"

namespace ridgeline::solve::serving_capacity {

inline constexpr char kCard[] = R"(
How many replicas does a rate of requests need so that 99 % are done within a target, and what
stops fewer?

Equations
  (1) N    = min(max_batch, paged slots at the mean request)             continuous-batching (4)
  (2) t_p  = prefill of one prompt,  t_d = decode step of N at that context
  (3) q_1  = N/(N t_p + out t_d)      a request takes t_p + out t_d/N of the devices    [yu2022]
  (4) base = N/q_1 = N t_p + out t_d  a resident request waits for the prefills of its neighbours
                                      too (Little's law on a full replica)
  (5) W99  = 99th percentile wait of r N servers of mean time base, by Erlang C    [erlang1917]
      p99  = base + W99,  ttft_p99 = W99 + t_p + t_d                                [allen1990]
  (6) r    = the smallest with qps < r q_1 and p99 <= target; p99 falls with r      [dean2013]
Assumes     requests are spread evenly over full replicas; prompts of mean length.
Leaves out  spread of service beyond its coefficient of variation; scaling over time.
Trust       r >= qps t_p. base > target: no number of replicas helps, fewer slots might: see
            largest_batch_within_target.
)";

enum class Bottleneck : std::uint8_t { none, memory, base_latency, capacity, tail_latency };

inline std::span<const char* const> names_of(Bottleneck) {
  static constexpr std::array<const char*, 5> kNames = {"none", "memory", "base-latency",
                                                        "capacity", "tail-latency"};
  return kNames;
}

struct Inputs {
  Service service;
  double qps = 0;
  Seconds target_p99_latency;
  std::int64_t max_seq_len = 2048;
  std::optional<double> mean_request_tokens;
  std::int64_t output_tokens = 128;
  std::int64_t max_batch_size = 32;
  std::int64_t page_size = 16;
  std::int64_t max_replicas = 1024;
  double service_time_cv = 1;
  double arrival_cv = 1;

  static constexpr auto fields() {
    return std::tuple(
        flat(&Inputs::service), field(&Inputs::qps, "qps", "qps", "requests per second"),
        field(&Inputs::target_p99_latency, "target_p99_latency", "target", "of 99 % of requests"),
        field(&Inputs::max_seq_len, "max_seq_len", "", "longest prompt"),
        field(&Inputs::mean_request_tokens, "mean_request_tokens", "",
              "mean prompt; the longest if not given"),
        field(&Inputs::output_tokens, "output_tokens", "out", "tokens that a request generates"),
        field(&Inputs::max_batch_size, "max_batch_size", "", "requests of a replica at once"),
        field(&Inputs::page_size, "page_size", "", "tokens per page of KV"),
        field(&Inputs::max_replicas, "max_replicas", "", "replicas at most"),
        field(&Inputs::service_time_cv, "service_time_cv", "cv_s",
              "coefficient of variation of service"),
        field(&Inputs::arrival_cv, "arrival_cv", "cv_a", "and of the time between arrivals"));
  }
};

struct Output {
  std::optional<std::int64_t> required_replicas;
  std::int64_t active_batch_size = 0;
  std::optional<double> per_replica_qps, qps_capacity, utilization_fraction;
  std::optional<Seconds> p99_latency, ttft_p99, base_latency, queue_wait_p99;
  Seconds prefill;
  std::optional<Seconds> itl;
  std::optional<std::int64_t> largest_batch_within_target;
  Bottleneck bottleneck = Bottleneck::none;
  bool feasible = true;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::required_replicas, "required_replicas", "r", "replicas that suffice"),
        field(&Output::per_replica_qps, "per_replica_qps", "q_1", "requests/s of a replica"),
        field(&Output::qps_capacity, "qps_capacity", "r q_1", "requests/s of all of them"),
        field(&Output::utilization_fraction, "utilization_fraction", "", "qps over that"),
        field(&Output::p99_latency, "p99_latency", "p99", "99 % are done by then"),
        field(&Output::ttft_p99, "ttft_p99", "", "99 % have their first token by then"),
        field(&Output::base_latency, "base_latency", "base", "without a queue, replicas full"),
        field(&Output::queue_wait_p99, "queue_wait_p99", "W99", "99th percentile of the wait"),
        field(&Output::active_batch_size, "active_batch_size", "N", "requests of a replica"),
        field(&Output::prefill, "prefill", "t_p", "of one prompt"),
        field(&Output::itl, "itl", "t_d", "decode step of N"),
        field(&Output::largest_batch_within_target, "largest_batch_within_target", "",
              "max_batch_size at which base meets the target; 0: none does"),
        field(&Output::bottleneck, "bottleneck", "", "what stops it"),
        field(&Output::feasible, "feasible", "", "the target is met"));
  }
};

// Fills the mean.
Result<Inputs> check(const Inputs& in);

// Pure and allocation-free. REQUIRES: `in` came from check().
Output solve(const Inputs& in);

// A replica whose slots are all taken, (1)-(4). Nothing but the prefill is known without a slot.
struct FullReplica {
  std::int64_t slots = 0;  // N
  Seconds prefill, itl, base;

  double qps() const { return static_cast<double>(slots) / base.base(); }
};
FullReplica full_replica(const Inputs& in, const physics::Replica& replica);

// The queue before one of them, (5).
physics::Queue queue_of(const Inputs& in, const FullReplica& full);

// The largest batch, at most N, whose base is within the target; 0: none is.
std::int64_t largest_batch(const Inputs& in, const physics::Replica& replica, std::int64_t N);

}  // namespace ridgeline::solve::serving_capacity
