#include "ridgeline/solve/disaggregation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "ridgeline/solve/handover.h"
#include "ridgeline/solve/model_checks.h"
#include "ridgeline/solve/serving_capacity.h"

namespace ridgeline::solve::disaggregation {
namespace {

using physics::Replica;
using serving_capacity::FullReplica;

constexpr double kMostInstances = 1e9;
constexpr double kRounding = 1e-9;

double as_double(std::int64_t n) {
  return static_cast<double>(n);
}

bool within(Seconds time, const std::optional<Seconds>& target) {
  return !target || time <= *target;
}

Service decode_service(const Inputs& in) {
  Service out = in.service;
  if (in.decode_machine) {
    out.machine = in.decode_machine;
    out.hardware = in.decode_machine->device;
  }
  if (in.decode_hardware) out.hardware = *in.decode_hardware;
  out.tp_size = in.decode_tp_size.value_or(out.tp_size);
  out.pp_size = in.decode_pp_size.value_or(out.pp_size);
  return out;
}

// The requests, as serving-capacity asks about them; its load and target play no part here.
serving_capacity::Inputs requests_of(const Inputs& in, const Service& service) {
  serving_capacity::Inputs out;
  out.service = service;
  out.qps = 1;
  out.target_p99_latency = 1 * second;
  out.max_seq_len = in.max_seq_len;
  out.mean_request_tokens = in.mean_request_tokens;
  out.output_tokens = in.output_tokens;
  out.max_batch_size = in.max_batch_size;
  out.page_size = in.page_size;
  return out;
}

// The kind of instance that prefills, or the one that decodes.
struct Kind {
  serving_capacity::Inputs requests;
  Replica replica;

  // With the most requests at once at which `meets` holds, as it does for fewer; none: no slots.
  template <class Meets>
  FullReplica fullest(const Meets& meets) const {
    serving_capacity::Inputs asks = requests;
    FullReplica full = full_replica(asks, replica);
    if (full.slots == 0 || meets(full)) return full;
    std::int64_t fits = 0, fails = full.slots;
    while (fails - fits > 1) {
      const std::int64_t n = fits + (fails - fits) / 2;
      asks.max_batch_size = n;
      (meets(full_replica(asks, replica)) ? fits : fails) = n;
    }
    if (fits == 0) return {.prefill = full.prefill, .itl = full.itl};
    asks.max_batch_size = fits;
    return full_replica(asks, replica);
  }
};

std::int64_t prompt_of(const Inputs& in) {
  return static_cast<std::int64_t>(std::max(1.0, std::floor(*in.mean_request_tokens)));
}

// Serving whole requests inside the targets, (6).
FullReplica colocated(const Inputs& in, const Kind& kind) {
  const double between = as_double(in.output_tokens - 1);
  return kind.fullest([&](const FullReplica& full) {
    const bool first = within(full.prefill + full.itl, in.target_ttft);
    if (!first || between == 0) return first;
    const double neighbours = as_double(full.slots - 1);
    return within(full.itl + neighbours / between * full.prefill, in.target_itl);
  });
}

// Rates of one instance of each kind, parted and not, and the devices of one.
struct Rates {
  double prefill = 0, decode = 0;
  double whole_at_prefill = 0, whole_at_decode = 0;
  std::int64_t prefill_devices = 1, decode_devices = 1;
  std::optional<double> link;  // requests that the link of an instance carries
};

struct Split {
  std::int64_t x = 1, y = 1;

