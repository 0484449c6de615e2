// The kernels of one instruction set, for kernels.cc to choose from.
#pragma once

#include <cstdint>
#include <vector>

#include "ridgeline/explore/kernels.h"

namespace ridgeline::explore {

struct KernelTable {
  decltype(&ridgeline::explore::simplify) simplify;
  decltype(&ridgeline::explore::device_rows) device_rows;
  decltype(&ridgeline::explore::link_rows) link_rows;
  decltype(&ridgeline::explore::least_sums) least_sums;
  decltype(&ridgeline::explore::sum_rows) sum_rows;
  decltype(&ridgeline::explore::select_below) select_below;
  decltype(&ridgeline::explore::least_alive) least_alive;
  decltype(&ridgeline::explore::select_undominated) select_undominated;
  decltype(&ridgeline::explore::least_direct) least_direct;
  std::int64_t target;  // Highway's number of the instruction set
};

// Those that this processor can run, the widest first.
std::vector<const KernelTable*> usable_kernels();

}  // namespace ridgeline::explore
