#include "ridgeline/explore/kernels.h"

#include <algorithm>
#include <limits>

#include "ridgeline/explore/kernel_table.h"

// What usable_kernels() chooses from, and the compiler's own baseline.
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ridgeline/explore/kernels.cc"  // this file, once per instruction set
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace ridgeline::explore::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Doubles = hn::ScalableTag<double>;
using Vec = hn::Vec<Doubles>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

HWY_INLINE Vec load(const double* p) {
  return hn::LoadU(Doubles(), p);
}
HWY_INLINE Vec set(double v) {
  return hn::Set(Doubles(), v);
}

void fill_tail(std::size_t count, double* row) {
  for (std::size_t i = count; i < kTile; ++i) row[i] = kInfinity;
}

void Simplify(const TileView& tile, double ratio_low, double ratio_high, SimplifiedTile& out) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  const Vec low = set(ratio_low), high = set(ratio_high), zero = hn::Zero(d);
  out.switching.clear();
  for (std::size_t i = 0; i < tile.count; i += lanes) {
    hn::StoreU(zero, d, &out.flop[i]);
    hn::StoreU(zero, d, &out.bytes[i]);
  }
  fill_tail(tile.count, out.bytes.data());  // no plan there: never the least
  for (std::size_t slot = 0; slot < tile.slots; ++slot) {
    const double* a = tile.flop + slot * kPitch;
    const double* c = tile.bytes + slot * kPitch;
    bool switches = false;
    for (std::size_t i = 0; i < tile.count && !switches; i += lanes) {
      const Vec va = load(a + i), vc = load(c + i);
      const auto between = hn::And(hn::Lt(va, hn::Mul(vc, high)), hn::Gt(va, hn::Mul(vc, low)));
      switches = !hn::AllFalse(d, between);
    }
    if (switches) {
      out.switching.push_back(static_cast<std::uint32_t>(slot));
      continue;
    }
    for (std::size_t i = 0; i < tile.count; i += lanes) {
      const Vec va = load(a + i), vc = load(c + i);
      const auto compute = hn::Ge(va, hn::Mul(vc, high));
      hn::StoreU(hn::Add(load(&out.flop[i]), hn::IfThenElseZero(compute, va)), d, &out.flop[i]);
      hn::StoreU(hn::Add(load(&out.bytes[i]), hn::IfThenZeroElse(compute, vc)), d, &out.bytes[i]);
    }
  }
}

void DeviceRow(const TileView& tile, const SimplifiedTile& simple, const DeviceRate& rate,
               double* out) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  const Vec per_flop = set(rate.s_per_flop), per_byte = set(rate.s_per_byte);
  for (std::size_t i = 0; i < tile.count; i += lanes) {
    Vec t = hn::MulAdd(load(&simple.flop[i]), per_flop, hn::Mul(load(&simple.bytes[i]), per_byte));
    for (const std::uint32_t slot : simple.switching) {
      const Vec compute = hn::Mul(load(tile.flop + slot * kPitch + i), per_flop);
      const Vec memory = hn::Mul(load(tile.bytes + slot * kPitch + i), per_byte);
      t = hn::Add(t, hn::Max(compute, memory));
    }
    hn::StoreU(t, d, out + i);
  }
}

void DeviceRows(const TileView& tile, const DeviceRate* rates, std::size_t rate_count,
                double* out) {
  SimplifiedTile simple;
  if (rate_count == 1) {
    // Nothing is shared: all stages count as switching ones.
    const Doubles d;
    for (std::size_t i = 0; i < kTile; i += hn::Lanes(d)) {
      hn::StoreU(hn::Zero(d), d, &simple.flop[i]);
      hn::StoreU(hn::Zero(d), d, &simple.bytes[i]);
    }
    fill_tail(tile.count, simple.bytes.data());
    for (std::uint32_t slot = 0; slot < tile.slots; ++slot) simple.switching.push_back(slot);
    return DeviceRow(tile, simple, rates[0], out);
  }
  double low = kInfinity, high = 0;
  for (std::size_t r = 0; r < rate_count; ++r) {
    const double ratio = rates[r].s_per_byte / rates[r].s_per_flop;
    low = std::min(low, ratio);
    high = std::max(high, ratio);
  }
  Simplify(tile, low, high, simple);
  for (std::size_t r = 0; r < rate_count; ++r) DeviceRow(tile, simple, rates[r], out + r * kPitch);
}

