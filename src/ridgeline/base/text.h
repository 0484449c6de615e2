// Text <-> values: quantities with units, counts such as "128k", and names.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"

namespace ridgeline {

// Reads "100GB/s", "80 GiB", "0.5 us", "8 TFLOP/s", "400 W", "3 h": a number with a unit of
// dimension `dim`, returned in base units. Bits ("Gb/s", "Gbit/s") are an eighth of bytes. A bare
// number is an error unless it is zero. Errors carry an empty `where`; the caller fills it in.
Result<double> parse_quantity(std::string_view text, Dim dim);

// Reads a plain number: "0.7", "1e9". Finite only.
Result<double> parse_number(std::string_view text);

// What k, M stand for in a count: tokens are counted in 1024s ("128k" = 131072), parts in 1000s.
enum class CountScale { decimal, tokens };

// Reads a count: "131072", "128k", "70B", "1.5M" where the result is a whole number. No unit.
Result<std::int64_t> parse_count(std::string_view text, CountScale scale);

// Base-unit value as scaled text with a unit: 3.35e12 B/s -> "3.35 TB/s"; 4.87e-3 s -> "4.87 ms".
std::string format_quantity(double base, Dim dim, int significant_digits = 4);

// "_bytes_per_s" for a bandwidth, "" for a plain number: the suffix of a JSON key.
std::string_view unit_suffix(Dim dim);

// The factor of a suffix such as "gbs", "bytes_per_s", "ns", "gb", "tflops", "days" for `dim`; 0
// when it is no unit of that dimension.
double suffix_factor(std::string_view suffix, Dim dim);

// A short example of accepted text, for hints: "100 GB/s".
const char* example_of(Dim dim);

// ASCII lower case.
std::string lower(std::string_view text);

// "kv_shard_mode" -> "kv-shard-mode" and back.
std::string kebab(std::string_view snake);
std::string snake(std::string_view kebab);

// Up to `most` of `names` nearest to `name` by edit distance, nearest first, ties in the order
// given.
std::vector<std::string> nearest(std::string_view name, std::span<const std::string> names,
                                 std::size_t most = 3);

// "did you mean a, b or c?" built from nearest(); empty when nothing is near.
std::string did_you_mean(std::string_view name, std::span<const std::string> names);

}  // namespace ridgeline
