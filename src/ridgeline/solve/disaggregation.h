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

namespace ridgeline::solve::disaggregation {

inline constexpr char kCard[] = R"(
How many instances for prefill and how many for decode, and does it pay to part them?

Equations
  (1) t_p  = prefill of one prompt of n tokens,  t_d = decode step of N requests, N the most that
      memory and target_itl allow                                      serving-capacity (1), (2)
  (2) transfer = kappa n/net over the link of each instance;  ttft = t_p + what is not hidden:
      up to t_p it can be                                    serving (5) [zhong2024] [patel2024]
  (3) q_p  = 1/t_p,  q_d = N/(out t_d),  each at most 1/transfer                   [zhong2024]
  (4) qps  = min(x q_p, y q_d) of x prefill and y decode instances
  (5) x, y = the fewest for the qps that are asked for; else the largest qps of max_devices; else
      one instance of the faster kind and the ratio q_p:q_d, rounded to the larger qps per device
  (6) gain = qps/(x q_1 + y q_1'), the same instances with whole requests: serving-capacity (3) at
      the largest N with t_p + t_d <= target_ttft and t_d + (N - 1) t_p/(out - 1) <= target_itl,
      as the prefills of neighbours come between two tokens
  (7) of rates alone: q_1 = 1/(1/q_p + 1/q_d)
Assumes     steady load, prompts of mean length; every instance at its rate; caches go layer by
            layer, unless an overlap is given.
Leaves out  queueing, prompts in chunks, cached prefixes, moving an instance to the other kind.
Trust       without targets, on equal instances, gain is at most 1: what parting saves is the wait
            between tokens, not work. x and y are within one instance of the ratio.
)";

enum class Bound : std::uint8_t { prefill, decode, link };
enum class Reason : std::uint8_t { none, prefill_memory, memory, itl, ttft, devices, capacity };

inline std::span<const char* const> names_of(Bound) {
  static constexpr std::array<const char*, 3> kNames = {"prefill", "decode", "link"};
  return kNames;
}
inline std::span<const char* const> names_of(Reason) {
  static constexpr std::array<const char*, 7> kNames = {"none", "prefill-memory", "memory",  "itl",
                                                        "ttft", "devices",        "capacity"};
  return kNames;
}

struct Inputs {
  Service service;
  std::optional<Hardware> decode_hardware;
  std::optional<Cluster> decode_machine;
  std::optional<std::int64_t> decode_tp_size, decode_pp_size;
  BytesPerSecond network_bandwidth = 100 * gigabyte_per_second;
  std::optional<double> kv_transfer_overlap;
  std::optional<double> prefill_instance_qps, decode_instance_qps;
  std::int64_t max_seq_len = 2048;
  std::optional<double> mean_request_tokens;
  std::int64_t output_tokens = 128;
  std::int64_t max_batch_size = 32;
  std::int64_t page_size = 16;
  std::optional<Seconds> target_ttft, target_itl;
  std::optional<double> qps;
  std::optional<std::int64_t> max_devices, prefill_instances, decode_instances;

