#include "ridgeline/app/input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgeline/base/text.h"

namespace ridgeline::app {
namespace {

constexpr double kLargestWhole = 9007199254740992.0;  // 2^53

std::vector<std::string> choices_of(std::span<const char* const> names) {
  std::vector<std::string> out;
  for (const char* name : names) {
    if (*name != '\0') out.emplace_back(name);
  }
  return out;
}

Result<double> choice_value(std::span<const char* const> names, const Json& value) {
  const std::string typed = value.is_string() ? value.get<std::string>() : value.dump();
  const std::string wanted = lower(typed);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (*names[i] != '\0' && lower(names[i]) == wanted) return static_cast<double>(i);
  }
  return Error{ErrorCode::bad_value, "",
               fmt::format("\"{}\" is not one of its values", typed.substr(0, 80)),
               fmt::format("give {}", fmt::join(choices_of(names), ", "))};
}

Result<double> number_from_text(const ScalarRef& ref, const std::string& text) {
  const ScalarField& field = ref.field;
  if (field.kind == ScalarKind::integer) {
    const auto scale = field.key == "context" ? CountScale::tokens : CountScale::decimal;
    RIDGELINE_TRY(const std::int64_t count, parse_count(text, scale));
    return static_cast<double>(count);
  }
  if (ref.factor == 0) return parse_quantity(text, field.dim);
  RIDGELINE_TRY(const double number, parse_number(text));
  return number * ref.factor;
}

Result<double> number_from_json(const ScalarRef& ref, const Json& value) {
  if (!value.is_number()) {
    return Error{ErrorCode::bad_value, "", fmt::format("{} is no number", kind_name(value)),
                 ref.field.dim == Dim{} ? "give a number"
                                        : fmt::format("give text with a unit, such as \"{}\"",
                                                      example_of(ref.field.dim))};
  }
  const double number = value.get<double>();
  if (ref.factor == 0 && number != 0) {
    return Error{ErrorCode::wrong_unit, "", fmt::format("{} has no unit", value.dump()),
                 fmt::format("give \"{}\" text such as \"{}\", or \"{}\" a plain number",
                             ref.field.stem, example_of(ref.field.dim), ref.field.key)};
  }
  return number * ref.factor;
}

bool is_toggle_text(const std::string& text) {
  return text == "true" || text == "false";
}

// Sets `path` ("quantization.method") inside `object`, making objects on the way; a list takes the
// index of an item it has. False: something on the way is neither.
bool set_inside(Json& object, std::string_view path, const Json& value) {
  Json* at = &object;
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    const std::string name(path.substr(0, dot));
    path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
    if (at->is_null()) *at = Json::object();
    if (at->is_array()) {
      const auto index = parse_count(name, CountScale::decimal);
      if (!index || *index < 0 || *index >= static_cast<std::int64_t>(at->size())) return false;
      at = &(*at)[static_cast<std::size_t>(*index)];
    } else if (at->is_object()) {
      at = &(*at)[name];
    } else {
      return false;
    }
  }
  *at = value;
  return true;
}

Error with_hint(Error error, const ScalarField& field) {
  if (!error.hint.empty()) return error;
  if (field.kind == ScalarKind::integer) {
    error.hint = field.key == "context" ? "give a whole number such as 4096 or 128k"
                                        : "give a whole number such as 8";
  } else {
    error.hint = field.dim == Dim{}
                     ? "give a number such as 0.5"
                     : fmt::format("give text such as \"{}\"", example_of(field.dim));
  }
  return error;
}

std::string pointer_in(std::string_view source, std::string_view pointer) {
  return source.empty() ? std::string(pointer) : fmt::format("{}:{}", source, pointer);
}

}  // namespace

const char* kind_name(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null: return "null";
    case Json::value_t::object: return "an object";
    case Json::value_t::array: return "a list";
    case Json::value_t::string: return "text";
    case Json::value_t::boolean: return "true or false";
    default: return "a number";
  }
}

