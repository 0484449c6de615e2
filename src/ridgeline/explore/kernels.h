// Kernels: the separable form of latency (docs/chiplet-model.md section 7) over tiles of plans, in
// SIMD.
//
//   latency = sum_i max(a_i s_F, c_i s_B)  +  sum_l A_l alpha_l + X_l s_l        s: seconds per
//   FLOP, byte
//             `device_rows`                   `link_rows`                        a_i, c_i: counts
//             included
// A grid of hardware needs each side once per distinct rate and one addition per point
// (`least_sums`). A list of points is evaluated whole, four points at once (`least_direct`), after
// the stages whose bound cannot switch within the points' range of s_B / s_F have been added up
// (`simplify`).
//
// The order of sums differs from the plain evaluation: results agree with it to kRelativeError, and
// only tell which pairs the plain evaluation is to decide.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ridgeline/spec/machine.h"

namespace ridgeline::explore {

inline constexpr std::size_t kTile = 256;         // plans in a tile
inline constexpr std::size_t kPitch = kTile + 8;  // doubles between columns: not a power of two
inline constexpr double kRelativeError = 2e-14;   // ~70 terms, each rounded thrice at 1.1e-16
inline constexpr double kMetricRounding = 1e-13;  // of what is computed from them

// Up to kTile plans, one column per number. Columns: `slots` of a, `slots` of c, then `levels` of A
// and of X, then the memory in bytes. Entries from `count` on are zero.
struct TileView {
  std::size_t count = 0;
  std::size_t slots = 0;
  std::size_t levels = 0;
  const double* flop = nullptr;
  const double* bytes = nullptr;
  const double* hops = nullptr;
  const double* link_bytes = nullptr;
  const double* memory = nullptr;
};

struct DeviceRate {
  double s_per_flop = 0, s_per_byte = 0;
};

struct LinkRate {
  std::array<double, kMaxLevels> latency_s{}, s_per_byte{};
};

// One hardware point of a list.
struct PointRate {
  DeviceRate device;
  LinkRate link;
  double capacity_bytes = 0;
};

// A tile whose stages are compute-bound or memory-bound over a whole range of rates, summed up.
struct SimplifiedTile {
  std::array<double, kPitch> flop, bytes;
  std::vector<std::uint32_t> switching;  // slots that are left
};

// out[r][i], row pitch kPitch, for rate r and plan i < count rounded up to a vector; the surplus
// entries of `device_rows` are +inf, those of `link_rows` zero.
void device_rows(const TileView& tile, const DeviceRate* rates, std::size_t rate_count,
                 double* out);
void link_rows(const TileView& tile, const LinkRate* rates, std::size_t rate_count, double* out);

// least[r] = min(least[r], min over i < count of device[i] + links[r][i]), row pitch kPitch.
void least_sums(const double* device, const double* links, std::size_t link_count,
                std::size_t count, double* least);

// out[i] = a[i] + b[i] for i < count rounded up to a vector.
void sum_rows(const double* a, const double* b, std::size_t count, double* out);

// Positions i < count with a[i] <= bound, ascending; returns how many. `out` has room for kTile.
std::size_t select_below(const double* a, std::size_t count, double bound, std::uint32_t* out);

// Position of the least a[i] with alive[i] != 0, the first of equals; kTile where there is none
// below +inf.
std::size_t least_alive(const double* a, const double* alive, std::size_t count);

// What is known to be good: rows of `objectives` bounds that a dominated value reaches, or exceeds
// where the value is inexact; and the latency above which a pair that is alike in all exact ones is
// the worse.
struct RivalSet {
  const double* reach;
  const double* latency;
  std::size_t count;
  const std::uint8_t* exact;
  std::size_t objectives;
};

// Positions i < count with alive[i] != 0 that no rival dominates, ascending; returns how many.
// values: `objectives` columns, kPitch apart, less is better.
std::size_t select_undominated(const double* values, const double* latency, const double* alive,
                               std::size_t count, const RivalSet& rivals, std::uint32_t* out);

// REQUIRES: ratio_low <= ratio_high, both s_per_byte / s_per_flop.
void simplify(const TileView& tile, double ratio_low, double ratio_high, SimplifiedTile& out);

// Which plans of a tile a point may take.
enum class Fit : std::uint8_t { all, within_capacity };

// least[p] = min(least[p], min over the plans of the latency at points[p]).
void least_direct(const TileView& tile, const SimplifiedTile& simple, const PointRate* points,
                  std::size_t point_count, Fit fit, double* least);

// Name of the instruction set in use: "AVX3", "AVX2", "SSE4", ...
const char* instruction_set();

}  // namespace ridgeline::explore
