#include "ridgeline/explore/minima.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace ridgeline::explore {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kMostBuckets = 64;    // more capacities than this are masked plan by plan
constexpr std::size_t kCoarseBuckets = 16;  // then
constexpr std::size_t kChunkSites = 65536;
constexpr std::size_t kRowBytes = 32u << 20;  // of device rows, at most
constexpr std::size_t kLinkBlock = 16;   // link rows of a tile that stay in the first-level cache
constexpr std::size_t kListBlock = 128;  // points of a list that share a simplified tile

std::vector<double> distinct(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace

std::vector<double> bucket_bounds(const HardwareGroup& group, bool require_fit) {
  if (!require_fit) return {kInfinity};
  std::vector<double> all = distinct(group.capacities);
  if (all.size() <= kMostBuckets) return all;
  std::vector<double> some;
  for (std::size_t b = 1; b <= kCoarseBuckets; ++b) {
    some.push_back(all[b * all.size() / kCoarseBuckets - 1]);
  }
  return some;
}

Minima::Minima(const HardwareGroup& group, const PlanTable& table, bool require_fit,
               Workers& workers)
    : group_(group), table_(table), workers_(workers), limits_(group.capacities) {
  if (!require_fit) std::fill(limits_.begin(), limits_.end(), kInfinity);
  by_tables_ = cheaper_by_tables();
  by_tables_ ? cut_grid() : cut_list();
}

// Operations per vector of plans: a device row takes some 40, a link row 8, a sum 2; a point of a
// list 14.
bool Minima::cheaper_by_tables() const {
  const bool exact = std::all_of(limits_.begin(), limits_.end(), [&](double limit) {
    return std::binary_search(table_.bounds().begin(), table_.bounds().end(), limit);
  });
  if (!group_.grid || !exact) return false;
  const auto d = static_cast<double>(group_.devices.size()),
             l = static_cast<double>(group_.links.size());
  return 40 * d + 8 * l + 2 * d * l < 14 * static_cast<double>(group_.size());
}

void Minima::cut_grid() {
  const std::size_t capacities = group_.capacities.size();
  const std::size_t links = std::min<std::size_t>(group_.links.size(), 4096);
  const std::size_t row_bytes =
      std::max<std::size_t>(1, table_.tiles().size()) * kPitch * sizeof(double);
  const std::size_t devices = std::max<std::size_t>(
      1,
      std::min({group_.devices.size(), kChunkSites / (links * capacities), kRowBytes / row_bytes}));
  for (std::size_t d = 0; d < group_.devices.size(); d += devices) {
    for (std::size_t l = 0; l < group_.links.size(); l += links) {
      chunks_.push_back({d, std::min(devices, group_.devices.size() - d), l,
                         std::min(links, group_.links.size() - l), 0, 0});
    }
  }
}

void Minima::cut_list() {
  constexpr auto kMost = static_cast<std::int64_t>(kChunkSites);
  for (std::int64_t i = 0; i < group_.size(); i += kMost) {
    chunks_.push_back({0, 0, 0, 0, i, std::min(kMost, group_.size() - i)});
  }
}

const std::vector<Site>& Minima::load(std::size_t chunk) {
  const Chunk before = now_;
  now_ = chunks_[chunk];
  sites_.clear();
  if (!by_tables_) {
    for (std::int64_t i = 0; i < now_.count; ++i) sites_.push_back(group_.site(now_.first + i));
    return sites_;
  }
  const std::size_t capacities = group_.capacities.size();
  for (std::size_t d = now_.device; d < now_.device + now_.devices; ++d) {
    for (std::size_t l = now_.link; l < now_.link + now_.links; ++l) {
      const std::size_t first = (d * group_.links.size() + l) * capacities;
      for (std::size_t k = 0; k < capacities; ++k) {
        sites_.push_back(group_.site(static_cast<std::int64_t>(first + k)));
      }
    }
  }
  if (device_rows_.empty() || before.device != now_.device) fill_device_rows();
  return sites_;
}

DeviceRate Minima::device_rate(std::size_t device) const {
  const HardwareGroup::Device& d = group_.devices[device];
  return {1 / d.flop_per_s, 1 / d.memory_bytes_per_s};
}

LinkRate Minima::link_rate(std::size_t link) const {
  LinkRate rate;
  const HardwareGroup::Link& from = group_.links[link];
  for (std::size_t l = 0; l < group_.rates.levels; ++l) {
    rate.latency_s[l] = from.latency_s[l];
    rate.s_per_byte[l] = 1 / from.bytes_per_s[l];
  }
  return rate;
}

void Minima::fill_device_rows() {
  const std::size_t n = now_.devices, tiles = table_.tiles().size();
  device_rows_.resize(tiles * n * kPitch);
  std::vector<DeviceRate> rates;
  for (std::size_t d = 0; d < n; ++d) rates.push_back(device_rate(now_.device + d));
  const double seconds = static_cast<double>(tiles * n) * kTile * 3e-9;
  workers_.run(tiles, 1, seconds, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      device_rows(table_.tiles()[t].view(), rates.data(), n, &device_rows_[t * n * kPitch]);
    }
  });
}

