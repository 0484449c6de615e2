// Output: where the bytes of an answer go. A file is written beside its name and moved there when
// it is whole, so that an error loses nothing.
#pragma once

#include <string>
#include <string_view>

#include "ridgeline/base/result.h"
#include "ridgeline/report/render.h"

namespace ridgeline::cli {

// Bytes to standard output; a reader that has gone away is no error.
class StandardOutput {
 public:
  bool write(std::string_view bytes);
  bool failed() const { return failed_; }  // but for a closed pipe

 private:
  bool closed_ = false, failed_ = false;
};

class OutputFile {
 public:
  OutputFile() = default;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();  // removes what was not committed

  // Error io, where "--output".
  Status open(const std::string& path);
  bool write(std::string_view bytes);
  Status commit();

 private:
  std::string target_, temporary_;  // temporary empty: written in place (a device, a pipe)
  int descriptor_ = -1;
  bool failed_ = false;
};

}  // namespace ridgeline::cli
