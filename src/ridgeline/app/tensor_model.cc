#include "ridgeline/app/tensor_model.h"

#include <fmt/format.h>

#include <map>

#include "ridgeline/app/command.h"
#include "ridgeline/app/files.h"
#include "ridgeline/app/input.h"
#include "ridgeline/app/spec_file.h"
#include "ridgeline/base/text.h"
#include "ridgeline/catalog/catalog.h"
#include "ridgeline/physics/parameters.h"

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

// The files of a checkpoint: those that an index names, and all parts of a split GGUF file.
Result<std::vector<std::string>> files_of(const std::string& name, const Context& context) {
  if (lower(name).ends_with(kIndex)) {
    RIDGELINE_TRY(const File index, read_file(name, context));
    auto shards = catalog::shards_of_index(index.text);
    if (!shards) return inside(name, shards.error());
    for (std::string& shard : *shards) shard = folder_of(name) + "/" + shard;
    return shards;
  }
  constexpr std::string_view kOf = "-of-";
  constexpr std::size_t kDigits = 5;
  const std::size_t of = name.rfind(kOf);
  const bool part = of != std::string::npos && of >= kDigits &&
                    name.size() == of + kOf.size() + kDigits + kGguf.size();
  const auto count =
      parse_count(part ? name.substr(of + kOf.size(), kDigits) : "1", CountScale::decimal);
  if (!part || !count || *count < 1) return std::vector<std::string>{name};
  std::vector<std::string> out;
  for (std::int64_t i = 1; i <= *count; ++i) {
    out.push_back(fmt::format("{}{:05}{}", name.substr(0, of - kDigits), i, name.substr(of)));
  }
  return out;
}

Result<TensorFile> read_all(const std::string& name, const Context& context) {
  RIDGELINE_TRY(const std::vector<std::string> names, files_of(name, context));
  TensorFile out;
  for (const std::string& one : names) {
    RIDGELINE_TRY(TensorFile file, read_one(one, context));
    if (out.tensors.empty() && out.metadata.empty()) {
      out = std::move(file);
    } else {
      out.tensors.insert(out.tensors.end(), file.tensors.begin(), file.tensors.end());
    }
  }
  if (const Status twins = catalog::refuse_twins(out.tensors); !twins)
    return inside(name, twins.error());
  return out;
}

// The config.json beside a file of weights.
Result<std::optional<Json>> config_beside(const std::string& name, const Context& context) {
  const std::string path = folder_of(name) + "/config.json";
  if (!file_exists(path, context)) return std::optional<Json>();
  RIDGELINE_TRY(const File file, read_file(path, context));
  auto parsed = parse_json(file.text);
  if (!parsed) return inside(path, parsed.error());
  if (parsed->is_object()) return std::optional<Json>(*std::move(parsed));
  return inside(path, Error{ErrorCode::bad_value, "", "is no JSON object", ""});
}

Status find_config(const std::string& name, const Context& context, TensorModel& out) {
  if (out.file.format == catalog::TensorFormat::gguf) {
    const auto config = catalog::config_of_gguf(out.file);
    if (config) {
      out.config = Json::parse(*config);
    } else {
      out.why_no_config = config.error().message;
    }
    return Ok{};
  }
  RIDGELINE_TRY(out.config, config_beside(name, context));
  if (!out.config) {
    out.why_no_config =
        "a safetensors header says nothing of heads and layers, and no config.json is beside it";
  }
  return Ok{};
}

struct Share {
  std::int64_t tensors = 0, elements = 0, bytes = 0;
  void add(const catalog::Tensor& tensor) {
    tensors += 1;
    elements += tensor.elements;
    bytes += tensor.bytes;
  }
};

// Of packed files no row says how many weights it holds.
Json shares_json(const char* name, const std::map<std::string, Share>& shares,
                 const TensorFile& file) {
  Json out = Json::array();
  for (const auto& [key, share] : shares) {
    out.push_back({{name, key},
                   {"tensors", share.tensors},
                   {"params", file.packed() ? Json(nullptr) : Json(share.elements)},
                   {"bytes", share.bytes}});
  }
  return out;
}

bool takes_bits(const Command& command) {
  return command.scope == Scope::scenario || find_field(command, "bits_per_weight") != nullptr ||
         command.name == std::string_view("solve");
}

}  // namespace

bool names_tensor_file(const Json& value) {
  if (!value.is_string()) return false;
  const std::string name = lower(value.get<std::string>());
  return name.ends_with(kGguf) || name.ends_with(kSafetensors) || name.ends_with(kIndex);
}

// Where elements hold several weights each, the config's model says how many there are.
std::optional<double> TensorModel::bits_per_weight() const {
  double params = static_cast<double>(file.params());
  if (file.packed()) {
    const auto model = config ? catalog::import_config(config->dump(), "model")
                              : Result<Model>(Error{ErrorCode::missing, "", why_no_config, ""});
    const bool counted = model && model->why_no_count.empty();
    params = counted ? static_cast<double>(physics::count_parameters(*model).total) : 0;
  }
  if (params <= 0) return std::nullopt;
  return 8 * static_cast<double>(file.bytes()) / params;
}

Result<TensorModel> read_tensor_model(const std::string& name, const Context& context) {
  TensorModel out;
  RIDGELINE_TRY(out.file, read_all(name, context));
  RIDGELINE_CHECK(find_config(name, context, out));
  return out;
}

Json tensors_json(const TensorFile& file) {
  std::map<std::string, Share> types, kinds;
  for (const catalog::Tensor& tensor : file.tensors) {
    types[tensor.type].add(tensor);
    kinds[catalog::tensor_kind(tensor.name)].add(tensor);
  }
  return {{"file_format", name_of(file.format)},
          {"stored_tensors", file.tensors.size()},
          {"stored_params", file.packed() ? Json(nullptr) : Json(file.params())},
          {"stored_bytes", file.bytes()},
          {"types", shares_json("type", types, file)},
          {"kinds", shares_json("kind", kinds, file)}};
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
  const std::optional<double> bits = read->bits_per_weight();
  if (takes_bits(*command) && !told && bits) out.input["bits_per_weight"] = *bits;
  return out;
}

}  // namespace ridgeline::app
