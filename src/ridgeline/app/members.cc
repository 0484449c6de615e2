#include "ridgeline/app/members.h"

#include <fmt/format.h>

#include <algorithm>

#include "ridgeline/app/input.h"
#include "ridgeline/app/names.h"
#include "ridgeline/app/vocabulary.h"

namespace ridgeline::app {
namespace {

constexpr double kLargestWhole = 9007199254740992.0;  // 2^53

// Are thousands of it counted in 1024s ("128k")?
CountScale scale_of(const std::string& name) {
  const bool tokens = name.find("context") != std::string::npos ||
                      name.find("tokens") != std::string::npos ||
                      (name.size() > 4 && name.compare(name.size() - 4, 4, "_len") == 0);
  return tokens ? CountScale::tokens : CountScale::decimal;
}

// "none" for a number that need not be there.
bool is_none(const Member& m, const Json& value) {
  const bool number =
      m.kind == FieldKind::count || m.kind == FieldKind::number || m.kind == FieldKind::quantity;
  return number && value.is_string() && lower(value.get<std::string>()) == "none";
}

Error bad(std::string message, std::string hint) {
  return {ErrorCode::bad_value, "", std::move(message), std::move(hint)};
}

// "128x128": elements of a block, as group sizes are written.
Result<std::int64_t> block_count(const std::string& text) {
  const std::size_t cross = text.find('x');
  RIDGELINE_TRY(const std::int64_t rows, parse_count(text.substr(0, cross), CountScale::decimal));
  RIDGELINE_TRY(const std::int64_t columns,
                parse_count(text.substr(cross + 1), CountScale::decimal));
  constexpr std::int64_t kMost = 1 << 20;
  if (rows < 1 || rows > kMost || columns < 1 || columns > kMost) {
    return bad(fmt::format("\"{}\" is no block", text.substr(0, 40)), "write 128x128");
  }
  return rows * columns;
}

Result<double> number_from_text(const Member& m, const std::string& text, double factor) {
  if (!(m.dim == Dim{})) {
    if (factor == 0 || m.key == m.name) return parse_quantity(text, m.dim);
    RIDGELINE_TRY(const double number, parse_number(text));
    return number * factor;
  }
  const auto number = parse_number(text);
  if (number) return *number * m.unit;
  const auto count = parse_count(text, CountScale::decimal);
  if (!count) return number.error();
  return static_cast<double>(*count) * m.unit;
}

}  // namespace

std::string key_of(const std::string& name, Dim dim) {
  const std::string_view suffix = unit_suffix(dim);
  return !suffix.empty() && suffix.substr(1) == name ? name : name + std::string(suffix);
}

Json number_json(double value) {
  const bool whole = value == std::floor(value) && std::fabs(value) <= kLargestWhole;
  if (whole) return static_cast<std::int64_t>(value);
  return value;
}

Field field_of(const Member& m) {
  return {m.name.c_str(), m.kind, "", m.help.c_str(), m.choices, m.key.c_str(), m.dim, m.unit};
}

const Member* find_member(std::span<const Member> members, std::string_view key, double& factor) {
  for (const Member& m : members) {
    const auto unit = unit_of_key(field_of(m), key);
    if (!unit) continue;
    factor = *unit;
    return &m;
  }
  return nullptr;
}

Status check_keys(std::span<const Member> members, const Json& object) {
  if (!object.is_object()) {
    return bad(fmt::format("is {}, not an object", kind_name(object)), "give {FIELD: value, ...}");
  }
  for (const auto& [key, value] : object.items()) {
    double factor = 0;
    if (key == "name" || find_member(members, lower(key), factor) != nullptr) continue;
    std::vector<std::string> names;
    for (const Member& m : members) names.push_back(m.key);
    return Error{ErrorCode::unknown_key, pointer_of(key),
                 fmt::format("unknown field \"{}\"", key.substr(0, 80)), did_you_mean(key, names)};
  }
  return Ok{};
}

Status read_members(std::span<const Member> members, const Json& object, Names& names) {
  std::vector<const Member*> given;
  for (const auto& [key, value] : object.items()) {
    double factor = 0;
    const Member* m = find_member(members, lower(key), factor);
    if (m == nullptr) continue;
    if (value.is_null() || (m->clear && is_none(*m, value))) {
      if (m->clear) m->clear();
      continue;
    }
    if (std::find(given.begin(), given.end(), m) != given.end()) {
      return Error{ErrorCode::conflict, pointer_of(key),
                   fmt::format("{} is given twice, with and without its unit", m->name),
                   "keep one of them"};
    }
    given.push_back(m);
    const Status status = m->set(value, factor, names);
    if (!status) return inside_of("/" + m->name, status.error());
  }
  return Ok{};
}

Json members_json(std::span<const Member> members) {
  Json out = Json::object();
  for (const Member& m : members) out[m.key] = m.get();
  return out;
}

Error inside_of(std::string_view pointer, Error error) {
  const bool relative = error.where.empty() || error.where.front() == '/';
  if (relative) error.where = fmt::format("{}{}", pointer, error.where);
  return error;
}

Result<double> number_of(const Member& m, const Json& value, double factor) {
  const bool has_dim = !(m.dim == Dim{});
  const std::string hint = has_dim ? fmt::format("give text such as \"{}\"", example_of(m.dim))
                                   : std::string("give a number such as 0.5");
  if (value.is_string()) {
    auto number = number_from_text(m, value.get_ref<const std::string&>(), factor);
    if (number || !number.error().hint.empty()) return number;
    Error error = number.error();
    error.hint = hint;
    return error;
  }
  if (!value.is_number()) return bad(fmt::format("is {}, not a number", kind_name(value)), hint);
  const double number = value.get<double>();
  if (!has_dim) return number * m.unit;
  if (factor == 0 && number != 0) {
    return Error{ErrorCode::wrong_unit, "", fmt::format("{} has no unit", value.dump()),
                 fmt::format("{}, or \"{}\" a plain number", hint, m.key)};
  }
  return number * factor;
}

Result<std::int64_t> count_of(const Member& m, const Json& value) {
  const char* hint = "give a whole number such as 8";
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    const bool block = m.name == "group_size" && text.find('x') != std::string::npos;
    if (block) return block_count(text);
    auto count = parse_count(text, scale_of(m.name));
    if (count || !count.error().hint.empty()) return count;
    Error error = count.error();
    error.hint = hint;
    return error;
  }
  if (!value.is_number()) return bad(fmt::format("is {}, not a number", kind_name(value)), hint);
  const double number = value.get<double>();
  if (number != std::floor(number) || std::fabs(number) > kLargestWhole) {
    return bad(fmt::format("{} is no whole number", value.dump()), hint);
  }
  return static_cast<std::int64_t>(number);
}

