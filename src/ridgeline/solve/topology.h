#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"

namespace ridgeline::solve::topology {

inline constexpr char kCard[] = R"(
What can a network carry: across its middle, per node, and in how many hops?

Equations, of N nodes; beta is the share of full bisection (N/2 links), at most 1
  (1) beta = 1 fat-tree, full;  4/N ring;  4/longest side torus2d, torus3d;  2/longest side mesh2d;
      dragonfly h/(2 p): half of the global links cross the middle     [dally2004] [kim2008]
  (2) bisection = beta N/2 link/oversubscription,  effective = beta link/oversubscription
  (3) mean hops over all pairs, a node with itself among them: ring and each side k of a torus
      k/4 (odd k: (k^2 - 1)/(4 k)); each side of a mesh (k - 1/k)/3; full (N - 1)/N; fat-tree
      2 levels and dragonfly 3, upper values                                     [dally2004]
  (4) diameter: ring, torus sum of floor(k/2); mesh sum of k - 1; full 1; fat-tree 2 levels;
      dragonfly 3
  (5) time of a pattern of M bytes a node: all-reduce or all-to-all as collectives through links
      of link/oversubscription [thakur2005], never below what crosses the middle/bisection: M of an
      all-reduce, N M/4 of uniform and all-to-all traffic
Assumes     even traffic; minimal routes; sides of grids as equal as N allows.
Leaves out  congestion of single links; adaptive routing.
Trust       beta never exceeds 1; one node needs no network; a 2x2x2 torus is a hypercube.
)";

enum class Shape : std::uint8_t { fat_tree, dragonfly, torus2d, torus3d, mesh2d, ring, full };
enum class Pattern : std::uint8_t { uniform, all_reduce, all_to_all };

inline std::span<const char* const> names_of(Shape) {
  static constexpr std::array<const char*, 7> kNames = {
      "fat-tree", "dragonfly", "torus2d", "torus3d", "mesh2d", "ring", "full"};
  return kNames;
}
inline std::span<const char* const> names_of(Pattern) {
  static constexpr std::array<const char*, 3> kNames = {"uniform", "all-reduce", "all-to-all"};
  return kNames;
}

struct Inputs {
  Shape topology = Shape::fat_tree;
  std::int64_t num_nodes = 1;
  BytesPerSecond link;
  double oversubscription = 1;
  std::int64_t levels = 2;
  double global_link_ratio = 1;
  Pattern pattern = Pattern::uniform;
  std::optional<Bytes> message;
  Seconds link_latency;

  static constexpr auto fields() {
    return std::tuple(
        field(&Inputs::topology, "topology", "", "how nodes are joined"),
        field(&Inputs::num_nodes, "num_nodes", "N", "nodes"),
        field(&Inputs::link, "link", "link", "one link, one direction"),
        field(&Inputs::oversubscription, "oversubscription", "", "of the middle, 1: none"),
        field(&Inputs::levels, "levels", "", "of switches, fat-tree"),
        field(&Inputs::global_link_ratio, "global_link_ratio", "h/p",
              "global links over nodes of a router, dragonfly"),
        field(&Inputs::pattern, "pattern", "", "traffic to time"),
        field(&Inputs::message, "message", "M", "bytes of each node, to time the pattern"),
        field(&Inputs::link_latency, "link_latency", "a", "of one hop"));
  }
};

struct Output {
  std::optional<BytesPerSecond> bisection, effective;
  std::optional<double> bisection_fraction;
  double mean_hops = 0;
  std::int64_t diameter = 0;
  std::optional<Seconds> pattern;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::bisection, "bisection", "", "across the middle, one direction"),
        field(&Output::bisection_fraction, "bisection_fraction", "beta", "of full bisection"),
        field(&Output::effective, "effective", "", "of a node when all send across"),
        field(&Output::mean_hops, "mean_hops", "", "links on a path, on average"),
        field(&Output::diameter, "diameter", "", "links on the longest path"),
        field(&Output::pattern, "pattern", "", "time of the pattern"));
  }
};

Result<Inputs> check(const Inputs& in);

// Pure and allocation-free. REQUIRES: `in` passed check().
Output solve(const Inputs& in);

}  // namespace ridgeline::solve::topology
