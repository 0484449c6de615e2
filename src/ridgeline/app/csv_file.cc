#include "ridgeline/app/csv_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace ridgeline::app {
namespace {

using Cells = std::vector<std::string>;

// Reads one record after the other; keeps count of lines for messages.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : text_(text) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
  }

  bool done() const { return at_ >= text_.size(); }
  int line() const { return line_; }

  Result<Cells> record() {
    Cells cells;
    for (;;) {
      RIDGELINE_TRY(std::string cell, next_is('"') ? quoted() : plain());
      cells.push_back(std::move(cell));
      if (!next_is(',')) break;
      ++at_;
    }
    end_line();
    return cells;
  }

 private:
  bool next_is(char c) const { return at_ < text_.size() && text_[at_] == c; }

  Result<std::string> plain() {
    const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    std::string out(text_.substr(at_, end - at_));
    at_ = end;
    return out;
  }

  Result<std::string> quoted() {
    const int started = line_;
    std::string out;
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') ++line_;
      if (c != '"') {
        out += c;
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        out += text_[++at_];
      } else {
        ++at_;
        if (done() || next_is(',') || next_is('\r') || next_is('\n')) return out;
        break;
      }
    }
    return Error{ErrorCode::bad_value, "",
                 fmt::format("a quotation that starts in line {} does not end", started),
                 "write a quotation mark inside one as two"};
  }

  void end_line() {
    if (next_is('\r')) ++at_;
    if (next_is('\n')) ++at_;
    ++line_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

bool is_empty(const Cells& cells) {
  return cells.size() == 1 && cells[0].empty();
}

}  // namespace

Result<validate::Table> parse_csv(std::string_view text, std::string name) {
  CsvReader reader(text);
  validate::Table out{.name = std::move(name), .columns = {}, .rows = {}};
  while (!reader.done()) {
    const int line = reader.line();
    RIDGELINE_TRY(Cells cells, reader.record());
    if (is_empty(cells)) continue;
    if (out.columns.empty()) {
      out.columns = std::move(cells);
      continue;
    }
    if (cells.size() > out.columns.size()) {
      return Error{ErrorCode::bad_value, "",
                   fmt::format("line {} has {} cells under {} columns", line, cells.size(),
                               out.columns.size()),
                   "quote cells that hold commas"};
    }
    cells.resize(out.columns.size());
    out.rows.push_back(std::move(cells));
  }
  if (out.columns.empty()) {
    return Error{ErrorCode::bad_value, "", "it has no line of column names",
                 "give a CSV file whose first line names its columns"};
  }
  return out;
}

}  // namespace ridgeline::app
