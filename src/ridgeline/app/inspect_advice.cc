// What inspect advises: hints with their patches, mends, parts of the tensors.
#include <fmt/format.h>

#include <algorithm>

#include "ridgeline/app/input.h"
#include "ridgeline/app/inspect.h"
#include "ridgeline/app/messages.h"

namespace ridgeline::app {
namespace {

using report::JsonWriter;
using Form = JsonWriter::Form;

template <class E>
const char* name_of(E value) {
  return names_of(value)[static_cast<std::size_t>(value)];
}

void write_effect(const char* key, const advise::Effect& effect, JsonWriter& out) {
  out.plain_key(key);
  out.begin_object(Form::line);
  out.member_or_null("latency_s", effect.placement_valid, effect.latency_s);
  out.member("total_bytes", effect.total_bytes);
  out.member("fits_memory", effect.fits_memory);
  out.member("placement_valid", effect.placement_valid);
  out.end_object();
}

// `patch` and `effect`, null where there is nothing to try.
void write_patch(const Inspection& in, const HintPatch& tried, JsonWriter& out) {
  if (tried.patch.empty()) {
    out.member("patch", nullptr);
    return out.member("effect", nullptr);
  }
  out.plain_key("patch");
  out.begin_object(Form::line);
  for (const advise::Change& change : tried.patch) {
    out.member(change.field.path, scalar_json(change.field, change.value));
  }
  out.end_object();
  out.plain_key("effect");
  out.begin_object(Form::line);
  write_effect("before", in.now, out);
  write_effect("after", tried.after, out);
  out.end_object();
}

void write_hint(const Inspection& in, const advise::Hint& hint, JsonWriter& out) {
  out.member("id", name_of(hint.id));
  out.member("category", name_of(hint.category));
  out.member("severity", name_of(hint.severity));
  out.member("message", message_of(hint, in.step.layout));
  out.plain_key("values");
  out.begin_object(Form::line);
  for (const advise::HintValue& v : hint.values) out.member_number(v.name, v.value);
  if (hint.id == advise::HintId::placement_invalid) {
    out.plain_key("reasons");
    out.begin_list(Form::line);
    for (const InvalidReason r : in.step.layout.invalid_reasons) out.value(name_of(r));
    out.end_list();
  }
  out.end_object();
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

void write_pair(const char* key, double first, double second, JsonWriter& out) {
  out.plain_key(key);
  out.begin_list(Form::line);
  out.number(first);
  out.number(second);
  out.end_list();
}

void write_range(const char* key, std::int64_t piece, std::int64_t pieces, double part,
                 double whole, JsonWriter& out) {
  const auto start = static_cast<double>(piece) * whole / static_cast<double>(pieces);
  write_pair(key, start, std::min(whole, start + part), out);
}

void write_shard(const advise::Shard& s, const advise::Piece& piece, JsonWriter& out) {
  out.member("tensor", name_of(s.tensor));
  out.member("layers", s.layers);
  write_pair("full_shape", s.rows, s.columns, out);
  out.member("sharded_over", s.sharded_over);
  write_pair("per_pe_shape", s.part_rows, s.part_columns, out);
  out.member_number("per_pe_bytes", s.bytes);
  out.member_number("copies", s.copies);
  out.member("rule", rule_text(s, piece));
  write_pair("pieces", static_cast<double>(piece.row_pieces),
             static_cast<double>(piece.column_pieces), out);
  write_pair("piece", static_cast<double>(piece.row), static_cast<double>(piece.column), out);
  write_range("rows", piece.row, piece.row_pieces, s.part_rows, s.rows, out);
  write_range("columns", piece.column, piece.column_pieces, s.part_columns, s.columns, out);
}

}  // namespace

void write_hints(const Inspection& in, JsonWriter& out) {
  const bool tells = in.detail.has(InspectPart::effects);
  out.begin_list();
  for (std::size_t i = 0; i < in.hints.size(); ++i) {
    const bool tries = tells && !in.patches[i].patch.empty();
    out.begin_object(tries ? Form::lines : Form::line);
    write_hint(in, in.hints[i], out);
    if (tells) write_patch(in, in.patches[i], out);
    out.end_object();
  }
  out.end_list();
}

void write_mends(const Inspection& in, JsonWriter& out) {
  out.begin_list();
  for (const HintPatch& mend : in.mends) {
    out.begin_object();
    write_patch(in, mend, out);
    out.end_object();
  }
  out.end_list();
}

void write_shards(const Inspection& in, JsonWriter& out) {
  const auto& [machine, work, plan] = in.c.scenario;
  const std::int64_t r = in.detail.rank;
  const physics::Rank rank{r % plan.tp, r / plan.tp % plan.cp, 0, r / plan.tp / plan.cp};
  std::string owner;
  if (in.valid()) {
    owner = device_name(machine, physics::device_of(machine, in.placement, plan, rank));
  }
  out.begin_list();
  for (const advise::Shard& s : in.shards) {
    out.begin_object(Form::line);
    write_shard(s, advise::piece_of(s, plan, rank.tp, rank.cp, rank.dp), out);
    out.plain_key("owner");
    in.valid() ? out.value(owner) : out.value(nullptr);
    out.end_object();
  }
  out.end_list();
}

}  // namespace ridgeline::app