  std::int64_t devices(const Rates& r) const {
    return x * r.prefill_devices + y * r.decode_devices;
  }
  double qps(const Rates& r) const {
    return std::min(as_double(x) * r.prefill, as_double(y) * r.decode);  // (4)
  }
  double qps_per_device(const Rates& r) const { return qps(r) / as_double(devices(r)); }
};

// Instances of so many requests per second each that serve `qps`.
std::int64_t enough(double qps, double each) {
  const double count = std::ceil(qps / each * (1 - kRounding));
  return static_cast<std::int64_t>(std::clamp(count, 1.0, kMostInstances));
}

Split serving_split(double qps, const Rates& r) {
  return {enough(qps, r.prefill), enough(qps, r.decode)};
}

// The larger qps per device of both ways to round the ratio; of equal ones the smaller.
Split least_split(const Rates& r) {
  const bool fast_prefill = r.prefill >= r.decode;
  const double ratio = fast_prefill ? r.prefill / r.decode : r.decode / r.prefill;
  const auto many =
      static_cast<std::int64_t>(std::clamp(std::floor(ratio + kRounding), 1.0, kMostInstances));
  const auto of = [&](std::int64_t n) { return fast_prefill ? Split{1, n} : Split{n, 1}; };
  const Split down = of(many), up = of(many + 1);
  return up.qps_per_device(r) > down.qps_per_device(r) * (1 + kRounding) ? up : down;
}

// The largest qps of at most so many devices, by the fewest instances that serve it.
std::optional<Split> split_of(std::int64_t devices, const Rates& r) {
  double best = 0;
  for (std::int64_t x = 1; x * r.prefill_devices + r.decode_devices <= devices; ++x) {
    const std::int64_t y = (devices - x * r.prefill_devices) / r.decode_devices;
    best = std::max(best, Split{x, y}.qps(r));
  }
  if (best == 0) return std::nullopt;
  return serving_split(best, r);
}

std::optional<Split> choose(const Inputs& in, const Rates& r) {
  const auto &x = in.prefill_instances, &y = in.decode_instances;
  if (x && y) return Split{*x, *y};
  if (x) return Split{*x, enough(in.qps.value_or(as_double(*x) * r.prefill), r.decode)};
  if (y) return Split{enough(in.qps.value_or(as_double(*y) * r.decode), r.prefill), *y};
  if (in.qps) return serving_split(*in.qps, r);
  if (in.max_devices) return split_of(*in.max_devices, r);
  return least_split(r);  // (5)
}

Output fail(Output out, Reason why) {
  out.reason = why;
  out.feasible = false;
  return out;
}

Bound bound_of(const Split& split, const Rates& r) {
  const bool prefill = as_double(split.x) * r.prefill <= as_double(split.y) * r.decode;
  if (r.link && (prefill ? r.prefill : r.decode) == *r.link) return Bound::link;
  return prefill ? Bound::prefill : Bound::decode;
}

Output put_split(const Inputs& in, const Rates& r, Output out) {
  out.prefill_instance_qps = r.prefill;
  out.decode_instance_qps = r.decode;
  const std::optional<Split> split = choose(in, r);
  if (!split) return fail(out, Reason::devices);
  out.prefill_instances = split->x;
  out.decode_instances = split->y;
  out.devices = split->devices(r);
  out.qps = split->qps(r);
  out.qps_per_device = split->qps_per_device(r);
  out.bound = bound_of(*split, r);
  const double whole =
      as_double(split->x) * r.whole_at_prefill + as_double(split->y) * r.whole_at_decode;
  out.colocated_qps = whole;
  if (whole > 0) out.gain = *out.qps / whole;  // (6)
  if (in.max_devices && *out.devices > *in.max_devices) return fail(out, Reason::devices);
  if (in.qps && *out.qps < *in.qps * (1 - kRounding)) return fail(out, Reason::capacity);
  return out;
}

double whole_rate(const FullReplica& full) {
  return full.slots == 0 ? 0 : full.qps();
}

bool holds_prompt(const Inputs& in, const Replica& r) {
  return physics::held_weights(r) + physics::held_kv(r, *in.mean_request_tokens) <=
         physics::usable_memory(in.service.hardware, in.service.setting);
}

Output solve_model(const Inputs& in) {
  const Service& first = in.service;
  const Service second = decode_service(in);
  const Kind prefill{requests_of(in, first), replica_of(first, first.hardware)};
  const Kind decode{requests_of(in, second), replica_of(second, second.hardware)};
  const std::int64_t n = prompt_of(in);
  const Seconds t_p = full_replica(prefill.requests, prefill.replica).prefill;
  const Seconds sent = handover_time(prefill.replica, {.tokens = n}, in.network_bandwidth);
  const FullReplica full =
      decode.fullest([&](const FullReplica& f) { return within(f.itl, in.target_itl); });
  Output out{.transfer = sent, .prefill = t_p};
  out.ttft = t_p + exposed_handover(prefill.replica, in.kv_transfer_overlap, sent, t_p);  // (2)
  out.hiding_bandwidth = sent / t_p * in.network_bandwidth;
  if (!holds_prompt(in, prefill.replica)) return fail(out, Reason::prefill_memory);
  if (full.itl == Seconds{}) return fail(out, Reason::memory);
  if (full.slots == 0) return fail(out, Reason::itl);
  out.itl = full.itl;
  out.active_batch_size = full.slots;
  if (!within(*out.ttft, in.target_ttft)) return fail(out, Reason::ttft);

  const FullReplica whole = colocated(in, prefill);
  out.colocated_batch_size = whole.slots;
  const double link = 1 / sent.base(), N = as_double(full.slots);
  const Rates rates{
      .prefill = std::min(1 / t_p.base(), link),                                      // (3)
      .decode = std::min(N / (as_double(in.output_tokens) * full.itl).base(), link),  // (3)
      .whole_at_prefill = whole_rate(whole),
      .whole_at_decode = whole_rate(colocated(in, decode)),
      .prefill_devices = first.tp_size * first.pp_size,
      .decode_devices = second.tp_size * second.pp_size,
      .link = link};
  return put_split(in, rates, out);
}

Status check_rates(const Inputs& in) {
  RIDGELINE_CHECK(check_amount("prefill_instance_qps", in.prefill_instance_qps));
  RIDGELINE_CHECK(check_amount("decode_instance_qps", in.decode_instance_qps));
  const bool some = in.prefill_instance_qps || in.decode_instance_qps;
  if (is_given(in.service.model)) {
    if (!some) return Ok{};
    return conflict(in.prefill_instance_qps ? "prefill_instance_qps" : "decode_instance_qps",
                    "a model has its own rates", "a model, or the rates of both kinds");
  }
  if (!some) return missing("model", "what is served?", "model and hardware, or rates");
  if (!in.prefill_instance_qps) return missing("prefill_instance_qps", "its rate is given alone");
  if (!in.decode_instance_qps) return missing("decode_instance_qps", "its rate is given alone");
  if (!in.target_ttft && !in.target_itl) return Ok{};
  return missing("model", "rates alone have no times", "model and hardware");
}

Status check_wishes(const Inputs& in) {
  RIDGELINE_CHECK(check_amount("network_bandwidth", in.network_bandwidth));
  RIDGELINE_CHECK(check_fraction("kv_transfer_overlap_fraction", in.kv_transfer_overlap));
  RIDGELINE_CHECK(check_amount("target_ttft", in.target_ttft));
  RIDGELINE_CHECK(check_amount("target_itl", in.target_itl));
  RIDGELINE_CHECK(check_amount("qps", in.qps));
  for (const auto& [name, count] : {std::pair{"max_devices", in.max_devices},
                                    std::pair{"prefill_instances", in.prefill_instances},
                                    std::pair{"decode_instances", in.decode_instances},
                                    std::pair{"decode_tp_size", in.decode_tp_size},
                                    std::pair{"decode_pp_size", in.decode_pp_size}}) {
    if (count) RIDGELINE_CHECK(check_degree_of(name, *count));
  }
  return Ok{};
}

// An error of the service that decodes, by the names of its own fields.
Error at_decode(Error error) {
  constexpr std::string_view kOwn[] = {"hardware", "machine", "tp_size", "pp_size"};
  for (const std::string_view own : kOwn) {
    if (std::string_view(error.where).substr(0, own.size()) != own) continue;
    error.where = "decode_" + error.where;
    break;
  }
  return error;
}

}  // namespace

Result<Inputs> check(const Inputs& given) {
  Inputs in = given;
  RIDGELINE_CHECK(check_wishes(in));
  RIDGELINE_CHECK(check_rates(in));
  if (!is_given(in.service.model)) {
    RIDGELINE_CHECK(check_setting(in.service.setting));
    return in;
  }
  RIDGELINE_TRY(const auto requests, serving_capacity::check(requests_of(in, given.service)));
  in.service = requests.service;
  in.mean_request_tokens = requests.mean_request_tokens;
  const Result<Service> second = check_service(decode_service(in));
  if (!second) return at_decode(second.error());
  return in;
}

Output solve(const Inputs& in) {
  if (is_given(in.service.model)) return solve_model(in);
  Rates rates{.prefill = *in.prefill_instance_qps, .decode = *in.decode_instance_qps};
  rates.whole_at_prefill = rates.whole_at_decode =
      1 / (1 / rates.prefill + 1 / rates.decode);  // (7)
  return put_split(in, rates, {});
}

}  // namespace ridgeline::solve::disaggregation
