// Flow: a request into an answer in bytes. The CLI, `replay`, the server and Python call it.
#pragma once

#include <span>
#include <string>

#include "ridgeline/app/request.h"
#include "ridgeline/base/result.h"
#include "ridgeline/report/render.h"

namespace ridgeline::app {

// Answers the request; returns the exit status (0, or 3 where the answer is that it cannot be).
Result<int> run(const Request& request, const Context& context, report::Colour colour,
                const report::Sink& sink);

// A whole command line, `spec` (or null) in place of --spec; errors too are written to the sink, as
// JSON. For programs that drive the command line in-process.
int run_json(std::span<const std::string> arguments, const Json* spec, const Context& context,
             const report::Sink& sink);

// 2: the input is wrong; 1: anything else.
int exit_status_of(const Error& error);

}  // namespace ridgeline::app
