// evaluate for readers: one screen with what the plan gives, what binds and what to change first.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ridgeline/app/evaluate.h"
#include "ridgeline/app/json_view.h"
#include "ridgeline/app/messages.h"
#include "ridgeline/base/text.h"

namespace ridgeline::app {
namespace {

using report::Align;
using report::Facts;
using report::Line;
using report::Tone;
using solve::evaluation::Lever;
using solve::evaluation::Reason;

constexpr std::size_t kMostLevers = 5;

// Answers whose spread is shown.
constexpr std::array kHeadlines = {"performance.step_s",
                                   "performance.ttft_p99_s",
                                   "performance.p99_latency_s",
                                   "performance.replicas",
                                   "memory.utilization_fraction",
                                   "reliability.wall_time_s",
                                   "cost.tco_usd",
                                   "cost.usd_per_million_tokens",
                                   "energy.facility_j",
                                   "carbon.emissions_kgco2e",
                                   "water.water_l",
                                   "feasible"};

template <Dim D>
std::string text_of(const std::optional<Quantity<D>>& value) {
  return value ? format_quantity(value->base(), D) : "-";
}

// Of times that are days rather than seconds.
std::string span_text(const std::optional<Seconds>& value) {
  if (!value) return "-";
  constexpr double kDays = 2;
  return *value > kDays * day ? fmt::format("{:.4g} days", value->in(day))
                              : time_text(value->base());
}

std::string percent(double share) {
  return fmt::format("{:.3g} %", 100 * share);
}

std::string change_text(const std::optional<double>& change) {
  constexpr double kNothing = 5e-5;
  if (!change || std::abs(*change) < kNothing) return "-";
  return fmt::format("{:+.2f} %", 100 * *change);
}

std::string number_text(double value) {
  const auto whole = static_cast<std::int64_t>(value);
  constexpr double kManyDigits = 1e6;
  if (value < kManyDigits) return count_text(whole);
  return fmt::format("{:.4g}", value);
}

const char* message_of(Reason reason) {
  switch (reason) {
    case Reason::none: return "everything fits";
    case Reason::memory: return "the model does not fit the devices' memory";
    case Reason::devices: return "more devices are needed than the machine has";
    case Reason::latency: return "no number of replicas meets the latency target";
    case Reason::capacity: return "more replicas are needed than are allowed";
    case Reason::checkpoint: return "a checkpoint takes longer to write than the next is away";
    case Reason::never_done: return "failures come faster than the run advances";
    case Reason::power: return "the devices draw more than the facility has";
    case Reason::budget: return "it costs more than the budget";
  }
  return "";
}

Line verdict(const Evaluated& e) {
  if (!e.out.feasible) {
    return {fmt::format("It does not work: {}", message_of(e.out.reason)), Tone::bad};
  }
  const auto failed = std::count_if(e.assertions.begin(), e.assertions.end(),
                                    [](const Assertion& a) { return !a.passes; });
  if (failed > 0) {
    return {fmt::format("It works, but {} of {} assertions fail", failed, e.assertions.size()),
            Tone::bad};
  }
  return {"It works: everything fits, and all that the plan asserts holds", Tone::good};
}

void add_training(const Evaluated& e, Facts& facts) {
  if (!e.in.training) return;
  const auto& p = e.out.performance;
  facts.rows.emplace_back(
      "training", fmt::format("step {}, MFU {}, {} tokens/s; {} without failures", text_of(p.step),
                              percent(*p.mfu_fraction), number_text(*p.training_tokens_per_s),
                              span_text(p.run_time)));
  const auto& r = e.out.reliability;
  std::string text = fmt::format("{} in all", span_text(r.wall_time));
  if (r.useful_fraction) text += fmt::format(", {} of it useful", percent(*r.useful_fraction));
  if (r.mtbf && r.expected_failures) {
    text += fmt::format("; a failure every {}, {:.4g} of them", span_text(r.mtbf),
                        *r.expected_failures);
  }
  facts.rows.emplace_back("with failures", text);
  if (!r.checkpoint) return;
  facts.rows.emplace_back("checkpoints", fmt::format("{} every {}, written in {}, the run waits {}",
                                                     text_of(r.checkpoint), span_text(r.interval),
                                                     text_of(r.write), text_of(r.stall)));
}

void add_serving(const Evaluated& e, Facts& facts) {
  if (!e.in.serving) return;
  const auto& p = e.out.performance;
  facts.rows.emplace_back(
      "serving",
      fmt::format("first token {} (99 %: {}), {} a token, request 99 %: {}", text_of(p.ttft),
                  text_of(p.ttft_p99), text_of(p.itl), text_of(p.p99_latency)));
  if (!p.replicas) return;
  facts.rows.emplace_back(
      "replicas", fmt::format("{} for {:.4g} requests/s, {} busy; {} tokens/s out", *p.replicas,
                              e.in.serving->load.qps, percent(*p.utilization_fraction),
                              number_text(*p.output_tokens_per_s)));
}

void add_memory(const Evaluated& e, Facts& facts) {
  const auto& m = e.out.memory;
  const std::optional<Bytes> most = m.training && m.serving ? std::max(*m.training, *m.serving)
                                    : m.training            ? m.training
                                                            : m.serving;
  std::string text = fmt::format("{} of {} a device", text_of(most), text_of(m.capacity));
  if (m.utilization_fraction) text += fmt::format(" ({})", percent(*m.utilization_fraction));
  facts.rows.emplace_back("memory", text);
}

void add_bills(const Evaluated& e, Facts& facts) {
  const auto& c = e.out.cost;
  if (c.paid()) {
    std::string text = fmt::format("{} {}", text_of(c.paid()), c.tco ? "owned" : "rented");
    if (c.tco) {
      text += fmt::format(": {} devices, {} power, {} upkeep", text_of(c.capex), text_of(c.energy),
                          text_of(c.maintenance));
      if (c.cloud) text += fmt::format("; rented {}", text_of(c.cloud));
    }
    facts.rows.emplace_back("cost", text);
    facts.rows.emplace_back("unit cost",
                            fmt::format("{} a million tokens, {} a device hour",
                                        text_of(c.per_million_tokens), text_of(c.per_device_hour)));
  }
  const auto& en = e.out.energy;
  if (en.it) {
    std::string text = fmt::format("{} by devices", text_of(en.it));
    if (en.facility) {
      text += fmt::format(", {} by the site; {} at full load; {} a token", text_of(en.facility),
                          text_of(en.power), text_of(en.per_token));
    }
    facts.rows.emplace_back("energy", text);
  }
  const auto& ca = e.out.carbon;
  if (!ca.emissions) return;
  std::string text = fmt::format("{}", text_of(ca.emissions));
  if (ca.embodied) text += fmt::format(", {} of it embodied", text_of(ca.embodied));
  text += fmt::format("; {} a million tokens", text_of(ca.per_million_tokens));
  if (e.out.water.water) text += fmt::format("; water {}", text_of(e.out.water.water));
  facts.rows.emplace_back("carbon", text);
}

report::Table scorecard_of(const Evaluated& e) {
  report::Table out;
  out.columns = {{"level"}, {""}, {"what binds"}, {"a tenth better"}};
  for (const auto& row : e.scorecard) {
    std::string gain = "-";
    if (row.change_fraction) {
      gain = fmt::format("{} {}", change_text(row.change_fraction), row.of.view());
    }
    const bool none = row.binds.view().empty();
    out.rows.push_back({names_of(row.level)[static_cast<std::size_t>(row.level)],
                        row.passes ? "pass" : "FAIL",
                        none ? "nothing" : std::string(row.binds.view()), gain});
  }
  return out;
}

report::Table levers_of(const Evaluated& e) {
  report::Table out;
  out.columns = {{"change first"},
                 {"by", Align::right},
                 {"training time", Align::right},
                 {"time per request", Align::right},
                 {"cost", Align::right},
                 {"emissions", Align::right}};
  for (std::size_t i = 0; i < std::min(kMostLevers, e.levers.size()); ++i) {
    const Lever& l = e.levers[i];
    out.rows.push_back(
        {std::string(l.input.view()), fmt::format("{:+.0f} %", 100 * l.step_fraction),
         change_text(l.training_time_change_fraction), change_text(l.serving_time_change_fraction),
         change_text(l.cost_change_fraction), change_text(l.emissions_change_fraction)});
  }
  return out;
}

report::Table assertions_of(const Evaluated& e) {
  report::Table out;
  out.columns = {{"asserted"}, {"condition"}, {"is", Align::right}, {""}};
  for (const Assertion& a : e.assertions) {
    const std::string key = a.key.substr(a.key.find('.') + 1);
    out.rows.push_back({a.metric, a.condition,
                        a.value ? value_text(key, number_json(*a.value)) : "not answered",
                        a.passes ? "pass" : "FAIL"});
  }
  return out;
}

}  // namespace

std::vector<report::Section> evaluate_sections(const Evaluated& e) {
  std::vector<report::Section> out;
  out.emplace_back(report::Heading{
      fmt::format("{}: {} of {} devices of {}", e.title, count_text(e.out.performance.devices),
                  count_text(e.in.machine.device_count()), e.machine)});
  out.emplace_back(verdict(e));
  Facts facts;
  add_training(e, facts);
  add_serving(e, facts);
  add_memory(e, facts);
  add_bills(e, facts);
  out.emplace_back(std::move(facts));
  out.emplace_back(scorecard_of(e));
  if (!e.levers.empty()) out.emplace_back(levers_of(e));
  if (!e.assertions.empty()) out.emplace_back(assertions_of(e));
  if (!e.uncertainty.is_null()) {
    for (report::Section& section : uncertainty_sections(e.uncertainty, kHeadlines)) {
      out.push_back(std::move(section));
    }
  }
  for (const Note& note : e.notes) out.emplace_back(Line{note.message, Tone::dim});
  return out;
}

}  // namespace ridgeline::app
