// Hops between members of one level, by its topology. Equations: docs/chiplet-model.md section 3.5.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "ridgeline/spec/machine.h"

namespace ridgeline::physics {

// Worst hops of one step of each pattern over n members; zero when n is 1.
struct Hops {
  double ring = 0;      // one step of a (folded) ring through all members
  double tree = 0;      // a whole binary tree: ceil(log2 n) steps of doubling distance
  double diameter = 0;  // between the two members farthest apart
};

// Columns, rows, planes of the grid that a direct level with `used` members in use makes: its shape
// if it has one, else near-square (near-cubic) with the rows the largest divisor <= sqrt(used).
struct Grid {
  std::int64_t columns = 1, rows = 1, planes = 1;
  std::int64_t size() const { return columns * rows * planes; }
};
Grid grid_of(const Level& level, std::int64_t used);

// Where a member stands on the grid.
struct Place {
  std::int64_t column = 0, row = 0, plane = 0;
};
Place place_of(const Grid& grid, std::int64_t index);

// Links to cross from member a to member b of a direct level; indices are taken modulo the grid's
// size and run boustrophedon, so that neighbours in number are neighbours in place.
std::int64_t distance(Topology topology, const Grid& grid, std::int64_t a, std::int64_t b);

// Hops of n members at 0, stride, 2 stride, ... on a level with `used` members in use. Switched
// levels and crossbars take one hop between any two.
Hops hops_of(const Level& level, std::int64_t n, std::int64_t stride, std::int64_t used);

// The same, remembered: exploring asks for few distinct groups many times.
class HopCache {
 public:
  const Hops& of(const Level& level, std::size_t level_index, std::int64_t n, std::int64_t stride,
                 std::int64_t used);

 private:
  struct Entry {
    std::uint64_t key = 0;
    Hops hops;
  };
  std::vector<Entry> table_;  // open addressing, a power of two long
  std::size_t count_ = 0;

  void grow();
};

// ceil(log2 n) for n >= 1.
std::int64_t ceil_log2(std::int64_t n);

}  // namespace ridgeline::physics
