#include "ridgeline/report/utf8.h"

#include <array>

namespace ridgeline::report {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

struct Range {
  char32_t first, last;
};

constexpr std::array<Range, 6> kZeroWidth = {{{0x0300, 0x036F},
                                              {0x200B, 0x200F},
                                              {0x20D0, 0x20FF},
                                              {0xFE00, 0xFE0F},
                                              {0xFE20, 0xFE2F},
                                              {0xFEFF, 0xFEFF}}};
constexpr std::array<Range, 9> kWide = {{{0x1100, 0x115F},
                                         {0x2E80, 0x303E},
                                         {0x3041, 0xA4CF},
                                         {0xAC00, 0xD7A3},
                                         {0xF900, 0xFAFF},
                                         {0xFE30, 0xFE6F},
                                         {0xFF00, 0xFF60},
                                         {0x1F300, 0x1FAFF},
                                         {0x20000, 0x3FFFD}}};

template <std::size_t N>
bool in_any(char32_t c, const std::array<Range, N>& ranges) {
  for (const Range& r : ranges) {
    if (c >= r.first && c <= r.last) return true;
  }
  return false;
}

bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0);
}

// Bytes that follow a leading byte, and the least code point of that length; -1: not a leading
// byte.
int trailing_bytes(unsigned char lead) {
  if (lead < 0x80) return 0;
  if (lead >= 0xC2 && lead < 0xE0) return 1;
  if (lead >= 0xE0 && lead < 0xF0) return 2;
  if (lead >= 0xF0 && lead < 0xF5) return 3;
  return -1;
}

}  // namespace

char32_t next_code_point(std::string_view text, std::size_t& i) {
  const auto lead = static_cast<unsigned char>(text[i++]);
  const int trailing = trailing_bytes(lead);
  if (trailing == 0) return lead;
  if (trailing < 0 || i + static_cast<std::size_t>(trailing) > text.size()) return kReplacement;
  char32_t c = lead & (0x3FU >> trailing);
  for (int k = 0; k < trailing; ++k) {
    const auto b = static_cast<unsigned char>(text[i + static_cast<std::size_t>(k)]);
    if ((b & 0xC0U) != 0x80U) return kReplacement;
    c = (c << 6U) | (b & 0x3FU);
  }
  constexpr std::array<char32_t, 4> kLeast = {0, 0x80, 0x800, 0x10000};
  const bool surrogate = c >= 0xD800 && c <= 0xDFFF;
  if (c < kLeast[static_cast<std::size_t>(trailing)] || c > 0x10FFFF || surrogate) {
    return kReplacement;
  }
  i += static_cast<std::size_t>(trailing);
  return c;
}

void append_utf8(std::string& out, char32_t c) {
  const auto put = [&out](char32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0U | (c >> 6U));
    put(0x80U | (c & 0x3FU));
  } else if (c < 0x10000) {
    put(0xE0U | (c >> 12U));
    put(0x80U | ((c >> 6U) & 0x3FU));
    put(0x80U | (c & 0x3FU));
  } else {
    put(0xF0U | (c >> 18U));
    put(0x80U | ((c >> 12U) & 0x3FU));
    put(0x80U | ((c >> 6U) & 0x3FU));
    put(0x80U | (c & 0x3FU));
  }
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char32_t c = next_code_point(text, i);
    if (in_any(c, kZeroWidth)) continue;
    width += in_any(c, kWide) ? 2 : 1;
  }
  return width;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const char32_t c = next_code_point(text, i);
    append_utf8(out, is_control(c) ? kReplacement : c);
  }
  return out;
}

}  // namespace ridgeline::report
