#include "ridgeline/app/spec_file.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <vector>

namespace ridgeline::app {
namespace {

constexpr int kMostDepth = 64;
constexpr std::size_t kMostNodes = 200'000;  // aliases expand: a small file may hold a huge tree
constexpr std::size_t kMostKeys = 10'000;    // of one object
constexpr std::size_t kMostYamlBytes = 4U << 20U;

Error bad(std::string message, std::string hint) {
  return {ErrorCode::bad_value, "", std::move(message), std::move(hint)};
}

Error too_deep() {
  return bad(fmt::format("is nested deeper than {} levels", kMostDepth), "flatten it");
}

// Does any bracket outside a string lie deeper than the cap? (Of flow text; block YAML is checked
// later.)
bool nests_too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMostDepth) return true;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

Error twice_in_one(const std::string& pointer, const std::string& key) {
  return {ErrorCode::conflict, pointer, fmt::format("\"{}\" is given twice", key),
          "keep one of them"};
}

Error too_many_keys(const std::string& pointer) {
  return {ErrorCode::bad_value, pointer, fmt::format("an object has more than {} keys", kMostKeys),
          "split it"};
}

// Watches a JSON parse for keys that stand twice in one object, and for objects without end.
class KeyWatch {
 public:
  bool operator()(int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) open_.emplace_back();
    if (event == Json::parse_event_t::object_end) open_.pop_back();
    if (event != Json::parse_event_t::key) return true;
    std::set<std::string>& keys = open_.back().seen;
    open_.back().current = parsed.get<std::string>();
    if (!keys.insert(open_.back().current).second) {
      fail(twice_in_one(pointer(), open_.back().current));
    }
    if (keys.size() <= kMostKeys) return true;
    fail(too_many_keys(pointer()));
    return false;
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  struct Object {
    std::set<std::string> seen;
    std::string current;
  };
  std::string pointer() const {
    std::string out;
    for (const Object& object : open_) out += "/" + object.current;
    return out;
  }
  void fail(Error error) {
    if (!error_) error_ = std::move(error);
  }

  std::vector<Object> open_;
  std::optional<Error> error_;
};

std::string without_library_prefix(std::string message) {
  const std::size_t bracket = message.find("] ");  // "[json.exception.parse_error.101] parse error"
  return bracket == std::string::npos ? message : message.substr(bracket + 2);
}

// A plain YAML scalar as JSON would write it: null, true, false, a number, else text.
Json plain_scalar(const std::string& text) {
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") {
    return nullptr;
  }
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  const char* end = text.data() + text.size();
  std::int64_t integer = 0;
  if (const auto r = std::from_chars(text.data(), end, integer);
      r.ec == std::errc{} && r.ptr == end) {
    return integer;
  }
  const bool numeric = text.find_first_not_of("0123456789+-.eE") == std::string::npos;
  double real = 0;
  const auto r = std::from_chars(text.data(), end, real);
  if (numeric && r.ec == std::errc{} && r.ptr == end) return real;
  return text;
}

class YamlReader {
 public:
  explicit YamlReader(std::map<std::string, int>& lines) : lines_(lines) {}

  Result<Json> read(const YAML::Node& node, const std::string& pointer, int depth) {
    if (depth > kMostDepth) return too_deep();
    if (++nodes_ > kMostNodes) return bad("expands to more than 200000 values", "shorten it");
    if (node.Mark().line >= 0) lines_[pointer] = node.Mark().line + 1;
    if (node.IsMap()) return read_map(node, pointer, depth);
    if (node.IsSequence()) return read_list(node, pointer, depth);
    if (!node.IsScalar()) return Json(nullptr);
    return node.Tag() == "!" ? Json(node.Scalar()) : plain_scalar(node.Scalar());
  }

 private:
  Result<Json> read_map(const YAML::Node& node, const std::string& pointer, int depth) {
    Json out = Json::object();
    for (const auto& entry : node) {
      if (!entry.first.IsScalar()) {
        return bad(fmt::format("line {}: a key must be text", entry.first.Mark().line + 1), "");
      }
      const std::string& key = entry.first.Scalar();
      const std::string inner = pointer + "/" + key;
      if (out.contains(key)) return twice_in_one(inner, key);
      if (out.size() >= kMostKeys) return too_many_keys(pointer);
      RIDGELINE_TRY(out[key], read(entry.second, inner, depth + 1));
    }
    return out;
  }

  Result<Json> read_list(const YAML::Node& node, const std::string& pointer, int depth) {
    Json out = Json::array();
    for (const YAML::Node& item : node) {
      RIDGELINE_TRY(Json value, read(item, pointer + "/" + std::to_string(out.size()), depth + 1));
      out.push_back(std::move(value));
    }
    return out;
  }

  std::map<std::string, int>& lines_;
  std::size_t nodes_ = 0;
};

Result<Spec> parse_yaml(std::string_view text) {
  YAML::Node root;
  try {
    root = YAML::Load(std::string(text));
  } catch (const YAML::Exception& e) {
    return bad(fmt::format("is no YAML: line {}, column {}: {}", e.mark.line + 1, e.mark.column + 1,
                           e.msg),
               "write \"key: value\" lines, or JSON");
  }
  Spec spec;
  YamlReader reader(spec.lines);
  try {
    RIDGELINE_TRY(spec.value, reader.read(root, "", 0));
  } catch (const YAML::Exception& e) {
    return bad(fmt::format("is no YAML: {}", e.msg), "write \"key: value\" lines, or JSON");
  }
  return spec;
}

}  // namespace

Result<Json> parse_json(std::string_view text) {
  if (nests_too_deep(text)) return too_deep();
  KeyWatch watch;
  try {
    Json value = Json::parse(text, std::ref(watch));
    if (watch.error()) return *watch.error();
    return value;
  } catch (const Json::exception& e) {
    return bad("is no JSON: " + without_library_prefix(e.what()), "");
  }
}

Result<Spec> parse_spec(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) {
    return bad("is a binary file", "give a text file in YAML or JSON");
  }
  const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (first == std::string_view::npos) return bad("is empty", "give at least {\"model\": ...}");
  if (text[first] == '{' || text[first] == '[') {
    Spec spec;
    RIDGELINE_TRY(spec.value, parse_json(text.substr(first)));
    return spec;
  }
  if (text.size() > kMostYamlBytes) return bad("is larger than 4 MiB", "give JSON");
  if (nests_too_deep(text)) return too_deep();
  return parse_yaml(text);
}

}  // namespace ridgeline::app
