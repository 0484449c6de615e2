#include "ridgeline/solve/offload.h"

#include <algorithm>
#include <limits>

#include "ridgeline/solve/model_checks.h"

namespace ridgeline::solve::offload {
namespace {

struct Movable {
  Part part = Part::optimizer;
  Bytes held;
  double moves = 0;
};

// Parts, the cheapest to move first; equals keep their order.
std::array<Movable, 3> parts_of(const Inputs& in) {
  std::array<Movable, 3> parts = {{{Part::optimizer, in.optimizer, in.optimizer_moves},
                                   {Part::activations, in.activations, in.activations_moves},
                                   {Part::weights, in.weights, in.weights_moves}}};
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Movable& a, const Movable& b) { return a.moves < b.moves; });  // (2)
  return parts;
}

Bytes host_room(const Inputs& in) {
  return in.host_capacity.value_or(Bytes::from_base(std::numeric_limits<double>::infinity()));
}

// Takes out of the device as much as is short, to the host first.
Placed place(const Inputs& in, const Movable& movable, const Output& so_far) {
  const Bytes out = std::min(movable.held, so_far.shortfall - so_far.freed);
  Placed placed{.part = movable.part, .device = movable.held - out};
  placed.host = std::min(out, host_room(in) - so_far.host);
  placed.flash = out - placed.host;
  placed.moved = movable.moves * out;  // (3)
  return placed;
}

void put_traffic(const Inputs& in, Bytes flash_moved, Output& out) {
  out.required_bandwidth = out.moved / in.stage;  // (5)
  if (!in.host_link) return;
  out.transfer = out.moved / *in.host_link;
  if (in.flash_bandwidth) {
    out.transfer = std::max(*out.transfer, flash_moved / *in.flash_bandwidth);  // (4)
  }
  out.exposed = std::max(Seconds{}, *out.transfer - in.stage);  // (5)
}

Status check_parts(const Inputs& in) {
  const Bytes parts = in.optimizer + in.activations + in.weights + in.resident;
  if (in.moved && parts > Bytes{}) {
    return conflict("moved", "the bytes moved are given, and what is to be placed as well",
                    "one of both");
  }
  if (in.moved) return Ok{};
  if (parts == Bytes{}) {
    return missing("moved", "nothing is moved", "moved, or optimizer, activations and weights");
  }
  return check_needed("memory_capacity", in.memory_capacity, "it decides what must leave");
}

}  // namespace

Result<Inputs> check(const Inputs& in) {
  RIDGELINE_CHECK(check_amount("stage", in.stage));
  RIDGELINE_CHECK(check_amount("host_link", in.host_link));
  RIDGELINE_CHECK(check_amount("flash_bandwidth", in.flash_bandwidth));
  RIDGELINE_CHECK(check_amount_or_zero("moved", in.moved));
  RIDGELINE_CHECK(check_amount_or_zero("optimizer", in.optimizer));
  RIDGELINE_CHECK(check_amount_or_zero("activations", in.activations));
  RIDGELINE_CHECK(check_amount_or_zero("weights", in.weights));
  RIDGELINE_CHECK(check_amount_or_zero("resident", in.resident));
  RIDGELINE_CHECK(check_amount("memory_capacity", in.memory_capacity));
  RIDGELINE_CHECK(check_amount_or_zero("host_capacity", in.host_capacity));
  RIDGELINE_CHECK(check_amount_or_zero("optimizer_moves", in.optimizer_moves));
  RIDGELINE_CHECK(check_amount_or_zero("activations_moves", in.activations_moves));
  RIDGELINE_CHECK(check_amount_or_zero("weights_moves", in.weights_moves));
  RIDGELINE_CHECK(check_parts(in));
  return in;
}

Answer<Output, Placed> solve(const Inputs& in) {
  Answer<Output, Placed> answer;
  Output& out = answer.output;
  if (in.moved) {
    out.moved = *in.moved;
    put_traffic(in, {}, out);
    return answer;
  }
  const Bytes all = in.optimizer + in.activations + in.weights + in.resident;
  out.shortfall = std::max(Bytes{}, all - *in.memory_capacity);  // (1)
  Bytes flash_moved;
  for (const Movable& movable : parts_of(in)) {
    const Placed placed = place(in, movable, out);
    out.freed = out.freed + placed.host + placed.flash;
    out.host = out.host + placed.host;
    out.flash = out.flash + placed.flash;
    out.moved = out.moved + placed.moved;
    flash_moved = flash_moved + movable.moves * placed.flash;
    answer.rows.push_back(placed);
  }
  put_traffic(in, flash_moved, out);
  if (out.flash > Bytes{} && !in.flash_bandwidth) out.reason = Reason::host_memory;
  if (out.freed < out.shortfall) out.reason = Reason::memory;
  out.feasible = out.reason == Reason::none;
  return answer;
}

}  // namespace ridgeline::solve::offload
