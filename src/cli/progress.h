// Progress: a bar on standard error, on a terminal, for what takes more than a second.
#pragma once

#include <chrono>

namespace ridgeline::cli {

class ProgressBar {
 public:
  ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();  // wipes the bar

  // The share done, 0 to 1.
  void show(double share);

 private:
  std::chrono::steady_clock::time_point start_, last_;
  bool terminal_ = false;
  bool drawn_ = false;
};

}  // namespace ridgeline::cli
