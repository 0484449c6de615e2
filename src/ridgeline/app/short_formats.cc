#include "ridgeline/app/short_formats.h"

#include <array>

#include "ridgeline/base/text.h"

namespace ridgeline::app {
namespace {

struct ShortFormat {
  const char* name;
  const char* weights;
};
constexpr std::array kShortFormats = {ShortFormat{"w4a16", "int4"}, ShortFormat{"w8a16", "int8"}};

const ShortFormat* short_format(const Json& value) {
  if (!value.is_string()) return nullptr;
  const std::string name = lower(value.get<std::string>());
  for (const ShortFormat& format : kShortFormats) {
    if (name == format.name) return &format;
  }
  return nullptr;
}

void write_out(Json& object) {
  for (const char* key : {"precision", "weight_precision"}) {
    const auto it = object.find(key);
    if (it == object.end()) continue;
    const ShortFormat* format = short_format(*it);
    if (format == nullptr) continue;
    *it = format->weights;
    if (!object.contains("activation_precision")) object["activation_precision"] = "bf16";
  }
  for (auto& [key, value] : object.items()) {
    if (value.is_object() && key != "model") write_out(value);
  }
}

}  // namespace

Request with_short_formats(Request request) {
  if (request.input.is_object()) write_out(request.input);
  return request;
}

}  // namespace ridgeline::app
