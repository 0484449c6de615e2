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
#include "ridgeline/solve/answer.h"
#include "ridgeline/solve/service.h"

namespace ridgeline::solve::batching {

inline constexpr char kCard[] = R"(
Which batch yields the most tokens per second of a replica and still meets the targets?

Equations, of each batch B that the memory holds; slots as continuous-batching, of paged requests or,
static, of the longest
  (1) t_p  = prefill, t_d = decode step of B at the mean prompt                     serving (3), (6)
  (2) continuous: base = B t_p + out t_d, B servers a replica           serving-capacity (4), (5)
  (3) static: base = t_p(B) + longest out t_d: all wait for the longest; one server of batches a
      replica, which arrive at lambda/B with cv_a/sqrt(B)                            [yu2022]
  (4) fill = (B - 1)/(2 lambda) mean, (B - 1)/lambda for the first: until a static batch is full
  (5) p99  = fill + base + W99,  ttft = fill + W99 + t_p + t_d, static fill + W99 + t_p(B)
                                                                        [erlang1917] [allen1990]
  (6) replicas: the fewest that keep up and meet p99 and ttft           serving-capacity (6)
  (7) tokens/s = B out/base of a replica; the most of them inside all targets, the smaller of
      equal batches; every B is tried: those inside need not lie side by side
Assumes     prompts of mean length; fill is that of the first request of a batch, the worst.
Leaves out  time-outs that close a batch before it is full; prefill in chunks.
Trust       a looser target never lowers the best; none is inside a target below t_p.
)";

enum class Policy : std::uint8_t { continuous, batched };
enum class Reason : std::uint8_t { none, memory, itl, ttft, base_latency, capacity, tail_latency };

inline std::span<const char* const> names_of(Policy) {
  static constexpr std::array<const char*, 2> kNames = {"continuous", "static"};
  return kNames;
}
inline std::span<const char* const> names_of(Reason) {
  static constexpr std::array<const char*, 7> kNames = {
      "none", "memory", "itl", "ttft", "base-latency", "capacity", "tail-latency"};
  return kNames;
}

// What must be kept; what is not given need not be.
struct Targets {
  std::optional<Seconds> ttft, itl, p99;

  static constexpr auto fields() {
    return std::tuple(field(&Targets::ttft, "ttft", "", "first token of 99 % of requests"),
                      field(&Targets::itl, "itl", "", "between two tokens"),
                      field(&Targets::p99, "p99", "", "all of 99 % of requests"));
  }
};

struct Inputs {
  Service service;
  std::optional<double> qps, arrival_rate_qps;
  Targets sla;
  std::optional<Seconds> target_ttft, target_itl, target_p99_latency, sla_latency;
  Policy policy = Policy::continuous;
  std::int64_t max_search_batch = 256;
  std::optional<std::int64_t> max_batch_size;
  std::int64_t max_seq_len = 2048;
  std::optional<double> mean_request_tokens;
  std::int64_t output_tokens = 128;
  std::optional<std::int64_t> max_output_tokens;
  std::int64_t page_size = 16;
  std::int64_t max_replicas = 1024;
  std::optional<std::int64_t> num_replicas;
  double service_time_cv = 1;
  double arrival_cv = 1;

 private:  // the parts of fields()
  static constexpr auto target_fields() {
    return std::tuple(
        field(&Inputs::qps, "qps", "lambda", "requests per second"),
        field(&Inputs::arrival_rate_qps, "arrival_rate_qps", "", "the same"),
        field(&Inputs::sla, "sla", "", "targets: ttft, itl, p99"),
        field(&Inputs::target_ttft, "target_ttft", "", "the same as sla/ttft"),
        field(&Inputs::target_itl, "target_itl", "", "the same as sla/itl"),
        field(&Inputs::target_p99_latency, "target_p99_latency", "", "the same as sla/p99"),
        field(&Inputs::sla_latency, "sla_latency", "", "the same as sla/p99"));
  }
  static constexpr auto load_fields() {
    return std::tuple(
        field(&Inputs::policy, "policy", "",
              "continuous: requests join and leave; static: batches start and end together"),
        field(&Inputs::max_search_batch, "max_search_batch", "", "largest batch to try"),
        field(&Inputs::max_batch_size, "max_batch_size", "", "that the engine allows"),
        field(&Inputs::max_seq_len, "max_seq_len", "", "longest prompt"),
        field(&Inputs::mean_request_tokens, "mean_request_tokens", "",
              "mean prompt; the longest if not given"),
        field(&Inputs::output_tokens, "output_tokens", "out",
              "mean tokens that a request generates"),
        field(&Inputs::max_output_tokens, "max_output_tokens", "",
              "the most; output_tokens if not given"),
        field(&Inputs::page_size, "page_size", "", "tokens per page of KV"),
        field(&Inputs::max_replicas, "max_replicas", "", "replicas at most"),
        field(&Inputs::num_replicas, "num_replicas", "", "the same"),
        field(&Inputs::service_time_cv, "service_time_cv", "cv_s",
              "coefficient of variation of service"),
        field(&Inputs::arrival_cv, "arrival_cv", "cv_a", "and of the time between arrivals"));
  }

