// Few<T, N>: a short list without heap: an array of N with a count.
#pragma once

#include <array>
#include <cstddef>

#include "ridgeline/base/assert.h"

namespace ridgeline {

template <class T, std::size_t N>
class Few {
 public:
  static constexpr std::size_t kCapacity = N;

  constexpr std::size_t size() const { return count_; }
  constexpr bool empty() const { return count_ == 0; }
  constexpr void clear() { count_ = 0; }
  constexpr T& push_back(const T& value) {
    RIDGELINE_ASSERT(count_ < N);
    return items_[count_++] = value;
  }
  constexpr T& operator[](std::size_t i) { return items_[i]; }
  constexpr const T& operator[](std::size_t i) const { return items_[i]; }
  constexpr T* begin() { return items_.data(); }
  constexpr T* end() { return items_.data() + count_; }
  constexpr const T* begin() const { return items_.data(); }
  constexpr const T* end() const { return items_.data() + count_; }

  friend constexpr bool operator==(const Few& a, const Few& b) {
    if (a.count_ != b.count_) return false;
    for (std::size_t i = 0; i < a.count_; ++i) {
      if (!(a.items_[i] == b.items_[i])) return false;
    }
    return true;
  }

 private:
  std::array<T, N> items_{};
  std::size_t count_ = 0;
};

}  // namespace ridgeline
