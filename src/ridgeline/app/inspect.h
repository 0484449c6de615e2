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
#include "ridgeline/report/json_writer.h"
#include "ridgeline/spec/step.h"

namespace ridgeline::app {

// Parts of the result that may be left out.
enum class InspectPart : std::uint8_t { formulas, symbols, topology, shards, effects };

inline std::span<const char* const> names_of(InspectPart) {
  static constexpr std::array<const char*, 5> kNames = {"formulas", "symbols", "topology", "shards",
                                                        "effects"};
  return kNames;
}

// What is described besides, where asked for.
struct InspectDetail {
  bool devices = false;   // each device of the topology
  bool formulas = false;  // for readers: each term in symbols and values
  std::int64_t rank = 0;  // of the first stage: whose parts of the tensors are described
  std::array<bool, 5> parts{true, true, true, true, true};

  bool has(InspectPart part) const { return parts[static_cast<std::size_t>(part)]; }
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

Result<Inspection> inspect(Case c, const InspectDetail& detail, const Origins& origins);

// Parts of the result, each in a file of its own.
void write_symbols(const Inspection& in, report::JsonWriter& out);   // what the formulas speak of
void write_topology(const Inspection& in, report::JsonWriter& out);  // groups, devices, links
void write_hints(const Inspection& in, report::JsonWriter& out);     // with what they suggest
void write_mends(const Inspection& in, report::JsonWriter& out);
void write_shards(const Inspection& in, report::JsonWriter& out);

// "sip2.cube3.pe1": a device by the groups it stands in.
std::string device_name(const Machine& machine, std::int64_t device);

// Work of a stage in the symbols of the model: {"m": "2 tok d q'", ...}; not of every model.
bool has_definitions(const Model& model);
void write_definitions(const Inspection& in, StageName stage, bool moe, report::JsonWriter& out);

// The `result` of JSON, and the sections for readers.
void write_inspect_result(const Inspection& in, report::JsonWriter& out);
std::vector<report::Section> inspect_sections(const Inspection& in);
report::Rows inspect_rows(const Inspection& in);
report::Chart inspect_chart(const Inspection& in);

}  // namespace ridgeline::app
