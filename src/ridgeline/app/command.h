// Commands: one list of each command's input fields. Flags, help, schema and unknown-key checks
// derive from it; the fields of a scenario (plan, workload, machine) come from spec/scenario.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ridgeline/app/request.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"
#include "ridgeline/report/document.h"

namespace ridgeline::app {

enum class FieldKind : std::uint8_t {
  text,
  choice,
  count,
  number,
  quantity,  // text with a unit, or a number under a key with one
  toggle,    // true or false; the flag needs no value
  texts,     // a list of texts; as a flag separated by commas or given again
  axes,      // list of axes of a plan
  model,     // a name, a file, or a config.json inline
  machine,   // a name, a file, or an object
  hardware,  // a device: a name, or an object
  space,     // a name, a file, or an object
  object,
};

struct Field {
  const char* name;  // "depth"; "plan.order" stands inside an object
  FieldKind kind;
  const char* fallback;  // default as text; empty: none
  const char* help;
  std::span<const char* const> choices{};
  const char* key = "";  // of a quantity: the name with its unit, as results print it
  Dim dim{};
  double unit = 1;  // base units per unit of the key
};

// Does the command take model, machine, plan and workload besides its own fields?
enum class Scope : std::uint8_t { own, scenario };

struct Command {
  const char* name;
  const char* summary;
  const char* example;
  Scope scope = Scope::own;
  std::span<const Field> fields;
  std::span<const char* const> words;  // fields that the words after the command fill, in order
  Result<report::Document> (*answer)(const Request& request, const Context& context) = nullptr;
  // A command whose first word decides what else it takes has one of these per word; they are made
  // when first asked for.
  std::span<const Command> (*list_variants)() = nullptr;
  const char* variant = "";          // of a variant: its word
  std::span<const Field> outputs{};  // of its answer, where that is a struct with fields

  std::span<const Command> variants() const {
    return list_variants == nullptr ? std::span<const Command>{} : list_variants();
  }
};

std::span<const Command> commands();

// Error unknown_name with the nearest commands.
Result<const Command*> find_command(std::string_view name);

// The variant that the word names; error unknown_name with the nearest.
Result<const Command*> find_variant(const Command& command, std::string_view word);

const Field* find_field(const Command& command, std::string_view name);

// The answers, each in a file of its own.
Result<report::Document> answer_explore(const Request& request, const Context& context);
Result<report::Document> answer_inspect(const Request& request, const Context& context);
Result<report::Document> answer_fit(const Request& request, const Context& context);
Result<report::Document> answer_solve(const Request& request, const Context& context);
Result<report::Document> answer_evaluate(const Request& request, const Context& context);
Result<report::Document> answer_explain(const Request& request, const Context& context);
Result<report::Document> answer_compare(const Request& request, const Context& context);
Result<report::Document> answer_signature(const Request& request, const Context& context);
Result<report::Document> answer_list(const Request& request, const Context& context);
Result<report::Document> answer_show(const Request& request, const Context& context);
Result<report::Document> answer_import(const Request& request, const Context& context);
Result<report::Document> answer_replay(const Request& request, const Context& context);
Result<report::Document> answer_validate(const Request& request, const Context& context);
Result<report::Document> answer_schema(const Request& request, const Context& context);
Result<report::Document> answer_help(const Request& request, const Context& context);
Result<report::Document> answer_serve(const Request& request, const Context& context);
Result<report::Document> answer_version(const Request& request, const Context& context);

// Twelve digits that change when any value of the tree does, but for times of the program itself.
std::string signature_of(const Json& tree);

}  // namespace ridgeline::app
