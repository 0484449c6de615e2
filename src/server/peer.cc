#include "server/peer.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace ridgeline::server {
namespace {

constexpr int kMostDescriptors = 4096;

}  // namespace

// Addresses as text, made as the library makes them.
bool Peer::is_theirs(int descriptor) const {
  sockaddr_storage from{};
  socklen_t size = sizeof from;
  auto* address = reinterpret_cast<sockaddr*>(&from);
  if (::getpeername(descriptor, address, &size) != 0) return false;
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  const int failed = ::getnameinfo(address, size, host.data(), host.size(), port.data(),
                                   port.size(), NI_NUMERICHOST | NI_NUMERICSERV);
  return failed == 0 && address_ == host.data() && std::to_string(port_) == port.data();
}

bool Peer::gone() {
  if (descriptor_ == kUnknown) {
    descriptor_ = kNone;
    for (int d = STDERR_FILENO + 1; d < kMostDescriptors && descriptor_ == kNone; ++d) {
      if (is_theirs(d)) descriptor_ = d;
    }
  }
  if (descriptor_ == kNone) return true;
  char next = 0;
  const ssize_t n = ::recv(descriptor_, &next, 1, MSG_PEEK | MSG_DONTWAIT);
  return n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

}  // namespace ridgeline::server
