#include "ridgeline/app/derived.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ridgeline/app/facts.h"
#include "ridgeline/app/input.h"
#include "ridgeline/app/vocabulary.h"

namespace ridgeline::app {
namespace {

constexpr std::array kSubjectFields = {
    Field{"model", FieldKind::model, "",
          "a name of the registry, a file, a config.json (part of one will do), or totals"},
    Field{"params", FieldKind::number, "", "parameters, in place of a model: 70B"},
    Field{"active_params", FieldKind::number, "", "of them, what one token uses"},
    Field{"machine", FieldKind::machine, "", "a device, a node or a cluster of the registry"},
    Field{"devices", FieldKind::count, "", "take so many devices of the machine"},
};

std::string fallback_of(const Member& m) {
  const Json value = m.get();
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (!value.is_number()) return "";
  return m.dim == Dim{} ? value.dump() : format_quantity(value.get<double>() * m.unit, m.dim);
}

const Json* given(const Json& input, const char* key) {
  const auto it = input.find(key);
  return it == input.end() || it->is_null() ? nullptr : &*it;
}

// The members of the parts that solvers' inputs have, by the name of the field that holds them.
class Parts {
 public:
  std::vector<Member> of(const std::string& name) {
    if (name.ends_with("model")) return members_of(totals_);
    if (name.ends_with("hardware") || name == "device") return members_of(hardware_);
    return name == "machine" ? members_of(cluster_) : std::vector<Member>{};
  }

