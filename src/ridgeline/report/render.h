// Renderers: one Document as text, JSON, CSV, Markdown or SVG.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "ridgeline/base/result.h"
#include "ridgeline/report/document.h"

namespace ridgeline::report {

enum class Format : std::uint8_t { table, json, csv, markdown, svg };
enum class Colour : std::uint8_t { off, on };

inline std::span<const char* const> names_of(Format) {
  static constexpr std::array<const char*, 5> kNames = {"table", "json", "csv", "markdown", "svg"};
  return kNames;
}

// Takes bytes; false: nobody reads any more.
using Sink = std::function<bool(std::string_view)>;

// Error `unsupported` (where: "--format") when the document has nothing of that form.
Status render(const Document& document, Format format, Colour colour, const Sink& sink);

// The renderers behind it.
void render_text(const Document& document, Colour colour, const Sink& sink);
void render_json(const Document& document, const Sink& sink);
void render_csv(const Rows& rows, const Sink& sink);
void render_markdown(const Document& document, const Sink& sink);
void render_svg(const Chart& chart, const Sink& sink);

// The tree of an error: {"error": {code, where, message, hint}}.
Json error_tree(const Error& error);

// The whole tree, with a result that is only written otherwise.
Json tree_of(const Document& document);

// JSON text of a tree, with a line end.
std::string json_text(const Json& tree);

// Two lines for a terminal: what is wrong and where; what would be accepted.
std::string error_text(const Error& error, Colour colour);

}  // namespace ridgeline::report