Result<double> scalar_value(const ScalarRef& ref, const Json& value) {
  if (ref.field.kind == ScalarKind::choice) return choice_value(ref.field.choices, value);
  const auto read = value.is_string() ? number_from_text(ref, value.get_ref<const std::string&>())
                                      : number_from_json(ref, value);
  if (!read) return with_hint(read.error(), ref.field);
  RIDGELINE_CHECK(check_scalar(ref.field, *read));
  return *read;
}

Json scalar_json(const ScalarField& field, double base) {
  if (field.kind == ScalarKind::choice) return field.choices[static_cast<std::size_t>(base)];
  const double value = base / field.unit;
  const bool whole = value == std::floor(value) && std::fabs(value) <= kLargestWhole;
  if (whole) return static_cast<std::int64_t>(value);
  return value;
}

InputBuilder::InputBuilder(const Vocabulary& vocabulary, Origins& origins)
    : vocabulary_(vocabulary), origins_(origins) {}

Status InputBuilder::claim(const std::string& pointer, const std::string& typed) {
  if (std::find(claimed_.begin(), claimed_.end(), pointer) != claimed_.end()) {
    const std::string& first = origins_.typed[pointer];
    const bool same = first == typed;
    return Error{ErrorCode::conflict, typed,
                 same ? fmt::format("{} is given twice", typed)
                      : fmt::format("{} and {} set the same field", first, typed),
                 "keep one of them"};
  }
  claimed_.push_back(pointer);
  origins_.typed[pointer] = typed;
  return Ok{};
}

Status InputBuilder::add_machine_scalar(const Target& target, const Json& value,
                                        const std::string& typed) {
  auto number = scalar_value(target.scalar, value);
  if (!number) {
    Error error = number.error();
    error.where = typed;
    return error;
  }
  std::erase_if(machine_scalars_, [&](const MachineScalar& old) {
    return old.ref.field.path == target.scalar.field.path;
  });
  machine_scalars_.push_back({target.scalar, *number});
  return Ok{};
}

Status InputBuilder::add(const std::string& name, const Json& value, const std::string& typed) {
  auto target = vocabulary_.find(name);
  if (!target) {
    Error error = target.error();
    error.where = typed;
    return error;
  }
  RIDGELINE_CHECK(claim(target->pointer, typed));
  const bool is_scalar = target->field == nullptr;
  if (is_scalar && target->scalar.field.owner == ScalarOwner::machine) {
    return add_machine_scalar(*target, value, typed);
  }
  std::string& spelled = spelled_[target->pointer];
  const std::string place = target->spelled.empty() ? target->pointer : target->spelled;
  if (!spelled.empty() && spelled != place) input_.erase(spelled.substr(1));
  spelled = place;
  input_[Json::json_pointer(spelled)] = value;
  return Ok{};
}

Status InputBuilder::add_plan(const Json& plan) {
  const std::string typed = pointer_in(origins_.source, "/plan");
  if (!plan.is_object()) {
    return Error{ErrorCode::bad_value, typed,
                 fmt::format("plan is {}, not an object", kind_name(plan)),
                 "give {\"tp\": 8, ...}"};
  }
  for (const auto& [key, value] : plan.items()) {
    RIDGELINE_CHECK(add("plan." + key, value, typed + "/" + key));
  }
  return Ok{};
}

Status InputBuilder::add_object(const Json& object) {
  claimed_.clear();
  if (!object.is_object()) {
    return Error{ErrorCode::bad_value, origins_.source,
                 fmt::format("the input is {}, not an object", kind_name(object)),
                 "give {\"model\": ..., ...}"};
  }
  const bool has_plan = vocabulary_.command().scope == Scope::scenario;
  for (const auto& [key, value] : object.items()) {
    if (key == "plan" && has_plan) {
      RIDGELINE_CHECK(add_plan(value));
    } else {
      RIDGELINE_CHECK(add(key, value, pointer_in(origins_.source, "/" + key)));
    }
  }
  return Ok{};
}