Result<bool> toggle_of(const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value == "true" || value == "false") return value == "true";
  return bad(fmt::format("is {}, not true or false", kind_name(value)), "give true or false");
}

Result<std::size_t> choice_of(std::span<const char* const> choices, const Json& value) {
  const std::string typed = value.is_string() ? value.get<std::string>() : value.dump();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (lower(choices[i]) == lower(typed)) return i;
    names.emplace_back(choices[i]);
  }
  return bad(fmt::format("\"{}\" is not one of its values", typed.substr(0, 80)),
             fmt::format("give {}", fmt::join(names, ", ")));
}

Result<std::vector<Json>> items_of(const Json& value) {
  if (value.is_array()) return std::vector<Json>(value.begin(), value.end());
  if (value.is_number()) return std::vector<Json>{value};
  if (!value.is_string()) {
    return bad(fmt::format("is {}, not a list", kind_name(value)), "give [..., ...]");
  }
  std::vector<Json> out;
  std::string part;
  for (const char c : value.get<std::string>() + ",") {
    if (c != ',') {
      part += c;
      continue;
    }
    out.emplace_back(part);
    part.clear();
  }
  return out;
}

Status read_rates(const Json& value, std::array<FlopsPerSecond, kPrecisionCount>& rates) {
  if (!value.is_object()) {
    return bad(fmt::format("is {}, not an object", kind_name(value)), "give {\"bf16\": 989e12}");
  }
  Member rate;
  rate.dim = FlopsPerSecond::kDim;
  rate.key = "rates_flop_per_s";
  for (const auto& [key, number] : value.items()) {
    const auto index = choice_of(names_of(Precision{}), key);
    if (!index) return inside_of(pointer_of(key), index.error());
    const auto base = number_of(rate, number, number.is_string() ? 0 : 1);
    if (!base) return inside_of(pointer_of(key), base.error());
    rates[*index] = FlopsPerSecond::from_base(*base);
  }
  return Ok{};
}

Json rates_json(const std::array<FlopsPerSecond, kPrecisionCount>& rates) {
  Json out = Json::object();
  const auto names = names_of(Precision{});
  for (std::size_t i = 0; i < kPrecisionCount; ++i) {
    if (rates[i].base() > 0) out[names[i]] = number_json(rates[i].base());
  }
  return out;
}

Status set_named(const Json& value, Names& names, Totals& out) {
  RIDGELINE_TRY(out, names.totals(value));
  return Ok{};
}

Status set_named(const Json& value, Names& names, Hardware& out) {
  RIDGELINE_TRY(out, names.hardware(value));
  return Ok{};
}

Status set_named(const Json& value, Names& names, Cluster& out) {
  RIDGELINE_TRY(out, names.cluster(value));
  return Ok{};
}

}  // namespace ridgeline::app
