// solve and explain: one solver, its answer, and its equations with the values put in.
#include "ridgeline/app/solve.h"

#include <fmt/format.h>

#include <algorithm>

#include "ridgeline/app/input.h"
#include "ridgeline/app/json_view.h"
#include "ridgeline/app/levers.h"
#include "ridgeline/app/uncertain.h"
#include "ridgeline/app/worked.h"
#include "ridgeline/base/text.h"
#include "ridgeline/catalog/references.h"

namespace ridgeline::app {
namespace {

using report::Heading;
using report::Line;

constexpr const char* kSolverWord[] = {"solver"};
constexpr Field kSolverField[] = {{"solver", FieldKind::text, "", "which solver"}};

struct Texts {
  const char* name;
  const char* summary;
  const char* example;
  Result<report::Document> (*answer)(const Request&, const Context&);
};
constexpr Texts kSolve{"solve", "one solver: serving, distributed, training-memory, ...",
                       "ridgeline solve serving --model llama-3.1-8b --machine H100 --seq-len 2048",
                       answer_solve};
constexpr Texts kExplain{"explain", "the equations of a solver, with the values put in",
                         "ridgeline explain roofline --flop 1TFLOP --machine H100", answer_explain};

std::vector<Command> variants_of(const Texts& texts) {
  std::vector<Command> out;
  for (const SolverEntry& entry : solver_entries()) {
    Command c{texts.name,  texts.summary, texts.example, Scope::own, entry.fields.fields(),
              kSolverWord, texts.answer};
    c.variant = entry.name.c_str();
    if (c.answer == answer_solve) c.outputs = entry.outputs.fields();
    out.push_back(c);
  }
  return out;
}

std::span<const Command> solve_variants() {
  static const std::vector<Command> kVariants = variants_of(kSolve);
  return kVariants;
}

std::span<const Command> explain_variants() {
  static const std::vector<Command> kVariants = variants_of(kExplain);
  return kVariants;
}

Result<const SolverEntry*> entry_named(const Request& request) {
  const auto given = request.input.find("solver");
  std::vector<std::string> names;
  for (const SolverEntry& entry : solver_entries()) names.push_back(entry.name);
  const std::string list = fmt::format("give {}", fmt::join(names, ", "));
  if (given == request.input.end() || !given->is_string()) {
    return Error{ErrorCode::missing, request.origins.where("/solver"), "no solver is named", list};
  }
  auto variant = find_variant(solve_command(), given->get<std::string>());
  if (!variant) return request.origins.placed(variant.error(), "/solver");
  for (const SolverEntry& entry : solver_entries()) {
    if (entry.name == (*variant)->variant) return &entry;
  }
  return Error{ErrorCode::internal, "", "a solver without an entry", ""};
}

bool is_list_of_objects(const Json& value) {
  return value.is_array() && !value.empty() && value.front().is_object();
}

// The parts of an object that are known.
Json known_of(const Json& object) {
  Json out = Json::object();
  for (const auto& [key, value] : object.items()) {
    if (value.is_null()) continue;
    const Json known = value.is_object() ? known_of(value) : value;
    if (!known.is_object() || !known.empty()) out[key] = known;
  }
  return out;
}

// One table of terms; those that hold terms themselves follow under a heading of their own.
void add_terms(const std::string& title, const std::vector<Term>& terms,
               std::vector<report::Section>& out) {
  report::Table table;
  table.columns = {{"key"}, {"symbol"}, {"value", report::Align::right}, {"meaning"}};
  for (const Term& term : terms) {
    if (term.value.is_object() || is_list_of_objects(term.value)) continue;
    table.rows.push_back({term.key, term.symbol, value_text(term.key, term.value), term.help});
  }
  out.push_back(Heading{title});
  out.push_back(std::move(table));
  for (const Term& term : terms) {
    if (is_list_of_objects(term.value)) {
      out.push_back(Heading{key_text(term.key)});
      out.push_back(table_of(term.value));
    }
    if (!term.value.is_object()) continue;
    out.push_back(Heading{key_text(term.key)});
    for (report::Section& section : sections_of(known_of(term.value))) {
      out.push_back(std::move(section));
    }
  }
}

void add_notes(const std::vector<Note>& notes, std::vector<report::Section>& out) {
  for (const Note& note : notes) out.push_back(Line{note.message, report::Tone::dim});
}

void add_card(const char* card, std::vector<report::Section>& out) {
  std::string line;
  for (const char* c = *card == '\n' ? card + 1 : card; *c != '\0'; ++c) {
    if (*c != '\n') {
      line += *c;
      continue;
    }
    out.push_back(Line{line});
    line.clear();
  }
}

Json terms_json(const std::vector<Term>& terms) {
  Json out = Json::array();
  for (const Term& term : terms) {
    out.push_back({{"key", term.key},
                   {"symbol", term.symbol},
                   {"meaning", term.help},
                   {"value", term.value}});
  }
  return out;
}

Json basis_json(const Solved& solved) {
  const char* why = solved.basis == "calibrated"
                        ? "shares of the peaks are those of measured kernels (aiconfigurator-core)"
                    : solved.basis == "estimate" ? "one efficiency is assumed for all work"
                                                 : "rates as stated by the registry, or as given";
  return {{"level", solved.basis},
          {"why", Json::array({why})},
          {"sources", solved.sources},
          {"interval", nullptr}};
}

Json with_solver(const SolverEntry& entry, Json inputs) {
  Json out{{"solver", entry.name}};
  out.update(inputs);
  return out;
}

Json csv_rows(const Solved& solved) {
  if (!solved.rows.empty()) return solved.rows;
  Json out = Json::array();
  for (const auto& [key, value] : solved.result.items()) {
    if (!value.is_structured()) out.push_back({{"key", key}, {"value", value}});
  }
  return out;
}

void add_worked(const std::vector<std::string>& worked, std::vector<report::Section>& out) {
  if (worked.empty()) return;
  out.push_back(Heading{"With these values"});
  for (const std::string& line : worked) out.push_back(Line{"  " + line});
}

void add_levers(const Solved& solved, std::vector<report::Section>& out) {
  if (solved.levers.is_null()) return;
  out.push_back(Heading{"Levers"});
  for (report::Section& section : lever_sections(solved.levers)) out.push_back(std::move(section));
}

// Inputs that say something.
std::vector<Term> given_of(std::span<const Term> terms) {
  std::vector<Term> out;
  for (const Term& term : terms) {
    if (!term.value.is_null() && !(term.value.is_array() && term.value.empty())) {
      out.push_back(term);
    }
  }
  return out;
}

// The works that the card cites, in the order in which it does.
std::vector<const catalog::Reference*> cited_by(std::string_view card) {
  std::vector<const catalog::Reference*> out;
  for (std::size_t at = card.find('['); at != std::string_view::npos; at = card.find('[', at + 1)) {
    const std::string_view key = card.substr(at + 1, card.find(']', at) - at - 1);
    for (const catalog::Reference& reference : catalog::references()) {
      const bool there = std::find(out.begin(), out.end(), &reference) != out.end();
      if (reference.key == key && !there) out.push_back(&reference);
    }
  }
  return out;
}

void add_references(std::span<const catalog::Reference* const> cited,
                    std::vector<report::Section>& out) {
  if (cited.empty()) return;
  report::Facts facts;
  for (const catalog::Reference* one : cited) {
    facts.rows.emplace_back(std::string(one->key), std::string(one->text));
  }
  out.push_back(Heading{"References"});
  out.push_back(std::move(facts));
}

Json references_json(std::span<const catalog::Reference* const> cited) {
  Json out = Json::array();
  for (const catalog::Reference* one : cited) {
    out.push_back({{"key", one->key}, {"citation", one->text}});
  }
  return out;
}

// Nothing but the solver is given: the card and what it takes.
bool is_bare(const Request& request) {
  return request.input.size() <= 1;
}

}  // namespace

std::vector<Term> terms_of(std::span<const Member> members) {
  std::vector<Term> out;
  for (const Member& m : members) out.push_back({m.key, m.symbol, m.help, m.get(), m.dim, m.unit});
  return out;
}

Command solve_command() {
  Command c{kSolve.name,  kSolve.summary, kSolve.example, Scope::own,
            kSolverField, kSolverWord,    kSolve.answer};
  c.list_variants = solve_variants;
  return c;
}

Command explain_command() {
  Command c{kExplain.name, kExplain.summary, kExplain.example, Scope::own,
            kSolverField,  kSolverWord,      kExplain.answer};
  c.list_variants = explain_variants;
  return c;
}

Result<report::Document> answer_solve(const Request& request, const Context& context) {
  RIDGELINE_TRY(const SolverEntry* entry, entry_named(request));
  RIDGELINE_TRY(const Solved solved, entry->run(request, context));
  report::Document out;
  add_terms(entry->name, solved.out, out.sections);
  if (!solved.rows.empty()) {
    out.sections.push_back(Heading{key_text(solved.rows_name)});
    out.sections.push_back(table_of(solved.rows));
  }
  if (!solved.uncertainty.is_null()) {
    for (report::Section& section : uncertainty_sections(solved.uncertainty)) {
      out.sections.push_back(std::move(section));
    }
  }
  add_levers(solved, out.sections);
  add_notes(solved.notes, out.sections);
  out.csv = rows_of(csv_rows(solved));
  out.tree = envelope("solve", with_solver(*entry, solved.inputs), solved.result,
                      basis_json(solved), notes_json(solved.notes));
  out.exit_status = solved.good ? 0 : 3;
  return out;
}

Result<report::Document> answer_explain(const Request& request, const Context& context) {
  RIDGELINE_TRY(const SolverEntry* entry, entry_named(request));
  Solved solved;
  solved.in = entry->in;
  solved.inputs = Json::object();
  if (!is_bare(request)) {
    RIDGELINE_TRY(solved, entry->run(request, context));
  }
  report::Document out;
  add_card(entry->card, out.sections);
  add_terms("Inputs", is_bare(request) ? solved.in : given_of(solved.in), out.sections);
  const std::vector<std::string> worked = worked_equations(entry->card, solved.in, solved.out);
  add_worked(worked, out.sections);
  if (!solved.out.empty()) add_terms("Answer", solved.out, out.sections);
  add_levers(solved, out.sections);
  const std::vector<const catalog::Reference*> cited = cited_by(entry->card);
  add_references(cited, out.sections);
  Json result{{"card", entry->card},
              {"inputs", terms_json(solved.in)},
              {"outputs", terms_json(solved.out)},
              {"worked", worked},
              {"references", references_json(cited)}};
  if (!solved.levers.is_null()) result["levers"] = solved.levers;
  drop_non_finite(result, solved.notes);
  out.tree = envelope("explain", with_solver(*entry, solved.inputs), std::move(result), nullptr,
                      notes_json(solved.notes));
  return out;
}

}  // namespace ridgeline::app
