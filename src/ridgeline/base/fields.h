// One list of fields per struct: flags, JSON, schema, tables and bindings are read off it.
//
// A struct declares `static constexpr auto fields()` returning a tuple of field(...). The JSON key
// is the name plus the unit suffix of its dimension (bandwidth -> bandwidth_bytes_per_s); the flag
// is the name in kebab-case. An enum used as a field has a `std::span<const char* const>
// names_of(E)` found by argument-dependent look-up, in the order of its values from 0.
#pragma once

#include <tuple>

namespace ridgeline {

template <class S, class T>
struct Field {
  using Struct = S;
  using Value = T;
  T S::*member;
  const char* name;
  const char* symbol;  // as it appears in the equations; may be empty
  const char* help;
};

template <class S, class T>
constexpr Field<S, T> field(T S::*member, const char* name, const char* symbol, const char* help) {
  return {member, name, symbol, help};
}

template <class S, class F>
constexpr void for_each_field(F&& f) {
  std::apply([&](const auto&... fs) { (f(fs), ...); }, S::fields());
}

}  // namespace ridgeline
