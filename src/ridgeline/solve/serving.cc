#include "ridgeline/solve/serving.h"

#include <fmt/format.h>

#include <algorithm>

#include "ridgeline/solve/handover.h"
#include "ridgeline/solve/model_checks.h"
#include "ridgeline/solve/speculation.h"

namespace ridgeline::solve::serving {
namespace {

using physics::Replica;
using physics::StepTime;

constexpr std::int64_t kMostChunks = 100'000;
constexpr std::int64_t kEnginePage = 16;  // [kwon2023]

double as_double(std::int64_t n) {
  return static_cast<double>(n);
}

struct Prefill {
  StepTime parts;  // summed over the chunks
  Seconds total, longest;
  Flops flop;
  std::int64_t steps = 0;
};

void add(StepTime& sum, const StepTime& t) {
  sum.compute = sum.compute + t.compute;
  sum.memory = sum.memory + t.memory;
  sum.network = sum.network + t.network;
  sum.overhead = sum.overhead + t.overhead;
}

Prefill prefill(const Inputs& in, const Replica& r) {
  Prefill out;
  const std::int64_t S = in.seq_len;
  for (std::int64_t c = in.cached_prefix_len; c < S;) {
    const std::int64_t n = std::min(S - c, in.prefill_chunk_tokens.value_or(S - c));  // (1)
    const physics::PrefillLoad load{
        .part = {n, c, S}, .sequences = as_double(in.batch_size), .tp = r.tp};
    const StepTime t = physics::prefill_step(r, load);  // (2), (3)
    add(out.parts, t);
    out.total = out.total + t.total();
    out.longest = std::max(out.longest, t.total());  // (9)
    out.flop = out.flop + physics::prefill_work(r.model, r.count, load).flop;
    out.steps += 1;
    c += n;
  }
  return out;
}

const Hardware& decode_device(const Inputs& in) {
  return in.decode_hardware ? *in.decode_hardware : in.service.hardware;
}

struct Decode {
  StepTime plain;
  physics::StepWork work;
  Seconds itl;
  double X = 1;
};

Decode decode(const Inputs& in, const Replica& r, const std::optional<Replica>& draft) {
  const double B = as_double(in.batch_size), S = as_double(in.seq_len);
  Decode out;
  out.work = physics::decode_work(r.model, r.count, {.sequences = B, .context = S, .tp = r.tp});
  out.plain = physics::step_of(r, out.work, B, r.decode_overhead);  // (6)
  out.itl = out.plain.total();
  if (!draft) return out;
  const double K = as_double(in.draft_tokens);
  const Seconds t_d = draft_step(*draft, B, S), t_v = verify_step(r, B, S, K + 1).total();
  out.X = accepted_tokens(in.draft_acceptance_rate, in.draft_tokens);
  out.itl = (K * t_d + t_v) / out.X;  // (7)
  return out;
}

// Tokens that a sequence's pages hold.
double paged(const Inputs& in) {
  const std::int64_t page = *in.page_size;
  return as_double((in.seq_len + page - 1) / page * page);
}

Bytes held(const Inputs& in, const Replica& r) {
  return physics::held_weights(r) + as_double(in.batch_size) * physics::held_kv(r, paged(in));
}

Seconds transfer(const Inputs& in, const Replica& r) {
  if (!in.decode_hardware) return {};
  return handover_time(r, {in.batch_size, in.seq_len, in.decode_cached_prefix_len},
                       in.network_bandwidth);  // (5)
}

std::optional<Joules> energy(const Inputs& in, const Replica& r, const Prefill& p,
                             const Decode& d) {
  const Hardware &first = in.service.hardware, &second = decode_device(in);
  if (!first.tdp || !second.tdp) return std::nullopt;
  const double i = in.service.setting.idle_power_fraction;
  const auto of = [&](const Hardware& hw, Flops flop, Seconds time) {
    const Precision format = physics::compute_precision(hw, in.service.model, in.service.setting);
    return physics::energy_of(*hw.tdp, i, physics::utilization(flop, hw.rate_of(format), time),
                              time);
  };
  return r.devices() *
         (of(first, p.flop / r.pp, p.total) + of(second, d.work.flop / r.pp, d.plain.total()));
}

Reason reason_of(const Inputs& in, Bytes decode_need, Bytes prefill_need) {
  const physics::Setting& setting = in.service.setting;
  if (decode_need > physics::usable_memory(decode_device(in), setting)) return Reason::memory;
  const bool holds = prefill_need <= physics::usable_memory(in.service.hardware, setting);
  return holds ? Reason::none : Reason::prefill_memory;
}

Status check_lengths(const Inputs& in) {
  RIDGELINE_CHECK(check_number("seq_len", in.seq_len, 1));
  RIDGELINE_CHECK(check_number("batch_size", in.batch_size, 1));
  RIDGELINE_CHECK(check_number("page_size", in.page_size, 1));
  RIDGELINE_CHECK(check_number("prefill_chunk_tokens", in.prefill_chunk_tokens, 1));
  if (in.cached_prefix_len < 0 || in.cached_prefix_len >= in.seq_len) {
    return out_of_range("cached_prefix_len",
                        fmt::format("cached_prefix_len is {}", in.cached_prefix_len),
                        fmt::format("from 0 to seq_len - 1 = {}", in.seq_len - 1));
  }
  if (in.decode_cached_prefix_len < 0 || in.decode_cached_prefix_len > in.seq_len) {
    return out_of_range("decode_cached_prefix_len",
                        fmt::format("decode_cached_prefix_len is {}", in.decode_cached_prefix_len),
                        fmt::format("from 0 to seq_len = {}", in.seq_len));
  }
  const std::int64_t n = in.seq_len - in.cached_prefix_len;
  if (in.prefill_chunk_tokens && n / *in.prefill_chunk_tokens > kMostChunks) {
    return out_of_range("prefill_chunk_tokens",
                        fmt::format("{} tokens in chunks of {}", n, *in.prefill_chunk_tokens),
                        fmt::format("at most {} chunks", kMostChunks));
  }
  return Ok{};
}

Status check_draft(const Inputs& in) {
  RIDGELINE_CHECK(check_fraction("draft_acceptance_rate", in.draft_acceptance_rate));
  RIDGELINE_CHECK(check_number("draft_tokens", in.draft_tokens, 1));
  if (in.draft_tokens > kMostDraftTokens) {
    return out_of_range("draft_tokens", fmt::format("draft_tokens is {}", in.draft_tokens),
                        fmt::format("at most {}", kMostDraftTokens));
  }
  if (!in.draft_model) return Ok{};
  RIDGELINE_CHECK(check_totals(*in.draft_model, "draft_model"));
  RIDGELINE_CHECK(check_computes(*in.draft_model, "draft_model"));
  return check_attends(*in.draft_model, "draft_model");
}

Status check_decode_hardware(const Inputs& in) {
  if (in.kv_transfer_overlap) {
    RIDGELINE_CHECK(check_fraction("kv_transfer_overlap_fraction", *in.kv_transfer_overlap));
  }
  RIDGELINE_CHECK(check_amount("network_bandwidth", in.network_bandwidth));
  if (!in.decode_hardware) return Ok{};
  const Hardware& hw = *in.decode_hardware;
  RIDGELINE_CHECK(check_hardware(hw, "decode_hardware"));
  RIDGELINE_CHECK(check_needed("decode_hardware/memory_capacity", hw.memory_capacity,
                               "it decides whether the model fits"));
  RIDGELINE_CHECK(check_needed("decode_hardware/memory_bandwidth", hw.memory_bandwidth,
                               "every step reads main memory"));
  return check_rate(hw, in.service.model, in.service.setting, "decode_hardware");
}

}  // namespace

Result<Inputs> check(const Inputs& given) {
  Inputs in = given;
  RIDGELINE_TRY(in.service, check_service(given.service));
  RIDGELINE_CHECK(check_lengths(in));
  RIDGELINE_CHECK(check_draft(in));
  RIDGELINE_CHECK(check_decode_hardware(in));
  if (!in.page_size) in.page_size = in.service.setting.is_flat() ? 1 : kEnginePage;
  return in;
}

Output solve(const Inputs& in) {
  const Replica r = replica_of(in.service, in.service.hardware);
  const Replica at_decode = in.decode_hardware ? replica_of(in.service, *in.decode_hardware) : r;
  std::optional<Replica> draft;
  if (in.draft_model) draft = draft_replica(in.service, *in.draft_model, decode_device(in));
  const Prefill p = prefill(in, r);
  const Decode d = decode(in, at_decode, draft);
  const Seconds sent = transfer(in, r);
  const Seconds exposed = exposed_handover(r, in.kv_transfer_overlap, sent, p.total);
  const Bytes prefill_need = held(in, r);
  const Bytes need = prefill_need + (draft ? held(in, *draft) : Bytes{});  // (8)

  Output out{
      .ttft = p.total + exposed, .itl = d.itl, .prefill = p.total, .kv_transfer = sent};  // (5)
  out.kv = as_double(in.batch_size) * physics::kept_kv(r.model, paged(in), 1);            // (4)
  out.weights = Bytes::from_base(r.model.weights);
  out.memory_required = need;
  out.decode_read = d.work.bytes();
  out.memory_utilization_fraction = need / *decode_device(in).memory_capacity;
  out.prefix_hit_fraction = as_double(in.cached_prefix_len) / as_double(in.seq_len);
  out.prefill_steps = p.steps;
  out.decode_stall = p.longest;  // (9)
  out.accepted_tokens_per_step = d.X;
  out.speculation_speedup = d.plain.total() / d.itl;
  out.prefill_bound = p.parts.bound();
  out.decode_bound = d.plain.bound();
  out.tokens_per_s = as_double(in.batch_size) / d.itl.base();
  out.energy = energy(in, r, p, d);
  out.reason = reason_of(in, need, prefill_need);
  out.feasible = out.reason == Reason::none;
  return out;
}

}  // namespace ridgeline::solve::serving
