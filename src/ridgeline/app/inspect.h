// Inspect: one configuration in full. Evaluated here, described by inspect_json.cc and
// inspect_text.cc.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "ridgeline/advise/hints.h"
#include "ridgeline/advise/patches.h"
#include "ridgeline/advise/replication.h"
#include "ridgeline/advise/shards.h"
#include "ridgeline/app/resolve.h"
#include "ridgeline/physics/cost.h"
#include "ridgeline/physics/placement.h"
#include "ridgeline/report/document.h"
#include "ridgeline/spec/step.h"

namespace ridgeline::app {

// What is described besides, where asked for.
struct InspectDetail {
  bool devices = false;   // each device of the topology
  bool formulas = false;  // for readers: each term in symbols and values
  std::int64_t rank = 0;  // of the first stage: whose parts of the tensors are described
};

struct HintPatch {
  advise::Patch patch;  // empty: nothing to try
  advise::Effect after;
};

struct Inspection {
  Case c;
  InspectDetail detail;
  physics::Placement placement;
  Step step;
  physics::Rates rates;
  physics::Objectives objectives;
  std::int64_t capacity_bytes = 0;
  bool fits = false;
  advise::Replication replication;
  std::vector<advise::Hint> hints;
  std::vector<HintPatch> patches;  // one per hint
  std::vector<HintPatch> mends;    // where it does not fit or cannot be placed
  advise::Effect now;
  std::vector<advise::Shard> shards;

  bool valid() const { return step.layout.valid(); }
  bool good() const { return fits && valid(); }
};

Result<Inspection> inspect(Case c, const Origins& origins);

// Parts of the result, each in a file of its own.
Json symbols_json(const Inspection& in);   // what the symbols of the formulas stand for
Json topology_json(const Inspection& in);  // where groups and devices stand, and their links
Json hints_json(const Inspection& in);     // with what they suggest and its effect
Json mends_json(const Inspection& in);
Json shards_json(const Inspection& in);

// "sip2.cube3.pe1": a device by the groups it stands in.
std::string device_name(const Machine& machine, std::int64_t device);

// Work of a stage in the symbols of the model: {"m": "2 tok n", ...}.
Json definitions_of(StageName stage);

// The `result` of JSON, and the sections for readers.
Json inspect_result(const Inspection& in);
std::vector<report::Section> inspect_sections(const Inspection& in);
report::Rows inspect_rows(const Inspection& in);
report::Chart inspect_chart(const Inspection& in);

}  // namespace ridgeline::app
