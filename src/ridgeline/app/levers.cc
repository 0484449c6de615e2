#include "ridgeline/app/levers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ridgeline/app/json_view.h"
#include "ridgeline/app/messages.h"

namespace ridgeline::app {
namespace {

constexpr double kRaise = 1.1;
constexpr std::size_t kMostShown = 4;  // of the changes of one input, in the text

constexpr std::array kLeverFields = {
    Field{"levers", FieldKind::toggle, "false", "what a tenth more of each numeric input changes"},
};

bool can_rise(const Json& value) {
  if (value.is_number()) return value.get<double>() != 0;
  return value.is_object() && !value.empty();
}

void add_turns(const std::vector<Member>& members, const std::string& prefix,
               std::vector<Turn>& out) {
  for (const Member& m : members) {
    const Json value = m.get();
    if (value.is_null()) continue;
    const std::string path = prefix + m.key;
    if (m.scale && can_rise(value)) out.push_back({path, m.get, [m] { m.scale(kRaise); }});
    if (m.inner) add_turns(m.inner(), path + ".", out);
  }
}

// The numbers of an answer, "energy.total_j"; lists have none.
void add_numbers(const Json& tree, const std::string& prefix, Json& out) {
  for (const auto& [key, value] : tree.items()) {
    if (value.is_number()) out[prefix + key] = value;
    if (value.is_object()) add_numbers(value, prefix + key + ".", out);
  }
}

Json numbers_of(const Json& answer) {
  Json out = Json::object();
  add_numbers(answer, "", out);
  return out;
}

// Changes by key, the largest first; those below a millionth are rounding.
Json changes_of(const Json& before, const Json& after) {
  constexpr double kLeast = 1e-6;
  std::vector<std::pair<std::string, double>> found;
  for (const auto& [key, value] : after.items()) {
    const double then = before.value(key, 0.0);
    const double change = then == 0 ? 0 : value.get<double>() / then - 1;
    if (std::isfinite(change) && std::fabs(change) >= kLeast) found.emplace_back(key, change);
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::fabs(a.second) > std::fabs(b.second);
  });
  Json out = Json::object();
  for (const auto& [key, change] : found) out[key] = change;
  return out;
}

double most_of(const Json& lever) {
  const Json& changes = lever["changes"];
  double most = changes.is_null() ? -1 : 0;
  if (changes.is_null()) return most;
  for (const auto& [key, change] : changes.items()) {
    most = std::max(most, std::fabs(change.get<double>()));
  }
  return most;
}

std::string last_of(const std::string& path) {
  return path.substr(path.rfind('.') + 1);
}

std::string input_text(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string::npos) return key_text(path);
  return fmt::format("{}, {}", key_text(path.substr(dot + 1)), path.substr(0, dot));
}

std::string side_text(const std::string& path, const Json& value) {
  return value.is_object() ? "" : value_text(last_of(path), value);
}

}  // namespace

std::span<const Field> lever_fields() {
  return kLeverFields;
}

std::vector<Turn> turns_of(const std::vector<Member>& members) {
  std::vector<Turn> out;
  add_turns(members, "", out);
  return out;
}

std::vector<Turn> turns_of(Machine& machine) {
  std::vector<Turn> out;
  for (const ScalarField& field : hardware_knobs(machine)) {
    const auto read = [&machine, field]() -> double {
      Scenario at;
      at.machine = machine;
      return get_scalar(at, field);
    };
    if (read() == 0) continue;
    out.push_back({field.path, [read, unit = field.unit] { return number_json(read() / unit); },
                   [&machine, field, read] {
                     Scenario at;
                     at.machine = machine;
                     set_scalar(at, field, read() * kRaise);
                     machine = at.machine;
                   }});
  }
  return out;
}

Json levers_json(const Json& before, std::span<const Turned> turned) {
  const Json start = numbers_of(before);
  std::vector<Json> found;
  for (const Turned& one : turned) {
    Json lever{{"input", one.input}, {"value", one.value}, {"raised", one.raised}};
    const Json* after = std::get_if<Json>(&one.answer);
    lever["changes"] = after == nullptr ? Json() : changes_of(start, numbers_of(*after));
    if (after == nullptr) lever["reason"] = std::get<std::string>(one.answer);
    found.push_back(std::move(lever));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Json& a, const Json& b) { return most_of(a) > most_of(b); });
  Json out = Json::array();
  for (Json& lever : found) out.push_back(std::move(lever));
  return out;
}

std::vector<report::Section> lever_sections(const Json& levers) {
  report::Table table;
  table.columns = {{"a tenth more of"},
                   {"from", report::Align::right},
                   {"to", report::Align::right},
                   {"changes"}};
  std::size_t still = 0;
  for (const Json& lever : levers) {
    const Json& changes = lever["changes"];
    if (changes.is_object() && changes.empty()) {
      ++still;
      continue;
    }
    std::vector<std::string> texts;
    if (changes.is_null()) texts.push_back(lever["reason"].get<std::string>());
    for (const auto& [key, change] : changes.items()) {
      if (texts.size() == kMostShown) break;
      texts.push_back(fmt::format("{} {:+.1f} %", key_text(key), 100 * change.get<double>()));
    }
    const std::string input = lever["input"].get<std::string>();
    table.rows.push_back({input_text(input), side_text(input, lever["value"]),
                          side_text(input, lever["raised"]),
                          fmt::format("{}", fmt::join(texts, ", "))});
  }
  std::vector<report::Section> out;
  out.emplace_back(std::move(table));
  if (still > 0) {
    out.emplace_back(report::Line{
        fmt::format("whole numbers go up by one at least; {} other inputs change nothing here",
                    still),
        report::Tone::dim});
  }
  return out;
}

}  // namespace ridgeline::app
