#include "ridgeline/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

namespace ridgeline {
namespace {

struct Unit {
  const char* text;  // as written after the prefix, case as is usual
  Dim dim;
  double factor;
};

// Units without prefix. "B" and "b" differ: bytes and bits.
constexpr std::array kUnits = {
    Unit{"B", {.byte = 1}, 1},
    Unit{"byte", {.byte = 1}, 1},
    Unit{"bytes", {.byte = 1}, 1},
    Unit{"b", {.byte = 1}, 0.125},
    Unit{"bit", {.byte = 1}, 0.125},
    Unit{"bits", {.byte = 1}, 0.125},
    Unit{"s", {.time = 1}, 1},
    Unit{"sec", {.time = 1}, 1},
    Unit{"second", {.time = 1}, 1},
    Unit{"seconds", {.time = 1}, 1},
    Unit{"min", {.time = 1}, 60},
    Unit{"h", {.time = 1}, 3600},
    Unit{"hour", {.time = 1}, 3600},
    Unit{"hours", {.time = 1}, 3600},
    Unit{"d", {.time = 1}, 86400},
    Unit{"day", {.time = 1}, 86400},
    Unit{"days", {.time = 1}, 86400},
    Unit{"year", {.time = 1}, 31557600},
    Unit{"years", {.time = 1}, 31557600},
    Unit{"FLOP", {.flop = 1}, 1},
    Unit{"FLOPs", {.flop = 1}, 1},
    Unit{"FLOP/s", {.time = -1, .flop = 1}, 1},
    Unit{"FLOPS", {.time = -1, .flop = 1}, 1},
    Unit{"OP/s", {.time = -1, .flop = 1}, 1},
    Unit{"OPS", {.time = -1, .flop = 1}, 1},
    Unit{"B/s", {.time = -1, .byte = 1}, 1},
    Unit{"Bps", {.time = -1, .byte = 1}, 1},
    Unit{"b/s", {.time = -1, .byte = 1}, 0.125},
    Unit{"bps", {.time = -1, .byte = 1}, 0.125},
    Unit{"bit/s", {.time = -1, .byte = 1}, 0.125},
    Unit{"/s", {.time = -1}, 1},
    Unit{"/h", {.time = -1}, 1.0 / 3600},
    Unit{"J", {.energy = 1}, 1},
    Unit{"Wh", {.energy = 1}, 3600},
    Unit{"W", {.time = -1, .energy = 1}, 1},
    Unit{"J/B", {.byte = -1, .energy = 1}, 1},
    Unit{"J/byte", {.byte = -1, .energy = 1}, 1},
    Unit{"J/bit", {.byte = -1, .energy = 1}, 8},
    Unit{"J/FLOP", {.flop = -1, .energy = 1}, 1},
    Unit{"USD", {.money = 1}, 1},
    Unit{"USD/h", {.time = -1, .money = 1}, 1.0 / 3600},
    Unit{"USD/kWh", {.energy = -1, .money = 1}, 1.0 / 3.6e6},
    Unit{"gCO2e", {.carbon = 1}, 1e-3},
    Unit{"kgCO2e", {.carbon = 1}, 1},
    Unit{"tCO2e", {.carbon = 1}, 1e3},
    Unit{"kgCO2e/kWh", {.energy = -1, .carbon = 1}, 1.0 / 3.6e6},
    Unit{"gCO2e/kWh", {.energy = -1, .carbon = 1}, 1e-3 / 3.6e6},
    Unit{"L", {.water = 1}, 1},
    Unit{"l", {.water = 1}, 1},
    Unit{"L/kWh", {.energy = -1, .water = 1}, 1.0 / 3.6e6},
    Unit{"l/kWh", {.energy = -1, .water = 1}, 1.0 / 3.6e6},
    Unit{"USD/kgCO2e", {.money = 1, .carbon = -1}, 1},
    Unit{"USD/tCO2e", {.money = 1, .carbon = -1}, 1e-3},
    Unit{"USD/L", {.money = 1, .water = -1}, 1},
    Unit{"USD/m3", {.money = 1, .water = -1}, 1e-3},
};

struct Prefix {
  const char* text;
  double factor;
};
constexpr std::array kPrefixes = {
    Prefix{"", 1},
    Prefix{"p", 1e-12},
    Prefix{"n", 1e-9},
    Prefix{"u", 1e-6},
    Prefix{"\xC2\xB5", 1e-6},
    Prefix{"m", 1e-3},
    Prefix{"k", 1e3},
    Prefix{"K", 1e3},
    Prefix{"M", 1e6},
    Prefix{"G", 1e9},
    Prefix{"T", 1e12},
    Prefix{"P", 1e15},
    Prefix{"E", 1e18},
    Prefix{"Ki", 1024.0},
    Prefix{"Mi", 1048576.0},
    Prefix{"Gi", 1073741824.0},
    Prefix{"Ti", 1099511627776.0},
    Prefix{"Pi", 1125899906842624.0},
};

enum class Case { exact, folded };

bool same(std::string_view a, std::string_view b, Case how) {
  return how == Case::exact ? a == b : lower(a) == lower(b);
}

// Factor of `text` as prefix + unit of dimension `dim`; 0 when there is none. Sub-unit prefixes
// never go with bytes and FLOPs ("mB" is no millibyte), nor any prefix with minutes, hours, days
// and years.
double factor_of(std::string_view text, Dim dim, Case how) {
  for (const Unit& unit : kUnits) {
    if (unit.dim != dim) continue;
    for (const Prefix& prefix : kPrefixes) {
      const bool sub_unit = prefix.factor < 1 && (dim.byte > 0 || dim.flop > 0);
      const bool calendar = dim == Dim{.time = 1} && unit.factor != 1 && prefix.factor != 1;
      if (sub_unit || calendar) continue;
      if (same(text, std::string(prefix.text) + unit.text, how)) return prefix.factor * unit.factor;
    }
  }
  return 0;
}

// Any dimension at all that `text` is a unit of; for telling a wrong unit from no unit.
bool is_some_unit(std::string_view text) {
  return std::any_of(kUnits.begin(), kUnits.end(), [&](const Unit& unit) {
    return factor_of(text, unit.dim, Case::exact) != 0 ||
           factor_of(text, unit.dim, Case::folded) != 0;
  });
}

std::string_view trim(std::string_view text) {
  const auto space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && space(text.front())) text.remove_prefix(1);
  while (!text.empty() && space(text.back())) text.remove_suffix(1);
  return text;
}

struct NumberAndRest {
  double number = 0;
  std::string_view rest;
};

// The leading decimal number of `text`; underscores between digits are not accepted.
Result<NumberAndRest> leading_number(std::string_view text) {
  NumberAndRest out;
  std::string_view digits = text;
  if (!digits.empty() && digits.front() == '+') digits.remove_prefix(1);
  const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), out.number);
  if (ec == std::errc::result_out_of_range) {
    return Error{ErrorCode::out_of_range, "", fmt::format("\"{}\" is too large or too small", text),
                 ""};
  }
  const bool numeric = ec == std::errc{} && !digits.empty() &&
                       (std::isdigit(static_cast<unsigned char>(digits.front())) != 0 ||
                        digits.front() == '-' || digits.front() == '.');
  if (!numeric || !std::isfinite(out.number)) {
    return Error{ErrorCode::bad_value, "", fmt::format("\"{}\" is not a finite number", text), ""};
  }
  out.rest =
      trim(std::string_view(end, static_cast<std::size_t>(digits.data() + digits.size() - end)));
  return out;
}

