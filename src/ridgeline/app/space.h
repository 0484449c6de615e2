// Space: what `explore` searches, from data (the form is described in explore/space.h).
#pragma once

#include <string>
#include <vector>

#include "ridgeline/app/input.h"
#include "ridgeline/app/resolve.h"
#include "ridgeline/base/result.h"
#include "ridgeline/explore/space.h"

namespace ridgeline::app {

struct SpaceInput {
  explore::Space space;
  Json shown;  // the members of `inputs` that give the same space again: depth and plans, or space
  std::vector<std::string> axis_paths;  // fields that the search sets: they are no part of `inputs`
};

// Reads depth or space, plans, objectives and constraints; sets what is fixed in `c`. A plan field
// that the user gave is no axis any more.
Result<SpaceInput> space_of(const Request& request, const Context& context, Case& c);

// All plans of --plans full on the machine and workload of `c`, allowed what `like` allows; sets
// what is fixed in `c`.
Result<explore::Space> full_plan_space(const Request& request, const Context& context,
                                       const explore::Space& like, Case& c);

}  // namespace ridgeline::app
