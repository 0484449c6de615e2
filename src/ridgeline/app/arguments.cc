#include "ridgeline/app/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ridgeline/app/files.h"
#include "ridgeline/app/resolve.h"
#include "ridgeline/app/spec_file.h"
#include "ridgeline/app/vocabulary.h"
#include "ridgeline/base/text.h"

namespace ridgeline::app {
namespace {

constexpr std::size_t kMostArguments = 10'000;

constexpr std::array kCommonFlags = {
    CommonFlag{"--spec FILE", "input from a YAML or JSON file; flags win over it"},
    CommonFlag{"--set PATH=VALUE", "set any field, such as --set plan.tp=8; may be given again"},
    CommonFlag{"--format table|json|csv|markdown|svg", "form of the answer; --json for short"},
    CommonFlag{"--output FILE", "write the answer to a file"},
    CommonFlag{"--data DIR", "lay your own registry files over the built-in ones"},
    CommonFlag{"--help", "explain the command"},
};

Error usage(std::string where, std::string message, std::string hint) {
  return {ErrorCode::usage, std::move(where), std::move(message), std::move(hint)};
}

// A value that text stands for: JSON where it is an object, list, or quoted text, else the text
// itself.
Result<Json> value_of(const std::string& text, const std::string& typed) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool structured = first != std::string::npos &&
                          (text[first] == '{' || text[first] == '[' || text[first] == '"');
  if (!structured) return Json(text);
  auto value = parse_json(text);
  if (value) return value;
  Error error = value.error();
  error.where = typed + (error.where.empty() ? "" : ":" + error.where);
  return error;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

class LineParser {
 public:
  explicit LineParser(std::span<const std::string> arguments) : arguments_(arguments) {}

  Result<CommandLine> parse() {
    if (arguments_.size() > kMostArguments) return usage("", "too many arguments", "use --spec");
    if (arguments_.empty()) return usage("", "no command given", "try: ridgeline help");
    RIDGELINE_CHECK(take_command());
    while (at_ < arguments_.size()) RIDGELINE_CHECK(take_argument());
    return std::move(line_);
  }

 private:
  Status take_command() {
    const std::string& first = arguments_[at_];
    const bool asks_help = first == "--help" || first == "-h";
    const bool asks_version = first == "--version" || first == "-V";
    const std::string name = asks_help ? "help" : asks_version ? "version" : first;
    if (!asks_help && !asks_version && first.rfind('-', 0) == 0) {
      return usage(first, "a command comes first", "try: ridgeline help");
    }
    auto command = find_command(name);
    if (!command) {
      Error error = command.error();
      error.where = name.substr(0, 80);
      return error;
    }
    line_.command = *command;
    ++at_;
    return take_variant();
  }

  // "solve serving": the word after such a command decides what flags there are.
  Status take_variant() {
    const bool has_word = at_ < arguments_.size() && arguments_[at_].rfind('-', 0) != 0;
    if (line_.command->variants().empty() || !has_word) return Ok{};
    auto variant = find_variant(*line_.command, arguments_[at_]);
    if (!variant) {
      Error error = variant.error();
      error.where = arguments_[at_].substr(0, 80);
      return error;
    }
    line_.command = *variant;
    return Ok{};
  }

  Status take_argument() {
    const std::string& argument = arguments_[at_++];
    if (only_words_) return take_word(argument);
    if (argument == "--") {
      only_words_ = true;
      return Ok{};
    }
    if (argument == "-h") return take_flag("--help");
    if (argument == "-o") return take_flag("--output");
    if (argument.rfind("--", 0) == 0) return take_flag(argument);
    if (argument.size() > 1 && argument[0] == '-') {
      return usage(argument, "unknown flag", "flags start with two dashes; see ridgeline help");
    }
    return take_word(argument);
  }

  Status take_word(const std::string& word) {
    const auto names = line_.command->words;
    if (words_ < names.size()) {
      const char* name = names[words_];
      const Field* field = find_field(*line_.command, name);
      if (field != nullptr && field->kind == FieldKind::texts) return add_text(name, word, word);
      ++words_;
      RIDGELINE_TRY(Json value, value_of(word, word));
      line_.settings.push_back({name, std::move(value), flag_of(name)});
      return Ok{};
    }
    return usage(word, "unexpected word",
                 fmt::format("try: ridgeline help {}", line_.command->name));
  }

  Status take_flag(const std::string& argument) {
    const std::size_t equals = argument.find('=');
    const std::string flag = argument.substr(0, equals);
    const bool attached = equals != std::string::npos;
    const std::string name = snake(flag.substr(2));
    if (name.empty()) return usage(argument, "a flag has no name", "");
    if (flag == "--help") return ask_help();
    if (flag == "--json") return set_format("json", flag);
    const Field* field = find_field(*line_.command, name);
    if (field != nullptr && field->kind == FieldKind::toggle) {
      return take_toggle(name, flag, attached ? argument.substr(equals + 1) : "");
    }
    std::string value;
    if (attached) {
      value = argument.substr(equals + 1);
    } else {
      RIDGELINE_TRY(value, next_value(flag));
    }
    return take_flag_value(name, flag, value, field);
  }