void LinkRows(const TileView& tile, const LinkRate* rates, std::size_t rate_count, double* out) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t r = 0; r < rate_count; ++r) {
    double* row = out + r * kPitch;
    for (std::size_t i = 0; i < tile.count; i += lanes) {
      Vec t = hn::Zero(d);
      for (std::size_t l = 0; l < tile.levels; ++l) {
        t = hn::MulAdd(load(tile.hops + l * kPitch + i), set(rates[r].latency_s[l]), t);
        t = hn::MulAdd(load(tile.link_bytes + l * kPitch + i), set(rates[r].s_per_byte[l]), t);
      }
      hn::StoreU(t, d, row + i);
    }
  }
}

// The least of four rows added to one: the loads of `device` are shared.
void LeastSums4(const double* device, const double* links, std::size_t count, double* least) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  const Vec inf = set(kInfinity);
  Vec m0 = inf, m1 = inf, m2 = inf, m3 = inf;
  for (std::size_t i = 0; i < count; i += lanes) {
    const Vec a = load(device + i);
    m0 = hn::Min(m0, hn::Add(a, load(links + i)));
    m1 = hn::Min(m1, hn::Add(a, load(links + kPitch + i)));
    m2 = hn::Min(m2, hn::Add(a, load(links + 2 * kPitch + i)));
    m3 = hn::Min(m3, hn::Add(a, load(links + 3 * kPitch + i)));
  }
  least[0] = std::min(least[0], hn::GetLane(hn::MinOfLanes(d, m0)));
  least[1] = std::min(least[1], hn::GetLane(hn::MinOfLanes(d, m1)));
  least[2] = std::min(least[2], hn::GetLane(hn::MinOfLanes(d, m2)));
  least[3] = std::min(least[3], hn::GetLane(hn::MinOfLanes(d, m3)));
}

void LeastSums(const double* device, const double* links, std::size_t link_count, std::size_t count,
               double* least) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t r = 0;
  for (; r + 4 <= link_count; r += 4) LeastSums4(device, links + r * kPitch, count, least + r);
  for (; r < link_count; ++r) {
    Vec m = set(kInfinity);
    for (std::size_t i = 0; i < count; i += lanes) {
      m = hn::Min(m, hn::Add(load(device + i), load(links + r * kPitch + i)));
    }
    least[r] = std::min(least[r], hn::GetLane(hn::MinOfLanes(d, m)));
  }
}

void SumRows(const double* a, const double* b, std::size_t count, double* out) {
  const Doubles d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::StoreU(hn::Add(load(a + i), load(b + i)), d, out + i);
  }
}

std::size_t SelectBelow(const double* a, std::size_t count, double bound, std::uint32_t* out) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  const Vec limit = set(bound);
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; i += lanes) {
    if (hn::AllFalse(d, hn::Le(load(a + i), limit))) continue;
    for (std::size_t j = i; j < std::min(count, i + lanes); ++j) {
      out[found] = static_cast<std::uint32_t>(j);
      found += a[j] <= bound ? 1 : 0;
    }
  }
  return found;
}

std::size_t LeastAlive(const double* a, const double* alive, std::size_t count) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  const Vec inf = set(kInfinity);
  Vec least = inf;
  for (std::size_t i = 0; i < count; i += lanes) {
    least = hn::Min(least, hn::IfThenElse(hn::Eq(load(alive + i), hn::Zero(d)), inf, load(a + i)));
  }
  const double value = hn::GetLane(hn::MinOfLanes(d, least));
  for (std::size_t i = 0; i < count && value < kInfinity; ++i) {
    if (alive[i] != 0 && a[i] == value) return i;
  }
  return kTile;
}

// Lanes that the rival dominates; `all_exact`: no objective is strict by itself.
HWY_INLINE hn::Mask<Doubles> Dominated(const double* values, const double* latency,
                                       const RivalSet& rivals, std::size_t rival, bool all_exact) {
  const Doubles d;
  const double* reach = rivals.reach + rival * rivals.objectives;
  auto all = hn::MaskFromVec(hn::BitCast(d, hn::Set(hn::RebindToSigned<Doubles>(), -1)));
  auto strict = hn::Gt(load(latency), set(rivals.latency[rival]));
  for (std::size_t j = 0; j < rivals.objectives; ++j) {
    const Vec mine = load(values + j * kPitch), bound = set(reach[j]);
    const auto less = hn::Lt(bound, mine);
    strict = hn::Or(strict, less);
    all = hn::And(all, rivals.exact[j] != 0 ? hn::Le(bound, mine) : less);
  }
  return all_exact ? hn::And(all, strict) : all;
}

