#include "ridgeline/catalog/config_reader.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

namespace ridgeline::catalog {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kMostDepth = 64;

const Json& empty_object() {
  static const Json kEmpty = Json::object();
  return kEmpty;
}

// The value shortened for a message.
template <class J>
std::string shown(const J& value) {
  if (value.is_structured()) return value.is_array() ? "a list" : "an object";
  std::string text = value.dump(-1, ' ', false, J::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

// A whole number that fits, written as an integer or as a float without fraction.
std::optional<std::int64_t> whole(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto v = value.get<std::uint64_t>();
    if (v > static_cast<std::uint64_t>(INT64_MAX)) return INT64_MAX;
    return static_cast<std::int64_t>(v);
  }
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (!value.is_number_float()) return std::nullopt;
  const double v = value.get<double>();
  if (!std::isfinite(v) || v != std::floor(v)) return std::nullopt;
  if (std::fabs(v) > 9e18) return v < 0 ? INT64_MIN : INT64_MAX;
  return static_cast<std::int64_t>(v);
}

// Deepest nesting of brackets outside strings.
int depth_of(std::string_view text) {
  int depth = 0, deepest = 0;
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (inside) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        inside = false;
      }
      continue;
    }
    if (c == '"') inside = true;
    if (c == '{' || c == '[') deepest = std::max(deepest, ++depth);
    if (c == '}' || c == ']') --depth;
  }
  return deepest;
}

// Remembers the first key that an object holds twice while a parse goes on.
template <class J>
class TwiceFinder {
 public:
  bool operator()(int depth, typename J::parse_event_t event, J& parsed) {
    const auto level = static_cast<std::size_t>(depth);
    if (event == J::parse_event_t::object_start) {
      if (keys_.size() <= level + 1) keys_.resize(level + 2);
      keys_[level + 1].clear();
    }
    if (event == J::parse_event_t::key && level < keys_.size()) {
      const auto& key = parsed.template get_ref<const std::string&>();
      if (!keys_[level].insert(key).second && twice_.empty()) twice_ = key;
    }
    return true;
  }
  const std::string& twice() const { return twice_; }

 private:
  std::vector<std::set<std::string>> keys_;
  std::string twice_;
};

template <class J>
J parse_checked(std::string_view text, std::string& problem, std::string& twice) {
  TwiceFinder<J> finder;
  try {
    J json = J::parse(text.begin(), text.end(), std::ref(finder));
    twice = finder.twice();
    return json;
  } catch (const nlohmann::json::exception& e) {
    problem = e.what();
    return J(nullptr);
  }
}

template <class J>
Result<J> parse_object(std::string_view text) {
  if (depth_of(text) > kMostDepth) {
    return Error{ErrorCode::bad_value, "", "the JSON is nested too deeply",
                 fmt::format("at most {} levels are read", kMostDepth)};
  }
  std::string problem, twice;
  J json = parse_checked<J>(text, problem, twice);
  if (!problem.empty()) return Error{ErrorCode::bad_value, "", "not JSON: " + problem, ""};
  if (!twice.empty()) {
    return Error{ErrorCode::bad_value, "/" + twice,
                 fmt::format("the key \"{}\" stands twice in one object", twice), "keep one"};
  }
  if (!json.is_object()) {
    return Error{ErrorCode::bad_value, "", "an object is needed, not " + shown(json), ""};
  }
  return json;
}

}  // namespace

Result<Json> parse_json_object(std::string_view text) {
  return parse_object<Json>(text);
}

Result<nlohmann::json> parse_wide_object(std::string_view text) {
  return parse_object<nlohmann::json>(text);
}

ConfigReader::ConfigReader(const Json& object, std::string pointer, std::optional<Error>& problem)
    : object_(object), pointer_(std::move(pointer)), problem_(problem) {}

const Json* ConfigReader::find(Keys keys, std::string& where) const {
  if (failed()) return nullptr;
  for (const char* key : keys) {
    const auto it = object_.find(key);
    if (it == object_.end() || it->is_null()) continue;
    where = key;
    return &*it;
  }
  return nullptr;
}

bool ConfigReader::has(Keys keys) const {
  std::string where;
  return find(keys, where) != nullptr;
}

void ConfigReader::fail(ErrorCode code, const std::string& key, const std::string& message,
                        const std::string& hint) {
  if (!failed()) problem_ = Error{code, pointer_ + "/" + key, message, hint};
}

std::int64_t ConfigReader::integer(Keys keys, std::int64_t otherwise, std::int64_t least,
                                   std::int64_t most) {
  std::string key;
  const Json* value = find(keys, key);
  if (value == nullptr) return otherwise;
  const std::optional<std::int64_t> v = whole(*value);
  if (!v) {
    fail(ErrorCode::bad_value, key,
         fmt::format("{} must be a whole number, not {}", key, shown(*value)));
    return otherwise;
  }
  if (*v < least || *v > most) {
    fail(ErrorCode::out_of_range, key, fmt::format("{} is {}", key, shown(*value)),
         fmt::format("from {} to {}", least, most));
    return otherwise;
  }
  return *v;
}

