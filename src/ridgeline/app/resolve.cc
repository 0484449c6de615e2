#include "ridgeline/app/resolve.h"

#include <fmt/format.h>

#include <algorithm>

#include "ridgeline/app/files.h"
#include "ridgeline/app/input.h"
#include "ridgeline/app/spec_file.h"
#include "ridgeline/base/text.h"
#include "ridgeline/catalog/read_machine.h"

namespace ridgeline::app {
namespace {

constexpr char kDefaultMachine[] = "chiplet-sip";

// Written as a path, rather than as a name of the registry?
bool looks_like_path(const std::string& text) {
  const auto ends_with = [&](std::string_view end) {
    return text.size() >= end.size() && lower(text).substr(text.size() - end.size()) == end;
  };
  return text.find('/') != std::string::npos || ends_with(".json") || ends_with(".yaml") ||
         ends_with(".yml");
}

Result<File> named_file(const std::string& name, const Origins& origins, const std::string& pointer,
                        const Context& context) {
  auto file = read_file(name, context);
  if (!file) return origins.placed(file.error(), pointer);
  return file;
}

// An error inside a file: where it stands in the file; of the file as a whole: where it was named.
Error inside(const std::string& name, Error error, const Origins& origins,
             const std::string& pointer) {
  if (!error.where.empty()) {
    error.where = fmt::format("{}:{}", name, error.where);
    return error;
  }
  error.message = fmt::format("{}: {}", name, error.message);
  return origins.placed(std::move(error), pointer);
}

Result<NamedModel> model_from_file(const std::string& name, const Origins& origins,
                                   const std::string& pointer, const Context& context) {
  RIDGELINE_TRY(const File file, named_file(name, origins, pointer, context));
  auto parsed = parse_spec(file.text);
  if (!parsed) return inside(name, parsed.error(), origins, pointer);
  Json config = std::move(parsed->value);
  const std::string label = stem_of(name);
  auto model = catalog::import_config(config.dump(), label);
  if (!model) return inside(name, model.error(), origins, pointer);
  Json input = Json{{"name", label}};
  input.update(config);
  return NamedModel{*std::move(model), std::move(input)};
}

Result<NamedModel> model_by_name(const std::string& name, const Origins& origins,
                                 const std::string& pointer, const Context& context) {
  if (looks_like_path(name)) return model_from_file(name, origins, pointer, context);
  auto entry = context.catalog->find(catalog::EntryKind::model, name);
  if (!entry && file_exists(name, context)) {
    return model_from_file(name, origins, pointer, context);
  }
  if (!entry) return origins.placed(entry.error(), pointer);
  const std::string canonical = (*entry)->name;
  auto model = context.catalog->model(canonical);
  if (!model) return origins.placed(model.error(), pointer);
  return NamedModel{*std::move(model), canonical};
}

Result<Machine> machine_from_file(const std::string& name, const Origins& origins,
                                  const Context& context) {
  RIDGELINE_TRY(const File file, named_file(name, origins, "/machine", context));
  auto parsed = parse_spec(file.text);
  if (!parsed) return inside(name, parsed.error(), origins, "/machine");
  auto machine = catalog::read_machine(parsed->value, *context.catalog);
  if (!machine) return inside(name, machine.error(), origins, "/machine");
  return machine;
}

Error expects(const Json& value, const char* what, const char* hint) {
  return {ErrorCode::bad_value, "", fmt::format("is {}, not {}", kind_name(value), what), hint};
}

Status read_scalars(const Json& input, const Origins& origins, Case& c) {
  for (const ScalarField& field : c.fields) {
    if (field.owner == ScalarOwner::machine) continue;
    const std::string pointer = pointer_of(field.path);
    const Json::json_pointer at(pointer);
    if (!input.contains(at) || input[at].is_null()) continue;
    auto value = scalar_value({field, 1}, input[at]);
    if (!value) return origins.placed(value.error(), pointer);
    set_scalar(c.scenario, field, *value);
    c.given.push_back(field.path);
  }
  return Ok{};
}

Result<Axis> axis_named(const std::string& name) {
  const auto names = names_of(Axis{});
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (lower(name) == names[i]) return static_cast<Axis>(i);
  }
  return Error{ErrorCode::bad_value, "", fmt::format("\"{}\" is no axis", name.substr(0, 40)),
               "give each of tp, cp, pp, dp once, from the inside out"};
}

// "tp,cp,pp,dp" or a list of the four.
Result<std::array<Axis, 4>> order_of(const Json& value) {
  std::vector<std::string> names;
  if (value.is_string()) {
    names.emplace_back();
    for (const char ch : value.get<std::string>()) {
      if (ch == ',') {
        names.emplace_back();
      } else if (ch != ' ') {
        names.back() += ch;
      }
    }
  } else if (value.is_array()) {
    for (const Json& item : value) names.push_back(item.is_string() ? item.get<std::string>() : "");
  }
  std::array<Axis, 4> order{};
  if (names.size() != order.size()) {
    return Error{ErrorCode::bad_value, "", "the order does not name four axes",
                 "give each of tp, cp, pp, dp once, from the inside out"};
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    RIDGELINE_TRY(order[i], axis_named(names[i]));
    if (std::find(order.begin(), order.begin() + i, order[i]) != order.begin() + i) {
      return Error{ErrorCode::bad_value, "", fmt::format("\"{}\" stands twice", names[i]),
                   "give each of tp, cp, pp, dp once, from the inside out"};
    }
  }
  return order;
}

Status read_order(const Json& input, const Origins& origins, Case& c) {
  const Json::json_pointer at("/plan/order");
  if (!input.contains(at) || input[at].is_null()) return Ok{};
  if (c.scenario.machine.kind == MachineKind::chiplet) {
    return Error{ErrorCode::unsupported, origins.where("/plan/order"),
                 "the chiplet machine places its ranks by tp_placement and cp_placement",
                 "leave the order out, or name another machine"};
  }
  auto order = order_of(input[at]);
  if (!order) return origins.placed(order.error(), "/plan/order");
  c.scenario.plan.order = *order;
  return Ok{};
}

void note_what_is_unusual(Case& c) {
  const Model& model = c.model;
  if (model.quantization && !model.quantization->method.empty()) {
    c.notes.push_back(
        {"quantization_ignored",
         fmt::format("the config is quantised ({}); here every weight has the given precision, {}",
                     model.quantization->method,
                     names_of(Precision{})[static_cast<std::size_t>(c.scenario.work.precision)]),
         "/precision"});
  }
  if (!energy_known(c.scenario.machine)) {
    c.notes.push_back({"energy_unknown",
                       fmt::format("{} does not say what it costs in energy: energies are null",
                                   c.scenario.machine.name),
                       "/machine"});
  }
  if (model.max_context > 0 && c.scenario.work.context > model.max_context) {
    c.notes.push_back({"context_beyond_model",
                       fmt::format("the model was made for {} tokens of context, {} are asked for",
                                   model.max_context, c.scenario.work.context),
                       "/context"});
  }
}

}  // namespace

