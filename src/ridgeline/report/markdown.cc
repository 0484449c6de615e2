// Markdown: headings, lists of facts, tables.
#include <algorithm>

#include "ridgeline/report/render.h"
#include "ridgeline/report/utf8.h"

namespace ridgeline::report {
namespace {

std::string cell(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '|' || c == '*' || c == '_' || c == '`' || c == '<') out += '\\';
    out += c;
  }
  return out;
}

class MarkdownWriter {
 public:
  void operator()(const Heading& heading) {
    separate();
    out_ += "## " + cell(heading.text) + '\n';
  }

  void operator()(const Line& line) {
    separate();
    out_ += cell(line.text) + '\n';
  }

  void operator()(const Facts& facts) {
    separate();
    for (const auto& [label, value] : facts.rows) {
      out_ += "- **" + cell(label) + "**: " + cell(value) + '\n';
    }
  }

  void operator()(const Table& table) {
    separate();
    std::string header = "|", rule = "|";
    for (const Column& column : table.columns) {
      header += ' ' + cell(column.title) + " |";
      rule += column.align == Align::right ? "---:|" : "---|";
    }
    out_ += header + '\n' + rule + '\n';
    for (const auto& row : table.rows) {
      out_ += '|';
      for (const std::string& text : row) out_ += ' ' + cell(text) + " |";
      out_ += '\n';
    }
  }

  void operator()(const Bars& bars) {
    Table table{{{"", Align::left}, {"", Align::right}}, {}};
    for (const Bar& bar : bars.rows) table.rows.push_back({bar.label, bar.text});
    (*this)(table);
  }

  const std::string& text() const { return out_; }

 private:
  void separate() {
    if (!out_.empty()) out_ += '\n';
  }
  std::string out_;
};

}  // namespace

void render_markdown(const Document& document, const Sink& sink) {
  MarkdownWriter writer;
  for (const Section& section : document.sections) std::visit(writer, section);
  sink(writer.text());
}

}  // namespace ridgeline::report
