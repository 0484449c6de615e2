// Any path and body sent to the API: an answer, or an error in words, both JSON; never a bug.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ridgeline/app/spec_file.h"
#include "server/api.h"

namespace {

// Searches are cut short.
ridgeline::server::Limits limits() {
  ridgeline::server::Limits out;
  out.time = std::chrono::milliseconds(2000);
  return out;
}

bool is_json(const std::string& text) {
  return ridgeline::app::parse_json(text).has_value();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static ridgeline::server::Api api(limits());
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t line = text.find('\n');  // the path stands before it, the body behind
  const std::string_view path = text.substr(0, line);
  const std::string body(line == std::string_view::npos ? "" : text.substr(line + 1));
  const bool stops_at_once = false;
  const auto post = api.post(path, body, [&](double) { return stops_at_once; });
  const auto get = api.get(path);
  if (post.status == 500 || get.status == 500) std::abort();
  if (!is_json(post.body) || !is_json(get.body)) std::abort();
  return 0;
}
