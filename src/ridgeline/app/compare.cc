// compare: saved results, or specs that are run first, side by side; the best of each row marked.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>

#include "ridgeline/app/arguments.h"
#include "ridgeline/app/derived.h"
#include "ridgeline/app/files.h"
#include "ridgeline/app/input.h"
#include "ridgeline/app/json_view.h"
#include "ridgeline/app/spec_file.h"

namespace ridgeline::app {
namespace {

constexpr std::size_t kMostConfigurations = 32;

struct Configuration {
  std::string name, command;
  Json inputs, result;
};

// Plain values by path: "memory.total_bytes", "layers.0.stages.S1.total_s".
using Flat = std::vector<std::pair<std::string, Json>>;

std::string step_of(const Json& item, std::size_t index) {
  for (const char* key : {"name", "level", "input", "metric"}) {
    const auto it = item.is_object() ? item.find(key) : item.end();
    if (item.is_object() && it != item.end() && it->is_string()) return it->get<std::string>();
  }
  return fmt::format("{}", index);
}

void flatten(const Json& tree, const std::string& path, Flat& out) {
  const std::string prefix = path.empty() ? "" : path + ".";
  if (tree.is_object()) {
    for (const auto& [key, value] : tree.items()) flatten(value, prefix + key, out);
  } else if (tree.is_array()) {
    const bool objects = std::any_of(tree.begin(), tree.end(),
                                     [](const Json& item) { return item.is_structured(); });
    if (!objects) {
      out.emplace_back(path, tree);
      return;
    }
    for (std::size_t i = 0; i < tree.size(); ++i) {
      flatten(tree[i], prefix + step_of(tree[i], i), out);
    }
  } else {
    out.emplace_back(path, tree);
  }
}

// Which way a result is better, by what its key ends in; 0: neither.
struct Sense {
  const char* ending;
  int sense;
};
constexpr std::array kSenses = {
    // Longer endings first: a rate ends in a unit of time, too.
    Sense{"tokens_per_s", 1},
    Sense{"tokens_per_s_per_device", 1},
    Sense{"tokens_per_s_per_pe", 1},
    Sense{"samples_per_s", 1},
    Sense{"qps", 1},
    Sense{"qps_capacity", 1},
    Sense{"mtbf_s", 1},
    Sense{"interval_s", 0},
    Sense{"capacity_bytes", 0},
    Sense{"headroom_bytes", 1},
    Sense{"kv_pool_bytes", 1},
    Sense{"bytes_per_s", 0},
    Sense{"flop_per_s", 0},
    Sense{"mfu_fraction", 1},
    Sense{"hfu_fraction", 1},
    Sense{"useful_fraction", 1},
    Sense{"efficiency_fraction", 1},
    Sense{"goodput_fraction", 1},
    Sense{"speedup", 1},
    Sense{"max_context_tokens", 1},
    Sense{"max_batch", 1},
    Sense{"max_active_requests", 1},
    Sense{"usd_per_million_tokens", -1},
    Sense{"kgco2e_per_million_tokens", -1},
    Sense{"usd_per_device_hour", -1},
    Sense{"j_per_token", -1},
    Sense{"cost_score", -1},
    Sense{"cost_x_pes", -1},
    Sense{"devices", -1},
    Sense{"pes_used", -1},
    Sense{"replicas", -1},
    Sense{"expected_failures", -1},
    Sense{"_kgco2e", -1},
    Sense{"_usd", -1},
    Sense{"_bytes", -1},
    Sense{"_flop", -1},
    Sense{"_s", -1},
    Sense{"_j", -1},
    Sense{"_w", -1},
    Sense{"water_l", -1},
};

int sense_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  const std::string_view key = dot == std::string_view::npos ? path : path.substr(dot + 1);
  for (const Sense& sense : kSenses) {
    if (key.ends_with(sense.ending)) return sense.sense;
  }
  return 0;
}

// Index of the best value; null where none is better, or nothing says which way.
Json best_index(const std::string& key, const Json& values) {
  const int sense = sense_of(key);
  Json best;
  bool differ = false;
  for (std::size_t i = 0; i < values.size() && sense != 0; ++i) {
    if (!values[i].is_number()) continue;
    const double value = sense * values[i].get<double>();
    if (best.is_null()) {
      best = i;
      continue;
    }
    const double leader = sense * values[best.get<std::size_t>()].get<double>();
    differ = differ || value != leader;
    if (value > leader) best = i;
  }
  return differ ? best : Json(nullptr);
}

// How much more than the baseline each value is, as a share of it; null where that says nothing.
Json changes(const Json& values, std::size_t baseline) {
  Json out = Json::array();
  const double base = values[baseline].is_number() ? values[baseline].get<double>() : 0;
  for (const Json& value : values) {
    const bool has = value.is_number() && base != 0;
    out.push_back(has ? Json((value.get<double>() - base) / base) : Json(nullptr));
  }
  return out;
}

Json better_text(int sense) {
  return sense == 0 ? Json(nullptr) : Json(sense < 0 ? "less" : "more");
}

// One entry a path that any of them has, in the order of the first that has it.
Json side_by_side(const std::vector<Flat>& all) {
  std::vector<std::string> order;
  std::map<std::string, Json> values;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const auto& [key, value] : all[i]) {
      auto [it, is_new] = values.try_emplace(key, Json::array());
      if (is_new) {
        order.push_back(key);
        for (std::size_t k = 0; k < all.size(); ++k) it->second.push_back(nullptr);
      }
      it->second[i] = value;
    }
  }
  Json out = Json::array();
  for (const std::string& key : order) out.push_back({{"key", key}, {"values", values[key]}});
  return out;
}

