// Peer: is the caller of a request still there? The HTTP library does not tell its connection, so
// that is found among the open ones, by where it comes from.
#pragma once

#include <string>

namespace ridgeline::server {

class Peer {
 public:
  // Nothing is looked for until `gone` is asked.
  Peer(std::string address, int port) : address_(std::move(address)), port_(port) {}

  // Has the caller closed the connection? REQUIRES: it was open once, and nothing else closes it.
  bool gone();

 private:
  bool is_theirs(int descriptor) const;

  std::string address_;
  int port_;
  int descriptor_ = kUnknown;

  static constexpr int kUnknown = -2, kNone = -1;
};

}  // namespace ridgeline::server
