// What inspect advises: hints with their patches, mends, parts of the tensors.
#include <fmt/format.h>

#include <cmath>

#include "ridgeline/app/input.h"
#include "ridgeline/app/inspect.h"
#include "ridgeline/app/messages.h"

namespace ridgeline::app {
namespace {

template <class E>
const char* name_of(E value) {
  return names_of(value)[static_cast<std::size_t>(value)];
}

Json number(double value) {
  const bool whole = value == std::floor(value) && std::fabs(value) < 9e15;
  return whole ? Json(static_cast<std::int64_t>(value)) : Json(value);
}

Json effect_json(const advise::Effect& effect) {
  return {{"latency_s", effect.placement_valid ? Json(effect.latency_s) : Json(nullptr)},
          {"total_bytes", effect.total_bytes},
          {"fits_memory", effect.fits_memory},
          {"placement_valid", effect.placement_valid}};
}

// `patch` and `effect`, null where there is nothing to try.
void put_patch(const Inspection& in, const HintPatch& tried, Json& out) {
  out["patch"] = nullptr;
  out["effect"] = nullptr;
  if (tried.patch.empty()) return;
  out["patch"] = Json::object();
  for (const advise::Change& change : tried.patch) {
    out["patch"][change.field.path] = scalar_json(change.field, change.value);
  }
  out["effect"] = {{"before", effect_json(in.now)}, {"after", effect_json(tried.after)}};
}

Json hint_json(const Inspection& in, const advise::Hint& hint) {
  Json values = Json::object();
  for (const advise::HintValue& v : hint.values) values[v.name] = number(v.value);
  if (hint.id == advise::HintId::placement_invalid) {
    values["reasons"] = Json::array();
    for (const InvalidReason r : in.step.layout.invalid_reasons) {
      values["reasons"].push_back(name_of(r));
    }
  }
  return {{"id", name_of(hint.id)},
          {"category", name_of(hint.category)},
          {"severity", name_of(hint.severity)},
          {"message", message_of(hint, in.step.layout)},
          {"values", std::move(values)}};
}

std::string rule_text(const advise::Shard& s, const advise::Piece& piece) {
  const std::int64_t pieces = piece.row_pieces * piece.column_pieces;
  if (pieces == 1) return "whole on every device";
  const char* way = piece.column_pieces == 1 ? "rows"
                    : piece.row_pieces == 1  ? "columns"
                                             : "rows and columns";
  return fmt::format("{} cut into {} over {}, each part on {:.6g} device{}", way,
                     count_text(pieces), s.sharded_over, s.copies, s.copies == 1 ? "" : "s");
}

Json range_json(std::int64_t piece, std::int64_t pieces, double part, double whole) {
  const auto start = static_cast<double>(piece) * whole / static_cast<double>(pieces);
  return {number(start), number(std::min(whole, start + part))};
}

Json shard_json(const advise::Shard& s, const Plan& plan, const physics::Rank& rank) {
  const advise::Piece piece = advise::piece_of(s, plan, rank.tp, rank.cp, rank.dp);
  return {{"tensor", name_of(s.tensor)},
          {"layers", s.layers},
          {"full_shape", {number(s.rows), number(s.columns)}},
          {"sharded_over", s.sharded_over},
          {"per_pe_shape", {number(s.part_rows), number(s.part_columns)}},
          {"per_pe_bytes", number(s.bytes)},
          {"copies", number(s.copies)},
          {"rule", rule_text(s, piece)},
          {"pieces", {piece.row_pieces, piece.column_pieces}},
          {"piece", {piece.row, piece.column}},
          {"rows", range_json(piece.row, piece.row_pieces, s.part_rows, s.rows)},
          {"columns", range_json(piece.column, piece.column_pieces, s.part_columns, s.columns)}};
}

}  // namespace

Json hints_json(const Inspection& in) {
  Json out = Json::array();
  for (std::size_t i = 0; i < in.hints.size(); ++i) {
    out.push_back(hint_json(in, in.hints[i]));
    put_patch(in, in.patches[i], out.back());
  }
  return out;
}

Json mends_json(const Inspection& in) {
  Json out = Json::array();
  for (const HintPatch& mend : in.mends) {
    out.push_back(Json::object());
    put_patch(in, mend, out.back());
  }
  return out;
}

Json shards_json(const Inspection& in) {
  const auto& [machine, work, plan] = in.c.scenario;
  const std::int64_t r = in.detail.rank;
  const physics::Rank rank{r % plan.tp, r / plan.tp % plan.cp, 0, r / plan.tp / plan.cp};
  Json owner = nullptr;
  if (in.valid()) {
    owner = device_name(machine, physics::device_of(machine, in.placement, plan, rank));
  }
  Json out = Json::array();
  for (const advise::Shard& s : in.shards) {
    out.push_back(shard_json(s, plan, rank));
    out.back()["owner"] = owner;
  }
  return out;
}

}  // namespace ridgeline::app
