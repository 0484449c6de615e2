#include "ridgeline/app/conditions.h"

#include <fmt/format.h>

#include <array>

#include "ridgeline/app/input.h"
#include "ridgeline/base/text.h"

namespace ridgeline::app {
namespace {

using explore::Comparison;
using explore::Constraint;
using explore::Metric;
using explore::Objective;
using explore::Sense;

struct Operator {
  const char* text;
  Comparison comparison;
};
constexpr std::array kOperators = {
    Operator{"<=", Comparison::less_equal}, Operator{">=", Comparison::greater_equal},
    Operator{"==", Comparison::equal},      Operator{"!=", Comparison::not_equal},
    Operator{"<", Comparison::less},        Operator{">", Comparison::greater},
    Operator{"=", Comparison::equal}};

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

// "latency" and "latency_s" both name the metric latency_s.
bool names_metric(std::string_view typed, std::string_view key, Dim dim) {
  if (typed == key) return true;
  const std::string_view suffix = unit_suffix(dim);
  return !suffix.empty() && key.size() > suffix.size() &&
         key.substr(key.size() - suffix.size()) == suffix &&
         typed == key.substr(0, key.size() - suffix.size());
}

// The value behind the operator; "<= 10 ms" and, in the unit of the key, "<= 0.01".
Result<double> metric_value(Metric metric, const std::string& text) {
  if (const auto plain = parse_number(text)) return plain;
  return parse_quantity(text, dim_of(metric));
}

Result<Constraint> on_field(const std::string& name, const std::string& value,
                            const Vocabulary& vocabulary) {
  auto target = vocabulary.find(name);
  if (!target || target->field != nullptr) {
    const auto keys = names_of(Metric{});
    return Error{ErrorCode::unknown_name, "", fmt::format("\"{}\" cannot be constrained", name),
                 fmt::format("name {}, or a field such as plan.tp", fmt::join(keys, ", "))};
  }
  Constraint out;
  out.on_metric = false;
  out.field = target->scalar.field;
  RIDGELINE_TRY(out.value, scalar_value(target->scalar, Json(value)));
  return out;
}

}  // namespace

Dim dim_of(Metric metric) {
  switch (metric) {
    case Metric::latency_s: return {.time = 1};
    case Metric::energy_j:
    case Metric::energy_j_per_token: return {.energy = 1};
    case Metric::memory_bytes:
    case Metric::memory_headroom_bytes: return {.byte = 1};
    default: return {};
  }
}

Sense natural_sense(Metric metric) {
  const bool more = metric == Metric::tokens_per_s || metric == Metric::tokens_per_s_per_pe ||
                    metric == Metric::memory_headroom_bytes;
  return more ? Sense::maximize : Sense::minimize;
}

Result<Metric> metric_named(const std::string& name) {
  const auto keys = names_of(Metric{});
  const std::string typed = snake(lower(trimmed(name)));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto metric = static_cast<Metric>(i);
    if (names_metric(typed, keys[i], dim_of(metric))) return metric;
  }
  return Error{ErrorCode::unknown_name, "",
               fmt::format("\"{}\" is nothing that is measured", name.substr(0, 80)),
               fmt::format("name {}", fmt::join(keys, ", "))};
}

Result<Objective> objective_of(const Json& value) {
  if (value.is_string()) {
    const std::string text = trimmed(value.get<std::string>());
    const std::size_t space = text.find_first_of(" :");
    const std::string verb = lower(text.substr(0, space));
    const bool less = verb == "minimize" || verb == "min",
               more = verb == "maximize" || verb == "max";
    const bool has_verb = space != std::string::npos && (less || more);
    RIDGELINE_TRY(const Metric metric, metric_named(has_verb ? text.substr(space + 1) : text));
    if (!has_verb) return Objective{metric, natural_sense(metric)};
    return Objective{metric, less ? Sense::minimize : Sense::maximize};
  }
  const bool pair = value.is_object() && value.size() == 1 && value.begin()->is_string();
  const std::string verb = pair ? value.begin().key() : "";
  if (verb != "minimize" && verb != "maximize") {
    return Error{ErrorCode::bad_value, "", "is no objective",
                 "give {\"minimize\": \"latency_s\"} or {\"maximize\": \"tokens_per_s\"}"};
  }
  RIDGELINE_TRY(const Metric metric, metric_named(value.begin()->get<std::string>()));
  return Objective{metric, verb == "minimize" ? Sense::minimize : Sense::maximize};
}

Result<Constraint> constraint_of(const std::string& text, const Vocabulary& vocabulary) {
  for (const Operator& op : kOperators) {
    const std::size_t at = text.find(op.text);
    if (at == std::string::npos) continue;
    const std::string name = trimmed(std::string_view(text).substr(0, at));
    const std::string value =
        trimmed(std::string_view(text).substr(at + std::string_view(op.text).size()));
    Constraint out;
    if (const auto metric = metric_named(name)) {
      out.metric = *metric;
      RIDGELINE_TRY(out.value, metric_value(*metric, value));
    } else {
      RIDGELINE_TRY(out, on_field(name, value, vocabulary));
    }
    out.text = trimmed(text);
    out.comparison = op.comparison;
    return out;
  }
  return Error{ErrorCode::bad_value, "", fmt::format("\"{}\" is no constraint", text.substr(0, 80)),
               "write fits_memory, or a comparison such as \"pes_used <= 512\""};
}

}  // namespace ridgeline::app
