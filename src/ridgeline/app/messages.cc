#include "ridgeline/app/messages.h"

#include <fmt/format.h>

#include <array>

#include "ridgeline/base/text.h"

namespace ridgeline::app {
namespace {

using advise::Hint;
using advise::HintId;

constexpr Dim kTime{.time = 1};
constexpr Dim kByte{.byte = 1};
constexpr Dim kFlop{.flop = 1};
constexpr Dim kByteRate{.time = -1, .byte = 1};
constexpr Dim kFlopRate{.time = -1, .flop = 1};

double value_of(const Hint& hint, std::string_view name) {
  for (const auto& value : hint.values) {
    if (name == value.name) return value.value;
  }
  return 0;
}

std::string reasons_text(const Layout& layout) {
  std::string out;
  for (const InvalidReason reason : layout.invalid_reasons) {
    if (!out.empty()) out += "; ";
    out += message_of(reason);
  }
  return out;
}

std::string space_message(const Hint& hint) {
  const auto bytes = [&](const char* name) { return bytes_text(value_of(hint, name)); };
  switch (hint.id) {
    case HintId::ffn_scope_tp:
      return fmt::format(
          "every CP rank holds its own copy of the FFN shard: sharding the FFN over TP+CP as well "
          "takes it from {} to {}",
          bytes("now_bytes"), bytes("then_bytes"));
    case HintId::ffn_scope_dp:
      return fmt::format(
          "every DP replica holds the FFN again: the scope TP+CP+DP takes it from {} to {}",
          bytes("now_bytes"), bytes("then_bytes"));
    case HintId::kv_replicate:
      return fmt::format(
          "TP exceeds the KV heads, so the cache is held {:.4g} times; kv_shard_mode split would "
          "save {}",
          value_of(hint, "copies"), bytes("saved_bytes"));
    case HintId::kv_over_attn:
      return fmt::format(
          "the KV cache ({}) is larger than the attention weights ({}): CP would shard it",
          bytes("kv_bytes"), bytes("attn_bytes"));
    default: return fmt::format("{} are needed, more than a device has", bytes("need_bytes"));
  }
}

std::string other_message(const Hint& hint, const Layout& layout) {
  const auto count = [&](const char* name) {
    return count_text(static_cast<std::int64_t>(value_of(hint, name)));
  };
  switch (hint.id) {
    case HintId::cp_cross_sip:
      return fmt::format("the CP ring crosses {} outer links, the slowest of the machine",
                         count("boundaries"));
    case HintId::tp_cross_cube:
      return fmt::format(
          "TP spans {} groups: each all-reduce leaves the innermost level; a smaller TP, or ranks "
          "packed on it, would not",
          count("cubes"));
    case HintId::sip_ring_to_torus:
      return fmt::format("a torus2d between SIPs would cut the longest way from {} to {} hops",
                         count("ring_hops"), count("torus_hops"));
    case HintId::tp_le_hkv:
      return fmt::format("TP {} is within the KV heads: no head is split or copied", count("tp"));
    case HintId::placement_invalid: return "the plan cannot be placed: " + reasons_text(layout);
    case HintId::decode_memory_bound:
      return fmt::format(
          "{:.0f} % of the matrix stages' time waits for memory: bandwidth or a larger batch "
          "helps, "
          "more FLOP/s does not",
          100 * value_of(hint, "share"));
    case HintId::decode_kv_ring:
      return fmt::format(
          "in decode the kv ring moves the whole cache, {} a pass; qoml moves one query and its "
          "partial outputs",
          bytes_text(value_of(hint, "moved_bytes")));
    default:
      return fmt::format("DP does not divide the batch: it is padded to {} sequences",
                         count("padded_batch"));
  }
}

int count_of(Digits digits) {
  return digits == Digits::few ? 4 : 15;
}

std::string plain_text(double value, Digits digits) {
  return fmt::format("{:.{}g}", value, digits == Digits::few ? 6 : 15);
}

// "9 x 150 ns + 4.1 kB / 128 GB/s" of one level; empty without traffic.
std::string level_values(const Traffic& traffic, const physics::Rates& rates, std::size_t l,
                         Digits digits) {
  const int count = count_of(digits);
  std::string out;
  if (traffic.hops[l] != 0) {
    out = fmt::format("{} x {}", plain_text(traffic.hops[l], digits),
                      format_quantity(rates.latency_s[l], kTime, count));
  }
  if (traffic.link_bytes[l] != 0) {
    if (!out.empty()) out += " + ";
    out += fmt::format("{} / {}", format_quantity(traffic.link_bytes[l], kByte, count),
                       format_quantity(rates.bytes_per_s[l], kByteRate, count));
  }
  return out;
}

}  // namespace

const char* title_of(StageName stage) {
  constexpr std::array<const char*, 19> kTitles = {"attention norm",
                                                   "query projection",
                                                   "key, value projection",
                                                   "rope, append to cache",
                                                   "scores Q K^T",
                                                   "softmax",
                                                   "values P V",
                                                   "merge of CP ranks",
                                                   "output projection",
                                                   "residual",
                                                   "FFN norm",
                                                   "route, gather",
                                                   "gate, up",
                                                   "activation",
                                                   "down",
                                                   "combine, residual",
                                                   "embedding",
                                                   "output head",
                                                   "pipeline hand-over"};
  return kTitles[static_cast<std::size_t>(stage)];
}

const char* message_of(InvalidReason reason) {
  switch (reason) {
    case InvalidReason::tp_gt_4hq: return "TP is more than four times the query heads";
    case InvalidReason::pp_gt_layers: return "there are more pipeline stages than layers";
    case InvalidReason::cp_gt_s_kv: return "there are more CP ranks than tokens of context";
    case InvalidReason::pe_group_not_whole_cubes:
      return "the ranks packed on PEs fill no whole number of cubes";
    case InvalidReason::cube_group_not_whole_sips:
      return "the cubes of one block fill no whole number of SIPs";
    case InvalidReason::not_enough_sips: return "more SIPs are needed than there are";
    case InvalidReason::ep_without_experts: return "EP needs a model with experts";
    case InvalidReason::ep_not_dividing_experts: return "EP does not divide the number of experts";
    case InvalidReason::ep_not_dividing_ffn_copies:
      return "EP does not divide the copies of the FFN that CP and DP outside its scope make";
    case InvalidReason::tp_not_dividing_heads: return "TP does not divide the heads";
    case InvalidReason::group_not_whole_levels:
      return "a group of ranks fills no whole number of groups of a level";
    case InvalidReason::not_enough_devices: return "more devices are needed than there are";
  }
  return "";
}

std::string message_of(const Hint& hint, const Layout& layout) {
  const bool space = hint.category == advise::HintCategory::space;
  return space ? space_message(hint) : other_message(hint, layout);
}

std::string bytes_text(double bytes) {
  return format_quantity(bytes, kByte);
}
std::string time_text(double seconds) {
  return format_quantity(seconds, kTime);
}
std::string flop_text(double flop) {
  return format_quantity(flop, kFlop);
}

std::string count_text(std::int64_t n) {
  std::string digits = std::to_string(n);
  for (std::size_t i = digits.size(); i > 3; i -= 3) {
    const bool after_sign = i - 3 == 1 && digits[0] == '-';
    if (!after_sign) digits.insert(i - 3, ",");
  }
  return digits;
}

std::string plan_text(const Plan& plan) {
  const Plan usual;
  std::string out = fmt::format("CP {} TP {} PP {} DP {}", plan.cp, plan.tp, plan.pp, plan.dp);
  if (plan.ep != 1) out += fmt::format(" EP {}", plan.ep);
  const auto add = [&out](auto value, auto normal, const char* label) {
    if (value == normal) return;
    out += fmt::format(", {}{}", label, names_of(value)[static_cast<std::size_t>(value)]);
  };
  add(plan.kv_shard_mode, usual.kv_shard_mode, "KV ");
  add(plan.ffn_shard_scope, usual.ffn_shard_scope, "FFN ");
  add(plan.tp_placement, usual.tp_placement, "TP on ");
  add(plan.cp_placement, usual.cp_placement, "CP on ");
  add(plan.cp_ring_variant, usual.cp_ring_variant, "ring ");
  return out;
}

Formula compute_formula(const StageWork& work, const physics::Rates& rates, const Machine& machine,
                        Digits digits) {
  const double util = machine.device.compute_util;
  const int count = count_of(digits);
  std::string top = format_quantity(work.matrix_flop, kFlop, count);
  if (work.vector_flop != 0) {
    const std::string vector =
        fmt::format("{} / {}", format_quantity(work.vector_flop, kFlop, count),
                    plain_text(rates.vector_fraction, digits));
    top = work.matrix_flop == 0 ? vector : fmt::format("({} + {})", top, vector);
  }
  return {
      "(m + v/nu) / (F u)",
      fmt::format("{} / ({} x {})", top, format_quantity(rates.flop_per_s / util, kFlopRate, count),
                  plain_text(util, digits))};
}

Formula memory_formula(const StageWork& work, const physics::Rates& rates, Digits digits) {
  const int count = count_of(digits);
  return {"bytes / B_h", fmt::format("{} / {}", format_quantity(work.memory_bytes, kByte, count),
                                     format_quantity(rates.memory_bytes_per_s, kByteRate, count))};
}

Formula network_formula(const StageWork& work, const physics::Rates& rates, const Machine& machine,
                        Digits digits) {
  std::string symbols, values;
  for (std::size_t l = 0; l < rates.levels; ++l) {
    const std::string part = level_values(work.traffic, rates, l, digits);
    if (part.empty()) continue;
    if (!values.empty()) {
      values += " + ";
      symbols += " + ";
    }
    values += part;
    symbols += fmt::format("A_{0} alpha_{0} + X_{0} / beta_{0}", machine.levels[l].name);
  }
  return {symbols, values};
}

}  // namespace ridgeline::app
