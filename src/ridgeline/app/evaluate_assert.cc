// Assertions of a plan: "ttft_s": "< 0.5", checked against its answer.
#include <fmt/format.h>

#include <array>

#include "ridgeline/app/evaluate.h"
#include "ridgeline/app/vocabulary.h"
#include "ridgeline/base/text.h"

namespace ridgeline::app {
namespace {

struct Relation {
  const char* text;
  bool (*holds)(double value, double limit);
};
constexpr std::array kRelations = {
    Relation{"<=", [](double a, double b) { return a <= b; }},
    Relation{">=", [](double a, double b) { return a >= b; }},
    Relation{"==", [](double a, double b) { return a == b; }},
    Relation{"!=", [](double a, double b) { return a != b; }},
    Relation{"<", [](double a, double b) { return a < b; }},
    Relation{">", [](double a, double b) { return a > b; }},
};

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

// A number of the answer, by "ttft_s", "ttft" or "performance.ttft_s".
struct Metric {
  Member member;
  double factor = 0;  // base units per unit of the number that it is compared with
  std::string key;
};

std::optional<Metric> find_metric(std::span<const Member> groups, const std::string& name) {
  const std::size_t dot = name.find('.');
  const std::string group = name.substr(0, dot);
  double factor = 0;
  if (dot == std::string::npos) {
    const Member* direct = find_member(groups, name, factor);
    if (direct != nullptr && !direct->inner) return Metric{*direct, factor, direct->key};
  }
  for (const Member& g : groups) {
    if (!g.inner || (dot != std::string::npos && g.name != group)) continue;
    const std::vector<Member> members = g.inner();
    const std::string inner = dot == std::string::npos ? name : name.substr(dot + 1);
    const Member* m = find_member(members, inner, factor);
    if (m != nullptr && !m->inner) return Metric{*m, factor, g.name + "." + m->key};
  }
  return std::nullopt;
}

Error unknown_metric(std::span<const Member> groups, const std::string& name) {
  std::vector<std::string> names;
  for (const Member& g : groups) {
    if (!g.inner) continue;
    for (const Member& m : g.inner()) names.push_back(m.key);
  }
  std::string hint = did_you_mean(name, names);
  if (hint.empty()) hint = fmt::format("there are {}", fmt::join(names, ", "));
  return {ErrorCode::unknown_name, "/" + name,
          fmt::format("\"{}\" is nothing that a plan answers", name.substr(0, 80)), hint};
}

Error no_condition(const std::string& name, const Json& value) {
  return {ErrorCode::bad_value, "/" + name,
          fmt::format("{} is no condition", value.dump().substr(0, 80)),
          "write \"< 0.5\", \">= 100\" or \"<= 500 ms\""};
}

std::optional<double> number_in(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (!value.is_number()) return std::nullopt;
  return value.get<double>();
}

// The limit in the unit in which results print the metric.
Result<double> limit_of(const Metric& metric, const std::string& text) {
  if (text == "true" || text == "false") return text == "true" ? 1.0 : 0.0;
  const Member& m = metric.member;
  const auto plain = parse_number(text);
  // A plain number is in the unit that the metric's name has, or that results print.
  if (plain) return *plain * (metric.factor != 0 ? metric.factor / m.unit : 1);
  RIDGELINE_TRY(const double base, number_of(m, Json(text), 0));
  return base / m.unit;
}

Result<Assertion> checked(std::span<const Member> groups, const std::string& name,
                          const Json& condition) {
  const auto metric = find_metric(groups, lower(name));
  if (!metric) return unknown_metric(groups, name);
  if (!condition.is_string()) return no_condition(name, condition);
  const std::string text = trimmed(condition.get<std::string>());
  for (const Relation& relation : kRelations) {
    if (!text.starts_with(relation.text)) continue;
    const std::string rest =
        trimmed(std::string_view(text).substr(std::string_view(relation.text).size()));
    const auto limit = limit_of(*metric, rest);
    if (!limit) return inside_of("/" + name, limit.error());
    Assertion out{.metric = name, .condition = text, .key = metric->key};
    out.value = number_in(metric->member.get());
    out.passes = out.value && relation.holds(*out.value, *limit);
    return out;
  }
  return no_condition(name, condition);
}

// "ttft_s < 0.5" as name and condition.
std::pair<std::string, Json> split_assertion(const std::string& text) {
  const std::size_t at = text.find_first_of("<>=!");
  if (at == std::string::npos) return {trimmed(text), nullptr};
  return {trimmed(std::string_view(text).substr(0, at)), Json(text.substr(at))};
}

}  // namespace

Result<std::vector<Assertion>> check_assertions(const Request& request,
                                                const solve::evaluation::Output& answer) {
  std::vector<Assertion> out;
  const auto given = request.input.find("assert");
  if (given == request.input.end() || given->is_null()) return out;
  solve::evaluation::Output copy = answer;
  const std::vector<Member> groups = members_of(copy);
  const auto add = [&](const std::string& name, const Json& condition) -> Status {
    const Json conditions = condition.is_array() ? condition : Json::array({condition});
    for (const Json& one : conditions) {
      auto assertion = checked(groups, name, one);
      if (!assertion) return placed(request, inside_of("/assert", assertion.error()));
      out.push_back(*std::move(assertion));
    }
    return Ok{};
  };
  if (given->is_object()) {
    for (const auto& [name, condition] : given->items()) RIDGELINE_CHECK(add(name, condition));
    return out;
  }
  const Json list = given->is_array() ? *given : Json::array({*given});
  for (const Json& item : list) {
    const auto [name, condition] =
        split_assertion(item.is_string() ? item.get<std::string>() : item.dump());
    RIDGELINE_CHECK(add(name, condition));
  }
  return out;
}

}  // namespace ridgeline::app
