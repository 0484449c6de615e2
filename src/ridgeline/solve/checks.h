// Checks that solvers share. `where` of an error is the field's name, or "model" with the key below
// it that is at fault.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"
#include "ridgeline/solve/subject.h"

namespace ridgeline::solve {

Error out_of_range(std::string_view where, std::string message, std::string hint = "");
Error missing(std::string_view where, std::string message, std::string hint = "");
Error conflict(std::string_view where, std::string message, std::string hint = "");

// A whole number from `least` on.
Status check_count(std::string_view where, std::int64_t value, std::int64_t least);
Status check_count(std::string_view where, std::optional<std::int64_t> value, std::int64_t least);

// A whole number from `least` to `most`.
Status check_count(std::string_view where, std::int64_t value, std::int64_t least,
                   std::int64_t most);

// Finite and greater than zero; finite and not below zero.
Status check_positive(std::string_view where, double value);
Status check_positive(std::string_view where, std::optional<double> value);
Status check_not_negative(std::string_view where, std::optional<double> value);

// From 0 to 1; 0 itself only where allowed by the second form.
Status check_share(std::string_view where, double value);
Status check_fraction(std::string_view where, double value);

template <Dim D>
Status check_positive(std::string_view where, const std::optional<Quantity<D>>& value) {
  return value ? check_positive(where, value->base()) : Status(Ok{});
}
template <Dim D>
Status check_not_negative(std::string_view where, const std::optional<Quantity<D>>& value) {
  return value ? check_not_negative(where, std::optional(value->base())) : Status(Ok{});
}

// A model, by architecture or totals, is given.
Status check_has_model(const Subject& subject);

// A model whose parameters can be counted: totals, or an architecture that lacks nothing.
Status check_countable(const Subject& subject);

// Degrees that divide a model. Zero or less was refused before.
struct Degrees {
  std::int64_t tp = 1;
  std::int64_t pp = 1;
  std::int64_t dp = 1;
  std::int64_t cp = 1;
  std::int64_t ep = 1;
  std::int64_t etp = 1;
};

// Heads may be padded to a multiple of tp, then tp need not divide them.
enum class Heads : std::uint8_t { as_they_are, padded };

// tp divides the heads, of kv heads and tp one divides the other; pp is at most the layers; ep
// divides the experts of a model that has them; ep etp divides tp cp dp.
Status check_degrees(const Subject& subject, const Degrees& degrees, Heads heads);

// etp where it is not given: tp at ep 1, else 1.
std::int64_t expert_tp(std::optional<std::int64_t> etp, std::int64_t ep, std::int64_t tp);

// An error of the model's own fields, put below "model".
Error in_model(Error error);

}  // namespace ridgeline::solve
