// Inspect: one configuration in full. Evaluated here, described by inspect_json.cc and
// inspect_text.cc.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "ridgeline/advise/hints.h"
#include "ridgeline/advise/replication.h"
#include "ridgeline/advise/shards.h"
#include "ridgeline/app/resolve.h"
#include "ridgeline/physics/cost.h"
#include "ridgeline/report/document.h"
#include "ridgeline/spec/step.h"

namespace ridgeline::app {

struct Inspection {
  Case c;
  Step step;
  physics::Rates rates;
  physics::Objectives objectives;
  std::int64_t capacity_bytes = 0;
  bool fits = false;
  advise::Replication replication;
  std::vector<advise::Hint> hints;
  std::vector<advise::Shard> shards;

  bool valid() const { return step.layout.valid(); }
  bool good() const { return fits && valid(); }
};

Result<Inspection> inspect(Case c, const Origins& origins);

// The `result` of JSON, and the sections for readers.
Json inspect_result(const Inspection& in);
std::vector<report::Section> inspect_sections(const Inspection& in);
report::Rows inspect_rows(const Inspection& in);
report::Chart inspect_chart(const Inspection& in);

}  // namespace ridgeline::app
