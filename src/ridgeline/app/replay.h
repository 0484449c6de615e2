// Replay: case files (a command line, a spec, the right answers) run in-process and checked.
#pragma once

#include <string>
#include <vector>

#include "ridgeline/app/request.h"

namespace ridgeline::app {

struct Miss {
  std::string id, path, right, got, fault;
};

// What is wrong with `got`, the output of the case's command that ended with `exit_status`.
std::vector<Miss> misses_of(const Json& one_case, const Json& got, int exit_status);

// Do both name the same place? The last name counts, `--tp-size` and `/plan/tp` are the same, and a
// field inside the one that is right passes.
bool same_place(const std::string& right, const std::string& got);

}  // namespace ridgeline::app