 public:
  static constexpr auto fields() {
    return std::tuple_cat(std::tuple(flat(&Inputs::service)), target_fields(), load_fields());
  }
};

// A batch.
struct Point {
  static constexpr const char* kListName = "curve";
  std::int64_t batch = 1;
  double tokens_per_s = 0;
  Seconds itl, base;
  std::optional<Seconds> ttft_p99, p99_latency;
  Seconds fill_wait_mean;
  std::optional<std::int64_t> required_replicas;
  bool inside = true;
  Reason reason = Reason::none;

  static constexpr auto fields() {
    return std::tuple(
        field(&Point::batch, "batch", "B", "requests at once"),
        field(&Point::tokens_per_s, "tokens_per_s", "", "of a replica"),
        field(&Point::itl, "itl", "t_d", "decode step"),
        field(&Point::base, "base", "base", "without a queue", {"base_latency_s", 1}),
        field(&Point::ttft_p99, "ttft_p99", "ttft", "99 % have their first token by then"),
        field(&Point::p99_latency, "p99_latency", "p99", "99 % are done by then"),
        field(&Point::fill_wait_mean, "fill_wait_mean", "fill", "until the batch is full"),
        field(&Point::required_replicas, "required_replicas", "r", "that suffice"),
        field(&Point::inside, "inside", "", "all targets are met"),
        field(&Point::reason, "reason", "", "which is not"));
  }
};

// Batches by what rejects them.
struct Rejected {
  std::int64_t memory = 0, itl = 0, ttft = 0, base_latency = 0, capacity = 0, tail_latency = 0;

  static constexpr auto fields() {
    return std::tuple(
        field(&Rejected::memory, "memory", "", "does not hold them"),
        field(&Rejected::itl, "itl", "", "decode steps are too long"),
        field(&Rejected::ttft, "ttft", "", "prefill and fill are too long"),
        field(&Rejected::base_latency, "base_latency", "", "too long without a queue"),
        field(&Rejected::capacity, "capacity", "", "too many replicas"),
        field(&Rejected::tail_latency, "tail_latency", "", "too long with the queue"));
  }
};

struct Output {
  std::optional<std::int64_t> best_batch;
  std::optional<double> tokens_per_s;
  std::optional<Seconds> p99_latency, ttft_p99, itl;
  std::optional<Seconds> fill_wait_mean, fill_wait_worst;
  std::optional<std::int64_t> required_replicas;
  std::int64_t candidates_count = 0;
  Rejected rejected;
  bool feasible = true;
  Reason reason = Reason::none;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::best_batch, "best_batch", "B", "with the most tokens/s inside the targets"),
        field(&Output::tokens_per_s, "tokens_per_s", "", "of a replica at it"),
        field(&Output::p99_latency, "p99_latency", "p99", "99 % are done by then"),
        field(&Output::ttft_p99, "ttft_p99", "ttft", "99 % have their first token by then"),
        field(&Output::itl, "itl", "t_d", "decode step"),
        field(&Output::fill_wait_mean, "fill_wait_mean", "fill", "until a batch is full"),
        field(&Output::fill_wait_worst, "fill_wait_worst", "", "of its first request"),
        field(&Output::required_replicas, "required_replicas", "r", "that suffice"),
        field(&Output::candidates_count, "candidates_count", "", "batches that were tried"),
        field(&Output::rejected, "rejected", "", "of them, by reason"),
        field(&Output::feasible, "feasible", "", "some batch is inside the targets"),
        field(&Output::reason, "reason", "", "what rejects a batch of one"));
  }
};

// Fills the targets from their other names, the mean and the longest output.
Result<Inputs> check(const Inputs& in);

// REQUIRES: `in` came from check(). Rows: every batch that the memory holds.
Answer<Output, Point> solve(const Inputs& in);

}  // namespace ridgeline::solve::batching
