#include "server/options.h"

#include "ridgeline/app/arguments.h"

namespace ridgeline::server {
namespace {

constexpr std::int64_t kMostPort = 65535;
constexpr std::size_t kLeastToken = 16;

}  // namespace

bool is_loopback(const std::string& address) {
  return address == "localhost" || address == "::1" || address.rfind("127.", 0) == 0;
}

Result<Options> read_options(std::span<const std::string> arguments) {
  RIDGELINE_TRY(const app::CommandLine line, app::parse_command_line(arguments));
  app::Context context;
  context.catalog = &catalog::Catalog::embedded();
  RIDGELINE_TRY(const app::Request request, app::make_request(line, context, nullptr));
  const app::InputReader reader(request.input, request.origins, *line.command);
  Options out;
  RIDGELINE_TRY(out.address, reader.text("address"));
  RIDGELINE_TRY(const std::int64_t port, reader.count("port", 0, kMostPort));
  RIDGELINE_TRY(out.token, reader.text("token"));
  RIDGELINE_TRY(const bool no_browser, reader.toggle("no_browser"));
  out.port = static_cast<int>(port);
  out.opens_browser = !no_browser;
  if (!is_loopback(out.address) && out.token.empty()) {
    return Error{ErrorCode::missing, "--token",
                 "an address that others can reach needs a token that they must know",
                 "give --token TEXT, or leave --address out to serve this machine alone"};
  }
  if (!out.token.empty() && out.token.size() < kLeastToken) {
    return Error{ErrorCode::bad_value, "--token", "the token is short enough to be guessed",
                 "give 16 characters or more, such as: openssl rand -hex 16"};
  }
  return out;
}

}  // namespace ridgeline::server