Json notes_json(const std::vector<Note>& notes) {
  Json out = Json::array();
  for (const Note& note : notes) {
    Json one{{"code", note.code}, {"message", note.message}};
    if (!note.where.empty()) one["where"] = note.where;
    out.push_back(std::move(one));
  }
  return out;
}

Result<Machine> machine_of(const Json* value, const Origins& origins, const Context& context) {
  const Json fallback = kDefaultMachine;
  const Json& given = value == nullptr || value->is_null() ? fallback : *value;
  if (!given.is_string() && !given.is_object()) {
    return origins.placed(expects(given, "a name or an object", "see: ridgeline list machines"),
                          "/machine");
  }
  if (given.is_string()) {
    const auto& name = given.get_ref<const std::string&>();
    const bool known = context.catalog->find(catalog::EntryKind::machine, name).has_value();
    const bool file = looks_like_path(name) || (!known && file_exists(name, context));
    if (file) return machine_from_file(name, origins, context);
  }
  auto machine = catalog::read_machine(given, *context.catalog);
  if (!machine) return origins.placed(machine.error(), "/machine");
  return machine;
}

Json machine_json(const Machine& machine) {
  return catalog::write_machine(machine);
}

Result<NamedModel> model_of(const Json* value, const Origins& origins, const std::string& pointer,
                            const Context& context) {
  if (value == nullptr || value->is_null()) {
    return Error{ErrorCode::missing, origins.where(pointer), "no model is given",
                 "give a name (see: ridgeline list models) or a config.json"};
  }
  if (value->is_string()) {
    return model_by_name(value->get_ref<const std::string&>(), origins, pointer, context);
  }
  if (!value->is_object()) {
    return origins.placed(expects(*value, "a name or an object", "see: ridgeline list models"),
                          pointer);
  }
  const bool named = value->contains("name") && (*value)["name"].is_string();
  const std::string label = named ? (*value)["name"].get<std::string>() : "model";
  auto model = catalog::import_config(value->dump(), label);
  if (!model) return origins.placed(model.error(), pointer);
  return NamedModel{*std::move(model), *value};
}