std::size_t SelectUndominated(const double* values, const double* latency, const double* alive,
                              std::size_t count, const RivalSet& rivals, std::uint32_t* out) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  bool all_exact = true;
  for (std::size_t j = 0; j < rivals.objectives; ++j) all_exact = all_exact && rivals.exact[j] != 0;
  std::size_t found = 0;
  double left[hn::MaxLanes(d)];
  for (std::size_t i = 0; i < count; i += lanes) {
    Vec open = load(alive + i);
    for (std::size_t r = 0; r < rivals.count; ++r) {
      if (hn::AllTrue(d, hn::Eq(open, hn::Zero(d)))) break;
      open = hn::IfThenZeroElse(Dominated(values + i, latency + i, rivals, r, all_exact), open);
    }
    if (hn::AllTrue(d, hn::Eq(open, hn::Zero(d)))) continue;
    hn::StoreU(open, d, left);
    for (std::size_t j = 0; j < lanes && i + j < count; ++j) {
      out[found] = static_cast<std::uint32_t>(i + j);
      found += left[j] != 0 ? 1 : 0;
    }
  }
  return found;
}

// Seconds that the stages of four points take together with those of their links.
template <bool kMasked>
void LeastDirect4(const TileView& tile, const SimplifiedTile& simple, const PointRate* p,
                  double* least) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  const Vec inf = set(kInfinity);
  const Vec f0 = set(p[0].device.s_per_flop), b0 = set(p[0].device.s_per_byte);
  const Vec f1 = set(p[1].device.s_per_flop), b1 = set(p[1].device.s_per_byte);
  const Vec f2 = set(p[2].device.s_per_flop), b2 = set(p[2].device.s_per_byte);
  const Vec f3 = set(p[3].device.s_per_flop), b3 = set(p[3].device.s_per_byte);
  Vec m0 = inf, m1 = inf, m2 = inf, m3 = inf;
  for (std::size_t i = 0; i < tile.count; i += lanes) {
    const Vec lf = load(&simple.flop[i]), lb = load(&simple.bytes[i]);
    Vec t0 = hn::MulAdd(lf, f0, hn::Mul(lb, b0));
    Vec t1 = hn::MulAdd(lf, f1, hn::Mul(lb, b1));
    Vec t2 = hn::MulAdd(lf, f2, hn::Mul(lb, b2));
    Vec t3 = hn::MulAdd(lf, f3, hn::Mul(lb, b3));
    for (const std::uint32_t slot : simple.switching) {
      const Vec a = load(tile.flop + slot * kPitch + i), c = load(tile.bytes + slot * kPitch + i);
      t0 = hn::Add(t0, hn::Max(hn::Mul(a, f0), hn::Mul(c, b0)));
      t1 = hn::Add(t1, hn::Max(hn::Mul(a, f1), hn::Mul(c, b1)));
      t2 = hn::Add(t2, hn::Max(hn::Mul(a, f2), hn::Mul(c, b2)));
      t3 = hn::Add(t3, hn::Max(hn::Mul(a, f3), hn::Mul(c, b3)));
    }
    for (std::size_t l = 0; l < tile.levels; ++l) {
      const Vec h = load(tile.hops + l * kPitch + i), x = load(tile.link_bytes + l * kPitch + i);
      t0 = hn::MulAdd(h, set(p[0].link.latency_s[l]), t0);
      t1 = hn::MulAdd(h, set(p[1].link.latency_s[l]), t1);
      t2 = hn::MulAdd(h, set(p[2].link.latency_s[l]), t2);
      t3 = hn::MulAdd(h, set(p[3].link.latency_s[l]), t3);
      t0 = hn::MulAdd(x, set(p[0].link.s_per_byte[l]), t0);
      t1 = hn::MulAdd(x, set(p[1].link.s_per_byte[l]), t1);
      t2 = hn::MulAdd(x, set(p[2].link.s_per_byte[l]), t2);
      t3 = hn::MulAdd(x, set(p[3].link.s_per_byte[l]), t3);
    }
    if constexpr (kMasked) {
      const Vec memory = load(tile.memory + i);
      t0 = hn::IfThenElse(hn::Le(memory, set(p[0].capacity_bytes)), t0, inf);
      t1 = hn::IfThenElse(hn::Le(memory, set(p[1].capacity_bytes)), t1, inf);
      t2 = hn::IfThenElse(hn::Le(memory, set(p[2].capacity_bytes)), t2, inf);
      t3 = hn::IfThenElse(hn::Le(memory, set(p[3].capacity_bytes)), t3, inf);
    }
    m0 = hn::Min(m0, t0);
    m1 = hn::Min(m1, t1);
    m2 = hn::Min(m2, t2);
    m3 = hn::Min(m3, t3);
  }
  least[0] = std::min(least[0], hn::GetLane(hn::MinOfLanes(d, m0)));
  least[1] = std::min(least[1], hn::GetLane(hn::MinOfLanes(d, m1)));
  least[2] = std::min(least[2], hn::GetLane(hn::MinOfLanes(d, m2)));
  least[3] = std::min(least[3], hn::GetLane(hn::MinOfLanes(d, m3)));
}

