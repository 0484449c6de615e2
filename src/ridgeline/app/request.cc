#include "ridgeline/app/request.h"

#include <fmt/format.h>

#include "ridgeline/base/text.h"

namespace ridgeline::app {
namespace {

// The part of a pointer in front of its last name: "/plan" of "/plan/tp".
std::string_view parent_of(std::string_view pointer) {
  const std::size_t slash = pointer.rfind('/');
  return slash == std::string_view::npos ? std::string_view{} : pointer.substr(0, slash);
}

// Only the number of an item: a flag that took a list has no better name for it.
bool is_index(std::string_view tail) {
  return tail.size() > 1 && tail.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

// "--model" and "/hidden_size" -> "--model:/hidden_size"; "spec.yaml:/plan" and "/tp" -> one
// pointer.
std::string joined(const std::string& typed, std::string_view tail) {
  const bool is_flag = typed.rfind("--", 0) == 0;
  if (tail.empty() || (is_flag && is_index(tail))) return typed;
  const bool has_pointer = typed.find(":/") != std::string::npos || typed.rfind('/', 0) == 0;
  return fmt::format("{}{}{}", typed, has_pointer ? "" : ":", tail);
}

}  // namespace

std::string flag_of(std::string_view pointer) {
  const std::size_t slash = pointer.rfind('/');
  const std::string_view name =
      slash == std::string_view::npos ? pointer : pointer.substr(slash + 1);
  return "--" + kebab(name);
}

std::string Origins::where(std::string_view pointer) const {
  for (std::string_view at = pointer; !at.empty(); at = parent_of(at)) {
    const auto it = typed.find(std::string(at));
    if (it != typed.end()) return joined(it->second, pointer.substr(at.size()));
  }
  if (caller == Caller::program) return std::string(pointer);
  return flag_of(pointer);
}

Error Origins::placed(Error error, std::string_view base) const {
  const std::string pointer = fmt::format("{}{}", base, error.where);
  error.where = where(pointer);
  for (std::string_view at = pointer; !at.empty(); at = parent_of(at)) {
    const auto it = lines.find(std::string(at));
    if (it == lines.end()) continue;
    const bool from_spec = error.where.rfind(source + ":", 0) == 0;
    if (from_spec) error.message += fmt::format(" (line {})", it->second);
    break;
  }
  return error;
}

}  // namespace ridgeline::app
