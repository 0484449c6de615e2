#include "server/access.h"

#include "server/options.h"

namespace ridgeline::server {
namespace {

constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;

// "localhost" of "localhost:8080" and "::1" of "[::1]:8080".
std::string host_of(const std::string& authority) {
  if (authority.rfind('[', 0) == 0) return authority.substr(1, authority.find(']') - 1);
  return authority.substr(0, authority.find(':'));
}

std::string authority_of(const std::string& origin) {
  const std::size_t slashes = origin.find("://");
  return slashes == std::string::npos ? origin : origin.substr(slashes + 3);
}

std::string cookie_value(const std::string& cookies, const std::string& name) {
  const std::string start = name + "=";
  for (std::size_t at = 0; at < cookies.size();) {
    const std::size_t end = std::min(cookies.find(';', at), cookies.size());
    const std::size_t from = cookies.find_first_not_of(' ', at);
    if (from < end && cookies.compare(from, start.size(), start) == 0) {
      return cookies.substr(from + start.size(), end - from - start.size());
    }
    at = end + 1;
  }
  return "";
}

bool knows(const Caller& caller, const std::string& token) {
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view sent = caller.authorization;
  const bool bearer = sent.substr(0, kBearer.size()) == kBearer;
  return (bearer && same_secret(sent.substr(kBearer.size()), token)) ||
         same_secret(cookie_value(caller.cookie, kTokenCookie), token) ||
         same_secret(caller.token, token);
}

}  // namespace

bool same_secret(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0U : 1U;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  }
  return difference == 0;
}

std::optional<Reply> refusal(const Caller& caller, const std::string& token) {
  const bool foreign = !caller.origin.empty() && authority_of(caller.origin) != caller.host;
  if (foreign) {
    return error_reply(kForbidden, {ErrorCode::unsupported, "Origin",
                                    "a page of another site may not ask this server", ""});
  }
  if (token.empty()) {
    // A name that only resolves to this machine would make another site's page look like ours.
    if (caller.host.empty() || is_loopback(host_of(caller.host))) return std::nullopt;
    return error_reply(kForbidden, {ErrorCode::unsupported, "Host",
                                    "this server answers under the name of this machine alone",
                                    "ask for 127.0.0.1 or localhost"});
  }
  if (knows(caller, token)) return std::nullopt;
  return error_reply(kUnauthorized,
                     {ErrorCode::missing, "Authorization", "the token is missing or wrong",
                      "send Authorization: Bearer TOKEN, or open /?token=TOKEN once"});
}

}  // namespace ridgeline::server
