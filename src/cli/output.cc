#include "cli/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace ridgeline::cli {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kNewFile = 0666;

// Writes all bytes; false with errno set when that fails.
bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

Error cannot(const char* what, const std::string& path) {
  return {ErrorCode::io, "--output",
          fmt::format("cannot {} {}: {}", what, path, std::strerror(errno)),
          "give a file in a folder that you may write to"};
}

}  // namespace

bool StandardOutput::write(std::string_view bytes) {
  if (closed_ || failed_) return false;
  if (write_all(STDOUT_FILENO, bytes)) return true;
  (errno == EPIPE ? closed_ : failed_) = true;
  return false;
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Status OutputFile::open(const std::string& path) {
  std::error_code error;
  const fs::path resolved = fs::weakly_canonical(path, error);
  target_ = error ? path : resolved.string();
  const fs::file_status status = fs::status(target_, error);
  if (fs::is_directory(status)) {
    return Error{ErrorCode::io, "--output", fmt::format("{} is a directory", path),
                 "give the name of a file"};
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) return cannot("write to", path);
    return Ok{};
  }
  temporary_ = fmt::format("{}.{}.partial", target_, ::getpid());
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kNewFile);
  if (descriptor_ < 0) {
    temporary_.clear();
    return cannot("create", path);
  }
  if (fs::exists(status)) ::fchmod(descriptor_, static_cast<mode_t>(status.permissions()));
  return Ok{};
}

bool OutputFile::write(std::string_view bytes) {
  if (!failed_) failed_ = !write_all(descriptor_, bytes);
  return !failed_;
}

Status OutputFile::commit() {
  const int descriptor = descriptor_;
  descriptor_ = -1;
  const bool closed = ::close(descriptor) == 0;
  if (failed_ || !closed) return cannot("write", target_);
  if (temporary_.empty()) return Ok{};
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) return cannot("write", target_);
  temporary_.clear();
  return Ok{};
}

}  // namespace ridgeline::cli
