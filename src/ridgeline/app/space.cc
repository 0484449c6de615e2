#include "ridgeline/app/space.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ridgeline/app/axis_values.h"
#include "ridgeline/app/conditions.h"
#include "ridgeline/app/files.h"
#include "ridgeline/app/spec_file.h"
#include "ridgeline/base/text.h"

namespace ridgeline::app {
namespace {

using explore::Axis;
using explore::Space;

constexpr std::size_t kMostAxes = 24;
constexpr int kMostBases = 8;
constexpr std::array kDepths = {"two_stage", "balanced", "coarse", "full"};
constexpr std::array kSpaceKeys = {"base", "axes", "fixed", "constraints", "objectives",  "plans",
                                   "ring", "pick", "name",  "kind",        "description", "source"};

Error at(Error error, const std::string& pointer) {
  error.where = pointer + error.where;
  return error;
}

Result<Json> shipped(const Context& context, const std::string& name) {
  RIDGELINE_TRY(const catalog::Entry* entry,
                context.catalog->find(catalog::EntryKind::space, name));
  return parse_json(entry->text);
}

// Fills one Space from the layers of its description; `where` of errors is a pointer in the layer.
class SpaceReader {
 public:
  enum class Layer : std::uint8_t {
    shipped,
    own
  };  // paths that a shipped file has too much are skipped

  SpaceReader(const Context& context, Case& c, const Vocabulary& vocabulary)
      : context_(context), case_(c), vocabulary_(vocabulary) {}

  Status read(const Json& text, Layer layer) {
    if (!text.is_object()) {
      return Error{ErrorCode::bad_value, "", fmt::format("a space is {}", kind_name(text)),
                   "give an object with \"axes\""};
    }
    RIDGELINE_CHECK(check_keys(text));
    if (text.contains("base")) RIDGELINE_CHECK(read_base(text["base"]));
    if (text.contains("name") && text["name"].is_string()) space_.name = text["name"];
    if (text.contains("plans")) RIDGELINE_CHECK(read_plans_name(text["plans"]));
    if (text.contains("axes")) RIDGELINE_CHECK(read_axes(text["axes"], layer));
    if (text.contains("fixed")) RIDGELINE_CHECK(read_fixed(text["fixed"], layer));
    if (text.contains("ring")) RIDGELINE_CHECK(read_ring(text["ring"]));
    if (text.contains("pick")) RIDGELINE_CHECK(read_pick(text["pick"]));
    if (text.contains("constraints")) RIDGELINE_CHECK(read_constraints(text["constraints"]));
    if (text.contains("objectives")) RIDGELINE_CHECK(read_objectives(text["objectives"]));
    return Ok{};
  }

  // The axes of the plan list that was named, or that --plans asks for, after all others.
  Status read_plans(const std::string& chosen) {
    const std::string name = chosen.empty() ? plans_ : "plans-" + chosen;
    if (name.empty()) return Ok{};
    RIDGELINE_TRY(const Json text, shipped(context_, name));
    const std::string own_name = space_.name;
    const auto status = read(text, Layer::shipped);
    space_.name = own_name;
    return status;
  }

  // The user's word on a plan field ends its being an axis.
  void release(const std::string& path) {
    std::erase_if(space_.axes, [&](const Axis& axis) { return axis.field.path == path; });
    if (path == "plan.cp_ring_variant") space_.ring_rule = explore::RingRule::as_given;
  }

  Status read_constraints(const Json& list) {
    if (!list.is_array()) return at(not_a_list(list), "/constraints");
    space_.constraints.clear();
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string pointer = fmt::format("/constraints/{}", i);
      if (!list[i].is_string()) return at(not_a_text(list[i]), pointer);
      const auto& text = list[i].get_ref<const std::string&>();
      if (lower(text) == "fits_memory") continue;  // holds unless misfits are asked for
      auto constraint = constraint_of(text, vocabulary_);
      if (!constraint) return at(constraint.error(), pointer);
      space_.constraints.push_back(*std::move(constraint));
    }
    return Ok{};
  }

  Status read_objectives(const Json& list) {
    if (!list.is_array()) return at(not_a_list(list), "/objectives");
    space_.objectives.clear();
    for (std::size_t i = 0; i < list.size(); ++i) {
      auto objective = objective_of(list[i]);
      if (!objective) return at(objective.error(), fmt::format("/objectives/{}", i));
      space_.objectives.push_back(*objective);
    }
    if (!space_.objectives.empty()) return Ok{};
    return Error{ErrorCode::missing, "/objectives", "no objective is given",
                 "give one or more, such as latency_s"};
  }

  Space& space() { return space_; }
  bool has_plans() const { return !plans_.empty(); }

