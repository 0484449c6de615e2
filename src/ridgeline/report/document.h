// Document: what an answer says, free of any format: a JSON tree, sections for readers, rows, a
// chart.
//
// One Document, many renderers (render.h). Long lists are Rows, made one at a time while they are
// written, so that a million of them are never held.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace ridgeline::report {

class JsonWriter;

using Json = nlohmann::ordered_json;

enum class Align : std::uint8_t { left, right };
enum class Tone : std::uint8_t { plain, strong, dim, good, warn, bad };

struct Column {
  std::string title;
  Align align = Align::left;
};

struct Heading {
  std::string text;
};

struct Line {
  std::string text;
  Tone tone = Tone::plain;
};

// Labels and values under each other: "model   llama-3.1-70b".
struct Facts {
  std::vector<std::pair<std::string, std::string>> rows;
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

// Horizontal bars: `fraction` of the full width, with a text behind.
struct Bar {
  std::string label;
  double fraction = 0;
  std::string text;
};
struct Bars {
  std::vector<Bar> rows;
};

using Section = std::variant<Heading, Line, Facts, Table, Bars>;

// One value of a row; a text must live until the row is written.
using Scalar = std::variant<std::monostate, std::int64_t, double, std::string_view>;
using RowSink = std::function<bool(std::span<const Scalar>)>;  // false: stop

// Rows with the same keys. A key with a slash nests in JSON ("plan/tp"); `columns` are the CSV
// headers.
struct Rows {
  std::vector<std::string> keys;
  std::vector<std::string> columns;
  std::function<void(const RowSink&)> each;
};

// Rows that stand in the JSON tree, as a list that is the last member of one of its members.
struct Stream {
  std::string parent;  // "result"
  std::string key;     // "points"
  Rows rows;
};

struct Mark {
  double x = 0, y = 0;
  std::string label;  // tool tip; may be empty
  double scale = 1;   // of the dot's radius
};
struct Series {
  std::string name;
  std::vector<Mark> marks;
  enum class Form : std::uint8_t { dots, steps } form = Form::dots;
};

// A scatter with numbered axes; a log axis needs positive values.
enum class AxisScale : std::uint8_t { linear, log };
struct ChartAxis {
  std::string title;
  AxisScale scale = AxisScale::linear;
};
struct Scatter {
  std::string title;
  ChartAxis x, y;
  std::vector<Series> series;
};

// Stacked horizontal bars, one per row, parts in the order of `parts`.
struct StackedBars {
  std::string title;
  std::string axis_title;
  std::vector<std::string> parts;
  struct Row {
    std::string label;
    std::vector<double> values;
    std::string text;  // behind the bar
  };
  std::vector<Row> rows;
};

using Chart = std::variant<Scatter, StackedBars>;

inline constexpr char kResult[] = "result";

struct Document {
  Json tree;  // an object
  // Writes tree["result"], where that would cost more as a tree.
  std::function<void(JsonWriter&)> result;
  std::vector<Section> sections;
  std::optional<Rows> csv;
  std::optional<Stream> stream;
  std::optional<Chart> chart;
  int exit_status = 0;  // 0 answered; 3 answered, but infeasible or a goal missed
};

}  // namespace ridgeline::report
