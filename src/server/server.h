// Server: HTTP around Api, and the dashboard's files.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "server/api.h"
#include "server/bundle.h"
#include "server/options.h"

namespace ridgeline::server {

class Server {
 public:
  Server(const Options& options, const Limits& limits, std::span<const Asset> assets);
  ~Server();

  // Takes the port; error io where it cannot. Then `port` says which.
  Status bind();
  int port() const;

  // Answers until `stop`, which any thread may call; searches that run are given up.
  void run();
  void stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ridgeline::server