  Result<std::string> next_value(const std::string& flag) {
    const bool missing = at_ >= arguments_.size() || arguments_[at_].rfind("--", 0) == 0;
    if (missing) return usage(flag, "needs a value", fmt::format("write {} VALUE", flag));
    return arguments_[at_++];
  }

  Status take_toggle(const std::string& name, const std::string& flag, std::string value) {
    const bool stands_alone =
        at_ >= arguments_.size() || (arguments_[at_] != "true" && arguments_[at_] != "false");
    if (value.empty()) value = stands_alone ? "true" : arguments_[at_++];
    if (value != "true" && value != "false") {
      return Error{ErrorCode::bad_value, flag,
                   fmt::format("\"{}\" is neither true nor false", value),
                   fmt::format("write {} alone, or with true or false", flag)};
    }
    line_.settings.push_back({name, value == "true", flag});
    return Ok{};
  }

  Status take_flag_value(const std::string& name, const std::string& flag, const std::string& value,
                         const Field* field) {
    if (value.empty()) {
      return Error{ErrorCode::bad_value, flag, "its value is empty",
                   "give a value or leave it out"};
    }
    if (flag == "--format") return set_format(value, flag);
    if (flag == "--spec") return set_once(line_.spec, value, flag);
    if (flag == "--data") return set_once(line_.data, value, flag);
    if (flag == "--output") return set_once(line_.output, value, flag);
    if (flag == "--set") return take_set(value);
    if (field != nullptr && field->kind == FieldKind::texts && value[0] != '[') {
      for (const std::string& part : split(value, ',')) RIDGELINE_CHECK(add_text(name, part, flag));
      return Ok{};
    }
    const bool is_own = line_.command->scope == Scope::own;
    if (is_own && !Vocabulary(*line_.command, {}).find(name)) return unknown_flag(name, flag);
    RIDGELINE_TRY(Json json, value_of(value, flag));
    line_.settings.push_back({name, std::move(json), flag});
    return Ok{};
  }

  Error unknown_flag(const std::string& name, const std::string& flag) const {
    std::vector<std::string> names;
    for (const Field& f : line_.command->fields) names.push_back(flag_of(f.name));
    for (const CommonFlag& f : kCommonFlags) {
      names.push_back(split(f.flag, ' ').front());
    }
    std::string hint = did_you_mean("--" + kebab(name), names);
    if (hint.empty()) hint = fmt::format("try: ridgeline help {}", line_.command->name);
    return {ErrorCode::unknown_key, flag, fmt::format("unknown flag of {}", line_.command->name),
            hint};
  }

  Status take_set(const std::string& text) {
    const std::size_t equals = text.find('=');
    const std::string typed = "--set " + text.substr(0, equals);
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
      return Error{ErrorCode::bad_value, "--set", fmt::format("\"{}\" is no PATH=VALUE", text),
                   "write --set plan.tp=8"};
    }
    const std::string value = text.substr(equals + 1);
    RIDGELINE_TRY(Json json, value_of(value, typed));
    if (value == "true" || value == "false") json = value == "true";
    if (value == "null") json = nullptr;
    if (const auto number = parse_number(value)) json = parsed_number(value, *number);
    line_.settings.push_back({text.substr(0, equals), std::move(json), typed});
    return Ok{};
  }

  // A whole number stays one, so that a config field set by --set is an integer.
  static Json parsed_number(const std::string& text, double number) {
    const auto whole = parse_count(text, CountScale::decimal);
    const bool digits = text.find_first_not_of("+-0123456789") == std::string::npos;
    return whole && digits ? Json(*whole) : Json(number);
  }

  // Several texts under one name make one list.
  Status add_text(const std::string& name, const std::string& text, const std::string& typed) {
    const auto old = std::find_if(line_.settings.begin(), line_.settings.end(),
                                  [&](const Setting& s) { return s.name == name; });
    if (old != line_.settings.end() && old->value.is_array()) {
      old->value.push_back(text);
    } else {
      line_.settings.push_back({name, Json::array({text}), typed});
    }
    return Ok{};
  }

  static Status set_once(std::string& place, const std::string& value, const std::string& flag) {
    if (!place.empty()) {
      return Error{ErrorCode::conflict, flag, fmt::format("{} is given twice", flag), "keep one"};
    }
    place = value;
    return Ok{};
  }

  Status set_format(const std::string& value, const std::string& flag) {
    const auto names = report::names_of(report::Format{});
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (lower(value) != names[i]) continue;
      const auto format = static_cast<report::Format>(i);
      if (has_format_ && format != line_.format) {
        return Error{ErrorCode::conflict, flag, "two formats are asked for", "keep one"};
      }
      has_format_ = true;
      line_.format = format;
      return Ok{};
    }
    return Error{ErrorCode::bad_value, flag, fmt::format("\"{}\" is no format", value),
                 fmt::format("give {}", fmt::join(names, ", "))};
  }

