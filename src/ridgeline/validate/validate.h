// Validate: predictions for the rows of published measurements, by the same solvers that answer
// users. A table is known by its columns; every row is answered or skipped with its reason.
#pragma once

#include <string>
#include <vector>

#include "ridgeline/base/result.h"
#include "ridgeline/validate/findings.h"
#include "ridgeline/validate/registry.h"
#include "ridgeline/validate/table.h"

namespace ridgeline::validate {

// Adds what the rows of one table give. Error bad_value, `where` empty: no table of a known kind.
Status add_table(const Table& table, const Registry& registry, Findings& out);

// The tables, each in a file of its own. REQUIRES: the table has the columns of its kind.
void add_memory(const Table& table, const Registry& registry, Findings& out);
void add_training(const Table& table, const Registry& registry, Findings& out);
void add_serving(const Table& table, const Registry& registry, Findings& out);
void add_microbench(const Table& table, const Registry& registry, Findings& out);
void add_carbon(const Table& table, const Registry& registry, Findings& out);
void add_reliability(const Table& table, const Registry& registry, Findings& out);
void add_cost(const Table& table, const Registry& registry, Findings& out);

}  // namespace ridgeline::validate
