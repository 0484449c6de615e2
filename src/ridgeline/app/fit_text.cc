// fit for readers: one screen that says whether it fits, by how much, and what would.
#include <fmt/format.h>

#include "ridgeline/app/fit.h"
#include "ridgeline/app/json_view.h"
#include "ridgeline/app/messages.h"

namespace ridgeline::app {
namespace {

using report::Facts;
using report::Line;
using report::Tone;
using solve::fit::Reason;

std::string bytes_of(const std::optional<Bytes>& bytes) {
  return bytes ? bytes_text(bytes->base()) : "-";
}

const char* name_of(Precision p) {
  return names_of(p)[static_cast<std::size_t>(p)];
}

const char* message_of(Reason reason) {
  switch (reason) {
    case Reason::none: return "every device holds what is asked";
    case Reason::not_asked: return "give --machine, --memory or a pool to know";
    case Reason::weights: return "the weights alone exceed the usable memory";
    case Reason::working_memory: return "weights, activations and runtime exceed the usable memory";
    case Reason::pool: return "the given pool does not fit beside the rest";
    case Reason::context_and_batch: return "the sequences exceed the KV pool";
  }
  return "";
}

const solve::fit::Rank& fullest(const FitAnswer& fit) {
  return fit.answer.rows[static_cast<std::size_t>(fit.answer.output.limiting_rank)];
}

Line verdict(const FitAnswer& fit) {
  const solve::fit::Output& o = fit.answer.output;
  const std::string why = message_of(o.reason);
  if (!o.fits) return {"Does it fit? " + why, Tone::warn};
  const double headroom = o.headroom ? o.headroom->base() : 0;
  if (*o.fits) {
    return {o.headroom ? fmt::format("It fits, with {} to spare on the fullest device",
                                     bytes_text(headroom))
                       : "It fits",
            Tone::good};
  }
  const bool lacks = headroom < 0;
  return {lacks ? fmt::format("It does not fit: the fullest device lacks {}; {}",
                              bytes_text(-headroom), why)
                : fmt::format("It does not fit: {}", why),
          Tone::bad};
}

std::string model_text(const FitAnswer& fit) {
  const solve::fit::Output& o = fit.answer.output;
  std::string out = fit.model_name;
  if (o.total_params) out += fmt::format("  {} parameters", count_text(*o.total_params));
  if (fit.in.precision) out += fmt::format("  {}", name_of(*fit.in.precision));
  if (o.bits_per_weight) out += fmt::format("  {:.4g} bits per weight", *o.bits_per_weight);
  return out + fmt::format("  KV {}", name_of(fit.in.kv_precision));
}

std::string plan_of(const FitAnswer& fit) {
  const solve::fit::Inputs& in = fit.in;
  return fmt::format("TP {}  PP {}  DP {}  CP {}  EP {}: {} device{} a replica", in.tp, in.pp,
                     in.dp, in.cp, in.ep, fit.answer.rows.size(),
                     fit.answer.rows.size() == 1 ? "" : "s");
}

std::string work_of(const FitAnswer& fit) {
  const std::string context =
      fit.in.context ? fmt::format("{} tokens", count_text(*fit.in.context)) : "no context given";
  return fmt::format("{}, batch {}", context, count_text(fit.in.batch));
}

std::string machine_of_fit(const FitAnswer& fit) {
  std::string out = fit.machine ? fit.machine->name : "not named";
  if (fit.machine && out.find(fit.machine->device.name) == std::string::npos) {
    out += fmt::format(" ({})", fit.machine->device.name);
  }
  if (!fit.in.memory) return out;
  const double share = fit.in.memory_utilization.value_or(1);
  out += fmt::format(", {} each, {:.4g} of it usable", bytes_text(fit.in.memory->base()), share);
  return fit.engine ? fmt::format("{}, {} {}", out, fit.engine->name, fit.engine->version) : out;
}

// What is not known has no line.
void add_longest(const FitAnswer& fit, Facts& facts) {
  const solve::fit::Output& o = fit.answer.output;
  if (o.max_context_tokens) {
    facts.rows.emplace_back("longest context", count_text(*o.max_context_tokens) + " tokens");
  }
  if (o.max_batch) {
    facts.rows.emplace_back("largest batch", count_text(*o.max_batch) + " sequences");
  }
  if (!o.kv_pool) return;
  std::string pool = bytes_of(o.kv_pool) + " a device";
  if (o.kv_tokens_capacity) pool += fmt::format(", {} tokens", count_text(*o.kv_tokens_capacity));
  facts.rows.emplace_back("KV pool", pool);
}

void add_part(const char* name, const std::optional<Bytes>& part, const std::optional<Bytes>& all,
              Facts& facts) {
  if (!part && !all) return;
  std::string text = part ? bytes_of(part) + " a device" : "";
  if (all) text += fmt::format("{}{} in all", text.empty() ? "" : ", ", bytes_of(all));
  facts.rows.emplace_back(name, text);
}

void add_memory(const FitAnswer& fit, Facts& facts) {
  const solve::fit::Rank& r = fullest(fit);
  const solve::fit::Output& o = fit.answer.output;
  add_part("weights", r.weights, o.weights, facts);
  add_part("KV cache", r.kv_cache, o.kv_cache, facts);
  if (r.state && r.state->base() > 0) add_part("state", r.state, o.state, facts);
  add_part("activations", r.activations, std::nullopt, facts);
  add_part("runtime", r.runtime, std::nullopt, facts);
  if (!r.capacity) return;
  facts.rows.emplace_back("needed",
                          fmt::format("{} of {} usable, rank {} (stage {})", bytes_of(r.total),
                                      bytes_of(r.capacity), r.rank, r.stage));
}

void add_speed(const FitAnswer& fit, Facts& facts) {
  if (!fit.speed || !fit.good()) return;
  const solve::fit_plans::Speed& s = *fit.speed;
  const auto basis = names_of(s.basis)[static_cast<std::size_t>(s.basis)];
  facts.rows.emplace_back("speed",
                          fmt::format("decode {} a token, {:.4g} tokens/s; prefill {} ({})",
                                      time_text(s.decode_latency.base()), s.decode_tokens_per_s,
                                      time_text(s.prefill_latency.base()), basis));
}

void add_smallest(const FitAnswer& fit, Facts& facts) {
  if (!fit.smallest) return;
  const auto& row = fit.smallest->row;
  facts.rows.emplace_back(
      "smallest that fits",
      fmt::format("{} x {}, {} in all (TP {} PP {})", row.devices, fit.smallest->machine,
                  bytes_text(row.total_memory.base()), row.tp, row.pp));
}

}  // namespace

std::vector<report::Section> fit_sections(const FitAnswer& fit) {
  Facts facts;
  facts.rows.emplace_back("model", model_text(fit));
  facts.rows.emplace_back("machine", machine_of_fit(fit));
  facts.rows.emplace_back("plan", plan_of(fit));
  facts.rows.emplace_back("asked", work_of(fit));
  add_longest(fit, facts);
  add_memory(fit, facts);
  add_speed(fit, facts);
  add_smallest(fit, facts);
  std::vector<report::Section> out;
  out.push_back(verdict(fit));
  out.push_back(std::move(facts));
  for (const Note& note : fit.notes) out.push_back(Line{"note: " + note.message, Tone::dim});
  return out;
}

}  // namespace ridgeline::app