  Status ask_help() {
    const Command& about = *line_.command;
    RIDGELINE_TRY(line_.command, find_command("help"));
    line_.settings.assign(1, {"command", std::string(about.name), "--help"});
    if (*about.variant != '\0') {
      line_.settings.push_back({"variant", std::string(about.variant), "--help"});
    }
    if (asks_for_json(arguments_)) line_.format = report::Format::json;
    at_ = arguments_.size();
    return Ok{};
  }

  std::span<const std::string> arguments_;
  std::size_t at_ = 0;
  std::size_t words_ = 0;
  bool only_words_ = false;
  bool has_format_ = false;
  CommandLine line_;
};

// Where flags of the machine are given on their own, the machine is read and they are laid over it.
Status lay_over_machine(Request& request, InputBuilder& builder, const Machine& machine) {
  if (builder.machine_scalars().empty()) return Ok{};
  Scenario scenario{machine, {}, {}};
  for (const auto& [ref, value] : builder.machine_scalars()) {
    set_scalar(scenario, ref.field, value);
  }
  request.input["machine"] = machine_json(scenario.machine);
  return Ok{};
}

// The machine decides which names there are, so it is looked at first, flags before the spec.
Result<Machine> first_machine(const Json* spec, std::span<const Setting> settings, Origins origins,
                              const Context& context) {
  for (const Setting& setting : settings) {
    if (setting.name != "machine") continue;
    origins.typed["/machine"] = setting.typed;
    return machine_of(&setting.value, origins, context);
  }
  const bool in_spec = spec != nullptr && spec->is_object() && spec->contains("machine");
  if (!in_spec) return machine_of(nullptr, origins, context);
  if (!origins.source.empty()) origins.typed["/machine"] = origins.source + ":/machine";
  return machine_of(&(*spec)["machine"], origins, context);
}

// Of a command with variants the one that the spec names; any other command as it is.
Result<const Command*> command_for(const Command& command, const Json* spec,
                                   const Origins& origins) {
  if (command.variants().empty() || spec == nullptr || !spec->is_object()) return &command;
  const auto word = spec->find(command.words[0]);
  if (word == spec->end() || !word->is_string()) return &command;
  auto variant = find_variant(command, word->get_ref<const std::string&>());
  if (!variant) return origins.placed(variant.error(), pointer_of(command.words[0]));
  return variant;
}

Result<Request> build(const Command& given, const Json* spec, std::span<const Setting> settings,
                      Origins origins, const Context& context) {
  RIDGELINE_TRY(const Command* chosen, command_for(given, spec, origins));
  const Command& command = *chosen;
  Request request;
  request.command = command.name;
  request.origins = std::move(origins);
  Machine machine;
  if (command.scope == Scope::scenario) {
    RIDGELINE_TRY(machine, first_machine(spec, settings, request.origins, context));
  }
  const Vocabulary vocabulary(command, machine);
  InputBuilder builder(vocabulary, request.origins);
  if (spec != nullptr) RIDGELINE_CHECK(builder.add_object(*spec));
  RIDGELINE_CHECK(builder.add_settings({settings.begin(), settings.end()}));
  request.input = builder.take();
  RIDGELINE_CHECK(lay_over_machine(request, builder, machine));
  return request;
}

}  // namespace

std::span<const CommonFlag> common_flags() {
  return kCommonFlags;
}

Result<CommandLine> parse_command_line(std::span<const std::string> arguments) {
  return LineParser(arguments).parse();
}

bool asks_for_json(std::span<const std::string> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& a = arguments[i];
    if (a == "--json" || a == "--format=json") return true;
    if (a == "--format" && i + 1 < arguments.size() && lower(arguments[i + 1]) == "json")
      return true;
  }
  return false;
}

Result<Request> make_request(const CommandLine& line, const Context& context,
                             const Json* inline_spec) {
  Spec spec;
  Origins origins;
  origins.caller = Caller::shell;
  std::vector<std::string> folders;
  const Json* given = inline_spec;
  if (given != nullptr) origins.source = "spec";
  if (!line.spec.empty()) {
    auto file = read_file(line.spec, context);
    if (!file) {
      Error error = file.error();
      error.where = "--spec";
      return error;
    }
    auto parsed = parse_spec(file->text);
    if (!parsed) {
      Error error = parsed.error();
      error.message = fmt::format("{}: {}", line.spec, error.message);
      error.where = error.where.empty() ? "--spec" : fmt::format("{}:{}", line.spec, error.where);
      return error;
    }
    spec = *std::move(parsed);
    given = &spec.value;
    origins.source = line.spec;
    origins.lines = spec.lines;
    folders.push_back(folder_of(file->path));
  }
  Context local = context;
  local.folders.insert(local.folders.end(), folders.begin(), folders.end());
  RIDGELINE_TRY(Request request, build(*line.command, given, line.settings, origins, local));
  request.folders = std::move(folders);
  request.format = line.format;
  request.output = line.output;
  return request;
}

Result<Request> make_request(const Command& command, const Json& input, const Context& context) {
  RIDGELINE_TRY(Request request, build(command, &input, {}, {}, context));
  request.format = report::Format::json;
  return request;
}

}  // namespace ridgeline::app
