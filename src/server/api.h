// Api: a path and a body into an answer, without sockets. POST /v1/COMMAND takes the command's
// input object and answers with the bytes that the command line prints with --json.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "ridgeline/app/command.h"
#include "ridgeline/base/result.h"
#include "server/gate.h"

namespace ridgeline::server {

struct Reply {
  int status = 200;
  std::string body;  // JSON
  double elapsed_s = 0;
};

Reply error_reply(int status, const Error& error);

struct Limits {
  std::size_t body_bytes = 5'000'000;
  std::size_t answer_bytes = 64U << 20U;
  std::chrono::milliseconds time{60'000};
  std::chrono::milliseconds patience{10'000};  // of a request that waits for its turn
  int silence_s = 5;                           // of a connection, before it is closed
  int short_at_once = 4, short_queue = 64;
  int long_at_once = 1, long_queue = 8;
};

// Told the share done, 0 to 1; returns false to stop.
using Progress = std::function<bool(double)>;

class Api {
 public:
  explicit Api(const Limits& limits);

  // POST /v1/`path`: "inspect", "solve/serving".
  Reply post(std::string_view path, const std::string& body, const Progress& progress);

  // GET /v1/schema, /v1/schema/COMMAND, /v1/schema/COMMAND/VARIANT.
  Reply get(std::string_view path);

 private:
  struct Call {
    const app::Command* command;
    std::string variant;
  };
  Result<Call> find(std::string_view path) const;
  Reply answer(const Call& call, app::Json input, const Progress& progress);
  Gate& gate_of(const app::Command& command);

  Limits limits_;
  Gate short_, long_;
};

}  // namespace ridgeline::server
