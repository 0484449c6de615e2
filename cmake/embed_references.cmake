# Turns REFERENCES.md into one C++ file: a table of key and citation, from lines "- `key`: citation".
#   cmake -DOUTPUT=references.cc -DREFERENCES=REFERENCES.md -P embed_references.cmake
file(STRINGS "${REFERENCES}" lines REGEX "^- `" ENCODING UTF-8)
set(rows "")
foreach(line IN LISTS lines)
  string(REGEX REPLACE "^- `([^`]+)`: (.*)$" "\\1" key "${line}")
  string(REGEX REPLACE "^- `([^`]+)`: (.*)$" "\\2" text "${line}")
  string(APPEND rows "    {\"${key}\", R\"ridgeline(${text})ridgeline\"sv},\n")
endforeach()
file(WRITE "${OUTPUT}.new" "// Made by cmake/embed_references.cmake from REFERENCES.md. Do not edit.
#include \"ridgeline/catalog/references.h\"

namespace ridgeline::catalog {
namespace {

using std::string_view_literals::operator\"\"sv;

constexpr Reference kReferences[] = {
${rows}};

}  // namespace

std::span<const Reference> references() { return kReferences; }

}  // namespace ridgeline::catalog
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
