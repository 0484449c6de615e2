// The command line: arguments -> Request -> bytes on standard output or in a file.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/output.h"
#include "cli/progress.h"
#include "ridgeline/app/arguments.h"
#include "ridgeline/app/flow.h"

namespace ridgeline::cli {
namespace {

using app::Context;
using report::Colour;

constexpr int kOther = 1;

// Colour on a terminal, unless NO_COLOR is set or the terminal is dumb.
Colour colour_of(int descriptor) {
  const char* none = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool wanted = (none == nullptr || *none == '\0') && terminal != nullptr &&
                      std::string_view(terminal) != "dumb";
  return wanted && ::isatty(descriptor) == 1 ? Colour::on : Colour::off;
}

Result<int> answer_to_file(const app::Request& request, const Context& context) {
  OutputFile file;
  RIDGELINE_CHECK(file.open(request.output));
  RIDGELINE_TRY(const int status,
                app::run(request, context, Colour::off,
                         [&file](std::string_view bytes) { return file.write(bytes); }));
  RIDGELINE_CHECK(file.commit());
  return status;
}

Result<int> answer_to_stdout(const app::Request& request, const Context& context) {
  StandardOutput out;
  RIDGELINE_TRY(const int status,
                app::run(request, context, colour_of(STDOUT_FILENO),
                         [&out](std::string_view bytes) { return out.write(bytes); }));
  if (!out.failed()) return status;
  std::fputs("error: cannot write to standard output\n", stderr);
  return kOther;
}

// Becomes the server, a program beside this one: what it needs is loaded for it alone.
Error start_server(char** argv) {
  constexpr char kName[] = "ridgeline-server";
  std::error_code error;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string program = (own.parent_path() / kName).string();
  ::execv(program.c_str(), argv);
  return {ErrorCode::unsupported, "serve", "this program was built without the server",
          "run ./ridgeline serve, which builds it, or configure with -DRIDGELINE_SERVER=ON"};
}

Result<int> answer(const std::vector<std::string>& arguments, char** argv) {
  RIDGELINE_TRY(const app::CommandLine line, app::parse_command_line(arguments));
  if (line.command->name == std::string_view("serve")) return start_server(argv);
  std::optional<catalog::Catalog> overlay;
  Context context;
  context.files = app::FileAccess::allowed;
  if (!line.data.empty()) {
    auto read = catalog::Catalog::with_overlay(line.data);
    if (!read) {
      Error error = read.error();
      if (error.where.empty()) error.where = "--data";
      return error;
    }
    overlay = *std::move(read);
  }
  context.catalog = overlay ? &*overlay : &catalog::Catalog::embedded();
  ProgressBar bar;
  context.progress = [&bar](double share) {
    bar.show(share);
    return true;
  };
  RIDGELINE_TRY(const app::Request request, app::make_request(line, context, nullptr));
  return request.output.empty() ? answer_to_stdout(request, context)
                                : answer_to_file(request, context);
}

int report_error(const Error& error, const std::vector<std::string>& arguments) {
  if (app::asks_for_json(arguments)) {
    StandardOutput().write(report::json_text(report::error_tree(error)));
  } else {
    std::fputs(report::error_text(error, colour_of(STDERR_FILENO)).c_str(), stderr);
  }
  return app::exit_status_of(error);
}

}  // namespace

int main_of(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  const auto status = answer(arguments, argv);
  return status ? *status : report_error(status.error(), arguments);
}

}  // namespace ridgeline::cli

int main(int argc, char** argv) {
  return ridgeline::cli::main_of(argc, argv);
}
