// Text for a terminal: headings, facts, aligned tables, bars. Colour only where asked for.
#include <algorithm>
#include <vector>

#include "ridgeline/report/render.h"
#include "ridgeline/report/utf8.h"

namespace ridgeline::report {
namespace {

constexpr std::size_t kBarWidth = 32;
constexpr std::size_t kGap = 2;

const char* escape_of(Tone tone) {
  switch (tone) {
    case Tone::plain: return "";
    case Tone::strong: return "\x1b[1m";
    case Tone::dim: return "\x1b[2m";
    case Tone::good: return "\x1b[32m";
    case Tone::warn: return "\x1b[33m";
    case Tone::bad: return "\x1b[31m";
  }
  return "";
}

std::string painted(const std::string& text, Tone tone, Colour colour) {
  if (colour == Colour::off || tone == Tone::plain) return text;
  return escape_of(tone) + text + "\x1b[0m";
}

std::string padded(const std::string& text, std::size_t width, Align align) {
  const std::size_t own = display_width(text);
  const std::string space(width > own ? width - own : 0, ' ');
  return align == Align::right ? space + text : text + space;
}

std::string without_trailing_space(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

class TextWriter {
 public:
  explicit TextWriter(Colour colour) : colour_(colour) {}

  void operator()(const Heading& heading) {
    if (!out_.empty()) out_ += '\n';
    out_ += painted(printable(heading.text), Tone::strong, colour_) + '\n';
  }

  void operator()(const Line& line) {
    out_ += painted(printable(line.text), line.tone, colour_) + '\n';
  }

  void operator()(const Facts& facts) {
    std::size_t width = 0;
    for (const auto& [label, value] : facts.rows) width = std::max(width, display_width(label));
    for (const auto& [label, value] : facts.rows) {
      const std::string left = padded(printable(label), width + kGap, Align::left);
      out_ += painted(left, Tone::dim, colour_) + printable(value) + '\n';
    }
  }

  void operator()(const Table& table) {
    const std::vector<std::size_t> widths = widths_of(table);
    std::string header;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (i > 0) header.append(kGap, ' ');
      header += padded(table.columns[i].title, widths[i], table.columns[i].align);
    }
    out_ += painted(without_trailing_space(header), Tone::dim, colour_) + '\n';
    for (const auto& row : table.rows) write_row(table, widths, row);
  }

  void operator()(const Bars& bars) {
    std::size_t width = 0;
    for (const Bar& bar : bars.rows) width = std::max(width, display_width(bar.label));
    for (const Bar& bar : bars.rows) {
      const double share = std::clamp(bar.fraction, 0.0, 1.0);
      const auto filled = static_cast<std::size_t>(share * static_cast<double>(kBarWidth) + 0.5);
      out_ += padded(printable(bar.label), width + kGap, Align::left);
      out_ += std::string(filled, '#') + std::string(kBarWidth - filled, '.');
      out_ += "  " + printable(bar.text) + '\n';
    }
  }

  const std::string& text() const { return out_; }

 private:
  static std::vector<std::size_t> widths_of(const Table& table) {
    std::vector<std::size_t> widths;
    for (const Column& column : table.columns) widths.push_back(display_width(column.title));
    for (const auto& row : table.rows) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        widths[i] = std::max(widths[i], display_width(row[i]));
      }
    }
    return widths;
  }

  void write_row(const Table& table, const std::vector<std::size_t>& widths,
                 const std::vector<std::string>& row) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line.append(kGap, ' ');
      line += padded(printable(row[i]), widths[i], table.columns[i].align);
    }
    out_ += without_trailing_space(line) + '\n';
  }

  Colour colour_;
  std::string out_;
};

}  // namespace

void render_text(const Document& document, Colour colour, const Sink& sink) {
  TextWriter writer(colour);
  for (const Section& section : document.sections) std::visit(writer, section);
  sink(writer.text());
}

std::string error_text(const Error& error, Colour colour) {
  std::string out = painted("error:", Tone::bad, colour) + " ";
  if (!error.where.empty()) out += printable(error.where) + ": ";
  out += printable(error.message) + '\n';
  if (!error.hint.empty()) out += "  hint: " + printable(error.hint) + '\n';
  return out;
}

}  // namespace ridgeline::report