bool all_equal(const Json& values) {
  return std::all_of(values.begin(), values.end(),
                     [&](const Json& value) { return value == values.front(); });
}

// What a spec asks for, where it does not say it itself.
std::string command_of(const Json& spec) {
  if (spec.contains("command") && spec["command"].is_string()) return spec["command"];
  if (spec.contains("solver")) return "solve";
  if (spec.contains("training") || spec.contains("serving")) return "evaluate";
  for (const char* key : {"depth", "space", "objectives"}) {
    if (spec.contains(key)) return "explore";
  }
  return "inspect";
}

Result<Configuration> run_spec(Json spec, Configuration out, const Context& context) {
  out.command = command_of(spec);
  spec.erase("command");
  RIDGELINE_TRY(const Command* command, find_command(out.command));
  RIDGELINE_TRY(const Request request, make_request(*command, spec, context));
  RIDGELINE_TRY(const report::Document document, command->answer(request, context));
  const Json tree = report::tree_of(document);
  out.inputs = tree.value("inputs", Json::object());
  out.result = tree.value(report::kResult, Json::object());
  return out;
}

Result<Configuration> configuration_of(const Json& content, Configuration out,
                                       const Context& context) {
  if (!content.is_object()) {
    return Error{ErrorCode::bad_value, "", fmt::format("is {}, not an object", kind_name(content)),
                 "give a result as --output writes it, or a spec"};
  }
  if (content.contains("error")) {
    return Error{ErrorCode::bad_value, "", "holds an error, not a result", "run it again"};
  }
  if (!content.contains("result")) return run_spec(content, std::move(out), context);
  out.command = content.value("command", "");
  out.inputs = content.value("inputs", Json::object());
  out.result = content["result"];
  return out;
}

Result<Configuration> read_configuration(const Json& item, std::size_t index,
                                         const Context& context) {
  Configuration out;
  out.name = fmt::format("config{}", index + 1);
  if (!item.is_string()) return configuration_of(item, std::move(out), context);
  RIDGELINE_TRY(const File file, read_file(item.get<std::string>(), context));
  auto spec = parse_spec(file.text);
  if (!spec) return spec.error();
  out.name = stem_of(file.path);
  Context local = context;
  local.folders.insert(local.folders.begin(), folder_of(file.path));
  return configuration_of(spec->value, std::move(out), local);
}

Result<std::vector<Configuration>> read_all(const Request& request, const Context& context) {
  const auto given = request.input.find("files");
  const Json files = given == request.input.end() ? Json::array()
                     : given->is_array()          ? *given
                                                  : Json::array({*given});
  if (files.size() < 2 || files.size() > kMostConfigurations) {
    return Error{ErrorCode::missing, request.origins.where("/files"),
                 fmt::format("{} configurations are given", files.size()),
                 fmt::format("name 2 to {} files", kMostConfigurations)};
  }
  std::vector<Configuration> out;
  for (std::size_t i = 0; i < files.size(); ++i) {
    auto one = read_configuration(files[i], i, context);
    if (!one) {
      Error error = one.error();
      const std::string label =
          files[i].is_string() ? files[i].get<std::string>() : fmt::format("/files/{}", i);
      error.where = error.where.empty() ? label : fmt::format("{}:{}", label, error.where);
      return error;
    }
    out.push_back(*std::move(one));
  }
  return out;
}

