// Collectives through switches in closed form: n ranks, M bytes per rank (the whole buffer; for an
// all-gather the gathered one), link bw, latency a per hop.
//
//   all-reduce ring 2 (n-1)/n M/bw + 2 (n-1) a; reduce-scatter, all-gather: half of it;
//     tree 2 M/bw + 2 ceil(log2 n) a; in the network M/bw + 2 a; automatic: ring or tree, the
//     cheaper                                                                                  (13)
//   all-to-all (n-1)/n M/bw + (n-1) a, its hot receiver M x imbalance; point to point M/bw + a (14)
//   over a tree of levels with q ranks inside and s outside: reduce-scatter inside, all-reduce of
//     M/q outside, all-gather inside; all-to-all (q-1)/n M/bw_in + (n-q)/n M/bw_out
//     + (q-1) a_in + (n-q) a_out                                                               (15)
// n = 1 costs nothing. [thakur2005] [patarasuk2009]
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ridgeline/base/few.h"
#include "ridgeline/base/units.h"
#include "ridgeline/physics/setting.h"
#include "ridgeline/spec/hardware.h"
#include "ridgeline/spec/machine.h"

namespace ridgeline::physics {

enum class AllReduce : std::uint8_t { automatic, ring, tree, in_network };

inline std::span<const char* const> names_of(AllReduce) {
  static constexpr std::array<const char*, 4> kNames = {"auto", "ring", "tree", "in-network"};
  return kNames;
}

// Members of a group on one level, and the link of each.
struct Link {
  std::int64_t members = 1;
  double bytes_per_s = 0;
  double latency_s = 0;
  std::size_t level = 0;
};

// What one rank sends in turn: hops, each a latency, and bytes on its link.
struct Messages {
  double hops = 0;
  double link_bytes = 0;
};

// A reduce-scatter or all-gather of `bytes` in `parts` equal messages over one level, (13).
Messages half_messages(const Link& link, double bytes, double parts, AllReduce algorithm);

// The levels that a group of ranks spans with more than one member, innermost first.
using RankGroup = Few<Link, kMaxLinkLevels>;

// The links of a cluster; those of a level shared by oversubscription are slower by it.
LinkTree links_of(const Cluster& cluster);
// Inside a node as measured, where that is known and no flat efficiency is given.
LinkTree links_of(const Cluster& cluster, const Setting& setting);
LinkTree links_of(const Machine& machine);

// n ranks at `stride` devices; links reach the share `efficiency` of their rate.
RankGroup group_of(const LinkTree& tree, std::int64_t n, std::int64_t stride, double efficiency);

// Both together, every member of the one with every member of the other.
RankGroup joined(const RankGroup& a, const RankGroup& b);

std::int64_t size_of(const RankGroup& group);

// Bytes sent in all, in so many equal messages, each of which pays the latencies.
struct Payload {
  double bytes = 0;
  double messages = 1;
};

// Time on the links of each level, innermost first; levels work one after another.
struct LinkTime {
  std::array<double, kMaxLinkLevels> level_s{};

  Seconds total() const {
    double sum = 0;
    for (const double t : level_s) sum += t;
    return Seconds::from_base(sum);
  }
  LinkTime& operator+=(const LinkTime& other) {
    for (std::size_t l = 0; l < kMaxLinkLevels; ++l) level_s[l] += other.level_s[l];
    return *this;
  }
  friend LinkTime operator*(double k, LinkTime t) {
    for (double& s : t.level_s) s *= k;
    return t;
  }
};

LinkTime half_time(const RankGroup& group, const Payload& payload, AllReduce algorithm);
LinkTime all_reduce_time(const RankGroup& group, const Payload& payload, AllReduce algorithm);
// Bytes that each rank sends in it, all levels together.
Bytes all_reduce_bytes(const RankGroup& group, const Payload& payload, AllReduce algorithm);
LinkTime all_to_all_time(const RankGroup& group, const Payload& payload, double imbalance);

// To the next rank of the group, over the outermost level that it spans.
LinkTime point_to_point_time(const RankGroup& group, const Payload& payload);

}  // namespace ridgeline::physics
