#pragma once

#include <cstdint>
#include <optional>
#include <tuple>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"
#include "ridgeline/physics/pace.h"
#include "ridgeline/solve/distributed.h"

namespace ridgeline::solve::network_roofline {

inline constexpr char kCard[] = R"(
What binds a training job as it grows: arithmetic, memory or the network?

Equations, of one step under its plan, N devices in all
  (1) t_c = F/(N R e)            F the FLOP that are done                          [williams2009]
  (2) t_m = mu m W_rank/BW       the fullest rank reads its weights         distributed (1)
  (3) t_n = sum over tp, cp, ep, pp and dp of what they send, hidden or not distributed (2)-(5), (7)
  (4) bound = the largest of the three; ties in that order
  (5) network intensity = F/N over the bytes that a device sends,  ridge = R e/bw of the level of
      links that is busiest
  (6) crossover = the fewest devices with t_n >= t_c: dp grows and the rest of the plan stays, as
      does the batch; inside a node by replicas, then by whole nodes
Assumes     three overlapping streams; bytes are those of rings where the algorithm is auto.
Leaves out  bubbles, launches, optimizer (distributed). Beyond one sample per micro-batch and
            replica dp does not grow: then there is no crossover.
Trust       pure dp has an intensity near the tokens of a device: 6 P T/(4 P n/(n - 1)) = 1.5 T FLOP
            per byte at 2-byte gradients; fewer devices than the crossover are not network-bound.
)";

struct Inputs {
  distributed::Inputs job;

  static constexpr auto fields() { return std::tuple(flat(&Inputs::job)); }
};

struct Output {
  physics::TimeBound bound = physics::TimeBound::compute;
  Seconds compute, memory, network;
  std::int64_t devices = 1;
  Bytes sent;
  std::optional<double> network_intensity_flop_per_byte, ridge_flop_per_byte;
  std::optional<std::int64_t> crossover_devices;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::bound, "bound", "", "the largest of the three times"),
        field(&Output::compute, "compute", "t_c", "arithmetic of a step"),
        field(&Output::memory, "memory", "t_m", "reads of the weights"),
        field(&Output::network, "network", "t_n", "traffic of a step"),
        field(&Output::devices, "devices", "N", "of the job"),
        field(&Output::sent, "sent", "", "by a device in a step"),
        field(&Output::network_intensity_flop_per_byte, "network_intensity_flop_per_byte", "",
              "FLOP of a device per byte that it sends; none where it sends nothing"),
        field(&Output::ridge_flop_per_byte, "ridge_flop_per_byte", "ridge",
              "intensity at which arithmetic and the busiest links take the same time"),
        field(&Output::crossover_devices, "crossover_devices", "",
              "from which on the network takes longer than arithmetic; none within the batch"));
  }
};

// Fills what distributed fills.
Result<Inputs> check(const Inputs& in);

// REQUIRES: `in` came from check().
Output solve(const Inputs& in);

}  // namespace ridgeline::solve::network_roofline
