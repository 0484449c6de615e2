// Typed look-ups in one JSON object of a model's config. The first thing that is wrong is
// remembered and what follows reads as absent, so an importer is straight code that is checked
// once, at its end.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "ridgeline/base/result.h"

namespace ridgeline::catalog {

// Largest values accepted. Products of any two stay far from overflow.
inline constexpr std::int64_t kMostWidth = std::int64_t{1} << 28;
inline constexpr std::int64_t kMostHeads = std::int64_t{1} << 20;
inline constexpr std::int64_t kMostTokens = std::int64_t{1} << 40;
inline constexpr std::int64_t kMostVocabulary = std::int64_t{1} << 30;
inline constexpr std::int64_t kMostLayers = 10000;

class ConfigReader {
 public:
  using Keys = std::initializer_list<const char*>;  // other names of one thing, first one first

  // Keeps references; `pointer` is where `object` stands in the file ("" or "/text_config").
  ConfigReader(const nlohmann::ordered_json& object, std::string pointer,
               std::optional<Error>& problem);

  bool has(Keys keys) const;  // one of them is there and not null
  bool failed() const { return problem_.has_value(); }
  void fail(ErrorCode code, const std::string& key, const std::string& message,
            const std::string& hint = "");

  // A whole number from `least` to `most`, or `otherwise` when absent or null.
  std::int64_t integer(Keys keys, std::int64_t otherwise, std::int64_t least, std::int64_t most);
  std::int64_t width(Keys keys, std::int64_t otherwise = 0) {
    return integer(keys, otherwise, 1, kMostWidth);
  }
  std::int64_t heads(Keys keys, std::int64_t otherwise = 0) {
    return integer(keys, otherwise, 1, kMostHeads);
  }
  std::int64_t tokens(Keys keys, std::int64_t otherwise = 0) {
    return integer(keys, otherwise, 1, kMostTokens);
  }
  double real(Keys keys, double otherwise);  // positive and finite
  bool flag(Keys keys, bool otherwise);
  std::string text(Keys keys, const std::string& otherwise = "");

  // A list, empty when absent. Elements of another type are errors.
  std::vector<std::string> texts(const char* key);
  std::vector<std::int64_t> integers(const char* key, std::int64_t least, std::int64_t most);

  // The object under `key`, or an empty one.
  ConfigReader child(const char* key);
  // The objects of the list under `key`.
  std::vector<ConfigReader> children(const char* key);
  // The values of the object under `key` that are objects themselves.
  std::vector<ConfigReader> members(const char* key);

  bool is_list(const char* key) const;
  bool is_object(const char* key) const;
  bool is_text(const char* key) const;

  // heads x head size, checked as a width; an error names `key`.
  std::int64_t product(std::int64_t a, std::int64_t b, const char* key);

 private:
  const nlohmann::ordered_json* find(Keys keys, std::string& where) const;

  const nlohmann::ordered_json& object_;
  std::string pointer_;
  std::optional<Error>& problem_;
};

// Parses one JSON object: no key twice, nothing nested deeper than 64. Errors have `where` "".
Result<nlohmann::ordered_json> parse_json_object(std::string_view text);

// The same for an object of very many keys, whose order does not matter.
Result<nlohmann::json> parse_wide_object(std::string_view text);

}  // namespace ridgeline::catalog
