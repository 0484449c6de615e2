// Headers of files that hold weights: GGUF [gguf-spec] and safetensors [safetensors-format]. What
// each tensor is and takes is read from the header alone; the data is never touched.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "ridgeline/base/result.h"

namespace ridgeline::catalog {

enum class TensorFormat : std::uint8_t { gguf, safetensors };

inline const char* name_of(TensorFormat format) {
  return format == TensorFormat::gguf ? "GGUF" : "safetensors";
}

struct Tensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::string type;  // "Q4_K", "BF16"
  std::int64_t elements = 0;
  std::int64_t bytes = 0;
  std::int64_t from = 0;  // where its data begin, behind the header
};

struct TensorFile {
  TensorFormat format = TensorFormat::gguf;
  std::string metadata;  // GGUF: its scalar keys as a JSON object; arrays by
                         // their length, those of one number again and again by that number
  std::vector<Tensor> tensors;

  std::int64_t elements() const;
  std::int64_t bytes() const;
  std::int64_t params() const;  // elements but scales and zero points
  bool packed() const;          // some elements hold several weights each
};

// Does the text begin as a GGUF file does?
bool is_gguf(std::string_view head);

// `head` is the file's beginning, `file_bytes` its whole size. A header that does not end within
// `head`, a type that is not known, sizes that overflow or lie outside the file, and names that
// stand twice are refused by name; `where` is empty or the tensor's name.
Result<TensorFile> read_gguf(std::string_view head, std::int64_t file_bytes);
Result<TensorFile> read_safetensors(std::string_view head, std::int64_t file_bytes);

// The files that a model.safetensors.index.json names, each once.
Result<std::vector<std::string>> shards_of_index(std::string_view text);

// Error: a name stands twice in the tensors of all files.
Status refuse_twins(const std::vector<Tensor>& tensors);

// What a tensor is for, by the names that checkpoints use: "embedding", "head", "norm", "experts",
// "router", "attention", "ffn", "other".
const char* tensor_kind(std::string_view name);

// The config.json that a GGUF file's metadata stand for. Error unsupported: the architecture is not
// known, and names those that are.
Result<std::string> config_of_gguf(const TensorFile& file);

}  // namespace ridgeline::catalog
