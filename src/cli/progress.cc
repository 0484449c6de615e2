#include "cli/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace ridgeline::cli {
namespace {

constexpr std::chrono::milliseconds kPatience{1000};
constexpr std::chrono::milliseconds kBetween{100};
constexpr int kWidth = 40;

}  // namespace

ProgressBar::ProgressBar()
    : start_(std::chrono::steady_clock::now()),
      last_(start_),
      terminal_(::isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void ProgressBar::show(double share) {
  if (!terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - start_ < kPatience || now - last_ < kBetween) return;
  last_ = now;
  drawn_ = true;
  const double done = std::clamp(share, 0.0, 1.0);
  const int filled = static_cast<int>(done * kWidth);
  const std::string bar(static_cast<std::size_t>(filled), '#');
  const std::string rest(static_cast<std::size_t>(kWidth - filled), '.');
  std::fprintf(stderr, "\r%s%s %3.0f %%", bar.c_str(), rest.c_str(), 100 * done);
  std::fflush(stderr);
}

}  // namespace ridgeline::cli