 private:
  static Error not_a_list(const Json& value) {
    return {ErrorCode::bad_value, "", fmt::format("is {}, not a list", kind_name(value)),
            "give a list of texts"};
  }
  static Error not_a_text(const Json& value) {
    return {ErrorCode::bad_value, "", fmt::format("is {}, not text", kind_name(value)), ""};
  }

  static Status check_keys(const Json& text) {
    const std::vector<std::string> known(kSpaceKeys.begin(), kSpaceKeys.end());
    for (const auto& [key, value] : text.items()) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      std::string hint = did_you_mean(key, known);
      if (hint.empty()) hint = fmt::format("a space has {}", fmt::join(known, ", "));
      return Error{ErrorCode::unknown_key, "/" + key,
                   fmt::format("\"{}\" is no part of a space", key.substr(0, 80)), hint};
    }
    return Ok{};
  }

  Status read_base(const Json& base) {
    if (!base.is_string()) return at(not_a_text(base), "/base");
    if (++bases_ > kMostBases) {
      return Error{ErrorCode::conflict, "/base", "spaces are based on each other in a circle", ""};
    }
    auto text = shipped(context_, base.get<std::string>());
    if (!text) return at(text.error(), "/base");
    const bool plans = text->contains("kind") && (*text)["kind"] == "plans";
    RIDGELINE_CHECK(read(*text, Layer::shipped));
    space_.name.clear();
    if (plans) plans_.clear();
    return Ok{};
  }

  Status read_plans_name(const Json& name) {
    if (!name.is_string()) return at(not_a_text(name), "/plans");
    plans_ = name.get<std::string>();
    if (plans_.rfind("plans-", 0) != 0) plans_ = "plans-" + plans_;
    auto known = context_.catalog->find(catalog::EntryKind::space, plans_);
    if (!known) return at(known.error(), "/plans");
    return Ok{};
  }

  Status read_axes(const Json& axes, Layer layer) {
    if (!axes.is_object()) {
      return Error{ErrorCode::bad_value, "/axes",
                   fmt::format("is {}, not an object", kind_name(axes)),
                   "give {\"plan.tp\": [1, 2, 4], ...}"};
    }
    std::vector<std::string> seen;
    for (const auto& [path, values] : axes.items()) {
      const auto status = read_axis(path, values, layer, seen);
      if (!status) return at(status.error(), "/axes/" + path);
    }
    return Ok{};
  }

  Status read_axis(const std::string& path, const Json& values, Layer layer,
                   std::vector<std::string>& seen) {
    if (path == "machine.knobs") {
      for (const ScalarField& knob : hardware_knobs(case_.scenario.machine)) {
        RIDGELINE_CHECK(add_axis({knob, knob.unit}, values, seen));
      }
      return Ok{};
    }
    auto target = vocabulary_.find(path);
    if (!target && layer == Layer::shipped) return Ok{};
    if (!target) return target.error();
    if (target->field != nullptr) {
      return Error{ErrorCode::unknown_key, "", fmt::format("\"{}\" cannot be an axis", path),
                   "axes are scalars of machine, plan and workload"};
    }
    return add_axis(target->scalar, values, seen);
  }

  Status add_axis(const ScalarRef& ref, const Json& values, std::vector<std::string>& seen) {
    const std::string& path = ref.field.path;
    if (std::find(seen.begin(), seen.end(), path) != seen.end()) {
      return Error{ErrorCode::conflict, "", fmt::format("{} is an axis twice", path), "keep one"};
    }
    seen.push_back(path);
    RIDGELINE_TRY(std::vector<double> list,
                  axis_values(ref, values, get_scalar(case_.scenario, ref.field)));
    const auto old = std::find_if(space_.axes.begin(), space_.axes.end(),
                                  [&](const Axis& axis) { return axis.field.path == path; });
    if (old != space_.axes.end()) {
      old->values = std::move(list);
      return Ok{};
    }
    if (space_.axes.size() >= kMostAxes) {
      return Error{ErrorCode::out_of_range, "", fmt::format("more than {} axes", kMostAxes), ""};
    }
    space_.axes.push_back({ref.field, std::move(list)});
    return Ok{};
  }

  Status read_fixed(const Json& fixed, Layer layer) {
    if (!fixed.is_object()) {
      return Error{ErrorCode::bad_value, "/fixed",
                   fmt::format("is {}, not an object", kind_name(fixed)),
                   "give {\"plan.dp\": 1, ...}"};
    }
    for (const auto& [path, value] : fixed.items()) {
      const std::string pointer = "/fixed/" + path;
      auto target = vocabulary_.find(path);
      if (!target && layer == Layer::shipped) continue;
      if (!target) return at(target.error(), pointer);
      if (target->field != nullptr) {
        return Error{ErrorCode::unknown_key, pointer, fmt::format("\"{}\" cannot be fixed", path),
                     "fixed are scalars of machine, plan and workload"};
      }
      auto number = scalar_value(target->scalar, value);
      if (!number) return at(number.error(), pointer);
      settle(target->scalar.field, *number, layer);
    }
    return Ok{};
  }

