// Models given as files of weights: GGUF, safetensors, and the index of a sharded checkpoint.
#pragma once

#include <optional>
#include <string>

#include "ridgeline/app/request.h"
#include "ridgeline/base/result.h"
#include "ridgeline/catalog/tensor_file.h"

namespace ridgeline::app {

// Is the value the name of such a file?
bool names_tensor_file(const Json& value);

struct TensorModel {
  catalog::TensorFile file;    // tensors of all shards
  std::optional<Json> config;  // from the metadata, or the config.json beside the file
  std::string why_no_config;
  std::optional<double> bits_per_weight() const;  // empty: the number of weights is not known
};
Result<TensorModel> read_tensor_model(const std::string& name, const Context& context);

// Tensors, parameters and bytes by type and by kind.
Json tensors_json(const catalog::TensorFile& file);

// A request whose `model` is such a file: its config in place of the name and, for commands that
// take it and are not told a format, its exact bits per weight.
Result<Request> with_tensor_model(const Request& request, const Context& context);

}  // namespace ridgeline::app
