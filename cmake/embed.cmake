# Turns the registry files into one C++ file: a table of kind, name, aliases and text.
#   cmake -DOUTPUT=registry.cc -DDATA=dir -P embed.cmake
# The name is the file's name; names and aliases stand in the table so that a look-up parses nothing.
set(kinds model accelerator machine fabric space engine grid site filesystem failure price kernel)
set(rows "")
set(lists "")
set(count 0)
foreach(kind IN LISTS kinds)
  file(GLOB files "${DATA}/${kind}s/*.json")
  list(SORT files)
  foreach(file IN LISTS files)
    get_filename_component(name "${file}" NAME_WLE)
    file(READ "${file}" text)
    if(text MATCHES "\\)ridgeline\"")
      message(FATAL_ERROR "${file} holds the delimiter of raw strings")
    endif()
    set(aliases "")
    string(JSON length ERROR_VARIABLE none LENGTH "${text}" aliases)
    if(none STREQUAL "NOTFOUND" AND length GREATER 0)
      math(EXPR last "${length} - 1")
      foreach(i RANGE ${last})
        string(JSON alias GET "${text}" aliases ${i})
        string(APPEND aliases "\"${alias}\", ")
      endforeach()
      string(APPEND lists "constexpr std::string_view kAliases${count}[] = {${aliases}};\n")
      set(aliases "kAliases${count}")
    else()
      set(aliases "{}")
    endif()
    string(APPEND rows
      "    {EntryKind::${kind}, \"${name}\", ${aliases}, R\"ridgeline(${text})ridgeline\"sv},\n")
    math(EXPR count "${count} + 1")
  endforeach()
endforeach()
file(WRITE "${OUTPUT}.new" "// Made by cmake/embed.cmake from data/. Do not edit.
#include \"ridgeline/catalog/registry.h\"

namespace ridgeline::catalog {
namespace {

using std::string_view_literals::operator\"\"sv;

${lists}
constexpr RegistryFile kFiles[] = {
${rows}};

}  // namespace

std::span<const RegistryFile> registry_files() { return kFiles; }

}  // namespace ridgeline::catalog
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
