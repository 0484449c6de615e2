// Request: one command with its input object, whoever asks: flags, a spec file, HTTP or Python.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "ridgeline/catalog/catalog.h"
#include "ridgeline/report/render.h"

namespace ridgeline::app {

using Json = nlohmann::ordered_json;

// Who is told about an error: a person at a shell reads flags, a program reads JSON pointers.
enum class Caller : std::uint8_t { shell, program };

// JSON pointer of the input -> what the user typed, for `error.where`.
struct Origins {
  Caller caller = Caller::program;
  std::string source;                        // the spec file; empty: none
  std::map<std::string, std::string> typed;  // "/plan/tp" -> "--tp" or "spec.yaml:/plan/tp_size"
  std::map<std::string, int> lines;          // "/plan/tp" -> line of the spec file

  // What to call the place `pointer` in a message; a pointer inside a typed one keeps its tail.
  std::string where(std::string_view pointer) const;

  // `error` with its `where` (a pointer below `base`, or empty) put in the user's words.
  Error placed(Error error, std::string_view base) const;
};

struct Request {
  std::string command;
  Json input = Json::object();
  Origins origins;
  report::Format format = report::Format::table;
  std::string output;                // a file; empty: the caller's stream
  std::vector<std::string> folders;  // where files that the spec names may also be
};

// May a name of a file in the input be opened? Programs send content instead.
enum class FileAccess : std::uint8_t { refused, allowed };

// What a request may look at besides itself.
struct Context {
  const catalog::Catalog* catalog = nullptr;
  FileAccess files = FileAccess::refused;
  std::vector<std::string> folders;  // where relative names of files are looked for, in order
  // Told the share done, 0 to 1; returns false to stop. May be empty.
  std::function<bool(double)> progress;
};

// "--kv-shard-mode" for "/plan/kv_shard_mode": the flag of an input field.
std::string flag_of(std::string_view pointer);

}  // namespace ridgeline::app
