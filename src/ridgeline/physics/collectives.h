// Collectives: hops and serialised link bytes per level. Equations: docs/chiplet-model.md section 4
// on direct levels; [thakur2005], [patarasuk2009] on switched ones:
//   reduce-scatter or all-gather of M over n:  ring (n-1)/n M/bw + (n-1) a,  tree M/bw + ceil(log2
//   n) a, the cheaper;  all-to-all (n-1)/n M/bw + (n-1) a;  several levels: the inner one first,
//   M/n left over.
#pragma once

#include <cstdint>

#include "ridgeline/physics/topology.h"
#include "ridgeline/spec/machine.h"
#include "ridgeline/spec/step.h"

namespace ridgeline::physics {

// What every collective of one plan shares.
struct Network {
  const Machine* machine;
  const Layout* layout;
  HopCache* hops;

  std::size_t levels() const { return machine->levels.size(); }
};

// Adds an all-gather to M bytes, or a reduce-scatter of M, over `group`.
void add_half(const Network& net, const Span& group, double bytes, Traffic& out);

// Adds an all-reduce of M: twice a half.
void add_all_reduce(const Network& net, const Span& group, double bytes, Traffic& out);

// Adds an all-to-all; every rank holds `bytes` for all ranks of the group.
void add_all_to_all(const Network& net, const Span& group, double bytes, Traffic& out);

// Adds `steps` passes of `bytes` to the next rank of a ring over the group's outermost level.
void add_ring(const Network& net, const Span& group, double bytes, double steps, Traffic& out);

// Ranks of `same` (equal data) that share one transfer over `group`.
Span near_ranks(const Span& group, const Span& same, std::size_t levels);

// Adds an all-to-all over `group` of data that the ranks of `same` hold in common.
void add_exchange(const Network& net, const Span& group, const Span& same, double bytes,
                  Traffic& out);

// Adds an all-gather over `group` of data that the ranks of `same` hold in common.
void add_gather(const Network& net, const Span& group, const Span& same, double bytes,
                Traffic& out);

}  // namespace ridgeline::physics
