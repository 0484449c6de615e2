#include "ridgeline/app/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <vector>

namespace ridgeline::app {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostBytes = 64U << 20U;
constexpr std::uintmax_t kMostHead = 128U << 20U;
constexpr std::size_t kPartBytes = 1U << 16U;
constexpr std::size_t kMostName = 4096;

// The first place where something of that name is.
std::optional<fs::path> located(std::string_view name, const Context& context) {
  const fs::path given{std::string(name)};
  std::error_code error;
  if (given.is_relative()) {
    for (const std::string& folder : context.folders) {
      fs::path candidate = fs::path(folder) / given;
      if (fs::exists(candidate, error)) return candidate;
    }
  }
  if (fs::exists(given, error)) return given;
  return std::nullopt;
}

Error io(const std::string& message, std::string hint) {
  return {ErrorCode::io, "", message, std::move(hint)};
}

Result<std::string> contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    return io(fmt::format("cannot open {}: {}", path.string(), std::strerror(errno)),
              "check its permissions");
  }
  std::string text;
  std::vector<char> part(kPartBytes);
  while (in && text.size() <= kMostBytes) {
    in.read(part.data(), static_cast<std::streamsize>(part.size()));
    text.append(part.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad()) return io(fmt::format("cannot read {}", path.string()), "");
  if (text.size() > kMostBytes) {
    return io(fmt::format("{} is larger than 64 MiB", path.string()), "give a smaller file");
  }
  return text;
}

// The place of a file that may be read.
Result<fs::path> readable(std::string_view name, const Context& context) {
  if (context.files == FileAccess::refused) {
    return io(fmt::format("\"{}\": files are not read for this caller", name),
              "send the content in place of a path");
  }
  if (name.empty()) return io("the name of a file is empty", "give the path of a file");
  if (name.size() > kMostName || name.find('\0') != std::string_view::npos) {
    return io("the name of a file is too long or holds a zero byte", "give the path of a file");
  }
  const std::optional<fs::path> path = located(name, context);
  if (!path) return io(fmt::format("there is no file \"{}\"", name), "check the path");
  std::error_code error;
  if (fs::is_directory(*path, error)) {
    return io(fmt::format("\"{}\" is a directory", name), "give the path of a file");
  }
  const bool readable_kind = fs::is_regular_file(*path, error) || fs::is_fifo(*path, error) ||
                             fs::is_character_file(*path, error);
  if (!readable_kind) return io(fmt::format("\"{}\" is no regular file", name), "");
  return *path;
}

}  // namespace

Result<File> read_file(std::string_view name, const Context& context) {
  RIDGELINE_TRY(const fs::path path, readable(name, context));
  RIDGELINE_TRY(std::string text, contents(path));
  return File{path.string(), std::move(text)};
}

Result<Head> read_head(std::string_view name, const Context& context) {
  RIDGELINE_TRY(const fs::path path, readable(name, context));
  std::error_code error;
  if (!fs::is_regular_file(path, error))
    return io(fmt::format("\"{}\" is no regular file", name), "");
  const auto size = fs::file_size(path, error);
  std::ifstream in(path, std::ios::binary);
  if (error || !in)
    return io(fmt::format("cannot open {}", path.string()), "check its permissions");
  Head out{.file_bytes = static_cast<std::int64_t>(size)};
  out.text.resize(std::min<std::uintmax_t>(size, kMostHead));
  in.read(out.text.data(), static_cast<std::streamsize>(out.text.size()));
  if (in.gcount() != static_cast<std::streamsize>(out.text.size())) {
    return io(fmt::format("cannot read {}", path.string()), "");
  }
  return out;
}

bool file_exists(std::string_view name, const Context& context) {
  const bool possible = context.files == FileAccess::allowed && !name.empty() &&
                        name.size() <= kMostName && name.find('\0') == std::string_view::npos;
  return possible && located(name, context).has_value();
}

std::string stem_of(std::string_view path) {
  return fs::path(std::string(path)).stem().string();
}

std::string folder_of(std::string_view path) {
  const std::string folder = fs::path(std::string(path)).parent_path().string();
  return folder.empty() ? "." : folder;
}

}  // namespace ridgeline::app
