#include "ridgeline/app/json_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ridgeline/app/messages.h"
#include "ridgeline/base/text.h"
#include "ridgeline/report/numbers.h"

namespace ridgeline::app {
namespace {

using report::Align;

// Longest first: "_bytes_per_s" ends in "_s", too.
constexpr std::array kDims = {Dim{.time = -1, .byte = 1},
                              Dim{.time = -1, .flop = 1},
                              Dim{.byte = -1, .energy = 1},
                              Dim{.flop = -1, .energy = 1},
                              Dim{.time = -1},
                              Dim{.carbon = 1},
                              Dim{.byte = 1},
                              Dim{.flop = 1},
                              Dim{.money = 1},
                              Dim{.time = 1},
                              Dim{.energy = 1},
                              Dim{.time = -1, .energy = 1}};

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() > end.size() && text.substr(text.size() - end.size()) == end;
}

// The dimension that the key's suffix names; false: none.
bool dim_of_key(std::string_view key, Dim& dim) {
  for (const Dim d : kDims) {
    const std::string_view suffix = unit_suffix(d);
    const bool is_unit = key.size() > 1 && key == suffix.substr(1);  // "bytes", "flop"
    if (!is_unit && !ends_with(key, suffix)) continue;
    dim = d;
    return true;
  }
  return false;
}

// Members of an object whose key names a unit are in that unit: {"bf16": 1e15} of peak_flop_per_s.
std::string unit_key(const std::string& outer, const std::string& inner) {
  Dim dim;
  return !dim_of_key(inner, dim) && dim_of_key(outer, dim) ? outer : inner;
}

std::string number_text_of(std::string_view key, const Json& value) {
  Dim dim;
  if (dim_of_key(key, dim)) return format_quantity(value.get<double>(), dim);
  const bool per_token = key.find("bytes_per_token") != std::string_view::npos;
  if (per_token)
    return fmt::format("{} B", count_text(static_cast<std::int64_t>(value.get<double>())));
  const bool is_year = ends_with(key, "_year");
  if (value.is_number_integer() && !is_year) return count_text(value.get<std::int64_t>());
  return value.is_number_float() ? fmt::format("{:.6g}", value.get<double>()) : value.dump();
}

std::string joined(std::string_view key, const Json& list, const char* separator) {
  std::string out;
  for (const Json& item : list) {
    if (!out.empty()) out += separator;
    out += value_text(key, item);
  }
  return out;
}

bool is_table(const Json& value) {
  return value.is_array() && !value.empty() &&
         std::all_of(value.begin(), value.end(), [](const Json& row) { return row.is_object(); });
}

void add_sections(const std::string& name, const Json& object, std::vector<report::Section>& out) {
  report::Facts facts;
  for (const auto& [key, value] : object.items()) {
    if (!value.is_object() && !is_table(value)) {
      facts.rows.emplace_back(key_text(key), value_text(unit_key(name, key), value));
    }
  }
  if (!name.empty()) out.emplace_back(report::Heading{key_text(name)});
  if (!facts.rows.empty()) out.emplace_back(std::move(facts));
  for (const auto& [key, value] : object.items()) {
    if (is_table(value)) {
      out.emplace_back(report::Heading{key_text(key)});
      out.emplace_back(table_of(value));
    } else if (value.is_object()) {
      add_sections(key, value, out);
    }
  }
}

std::vector<std::string> keys_of(const Json& rows) {
  std::vector<std::string> keys;
  for (const Json& row : rows) {
    for (const auto& [key, value] : row.items()) {
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
  }
  return keys;
}

bool is_numeric(const Json& rows, const std::string& key) {
  return std::all_of(rows.begin(), rows.end(), [&](const Json& row) {
    const auto it = row.find(key);
    return it == row.end() || it->is_number() || it->is_null();
  });
}

}  // namespace

std::string value_text(std::string_view key, const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_array()) return value.empty() ? "-" : joined(key, value, ", ");
  if (value.is_object()) {
    std::string out;
    for (const auto& [name, inner] : value.items()) {
      out += fmt::format("{}{} {}", out.empty() ? "" : ", ", key_text(name),
                         value_text(unit_key(std::string(key), name), inner));
    }
    return out.empty() ? "-" : out;
  }
  return number_text_of(key, value);
}

std::string key_text(std::string_view key) {
  Dim dim;
  std::string text(key);
  const bool has_unit = dim_of_key(key, dim) && text.size() > unit_suffix(dim).size();
  if (has_unit) text.resize(text.size() - unit_suffix(dim).size());
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

report::Table table_of(const Json& rows) {
  report::Table table;
  const std::vector<std::string> keys = keys_of(rows);
  for (const std::string& key : keys) {
    table.columns.push_back({key_text(key), is_numeric(rows, key) ? Align::right : Align::left});
  }
  for (const Json& row : rows) {
    std::vector<std::string> cells;
    for (const std::string& key : keys) {
      cells.push_back(row.contains(key) ? value_text(key, row[key]) : "-");
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

report::Rows rows_of(const Json& rows) {
  const std::vector<std::string> keys = keys_of(rows);
  return {keys, keys, [rows, keys](const report::RowSink& sink) {
            for (const Json& row : rows) {
              std::vector<report::Scalar> cells;
              std::vector<std::string> texts(keys.size());
              for (std::size_t i = 0; i < keys.size(); ++i) {
                const auto it = row.find(keys[i]);
                if (it == row.end() || it->is_null()) {
                  cells.emplace_back();
                } else if (it->is_number_integer()) {
                  cells.emplace_back(it->get<std::int64_t>());
                } else if (it->is_number()) {
                  cells.emplace_back(it->get<double>());
                } else {
                  texts[i] = it->is_array() ? joined(keys[i], *it, " ") : value_text(keys[i], *it);
                  cells.emplace_back(std::string_view(texts[i]));
                }
              }
              if (!sink(cells)) return;
            }
          }};
}

std::vector<report::Section> sections_of(const Json& object) {
  std::vector<report::Section> out;
  add_sections("", object, out);
  return out;
}

Json envelope(const char* command, Json inputs, Json result, Json basis, Json notes) {
  return {{"ridgeline", RIDGELINE_VERSION}, {"command", command},
          {"inputs", std::move(inputs)},    {"result", std::move(result)},
          {"basis", std::move(basis)},      {"notes", std::move(notes)}};
}

}  // namespace ridgeline::app