std::vector<Minima::Least> Minima::least() {
  std::vector<Least> out(sites_.size(), Least{kInfinity, kAllTiles});
  const auto plans = static_cast<double>(table_.tiles().size() * kTile);
  if (by_tables_) {
    const double seconds = static_cast<double>(now_.devices * now_.links) * plans * 0.15e-9;
    workers_.run(
        now_.links, kLinkBlock, seconds,
        [&](std::size_t, std::size_t begin, std::size_t end) { grid_task(begin, end, out); });
    return out;
  }
  // Points with like ratios stand together: few stages switch within a block.
  std::vector<std::uint32_t> order(sites_.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto ratio = [&](std::uint32_t i) {
    const HardwareGroup::Device& d = group_.devices[sites_[i].device];
    return d.flop_per_s / d.memory_bytes_per_s;
  };
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return ratio(a) != ratio(b) ? ratio(a) < ratio(b) : a < b;
  });
  workers_.run(
      order.size(), kListBlock, static_cast<double>(order.size()) * plans * 1e-9,
      [&](std::size_t, std::size_t begin, std::size_t end) { list_task(begin, end, order, out); });
  return out;
}

// Links [begin, end) of the chunk with all of its devices. A capacity's least is that of its bucket
// and of those below.
void Minima::grid_task(std::size_t begin, std::size_t end, std::vector<Least>& out) const {
  const std::size_t n = end - begin, buckets = table_.bounds().size();
  std::vector<LinkRate> rates;
  for (std::size_t l = begin; l < end; ++l) rates.push_back(link_rate(now_.link + l));
  std::vector<double> rows(n * kPitch), least(now_.devices * buckets * n, kInfinity);
  for (std::size_t t = 0; t < table_.tiles().size(); ++t) {
    const Tile& tile = table_.tiles()[t];
    link_rows(tile.view(), rates.data(), n, rows.data());
    for (std::size_t d = 0; d < now_.devices; ++d) {
      least_sums(&device_rows_[(t * now_.devices + d) * kPitch], rows.data(), n, tile.count(),
                 &least[(d * buckets + tile.bucket()) * n]);
    }
  }
  const std::size_t capacities = group_.capacities.size();
  std::vector<std::size_t> bucket(capacities);
  for (std::size_t k = 0; k < capacities; ++k) {
    const auto& bounds = table_.bounds();
    bucket[k] = static_cast<std::size_t>(
        std::lower_bound(bounds.begin(), bounds.end(), limits_[k]) - bounds.begin());
  }
  for (std::size_t d = 0; d < now_.devices; ++d) {
    for (std::size_t l = 0; l < n; ++l) {
      double* of_bucket = &least[d * buckets * n + l];
      for (std::size_t b = 1; b < buckets; ++b) {
        of_bucket[b * n] = std::min(of_bucket[b * n], of_bucket[(b - 1) * n]);
      }
      Least* to = &out[(d * now_.links + begin + l) * capacities];
      for (std::size_t k = 0; k < capacities; ++k) to[k].latency_s = of_bucket[bucket[k] * n];
    }
  }
}

