#include "ridgeline/report/render.h"

namespace ridgeline::report {
namespace {

Error no_such_form(Format format) {
  const char* name = names_of(format)[static_cast<std::size_t>(format)];
  return {ErrorCode::unsupported, "--format", std::string("this answer has no ") + name + " form",
          "use --format table, json or markdown"};
}

}  // namespace

Status render(const Document& document, Format format, Colour colour, const Sink& sink) {
  switch (format) {
    case Format::table: render_text(document, colour, sink); break;
    case Format::json: render_json(document, sink); break;
    case Format::markdown: render_markdown(document, sink); break;
    case Format::csv:
      if (!document.csv) return no_such_form(format);
      render_csv(*document.csv, sink);
      break;
    case Format::svg:
      if (!document.chart) return no_such_form(format);
      render_svg(*document.chart, sink);
      break;
  }
  return Ok{};
}

}  // namespace ridgeline::report
