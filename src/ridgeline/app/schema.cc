// schema: JSON Schema of the input and output of the commands, made from their one list of fields.
#include <fmt/format.h>

#include "ridgeline/app/command.h"
#include "ridgeline/app/field_symbols.h"
#include "ridgeline/app/input.h"
#include "ridgeline/app/json_view.h"
#include "ridgeline/app/output_keys.h"
#include "ridgeline/base/text.h"
#include "ridgeline/spec/scenario.h"

namespace ridgeline::app {
namespace {

constexpr char kDialect[] = "https://json-schema.org/draft/2020-12/schema";

Json choices_json(std::span<const char* const> choices) {
  Json out = Json::array();
  for (const char* choice : choices) {
    if (*choice != '\0') out.push_back(choice);
  }
  return out;
}

// What a field of a command may be.
Json type_of(const Field& field) {
  switch (field.kind) {
    case FieldKind::text: return {{"type", "string"}};
    case FieldKind::choice: return {{"enum", choices_json(field.choices)}};
    case FieldKind::count: return {{"type", Json::array({"integer", "string"})}, {"minimum", 0}};
    case FieldKind::number: return {{"type", Json::array({"number", "string"})}};
    case FieldKind::quantity:
      return {{"type", "string"}, {"examples", Json::array({example_of(field.dim)})}};
    case FieldKind::toggle: return {{"type", "boolean"}};
    case FieldKind::texts:
      return {{"type", Json::array({"array", "string"})},
              {"items", {{"type", Json::array({"string", "object"})}}}};
    case FieldKind::axes: return {{"type", Json::array({"array", "string"})}};
    case FieldKind::model:
    case FieldKind::machine:
    case FieldKind::hardware:
    case FieldKind::space: return {{"type", Json::array({"string", "object"})}};
    case FieldKind::object: return {{"type", "object"}};
  }
  return Json::object();
}

// How a form asks for a value: few choices side by side, many as a list, names by searching.
const char* widget_of(FieldKind kind, std::size_t choices) {
  constexpr std::size_t kMostSegments = 5;
  switch (kind) {
    case FieldKind::choice: return choices <= kMostSegments ? "segments" : "select";
    case FieldKind::count: return "integer";
    case FieldKind::number:
    case FieldKind::quantity: return "number";
    case FieldKind::toggle: return "switch";
    case FieldKind::texts:
    case FieldKind::axes: return "list";
    case FieldKind::model:
    case FieldKind::machine:
    case FieldKind::hardware:
    case FieldKind::space: return "search";
    case FieldKind::object: return "object";
    case FieldKind::text: return "text";
  }
  return "text";
}

// What a form shows of a field besides its type.
struct Shown {
  std::string name, unit, group, widget, symbol, source;
};

// `title`, `unit`, `group`, `order` (as listed), `widget`, `symbol`, `source`.
void put_shown(const Shown& shown, std::size_t order, Json& out) {
  out["title"] = key_text(shown.name);
  out["unit"] = shown.unit;
  out["group"] = shown.group;
  out["order"] = order;
  out["widget"] = shown.widget;
  out["symbol"] = shown.symbol;
  out["source"] = shown.source;
}

// "GB/s" of the unit of a key.
std::string unit_of(const Field& field) {
  ScalarField like;
  like.dim = field.dim;
  like.unit = field.unit;
  return field.kind == FieldKind::quantity ? unit_text(like) : "";
}

Json field_schema(const Field& field, std::size_t order) {
  Json out = type_of(field);
  put_shown(
      {field.name, unit_of(field), "command", widget_of(field.kind, field.choices.size()), "", ""},
      order, out);
  out["description"] = field.help;
  if (*field.fallback != '\0') out["default"] = field.fallback;
  return out;
}

// The key takes a plain number in its unit; the stem takes text with a unit.
void put_scalar(const ScalarField& field, const Scenario& defaults, Json& properties) {
  Json key{{"description", field.help}};
  const Json fallback = scalar_json(field, get_scalar(defaults, field));
  if (field.kind == ScalarKind::choice) {
    key["enum"] = choices_json(field.choices);
  } else {
    const bool counts = field.kind == ScalarKind::integer;
    key["type"] = counts ? Json::array({"integer", "string"}) : Json("number");
    const double least = field.minimum / field.unit;
    if (field.positive && field.minimum == 0) {
      key["exclusiveMinimum"] = 0;
    } else {
      key["minimum"] = scalar_json({.unit = 1}, least);
    }
    key["maximum"] = scalar_json({.unit = 1}, field.maximum / field.unit);
  }
  key["default"] = fallback;
  const FieldKind kind = field.kind == ScalarKind::choice    ? FieldKind::choice
                         : field.kind == ScalarKind::integer ? FieldKind::count
                                                             : FieldKind::number;
  const char* group = field.owner == ScalarOwner::machine ? "machine"
                      : field.owner == ScalarOwner::plan  ? "plan"
                                                          : "workload";
  put_shown({field.stem, unit_text(field), group, widget_of(kind, field.choices.size()),
             symbol_of(field, defaults.machine), "docs/chiplet-model.md section 2"},
            properties.size(), key);
  properties[field.key] = std::move(key);
  if (field.stem == field.key) return;
  properties[field.stem] = {
      {"description", fmt::format("{}, as text such as \"{}\"", field.help, example_of(field.dim))},
      {"type", "string"}};
}

Json object_schema(Json properties) {
  return {
      {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}

void put_scenario(Json& properties) {
  const Scenario defaults{default_chiplet(), {}, {}};
  Json machine{{"base", {{"type", "string"}, {"description", "the machine that is changed"}}}};
  Json plan = Json::object(), work = Json::object();
  for (const ScalarField& field : scalar_fields(defaults.machine)) {
    Json& into = field.owner == ScalarOwner::machine ? machine
                 : field.owner == ScalarOwner::plan  ? plan
                                                     : work;
    put_scalar(field, defaults, into);
  }
  plan["order"] = properties["plan.order"];
  properties.erase("plan.order");
  Json fields = object_schema(std::move(machine));
  fields["additionalProperties"] = true;  // other machines have other fields
  properties["machine"].erase("type");
  properties["machine"]["anyOf"] = Json::array({{{"type", "string"}}, std::move(fields)});
  properties["plan"] = object_schema(std::move(plan));
  properties.update(work);
}

Json input_schema(const Command& command) {
  Json properties = Json::object();
  for (const Field& field : command.fields) {
    properties[field.name] = field_schema(field, properties.size());
    if (field.kind != FieldKind::quantity) continue;
    if (std::string_view(field.key) == field.name) {
      properties[field.name]["type"] = Json::array({"number", "string"});
      continue;
    }
    properties[field.key] = {{"description", field.help}, {"type", "number"}};
  }
  if (command.scope == Scope::scenario) put_scenario(properties);
  if (!command.variants().empty()) {
    Json names = Json::array();
    for (const Command& variant : command.variants()) names.push_back(std::string(variant.variant));
    properties[std::string(command.words[0])]["enum"] = std::move(names);
  }
  Json out = object_schema(std::move(properties));
  out["$schema"] = kDialect;
  out["title"] = fmt::format("input of ridgeline {}", command.name);
  if (command.scope == Scope::scenario) out["required"] = Json::array({"model"});
  return out;
}

Json json_type(std::string_view type) {
  const bool nullable = !type.empty() && type.back() == '?';
  if (!nullable) return std::string(type);
  return Json::array({std::string(type.substr(0, type.size() - 1)), "null"});
}

Json group_schema(std::string_view group);

// Puts one path ("layers[].count") into the schema of an object, making what lies on the way.
void put_path(Json& schema, std::string_view path, const OutputKey& key) {
  const std::size_t dot = path.find('.');
  std::string name(path.substr(0, dot));
  const bool list = name.size() > 2 && name.substr(name.size() - 2) == "[]";
  if (list) name.resize(name.size() - 2);
  Json& member = schema["properties"][name];
  if (list && member.is_null()) member = {{"type", "array"}, {"items", Json::object()}};
  Json& inner = list ? member["items"] : member;
  if (dot != std::string_view::npos) {
    if (!inner.contains("type")) inner["type"] = Json::array({"object", "null"});
    put_path(inner, path.substr(dot + 1), key);
    return;
  }
  if (key.type[0] == '@') {
    inner = group_schema(key.type);
  } else {
    inner["type"] = json_type(key.type);
  }
  if (*key.help != '\0') member["description"] = key.help;
}

Json group_schema(std::string_view group) {
  Json out{{"type", Json::array({"object", "null"})}, {"properties", Json::object()}};
  for (const OutputKey& key : group_keys(group)) put_path(out, key.path, key);
  return out;
}

// JSON type of a field of an answer.
const char* answer_type(FieldKind kind) {
  switch (kind) {
    case FieldKind::text:
    case FieldKind::choice: return "string";
    case FieldKind::count: return "integer";
    case FieldKind::number:
    case FieldKind::quantity: return "number";
    case FieldKind::toggle: return "boolean";
    case FieldKind::texts:
    case FieldKind::axes: return "array";
    case FieldKind::model:
    case FieldKind::machine:
    case FieldKind::hardware:
    case FieldKind::space:
    case FieldKind::object: return "object";
  }
  return "object";
}

Json output_schema(const Command& command) {
  Json result{{"type", "object"}};
  for (const OutputKey& key : result_keys(command.name)) put_path(result, key.path, key);
  for (const Field& field : command.outputs) {
    result["properties"][field.key] = {{"type", Json::array({answer_type(field.kind), "null"})},
                                       {"description", field.help}};
  }
  return {
      {"$schema", kDialect},
      {"title", fmt::format("output of ridgeline {}", command.name)},
      {"type", "object"},
      {"properties",
       {{"ridgeline", {{"type", "string"}}},
        {"command", {{"const", command.name}}},
        {"inputs", {{"type", "object"}}},
        {"result", std::move(result)},
        {"basis", {{"type", Json::array({"object", "null"})}}},
        {"notes", {{"type", "array"}, {"items", {{"type", "object"}}}}}}},
      {"required", Json::array({"ridgeline", "command", "inputs", "result", "basis", "notes"})}};
}

void add_table(const Command& command, const Json& schema, std::vector<report::Section>& out) {
  Json rows = Json::array();
  for (const auto& [name, about] : schema["properties"].items()) {
    rows.push_back({{"field", name}, {"meaning", about.value("description", "")}});
  }
  out.emplace_back(report::Heading{fmt::format("Input of {}", command.name)});
  out.emplace_back(table_of(rows));
}

}  // namespace

Result<report::Document> answer_schema(const Request& request, const Context&) {
  RIDGELINE_TRY(const Command* own, find_command("schema"));
  const InputReader reader(request.input, request.origins, *own);
  RIDGELINE_TRY(const std::string name, reader.text("command"));
  RIDGELINE_TRY(const std::string variant, reader.text("variant"));
  report::Document out;
  Json result = Json::object(), inputs = Json::object();
  if (!variant.empty()) {
    auto command = find_command(name);
    if (!command) return request.origins.placed(command.error(), "/command");
    auto found = find_variant(**command, variant);
    if (!found) return request.origins.placed(found.error(), "/variant");
    Json input = input_schema(**found);
    add_table(**found, input, out.sections);
    result = {{"input", std::move(input)}, {"output", output_schema(**found)}};
    inputs = {{"command", (*found)->name}, {"variant", (*found)->variant}};
    out.tree = envelope("schema", std::move(inputs), std::move(result), nullptr, Json::array());
    return out;
  }
  for (const Command& command : commands()) {
    if (!name.empty() && lower(name) != command.name) continue;
    Json input = input_schema(command);
    add_table(command, input, out.sections);
    result[command.name] = {{"input", std::move(input)}, {"output", output_schema(command)}};
  }
  if (!name.empty()) {
    auto command = find_command(name);
    if (!command) return request.origins.placed(command.error(), "/command");
    inputs["command"] = (*command)->name;
    result = Json(result[(*command)->name]);
  }
  out.tree = envelope("schema", std::move(inputs), std::move(result), nullptr, Json::array());
  return out;
}

}  // namespace ridgeline::app
