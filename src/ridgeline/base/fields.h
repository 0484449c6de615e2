// One list of fields per struct: flags, JSON, schema, tables and bindings are read off it.
//
// A struct declares `static constexpr auto fields()` returning a tuple of field(...). The JSON key
// is the name plus the unit suffix of its dimension (bandwidth -> bandwidth_bytes_per_s) unless a
// Key says otherwise; the flag is the name in kebab-case. An enum used as a field has a
// `std::span<const char* const> names_of(E)` found by argument-dependent look-up, in the order of
// its values from 0. A struct used as a field has fields() of its own, one level down; flat(...)
// puts them among those of the struct that holds it.
#pragma once

#include <tuple>

namespace ridgeline {

// A JSON key that is not name + unit suffix, and what its numbers are multiplied with to give base
// units: {"duration_days", 86400}.
struct Key {
  const char* text = nullptr;
  double unit = 1;
};

template <class S, class T>
struct Field {
  using Struct = S;
  using Value = T;
  T S::*member;
  const char* name;    // empty: flat
  const char* symbol;  // as it appears in the equations; may be empty
  const char* help;
  Key key = {};  // empty: name + unit suffix
};

template <class S, class T>
constexpr Field<S, T> field(T S::*member, const char* name, const char* symbol, const char* help) {
  return {member, name, symbol, help};
}

template <class S, class T>
constexpr Field<S, T> field(T S::*member, const char* name, const char* symbol, const char* help,
                            Key key) {
  return {member, name, symbol, help, key};
}

template <class S, class T>
constexpr Field<S, T> flat(T S::*member) {
  return {member, "", "", ""};
}

template <class T>
concept HasFields = requires {
  T::fields();
};

template <class S, class F>
constexpr void for_each_field(F&& f) {
  std::apply([&](const auto&... fs) { (f(fs), ...); }, S::fields());
}

}  // namespace ridgeline
