// The plain evaluation of pairs: the one that decides and that every printed number comes from.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "ridgeline/explore/hardware.h"
#include "ridgeline/explore/problem.h"
#include "ridgeline/physics/cost.h"
#include "ridgeline/physics/lower.h"

namespace ridgeline::explore {

// A hardware point as a pair needs it.
struct Spot {
  std::int64_t hardware = 0;
  physics::Rates rates;
  double capacity_bytes = 0;
  double cost = 0;
};

// The metrics of a pair that fits `capacity_bytes` or not.
std::array<double, kMetricCount> metrics_of(const physics::Objectives& objectives,
                                            std::int64_t memory_bytes, double capacity_bytes);

// Evaluates pairs of one machine shape and workload; remembers the plans it has lowered. One per
// thread.
class Plain {
 public:
  // Keeps a reference to `problem`; `machine` has the fields of the shape.
  Plain(const Problem& problem, const Machine& machine, std::uint32_t workload);

  const Step& step(std::uint32_t plan) { return entry(plan).step; }

  // REQUIRES: the plan can be placed.
  Row row(std::uint32_t plan, const Spot& spot);

 private:
  struct Entry {
    Step step;
    physics::StepFacts facts;
  };
  Entry& entry(std::uint32_t plan);

  const Problem& problem_;
  std::uint32_t workload_;
  physics::Lowering lowering_;
  std::unordered_map<std::uint32_t, Entry> entries_;
};

}  // namespace ridgeline::explore
