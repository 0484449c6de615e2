// ridgeline-server: what `ridgeline serve` runs. Prints its address, opens a browser where there is
// one, ends on SIGTERM and SIGINT.
#include <fmt/format.h>
#include <malloc.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "ridgeline/app/flow.h"
#include "ridgeline/report/render.h"
#include "server/bundle.h"
#include "server/options.h"
#include "server/server.h"

extern char** environ;

namespace ridgeline::server {
namespace {

constexpr int kMostDescriptors = 4096;
constexpr int kKeptBytes = 4 << 20;

// Answers of the next request go where those of the last were: asking the system for the pages of
// each anew takes a fifth of the time of an inspect.
void keep_memory() {
  ::mallopt(M_TRIM_THRESHOLD, kKeptBytes);
  ::mallopt(M_MMAP_THRESHOLD, kKeptBytes);
}

bool has_display() {
  return std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr;
}

void open_browser(const std::string& address) {
  std::string program = "xdg-open", argument = address;
  char* const words[] = {program.data(), argument.data(), nullptr};
  pid_t child = 0;
  if (::posix_spawnp(&child, "xdg-open", nullptr, nullptr, words, environ) != 0) {
    std::fputs("no browser could be opened\n", stderr);
  }
}

// Connections that only wait for a next request would hold the end up.
void hang_up() {
  for (int descriptor = STDERR_FILENO + 1; descriptor < kMostDescriptors; ++descriptor) {
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    const bool connected =
        ::getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &size) == 0;
    if (connected) ::shutdown(descriptor, SHUT_RD);
  }
}

std::string address_of(const Options& options, int port) {
  const bool six = options.address.find(':') != std::string::npos;
  return six ? fmt::format("http://[{}]:{}/", options.address, port)
             : fmt::format("http://{}:{}/", options.address, port);
}

Status serve(std::span<const std::string> arguments) {
  RIDGELINE_TRY(const Options options, read_options(arguments));
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);  // threads inherit it; this one waits for them
  const auto cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  Limits limits;
  limits.short_at_once = 2 * cores;
  Server server(options, limits, bundle());
  RIDGELINE_CHECK(server.bind());
  const std::string address = address_of(options, server.port());
  fmt::print("Ridgeline is at {} (end it with Ctrl-C)\n", address);
  std::fflush(stdout);
  if (options.opens_browser && has_display()) open_browser(address);
  std::thread answering([&server] { server.run(); });
  int signal = 0;
  sigwait(&ends, &signal);
  server.stop();
  hang_up();
  answering.join();
  return Ok{};
}

}  // namespace
}  // namespace ridgeline::server

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  ridgeline::server::keep_memory();
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  const auto status = ridgeline::server::serve(arguments);
  if (status) return 0;
  std::fputs(ridgeline::report::error_text(status.error(), ridgeline::report::Colour::off).c_str(),
             stderr);
  return ridgeline::app::exit_status_of(status.error());
}
