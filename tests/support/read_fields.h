// JSON to and from any struct with fields(), for tests below the layer that reads JSON.
#pragma once

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "ridgeline/base/few.h"
#include "ridgeline/base/fields.h"
#include "ridgeline/base/label.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/text.h"
#include "ridgeline/base/units.h"
#include "ridgeline/spec/precision.h"

namespace ridgeline::testing {

using Json = nlohmann::json;

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

// Reads what `json` has of the fields; wrong values and unknown keys end in `errors`, by name.
class FieldReader {
 public:
  explicit FieldReader(const Json& json) : json_(json) {}

  template <class S>
  void read(S& out) {
    read_some(out);
    for (const auto& [key, value] : json_.items()) {
      if (key != "name" && !used_.contains(key)) errors.push_back("unknown " + key);
    }
  }

  std::vector<std::string> errors;

 private:
  template <class S>
  void read_some(S& out) {
    for_each_field<S>([&](const auto& f) {
      using T = typename std::decay_t<decltype(f)>::Value;
      if constexpr (HasFields<T>) {
        if (*f.name == '\0') return read_some(out.*f.member);
      }
      read_field(f, out.*f.member);
    });
  }

  template <class F, class V>
  void read_field(const F& f, V& member) {
    const std::string full = key_of(f);
    const double unit = f.key.text != nullptr ? f.key.unit : 1;
    for (const std::string& key : {std::string(f.name), full}) {
      if (!json_.contains(key)) continue;
      used_.insert(key);
      if (!set(json_.at(key), unit, member)) errors.push_back(f.name);
      return;
    }
  }

  template <class V>
  bool set(const Json& value, double unit, std::optional<V>& out) {
    if (value.is_null()) {
      out.reset();
      return true;
    }
    return set(value, unit, out.emplace());
  }

  template <class V>
  bool set(const Json& value, double unit, V& out) {
    if constexpr (std::is_same_v<V, bool>) {
      out = value.is_boolean() && value.get<bool>();
      return value.is_boolean();
    } else if constexpr (std::is_same_v<V, std::string>) {
      out = value.get<std::string>();
      return true;
    } else if constexpr (std::is_same_v<V, std::array<FlopsPerSecond, kPrecisionCount>>) {
      return set_rates(value, out);
    } else if constexpr (QuantityOf<V>::value) {
      if (value.is_string()) {
        const auto base = parse_quantity(value.get<std::string>(), QuantityOf<V>::kDim);
        if (base) out = V::from_base(*base);
        return base.has_value();
      }
      if (value.is_number()) out = V::from_base(value.get<double>() * unit);
      return value.is_number();
    } else if constexpr (std::is_enum_v<V>) {
      return set_choice(value, out);
    } else if constexpr (std::is_integral_v<V>) {
      const double number = value.is_number() ? value.get<double>() : 0.5;
      out = static_cast<V>(number);
      return number == std::floor(number);
    } else if constexpr (std::is_floating_point_v<V>) {
      if (value.is_number()) out = value.get<double>() * unit;
      return value.is_number();
    } else if constexpr (ListOf<V>::value) {
      return set_list(value, unit, out);
    } else {
      FieldReader inner(value);
      inner.read(out);
      errors.insert(errors.end(), inner.errors.begin(), inner.errors.end());
      return true;
    }
  }

  template <class E>
  bool set_choice(const Json& value, E& out) {
    const auto names = names_of(E{});
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (value.is_string() && lower(value.get<std::string>()) == names[i]) {
        out = static_cast<E>(i);
        return true;
      }
    }
    return false;
  }

  bool set_rates(const Json& value, std::array<FlopsPerSecond, kPrecisionCount>& out) {
    for (const auto& [key, rate] : value.items()) {
      Precision p{};
      if (!set_choice(Json(key), p)) return false;
      out[static_cast<std::size_t>(p)] = FlopsPerSecond::from_base(rate.get<double>());
    }
    return true;
  }

  template <class L>
  bool set_list(const Json& value, double unit, L& out) {
    for (const Json& item : value) {
      typename ListOf<L>::Item one{};
      if (!set(item, unit, one)) return false;
      out.push_back(one);
    }
    return true;
  }

  const Json& json_;
  std::set<std::string> used_;
};

template <class V>
Json to_json(const V& value, double unit) {
  if constexpr (requires { value.has_value(); }) {
    return value ? to_json(*value, unit) : Json(nullptr);
  } else if constexpr (QuantityOf<V>::value) {
    return value.base() / unit;
  } else if constexpr (std::is_same_v<V, Label>) {
    return std::string(value.view());
  } else if constexpr (std::is_enum_v<V>) {
    return names_of(value)[static_cast<std::size_t>(value)];
  } else if constexpr (ListOf<V>::value) {
    Json list = Json::array();
    for (const auto& item : value) list.push_back(to_json(item, unit));
    return list;
  } else if constexpr (HasFields<V>) {
    Json object = Json::object();
    for_each_field<V>([&](const auto& f) {
      object[key_of(f)] = to_json(value.*f.member, f.key.text != nullptr ? f.key.unit : 1.0);
    });
    return object;
  } else {
    return value;
  }
}

// The key of the field that an error's `where` names last; the name itself where none is found.
template <class S>
std::string key_of_where(const std::string& where) {
  const std::string last = where.substr(where.find_last_of('/') + 1);
  std::string found;
  const auto look = [&](const auto& self, auto* of) -> void {
    using Of = std::remove_pointer_t<decltype(of)>;
    for_each_field<Of>([&](const auto& f) {
      using T = typename FieldType<std::decay_t<decltype(f)>>::Type;
      if (last == f.name) found = key_of(f);
      if constexpr (HasFields<T>) self(self, static_cast<T*>(nullptr));
    });
  };
  look(look, static_cast<S*>(nullptr));
  return found.empty() ? last : found;
}

}  // namespace ridgeline::testing