struct Scale {
  double factor;
  const char* text;
};

// As "%.*g" of a value from 1 to 1,000. The shortest text is looked for first: that is fast, and
// the same where it has no more digits.
void append_digits(fmt::memory_buffer& out, double value, int digits) {
  fmt::format_to(std::back_inserter(out), "{}", value);
  const auto most = static_cast<std::size_t>(digits);
  if (value >= 1 && value < 1e3 && out.size() <= most) return;
  out.clear();
  fmt::format_to(std::back_inserter(out), "{:.{}g}", value, digits);
}

// Scaled with decimal prefixes; time also goes up to minutes, hours, days.
std::string scaled(double base, std::span<const Scale> scales, const char* unit, int digits) {
  const double magnitude = std::fabs(base);
  const Scale* best = &scales.back();
  for (const Scale& scale : scales) {
    if (magnitude >= scale.factor * 0.9999999) {
      best = &scale;
      break;
    }
  }
  fmt::memory_buffer out;
  append_digits(out, base / best->factor, digits);
  out.push_back(' ');
  out.append(std::string_view(best->text));
  out.append(std::string_view(unit));
  return fmt::to_string(out);
}

constexpr std::array kDecimal = {Scale{1e18, "E"}, Scale{1e15, "P"}, Scale{1e12, "T"},
                                 Scale{1e9, "G"},  Scale{1e6, "M"},  Scale{1e3, "k"},
                                 Scale{1, ""}};