void LeastDirect(const TileView& tile, const SimplifiedTile& simple, const PointRate* points,
                 std::size_t point_count, Fit fit, double* least) {
  const auto four = fit == Fit::all ? &LeastDirect4<false> : &LeastDirect4<true>;
  std::size_t p = 0;
  for (; p + 4 <= point_count; p += 4) four(tile, simple, points + p, least + p);
  if (p == point_count) return;
  PointRate rest[4];
  double rest_least[4];
  for (std::size_t j = 0; j < 4; ++j) {
    rest[j] = points[std::min(p + j, point_count - 1)];
    rest_least[j] = kInfinity;
  }
  four(tile, simple, rest, rest_least);
  for (std::size_t j = 0; p + j < point_count; ++j)
    least[p + j] = std::min(least[p + j], rest_least[j]);
}

// The kernels of one instruction set.
constexpr KernelTable kKernels = {
    .simplify = &Simplify,
    .device_rows = &DeviceRows,
    .link_rows = &LinkRows,
    .least_sums = &LeastSums,
    .sum_rows = &SumRows,
    .select_below = &SelectBelow,
    .least_alive = &LeastAlive,
    .select_undominated = &SelectUndominated,
    .least_direct = &LeastDirect,
    .target = HWY_TARGET,
};

}  // namespace ridgeline::explore::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ridgeline::explore {

// Highway's own look-up would do, but its shared library calibrates clocks for 4 ms at every start
// of the program.
std::vector<const KernelTable*> usable_kernels() {
  std::vector<const KernelTable*> out;
#if HWY_ARCH_X86 && (HWY_TARGETS & HWY_AVX3)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512cd")) {
    out.push_back(&N_AVX3::kKernels);
  }
#endif
#if HWY_ARCH_X86 && (HWY_TARGETS & HWY_AVX2)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2")) {
    out.push_back(&N_AVX2::kKernels);
  }
#endif
  out.push_back(&HWY_STATIC_DISPATCH(kKernels));
  return out;
}

namespace {

const KernelTable& kernels() {
  static const KernelTable& chosen = *usable_kernels().front();
  return chosen;
}

}  // namespace

void device_rows(const TileView& tile, const DeviceRate* rates, std::size_t rate_count,
                 double* out) {
  kernels().device_rows(tile, rates, rate_count, out);
}

void link_rows(const TileView& tile, const LinkRate* rates, std::size_t rate_count, double* out) {
  kernels().link_rows(tile, rates, rate_count, out);
}

void least_sums(const double* device, const double* links, std::size_t link_count,
                std::size_t count, double* least) {
  kernels().least_sums(device, links, link_count, count, least);
}

void sum_rows(const double* a, const double* b, std::size_t count, double* out) {
  kernels().sum_rows(a, b, count, out);
}

std::size_t select_below(const double* a, std::size_t count, double bound, std::uint32_t* out) {
  return kernels().select_below(a, count, bound, out);
}

std::size_t least_alive(const double* a, const double* alive, std::size_t count) {
  return kernels().least_alive(a, alive, count);
}

std::size_t select_undominated(const double* values, const double* latency, const double* alive,
                               std::size_t count, const RivalSet& rivals, std::uint32_t* out) {
  return kernels().select_undominated(values, latency, alive, count, rivals, out);
}

void simplify(const TileView& tile, double ratio_low, double ratio_high, SimplifiedTile& out) {
  kernels().simplify(tile, ratio_low, ratio_high, out);
}

void least_direct(const TileView& tile, const SimplifiedTile& simple, const PointRate* points,
                  std::size_t point_count, Fit fit, double* least) {
  kernels().least_direct(tile, simple, points, point_count, fit, least);
}

const char* instruction_set() {
  return hwy::TargetName(kernels().target);
}

}  // namespace ridgeline::explore
#endif  // HWY_ONCE
