// Plans as people write them: a file, what concerns all parts, names for facts of the registries.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ridgeline/app/evaluate.h"
#include "ridgeline/app/facts.h"
#include "ridgeline/app/files.h"
#include "ridgeline/app/input.h"
#include "ridgeline/app/spec_file.h"
#include "ridgeline/app/vocabulary.h"
#include "ridgeline/base/text.h"
#include "ridgeline/physics/setting.h"

namespace ridgeline::app {
namespace {

namespace evaluation = solve::evaluation;

constexpr std::array kForms = {"ridgeline", "mlsysim"};
constexpr std::array kOwnFields = {
    Field{"plan", FieldKind::text, "", "a file with the fields below (YAML or JSON)"},
    Field{"from", FieldKind::choice, "ridgeline", "whose form the file has", kForms},
    Field{"name", FieldKind::text, "", "of the plan"},
    Field{"assert", FieldKind::object, "", "what must hold: {\"ttft_s\": \"< 0.5\"}"},
};

// What a part may not say, since it follows from the rest.
struct Part {
  const char* name;
  std::vector<Member> (*members)(evaluation::Inputs&);
  std::vector<const char*> derived;
  bool takes_setting = false;
};

template <class T>
std::vector<Member> members_of_part(std::optional<T>& part) {
  return members_of(part.emplace());
}

const std::vector<Part>& parts() {
  static const std::vector<Part> kParts = {
      {"training",
       [](evaluation::Inputs& in) { return members_of_part(in.training); },
       {"model", "machine"},
       true},
      {"serving",
       [](evaluation::Inputs& in) { return members_of_part(in.serving); },
       {"model", "machine", "hardware"},
       true},
      {"site", [](evaluation::Inputs& in) { return members_of(in.site); }, {}},
      {"checkpoint",
       [](evaluation::Inputs& in) { return members_of_part(in.checkpoint); },
       {"model", "hardware"},
       true},
      {"reliability",
       [](evaluation::Inputs& in) { return members_of_part(in.reliability); },
       {"nodes", "job_duration"}},
      {"economics",
       [](evaluation::Inputs& in) { return members_of(in.economics); },
       {"devices", "duration", "device_hours", "mfu", "tokens_per_s", "input_tokens_per_s",
        "prefill_time_fraction"}},
      {"sustainability",
       [](evaluation::Inputs& in) { return members_of(in.sustainability); },
       {"devices", "duration", "device_hours", "mfu", "tokens_count"}},
  };
  return kParts;
}

const Json* given(const Json& object, const char* key) {
  const auto it = object.find(key);
  return it == object.end() || it->is_null() ? nullptr : &*it;
}

bool gives(const Json& object, std::span<const Member> members, const std::string& name) {
  return std::any_of(object.items().begin(), object.items().end(), [&](const auto& item) {
    double factor = 0;
    const Member* m = find_member(members, lower(item.key()), factor);
    return m != nullptr && m->name == name && !item.value().is_null();
  });
}

// Puts an object's values into another; anything else replaces what is there.
void lay_over(const Json& value, Json& target) {
  if (!value.is_object() || !target.is_object()) {
    target = value;
    return;
  }
  for (const auto& [key, inner] : value.items()) lay_over(inner, target[key]);
}

// The plan's file under the flags, which win.
Result<Request> with_file(const Request& given_request, const Context& context) {
  const Json* plan = given(given_request.input, "plan");
  if (plan == nullptr) return given_request;
  Request out = given_request;
  Json content = *plan;
  Origins origins = given_request.origins;
  if (plan->is_string()) {
    auto file = read_file(plan->get<std::string>(), context);
    if (!file) return given_request.origins.placed(file.error(), "/plan");
    auto spec = parse_spec(file->text);
    if (!spec) {
      Error error = spec.error();
      error.where = fmt::format("{}:{}", plan->get<std::string>(), error.where);
      return error;
    }
    content = spec->value;
    origins.source = plan->get<std::string>();
    origins.lines = spec->lines;
    out.folders.push_back(folder_of(file->path));
  }
  const Json* form = given(given_request.input, "from");
  if (form != nullptr && *form != "ridgeline") {
    if (*form != "mlsysim") {
      return Error{ErrorCode::bad_value, given_request.origins.where("/from"),
                   fmt::format("{} is no form of a plan", form->dump()), "ridgeline or mlsysim"};
    }
    auto converted = from_mlsysim(content);
    if (!converted) {
      origins.typed.clear();
      Error error = converted.error();
      error.where = fmt::format("{}:{}", origins.source, error.where);
      return error;
    }
    content = *std::move(converted);
  }
  const Command command = evaluate_command();
  const Vocabulary vocabulary(command, {});
  InputBuilder builder(vocabulary, origins);
  RIDGELINE_CHECK(builder.add_object(content));
  out.input = builder.take();
  for (const auto& [key, value] : given_request.input.items()) {
    if (key == "plan" || key == "from") continue;
    lay_over(value, out.input[key]);
    const auto typed = given_request.origins.typed.find(pointer_of(key));
    if (typed != given_request.origins.typed.end()) origins.typed[pointer_of(key)] = typed->second;
  }
  out.origins = std::move(origins);
  return out;
}

Error follows(const Request& request, const std::string& pointer) {
  return placed(
      request, {ErrorCode::conflict, pointer, "follows from the rest of the plan", "leave it out"});
}

Status refuse_derived(const Request& request, const Part& part, std::span<const Member> members,
                      const Json& object) {
  for (const auto& [key, value] : object.items()) {
    double factor = 0;
    const Member* m = find_member(members, lower(key), factor);
    if (m == nullptr) continue;
    const bool derived = std::any_of(part.derived.begin(), part.derived.end(),
                                     [&](const char* name) { return m->name == name; });
    if (derived) return follows(request, fmt::format("/{}/{}", part.name, key));
  }
  return Ok{};
}

// Number formats and efficiencies of the whole plan go to the parts that do not say their own.
void spread_setting(Json& input, UncertainInput* first, std::size_t count) {
  physics::Setting setting;
  const std::vector<Member> members = members_of(setting);
  std::vector<std::string> taken;
  for (const auto& [key, value] : input.items()) {
    double factor = 0;
    const Member* m = find_member(members, lower(key), factor);
    if (m == nullptr) continue;
    taken.push_back(key);
    for (const Part& part : parts()) {
      if (!part.takes_setting || !input.contains(part.name) || !input[part.name].is_object() ||
          gives(input[part.name], members, m->name)) {
        continue;
      }
      input[part.name][key] = value;
      for (UncertainInput* u = first; u != first + count; ++u) {
        if (u->pointer == "/" + key) u->places.push_back(fmt::format("/{}/{}", part.name, key));
      }
    }
  }
  for (const std::string& key : taken) input.erase(key);
}

// Names of registries in a part become its numbers.
Status fill_part(const Part& part, std::span<const Member> members, const Request& request,
                 const Context& context, Json& object, Json& sources) {
  Request inner;
  inner.input = object;
  auto filled = with_facts(inner, members, context);
  if (!filled) return placed(request, inside_of(fmt::format("/{}", part.name), filled.error()));
  object = filled->request.input;
  for (const Field& field : fact_fields(members)) object.erase(field.name);
  for (Json& source : filled->sources) {
    source["field"] = fmt::format("{}.{}", part.name, source["field"].get<std::string>());
    sources.push_back(std::move(source));
  }
  return Ok{};
}

// What a part takes from its neighbours where it says nothing itself.
void fill_from_neighbours(Json& input, const Context& context, const std::string& device) {
  if (Json* site = input.contains("site") ? &input["site"] : nullptr; site && site->is_string()) {
    *site = Json{{"site", *site}};
  }
  const auto known = [&](catalog::EntryKind kind) {
    return !device.empty() && context.catalog->find(kind, device).has_value();
  };
  if (input.contains("economics") && input["economics"].is_object()) {
    Json& economics = input["economics"];
    const bool silent = !economics.contains("device") && !economics.contains("unit_cost") &&
                        !economics.contains("unit_cost_usd") &&
                        !economics.contains("hourly_rental_price") &&
                        !economics.contains("hourly_rental_price_usd");
    if (silent && known(catalog::EntryKind::price)) economics["device"] = device;
  }
  if (input.contains("checkpoint") && input.contains("training") &&
      input["checkpoint"].is_object() && input["training"].is_object() &&
      input["training"].contains("optimizer") && !input["checkpoint"].contains("optimizer")) {
    input["checkpoint"]["optimizer"] = input["training"]["optimizer"];
  }
}

std::string device_named(const Request& request, const Context& context) {
  const Json* machine = given(request.input, "machine");
  if (machine == nullptr || Names::is_totals(*machine)) return "";
  Names names(context);
  const auto found = names.machine(*machine);
  return found ? found->device.name : "";
}

}  // namespace

const FieldList& evaluate_fields() {
  static const FieldList kFields = [] {
    FieldList out;
    for (const Field& field : kOwnFields) out.add(field);
    for (const Field& field : subject_fields()) {
      const std::string_view name = field.name;
      if (name == "model" || name == "machine" || name == "devices") out.add(field);
    }
    evaluation::Inputs in;
    out.add(members_of(in));
    physics::Setting setting;
    out.add(members_of(setting));
    for (const Field& field : sampling_fields()) out.add(field);
    return out;
  }();
  return kFields;
}

Result<PlanRequest> plan_request(const Request& request, const Context& context) {
  PlanRequest out;
  RIDGELINE_TRY(out.request, with_file(request, context));
  Context local = context;
  local.folders.insert(local.folders.begin(), out.request.folders.begin(),
                       out.request.folders.end());
  Json& input = out.request.input;
  RIDGELINE_TRY(out.uncertain, take_uncertain(out.request));
  fill_from_neighbours(input, local, device_named(out.request, local));
  spread_setting(input, out.uncertain.inputs.data(), out.uncertain.inputs.size());
  for (const Part& part : parts()) {
    if (given(input, part.name) == nullptr || !input[part.name].is_object()) continue;
    evaluation::Inputs like;
    const std::vector<Member> members = part.members(like);
    RIDGELINE_CHECK(refuse_derived(out.request, part, members, input[part.name]));
    RIDGELINE_CHECK(fill_part(part, members, out.request, local, input[part.name], out.sources));
  }
  return out;
}

}  // namespace ridgeline::app