constexpr std::array kSmall = {Scale{1e12, "T"}, Scale{1e9, "G"},  Scale{1e6, "M"},
                               Scale{1e3, "k"},  Scale{1, ""},     Scale{1e-3, "m"},
                               Scale{1e-6, "u"}, Scale{1e-9, "n"}, Scale{1e-12, "p"}};
constexpr std::array kTime = {Scale{86400, "d"}, Scale{3600, "h"},  Scale{60, "min"},
                              Scale{1, "s"},     Scale{1e-3, "ms"}, Scale{1e-6, "us"},
                              Scale{1e-9, "ns"}, Scale{1e-12, "ps"}};

struct Suffix {
  Dim dim;
  const char* suffix;   // of a JSON key, in base units
  const char* example;  // of accepted text
  const char* unit;     // printed after a scaled number
};
constexpr std::array kSuffixes = {
    Suffix{{.time = 1}, "_s", "10 us", ""},
    Suffix{{.time = -1}, "_per_s", "6.2/s", "/s"},
    Suffix{{.byte = 1}, "_bytes", "80 GiB", "B"},
    Suffix{{.flop = 1}, "_flop", "2 TFLOP", "FLOP"},
    Suffix{{.energy = 1}, "_j", "3 kWh", "J"},
    Suffix{{.money = 1}, "_usd", "2 USD", "USD"},
    Suffix{{.time = -1, .energy = 1}, "_w", "400 W", "W"},
    Suffix{{.time = -1, .byte = 1}, "_bytes_per_s", "100 GB/s", "B/s"},
    Suffix{{.time = -1, .flop = 1}, "_flop_per_s", "8 TFLOP/s", "FLOP/s"},
    Suffix{{.byte = -1, .energy = 1}, "_j_per_byte", "30 pJ/B", "J/B"},
    Suffix{{.flop = -1, .energy = 1}, "_j_per_flop", "0.5 pJ/FLOP", "J/FLOP"},
    Suffix{{.carbon = 1}, "_kgco2e", "3 kgCO2e", "kgCO2e"},
    Suffix{{.water = 1}, "_l", "2 L", "L"},
};

const Suffix* suffix_of(Dim dim) {
  for (const Suffix& s : kSuffixes) {
    if (s.dim == dim) return &s;
  }
  return nullptr;
}

// Rates that are written in one unit of their own.
struct Rate {
  Dim dim;
  const char* unit;
  const char* example;
};
constexpr std::array kRates = {
    Rate{{.time = -1, .money = 1}, "USD/h", "2.5 USD/h"},
    Rate{{.energy = -1, .money = 1}, "USD/kWh", "0.08 USD/kWh"},
    Rate{{.energy = -1, .carbon = 1}, "kgCO2e/kWh", "380 gCO2e/kWh"},
    Rate{{.energy = -1, .water = 1}, "L/kWh", "1.8 L/kWh"},
    Rate{{.money = 1, .carbon = -1}, "USD/tCO2e", "100 USD/tCO2e"},
    Rate{{.money = 1, .water = -1}, "USD/m3", "2 USD/m3"},
};

const Rate* rate_of(Dim dim) {
  for (const Rate& rate : kRates) {
    if (rate.dim == dim) return &rate;
  }
  return nullptr;
}