// Points [begin, end) in `order`, which share simplified tiles. Inside, points of small capacity
// come first: those that a bucket fits whole are the last ones.
void Minima::list_task(std::size_t begin, std::size_t end, const std::vector<std::uint32_t>& order,
                       std::vector<Least>& out) const {
  std::vector<std::uint32_t> mine(order.begin() + static_cast<std::ptrdiff_t>(begin),
                                  order.begin() + static_cast<std::ptrdiff_t>(end));
  std::stable_sort(mine.begin(), mine.end(), [&](std::uint32_t a, std::uint32_t b) {
    return limit(sites_[a]) < limit(sites_[b]);
  });
  std::vector<PointRate> points;
  double low = kInfinity, high = 0;
  for (const std::uint32_t i : mine) {
    const Site& site = sites_[i];
    points.push_back({device_rate(site.device), link_rate(site.link), limit(site)});
    const double ratio = points.back().device.s_per_byte / points.back().device.s_per_flop;
    low = std::min(low, ratio);
    high = std::max(high, ratio);
  }
  std::vector<Least> least(points.size(), Least{kInfinity, 0});
  std::vector<double> of_tile(points.size());
  SimplifiedTile simple;
  for (std::size_t t = 0; t < table_.tiles().size(); ++t) {
    const Tile& tile = table_.tiles()[t];
    const double top = table_.bounds()[tile.bucket()];
    const double bottom = tile.bucket() == 0 ? 0 : table_.bounds()[tile.bucket() - 1];
    const auto below = [](const PointRate& p, double bytes) { return p.capacity_bytes < bytes; };
    const auto not_above = [](double bytes, const PointRate& p) {
      return bytes < p.capacity_bytes;
    };
    const auto part =
        std::upper_bound(points.begin(), points.end(), bottom, not_above) - points.begin();
    const auto whole = std::lower_bound(points.begin(), points.end(), top, below) - points.begin();
    const auto count = static_cast<std::ptrdiff_t>(points.size());
    if (part == count) continue;
    simplify(tile.view(), low, high, simple);
    std::fill(of_tile.begin(), of_tile.end(), kInfinity);
    least_direct(tile.view(), simple, points.data() + part, static_cast<std::size_t>(whole - part),
                 Fit::within_capacity, of_tile.data() + part);
    least_direct(tile.view(), simple, points.data() + whole,
                 static_cast<std::size_t>(count - whole), Fit::all, of_tile.data() + whole);
    for (std::size_t i = static_cast<std::size_t>(part); i < points.size(); ++i)
      note(of_tile[i], t, least[i]);
  }
  for (std::size_t i = 0; i < mine.size(); ++i) out[mine[i]] = least[i];
}

// One more tile's least: tiles that are certainly later than it are forgotten.
void Minima::note(double latency_s, std::size_t tile, Least& least) {
  if (latency_s > certainly_later(least.latency_s)) return;
  if (certainly_later(latency_s) < least.latency_s) least.tiles = 0;
  least.tiles |= std::uint64_t{1} << (tile % 64);
  least.latency_s = std::min(least.latency_s, latency_s);
}

const std::vector<double>& Minima::latencies(const Site& site, std::uint64_t wanted,
                                             Scratch& scratch) const {
  const std::size_t tiles = table_.tiles().size();
  scratch.links.resize(tiles * kPitch);
  scratch.sums.resize(tiles * kPitch);
  if (scratch.link == site.link && scratch.device == site.device) return scratch.sums;
  const LinkRate link = link_rate(site.link);
  const DeviceRate device = device_rate(site.device);
  for (std::size_t t = 0; t < tiles; ++t) {
    if ((wanted >> (t % 64) & 1) == 0) continue;
    const Tile& tile = table_.tiles()[t];
    double* links = &scratch.links[t * kPitch];
    double* sums = &scratch.sums[t * kPitch];
    if (scratch.link != site.link) link_rows(tile.view(), &link, 1, links);
    const double* row = sums;
    if (by_tables_) {
      row = &device_rows_[(t * now_.devices + site.device - now_.device) * kPitch];
    } else {
      device_rows(tile.view(), &device, 1, sums);
    }
    sum_rows(row, links, tile.count(), sums);
  }
  scratch.link = wanted == kAllTiles ? site.link : -1;
  scratch.device = wanted == kAllTiles ? site.device : -1;
  return scratch.sums;
}

}  // namespace ridgeline::explore
