#include "ridgeline/app/tensor_model.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "ridgeline/app/command.h"
#include "ridgeline/app/files.h"
#include "ridgeline/app/input.h"
#include "ridgeline/app/spec_file.h"
#include "ridgeline/base/text.h"

namespace ridgeline::app {
namespace {

using catalog::TensorFile;

constexpr std::string_view kGguf = ".gguf", kSafetensors = ".safetensors";
constexpr std::string_view kIndex = ".safetensors.index.json";

Error inside(const std::string& name, Error error) {
  error.message = fmt::format("{}: {}", name, error.message);
  error.where.clear();
  return error;
}

Result<TensorFile> read_one(const std::string& name, const Context& context) {
  RIDGELINE_TRY(const Head head, read_head(name, context));
  auto file = catalog::is_gguf(head.text) ? catalog::read_gguf(head.text, head.file_bytes)
                                          : catalog::read_safetensors(head.text, head.file_bytes);
  if (!file) return inside(name, file.error());
  return file;
}

// The shards that an index names, each once.
Result<TensorFile> read_index(const std::string& name, const Context& context) {
  RIDGELINE_TRY(const File index, read_file(name, context));
  const auto parsed = parse_json(index.text);
  const bool maps = parsed && parsed->is_object() && parsed->contains("weight_map") &&
                    (*parsed)["weight_map"].is_object();
  if (!maps) return inside(name, {ErrorCode::bad_value, "", "has no weight_map", ""});
  std::set<std::string> shards;
  for (const auto& [tensor, shard] : (*parsed)["weight_map"].items()) {
    if (!shard.is_string() || shard.get<std::string>().find('/') != std::string::npos) {
      return inside(name, {ErrorCode::bad_value, "", "tensor " + tensor + " is in no file", ""});
    }
    shards.insert(shard.get<std::string>());
  }
  Context beside = context;
  beside.folders = {folder_of(index.path)};
  TensorFile out{.format = catalog::TensorFormat::safetensors};
  for (const std::string& shard : shards) {
    RIDGELINE_TRY(const TensorFile one, read_one(shard, beside));
    out.tensors.insert(out.tensors.end(), one.tensors.begin(), one.tensors.end());
  }
  return out;
}

// The config.json beside a file of weights.
std::optional<Json> config_beside(const std::string& name, const Context& context) {
  const std::string path = folder_of(name) + "/config.json";
  if (!file_exists(path, context)) return std::nullopt;
  const auto file = read_file(path, context);
  if (!file) return std::nullopt;
  const auto parsed = parse_json(file->text);
  return parsed && parsed->is_object() ? std::optional(*parsed) : std::nullopt;
}

void find_config(const std::string& name, const Context& context, TensorModel& out) {
  if (out.file.format == catalog::TensorFormat::gguf) {
    const auto config = catalog::config_of_gguf(out.file);
    if (config) {
      out.config = Json::parse(*config);
    } else {
      out.why_no_config = config.error().message;
    }
    return;
  }
  out.config = config_beside(name, context);
  if (!out.config) {
    out.why_no_config =
        "a safetensors header says nothing of heads and layers, and no config.json is beside it";
  }
}

struct Share {
  std::int64_t tensors = 0, elements = 0, bytes = 0;
  void add(const catalog::Tensor& tensor) {
    tensors += 1;
    elements += tensor.elements;
    bytes += tensor.bytes;
  }
};

Json shares_json(const char* name, const std::map<std::string, Share>& shares) {
  Json out = Json::array();
  for (const auto& [key, share] : shares) {
    out.push_back({{name, key},
                   {"tensors", share.tensors},
                   {"params", share.elements},
                   {"bytes", share.bytes}});
  }
  return out;
}

bool has_field(const Command& command, const char* name) {
  return find_field(command, name) != nullptr;
}

}  // namespace

bool names_tensor_file(const Json& value) {
  if (!value.is_string()) return false;
  const std::string name = lower(value.get<std::string>());
  return name.ends_with(kGguf) || name.ends_with(kSafetensors) || name.ends_with(kIndex);
}

double TensorModel::bits_per_weight() const {
  const double elements = static_cast<double>(file.elements());
  return elements > 0 ? 8 * static_cast<double>(file.bytes()) / elements : 0;
}

Result<TensorModel> read_tensor_model(const std::string& name, const Context& context) {
  TensorModel out;
  const bool index = lower(name).ends_with(kIndex);
  RIDGELINE_TRY(out.file, index ? read_index(name, context) : read_one(name, context));
  find_config(name, context, out);
  return out;
}

Json tensors_json(const TensorFile& file) {
  std::map<std::string, Share> types, kinds;
  for (const catalog::Tensor& tensor : file.tensors) {
    types[tensor.type].add(tensor);
    kinds[catalog::tensor_kind(tensor.name)].add(tensor);
  }
  return {{"file_format", name_of(file.format)}, {"stored_tensors", file.tensors.size()},
          {"stored_params", file.elements()},    {"stored_bytes", file.bytes()},
          {"types", shares_json("type", types)}, {"kinds", shares_json("kind", kinds)}};
}

Result<Request> with_tensor_model(const Request& request, const Context& context) {
  const auto model = request.input.find("model");
  if (model == request.input.end() || !names_tensor_file(*model)) return request;
  RIDGELINE_TRY(const Command* command, find_command(request.command));
  const std::string name = model->get<std::string>();
  auto read = read_tensor_model(name, context);
  if (!read) return request.origins.placed(read.error(), "/model");
  if (!read->config) {
    return Error{ErrorCode::missing, request.origins.where("/model"),
                 fmt::format("{}: {}", name, read->why_no_config),
                 "give the model's config.json, and --bits-per-weight"};
  }
  Request out = request;
  Json config{{"name", stem_of(name)}};
  config.update(*read->config);
  out.input["model"] = std::move(config);
  bool told = false;
  for (const char* format : {"precision", "weight_precision", "bits_per_weight", "gguf"}) {
    told = told || out.input.contains(format);
  }
  const bool takes = has_field(*command, "bits_per_weight") || request.command == "solve";
  if (takes && !told) out.input["bits_per_weight"] = read->bits_per_weight();
  return out;
}

}  // namespace ridgeline::app
