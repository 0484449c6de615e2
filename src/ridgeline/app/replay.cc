#include "ridgeline/app/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ridgeline/app/command.h"
#include "ridgeline/app/files.h"
#include "ridgeline/app/flow.h"
#include "ridgeline/app/input.h"
#include "ridgeline/app/json_view.h"
#include "ridgeline/app/messages.h"
#include "ridgeline/app/spec_file.h"
#include "ridgeline/base/text.h"

namespace ridgeline::app {
namespace {

constexpr double kSmallestRelative = 1e-9;
constexpr std::array kDegrees = {"tp", "pp", "dp", "cp", "ep", "etp"};

std::string shown(const Json* value) {
  if (value == nullptr) return "nothing";
  std::string text = value->dump();
  constexpr std::size_t kMost = 200;
  if (text.size() > kMost) text = text.substr(0, kMost) + "...";
  return text;
}

double number_or(const Json& check, const char* key, double fallback) {
  const auto it = check.find(key);
  return it != check.end() && it->is_number() ? it->get<double>() : fallback;
}

bool close(const Json& right, const Json& got, double rel, double abs) {
  if (right.is_number()) {
    if (!got.is_number()) return false;
    const double r = right.get<double>(), g = got.get<double>();
    const double allowed = std::max({abs, rel * std::fabs(r), kSmallestRelative * std::fabs(r)});
    return std::fabs(g - r) <= allowed;
  }
  if (!right.is_array()) return right == got;
  if (!got.is_array() || got.size() != right.size()) return false;
  for (std::size_t i = 0; i < right.size(); ++i) {
    if (!close(right[i], got[i], rel, abs)) return false;
  }
  return true;
}

// The names of a place: "--tp-size" -> {tp}; "spec.yaml:/plan/tp" -> {plan, tp}.
std::vector<std::string> names_in(const std::string& place) {
  std::string text = place;
  const std::size_t pointer = text.find(":/");
  if (pointer != std::string::npos && text.rfind("--", 0) != 0) text = text.substr(pointer + 1);
  std::vector<std::string> names;
  std::string name;
  for (const char c : text + "/") {
    if (c != '/' && c != '.' && c != ':' && c != ' ') {
      name += c;
      continue;
    }
    if (!name.empty()) names.push_back(name);
    name.clear();
  }
  for (std::string& n : names) {
    n.erase(0, n.find_first_not_of('-'));
    n = snake(lower(n));
    const std::size_t size = n.rfind("_size");
    if (size != std::string::npos && size + 5 == n.size()) n.resize(size);
  }
  return names;
}

bool is_degree(const std::string& name) {
  return std::find(kDegrees.begin(), kDegrees.end(), name) != kDegrees.end();
}

// The value at a JSON pointer; null pointer where there is none.
const Json* at(const Json& tree, const std::string& path) {
  try {
    const Json::json_pointer pointer(path);
    return tree.contains(pointer) ? &tree.at(pointer) : nullptr;
  } catch (const Json::exception&) {
    return nullptr;
  }
}

bool band_holds(const Json& check, const Json& got) {
  if (!got.is_number()) return false;
  const double g = got.get<double>();
  return g >= number_or(check, "min", -INFINITY) && g <= number_or(check, "max", INFINITY);
}

std::string right_text(const Json& check) {
  if (check.contains("length")) return fmt::format("a list of {}", check["length"].dump());
  if (check.contains("value")) return shown(&check["value"]);
  return fmt::format("{} to {}", check.contains("min") ? check["min"].dump() : "-inf",
                     check.contains("max") ? check["max"].dump() : "inf");
}

bool holds(const Json& check, const std::string& path, const Json* got) {
  if (check.contains("length")) {
    return got != nullptr && got->is_array() && check["length"] == got->size();
  }
  if (!check.contains("value")) return got != nullptr && band_holds(check, *got);
  const Json& right = check["value"];
  if (got == nullptr) return false;
  const bool place = path == "/error/where" && right.is_string() && got->is_string();
  if (place) return same_place(right.get<std::string>(), got->get<std::string>());
  return close(right, *got, number_or(check, "rel", 0), number_or(check, "abs", 0));
}

std::string text_in(const Json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : "";
}

bool exit_is_right(const Json& one_case, int status) {
  const auto it = one_case.find("exit");
  if (it == one_case.end() || it->is_null()) return status == 0 || status == 3;
  return *it == status;
}

Error malformed(const std::string& file, const char* what) {
  return {ErrorCode::bad_value, file, fmt::format("is no case file: {}", what),
          "give {\"cases\": [{\"id\", \"argv\", \"exit\", \"expect\"}]}"};
}

Status check_case(const std::string& file, const Json& one) {
  if (!one.is_object()) return malformed(file, "a case is no object");
  const auto argv = one.find("argv");
  const bool words =
      argv != one.end() && argv->is_array() && !argv->empty() &&
      std::all_of(argv->begin(), argv->end(), [](const Json& word) { return word.is_string(); });
  if (!words) return malformed(file, "a case has no argv");
  const auto expect = one.find("expect");
  if (expect == one.end()) return Ok{};
  if (!expect->is_array()) return malformed(file, "expect is no list");
  for (const Json& check : *expect) {
    if (!check.is_object() || text_in(check, "path").empty()) {
      return malformed(file, "a check has no path");
    }
  }
  return Ok{};
}

struct Tally {
  std::int64_t passed = 0, failed = 0;
  Json misses = Json::array();
};

void run_case(const Json& one, const Context& context, Tally& tally) {
  std::vector<std::string> arguments = one["argv"].get<std::vector<std::string>>();
  arguments.emplace_back("--json");
  std::string output;
  const report::Sink sink = [&output](std::string_view bytes) {
    output += bytes;
    return true;
  };
  const auto spec = one.find("spec");
  const bool has_spec = spec != one.end() && !spec->is_null();
  const bool nested = arguments.front() == "replay";
  const int status = nested ? 1 : run_json(arguments, has_spec ? &*spec : nullptr, context, sink);
  const auto got = parse_json(output);
  const std::vector<Miss> misses = misses_of(one, got ? *got : Json(), status);
  ++(misses.empty() ? tally.passed : tally.failed);
  for (const Miss& miss : misses) {
    tally.misses.push_back({{"id", miss.id},
                            {"path", miss.path},
                            {"right", miss.right},
                            {"got", miss.got},
                            {"fault", miss.fault}});
  }
}

Status run_file(const std::string& name, const Context& context, const Origins& origins,
                Tally& tally) {
  const auto file = read_file(name, context);
  if (!file) return origins.placed(file.error(), "/files");
  const auto parsed = parse_json(file->text);
  if (!parsed) {
    Error error = parsed.error();
    error.where = name;
    return error;
  }
  const auto cases = parsed->find("cases");
  if (!parsed->is_object() || cases == parsed->end() || !cases->is_array()) {
    return malformed(name, "it has no list of cases");
  }
  Context beside = context;
  const std::string folder = folder_of(file->path);
  beside.folders = {folder, folder + "/.."};
  for (const Json& one : *cases) {
    RIDGELINE_CHECK(check_case(name, one));
    run_case(one, beside, tally);
  }
  return Ok{};
}

std::vector<report::Section> sections_of_tally(const Tally& tally) {
  std::vector<report::Section> out;
  for (const Json& miss : tally.misses) {
    const std::string fault = text_in(miss, "fault");
    out.emplace_back(report::Line{fmt::format(
        "{} {}: right {}, got {}{}", text_in(miss, "id"), text_in(miss, "path"),
        text_in(miss, "right"), text_in(miss, "got"), fault.empty() ? "" : "; fault: " + fault)});
  }
  const auto tone = tally.failed == 0 ? report::Tone::good : report::Tone::bad;
  out.emplace_back(
      report::Line{fmt::format("{} passed, {} failed", tally.passed, tally.failed), tone});
  return out;
}

}  // namespace

bool same_place(const std::string& right, const std::string& got) {
  const std::vector<std::string> wanted = names_in(right), named = names_in(got);
  if (wanted.empty() || named.empty()) return wanted.empty() == named.empty();
  const std::string& last = wanted.back();
  if (std::find(named.begin(), named.end(), last) != named.end()) return true;
  return is_degree(last) && is_degree(named.back());
}

std::vector<Miss> misses_of(const Json& one_case, const Json& got, int exit_status) {
  const std::string id = text_in(one_case, "id"), fault = text_in(one_case, "fault");
  std::vector<Miss> out;
  if (!exit_is_right(one_case, exit_status)) {
    const auto it = one_case.find("exit");
    const std::string right = it == one_case.end() || it->is_null() ? "0 or 3" : it->dump();
    std::string seen = std::to_string(exit_status);
    if (const Json* error = at(got, "/error")) seen += ": " + shown(error);
    out.push_back({id, "exit", right, seen, fault});
  }
  const auto expect = one_case.find("expect");
  if (expect == one_case.end()) return out;
  for (const Json& check : *expect) {
    const std::string path = text_in(check, "path");
    const Json* value = at(got, path);
    if (!holds(check, path, value)) {
      out.push_back({id, path, right_text(check), shown(value), fault});
    }
  }
  return out;
}

Result<report::Document> answer_replay(const Request& request, const Context& context) {
  RIDGELINE_TRY(const Command* command, find_command("replay"));
  const InputReader reader(request.input, request.origins, *command);
  RIDGELINE_TRY(const std::vector<std::string> files, reader.texts("files"));
  if (files.empty()) {
    return Error{ErrorCode::missing, request.origins.where("/files"), "no case file is given",
                 "write: ridgeline replay FILE.json"};
  }
  Tally tally;
  for (const std::string& file : files) {
    RIDGELINE_CHECK(run_file(file, context, request.origins, tally));
  }
  report::Document out;
  out.sections = sections_of_tally(tally);
  out.csv = rows_of(tally.misses);
  out.tree =
      envelope("replay", {{"files", files}},
               {{"passed", tally.passed}, {"failed", tally.failed}, {"misses", tally.misses}},
               nullptr, Json::array());
  out.exit_status = tally.failed == 0 ? 0 : 3;
  return out;
}

}  // namespace ridgeline::app