double ConfigReader::real(Keys keys, double otherwise) {
  std::string key;
  const Json* value = find(keys, key);
  if (value == nullptr) return otherwise;
  const double v = value->is_number() ? value->get<double>() : 0.0;
  if (!value->is_number() || !std::isfinite(v) || v <= 0) {
    fail(ErrorCode::bad_value, key,
         fmt::format("{} must be a positive number, not {}", key, shown(*value)));
    return otherwise;
  }
  return v;
}

bool ConfigReader::flag(Keys keys, bool otherwise) {
  std::string key;
  const Json* value = find(keys, key);
  if (value == nullptr) return otherwise;
  if (!value->is_boolean()) {
    fail(ErrorCode::bad_value, key,
         fmt::format("{} must be true or false, not {}", key, shown(*value)));
    return otherwise;
  }
  return value->get<bool>();
}

std::string ConfigReader::text(Keys keys, const std::string& otherwise) {
  std::string key;
  const Json* value = find(keys, key);
  if (value == nullptr) return otherwise;
  if (!value->is_string()) {
    fail(ErrorCode::bad_value, key, fmt::format("{} must be text, not {}", key, shown(*value)));
    return otherwise;
  }
  return value->get<std::string>();
}

std::vector<std::string> ConfigReader::texts(const char* key) {
  std::string where;
  const Json* value = find({key}, where);
  if (value == nullptr) return {};
  std::vector<std::string> out;
  if (!value->is_array()) {
    fail(ErrorCode::bad_value, key, fmt::format("{} must be a list, not {}", key, shown(*value)));
    return out;
  }
  for (const Json& item : *value) {
    if (!item.is_string()) {
      fail(ErrorCode::bad_value, fmt::format("{}/{}", key, out.size()),
           fmt::format("{} must hold text, not {}", key, shown(item)));
      return {};
    }
    out.push_back(item.get<std::string>());
  }
  return out;
}

std::vector<std::int64_t> ConfigReader::integers(const char* key, std::int64_t least,
                                                 std::int64_t most) {
  std::string where;
  const Json* value = find({key}, where);
  if (value == nullptr) return {};
  std::vector<std::int64_t> out;
  if (!value->is_array()) {
    fail(ErrorCode::bad_value, key, fmt::format("{} must be a list, not {}", key, shown(*value)));
    return out;
  }
  for (const Json& item : *value) {
    const std::optional<std::int64_t> v =
        item.is_boolean() ? std::optional<std::int64_t>(item.get<bool>() ? 1 : 0) : whole(item);
    if (!v || *v < least || *v > most) {
      fail(ErrorCode::bad_value, fmt::format("{}/{}", key, out.size()),
           fmt::format("{} must hold whole numbers, not {}", key, shown(item)),
           fmt::format("from {} to {}", least, most));
      return {};
    }
    out.push_back(*v);
  }
  return out;
}

ConfigReader ConfigReader::child(const char* key) {
  std::string where;
  const Json* value = find({key}, where);
  if (value != nullptr && !value->is_object()) {
    fail(ErrorCode::bad_value, key,
         fmt::format("{} must be an object, not {}", key, shown(*value)));
    value = nullptr;
  }
  return ConfigReader(value == nullptr ? empty_object() : *value, pointer_ + "/" + key, problem_);
}

std::vector<ConfigReader> ConfigReader::children(const char* key) {
  std::vector<ConfigReader> out;
  std::string where;
  const Json* value = find({key}, where);
  if (value == nullptr) return out;
  if (!value->is_array()) {
    fail(ErrorCode::bad_value, key, fmt::format("{} must be a list, not {}", key, shown(*value)));
    return out;
  }
  for (const Json& item : *value) {
    const std::string at = fmt::format("{}/{}", key, out.size());
    if (!item.is_object()) {
      fail(ErrorCode::bad_value, at, fmt::format("{} must hold objects, not {}", key, shown(item)));
      return {};
    }
    out.emplace_back(item, pointer_ + "/" + at, problem_);
  }
  return out;
}

std::vector<ConfigReader> ConfigReader::members(const char* key) {
  std::vector<ConfigReader> out;
  std::string where;
  const Json* value = find({key}, where);
  if (value == nullptr || !value->is_object()) return out;
  for (const auto& [name, item] : value->items()) {
    if (item.is_object()) out.emplace_back(item, pointer_ + "/" + key + "/" + name, problem_);
  }
  return out;
}

bool ConfigReader::is_list(const char* key) const {
  std::string where;
  const Json* value = find({key}, where);
  return value != nullptr && value->is_array();
}

bool ConfigReader::is_object(const char* key) const {
  std::string where;
  const Json* value = find({key}, where);
  return value != nullptr && value->is_object();
}

bool ConfigReader::is_text(const char* key) const {
  std::string where;
  const Json* value = find({key}, where);
  return value != nullptr && value->is_string();
}

std::int64_t ConfigReader::product(std::int64_t a, std::int64_t b, const char* key) {
  const std::int64_t width = a * b;
  if (width > kMostWidth) {
    fail(ErrorCode::out_of_range, key, fmt::format("{} makes a layer {} wide", key, width),
         fmt::format("at most {}", kMostWidth));
    return 0;
  }
  return width;
}

}  // namespace ridgeline::catalog
