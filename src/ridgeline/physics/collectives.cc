#include "ridgeline/physics/collectives.h"

#include "ridgeline/physics/placement.h"
#include "ridgeline/physics/switched.h"

namespace ridgeline::physics {
namespace {

const Hops& hops_at(const Network& net, const Span& group, std::size_t l) {
  return net.hops->of(net.machine->levels[l], l, group.members[l], group.stride[l],
                      members_in_use(*net.machine, *net.layout, l));
}

enum class Pattern { tree, ring };

// A half on a direct level: the tree for short messages, else the ring.
void half_direct(const Network& net, const Span& group, std::size_t l, double part, Pattern pattern,
                 Traffic& out) {
  const auto n = static_cast<double>(group.members[l]);
  const Hops& hops = hops_at(net, group, l);
  const double share = net.layout->sharing[l];
  const double scattered = share * (n - 1) / n * part;
  if (pattern == Pattern::ring) {
    out.hops[l] += (n - 1) * hops.ring;
    out.link_bytes[l] += scattered;
    return;
  }
  const bool crossbar = net.machine->levels[l].topology == Topology::crossbar;
  const auto steps = static_cast<double>(ceil_log2(group.members[l]));
  out.hops[l] += hops.tree;
  out.link_bytes[l] += crossbar ? scattered : share * steps * part / 2;
}

// A half through switches: ring or tree, whichever is faster on the level's link.
void half_switched(const Network& net, const Span& group, std::size_t l, double part,
                   Traffic& out) {
  const Level& level = net.machine->levels[l];
  const double load = net.layout->sharing[l] * level.oversubscription * part;
  const Link link{.members = group.members[l],
                  .bytes_per_s = level.bandwidth.base(),
                  .latency_s = level.latency.base()};
  const Messages sent = half_messages(link, load, 1, AllReduce::automatic);
  out.hops[l] += sent.hops;
  out.link_bytes[l] += sent.link_bytes;
}

// Oversubscription counts where messages pass switches.
double load_factor(const Network& net, std::size_t l) {
  const Level& level = net.machine->levels[l];
  return net.layout->sharing[l] * (is_switched(level.topology) ? level.oversubscription : 1.0);
}

}  // namespace

void add_half(const Network& net, const Span& group, double bytes, Traffic& out) {
  const Pattern pattern = bytes <= net.machine->tree_max.base() ? Pattern::tree : Pattern::ring;
  double part = bytes;
  for (std::size_t l = 0; l < net.levels(); ++l) {
    if (group.members[l] <= 1) continue;
    if (is_switched(net.machine->levels[l].topology)) {
      half_switched(net, group, l, part, out);
    } else {
      half_direct(net, group, l, part, pattern, out);
    }
    part /= static_cast<double>(group.members[l]);
  }
}

void add_all_reduce(const Network& net, const Span& group, double bytes, Traffic& out) {
  Traffic half;
  add_half(net, group, bytes, half);
  for (std::size_t l = 0; l < net.levels(); ++l) {
    out.hops[l] += 2 * half.hops[l];
    out.link_bytes[l] += 2 * half.link_bytes[l];
  }
}

void add_all_to_all(const Network& net, const Span& group, double bytes, Traffic& out) {
  const auto size = static_cast<double>(group.size(net.levels()));
  double inside = 1;
  for (std::size_t l = 0; l < net.levels(); ++l) {
    if (group.members[l] <= 1) continue;
    const auto n = static_cast<double>(group.members[l]);
    const bool switched = is_switched(net.machine->levels[l].topology);
    out.hops[l] += switched ? inside * (n - 1) : hops_at(net, group, l).diameter;
    out.link_bytes[l] += load_factor(net, l) * bytes * inside * (n - 1) / size;
    inside *= n;
  }
}

void add_ring(const Network& net, const Span& group, double bytes, double steps, Traffic& out) {
  double inside = 1;
  std::size_t outermost = 0;
  for (std::size_t l = 0; l < net.levels(); ++l) {
    if (group.members[l] > 1) outermost = l;
  }
  for (std::size_t l = 0; l < outermost; ++l) inside *= static_cast<double>(group.members[l]);
  const Level& level = net.machine->levels[outermost];
  const double share =
      level.link_of == LinkOf::device ? 1 : net.layout->sharing[outermost] / inside;
  const double over = is_switched(level.topology) ? level.oversubscription : 1;
  out.hops[outermost] += steps * hops_at(net, group, outermost).ring;
  out.link_bytes[outermost] += steps * bytes * share * over;
}

Span near_ranks(const Span& group, const Span& same, std::size_t levels) {
  Span out = same;
  std::size_t outermost = 0;
  for (std::size_t l = 0; l < levels; ++l) {
    if (group.members[l] > 1) outermost = l;
  }
  for (std::size_t l = outermost; l < levels; ++l) out.members[l] = 1;
  return out;
}

void add_exchange(const Network& net, const Span& group, const Span& same, double bytes,
                  Traffic& out) {
  if (group.size(net.levels()) <= 1) return;
  const Span near = near_ranks(group, same, net.levels());
  add_all_to_all(net, group, bytes / static_cast<double>(near.size(net.levels())), out);
  add_half(net, near, bytes, out);
}

void add_gather(const Network& net, const Span& group, const Span& same, double bytes,
                Traffic& out) {
  if (group.size(net.levels()) <= 1) return;
  const Span near = near_ranks(group, same, net.levels());
  add_half(net, group, bytes / static_cast<double>(near.size(net.levels())), out);
  add_half(net, near, bytes, out);
}

}  // namespace ridgeline::physics
