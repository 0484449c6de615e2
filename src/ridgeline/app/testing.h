// For the tests of app: run a command line in-process and look at its JSON.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "ridgeline/app/flow.h"
#include "ridgeline/app/spec_file.h"

namespace ridgeline::app::testing {

struct Ran {
  int status = 0;
  std::string text;
  Json json;
};

inline Context test_context() {
  Context context;
  context.catalog = &catalog::Catalog::embedded();
  context.files = FileAccess::allowed;
  return context;
}

inline Ran run_arguments(const std::vector<std::string>& arguments, const Json* spec = nullptr) {
  Ran ran;
  ran.status = run_json(arguments, spec, test_context(), [&ran](std::string_view bytes) {
    ran.text += bytes;
    return true;
  });
  const auto parsed = parse_json(ran.text);
  if (parsed) ran.json = *parsed;
  return ran;
}

// "inspect --model x" split at spaces; a part in single quotes keeps its spaces.
inline std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  bool quoted = false, open = false;
  for (const char c : line) {
    if (c == '\'') {
      quoted = !quoted;
      if (!open) words.emplace_back();
      open = true;
    } else if (c == ' ' && !quoted) {
      open = false;
    } else {
      if (!open) words.emplace_back();
      open = true;
      words.back() += c;
    }
  }
  return words;
}

inline Ran run_line(const std::string& line) {
  std::vector<std::string> words = words_of(line);
  words.emplace_back("--json");
  return run_arguments(words);
}

// A file that is removed with the object.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, const std::string& text)
      : path_(std::filesystem::temp_directory_path() / name) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code error;
    std::filesystem::remove(path_, error);
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace ridgeline::app::testing