 private:
  Totals totals_;
  Hardware hardware_;
  Cluster cluster_;
};

// The key that the object has for the member, else the member's own.
std::string spelled_in(std::span<const Member> members, const Json* object,
                       const std::string& name) {
  const auto member =
      std::find_if(members.begin(), members.end(), [&](const Member& m) { return m.name == name; });
  if (member == members.end()) return name;
  if (object != nullptr && object->is_object()) {
    for (const auto& [key, value] : object->items()) {
      double factor = 0;
      const Member* found = find_member(members, lower(key), factor);
      if (found == &*member) return key;
    }
  }
  return member->key;
}

void drop_in(Json& tree, const std::string& path, std::string& dropped) {
  if (tree.is_structured()) {
    for (auto it = tree.begin(); it != tree.end(); ++it) {
      const std::string name = tree.is_object() ? it.key() : fmt::format("{}", it - tree.begin());
      drop_in(*it, path.empty() ? name : path + "." + name, dropped);
    }
    return;
  }
  if (!tree.is_number_float() || std::isfinite(tree.get<double>())) return;
  tree = nullptr;
  dropped += (dropped.empty() ? "" : ", ") + path;
}

}  // namespace

const char* FieldList::keep(std::string text) {
  texts_.push_back(std::move(text));
  return texts_.back().c_str();
}

void FieldList::add(std::span<const Member> members) {
  for (const Member& m : members) {
    const bool there = std::any_of(fields_.begin(), fields_.end(),
                                   [&](const Field& f) { return m.name == f.name; });
    if (there) continue;
    fields_.push_back({keep(m.name), m.kind, keep(fallback_of(m)), keep(m.help), m.choices,
                       keep(m.key), m.dim, m.unit});
  }
}

std::span<const Field> subject_fields() {
  return kSubjectFields;
}

Result<Request> with_totals(const Request& request) {
  const Json* params = given(request.input, "params");
  const Json* active = given(request.input, "active_params");
  if (params == nullptr && active == nullptr) return request;
  const char* first = params != nullptr ? "/params" : "/active_params";
  if (given(request.input, "model") != nullptr) {
    return Error{ErrorCode::conflict, request.origins.where(first),
                 "a model and its totals are given", "keep one of them"};
  }
  Request out = request;
  const auto move = [&](const Json* value, const char* from, const char* to) {
    if (value == nullptr) return;
    out.input["model"][to] = *value;
    out.origins.typed[fmt::format("/model/{}", to)] = request.origins.where(pointer_of(from));
    out.input.erase(from);
  };
  out.input["model"] = Json::object();
  out.origins.typed["/model"] = request.origins.where(first);
  move(params, "params", "parameters_count");
  move(active, "active_params", "active_parameters_count");
  return out;
}

Status set_devices(const Request& request, Names& names) {
  const Json* devices = given(request.input, "devices");
  if (devices == nullptr) return Ok{};
  if (given(request.input, "machine") == nullptr) {
    return Error{ErrorCode::missing, request.origins.where("/machine"),
                 "devices are asked for, but of which machine?", "give --machine"};
  }
  Member member;
  member.name = "devices";
  auto count = count_of(member, *devices);
  if (!count) return placed(request, inside_of("/devices", count.error()));
  if (*count < 1) {
    return Error{ErrorCode::out_of_range, request.origins.where("/devices"),
                 fmt::format("devices is {}", *count), "at least 1"};
  }
  names.set_devices(*count);
  return Ok{};
}

Result<SubjectInput> subject_of(const Request& request, Names& names) {
  SubjectInput out;
  if (const Json* model = given(request.input, "model")) {
    if (Names::is_totals(*model)) {
      auto totals = names.totals(*model);
      if (!totals) return placed(request, inside_of("/model", totals.error()));
      out.totals = *totals;
    } else {
      auto found = names.model(*model);
      if (!found) return placed(request, inside_of("/model", found.error()));
      out.model = *found;
    }
  }
  const Json* machine = given(request.input, "machine");
  const Json* hardware = given(request.input, "hardware");
  if (machine != nullptr) {
    auto found = names.machine(*machine);
    if (!found) return placed(request, found.error());  // it names /machine or /devices itself
    out.machine = *found;
  } else if (hardware != nullptr) {
    auto found = names.machine_of_hardware(*hardware);
    if (!found) return placed(request, inside_of("/hardware", found.error()));
    out.machine = *found;
  }
  return out;
}

Json inputs_json(const Request& request, std::span<const Member> members) {
  Json out = Json::object();
  for (const Field& field : kSubjectFields) {
    if (const Json* value = given(request.input, field.name)) out[field.name] = *value;
  }
  for (const Field& field : fact_fields(members)) {
    if (const Json* value = given(request.input, field.name)) out[field.name] = *value;
  }
  for (const Member& m : members) {
    const Json* value = given(request.input, m.name.c_str());
    const bool named =
        m.kind == FieldKind::model || m.kind == FieldKind::hardware || m.kind == FieldKind::machine;
    out[m.key] = named && value != nullptr ? *value : m.get();
  }
  return out;
}

void drop_non_finite(Json& tree, std::vector<Note>& notes) {
  std::string dropped;
  drop_in(tree, "", dropped);
  if (dropped.empty()) return;
  notes.push_back(
      {"not_finite", fmt::format("infinite or undefined, hence null: {}", dropped), ""});
}

Error placed(const Request& request, Error error) {
  const bool pointer = error.where.empty() || error.where.front() == '/';
  return pointer ? request.origins.placed(std::move(error), "") : error;
}

Error placed_check(const Request& request, std::span<const Member> members, Error error) {
  std::string pointer, rest = error.where.starts_with('/') ? error.where.substr(1) : error.where;
  std::vector<Member> inner(members.begin(), members.end());
  const Json* object = &request.input;
  Parts parts;
  while (!rest.empty()) {
    const std::string name = rest.substr(0, rest.find('/'));
    rest = name.size() == rest.size() ? "" : rest.substr(name.size() + 1);
    const bool top = pointer.empty();
    const bool flag = top && request.origins.typed.contains("/" + name);
    const std::string spelled = flag ? name : spelled_in(inner, object, name);
    const bool from_shell = top && request.origins.source.empty();
    pointer += "/" + (from_shell ? name : spelled);
    const bool there = object != nullptr && object->is_object() && object->contains(spelled);
    object = there ? &(*object)[spelled] : nullptr;
    inner = parts.of(name);
  }
  const bool known = request.origins.typed.contains(pointer.substr(0, pointer.find('/', 1)));
  const bool in_spec = !known && !pointer.empty() && !request.origins.source.empty();
  if (in_spec) {
    error.where = fmt::format("{}:{}", request.origins.source, pointer);
    return error;
  }
  error.where = pointer;
  return request.origins.placed(std::move(error), "");
}

}  // namespace ridgeline::app