  // What a shipped space fixes gives way to what the user says; to say the same is to say nothing.
  void settle(const ScalarField& field, double value, Layer layer) {
    const bool given = layer == Layer::shipped && is_given(field);
    if (!given) {
      set_scalar(case_.scenario, field, value);
    } else if (get_scalar(case_.scenario, field) == value) {
      std::erase(case_.given, field.path);
    }
    release(field.path);
  }

  Status read_ring(const Json& ring) {
    if (ring == "by_phase") {
      space_.ring_rule = explore::RingRule::by_phase;
    } else if (ring == "as_given") {
      space_.ring_rule = explore::RingRule::as_given;
    } else {
      return Error{ErrorCode::bad_value, "/ring", "is no rule for the ring",
                   "give by_phase or as_given"};
    }
    return Ok{};
  }

  Status read_pick(const Json& pick) {
    if (pick == "fastest") {
      space_.pick = explore::Pick::fastest;
    } else if (pick == "fewest_devices") {
      space_.pick = explore::Pick::fewest_devices;
    } else {
      return Error{ErrorCode::bad_value, "/pick", "is no way to pick a plan",
                   "give fastest or fewest_devices"};
    }
    return Ok{};
  }

  bool is_given(const ScalarField& field) const {
    return std::find(case_.given.begin(), case_.given.end(), field.path) != case_.given.end();
  }

  const Context& context_;
  Case& case_;
  const Vocabulary& vocabulary_;
  Space space_;
  std::string plans_;  // the plan list that the space names
  int bases_ = 0;
};

struct Described {
  Json text;            // the space as data
  std::string file;     // where it came from, for errors; empty: the input itself
  std::string pointer;  // in the input
  SpaceReader::Layer layer = SpaceReader::Layer::own;
};

Result<Described> by_depth(const InputReader& reader, const Request& request,
                           const Context& context) {
  RIDGELINE_TRY(const std::string depth, reader.text("depth"));
  const std::string name = lower(depth);
  if (std::find(kDepths.begin(), kDepths.end(), snake(name)) == kDepths.end()) {
    const std::vector<std::string> known(kDepths.begin(), kDepths.end());
    return Error{ErrorCode::unknown_name, request.origins.where("/depth"),
                 fmt::format("\"{}\" is no depth", depth.substr(0, 80)),
                 fmt::format("give {}", fmt::join(known, ", "))};
  }
  RIDGELINE_TRY(Json text, shipped(context, snake(name)));
  return Described{std::move(text), "", "/depth", SpaceReader::Layer::shipped};
}

Result<Described> by_space(const Json& given, const Request& request, const Context& context) {
  if (!given.is_string()) return Described{given, "", "/space", SpaceReader::Layer::own};
  const auto& name = given.get_ref<const std::string&>();
  if (context.catalog->find(catalog::EntryKind::space, name)) {
    RIDGELINE_TRY(Json text, shipped(context, name));
    return Described{std::move(text), "", "/space", SpaceReader::Layer::shipped};
  }
  const bool is_path = name.find_first_of("/.") != std::string::npos || file_exists(name, context);
  if (!is_path) {
    auto entry = context.catalog->find(catalog::EntryKind::space, name);
    return request.origins.placed(entry.error(), "/space");
  }
  auto file = read_file(name, context);
  if (!file) return request.origins.placed(file.error(), "/space");
  auto parsed = parse_spec(file->text);
  if (!parsed) {
    Error error = parsed.error();
    error.message = fmt::format("{}: {}", name, error.message);
    error.where.clear();
    return request.origins.placed(std::move(error), "/space");
  }
  return Described{std::move(parsed->value), name, "", SpaceReader::Layer::own};
}

Result<Described> described(const InputReader& reader, const Request& request,
                            const Context& context) {
  if (!reader.has("space")) return by_depth(reader, request, context);
  if (reader.has("depth")) {
    return Error{ErrorCode::conflict, request.origins.where("/depth"),
                 "depth and space both say what is searched", "keep one of them"};
  }
  return by_space(request.input["space"], request, context);
}

Error placed(const Error& error, const Described& d, const Origins& origins) {
  if (d.file.empty()) return origins.placed(error, d.pointer);
  Error out = error;
  if (out.where.empty()) return origins.placed(std::move(out), "/space");
  out.where = fmt::format("{}:{}", d.file, error.where);
  return out;
}

Json axes_json(const Space& space) {
  Json out = Json::object();
  for (const Axis& axis : space.axes) {
    Json values = Json::array();
    for (const double v : axis.values) values.push_back(scalar_json(axis.field, v));
    out[axis.field.path] = std::move(values);
  }
  return out;
}

