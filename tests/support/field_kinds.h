// What kinds of fields a struct has, for tests below the layer that reads them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "ridgeline/base/few.h"
#include "ridgeline/base/fields.h"
#include "ridgeline/base/text.h"
#include "ridgeline/base/units.h"
#include "ridgeline/spec/precision.h"

namespace ridgeline::testing {

template <class T>
struct QuantityOf : std::false_type {};
template <Dim D>
struct QuantityOf<Quantity<D>> : std::true_type {
  static constexpr Dim kDim = D;
};
template <class T>
struct Unwrapped {
  using Type = T;
};
template <class T>
struct Unwrapped<std::optional<T>> {
  using Type = T;
};
template <class T>
struct ListOf : std::false_type {};
template <class T>
struct ListOf<std::vector<T>> : std::true_type {
  using Item = T;
};
template <class T, std::size_t N>
struct ListOf<Few<T, N>> : std::true_type {
  using Item = T;
};

template <class F>
struct FieldType {
  using Type = typename Unwrapped<typename F::Value>::Type;
};

// The key under which results print a field: its own, or name + unit suffix.
template <class F>
std::string key_of(const F& f) {
  using T = typename FieldType<F>::Type;
  if (f.key.text != nullptr) return f.key.text;
  if constexpr (QuantityOf<T>::value) {
    return std::string(f.name) + std::string(unit_suffix(QuantityOf<T>::kDim));
  } else if constexpr (std::is_same_v<T, std::array<FlopsPerSecond, kPrecisionCount>>) {
    return std::string(f.name) + "_flop_per_s";
  } else {
    return f.name;
  }
}

}  // namespace ridgeline::testing
