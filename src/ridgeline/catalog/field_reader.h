// Typed look-ups in one JSON object of a machine: quantities as text with a unit or as a number
// under a key with a unit. The first thing that is wrong is remembered; finish() reports keys
// nobody asked for.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"

namespace ridgeline::catalog {

inline constexpr double kMostQuantity = 1e24;  // in base units

struct Bounds {
  double least = 0;
  bool positive = false;  // zero is not accepted
  double most = kMostQuantity;
};
inline constexpr Bounds kPositive{.positive = true};
inline constexpr Bounds kZeroOrMore{};
inline constexpr Bounds kFraction{.positive = true, .most = 1};

// The number that `value` stands for: text with a unit, a bare zero, or with a `factor` > 0 a
// number in that unit. The error has an empty `where`.
Result<double> quantity_of(const nlohmann::ordered_json& value, Dim dim, double factor,
                           const Bounds& bounds, const std::string& key);

class FieldReader {
 public:
  FieldReader(const nlohmann::ordered_json& object, std::string pointer,
              std::optional<Error>& problem);

  bool failed() const { return problem_.has_value(); }
  void fail(ErrorCode code, const std::string& key, const std::string& message,
            const std::string& hint = "");
  void fail(Error error,
            const std::string& key);  // `where` of the error is inside the value of key
  const std::string& pointer() const { return pointer_; }

  // Base units; nothing when the object has neither `stem` nor `stem` with a unit.
  std::optional<double> quantity(const char* stem, Dim dim, const Bounds& bounds);
  std::optional<std::int64_t> count(const char* key, std::int64_t least, std::int64_t most);
  std::optional<std::string> text(const char* key);
  // The index of the text among `names`.
  std::optional<std::size_t> choice(const char* key, std::span<const char* const> names);
  // The value as it stands; null pointer when absent or null.
  const nlohmann::ordered_json* raw(const char* key);

  // Keys that begin with `prefix`, marked as known.
  std::vector<std::string> keys_from(const std::string& prefix);
  const nlohmann::ordered_json& at(const std::string& key) const;

  // Remembers a key that no look-up asked for as unknown, with the nearest of those that were.
  void finish();

 private:
  const nlohmann::ordered_json& object_;
  std::string pointer_;
  std::optional<Error>& problem_;
  std::set<std::string> known_;  // asked for
  std::set<std::string> used_;
};

}  // namespace ridgeline::catalog
