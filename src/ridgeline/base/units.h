// Quantities: a double whose physical dimension is part of its type.
//
// Adding seconds to bytes does not compile; bytes / seconds is a bandwidth; a ratio of two equal
// dimensions is a plain double. Values are stored in base units (s, B, FLOP, J, USD, kgCO2e, l), so
// a factor of 1e9 is written once, where text or a literal becomes a Quantity.
// Cost: none. sizeof is 8, it is passed in a register, and operators are inlined arithmetic.
#pragma once

#include <cmath>
#include <type_traits>

namespace ridgeline {

// Exponents of the base units. All zero: a plain number.
struct Dim {
  int time = 0, byte = 0, flop = 0, energy = 0, money = 0, carbon = 0, water = 0;

  friend constexpr bool operator==(Dim, Dim) = default;
  friend constexpr Dim operator+(Dim a, Dim b) {
    return {a.time + b.time,   a.byte + b.byte,     a.flop + b.flop,  a.energy + b.energy,
            a.money + b.money, a.carbon + b.carbon, a.water + b.water};
  }
  friend constexpr Dim operator-(Dim a, Dim b) {
    return {a.time - b.time,   a.byte - b.byte,     a.flop - b.flop,  a.energy - b.energy,
            a.money - b.money, a.carbon - b.carbon, a.water - b.water};
  }
};

template <Dim D>
class Quantity {
 public:
  static constexpr Dim kDim = D;

  constexpr Quantity() = default;
  static constexpr Quantity from_base(double v) {
    Quantity q;
    q.v_ = v;
    return q;
  }
  constexpr double base() const { return v_; }  // value in base units
  constexpr double in(Quantity unit) const { return v_ / unit.v_; }

  friend constexpr Quantity operator+(Quantity a, Quantity b) { return from_base(a.v_ + b.v_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return from_base(a.v_ - b.v_); }
  friend constexpr Quantity operator*(double k, Quantity q) { return from_base(k * q.v_); }
  friend constexpr Quantity operator*(Quantity q, double k) { return from_base(q.v_ * k); }
  friend constexpr Quantity operator/(Quantity q, double k) { return from_base(q.v_ / k); }
  // Written out: g++ 12 compiles a defaulted <=> (partial_ordering) to extra branches.
  friend constexpr bool operator==(Quantity a, Quantity b) { return a.v_ == b.v_; }
  friend constexpr bool operator<(Quantity a, Quantity b) { return a.v_ < b.v_; }
  friend constexpr bool operator>(Quantity a, Quantity b) { return a.v_ > b.v_; }
  friend constexpr bool operator<=(Quantity a, Quantity b) { return a.v_ <= b.v_; }
  friend constexpr bool operator>=(Quantity a, Quantity b) { return a.v_ >= b.v_; }

 private:
  double v_ = 0;
};

template <Dim A, Dim B>
constexpr auto operator*(Quantity<A> a, Quantity<B> b) {
  if constexpr (A + B == Dim{}) {
    return a.base() * b.base();
  } else {
    return Quantity<A + B>::from_base(a.base() * b.base());
  }
}

template <Dim A, Dim B>
constexpr auto operator/(Quantity<A> a, Quantity<B> b) {
  if constexpr (A == B) {
    return a.base() / b.base();
  } else {
    return Quantity<A - B>::from_base(a.base() / b.base());
  }
}

using Seconds = Quantity<Dim{.time = 1}>;
using Bytes = Quantity<Dim{.byte = 1}>;
using Flops = Quantity<Dim{.flop = 1}>;  // operations, not a rate
using Joules = Quantity<Dim{.energy = 1}>;
using Dollars = Quantity<Dim{.money = 1}>;
using Watts = Quantity<Dim{.time = -1, .energy = 1}>;
using BytesPerSecond = Quantity<Dim{.time = -1, .byte = 1}>;
using FlopsPerSecond = Quantity<Dim{.time = -1, .flop = 1}>;
using JoulesPerByte = Quantity<Dim{.byte = -1, .energy = 1}>;
using JoulesPerFlop = Quantity<Dim{.flop = -1, .energy = 1}>;
using Emissions = Quantity<Dim{.carbon = 1}>;
using Water = Quantity<Dim{.water = 1}>;
using EmissionsPerJoule = Quantity<Dim{.energy = -1, .carbon = 1}>;
using WaterPerJoule = Quantity<Dim{.energy = -1, .water = 1}>;
using DollarsPerJoule = Quantity<Dim{.energy = -1, .money = 1}>;
using DollarsPerSecond = Quantity<Dim{.time = -1, .money = 1}>;

inline constexpr Seconds second = Seconds::from_base(1);
inline constexpr Seconds nanosecond = Seconds::from_base(1e-9);
inline constexpr Seconds millisecond = Seconds::from_base(1e-3);
inline constexpr Seconds microsecond = Seconds::from_base(1e-6);
inline constexpr Seconds hour = Seconds::from_base(3600);
inline constexpr Seconds day = Seconds::from_base(86400);
inline constexpr Bytes byte = Bytes::from_base(1);
inline constexpr Bytes gigabyte = Bytes::from_base(1e9);
inline constexpr Bytes gibibyte = Bytes::from_base(1073741824.0);
inline constexpr Flops flop = Flops::from_base(1);
inline constexpr Joules joule = Joules::from_base(1);
inline constexpr Joules kilowatt_hour = Joules::from_base(3.6e6);
inline constexpr Dollars dollar = Dollars::from_base(1);
inline constexpr Emissions kilogram_co2e = Emissions::from_base(1);
inline constexpr Water litre = Water::from_base(1);
inline constexpr Watts watt = Watts::from_base(1);
inline constexpr BytesPerSecond gigabyte_per_second = BytesPerSecond::from_base(1e9);
inline constexpr FlopsPerSecond teraflop_per_second = FlopsPerSecond::from_base(1e12);
inline constexpr JoulesPerByte picojoule_per_byte = JoulesPerByte::from_base(1e-12);
inline constexpr JoulesPerFlop picojoule_per_flop = JoulesPerFlop::from_base(1e-12);

static_assert(sizeof(Seconds) == sizeof(double));
static_assert(std::is_trivially_copyable_v<Seconds>);

}  // namespace ridgeline