struct KeyUnit {
  const char* suffix;  // without the underscore
  const char* unit;    // as text
};
// Suffixes in user units that documents name fields with.
constexpr std::array kKeyUnits = {
    KeyUnit{"s", "s"},
    KeyUnit{"ms", "ms"},
    KeyUnit{"us", "us"},
    KeyUnit{"ns", "ns"},
    KeyUnit{"min", "min"},
    KeyUnit{"minutes", "min"},
    KeyUnit{"h", "h"},
    KeyUnit{"hours", "h"},
    KeyUnit{"days", "d"},
    KeyUnit{"bytes", "B"},
    KeyUnit{"b", "B"},
    KeyUnit{"kb", "kB"},
    KeyUnit{"mb", "MB"},
    KeyUnit{"gb", "GB"},
    KeyUnit{"tb", "TB"},
    KeyUnit{"kib", "KiB"},
    KeyUnit{"mib", "MiB"},
    KeyUnit{"gib", "GiB"},
    KeyUnit{"tib", "TiB"},
    KeyUnit{"gbs", "GB/s"},
    KeyUnit{"tbs", "TB/s"},
    KeyUnit{"gb_per_s", "GB/s"},
    KeyUnit{"bytes_per_s", "B/s"},
    KeyUnit{"per_s", "/s"},
    KeyUnit{"flop", "FLOP"},
    KeyUnit{"tflops", "TFLOP/s"},
    KeyUnit{"flop_per_s", "FLOP/s"},
    KeyUnit{"w", "W"},
    KeyUnit{"kw", "kW"},
    KeyUnit{"mw", "MW"},
    KeyUnit{"j", "J"},
    KeyUnit{"kwh", "kWh"},
    KeyUnit{"usd", "USD"},
    KeyUnit{"j_per_byte", "J/B"},
    KeyUnit{"j_per_flop", "J/FLOP"},
    KeyUnit{"pj_per_byte", "pJ/B"},
    KeyUnit{"pj_per_flop", "pJ/FLOP"},
    KeyUnit{"kgco2e", "kgCO2e"},
    KeyUnit{"l", "L"},
};

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row.back();
}

}  // namespace

Result<double> parse_quantity(std::string_view text, Dim dim) {
  if (dim == Dim{}) return parse_number(text);
  const std::string_view trimmed = trim(text);
  RIDGELINE_TRY(const NumberAndRest parsed, leading_number(trimmed));
  const std::string hint =
      fmt::format("give a number with a unit, such as \"{}\"", example_of(dim));
  if (parsed.rest.empty()) {
    if (parsed.number == 0) return 0.0;
    return Error{ErrorCode::wrong_unit, "", fmt::format("\"{}\" has no unit", trimmed), hint};
  }
  double factor = factor_of(parsed.rest, dim, Case::exact);
  if (factor == 0) factor = factor_of(parsed.rest, dim, Case::folded);
  if (factor == 0) {
    const char* what = is_some_unit(parsed.rest) ? "is a unit of something else" : "is no unit";
    return Error{ErrorCode::wrong_unit, "",
                 fmt::format("\"{}\": \"{}\" {}", trimmed, parsed.rest, what), hint};
  }
  const double value = parsed.number * factor;
  if (!std::isfinite(value)) {
    return Error{ErrorCode::out_of_range, "", fmt::format("\"{}\" is too large", trimmed), ""};
  }
  return value;
}

Result<double> parse_number(std::string_view text) {
  const std::string_view trimmed = trim(text);
  RIDGELINE_TRY(const NumberAndRest parsed, leading_number(trimmed));
  if (!parsed.rest.empty()) {
    return Error{ErrorCode::wrong_unit, "",
                 fmt::format("\"{}\" is not a plain number: \"{}\" follows", trimmed, parsed.rest),
                 "give a number without unit"};
  }
  return parsed.number;
}

Result<std::int64_t> parse_count(std::string_view text, CountScale scale) {
  const std::string_view trimmed = trim(text);
  RIDGELINE_TRY(const NumberAndRest parsed, leading_number(trimmed));
  const double k = scale == CountScale::tokens ? 1024 : 1000;
  double factor = 1;
  if (parsed.rest == "k" || parsed.rest == "K")
    factor = k;
  else if (parsed.rest == "M" || parsed.rest == "m")
    factor = k * k;
  else if (parsed.rest == "B" || parsed.rest == "b" || parsed.rest == "G")
    factor = k * k * k;
  else if (parsed.rest == "T" || parsed.rest == "t")
    factor = k * k * k * k;
  else if (!parsed.rest.empty()) {
    return Error{ErrorCode::wrong_unit, "",
                 fmt::format("\"{}\" is not a count: \"{}\" follows", trimmed, parsed.rest),
                 "give a whole number such as 4096 or 128k"};
  }
  const double value = parsed.number * factor;
  const double rounded = std::nearbyint(value);
  if (std::fabs(value) > 9e15) {
    return Error{ErrorCode::out_of_range, "", fmt::format("\"{}\" is too large", trimmed), ""};
  }
  if (std::fabs(value - rounded) > 1e-6 * std::max(1.0, std::fabs(value)) * 1e-3) {
    return Error{ErrorCode::bad_value, "", fmt::format("\"{}\" is not a whole number", trimmed),
                 "give a whole number such as 4096 or 128k"};
  }
  return static_cast<std::int64_t>(rounded);
}

