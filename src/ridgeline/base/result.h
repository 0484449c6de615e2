// Result<T>: a value, or the Error that explains why there is none.
//
// Same member names as std::expected, which g++ 12 lacks in C++20 mode. Three kinds of failure have
// three mechanisms: wrong input is an Error, a bad design (does not fit) is a value of the answer,
// our own bug is RIDGELINE_ASSERT.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "ridgeline/base/assert.h"

namespace ridgeline {

// The codes of `error.code` in JSON, in the contract's order.
enum class ErrorCode {
  usage,
  unknown_name,
  unknown_key,
  bad_value,
  out_of_range,
  wrong_unit,
  missing,
  conflict,
  unsupported,
  io,
  internal,
};

struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string where;    // what the user wrote: "--tp", "spec.yaml:/plan/tp"
  std::string message;  // what is wrong, with the offending value
  std::string hint;     // what would be accepted; may be empty
};

// The name of a code in JSON, for example "bad_value".
const char* to_text(ErrorCode code);

template <class T>
class [[nodiscard]] Result {
 public:
  // Implicit, so that a function can return a T or an Error.
  Result(T value) : v_(std::in_place_index<0>, std::move(value)) {}      // NOLINT
  Result(Error error) : v_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

  bool has_value() const { return v_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  const T& operator*() const& {
    RIDGELINE_ASSERT(has_value());
    return *std::get_if<0>(&v_);
  }
  T& operator*() & {
    RIDGELINE_ASSERT(has_value());
    return *std::get_if<0>(&v_);
  }
  T&& operator*() && {
    RIDGELINE_ASSERT(has_value());
    return std::move(*std::get_if<0>(&v_));
  }
  const T* operator->() const {
    RIDGELINE_ASSERT(has_value());
    return std::get_if<0>(&v_);
  }
  T* operator->() {
    RIDGELINE_ASSERT(has_value());
    return std::get_if<0>(&v_);
  }
  const Error& error() const {
    RIDGELINE_ASSERT(!has_value());
    return *std::get_if<1>(&v_);
  }

 private:
  std::variant<T, Error> v_;
};

// The result of a check that yields nothing else.
struct Ok {};
using Status = Result<Ok>;

}  // namespace ridgeline

#define RIDGELINE_CONCAT_(a, b) a##b
#define RIDGELINE_CONCAT(a, b) RIDGELINE_CONCAT_(a, b)
#define RIDGELINE_TRY_(tmp, decl, expr) \
  auto tmp = (expr);                    \
  if (!tmp) return tmp.error();         \
  decl = *std::move(tmp)
// RIDGELINE_TRY(const Model model, catalog.model(name));  returns the Error to the caller on
// failure. RIDGELINE_CHECK(check(plan));                           the same for a Status.
#define RIDGELINE_TRY(decl, ...) \
  RIDGELINE_TRY_(RIDGELINE_CONCAT(ridgeline_try_, __LINE__), decl, (__VA_ARGS__))
#define RIDGELINE_CHECK(...) \
  if (auto ridgeline_status = (__VA_ARGS__); !ridgeline_status) return ridgeline_status.error()
