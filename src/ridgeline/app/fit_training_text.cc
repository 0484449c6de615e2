// fit of training for readers: one screen that says whether it fits, by how much, and what would.
#include <fmt/format.h>

#include <algorithm>

#include "ridgeline/app/fit.h"
#include "ridgeline/app/json_view.h"
#include "ridgeline/app/messages.h"

namespace ridgeline::app {
namespace {

using report::Facts;
using report::Line;
using report::Tone;
using solve::fit_training::Change;

constexpr std::size_t kChangesShown = 6;

template <class E>
const char* word(E value) {
  return names_of(value)[static_cast<std::size_t>(value)];
}

Line verdict(const TrainingFit& fit) {
  const auto& o = fit.answer.output;
  if (!o.fits) return {"Does it fit? give --machine or --memory to know", Tone::warn};
  const double headroom = o.headroom->base();
  if (*o.fits) {
    return {fmt::format("It fits, with {} to spare on the fullest device", bytes_text(headroom)),
            Tone::good};
  }
  return {fmt::format("It does not fit: the fullest device lacks {}", bytes_text(-headroom)),
          Tone::bad};
}

std::string machine_text(const TrainingFit& fit) {
  const auto& t = fit.in.training;
  std::string out = fit.machine ? fit.machine->name : "not named";
  if (fit.machine && out.find(fit.machine->device.name) == std::string::npos) {
    out += fmt::format(" ({})", fit.machine->device.name);
  }
  if (!t.memory) return out;
  return out + fmt::format(", {} each, {:.4g} of it usable", bytes_text(t.memory->base()),
                           t.memory_utilization);
}

std::string plan_text(const TrainingFit& fit) {
  const auto& t = fit.in.training;
  const std::int64_t devices = t.tp * t.pp * t.dp * t.cp;
  return fmt::format("TP {}  PP {}  DP {}  CP {}  EP {}  ZeRO {}: {} device{}", t.tp, t.pp, t.dp,
                     t.cp, t.ep, t.zero_stage, count_text(devices), devices == 1 ? "" : "s");
}

std::string work_text(const TrainingFit& fit) {
  const auto& t = fit.in.training;
  if (!t.batch_size || !t.seq_len) return "states alone";
  return fmt::format("{} sequences of {} tokens a step, {} micro-batch{} of {}",
                     count_text(*t.batch_size), count_text(*t.seq_len),
                     count_text(t.microbatch_count), t.microbatch_count == 1 ? "" : "es",
                     fit.answer.output.micro_batch.value_or(0));
}

std::string formats_text(const TrainingFit& fit) {
  const auto& t = fit.in.training;
  std::string out = fmt::format("{} weights, {}", word(t.precision), word(t.optimizer));
  out += fmt::format(", recomputation {}", word(t.activation_checkpointing));
  for (const auto part : t.offload) out += fmt::format(", {} on the host", word(part));
  return out;
}

void add_parts(const TrainingFit& fit, Facts& facts) {
  const auto& s = fit.answer.rows[static_cast<std::size_t>(fit.answer.output.limiting_rank)];
  const auto add = [&](const char* name, const std::optional<Bytes>& part) {
    if (part && part->base() > 0) facts.rows.emplace_back(name, bytes_text(part->base()));
  };
  add("weights", s.weights);
  add("gradients", s.gradients);
  add("optimizer", s.optimizer);
  add("activations", s.activations);
  add("working buffers", s.working);
  add("communication", s.buffers);
  add("logits", s.logits);
  add("runtime", fit.answer.output.runtime);
  add("host memory", s.host);
}

void add_limits(const TrainingFit& fit, Facts& facts) {
  const auto& o = fit.answer.output;
  std::string needed = bytes_text(o.total->base());
  if (o.usable) needed += fmt::format(" of {} usable", bytes_text(o.usable->base()));
  facts.rows.emplace_back(
      "needed", fmt::format("{}, stage {} of {}", needed, o.limiting_rank, fit.answer.rows.size()));
  if (o.max_context_tokens) {
    facts.rows.emplace_back("longest sequence", count_text(*o.max_context_tokens) + " tokens");
  }
  if (o.max_batch) {
    facts.rows.emplace_back("largest batch",
                            fmt::format("{} sequences, {} a micro-batch", count_text(*o.max_batch),
                                        count_text(*o.largest_micro_batch)));
  }
}

void add_speed(const TrainingFit& fit, Facts& facts) {
  if (!fit.speed) return;
  const auto& s = *fit.speed;
  facts.rows.emplace_back("speed", fmt::format("{} a step, {:.4g} tokens/s, MFU {:.1f} % ({})",
                                               time_text(s.step.base()), s.tokens_per_s,
                                               100 * s.mfu_fraction, word(s.basis)));
}

void add_smallest(const TrainingFit& fit, Facts& facts) {
  if (!fit.smallest) return;
  const auto& c = fit.smallest->choice;
  facts.rows.emplace_back(
      "smallest that fits",
      fmt::format("{} x {} (TP {} PP {} DP {} EP {}, ZeRO {}, recomputation {})", c.devices,
                  fit.smallest->machine, c.tp, c.pp, c.dp, c.ep, c.zero_stage,
                  word(c.activation_checkpointing)));
}

report::Table changes_table(const TrainingFit& fit) {
  report::Table out;
  using report::Align;
  out.columns = {{"what frees most"},
                 {"frees", Align::right},
                 {"needs", Align::right},
                 {"fits"},
                 {"step", Align::right}};
  for (const Change& change : fit.changes) {
    if (out.rows.size() == kChangesShown) break;
    out.rows.push_back({std::string(change.flags.view()), bytes_text(change.freed.base()),
                        bytes_text(change.total.base()), change.fits ? "yes" : "no",
                        change.step ? time_text(change.step->base()) : "-"});
  }
  return out;
}

}  // namespace

std::vector<report::Section> training_sections(const TrainingFit& fit) {
  Facts facts;
  facts.rows.emplace_back("model", fit.model_name);
  facts.rows.emplace_back("machine", machine_text(fit));
  facts.rows.emplace_back("plan", plan_text(fit));
  facts.rows.emplace_back("asked", work_text(fit));
  facts.rows.emplace_back("formats", formats_text(fit));
  add_parts(fit, facts);
  add_limits(fit, facts);
  add_speed(fit, facts);
  add_smallest(fit, facts);
  std::vector<report::Section> out;
  out.push_back(verdict(fit));
  out.push_back(std::move(facts));
  if (!fit.changes.empty()) out.push_back(changes_table(fit));
  for (const Note& note : fit.notes) out.push_back(Line{"note: " + note.message, Tone::dim});
  return out;
}

}  // namespace ridgeline::app
