// Facts: names of registry entries that stand for numbers of a solver: a site for PUE and WUE, a
// grid for carbon intensity and price, a device for power and price, storage for bandwidths,
// failure rates for the parts of a node. What the user gives wins.
#pragma once

#include <span>

#include "ridgeline/app/command.h"
#include "ridgeline/app/members.h"
#include "ridgeline/app/request.h"
#include "ridgeline/base/result.h"

namespace ridgeline::app {

// The names that a solver with these members understands.
std::vector<Field> fact_fields(std::span<const Member> members);

struct Filled {
  Request request;
  Json sources = Json::array();  // [{"field", "source"}] of what was filled in
};

// The request with the numbers that its names stand for. A region given as a name becomes an
// object.
Result<Filled> with_facts(const Request& request, std::span<const Member> members,
                          const Context& context);

}  // namespace ridgeline::app
