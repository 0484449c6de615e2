#include "ridgeline/physics/switched.h"

#include "ridgeline/physics/placement.h"
#include "ridgeline/physics/topology.h"

namespace ridgeline::physics {
namespace {

double seconds(const Link& link, const Messages& sent) {
  return sent.link_bytes / link.bytes_per_s + sent.hops * link.latency_s;
}

Messages ring_half(const Link& link, double bytes, double parts) {
  const auto n = static_cast<double>(link.members);
  return {parts * (n - 1), (n - 1) / n * bytes};  // (13)
}

Messages tree_half(const Link& link, double bytes, double parts) {
  return {parts * static_cast<double>(ceil_log2(link.members)), bytes};  // (13)
}

}  // namespace

Messages half_messages(const Link& link, double bytes, double parts, AllReduce algorithm) {
  const Messages ring = ring_half(link, bytes, parts), tree = tree_half(link, bytes, parts);
  switch (algorithm) {
    case AllReduce::ring: return ring;
    case AllReduce::tree: return tree;
    case AllReduce::in_network: return {parts, bytes / 2};
    case AllReduce::automatic: break;
  }
  return seconds(link, ring) <= seconds(link, tree) ? ring : tree;
}

LinkTree links_of(const Cluster& cluster) {
  if (!cluster.levels.empty()) return cluster.levels;
  LinkTree tree;
  if (cluster.devices_per_node > 1) {
    tree.push_back({cluster.devices_per_node,
                    cluster.intra_node_bandwidth.value_or(BytesPerSecond{}),
                    cluster.intra_node_latency});
  }
  if (cluster.nodes > 1) {
    const BytesPerSecond fabric = cluster.fabric_bandwidth.value_or(BytesPerSecond{});
    tree.push_back(
        {cluster.nodes, fabric / cluster.fabric_oversubscription, cluster.fabric_latency});
  }
  return tree;
}

LinkTree links_of(const Cluster& cluster, const Setting& setting) {
  LinkTree tree = links_of(cluster);
  const MeasuredLink& known = cluster.intra_node_measured;
  const bool applies = !tree.empty() && !setting.is_flat() && !setting.network_efficiency &&
                       known.share > 0 && tree[0].count > 1;
  if (!applies) return tree;
  // A ring of p devices has 2 (p - 1) hops: the latency of one makes up the measured constant.
  tree[0].bandwidth = known.share * tree[0].bandwidth;
  tree[0].latency = (known.base / static_cast<double>(tree[0].count - 1) + known.per_peer) / 2;
  return tree;
}

LinkTree links_of(const Machine& machine) {
  LinkTree tree;
  for (const Level& level : machine.levels) {
    tree.push_back({level.count, level.bandwidth / level.oversubscription, level.latency});
  }
  return tree;
}

RankGroup group_of(const LinkTree& tree, std::int64_t n, std::int64_t stride, double efficiency) {
  Few<std::int64_t, kMaxLinkLevels> counts;
  for (const LinkLevel& level : tree) counts.push_back(level.count);
  const Span span = span_over({counts.begin(), counts.size()}, n, stride);
  RankGroup group;
  for (std::size_t l = 0; l < tree.size(); ++l) {
    if (span.members[l] <= 1) continue;
    group.push_back(
        {span.members[l], tree[l].bandwidth.base() * efficiency, tree[l].latency.base(), l});
  }
  return group;
}

RankGroup joined(const RankGroup& a, const RankGroup& b) {
  RankGroup out;
  for (std::size_t l = 0; l < kMaxLinkLevels; ++l) {
    Link link;
    for (const RankGroup* group : {&a, &b}) {
      for (const Link& one : *group) {
        if (one.level != l) continue;
        const std::int64_t members = link.members * one.members;
        link = one;
        link.members = members;
      }
    }
    if (link.members > 1) out.push_back(link);
  }
  return out;
}

std::int64_t size_of(const RankGroup& group) {
  std::int64_t n = 1;
  for (const Link& link : group) n *= link.members;
  return n;
}

LinkTime half_time(const RankGroup& group, const Payload& payload, AllReduce algorithm) {
  LinkTime time;
  double part = payload.bytes;
  for (const Link& link : group) {
    time.level_s[link.level] =
        seconds(link, half_messages(link, part, payload.messages, algorithm));
    part /= static_cast<double>(link.members);  // (15)
  }
  return time;
}

LinkTime all_reduce_time(const RankGroup& group, const Payload& payload, AllReduce algorithm) {
  return 2 * half_time(group, payload, algorithm);
}

Bytes all_reduce_bytes(const RankGroup& group, const Payload& payload, AllReduce algorithm) {
  double sent = 0, part = payload.bytes;
  for (const Link& link : group) {
    sent += 2 * half_messages(link, part, payload.messages, algorithm).link_bytes;
    part /= static_cast<double>(link.members);  // (15)
  }
  return Bytes::from_base(sent);
}

LinkTime all_to_all_time(const RankGroup& group, const Payload& payload, double imbalance) {
  const auto size = static_cast<double>(size_of(group));
  LinkTime time;
  double inside = 1;
  for (const Link& link : group) {
    const double others = inside * static_cast<double>(link.members - 1);
    time.level_s[link.level] =
        seconds(link, {payload.messages * others, imbalance * payload.bytes * others / size});
    inside *= static_cast<double>(link.members);
  }
  return time;  // (14), (15)
}

LinkTime point_to_point_time(const RankGroup& group, const Payload& payload) {
  LinkTime time;
  if (group.empty()) return time;
  const Link& outer = group[group.size() - 1];
  time.level_s[outer.level] = seconds(outer, {payload.messages, payload.bytes});  // (14)
  return time;
}

}  // namespace ridgeline::physics
