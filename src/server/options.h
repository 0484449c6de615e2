// Options of `ridgeline serve`, read from its command line.
#pragma once

#include <span>
#include <string>

#include "ridgeline/base/result.h"

namespace ridgeline::server {

struct Options {
  std::string address = "127.0.0.1";
  int port = 8080;  // 0: any that is free
  std::string token;
  bool opens_browser = true;
};

// `arguments` start with "serve". An address that others can reach needs a token.
Result<Options> read_options(std::span<const std::string> arguments);

// Can only this machine reach the address?
bool is_loopback(const std::string& address);

}  // namespace ridgeline::server
