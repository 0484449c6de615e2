// The plain evaluation of pairs: the one that decides and that every printed number comes from.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "ridgeline/explore/hardware.h"
#include "ridgeline/explore/problem.h"
#include "ridgeline/physics/cost.h"
#include "ridgeline/physics/lower.h"

namespace ridgeline::explore {

// Evaluates pairs of one hardware group and workload; remembers the plans it has lowered. One per thread.
class Plain {
 public:
  Plain(const Problem& problem, const HardwareGroup& group, std::uint32_t workload);

  const Step& step(std::uint32_t plan) { return entry(plan).step; }

  // REQUIRES: the plan can be placed.
  Row row(std::uint32_t plan, const Site& site, double cost);

 private:
  struct Entry {
    Step step;
    physics::StepFacts facts;
  };
  Entry& entry(std::uint32_t plan);

  const Problem& problem_;
  const HardwareGroup& group_;
  std::uint32_t workload_;
  physics::Lowering lowering_;
  std::unordered_map<std::uint32_t, Entry> entries_;
};

}  // namespace ridgeline::explore