// "--set model.num_hidden_layers=4": a value inside an object that is no scalar of the scenario.
Status InputBuilder::add_nested(const Setting& setting) {
  const std::string head = setting.name.substr(0, setting.name.find('.'));
  const Field* field = find_field(vocabulary_.command(), head);
  const bool takes_object =
      field != nullptr && (field->kind == FieldKind::model || field->kind == FieldKind::machine ||
                           field->kind == FieldKind::hardware || field->kind == FieldKind::space ||
                           field->kind == FieldKind::object);
  if (!takes_object || head == setting.name) {
    return add(setting.name, setting.value, setting.typed);
  }
  Json& object = input_[head];
  if (object.is_string() && field->kind == FieldKind::machine) {
    object = Json{{"base", object.get<std::string>()}};
  }
  if (!set_inside(object, std::string_view(setting.name).substr(head.size() + 1), setting.value)) {
    return Error{ErrorCode::conflict, setting.typed,
                 fmt::format("{} is {} that has no such place", head, kind_name(object)),
                 fmt::format("give {} as an object", head)};
  }
  origins_.typed[pointer_of(setting.name)] = setting.typed;
  return Ok{};
}

Status InputBuilder::add_settings(const std::vector<Setting>& settings) {
  claimed_.clear();
  for (const Setting& setting : settings) {
    const bool nested = setting.name.find('.') != std::string::npos;
    if (nested && !vocabulary_.find(setting.name)) {
      RIDGELINE_CHECK(add_nested(setting));
    } else {
      RIDGELINE_CHECK(add(setting.name, setting.value, setting.typed));
    }
  }
  return Ok{};
}

const Json* InputReader::find(std::string_view name) const {
  const auto it = input_.find(std::string(name));
  return it == input_.end() || it->is_null() ? nullptr : &*it;
}

bool InputReader::has(std::string_view name) const {
  return find(name) != nullptr;
}

Error InputReader::wrong_type(std::string_view name, const char* due) const {
  return {ErrorCode::bad_value, origins_.where(pointer_of(name)),
          fmt::format("is {}, not {}", kind_name(*find(name)), due), fmt::format("give {}", due)};
}

Result<std::string> InputReader::text(std::string_view name) const {
  const Json* value = find(name);
  if (value == nullptr) {
    const Field* field = find_field(command_, name);
    return std::string(field == nullptr ? "" : field->fallback);
  }
  if (!value->is_string()) return wrong_type(name, "text");
  return value->get<std::string>();
}

Result<std::size_t> InputReader::choice(std::string_view name) const {
  const Field* field = find_field(command_, name);
  RIDGELINE_ASSERT(field != nullptr);
  const Json* given = find(name);
  auto index = choice_value(field->choices, given == nullptr ? Json(field->fallback) : *given);
  if (!index) return origins_.placed(index.error(), pointer_of(name));
  return static_cast<std::size_t>(*index);
}

Result<std::int64_t> InputReader::count(std::string_view name, std::int64_t least,
                                        std::int64_t most) const {
  ScalarField field;
  field.kind = ScalarKind::integer;
  field.minimum = static_cast<double>(least);
  field.maximum = static_cast<double>(most);
  const Json* given = find(name);
  const Field* own = find_field(command_, name);
  auto value = scalar_value({field, 1}, given == nullptr ? Json(own->fallback) : *given);
  if (!value) return origins_.placed(value.error(), pointer_of(name));
  return static_cast<std::int64_t>(*value);
}

Result<bool> InputReader::toggle(std::string_view name) const {
  const Json* value = find(name);
  if (value == nullptr) return false;
  if (value->is_boolean()) return value->get<bool>();
  if (value->is_string() && is_toggle_text(value->get_ref<const std::string&>())) {
    return value->get_ref<const std::string&>() == "true";
  }
  return wrong_type(name, "true or false");
}

Result<std::vector<std::string>> InputReader::texts(std::string_view name) const {
  std::vector<std::string> out;
  const Json* value = find(name);
  if (value == nullptr) return out;
  if (value->is_string()) {
    out.push_back(value->get<std::string>());
    return out;
  }
  if (!value->is_array()) return wrong_type(name, "a list of texts");
  for (const Json& item : *value) {
    if (!item.is_string()) return wrong_type(name, "a list of texts");
    out.push_back(item.get<std::string>());
  }
  return out;
}

}  // namespace ridgeline::app
