// help and version: text made from the same list of fields as flags and schema.
#include <fmt/format.h>

#include "ridgeline/app/arguments.h"
#include "ridgeline/app/command.h"
#include "ridgeline/app/input.h"
#include "ridgeline/app/json_view.h"
#include "ridgeline/app/vocabulary.h"
#include "ridgeline/base/text.h"
#include "ridgeline/spec/scenario.h"

namespace ridgeline::app {
namespace {

using report::Facts;
using report::Heading;
using report::Line;

constexpr std::size_t kMostChoices = 12;  // beside the flag; more are told with its help

bool has_many_choices(const Field& field) {
  return field.kind == FieldKind::choice && field.choices.size() > kMostChoices;
}

std::string value_word(const Field& field) {
  switch (field.kind) {
    case FieldKind::text: return " TEXT";
    case FieldKind::choice:
      if (has_many_choices(field)) return " NAME";
      return fmt::format(" {}", fmt::join(field.choices, "|"));
    case FieldKind::count: return " N";
    case FieldKind::number: return " X";
    case FieldKind::quantity: return fmt::format(" \"{}\"", example_of(field.dim));
    case FieldKind::toggle: return "";
    case FieldKind::texts: return " TEXT,...";
    case FieldKind::axes: return " AXES";
    case FieldKind::model:
    case FieldKind::machine:
    case FieldKind::hardware:
    case FieldKind::space: return " NAME|FILE|JSON";
    case FieldKind::object: return " JSON";
  }
  return "";
}

std::string with_default(const std::string& help, const std::string& fallback) {
  if (fallback.empty()) return help;
  return fmt::format("{} [{}]", help, fallback);
}

std::string scalar_word(const ScalarField& field) {
  if (field.kind == ScalarKind::choice) {
    std::string out;
    for (const char* choice : field.choices) {
      if (*choice == '\0') continue;
      out += out.empty() ? " " : "|";
      out += choice;
    }
    return out.size() > 40 ? " FORMAT" : out;
  }
  if (field.kind == ScalarKind::integer) return " N";
  return field.dim == Dim{} ? " X" : fmt::format(" \"{}\"", example_of(field.dim));
}

std::string fallback_text(const ScalarField& field, const Scenario& defaults) {
  const double value = get_scalar(defaults, field);
  if (field.kind == ScalarKind::choice) return field.choices[static_cast<std::size_t>(value)];
  return field.dim == Dim{} ? fmt::format("{:.6g}", value) : format_quantity(value, field.dim);
}

void add_scalars(const Command& command, ScalarOwner owner, const char* title,
                 std::vector<report::Section>& out) {
  const Scenario defaults{default_chiplet(), {}, {}};
  const Vocabulary vocabulary(command, defaults.machine);
  Facts facts;
  for (const ScalarField& field : vocabulary.scalars()) {
    if (field.owner != owner) continue;
    facts.rows.emplace_back("--" + kebab(flag_name(field)) + scalar_word(field),
                            with_default(field.help, fallback_text(field, defaults)));
  }
  out.emplace_back(Heading{title});
  out.emplace_back(std::move(facts));
}

void add_command(const Command& command, std::vector<report::Section>& out) {
  std::string usage = fmt::format("usage: ridgeline {}", command.name);
  const bool is_variant = *command.variant != '\0';
  if (is_variant) usage += fmt::format(" {}", command.variant);
  for (const char* word : command.words) {
    if (!is_variant) usage += fmt::format(" [{}]", word);
  }
  if (!command.fields.empty()) usage += " [flags]";
  out.emplace_back(Heading{fmt::format("ridgeline {}: {}", command.name, command.summary)});
  out.emplace_back(Line{usage});
  out.emplace_back(Line{fmt::format("for example: {}", command.example)});
  if (!command.variants().empty()) {
    std::string names;
    for (const Command& v : command.variants()) names += fmt::format(" {}", v.variant);
    out.emplace_back(Line{fmt::format("{}:{}; each has its flags: ridgeline help {} NAME",
                                      command.words[0], names, command.name)});
  }
  Facts own;
  for (const Field& field : command.fields) {
    std::string help = field.help;
    if (has_many_choices(field)) help += fmt::format(": {}", fmt::join(field.choices, ", "));
    own.rows.emplace_back(flag_of(pointer_of(field.name)) + value_word(field),
                          with_default(help, field.fallback));
  }
  if (!own.rows.empty()) {
    out.emplace_back(Heading{"Flags"});
    out.emplace_back(std::move(own));
  }
  if (command.scope == Scope::scenario) {
    add_scalars(command, ScalarOwner::workload, "Work", out);
    add_scalars(command, ScalarOwner::plan, "Plan", out);
    add_scalars(command, ScalarOwner::machine,
                "Machine: fields of chiplet-sip; other machines have their own", out);
  }
  Facts common;
  for (const CommonFlag& flag : common_flags()) common.rows.emplace_back(flag.flag, flag.help);
  out.emplace_back(Heading{"Every command"});
  out.emplace_back(std::move(common));
}

// The command, or the variant of it, that the words name; null: none is named.
Result<const Command*> named_command(const Request& request, const InputReader& reader) {
  RIDGELINE_TRY(const std::string name, reader.text("command"));
  RIDGELINE_TRY(const std::string variant, reader.text("variant"));
  if (name.empty()) return nullptr;
  auto command = find_command(name);
  if (!command) return request.origins.placed(command.error(), "/command");
  if (variant.empty()) return command;
  auto found = find_variant(**command, variant);
  if (!found) return request.origins.placed(found.error(), "/variant");
  return found;
}

void add_overview(std::vector<report::Section>& out) {
  out.emplace_back(Heading{
      "ridgeline: what-if questions about machines that train and serve large language models"});
  Facts facts;
  for (const Command& command : commands()) facts.rows.emplace_back(command.name, command.summary);
  out.emplace_back(std::move(facts));
  out.emplace_back(Heading{"More"});
  out.emplace_back(Line{"ridgeline help COMMAND explains one; for example:"});
  for (const Command& command : commands().first(2)) out.emplace_back(Line{command.example});
  out.emplace_back(
      Line{"exit status: 0 answered, 2 the input is wrong, 3 answered but infeasible, 1 else"});
}

Json commands_json(const Command* only) {
  Json out = Json::array();
  const std::span<const Command> all = only != nullptr ? std::span(only, 1) : commands();
  for (const Command& command : all) {
    Json fields = Json::array();
    for (const Field& field : command.fields) {
      fields.push_back({{"flag", flag_of(pointer_of(field.name))}, {"help", field.help}});
    }
    out.push_back({{"name", command.name},
                   {"summary", command.summary},
                   {"example", command.example},
                   {"flags", std::move(fields)}});
  }
  return out;
}

}  // namespace

Result<report::Document> answer_help(const Request& request, const Context&) {
  RIDGELINE_TRY(const Command* own, find_command("help"));
  const InputReader reader(request.input, request.origins, *own);
  RIDGELINE_TRY(const Command* only, named_command(request, reader));
  report::Document out;
  Json inputs = Json::object();
  if (only != nullptr) {
    inputs["command"] = only->name;
    if (*only->variant != '\0') inputs["variant"] = only->variant;
    add_command(*only, out.sections);
  } else {
    add_overview(out.sections);
  }
  out.tree = envelope("help", std::move(inputs), {{"commands", commands_json(only)}}, nullptr,
                      Json::array());
  return out;
}

Result<report::Document> answer_version(const Request&, const Context&) {
  report::Document out;
  out.sections.emplace_back(Line{fmt::format("ridgeline {}", RIDGELINE_VERSION)});
  out.tree =
      envelope("version", Json::object(), {{"version", RIDGELINE_VERSION}}, nullptr, Json::array());
  return out;
}

}  // namespace ridgeline::app
