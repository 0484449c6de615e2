// Arguments: a command line into a Request. The CLI and `replay` use it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ridgeline/app/command.h"
#include "ridgeline/app/input.h"
#include "ridgeline/app/request.h"

namespace ridgeline::app {

// A command line taken apart, nothing opened yet.
struct CommandLine {
  const Command* command = nullptr;
  std::vector<Setting> settings;  // flags, words and --set, in the order typed
  std::string spec;               // --spec FILE
  std::string data;               // --data DIR
  std::string output;
  report::Format format = report::Format::table;
};

Result<CommandLine> parse_command_line(std::span<const std::string> arguments);

// Does the line ask for JSON? Looked up even where the rest of it is wrong, for the form of the
// error.
bool asks_for_json(std::span<const std::string> arguments);

// Reads the spec file, brings everything to canonical names and lays flags over it. `inline_spec`,
// if given, stands for the content of --spec.
Result<Request> make_request(const CommandLine& line, const Context& context,
                             const Json* inline_spec);

// The same for a program: the object as sent.
Result<Request> make_request(const Command& command, const Json& input, const Context& context);

// Flags that every command takes, for help.
struct CommonFlag {
  const char* flag;
  const char* help;
};
std::span<const CommonFlag> common_flags();

}  // namespace ridgeline::app