bool is_timing(const std::string& key) {
  return key == "elapsed_s" || key == "evaluations_per_s";
}

report::Table table_of_rows(const char* title, const Json& rows, const Json& names) {
  report::Table out;
  out.columns = {{title}};
  for (const Json& name : names) {
    out.columns.push_back({name.get<std::string>(), report::Align::right});
  }
  for (const Json& row : rows) {
    const std::string key = row["key"];
    const std::string last = key.substr(key.rfind('.') + 1);
    std::vector<std::string> cells = {key};
    const bool marked = row.contains("best_index") && !row["best_index"].is_null();
    for (std::size_t i = 0; i < row["values"].size(); ++i) {
      const bool best = marked && row["best_index"] == i;
      cells.push_back(fmt::format("{}{}", best ? "* " : "", value_text(last, row["values"][i])));
    }
    out.rows.push_back(std::move(cells));
  }
  return out;
}

// Rows that a reader wants: texts such as formulas stay in the JSON, and so do parts of lists but
// for the time of each stage.
Json rows_to_read(const Json& rows) {
  Json out = Json::array();
  for (const Json& row : rows) {
    const std::string key = row["key"];
    const bool listed =
        key.find(".0.") != std::string::npos || key.find(".1.") != std::string::npos;
    const bool stage = key.find("stages.") != std::string::npos;
    const bool text = std::any_of(row["values"].begin(), row["values"].end(),
                                  [](const Json& value) { return value.is_array(); });
    if (text || (stage && !key.ends_with("total_s")) || (listed && !stage)) continue;
    if (key.starts_with("hints") || key.starts_with("shards") || key.starts_with("edges") ||
        key.starts_with("levers") || key.starts_with("replication")) {
      continue;
    }
    out.push_back(row);
  }
  return out;
}

// Values in columns of their own, as CSV takes them.
Json csv_rows(const Json& rows, const Json& names) {
  Json out = Json::array();
  for (const Json& row : rows) {
    Json line{{"key", row["key"]}};
    for (std::size_t i = 0; i < names.size(); ++i) {
      line[fmt::format("{} ({})", names[i].get<std::string>(), i + 1)] = row["values"][i];
    }
    line["best_index"] = row["best_index"];
    out.push_back(std::move(line));
  }
  return out;
}

}  // namespace

Result<report::Document> answer_compare(const Request& request, const Context& context) {
  RIDGELINE_TRY(const std::vector<Configuration> all, read_all(request, context));
  RIDGELINE_TRY(const Command* command, find_command("compare"));
  const InputReader reader(request.input, request.origins, *command);
  RIDGELINE_TRY(const std::int64_t baseline, reader.count("baseline", 0, std::ssize(all) - 1));
  Json names = Json::array(), commands = Json::array();
  std::vector<Flat> inputs(all.size()), results(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    names.push_back(all[i].name);
    commands.push_back(all[i].command);
    flatten(all[i].inputs, "", inputs[i]);
    flatten(all[i].result, "", results[i]);
  }
  Json differences = Json::array(), rows = Json::array();
  for (Json& row : side_by_side(inputs)) {
    if (!all_equal(row["values"])) differences.push_back(std::move(row));
  }
  for (Json& row : side_by_side(results)) {
    const std::string key = row["key"];
    if (is_timing(key)) continue;
    row["best_index"] = best_index(key, row["values"]);
    row["better"] = better_text(sense_of(key));
    row["change_fractions"] = changes(row["values"], static_cast<std::size_t>(baseline));
    rows.push_back(std::move(row));
  }
  report::Document out;
  out.sections.emplace_back(table_of_rows("inputs that differ", differences, names));
  out.sections.emplace_back(table_of_rows("result", rows_to_read(rows), names));
  out.sections.emplace_back(report::Line{"* the best of a row", report::Tone::dim});
  out.csv = rows_of(csv_rows(rows, names));
  Json result{{"names", names},
              {"commands", commands},
              {"differences", std::move(differences)},
              {"rows", std::move(rows)}};
  out.tree = envelope(
      "compare", {{"files", request.input.value("files", Json::array())}, {"baseline", baseline}},
      std::move(result), nullptr, Json::array());
  return out;
}

}  // namespace ridgeline::app