Result<Case> resolve_case(const Request& request, const Context& context) {
  const Json& input = request.input;
  const auto member = [&input](const char* key) {
    const auto it = input.find(key);
    return it == input.end() ? nullptr : &*it;
  };
  Case c;
  RIDGELINE_TRY(c.scenario.machine, machine_of(member("machine"), request.origins, context));
  RIDGELINE_TRY(NamedModel named, model_of(member("model"), request.origins, "/model", context));
  c.model = std::move(named.model);
  c.model_input = std::move(named.input);
  c.fields = scalar_fields(c.scenario.machine);
  RIDGELINE_CHECK(read_scalars(input, request.origins, c));
  RIDGELINE_CHECK(read_order(input, request.origins, c));
  note_what_is_unusual(c);
  return c;
}

Json inputs_of(const Case& c, const std::vector<std::string>& left_out) {
  Json plan = Json::object(), work = Json::object();
  for (const ScalarField& field : c.fields) {
    if (field.owner == ScalarOwner::machine) continue;
    if (std::find(left_out.begin(), left_out.end(), field.path) != left_out.end()) continue;
    Json& part = field.owner == ScalarOwner::plan ? plan : work;
    part[field.key] = scalar_json(field, get_scalar(c.scenario, field));
  }
  if (c.scenario.machine.kind == MachineKind::tree) {
    plan["order"] = Json::array();
    for (const Axis axis : c.scenario.plan.order) {
      plan["order"].push_back(names_of(axis)[static_cast<std::size_t>(axis)]);
    }
  }
  Json out{{"model", c.model_input},
           {"machine", machine_json(c.scenario.machine)},
           {"plan", std::move(plan)}};
  out.update(work);
  return out;
}

bool energy_known(const Machine& machine) {
  const Accelerator& device = machine.device;
  return device.energy_per_flop.base() > 0 || device.energy_per_memory_byte.base() > 0 ||
         device.static_power.base() > 0;
}

Json basis_of(const Case& c) {
  Json sources = Json::array();
  const auto add = [&sources](const char* field, const std::string& source) {
    if (!source.empty()) sources.push_back({{"field", field}, {"source", source}});
  };
  add("model", c.model.source);
  const bool chiplet = c.scenario.machine.kind == MachineKind::chiplet;
  add("machine", c.scenario.machine.name);
  add("equations", "docs/chiplet-model.md");
  return {{"level", "estimate"},
          {"why", Json::array({chiplet ? "the machine is a design, nothing of it was measured"
                                       : "rates are those of data sheets, without calibration",
                               "compute and memory of a stage overlap fully, communication not"})},
          {"sources", std::move(sources)},
          {"interval", nullptr}};
}

}  // namespace ridgeline::app
