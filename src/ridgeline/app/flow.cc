#include "ridgeline/app/flow.h"

#include "ridgeline/app/arguments.h"
#include "ridgeline/app/command.h"
#include "ridgeline/app/short_formats.h"
#include "ridgeline/app/tensor_model.h"

namespace ridgeline::app {
namespace {

Result<int> run_line(std::span<const std::string> arguments, const Json* spec,
                     const Context& context, const report::Sink& sink) {
  RIDGELINE_TRY(const CommandLine line, parse_command_line(arguments));
  RIDGELINE_TRY(const Request request, make_request(line, context, spec));
  return run(request, context, report::Colour::off, sink);
}

}  // namespace

Result<int> run(const Request& request, const Context& context, report::Colour colour,
                const report::Sink& sink) {
  Context local = context;
  local.folders.insert(local.folders.end(), request.folders.begin(), request.folders.end());
  RIDGELINE_TRY(const Command* command, find_command(request.command));
  RIDGELINE_TRY(const Request known, with_tensor_model(with_short_formats(request), local));
  RIDGELINE_TRY(const report::Document document, command->answer(known, local));
  RIDGELINE_CHECK(report::render(document, request.format, colour, sink));
  return document.exit_status;
}

int run_json(std::span<const std::string> arguments, const Json* spec, const Context& context,
             const report::Sink& sink) {
  const auto status = run_line(arguments, spec, context, sink);
  if (status) return *status;
  sink(report::json_text(report::error_tree(status.error())));
  return exit_status_of(status.error());
}

int exit_status_of(const Error& error) {
  return error.code == ErrorCode::internal ? 1 : 2;
}

}  // namespace ridgeline::app
