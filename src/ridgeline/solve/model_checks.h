// Checks of what most solvers take: a model by its totals, a device, a cluster and a setting.
// `where` is the path of field names: "hardware/memory_bandwidth", "efficiency".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"
#include "ridgeline/physics/setting.h"
#include "ridgeline/solve/checks.h"
#include "ridgeline/spec/hardware.h"
#include "ridgeline/spec/totals.h"

namespace ridgeline::solve {

// Finite, greater than zero (or zero or more), and of a size that no product of five overflows.
Status check_amount(std::string_view where, double value);
Status check_amount_or_zero(std::string_view where, double value);
Status check_number(std::string_view where, std::int64_t value, std::int64_t least);

template <Dim D>
Status check_amount(std::string_view where, Quantity<D> value) {
  return check_amount(where, value.base());
}
template <Dim D>
Status check_amount_or_zero(std::string_view where, Quantity<D> value) {
  return check_amount_or_zero(where, value.base());
}
template <class T>
Status check_amount(std::string_view where, const std::optional<T>& value) {
  return value ? check_amount(where, *value) : Status(Ok{});
}
template <class T>
Status check_amount_or_zero(std::string_view where, const std::optional<T>& value) {
  return value ? check_amount_or_zero(where, *value) : Status(Ok{});
}
inline Status check_number(std::string_view where, const std::optional<std::int64_t>& value,
                           std::int64_t least) {
  return value ? check_number(where, *value, least) : Status(Ok{});
}
inline Status check_share(std::string_view where, const std::optional<double>& value) {
  return value ? check_share(where, *value) : Status(Ok{});
}

inline Status check_fraction(std::string_view where, const std::optional<double>& value) {
  return value ? check_fraction(where, *value) : Status(Ok{});
}

// A given amount that is also due.
template <class T>
Status check_needed(std::string_view where, const std::optional<T>& value, const char* why) {
  if (!value) return missing(where, std::string(where) + " is missing: " + why);
  return check_amount(where, *value);
}

// At least 1 and at most 1e6; at least 1 and a finite multiple.
Status check_degree_of(std::string_view where, std::int64_t value);
Status check_multiple(std::string_view where, double value);

// Some model is given.
inline bool is_given(const Totals& totals) {
  return totals.params != 0 || totals.size != Bytes{};
}

Status check_setting(const physics::Setting& setting);
Status check_totals(const Totals& totals, std::string_view where = "model");

// The FLOP of a token are known.
Status check_computes(const Totals& totals, std::string_view where = "model");

// What attention and KV need: layers, heads and a width.
Status check_attends(const Totals& totals, std::string_view where = "model");

// The numbers that are given; what a solver needs of them is its own affair.
Status check_hardware(const Hardware& hardware, std::string_view where = "hardware");

// The device computes in the number format that is asked for.
Status check_rate(const Hardware& hardware, const Totals& totals, const physics::Setting& setting,
                  std::string_view where = "hardware");

// The links that groups of more than one device need are there.
Status check_cluster(const Cluster& cluster);

// `status` with its `where` put below `parent`.
Status below(std::string_view parent, Status status);

// The divisor of `whole` nearest to `value`, the smaller of two.
std::int64_t nearest_divisor(std::int64_t whole, std::int64_t value);

}  // namespace ridgeline::solve
