# Turns the tables of measurements into one C++ file.
#   cmake -DOUTPUT=measured.cc -DDATA=dir -P embed_tables.cmake
file(GLOB files "${DATA}/*.csv")
list(SORT files)
set(rows "")
foreach(file IN LISTS files)
  get_filename_component(name "${file}" NAME)
  file(READ "${file}" text)
  if(text MATCHES "\\)ridgeline\"")
    message(FATAL_ERROR "${file} holds the delimiter of raw strings")
  endif()
  string(APPEND rows "    {\"${name}\", R\"ridgeline(${text})ridgeline\"sv},\n")
endforeach()
file(WRITE "${OUTPUT}.new" "// Made by cmake/embed_tables.cmake from data/measured/. Do not edit.
#include \"ridgeline/catalog/measured.h\"

namespace ridgeline::catalog {
namespace {

using std::string_view_literals::operator\"\"sv;

constexpr MeasuredFile kFiles[] = {
${rows}};

}  // namespace

std::span<const MeasuredFile> measured_files() { return kFiles; }

}  // namespace ridgeline::catalog
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
