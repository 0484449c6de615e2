// CSV (RFC 4180, line feeds): a header, then rows; empty cell: no value.
#include "ridgeline/report/numbers.h"
#include "ridgeline/report/render.h"
#include "ridgeline/report/utf8.h"

namespace ridgeline::report {
namespace {

constexpr std::size_t kFlushBytes = 1U << 16U;

void append_cell(std::string& out, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

void append_scalar(std::string& out, const Scalar& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    append_number(out, *integer);
  } else if (const auto* real = std::get_if<double>(&value)) {
    append_number(out, *real);
  } else if (const auto* text = std::get_if<std::string_view>(&value)) {
    append_cell(out, *text);
  }
}

}  // namespace

void render_csv(const Rows& rows, const Sink& sink) {
  std::string out;
  for (std::size_t i = 0; i < rows.columns.size(); ++i) {
    if (i > 0) out += ',';
    append_cell(out, rows.columns[i]);
  }
  out += '\n';
  rows.each([&](std::span<const Scalar> row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) out += ',';
      append_scalar(out, row[i]);
    }
    out += '\n';
    if (out.size() < kFlushBytes) return true;
    const bool read = sink(out);
    out.clear();
    return read;
  });
  sink(out);
}

}  // namespace ridgeline::report
