#include "ridgeline/solve/prefix_caching.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ridgeline/solve/model_checks.h"

namespace ridgeline::solve::prefix_caching {
namespace {

using physics::Replica;

constexpr std::int64_t kMostPrefixes = 100'000;
constexpr std::int64_t kEnginePage = 16;             // [kwon2023]
constexpr std::int64_t kMostTokens = 1'000'000'000;  // of a prompt that is searched for
constexpr double kNoLimit = std::numeric_limits<double>::infinity();

double as_double(std::int64_t n) {
  return static_cast<double>(n);
}

// A prefix as the cache sees it.
struct Item {
  double p = 0;             // of all requests
  std::int64_t hit = 0;     // tokens in whole pages
  std::int64_t prompt = 1;  // tokens
  double size = 0;          // bytes, or tokens where the bytes of one are not known
};

double hit_chance(double p, double t) {
  return t == kNoLimit ? 1 : -std::expm1(-p * t);  // (1)
}

double held(const std::vector<Item>& items, double t) {
  double sum = 0;
  for (const Item& item : items) sum += item.size * hit_chance(item.p, t);
  return sum;
}

// Requests after which what is not asked for has left the cache, (1).
double characteristic_time(const std::vector<Item>& items, double capacity) {
  if (capacity <= 0) return 0;
  if (held(items, kNoLimit) <= capacity) return kNoLimit;
  double low = 0, high = 1;
  while (held(items, high) < capacity && high < 1e300) high *= 2;
  for (int i = 0; i < 200 && high - low > 1e-15 * high; ++i) {
    const double mid = (low + high) / 2;
    (held(items, mid) < capacity ? low : high) = mid;
  }
  return high;
}

// Bytes of the cache of a prefix on all devices, copies included.
double size_of(const Inputs& in, const std::optional<Replica>& r, std::int64_t tokens) {
  if (in.kv_per_token) return in.kv_per_token->base() * as_double(tokens);
  if (!r) return as_double(tokens);
  return r->tp * physics::kept_kv(r->model, as_double(tokens), r->tp).base();
}

std::vector<Item> items_of(const Inputs& in, const std::optional<Replica>& r) {
  std::vector<Item> out;
  double sum = 0;
  for (const Prefix& prefix : in.prefixes) sum += prefix.popularity;
  for (const Prefix& prefix : in.prefixes) {
    const std::int64_t hit = prefix.tokens / *in.page_size * *in.page_size;
    out.push_back({.p = prefix.popularity / sum,
                   .hit = hit,
                   .prompt = in.seq_len.value_or(prefix.tokens),
                   .size = size_of(in, r, hit)});
  }
  return out;
}

// In the unit of the items' sizes.
double capacity_of(const Inputs& in, const std::optional<Replica>& r) {
  if (in.cache) return in.cache->base();
  if (in.cache_tokens && r && !in.kv_per_token) {
    return *in.cache_tokens * r->tp * physics::kv_per_token(r->model, r->tp).base();
  }
  if (in.cache_tokens) return *in.cache_tokens * in.kv_per_token.value_or(1 * byte).base();
  if (in.cached_prefix_len) return kNoLimit;
  const Bytes usable = physics::usable_memory(in.service.hardware, in.service.setting);
  return std::max(0.0, r->devices() * (usable - physics::held_weights(*r)).base());
}

Seconds prefill(const Replica& r, std::int64_t cached, std::int64_t whole) {
  return physics::prefill_step(r, {.part = {whole - cached, cached, whole}}).total();
}

Seconds load_time(const Inputs& in, const Replica& r, std::int64_t tokens, BytesPerSecond link) {
  if (in.kv_per_token) return *in.kv_per_token * as_double(tokens) / (r.devices() * link);
  return physics::held_kv(r, as_double(tokens)) / link;
}

// What a hit of a prompt takes; loaded over `link`, unless it is on the devices already.
Seconds hit_time(const Inputs& in, const Replica& r, const Item& item,
                 const std::optional<BytesPerSecond>& link) {
  const std::int64_t cached = std::min(item.hit, item.prompt - 1);
  const Seconds warm = prefill(r, cached, item.prompt);
  if (!link) return warm;
  return std::min(warm + load_time(in, r, item.hit, *link), prefill(r, 0, item.prompt));  // (4)
}

// By how much computing `tokens` takes longer than loading them.
double reload_gain(const Inputs& in, const Replica& r, BytesPerSecond link, std::int64_t tokens) {
  return (prefill(r, 0, tokens) - load_time(in, r, tokens, link)).base();
}

// The gain is the larger of a convex and a straight line, less a straight one: it falls, then
// rises. None where it stays below zero.
std::optional<double> break_even(const Inputs& in, const Replica& r, BytesPerSecond link) {
  std::int64_t low = 1, high = kMostTokens;
  while (high - low > 2) {
    const std::int64_t third = (high - low) / 3, left = low + third, right = high - third;
    const bool falls = reload_gain(in, r, link, left) > reload_gain(in, r, link, right);
    if (falls) {
      low = left;
    } else {
      high = right;
    }
  }
  std::int64_t least = low + (high - low) / 2;
  for (std::int64_t at = low; at <= high; ++at) {
    if (reload_gain(in, r, link, at) < reload_gain(in, r, link, least)) least = at;
  }
  if (reload_gain(in, r, link, least) > 0) return 1;
  if (reload_gain(in, r, link, kMostTokens) <= 0) return std::nullopt;
  std::int64_t loses = least, pays = kMostTokens;
  while (pays - loses > 1) {
    const std::int64_t mid = loses + (pays - loses) / 2;
    (reload_gain(in, r, link, mid) > 0 ? pays : loses) = mid;
  }
  return as_double(pays);  // (5)
}

struct Level {
  Label name;
  double capacity = 0;
  std::optional<BytesPerSecond> link;
};

std::vector<Level> levels_of(const Inputs& in, const std::optional<Replica>& r) {
  std::vector<Level> out = {{.name = "device", .capacity = capacity_of(in, r), .link = {}}};
  for (const Tier& tier : in.tiers) {
    const Bytes capacity = tier.capacity.value_or(Bytes::from_base(kNoLimit));
    out.push_back({.name = tier.name, .capacity = capacity.base(), .link = tier.bandwidth});
  }
  return out;
}

struct Sums {
  double hit_tokens = 0, tokens = 0, requests = 0;
  Seconds warm, cold;
};

// Adds the hits of a level, which holds a prefix with the chance h(t) - h(before).
TierHits add_level(const Inputs& in, const std::optional<Replica>& r,
                   const std::vector<Item>& items, const Level& level,
                   const std::array<double, 2>& times, Sums& sums) {
  TierHits row{.name = level.name};
  double size = 0, hit_tokens = 0;
  for (const Item& item : items) {
    const double h = hit_chance(item.p, times[1]) - hit_chance(item.p, times[0]);
    size += item.size * h;
    if (item.hit == 0) continue;
    hit_tokens += item.p * as_double(item.hit) * h;  // (2)
    sums.requests += item.p * h;
    if (r && h > 0) {
      const Seconds saved = prefill(*r, 0, item.prompt) - hit_time(in, *r, item, level.link);
      sums.warm = sums.warm - item.p * h * saved;  // (3)
    }
  }
  sums.hit_tokens += hit_tokens;
  row.hit_fraction = hit_tokens / sums.tokens;
  if (r || in.kv_per_token) row.bytes = Bytes::from_base(size);  // (6)
  if (r && level.link) row.reload_break_even_tokens = break_even(in, *r, *level.link);
  return row;
}

Sums cold_sums(const std::optional<Replica>& r, const std::vector<Item>& items) {
  Sums sums;
  for (const Item& item : items) {
    sums.tokens += item.p * as_double(item.prompt);
    if (r) sums.cold = sums.cold + item.p * prefill(*r, 0, item.prompt);
  }
  sums.warm = sums.cold;
  return sums;
}

// Times, whether the weights fit, and what loading from the host would take.
void put_times(const Inputs& in, const Replica& r, const Sums& sums, Output& out) {
  const Hardware& hw = in.service.hardware;
  out.ttft = sums.warm;
  out.ttft_cold = sums.cold;
  out.ttft_saved = sums.cold - sums.warm;
  if (hw.host_link) out.reload_break_even_tokens = break_even(in, r, *hw.host_link);
  out.feasible = physics::held_weights(r) <= physics::usable_memory(hw, in.service.setting);
  out.reason = out.feasible ? Reason::none : Reason::memory;
}

Status check_prefix(const Inputs& in, const Prefix& prefix) {
  RIDGELINE_CHECK(check_amount("popularity", prefix.popularity));
  RIDGELINE_CHECK(check_number("tokens", prefix.tokens, 1));
  if (!in.seq_len || prefix.tokens <= *in.seq_len) return Ok{};
  return out_of_range("tokens", fmt::format("a prefix of {} tokens", prefix.tokens),
                      fmt::format("at most seq_len = {}", *in.seq_len));
}

Status check_tier(const Tier& tier) {
  if (tier.name.size() > Label::kMost) {
    return out_of_range("name", fmt::format("a name of {} letters", tier.name.size()),
                        fmt::format("at most {}", Label::kMost));
  }
  RIDGELINE_CHECK(check_amount_or_zero("capacity", tier.capacity));
  return check_amount("bandwidth", tier.bandwidth);
}

Status check_numbers(const Inputs& in) {
  RIDGELINE_CHECK(check_number("seq_len", in.seq_len, 1));
  for (const Prefix& prefix : in.prefixes) RIDGELINE_CHECK(check_prefix(in, prefix));
  if (in.prefix_count) {
    RIDGELINE_CHECK(check_count("prefix_count", *in.prefix_count, 1, kMostPrefixes));
  }
  RIDGELINE_CHECK(check_number("prefix_tokens", in.prefix_tokens, 1));
  RIDGELINE_CHECK(check_amount_or_zero("zipf_exponent", in.zipf_exponent));
  RIDGELINE_CHECK(check_number("cached_prefix_len", in.cached_prefix_len, 0));
  RIDGELINE_CHECK(check_amount_or_zero("cache", in.cache));
  RIDGELINE_CHECK(check_amount_or_zero("cache_tokens", in.cache_tokens));
  RIDGELINE_CHECK(check_amount("kv_per_token", in.kv_per_token));
  RIDGELINE_CHECK(check_number("page_size", in.page_size, 1));
  for (const Tier& tier : in.tiers) RIDGELINE_CHECK(check_tier(tier));
  return Ok{};
}

// One of the three ways to say which prefixes there are.
Status check_source(const Inputs& in) {
  const int ways =
      (in.prefixes.empty() ? 0 : 1) + (in.prefix_count ? 1 : 0) + (in.cached_prefix_len ? 1 : 0);
  if (ways == 0) {
    return missing("prefixes", "there is no prefix",
                   "[{popularity, tokens}, ...], or prefix_count and prefix_tokens, or "
                   "cached_prefix_len and seq_len");
  }
  if (ways > 1) {
    return conflict("prefixes", "prefixes are given in two ways",
                    "one of prefixes, prefix_count and cached_prefix_len");
  }
  if (in.prefix_count && !in.prefix_tokens) {
    return missing("prefix_tokens", "how long are the prefixes?");
  }
  if (in.cached_prefix_len && !in.seq_len) return missing("seq_len", "how long is the prompt?");
  if (in.cache && in.cache_tokens) {
    return conflict("cache_tokens", "the cache is given in bytes and in tokens", "one of them");
  }
  return Ok{};
}

Status check_cache(const Inputs& in) {
  if (is_given(in.service.model)) return Ok{};
  if (!in.cache && !in.cache_tokens && !in.cached_prefix_len) {
    return missing("cache", "how much is cached? There is no model and device to tell",
                   "cache, cache_tokens, or model and hardware");
  }
  if (in.cache && !in.kv_per_token) {
    return missing("kv_per_token", "what does a token take?", "that, or a model");
  }
  if (in.tiers.empty() || in.kv_per_token) return Ok{};
  return missing("kv_per_token", "what does a token take in a tier?", "that, or a model");
}

void fill_prefixes(Inputs& in) {
  if (in.cached_prefix_len) in.prefixes = {{.popularity = 1, .tokens = *in.cached_prefix_len}};
  for (std::int64_t i = 1; i <= in.prefix_count.value_or(0); ++i) {
    in.prefixes.push_back(
        {.popularity = std::pow(as_double(i), -in.zipf_exponent), .tokens = *in.prefix_tokens});
  }
}

}  // namespace

Result<Inputs> check(const Inputs& given) {
  Inputs in = given;
  if (is_given(in.service.model)) {
    RIDGELINE_TRY(in.service, check_service(given.service));
  } else {
    RIDGELINE_CHECK(check_setting(in.service.setting));
  }
  RIDGELINE_CHECK(check_numbers(in));
  RIDGELINE_CHECK(check_source(in));
  RIDGELINE_CHECK(check_cache(in));
  if (in.cached_prefix_len && *in.cached_prefix_len >= *in.seq_len) {
    return out_of_range("cached_prefix_len",
                        fmt::format("cached_prefix_len is {}", *in.cached_prefix_len),
                        fmt::format("from 0 to seq_len - 1 = {}", *in.seq_len - 1));
  }
  fill_prefixes(in);
  const bool engine = is_given(in.service.model) && !in.service.setting.is_flat();
  if (!in.page_size) in.page_size = engine ? kEnginePage : 1;
  return in;
}

Answer<Output, TierHits> solve(const Inputs& in) {
  std::optional<Replica> r;
  if (is_given(in.service.model)) r = replica_of(in.service, in.service.hardware);
  const std::vector<Item> items = items_of(in, r);
  const std::vector<Level> levels = levels_of(in, r);
  Sums sums = cold_sums(r, items);
  Answer<Output, TierHits> answer;
  Output& out = answer.output;
  double capacity = 0, before = 0;
  for (const Level& level : levels) {
    capacity += level.capacity;
    const double t = characteristic_time(items, capacity);
    const TierHits row = add_level(in, r, items, level, {before, t}, sums);
    if (row.bytes) out.bytes = out.bytes.value_or(Bytes{}) + *row.bytes;
    answer.rows.push_back(row);
    before = t;
  }
  out.hit_fraction = sums.hit_tokens / sums.tokens;
  out.request_hit_fraction = sums.requests;
  if (out.bytes && levels[0].capacity < kNoLimit) out.cache = Bytes::from_base(levels[0].capacity);
  if (r) put_times(in, *r, sums, out);
  if (levels.size() > 1) out.reload_break_even_tokens = answer.rows[1].reload_break_even_tokens;
  return answer;
}

}  // namespace ridgeline::solve::prefix_caching