Json constraints_json(const Space& space) {
  Json out = Json::array();
  if (space.require_fit) out.push_back("fits_memory");
  for (const explore::Constraint& c : space.constraints) out.push_back(c.text);
  return out;
}

Json objectives_json(const Space& space) {
  Json out = Json::array();
  for (const explore::Objective& objective : space.objectives) {
    const char* sense = objective.sense == explore::Sense::minimize ? "minimize" : "maximize";
    out.push_back(
        {{sense, names_of(objective.metric)[static_cast<std::size_t>(objective.metric)]}});
  }
  return out;
}

Json own_space_json(const Space& space) {
  const bool by_phase = space.ring_rule == explore::RingRule::by_phase;
  const bool fastest = space.pick == explore::Pick::fastest;
  return {{"axes", axes_json(space)},
          {"ring", by_phase ? "by_phase" : "as_given"},
          {"pick", fastest ? "fastest" : "fewest_devices"}};
}

Status read_lists(const InputReader& reader, const Request& request, SpaceReader& into) {
  if (reader.has("constraints")) {
    RIDGELINE_TRY(const auto texts, reader.texts("constraints"));
    const auto status = into.read_constraints(Json(texts));
    if (!status) return request.origins.placed(status.error(), "");
  }
  if (reader.has("objectives")) {
    const Json& given = request.input["objectives"];
    const auto status = into.read_objectives(given.is_array() ? given : Json::array({given}));
    if (!status) return request.origins.placed(status.error(), "");
  }
  return Ok{};
}

Status check_axes(const Space& space, const Case& c, const Described& d, const Origins& origins) {
  for (const Axis& axis : space.axes) {
    const bool given = std::find(c.given.begin(), c.given.end(), axis.field.path) != c.given.end();
    if (!given || d.layer == SpaceReader::Layer::shipped) continue;
    return Error{ErrorCode::conflict, origins.where(pointer_of(axis.field.path)),
                 fmt::format("{} is an axis of the space and given as well", axis.field.path),
                 "leave one of them out"};
  }
  return Ok{};
}

}  // namespace

Result<SpaceInput> space_of(const Request& request, const Context& context, Case& c) {
  const Command& command = **find_command(request.command);
  const InputReader reader(request.input, request.origins, command);
  const Vocabulary vocabulary(command, c.scenario.machine);
  RIDGELINE_TRY(const Described text, described(reader, request, context));
  SpaceReader into(context, c, vocabulary);
  if (const auto status = into.read(text.text, text.layer); !status) {
    return placed(status.error(), text, request.origins);
  }
  const bool by_depth = !reader.has("space");
  const bool own_plans = by_depth && !into.has_plans();  // two_stage looks at plans of its own
  std::string plans;
  if (reader.has("plans")) {
    RIDGELINE_TRY(const std::size_t chosen, reader.choice("plans"));
    plans = find_field(command, "plans")->choices[chosen];
    if (own_plans) {
      return Error{ErrorCode::conflict, request.origins.where("/plans"),
                   "this depth looks at plans of its own", "leave plans out"};
    }
  }
  RIDGELINE_CHECK(into.read_plans(plans));
  RIDGELINE_CHECK(read_lists(reader, request, into));
  RIDGELINE_CHECK(check_axes(into.space(), c, text, request.origins));
  RIDGELINE_TRY(const bool misfits, reader.toggle("misfits"));
  into.space().require_fit = !misfits;
  if (text.layer == SpaceReader::Layer::shipped) {
    for (const std::string& path : c.given) into.release(path);
  }
  SpaceInput out;
  out.space = std::move(into.space());
  for (const Axis& axis : out.space.axes) out.axis_paths.push_back(axis.field.path);
  if (out.space.ring_rule == explore::RingRule::by_phase) {
    out.axis_paths.emplace_back("plan.cp_ring_variant");
  }
  if (by_depth) {
    out.shown["depth"] = out.space.name;
    const bool full = plans == "full" || (plans.empty() && out.space.name == "full");
    if (!own_plans) out.shown["plans"] = full ? "full" : "reduced";
  } else {
    out.shown["space"] = own_space_json(out.space);
  }
  out.shown["constraints"] = constraints_json(out.space);
  out.shown["objectives"] = objectives_json(out.space);
  return out;
}

Result<explore::Space> full_plan_space(const Request& request, const Context& context,
                                       const explore::Space& like, Case& c) {
  const Command& command = **find_command(request.command);
  const Vocabulary vocabulary(command, c.scenario.machine);
  SpaceReader into(context, c, vocabulary);
  RIDGELINE_CHECK(into.read_plans("full"));
  for (const std::string& path : c.given) into.release(path);
  explore::Space out = std::move(into.space());
  out.require_fit = like.require_fit;
  out.constraints = like.constraints;
  return out;
}

}  // namespace ridgeline::app