std::string format_quantity(double base, Dim dim, int significant_digits) {
  if (const Rate* rate = rate_of(dim)) {
    const double value = base / factor_of(rate->unit, dim, Case::exact);
    return fmt::format("{:.{}g} {}", value, significant_digits, rate->unit);
  }
  if (base == 0) {
    const Suffix* zero = suffix_of(dim);
    if (dim == Dim{.time = 1}) return "0 s";
    return zero == nullptr || *zero->unit == '\0' ? "0" : fmt::format("0 {}", zero->unit);
  }
  if (dim == Dim{.time = 1}) return scaled(base, kTime, "", significant_digits);
  const Suffix* suffix = suffix_of(dim);
  if (suffix == nullptr) return fmt::format("{:.{}g}", base, significant_digits);
  constexpr double kTonne = 1e3;
  if (dim == Dim{.carbon = 1} && std::fabs(base) >= kTonne) {
    return scaled(base / kTonne, kDecimal, "tCO2e", significant_digits);
  }
  const bool small = dim.energy != 0;
  if (small) return scaled(base, kSmall, suffix->unit, significant_digits);
  return scaled(base, kDecimal, suffix->unit, significant_digits);
}

std::string_view unit_suffix(Dim dim) {
  const Suffix* suffix = suffix_of(dim);
  return suffix == nullptr ? "" : suffix->suffix;
}

double suffix_factor(std::string_view suffix, Dim dim) {
  for (const KeyUnit& unit : kKeyUnits) {
    if (unit.suffix == suffix) return factor_of(unit.unit, dim, Case::exact);
  }
  return 0;
}

const char* example_of(Dim dim) {
  if (const Rate* rate = rate_of(dim)) return rate->example;
  const Suffix* suffix = suffix_of(dim);
  return suffix == nullptr ? "1.5" : suffix->example;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string kebab(std::string_view snake_text) {
  std::string out(snake_text);
  std::replace(out.begin(), out.end(), '_', '-');
  return out;
}

std::string snake(std::string_view kebab_text) {
  std::string out(kebab_text);
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

std::vector<std::string> nearest(std::string_view name, std::span<const std::string> names,
                                 std::size_t most) {
  const std::string wanted = lower(name.substr(0, 200));
  std::vector<std::pair<std::size_t, std::size_t>> ranked;  // distance, index
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string candidate = lower(names[i]);
    const std::size_t longer = std::max(wanted.size(), candidate.size());
    const std::size_t shorter = std::min(wanted.size(), candidate.size());
    const std::size_t limit = std::max<std::size_t>(2, longer / 2);
    const bool part = wanted.size() >= 3 && candidate.find(wanted) != std::string::npos;
    if (!part && longer - shorter > limit) continue;  // so many letters differ at least
    std::size_t distance = edit_distance(wanted, candidate);
    if (part) distance = std::min<std::size_t>(distance, 2);
    if (distance <= limit) ranked.emplace_back(distance, i);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> out;
  for (std::size_t i = 0; i < std::min(most, ranked.size()); ++i) {
    out.push_back(names[ranked[i].second]);
  }
  return out;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> names) {
  const std::vector<std::string> near = nearest(name, names);
  if (near.empty()) return "";
  std::string out = "did you mean ";
  for (std::size_t i = 0; i < near.size(); ++i) {
    if (i > 0) out += i + 1 == near.size() ? " or " : ", ";
    out += near[i];
  }
  return out + "?";
}

}  // namespace ridgeline
