#include "ridgeline/physics/module_names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

namespace ridgeline::physics {
namespace {

constexpr std::size_t kMostAlternatives = 64;
constexpr std::string_view kLayers = "layers.";

// Parts of a model that are not the language model, or not counted with it.
bool is_foreign(std::string_view prefix) {
  constexpr std::array<std::string_view, 5> kForeign = {"vision", "visual", "audio", "encoder",
                                                        "mtp"};
  return std::any_of(kForeign.begin(), kForeign.end(), [&](std::string_view word) {
    return prefix.find(word) != std::string_view::npos;
  });
}

// A regular expression of the kinds that configs hold, as a pattern with `*`.
std::string without_regex(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i], next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (c == '^' || c == '$') continue;
    if (c == '\\') {
      out += next == 'd' ? '*' : next;
      ++i;
    } else if (c == '[') {
      const std::size_t close = text.find(']', i);
      if (close == std::string_view::npos) return {};
      out += '*';
      i = close;
    } else if (c == '.' && (next == '*' || next == '+')) {
      out += '*';
      ++i;
    } else if (c != '+' && c != '?') {
      out += c;
    }
  }
  return out;
}

// `a(b|c)d` as `abd` and `acd`.
void add_alternatives(const std::string& text, std::vector<std::string>& out) {
  if (out.size() >= kMostAlternatives) return;
  const std::size_t open = text.find('(');
  const std::size_t close = text.find(')', open == std::string::npos ? 0 : open);
  if (open == std::string::npos || close == std::string::npos) {
    out.push_back(text);
    return;
  }
  std::size_t begin = open + 1;
  while (begin <= close) {
    const std::size_t end = std::min(text.find('|', begin), close);
    add_alternatives(
        text.substr(0, open) + text.substr(begin, end - begin) + text.substr(close + 1), out);
    begin = end + 1;
  }
}

// The pattern without what wraps the language model's own names.
std::string canonical(std::string text) {
  constexpr std::string_view kTail = ".weight";
  if (text.size() > kTail.size() && text.ends_with(kTail)) text.resize(text.size() - kTail.size());
  while (text.ends_with('.')) text.pop_back();
  const std::size_t at = text.find(kLayers);
  const bool whole_word = at == 0 || (at != std::string::npos && text[at - 1] == '.');
  if (!whole_word) return is_foreign(text) ? std::string() : text;
  if (is_foreign(std::string_view(text).substr(0, at))) return {};
  return text.substr(at);
}

// Does `pattern` match all of `text`? `*` stands for any run of characters.
bool glob(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool matches(const std::string& pattern, std::string_view path) {
  const std::string deeper = pattern + ".*";
  for (std::size_t at = 0; at != std::string_view::npos;) {
    const std::string_view rest = path.substr(at);
    if (glob(pattern, rest) || glob(deeper, rest)) return true;
    const std::size_t dot = path.find('.', at);
    at = dot == std::string_view::npos ? dot : dot + 1;
  }
  return false;
}

// The layer of "layers.12.mlp"; -1 when it is about none in particular.
std::int64_t layer_of(std::string_view pattern) {
  if (!pattern.starts_with(kLayers)) return -1;
  const std::string_view digits =
      pattern.substr(kLayers.size(), pattern.find('.', kLayers.size()) - kLayers.size());
  std::int64_t layer = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), layer);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  return whole ? layer : -1;
}

}  // namespace

ModulePatterns::ModulePatterns(std::span<const std::string> raw) {
  constexpr std::string_view kRegex = "re:";
  constexpr std::size_t kMostLength = 200;
  for (const std::string& text : raw) {
    if (text.size() > kMostLength) continue;
    std::vector<std::string> parts;
    if (text.starts_with(kRegex)) {
      add_alternatives(without_regex(std::string_view(text).substr(kRegex.size())), parts);
    } else {
      parts.push_back(text);
    }
    for (const std::string& part : parts) {
      std::string pattern = canonical(part);
      if (pattern.empty()) continue;
      const std::int64_t layer = layer_of(pattern);
      patterns_.push_back({layer, std::move(pattern)});
    }
  }
}

bool ModulePatterns::name(std::int64_t layer, std::string_view module) const {
  const std::string path = std::string(kLayers) + std::to_string(layer) + "." + std::string(module);
  return std::any_of(patterns_.begin(), patterns_.end(), [&](const Pattern& pattern) {
    const bool about = pattern.layer < 0 || pattern.layer == layer;
    return about && matches(pattern.text, path);
  });
}

bool ModulePatterns::by_layer() const {
  return std::any_of(patterns_.begin(), patterns_.end(),
                     [](const Pattern& pattern) { return pattern.layer >= 0; });
}

}  // namespace ridgeline::physics
