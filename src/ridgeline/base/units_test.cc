#include "ridgeline/base/units.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace ridgeline {
namespace {

template <class A, class B>
concept Addable = requires(A a, B b) {
  a + b;
};

TEST(Units, RejectSumsOfDifferentDimensions) {
  static_assert(Addable<Seconds, Seconds>);
  static_assert(!Addable<Seconds, Bytes>);
  static_assert(!Addable<Bytes, double>);
}

TEST(Units, QuotientsAndProductsHaveTheirDimension) {
  static_assert(std::is_same_v<decltype(Bytes{} / Seconds{}), BytesPerSecond>);
  static_assert(std::is_same_v<decltype(Bytes{} / Bytes{}), double>);
  static_assert(std::is_same_v<decltype(Watts{} * Seconds{}), Joules>);
  EXPECT_DOUBLE_EQ(((6 * gigabyte) / (256 * gigabyte_per_second)).base(), 6.0 / 256.0);
}

TEST(Units, KeepGigabytesAndGibibytesApart) {
  EXPECT_EQ((80 * gibibyte).base(), 85'899'345'920.0);
  EXPECT_EQ((80 * gigabyte).base(), 80'000'000'000.0);
}

}  // namespace
}  // namespace ridgeline
