#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ridgeline/explore/kernel_table.h"

namespace ridgeline::explore {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A tile of random plans; entries from `count` on are zero.
struct RandomTile {
  std::size_t count, slots, levels;
  std::vector<double> flop, bytes, hops, link_bytes, memory;

  RandomTile()
      : count(*rc::gen::inRange<std::size_t>(1, kTile + 1)),
        slots(*rc::gen::inRange<std::size_t>(1, 8)),
        levels(*rc::gen::inRange<std::size_t>(0, 4)),
        flop(fill(slots, 1e9)),
        bytes(fill(slots, 1e9)),
        hops(fill(levels, 100)),
        link_bytes(fill(levels, 1e6)),
        memory(fill(1, 8e9)) {}

  std::vector<double> fill(std::size_t columns, double most) const {
    std::vector<double> out(std::max<std::size_t>(1, columns) * kPitch, 0);
    std::uint64_t state = *rc::gen::arbitrary<std::uint64_t>();
    for (std::size_t c = 0; c < columns; ++c) {
      for (std::size_t i = 0; i < count; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        out[c * kPitch + i] = most * static_cast<double>(state >> 40) / 16777216;
      }
    }
    return out;
  }
  TileView view() const {
    return {count,        slots, levels, flop.data(), bytes.data(), hops.data(), link_bytes.data(),
            memory.data()};
  }
  double latency(std::size_t i, const PointRate& at) const {
    double t = 0;
    for (std::size_t s = 0; s < slots; ++s) {
      t += std::max(flop[s * kPitch + i] * at.device.s_per_flop,
                    bytes[s * kPitch + i] * at.device.s_per_byte);
    }
    for (std::size_t l = 0; l < levels; ++l) {
      t += hops[l * kPitch + i] * at.link.latency_s[l] +
           link_bytes[l * kPitch + i] * at.link.s_per_byte[l];
    }
    return t;
  }
};

PointRate any_point() {
  const auto scale = [] {
    return *rc::gen::elementOf(std::vector<double>{0.25, 0.5, 0.7, 1, 2, 4});
  };
  PointRate p;
  p.device = {1e-12 * scale(), 1e-12 * scale()};
  for (std::size_t l = 0; l < kMaxLevels; ++l) {
    p.link.latency_s[l] = 1e-7 * scale();
    p.link.s_per_byte[l] = 1e-11 * scale();
  }
  p.capacity_bytes = 2e9 * scale();
  return p;
}

bool near(double a, double b) {
  return a == b || std::fabs(a - b) <= kRelativeError * std::fabs(b);
}

// Each property holds for every instruction set that this processor has.
KernelTable any_kernels() {
  return **rc::gen::elementOf(usable_kernels());
}

RC_GTEST_PROP(Kernels, TablesAddUpToTheLatency, ()) {
  const KernelTable kernels = any_kernels();
  const RandomTile tile;
  std::vector<PointRate> points(*rc::gen::inRange<std::size_t>(1, 10));
  std::vector<DeviceRate> devices;
  std::vector<LinkRate> links;
  for (PointRate& p : points) {
    p = any_point();
    devices.push_back(p.device);
    links.push_back(p.link);
  }
  const std::size_t n = points.size();
  std::vector<double> device_row(n * kPitch), link_row(n * kPitch), sum(kPitch);
  kernels.device_rows(tile.view(), devices.data(), n, device_row.data());
  kernels.link_rows(tile.view(), links.data(), n, link_row.data());
  std::vector<double> least(n, kInfinity);
  kernels.least_sums(device_row.data(), link_row.data(), n, tile.count, least.data());
  for (std::size_t p = 0; p < n; ++p) {
    kernels.sum_rows(&device_row[p * kPitch], &link_row[p * kPitch], tile.count, sum.data());
    double expected = kInfinity;
    for (std::size_t i = 0; i < tile.count; ++i) {
      RC_ASSERT(near(sum[i], tile.latency(i, points[p])));
      PointRate mixed = points[0];
      mixed.link = points[p].link;
      expected = std::min(expected, tile.latency(i, mixed));
    }
    RC_ASSERT(near(least[p], expected));
  }
}

RC_GTEST_PROP(Kernels, PointsOfAListFindTheSameLeast, ()) {
  const KernelTable kernels = any_kernels();
  const RandomTile tile;
  std::vector<PointRate> points(*rc::gen::inRange<std::size_t>(1, 12));
  double low = kInfinity, high = 0;
  for (PointRate& p : points) {
    p = any_point();
    low = std::min(low, p.device.s_per_byte / p.device.s_per_flop);
    high = std::max(high, p.device.s_per_byte / p.device.s_per_flop);
  }
  SimplifiedTile simple;
  kernels.simplify(tile.view(), low, high, simple);
  for (const Fit fit : {Fit::all, Fit::within_capacity}) {
    std::vector<double> least(points.size(), kInfinity);
    kernels.least_direct(tile.view(), simple, points.data(), points.size(), fit, least.data());
    for (std::size_t p = 0; p < points.size(); ++p) {
      double expected = kInfinity;
      for (std::size_t i = 0; i < tile.count; ++i) {
        if (fit == Fit::within_capacity && tile.memory[i] > points[p].capacity_bytes) continue;
        expected = std::min(expected, tile.latency(i, points[p]));
      }
      RC_ASSERT(near(least[p], expected));
    }
  }
}

RC_GTEST_PROP(Kernels, SelectionsAgreeWithLoops, ()) {
  const KernelTable kernels = any_kernels();
  const auto count = *rc::gen::inRange<std::size_t>(1, kTile + 1);
  const auto small = rc::gen::inRange(0, 5);
  std::vector<double> values(3 * kPitch), latency(kPitch), alive(kPitch, 0);
  for (double& v : values) v = *small;
  for (std::size_t i = 0; i < count; ++i) {
    latency[i] = *small;
    alive[i] = *small > 1 ? 1 : 0;
  }
  std::vector<std::uint32_t> expected, found(kTile);
  for (std::size_t i = 0; i < count; ++i) {
    if (values[i] <= 2) expected.push_back(static_cast<std::uint32_t>(i));
  }
  found.resize(kernels.select_below(values.data(), count, 2, found.data()));
  RC_ASSERT(found == expected);

  std::size_t least = kTile;
  for (std::size_t i = count; i-- > 0;) {
    if (alive[i] != 0 && (least == kTile || values[i] <= values[least])) least = i;
  }
  RC_ASSERT(kernels.least_alive(values.data(), alive.data(), count) == least);

  const std::vector<double> reach = {1, 2, 0, 3, 0, 3}, worse = {1, kInfinity};
  const std::vector<std::uint8_t> exact = {1, static_cast<std::uint8_t>(*small > 1), 1};
  const RivalSet rivals{reach.data(), worse.data(), 2, exact.data(), 3};
  expected.clear();
  for (std::size_t i = 0; i < count; ++i) {
    bool open = alive[i] != 0;
    for (std::size_t r = 0; r < 2; ++r) {
      bool all = true, strict = exact[1] == 0 || latency[i] > worse[r];
      for (std::size_t j = 0; j < 3; ++j) {
        const double mine = values[j * kPitch + i], bound = reach[r * 3 + j];
        all = all && (exact[j] ? bound <= mine : bound < mine);
        strict = strict || bound < mine;
      }
      open = open && !(all && strict);
    }
    if (open) expected.push_back(static_cast<std::uint32_t>(i));
  }
  found.resize(kTile);
  found.resize(kernels.select_undominated(values.data(), latency.data(), alive.data(), count,
                                          rivals, found.data()));
  RC_ASSERT(found == expected);
}

}  // namespace
}  // namespace ridgeline::explore
