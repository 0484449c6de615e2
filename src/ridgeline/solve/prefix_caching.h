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
#include "ridgeline/solve/service.h"

namespace ridgeline::solve::prefix_caching {

inline constexpr char kCard[] = R"(
How often does a cache of prompt prefixes hit, what does that save, and does a slower tier pay?

Equations, of prefixes of s_i tokens asked for with probability p_i
  (1) h_i   = 1 - e^(-p_i t), t from sum of s_i h_i = C        least recently used  [che2002]
  (2) hit   = sum p_i c_i h_i/sum p_i S_i        c_i whole pages of s_i in prompts of S_i tokens
  (3) ttft  = prefill of S_i - c_i tokens after c_i on a hit, of S_i on a miss; on average
      saved = what all misses would take, less that            [zheng2024] [pope2022]
  (4) tiers   of the prefixes that C_0 + .. + C_k would hold, tier k has what the tiers before it
              do not; a hit there adds min(kappa c/link, what it saves)
  (5) reload_break_even = the fewest tokens from which on kappa c/link < prefill of c
  (6) bytes = sum of kappa s_i h_i over all tiers
Assumes     independent requests of fixed probabilities; prefixes are cached whole; one prompt at a
            time; a loaded prefix is not overlapped with compute; at least one token is computed.
Leaves out  whether the cache fits beside the weights, if it is given; queueing; shared parts of
            prefixes; prefixes that are cached in part.
Trust       C = 0 hits nothing, room for all hits all; a larger cache never hits less; partial
            pages do not hit.
)";

enum class Reason : std::uint8_t { none, memory };

inline std::span<const char* const> names_of(Reason) {
  static constexpr std::array<const char*, 2> kNames = {"none", "memory"};
  return kNames;
}

struct Prefix {
  double popularity = 1;
  std::int64_t tokens = 0;

  static constexpr auto fields() {
    return std::tuple(
        field(&Prefix::popularity, "popularity", "p_i", "share of the requests; any scale"),
        field(&Prefix::tokens, "tokens", "s_i", "of the prefix"));
  }
};

struct Tier {
  std::string name;
  std::optional<Bytes> capacity;
  BytesPerSecond bandwidth;

  static constexpr auto fields() {
    return std::tuple(
        field(&Tier::name, "name", "", "of the tier"),
        field(&Tier::capacity, "capacity", "C_k", "of all devices; holds the rest if not given"),
        field(&Tier::bandwidth, "bandwidth", "link", "to each device"));
  }
};

struct Inputs {
  Service service;
  std::vector<Prefix> prefixes;
  std::optional<std::int64_t> prefix_count, prefix_tokens;
  double zipf_exponent = 1;
  std::optional<std::int64_t> cached_prefix_len;
  std::optional<std::int64_t> seq_len;
  std::optional<Bytes> cache;
  std::optional<double> cache_tokens;
  std::optional<Bytes> kv_per_token;
  std::optional<std::int64_t> page_size;
  std::vector<Tier> tiers;

 private:  // the parts of fields()
  static constexpr auto prompt_fields() {
    return std::tuple(
        field(&Inputs::prefixes, "prefixes", "", "popularity and tokens of each"),
        field(&Inputs::prefix_count, "prefix_count", "", "prefixes of Zipf's popularity"),
        field(&Inputs::prefix_tokens, "prefix_tokens", "s_i", "of each of those"),
        field(&Inputs::zipf_exponent, "zipf_exponent", "s", "p_i ~ i^-s; 0: all alike"),
        field(&Inputs::cached_prefix_len, "cached_prefix_len", "c",
              "one prefix of so many tokens, always cached unless the cache is given"),
        field(&Inputs::seq_len, "seq_len", "S", "tokens of a prompt; its prefix if not given"));
  }
  static constexpr auto cache_fields() {
    return std::tuple(
        field(&Inputs::cache, "cache", "C", "of all devices; what weights leave if not given"),
        field(&Inputs::cache_tokens, "cache_tokens", "C", "the same, in tokens"),
        field(&Inputs::kv_per_token, "kv_per_token", "kappa", "of a model that is not given",
              {"kv_bytes_per_token", 1}),
        field(&Inputs::page_size, "page_size", "", "tokens per page of KV"),
        field(&Inputs::tiers, "tiers", "", "slower memories, fastest first"));
  }

 public:
  static constexpr auto fields() {
    return std::tuple_cat(std::tuple(flat(&Inputs::service)), prompt_fields(), cache_fields());
  }
};

struct Output {
  double hit_fraction = 0;
  double request_hit_fraction = 0;
  std::optional<Seconds> ttft, ttft_cold, ttft_saved;
  std::optional<Bytes> bytes, cache;
  std::optional<double> reload_break_even_tokens;
  bool feasible = true;
  Reason reason = Reason::none;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::hit_fraction, "hit_fraction", "hit", "share of prompt tokens in a tier"),
        field(&Output::request_hit_fraction, "request_hit_fraction", "",
              "share of prompts that find their prefix"),
        field(&Output::ttft, "ttft", "ttft", "mean time to first token"),
        field(&Output::ttft_cold, "ttft_cold", "", "the same without a cache"),
        field(&Output::ttft_saved, "ttft_saved", "saved", "of the two, the difference"),
        field(&Output::bytes, "bytes", "bytes", "that cached prefixes take, all tiers",
              {"bytes", 1}),
        field(&Output::cache, "cache", "C", "on the devices"),
        field(&Output::reload_break_even_tokens, "reload_break_even_tokens", "",
              "from so many on, loading from the first tier beats computing; 1: always"),
        field(&Output::feasible, "feasible", "", "the devices hold the weights"),
        field(&Output::reason, "reason", "", "why not"));
  }
};

// The device's cache and each tier below it.
struct TierHits {
  static constexpr const char* kListName = "tiers";
  Label name;
  double hit_fraction = 0;
  std::optional<Bytes> bytes;
  std::optional<double> reload_break_even_tokens;

  static constexpr auto fields() {
    return std::tuple(field(&TierHits::name, "name", "", "of the tier"),
                      field(&TierHits::hit_fraction, "hit_fraction", "", "share of prompt tokens"),
                      field(&TierHits::bytes, "bytes", "", "that are taken", {"bytes", 1}),
                      field(&TierHits::reload_break_even_tokens, "reload_break_even_tokens", "",
                            "from which on loading beats computing"));
  }
};

// Fills the prefixes and the page.
Result<Inputs> check(const Inputs& in);

// REQUIRES: `in` came from check(). Rows: the devices, then the tiers as given.
Answer<Output, TierHits> solve(const Inputs& in);

}  // namespace ridgeline::solve::prefix_caching
