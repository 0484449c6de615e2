// Label: a short text of fixed size, so that a struct that names something stays trivially
// copyable.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <type_traits>

namespace ridgeline {

class Label {
 public:
  static constexpr std::size_t kMost = 63;  // bytes that are kept

  constexpr Label() = default;
  template <class Text>
  requires std::is_convertible_v<const Text&, std::string_view>
  constexpr Label(const Text& from) {  // NOLINT: a Label is a text
    const std::string_view text = from;
    std::copy_n(text.data(), std::min(text.size(), kMost), text_.begin());
  }
  constexpr std::string_view view() const { return {text_.data()}; }

  friend constexpr bool operator==(const Label& a, const Label& b) { return a.view() == b.view(); }

 private:
  std::array<char, kMost + 1> text_{};
};

}  // namespace ridgeline
