#include "server/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ridgeline/app/arguments.h"
#include "ridgeline/app/flow.h"
#include "ridgeline/app/spec_file.h"

namespace ridgeline::server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kBadRequest = 400, kNotFound = 404, kNotAllowed = 405, kTooLarge = 413;
constexpr int kBug = 500, kBusy = 503;

// Commands that may take seconds: they wait for each other, not in the way of the others.
constexpr std::array<std::string_view, 5> kLong = {"explore", "replay", "validate", "simulate",
                                                   "plan"};

// Commands that answer at a shell alone.
constexpr std::string_view kServe = "serve";

enum class Stop { none, caller, time, size };

Reply stopped(Stop why, const Limits& limits) {
  const double seconds = std::chrono::duration<double>(limits.time).count();
  switch (why) {
    case Stop::time:
      return error_reply(kBusy, {ErrorCode::out_of_range, "",
                                 fmt::format("stopped: more than {:.0f} s of work", seconds),
                                 "ask for less at once, or use the command line"});
    case Stop::size:
      return error_reply(kTooLarge,
                         {ErrorCode::out_of_range, "",
                          fmt::format("the answer is longer than {} bytes", limits.answer_bytes),
                          "thin the points, or use the command line"});
    default:
      return error_reply(kBusy, {ErrorCode::unsupported, "", "stopped: nobody waits for it", ""});
  }
}

Error no_such(std::string_view path) {
  return {ErrorCode::unknown_name, "", fmt::format("there is no /v1/{}", path.substr(0, 80)),
          "POST /v1/COMMAND, GET /v1/schema"};
}

}  // namespace

Reply error_reply(int status, const Error& error) {
  return {status, report::json_text(report::error_tree(error)), 0};
}

Api::Api(const Limits& limits)
    : limits_(limits),
      short_(limits.short_at_once, limits.short_queue),
      long_(limits.long_at_once, limits.long_queue) {}

Gate& Api::gate_of(const app::Command& command) {
  const bool is_long = std::find(kLong.begin(), kLong.end(), command.name) != kLong.end();
  return is_long ? long_ : short_;
}

Result<Api::Call> Api::find(std::string_view path) const {
  const std::size_t slash = path.find('/');
  const std::string_view name = path.substr(0, slash);
  const auto command = app::find_command(name);
  if (!command || kServe == (*command)->name || name != (*command)->name) return no_such(path);
  if (slash == std::string_view::npos) return Call{*command, ""};
  const std::string_view word = path.substr(slash + 1);
  if ((*command)->variants().empty()) return no_such(path);
  RIDGELINE_TRY(const app::Command* variant, app::find_variant(**command, word));
  return Call{*command, variant->variant};
}

Reply Api::answer(const Call& call, app::Json input, const Progress& progress) {
  const Clock::time_point end = Clock::now() + limits_.time;
  Stop stop = Stop::none;
  const auto goes_on = [&](double share) {
    if (Clock::now() > end) stop = Stop::time;
    if (stop == Stop::none && progress && !progress(share)) stop = Stop::caller;
    return stop == Stop::none;
  };
  app::Context context;
  context.catalog = &catalog::Catalog::embedded();
  context.progress = goes_on;
  const auto request = app::make_request(*call.command, input, context);
  if (!request) return error_reply(kBadRequest, request.error());
  Reply reply;
  const auto status = app::run(*request, context, report::Colour::off, [&](std::string_view bytes) {
    if (reply.body.size() + bytes.size() > limits_.answer_bytes) stop = Stop::size;
    if (stop == Stop::none && Clock::now() > end) stop = Stop::time;
    if (stop == Stop::none) reply.body += bytes;
    return stop == Stop::none;
  });
  if (stop != Stop::none) return stopped(stop, limits_);
  if (!status) {
    const bool bug = app::exit_status_of(status.error()) == 1;
    return error_reply(bug ? kBug : kBadRequest, status.error());
  }
  return reply;
}

Reply Api::post(std::string_view path, const std::string& body, const Progress& progress) {
  const auto call = find(path);
  if (!call) return error_reply(kNotFound, call.error());
  if (body.size() > limits_.body_bytes) {
    return error_reply(kTooLarge,
                       {ErrorCode::out_of_range, "",
                        fmt::format("more than {} bytes", limits_.body_bytes), "send less"});
  }
  const Clock::time_point start = Clock::now();
  const auto since = [start] {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  const bool blank = body.find_first_not_of(" \t\r\n") == std::string::npos;
  auto input = blank ? Result<app::Json>(app::Json::object()) : app::parse_json(body);
  if (!input) return error_reply(kBadRequest, input.error());
  if (!input->is_object()) {
    return error_reply(kBadRequest, {ErrorCode::bad_value, "", "the input is not an object",
                                     "send {\"model\": ...}"});
  }
  if (!call->variant.empty()) {
    const char* word = call->command->words[0];
    if (input->contains(word) && (*input)[word] != call->variant) {
      return error_reply(kBadRequest, {ErrorCode::conflict, fmt::format("/{}", word),
                                       "is not what the path names", "leave it out"});
    }
    (*input)[word] = call->variant;
  }
  const Gate::Pass pass(gate_of(*call->command), limits_.patience);
  if (!pass.admitted()) {
    return error_reply(kBusy, {ErrorCode::unsupported, "", "too much is being worked on",
                               "ask again in a moment"});
  }
  Reply reply = answer(*call, *std::move(input), progress);
  reply.elapsed_s = since();
  return reply;
}

Reply Api::get(std::string_view path) {
  constexpr std::string_view kSchema = "schema";
  const bool is_schema = path == kSchema || path.rfind("schema/", 0) == 0;
  if (!is_schema) {
    if (!find(path)) return error_reply(kNotFound, no_such(path));
    return error_reply(kNotAllowed, {ErrorCode::usage, "", "a command is asked for with POST",
                                     fmt::format("POST /v1/{}", path.substr(0, 80))});
  }
  app::Json input = app::Json::object();
  if (path.size() > kSchema.size()) {
    const auto call = find(path.substr(kSchema.size() + 1));
    if (!call) return error_reply(kNotFound, call.error());
    input["command"] = call->command->name;
    if (!call->variant.empty()) input["variant"] = call->variant;
  }
  return post(kSchema, input.dump(), {});
}

}  // namespace ridgeline::server
