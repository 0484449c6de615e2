// Members: the fields of a struct without its type, so that one piece of code reads input into any
// of them, writes them out, and makes flags, schema and help from them. The list itself is the
// struct's fields().
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "ridgeline/app/command.h"
#include "ridgeline/app/request.h"
#include "ridgeline/base/few.h"
#include "ridgeline/base/fields.h"
#include "ridgeline/base/label.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/text.h"
#include "ridgeline/base/units.h"
#include "ridgeline/spec/hardware.h"
#include "ridgeline/spec/totals.h"

namespace ridgeline::app {

class Names;  // what names of the registries and files stand for (names.h)

struct Member {
  std::string name;    // "memory"; the flag is "--memory"
  std::string key;     // "memory_bytes"; what results and `inputs` call it
  std::string symbol;  // of the equations; may be empty
  std::string help;
  FieldKind kind = FieldKind::number;
  Dim dim;
  double unit = 1;  // base units per unit of the key
  std::span<const char* const> choices{};
  // Sets the member; `factor` is base units per unit of a bare number, 0: a unit is due. `where` of
  // an error is a pointer inside the value, or names a place in a file.
  std::function<Status(const Json& value, double factor, Names& names)> set;
  std::function<Json()> get;
  std::function<void()> clear;  // of a member that may be none; else empty
  // Of a number: sets it, in base units; a whole number is rounded.
  std::function<void(double base)> put;
  // Of a number, or of rates by format: multiplies what is there; a whole number moves by one at
  // least.
  std::function<void(double factor)> scale;
  // Of a struct: its members. One that may be none is made.
  std::function<std::vector<Member>()> inner;
};

// As a field of a command, without a default; the texts are the member's.
Field field_of(const Member& member);

// Which member a key stands for, "memory", "memory_bytes" or "memory_gb" alike; null: none.
const Member* find_member(std::span<const Member> members, std::string_view key, double& factor);

// Are there keys in the object that name no member (a "name" is always allowed)?
Status check_keys(std::span<const Member> members, const Json& object);

// Sets the members that the object names; null, or "none" for a number, clears one that may be
// none. `where` of an error is a pointer in the object.
Status read_members(std::span<const Member> members, const Json& object, Names& names);

Json members_json(std::span<const Member> members);

// An error inside the value at `pointer`; one that names a file stays as it is.
Error inside_of(std::string_view pointer, Error error);

// What a value stands for.
Result<double> number_of(const Member& member, const Json& value, double factor);
Result<std::int64_t> count_of(const Member& member, const Json& value);
Result<bool> toggle_of(const Json& value);
Result<std::size_t> choice_of(std::span<const char* const> choices, const Json& value);
Result<std::vector<Json>> items_of(const Json& value);
Status read_rates(const Json& value, std::array<FlopsPerSecond, kPrecisionCount>& rates);
Json rates_json(const std::array<FlopsPerSecond, kPrecisionCount>& rates);

// Names and files into a model's totals, a device, a machine.
Status set_named(const Json& value, Names& names, Totals& out);
Status set_named(const Json& value, Names& names, Hardware& out);
Status set_named(const Json& value, Names& names, Cluster& out);

// "memory_bytes" of "memory"; "bytes" of "bytes", which says its unit itself.
std::string key_of(const std::string& name, Dim dim);

// A number as JSON: whole ones without a fraction.
Json number_json(double value);

namespace detail {

using Rates = std::array<FlopsPerSecond, kPrecisionCount>;

template <class T>
struct QuantityOf : std::false_type {};
template <Dim D>
struct QuantityOf<Quantity<D>> : std::true_type {
  static constexpr Dim kDim = D;
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
  static constexpr std::size_t kMost = N;
};
template <class T>
struct Unwrapped {
  using Type = T;
};
template <class T>
struct Unwrapped<std::optional<T>> {
  using Type = T;
};

template <class V>
constexpr bool kNamed =
    std::is_same_v<V, Totals> || std::is_same_v<V, Hardware> || std::is_same_v<V, Cluster>;

template <class V>
constexpr FieldKind kind_of() {
  if constexpr (std::is_same_v<V, bool>) {
    return FieldKind::toggle;
  } else if constexpr (std::is_same_v<V, std::string> || std::is_same_v<V, Label>) {
    return FieldKind::text;
  } else if constexpr (QuantityOf<V>::value) {
    return FieldKind::quantity;
  } else if constexpr (std::is_enum_v<V>) {
    return FieldKind::choice;
  } else if constexpr (std::is_integral_v<V>) {
    return FieldKind::count;
  } else if constexpr (std::is_floating_point_v<V>) {
    return FieldKind::number;
  } else if constexpr (std::is_same_v<V, Totals>) {
    return FieldKind::model;
  } else if constexpr (std::is_same_v<V, Hardware>) {
    return FieldKind::hardware;
  } else if constexpr (std::is_same_v<V, Cluster>) {
    return FieldKind::machine;
  } else if constexpr (ListOf<V>::value) {
    return FieldKind::texts;
  } else {
    return FieldKind::object;
  }
}

template <class V>
constexpr Dim dim_of() {
  if constexpr (QuantityOf<V>::value) {
    return QuantityOf<V>::kDim;
  } else if constexpr (std::is_same_v<V, Rates>) {
    return FlopsPerSecond::kDim;
  } else if constexpr (ListOf<V>::value) {
    return dim_of<typename ListOf<V>::Item>();
  } else {
    return {};
  }
}

template <class V>
std::span<const char* const> choices_of() {
  if constexpr (std::is_enum_v<V>) {
    return names_of(V{});
  } else if constexpr (ListOf<V>::value) {
    return choices_of<typename ListOf<V>::Item>();
  } else {
    return {};
  }
}

template <class V>
Json to_json(const V& value, double unit);

template <class V>
Status set_value(const Member& m, const Json& value, double factor, Names& names, V& out);

template <class V>
constexpr bool kIsNumber = QuantityOf<V>::value || std::is_floating_point_v<V> ||
                           (std::is_integral_v<V> && !std::is_same_v<V, bool>);

template <class V>
void put_number(double base, V& out) {
  if constexpr (QuantityOf<V>::value) {
    out = V::from_base(base);
  } else if constexpr (std::is_integral_v<V>) {
    out = static_cast<V>(std::llround(base));
  } else {
    out = base;
  }
}

template <class V>
constexpr bool kCanScale = kIsNumber<V> || std::is_same_v<V, Rates>;

template <class V>
void scale_number(double factor, V& out) {
  if constexpr (std::is_same_v<V, Rates>) {
    for (FlopsPerSecond& rate : out) rate = FlopsPerSecond::from_base(rate.base() * factor);
  } else if constexpr (QuantityOf<V>::value) {
    out = V::from_base(out.base() * factor);
  } else if constexpr (std::is_integral_v<V>) {
    const V next = static_cast<V>(std::llround(static_cast<double>(out) * factor));
    out = next == out ? static_cast<V>(out + (factor > 1 ? 1 : -1)) : next;
  } else {
    out *= factor;
  }
}

// The value, or the one inside an optional, which is made.
template <class T>
auto& made(T& value) {
  if constexpr (requires {
                  value.emplace();
                  value.reset();
                }) {
    return value ? *value : value.emplace();
  } else {
    return value;
  }
}

}  // namespace detail

template <class S>
std::vector<Member> members_of(S& s);

namespace detail {

struct MemberText {
  const char* name;
  const char* symbol;
  const char* help;
  Key key;
};

// One per type of a member, not one per field: fields are thousands.
template <class Value>
[[gnu::noinline]] Member member_at(const MemberText& text, Value* place) {
  using V = typename Unwrapped<Value>::Type;
  Member m;
  m.name = text.name;
  m.symbol = text.symbol;
  m.help = text.help;
  m.kind = kind_of<V>();
  m.dim = dim_of<V>();
  m.choices = choices_of<V>();
  m.unit = text.key.text != nullptr ? text.key.unit : 1;
  m.key = text.key.text != nullptr ? std::string(text.key.text) : key_of(m.name, m.dim);
  m.get = [place, unit = m.unit] { return to_json(*place, unit); };
  if constexpr (requires { place->reset(); }) m.clear = [place] { place->reset(); };
  if constexpr (kIsNumber<V>) m.put = [place](double base) { put_number(base, made(*place)); };
  if constexpr (kCanScale<V>) {
    m.scale = [place](double factor) { scale_number(factor, made(*place)); };
  }
  if constexpr (HasFields<V>) m.inner = [place] { return members_of(made(*place)); };
  Member plain = m;
  plain.get = nullptr;
  m.set = [place, plain](const Json& value, double factor, Names& names) {
    return set_value(plain, value, factor, names, *place);
  };
  return m;
}

}  // namespace detail

// The members of `s`, which must outlive them; those of flat parts stand among them.
template <class S>
[[gnu::noinline]] void add_members(S& s, std::vector<Member>& out) {
  for_each_field<S>([&](const auto& f) {
    using Value = typename std::decay_t<decltype(f)>::Value;
    if constexpr (HasFields<Value>) {
      if (*f.name == '\0') return add_members(s.*f.member, out);
    }
    out.push_back(detail::member_at<Value>({f.name, f.symbol, f.help, f.key}, &(s.*f.member)));
  });
}

template <class S>
[[gnu::noinline]] std::vector<Member> members_of(S& s) {
  std::vector<Member> out;
  add_members(s, out);
  return out;
}

namespace detail {

template <class V>
Status set_list(const Member& m, const Json& value, double factor, Names& names, V& out) {
  RIDGELINE_TRY(const std::vector<Json> items, items_of(value));
  if constexpr (requires { ListOf<V>::kMost; }) {
    if (items.size() > ListOf<V>::kMost) {
      return Error{ErrorCode::bad_value, "", "the list is too long",
                   "give at most " + std::to_string(ListOf<V>::kMost) + " values"};
    }
  }
  out.clear();
  for (std::size_t i = 0; i < items.size(); ++i) {
    typename ListOf<V>::Item item{};
    const Status status = set_value(m, items[i], factor, names, item);
    if (!status) return inside_of("/" + std::to_string(i), status.error());
    out.push_back(item);
  }
  return Ok{};
}

template <class V>
Status set_value(const Member& m, const Json& value, double factor, Names& names, V& out) {
  if constexpr (requires {
                  out.emplace();
                  out.reset();
                }) {
    typename V::value_type inner{};
    RIDGELINE_CHECK(set_value(m, value, factor, names, inner));
    out = std::move(inner);
  } else if constexpr (std::is_same_v<V, bool>) {
    RIDGELINE_TRY(out, toggle_of(value));
  } else if constexpr (QuantityOf<V>::value) {
    RIDGELINE_TRY(const double base, number_of(m, value, factor));
    out = V::from_base(base);
  } else if constexpr (std::is_enum_v<V>) {
    RIDGELINE_TRY(const std::size_t index, choice_of(m.choices, value));
    out = static_cast<V>(index);
  } else if constexpr (std::is_integral_v<V>) {
    RIDGELINE_TRY(out, count_of(m, value));
  } else if constexpr (std::is_floating_point_v<V>) {
    RIDGELINE_TRY(out, number_of(m, value, factor));
  } else if constexpr (std::is_same_v<V, Rates>) {
    RIDGELINE_CHECK(read_rates(value, out));
  } else if constexpr (ListOf<V>::value) {
    RIDGELINE_CHECK(set_list(m, value, factor, names, out));
  } else if constexpr (kNamed<V>) {
    RIDGELINE_CHECK(set_named(value, names, out));
  } else if constexpr (HasFields<V>) {
    const std::vector<Member> members = members_of(out);
    RIDGELINE_CHECK(check_keys(members, value));
    RIDGELINE_CHECK(read_members(members, value, names));
  } else {
    static_assert(std::is_same_v<V, std::string> || std::is_same_v<V, Label>);
    if (!value.is_string()) return Error{ErrorCode::bad_value, "", "is no text", "give text"};
    out = V(value.get<std::string>());
  }
  return Ok{};
}

template <class V>
Json to_json(const V& value, double unit) {
  if constexpr (requires { value.has_value(); }) {
    return value ? to_json(*value, unit) : Json(nullptr);
  } else if constexpr (std::is_same_v<V, bool> || std::is_same_v<V, std::string>) {
    return value;
  } else if constexpr (std::is_same_v<V, Label>) {
    return std::string(value.view());
  } else if constexpr (QuantityOf<V>::value) {
    return number_json(value.base() / unit);
  } else if constexpr (std::is_enum_v<V>) {
    return names_of(value)[static_cast<std::size_t>(value)];
  } else if constexpr (std::is_floating_point_v<V>) {
    return number_json(value / unit);
  } else if constexpr (std::is_same_v<V, Rates>) {
    return rates_json(value);
  } else if constexpr (ListOf<V>::value) {
    Json list = Json::array();
    for (const auto& item : value) list.push_back(to_json(item, unit));
    return list;
  } else if constexpr (HasFields<V>) {
    V copy = value;
    return members_json(members_of(copy));
  } else {
    return value;
  }
}

}  // namespace detail
}  // namespace ridgeline::app
