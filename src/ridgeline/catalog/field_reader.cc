#include "ridgeline/catalog/field_reader.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "ridgeline/base/text.h"

namespace ridgeline::catalog {
namespace {

using Json = nlohmann::ordered_json;

std::string shown(const Json& value) {
  if (value.is_structured()) return value.is_array() ? "a list" : "an object";
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

// A number without unit, or under a key whose unit is `factor`; text only for plain numbers.
Result<double> number_of(const Json& value, Dim dim, double factor, const std::string& key) {
  if (value.is_number()) {
    const double v = value.get<double>();
    if (factor == 0 && v != 0 && !(dim == Dim{})) {
      return Error{ErrorCode::wrong_unit, "",
                   fmt::format("{} is {}, without a unit", key, shown(value)),
                   fmt::format("text such as \"{}\", or the key {}{}", example_of(dim), key,
                               unit_suffix(dim))};
    }
    return factor == 0 ? v : v * factor;
  }
  if (!value.is_string()) {
    return Error{ErrorCode::bad_value, "",
                 fmt::format("{} is {}, not a quantity", key, shown(value)),
                 fmt::format("text such as \"{}\"", example_of(dim))};
  }
  if (factor > 0 && !(dim == Dim{})) {
    return Error{ErrorCode::wrong_unit, "",
                 fmt::format("{} names its unit, so it takes a number", key),
                 "drop the unit from the key, or from the value"};
  }
  const auto& text = value.get_ref<const std::string&>();
  return dim == Dim{} ? parse_number(text) : parse_quantity(text, dim);
}

}  // namespace

Result<double> quantity_of(const Json& value, Dim dim, double factor, const Bounds& bounds,
                           const std::string& key) {
  RIDGELINE_TRY(const double v, number_of(value, dim, factor, key));
  const bool low = v < bounds.least || (bounds.positive && v <= 0);
  if (!std::isfinite(v) || low || v > bounds.most) {
    const std::string least = bounds.positive && bounds.least == 0
                                  ? std::string("greater than 0")
                                  : fmt::format("at least {}", bounds.least);
    return Error{ErrorCode::out_of_range, "", fmt::format("{} is {}", key, shown(value)),
                 fmt::format("{} and at most {:g}", least, bounds.most)};
  }
  return v;
}

FieldReader::FieldReader(const Json& object, std::string pointer, std::optional<Error>& problem)
    : object_(object), pointer_(std::move(pointer)), problem_(problem) {}

void FieldReader::fail(ErrorCode code, const std::string& key, const std::string& message,
                       const std::string& hint) {
  fail(Error{code, "", message, hint}, key);
}

void FieldReader::fail(Error error, const std::string& key) {
  if (failed()) return;
  error.where = pointer_ + (key.empty() ? "" : "/" + key) + error.where;
  problem_ = std::move(error);
}

std::optional<double> FieldReader::quantity(const char* stem, Dim dim, const Bounds& bounds) {
  known_.insert(stem);
  if (!(dim == Dim{})) known_.insert(stem + std::string(unit_suffix(dim)));
  std::optional<double> found;
  std::string found_key;
  for (const auto& [key, value] : object_.items()) {
    double factor = 0;
    if (key != stem) {
      const std::string prefix = std::string(stem) + "_";
      if (key.rfind(prefix, 0) != 0) continue;
      factor = suffix_factor(std::string_view(key).substr(prefix.size()), dim);
      if (factor == 0) continue;
    }
    used_.insert(key);
    if (value.is_null()) continue;
    if (found) {
      fail(ErrorCode::conflict, key, fmt::format("{} and {} are both given", found_key, key),
           "give one of them");
      return std::nullopt;
    }
    auto v = quantity_of(value, dim, factor, bounds, key);
    if (!v) {
      fail(v.error(), key);
      return std::nullopt;
    }
    found = *v;
    found_key = key;
  }
  return found;
}

const Json* FieldReader::raw(const char* key) {
  known_.insert(key);
  const auto it = object_.find(key);
  if (it == object_.end()) return nullptr;
  used_.insert(key);
  return it->is_null() ? nullptr : &*it;
}

std::optional<std::int64_t> FieldReader::count(const char* key, std::int64_t least,
                                               std::int64_t most) {
  const Json* value = raw(key);
  if (value == nullptr) return std::nullopt;
  const double v = value->is_number() ? value->get<double>() : std::nan("");
  if (!std::isfinite(v) || v != std::floor(v)) {
    fail(ErrorCode::bad_value, key,
         fmt::format("{} must be a whole number, not {}", key, shown(*value)));
    return std::nullopt;
  }
  if (v < static_cast<double>(least) || v > static_cast<double>(most)) {
    fail(ErrorCode::out_of_range, key, fmt::format("{} is {}", key, shown(*value)),
         fmt::format("from {} to {}", least, most));
    return std::nullopt;
  }
  return static_cast<std::int64_t>(v);
}

std::optional<std::string> FieldReader::text(const char* key) {
  const Json* value = raw(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string() || value->get_ref<const std::string&>().empty()) {
    fail(ErrorCode::bad_value, key, fmt::format("{} must be text, not {}", key, shown(*value)));
    return std::nullopt;
  }
  return value->get<std::string>();
}

std::optional<std::size_t> FieldReader::choice(const char* key,
                                               std::span<const char* const> names) {
  const std::optional<std::string> given = text(key);
  if (!given) return std::nullopt;
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (lower(*given) == names[i]) return i;
    if (*names[i] != '\0') list += (list.empty() ? "" : ", ") + std::string(names[i]);
  }
  fail(ErrorCode::bad_value, key, fmt::format("{} cannot be \"{}\"", key, given->substr(0, 60)),
       "one of " + list);
  return std::nullopt;
}

std::vector<std::string> FieldReader::keys_from(const std::string& prefix) {
  std::vector<std::string> out;
  for (const auto& [key, value] : object_.items()) {
    if (key.rfind(prefix, 0) != 0) continue;
    used_.insert(key);
    out.push_back(key);
  }
  return out;
}

const Json& FieldReader::at(const std::string& key) const {
  return *object_.find(key);
}

void FieldReader::finish() {
  if (failed()) return;
  for (const auto& [key, value] : object_.items()) {
    if (used_.count(key) > 0) continue;
    const std::vector<std::string> names(known_.begin(), known_.end());
    fail(ErrorCode::unknown_key, key,
         fmt::format("the key \"{}\" is not known here", key.substr(0, 60)),
         did_you_mean(key, names));
    return;
  }
}

}  // namespace ridgeline::catalog