 private:  // the parts of fields()
  static constexpr auto machine_fields() {
    return std::tuple(
        field(&Inputs::decode_hardware, "decode_hardware", "",
              "each device of a decode instance; that of the model if not given"),
        field(&Inputs::decode_machine, "decode_machine", "", "whose links join those devices"),
        field(&Inputs::decode_tp_size, "decode_tp_size", "", "tensor-parallel ranks of those"),
        field(&Inputs::decode_pp_size, "decode_pp_size", "", "pipeline stages of those"),
        field(&Inputs::network_bandwidth, "network_bandwidth", "net", "of each instance"),
        field(&Inputs::kv_transfer_overlap, "kv_transfer_overlap_fraction", "overlap",
              "share of the transfer hidden under prefill; 1 - 1/L, layer by layer, if not given"),
        field(&Inputs::prefill_instance_qps, "prefill_instance_qps", "q_p",
              "requests/s of a prefill instance, in place of a model"),
        field(&Inputs::decode_instance_qps, "decode_instance_qps", "q_d",
              "requests/s of a decode instance, in place of a model"));
  }
  static constexpr auto request_fields() {
    return std::tuple(
        field(&Inputs::max_seq_len, "max_seq_len", "", "longest prompt"),
        field(&Inputs::mean_request_tokens, "mean_request_tokens", "n",
              "mean prompt; the longest if not given"),
        field(&Inputs::output_tokens, "output_tokens", "out", "tokens that a request generates"),
        field(&Inputs::max_batch_size, "max_batch_size", "", "requests of an instance at once"),
        field(&Inputs::page_size, "page_size", "", "tokens per page of KV"));
  }
  static constexpr auto target_fields() {
    return std::tuple(field(&Inputs::target_ttft, "target_ttft", "", "of the time to first token"),
                      field(&Inputs::target_itl, "target_itl", "", "of the time between tokens"),
                      field(&Inputs::qps, "qps", "", "requests per second to serve"),
                      field(&Inputs::max_devices, "max_devices", "", "of all instances together"),
                      field(&Inputs::prefill_instances, "prefill_instances", "x", "that are there"),
                      field(&Inputs::decode_instances, "decode_instances", "y", "that are there"));
  }

 public:
  static constexpr auto fields() {
    return std::tuple_cat(std::tuple(flat(&Inputs::service)), machine_fields(), request_fields(),
                          target_fields());
  }
};

struct Output {
  std::optional<std::int64_t> prefill_instances, decode_instances, devices;
  std::optional<double> qps, qps_per_device, gain, colocated_qps;
  std::optional<Seconds> ttft, itl, transfer, prefill;
  std::optional<BytesPerSecond> hiding_bandwidth;
  std::optional<double> prefill_instance_qps, decode_instance_qps;
  std::optional<std::int64_t> active_batch_size, colocated_batch_size;
  std::optional<Bound> bound;
  bool feasible = true;
  Reason reason = Reason::none;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::prefill_instances, "prefill_instances", "x", "instances that prefill"),
        field(&Output::decode_instances, "decode_instances", "y", "instances that decode"),
        field(&Output::devices, "devices", "", "of all of them"),
        field(&Output::qps, "qps", "qps", "requests per second that they serve"),
        field(&Output::qps_per_device, "qps_per_device", "", "of each device"),
        field(&Output::gain, "gain", "gain", "qps over that of the same devices not parted"),
        field(&Output::colocated_qps, "colocated_qps", "x q_1 + y q_1'",
              "of the same devices not parted"),
        field(&Output::ttft, "ttft", "ttft", "to the first token, no queue"),
        field(&Output::itl, "itl", "t_d", "between two tokens"),
        field(&Output::transfer, "transfer", "transfer", "of the cache of a prompt"),
        field(&Output::prefill, "prefill", "t_p", "of a prompt"),
        field(&Output::hiding_bandwidth, "hiding_bandwidth", "",
              "net from which the transfer lasts no longer than the prefill"),
        field(&Output::prefill_instance_qps, "prefill_instance_qps", "q_p", "of one instance"),
        field(&Output::decode_instance_qps, "decode_instance_qps", "q_d", "of one instance"),
        field(&Output::active_batch_size, "active_batch_size", "N", "requests that decode at once"),
        field(&Output::colocated_batch_size, "colocated_batch_size", "",
              "requests at once of a prefill instance that serves them whole"),
        field(&Output::bound, "bound", "", "what ends the rate"),
        field(&Output::feasible, "feasible", "", "all is kept that was asked for"),
        field(&Output::reason, "reason", "", "what is not"));
  }
};

// Fills the mean and the hardware.
Result<Inputs> check(const Inputs& in);

// REQUIRES: `in` came from check().
Output solve(const Inputs& in);

}  // namespace ridgeline::solve::disaggregation
