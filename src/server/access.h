// Access: who may ask. A page of another site must not, nor anyone without the token.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "server/api.h"

namespace ridgeline::server {

// What of a request's head decides whether it is answered; empty: not sent.
struct Caller {
  std::string host;
  std::string origin;
  std::string authorization;
  std::string cookie;
  std::string token;  // of the query
};

// Nothing where the caller may ask; else the refusal. `token` empty: none is asked for.
std::optional<Reply> refusal(const Caller& caller, const std::string& token);

// Equal, in a time that does not tell where they differ?
bool same_secret(std::string_view a, std::string_view b);

inline constexpr char kTokenCookie[] = "ridgeline_token";

}  // namespace ridgeline::server
