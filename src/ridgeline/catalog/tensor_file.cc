#include "ridgeline/catalog/tensor_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <unordered_set>

#include "ridgeline/base/text.h"
#include "ridgeline/catalog/config_reader.h"
#include "ridgeline/spec/gguf.h"

namespace ridgeline::catalog {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kMagic = "GGUF";
constexpr std::int64_t kMostTensors = 1'000'000, kMostKeys = 1'000'000, kMostText = 1 << 24;
constexpr std::int64_t kMostDimensions = 8;
constexpr int kMostDepth = 4;  // of arrays of arrays

Error refused(std::string message, std::string where = "", std::string hint = "") {
  return {ErrorCode::bad_value, std::move(where), std::move(message), std::move(hint)};
}

// A number format of tensors: `bytes` for each block of `elements`.
struct Type {
  int id;  // in GGUF
  const char* name;
  GgufBlock block;
};
using G = GgufType;
constexpr std::array kGgufTypes = {
    Type{0, "F32", block_of(G::f32)},
    Type{1, "F16", block_of(G::f16)},
    Type{2, "Q4_0", block_of(G::q4_0)},
    Type{3, "Q4_1", block_of(G::q4_1)},
    Type{6, "Q5_0", block_of(G::q5_0)},
    Type{7, "Q5_1", block_of(G::q5_1)},
    Type{8, "Q8_0", block_of(G::q8_0)},
    Type{9, "Q8_1", {32, 36}},
    Type{10, "Q2_K", block_of(G::q2_k)},
    Type{11, "Q3_K", block_of(G::q3_k)},
    Type{12, "Q4_K", block_of(G::q4_k)},
    Type{13, "Q5_K", block_of(G::q5_k)},
    Type{14, "Q6_K", block_of(G::q6_k)},
    Type{15, "Q8_K", {256, 292}},
    Type{16, "IQ2_XXS", block_of(G::iq2_xxs)},
    Type{17, "IQ2_XS", block_of(G::iq2_xs)},
    Type{18, "IQ3_XXS", block_of(G::iq3_xxs)},
    Type{19, "IQ1_S", block_of(G::iq1_s)},
    Type{20, "IQ4_NL", block_of(G::iq4_nl)},
    Type{21, "IQ3_S", block_of(G::iq3_s)},
    Type{22, "IQ2_S", block_of(G::iq2_s)},
    Type{23, "IQ4_XS", block_of(G::iq4_xs)},
    Type{24, "I8", {1, 1}},
    Type{25, "I16", {1, 2}},
    Type{26, "I32", {1, 4}},
    Type{27, "I64", {1, 8}},
    Type{28, "F64", {1, 8}},
    Type{29, "IQ1_M", block_of(G::iq1_m)},
    Type{30, "BF16", {1, 2}},
    Type{34, "TQ1_0", {256, 54}},
    Type{35, "TQ2_0", {256, 66}},
    Type{39, "MXFP4", block_of(G::mxfp4)},
};
constexpr std::array kSafetensorsTypes = {
    Type{0, "F64", {1, 8}},     Type{0, "F32", {1, 4}},     Type{0, "F16", {1, 2}},
    Type{0, "BF16", {1, 2}},    Type{0, "I64", {1, 8}},     Type{0, "I32", {1, 4}},
    Type{0, "I16", {1, 2}},     Type{0, "I8", {1, 1}},      Type{0, "U64", {1, 8}},
    Type{0, "U32", {1, 4}},     Type{0, "U16", {1, 2}},     Type{0, "U8", {1, 1}},
    Type{0, "BOOL", {1, 1}},    Type{0, "F8_E4M3", {1, 1}}, Type{0, "F8_E5M2", {1, 1}},
    Type{0, "F8_E8M0", {1, 1}}, Type{0, "F4", {2, 1}},
};

// Elements and bytes from the shape; refused where they overflow or leave part of a block.
Status size_up(const Type& type, Tensor& tensor) {
  std::int64_t elements = 1;
  for (const std::int64_t side : tensor.shape) {
    if (side < 0 || __builtin_mul_overflow(elements, side, &elements)) {
      return refused(fmt::format("tensor {} has a shape no file can hold", tensor.name),
                     tensor.name);
    }
  }
  const GgufBlock block = type.block;
  std::int64_t bytes = 0;
  if (elements % block.elements != 0 ||
      __builtin_mul_overflow(elements / block.elements, block.bytes, &bytes)) {
    return refused(fmt::format("tensor {} of {} elements is no whole number of {} blocks",
                               tensor.name, elements, type.name),
                   tensor.name);
  }
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;
  if (bytes > kMostBytes || elements > kMostBytes) {
    return refused(fmt::format("tensor {} has a shape no file can hold", tensor.name), tensor.name);
  }
  tensor.type = type.name;
  tensor.elements = elements;
  tensor.bytes = bytes;
  return Ok{};
}

// Reads little-endian values; what lies beyond the end is remembered.
class Bytes {
 public:
  explicit Bytes(std::string_view text) : text_(text) {}

  template <class T>
  T number() {
    T out{};
    if (!has(sizeof(T))) return out;
    std::memcpy(&out, text_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return out;
  }
  std::string_view text() {
    const auto size = number<std::uint64_t>();
    if (size > static_cast<std::uint64_t>(kMostText) || !has(size)) {
      ended_ = true;
      return {};
    }
    at_ += size;
    return text_.substr(at_ - size, size);
  }
  void skip(std::uint64_t size) {
    if (has(size)) at_ += size;
  }
  bool ended() const { return ended_; }
  std::int64_t at() const { return static_cast<std::int64_t>(at_); }

 private:
  bool has(std::uint64_t size) {
    if (!ended_ && size <= text_.size() - at_) return true;
    ended_ = true;
    return false;
  }
  std::string_view text_;
  std::size_t at_ = 0;
  bool ended_ = false;
};

// Sizes of GGUF's scalar kinds of metadata, by number; 0: text or array.
constexpr std::array<std::uint64_t, 13> kScalarBytes = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
constexpr std::uint32_t kText = 8, kArray = 9;

Json scalar(Bytes& in, std::uint32_t kind) {
  switch (kind) {
    case 0: return in.number<std::uint8_t>();
    case 1: return in.number<std::int8_t>();
    case 2: return in.number<std::uint16_t>();
    case 3: return in.number<std::int16_t>();
    case 4: return in.number<std::uint32_t>();
    case 5: return in.number<std::int32_t>();
    case 6: return in.number<float>();
    case 7: return in.number<std::uint8_t>() != 0;
    case 10: return in.number<std::uint64_t>();
    case 11: return in.number<std::int64_t>();
    case 12: return in.number<double>();
    default: return nullptr;
  }
}

// An array of numbers that are all one number: its value; of another: its length alone.
struct List {
  std::uint64_t length = 0;
  std::optional<Json> same;
};

// Passes over the items of an array; false: a kind that is not known, or arrays too deep.
bool read_array(Bytes& in, int depth, List& out) {
  constexpr std::uint64_t kMostKept = 10000;
  const auto kind = in.number<std::uint32_t>();
  out.length = in.number<std::uint64_t>();
  if (in.ended()) return true;
  if (kind >= kScalarBytes.size() || depth > kMostDepth) return false;
  if (kScalarBytes[kind] > 0 && out.length > kMostKept) {
    std::uint64_t bytes = 0;
    if (__builtin_mul_overflow(out.length, kScalarBytes[kind], &bytes)) bytes = UINT64_MAX;
    in.skip(bytes);
    return true;
  }
  bool uniform = kScalarBytes[kind] > 0;
  for (std::uint64_t i = 0; i < out.length && !in.ended(); ++i) {
    List inner;
    if (kind == kText) in.text();
    if (kind == kArray && !read_array(in, depth + 1, inner)) return false;
    if (kScalarBytes[kind] == 0) continue;
    Json value = scalar(in, kind);
    uniform = uniform && (i == 0 || value == *out.same);
    if (i == 0) out.same = std::move(value);
  }
  if (!uniform) out.same.reset();
  return true;
}

Error cut_short(TensorFormat format) {
  return refused(fmt::format("the {} header does not end within the file", name_of(format)), "",
                 "give the whole file");
}

Result<Json> read_metadata(Bytes& in, std::uint64_t count) {
  Json out = Json::object();
  std::set<std::string> keys;
  for (std::uint64_t i = 0; i < count && !in.ended(); ++i) {
    const std::string key(in.text());
    const auto kind = in.number<std::uint32_t>();
    if (in.ended()) break;
    if (!keys.insert(key).second) return refused("metadata " + key + " stands twice");
    if (kind == kText) {
      out[key] = std::string(in.text());
    } else if (kind == kArray) {
      List list;
      if (!read_array(in, 0, list)) return refused("metadata " + key + " is of no known kind");
      if (list.same) out[key] = *list.same;
      if (!list.same) out[key + ".length"] = list.length;
    } else if (kind < kScalarBytes.size()) {
      out[key] = scalar(in, kind);
    } else {
      return refused(fmt::format("metadata {} is of kind {}, which GGUF does not have", key, kind));
    }
  }
  return out;
}

Result<Tensor> read_tensor(Bytes& in, std::int64_t& end) {
  Tensor out;
  out.name = in.text();
  const auto dimensions = in.number<std::uint32_t>();
  if (dimensions > kMostDimensions) {
    return refused(fmt::format("tensor {} has {} dimensions", out.name, dimensions), out.name);
  }
  for (std::uint32_t i = 0; i < dimensions; ++i) {
    const auto side = in.number<std::uint64_t>();
    out.shape.push_back(side > INT64_MAX ? -1 : static_cast<std::int64_t>(side));
  }
  const auto type = in.number<std::uint32_t>();
  const auto offset = in.number<std::uint64_t>();
  if (in.ended()) return cut_short(TensorFormat::gguf);
  const auto known = std::find_if(kGgufTypes.begin(), kGgufTypes.end(),
                                  [&](const Type& t) { return t.id == static_cast<int>(type); });
  if (known == kGgufTypes.end()) {
    return Error{ErrorCode::unsupported, out.name,
                 fmt::format("tensor {} is of type {}, which is not known", out.name, type), ""};
  }
  RIDGELINE_CHECK(size_up(*known, out));
  out.from = static_cast<std::int64_t>(offset);
  if (offset > INT64_MAX ||
      __builtin_add_overflow(static_cast<std::int64_t>(offset), out.bytes, &end)) {
    return refused(fmt::format("tensor {} lies outside any file", out.name), out.name);
  }
  return out;
}

// Do two tensors share bytes? Each lies inside the file by itself.
Status refuse_overlaps(const std::vector<Tensor>& tensors) {
  std::vector<const Tensor*> order;
  for (const Tensor& tensor : tensors) {
    if (tensor.bytes > 0) order.push_back(&tensor);
  }
  std::sort(order.begin(), order.end(),
            [](const Tensor* a, const Tensor* b) { return a->from < b->from; });
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (order[i]->from >= order[i - 1]->from + order[i - 1]->bytes) continue;
    return refused(fmt::format("tensors {} and {} share bytes of the file", order[i - 1]->name,
                               order[i]->name),
                   order[i]->name);
  }
  return Ok{};
}

Result<Tensor> tensor_of_json(const std::string& name, const nlohmann::json& value,
                              std::int64_t data_bytes) {
  const auto bad = [&](const char* what) {
    return refused(fmt::format("tensor {} {}", name, what), name,
                   "{\"dtype\", \"shape\", \"data_offsets\"}");
  };
  if (!value.is_object() || !value.contains("dtype") || !value["dtype"].is_string() ||
      !value.contains("shape") || !value["shape"].is_array() || !value.contains("data_offsets") ||
      !value["data_offsets"].is_array() || value["data_offsets"].size() != 2) {
    return bad("has no dtype, shape and data_offsets");
  }
  Tensor out{.name = name};
  for (const nlohmann::json& side : value["shape"]) {
    if (!side.is_number_unsigned() || side.get<std::uint64_t>() > INT64_MAX) {
      return bad("has a shape that is no list of sizes");
    }
    out.shape.push_back(side.get<std::int64_t>());
  }
  const std::string dtype = value["dtype"];
  const auto known = std::find_if(kSafetensorsTypes.begin(), kSafetensorsTypes.end(),
                                  [&](const Type& t) { return dtype == t.name; });
  if (known == kSafetensorsTypes.end()) {
    return Error{
        ErrorCode::unsupported, name,
        fmt::format("tensor {} is of type {}, which is not known", name, dtype.substr(0, 40)), ""};
  }
  RIDGELINE_CHECK(size_up(*known, out));
  const nlohmann::json& offsets = value["data_offsets"];
  if (!offsets[0].is_number_unsigned() || !offsets[1].is_number_unsigned()) {
    return bad("has offsets that are no places");
  }
  const auto from = offsets[0].get<std::uint64_t>(), to = offsets[1].get<std::uint64_t>();
  const bool inside = from <= to && to <= static_cast<std::uint64_t>(data_bytes);
  if (!inside) return bad("lies outside the file");
  out.from = static_cast<std::int64_t>(from);
  if (to - from != static_cast<std::uint64_t>(out.bytes)) return bad("is not as long as its shape");
  return out;
}

struct Word {
  const char* part;
  const char* kind;
};
// The first that the name holds decides.
constexpr std::array kWords = {
    Word{"shared_expert", "ffn"}, Word{"_shexp", "ffn"},          Word{"experts", "experts"},
    Word{"_exps", "experts"},     Word{"ffn_gate_inp", "router"}, Word{"router", "router"},
    Word{"mlp.gate.", "router"},  Word{"norm", "norm"},           Word{"ln_", "norm"},
    Word{"layernorm", "norm"},    Word{"embed", "embedding"},     Word{"token_embd", "embedding"},
    Word{"wte", "embedding"},     Word{"wpe", "embedding"},       Word{"lm_head", "head"},
    Word{"attn", "attention"},    Word{"attention", "attention"}, Word{"q_proj", "attention"},
    Word{"mixer", "attention"},   Word{"ssm", "attention"},       Word{"mlp", "ffn"},
    Word{"ffn", "ffn"},           Word{"feed_forward", "ffn"},
};

bool ends_with_one(std::string_view name, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

// Scales, zero points and orders of quantised matrices.
bool is_scale(const Tensor& tensor) {
  return ends_with_one(tensor.name, {"scale", "scales", "scale_inv", "scale_2", "scale_ub", "zeros",
                                     "g_idx", "zero_point", "absmax", "quant_map", "weight_shape"});
}

// Integers that each hold several weights: GPTQ and AWQ, compressed-tensors, MXFP4, 4-bit bytes.
bool is_packed(const Tensor& tensor) {
  if (ends_with_one(tensor.name, {"qweight", "weight_packed", "_blocks"})) return true;
  return tensor.type == "U8" && tensor.name.ends_with("weight");
}

}  // namespace

Status refuse_twins(const std::vector<Tensor>& tensors) {
  std::unordered_set<std::string_view> names;
  for (const Tensor& tensor : tensors) {
    if (!names.insert(tensor.name).second) {
      return refused(fmt::format("tensor {} stands twice", tensor.name), tensor.name);
    }
  }
  return Ok{};
}

std::int64_t TensorFile::elements() const {
  std::int64_t sum = 0;
  for (const Tensor& tensor : tensors) sum += tensor.elements;
  return sum;
}

std::int64_t TensorFile::bytes() const {
  std::int64_t sum = 0;
  for (const Tensor& tensor : tensors) sum += tensor.bytes;
  return sum;
}

std::int64_t TensorFile::params() const {
  std::int64_t sum = 0;
  for (const Tensor& tensor : tensors) sum += is_scale(tensor) ? 0 : tensor.elements;
  return sum;
}

bool TensorFile::packed() const {
  return std::any_of(tensors.begin(), tensors.end(), is_packed);
}

bool is_gguf(std::string_view head) {
  return head.starts_with(kMagic);
}

Result<TensorFile> read_gguf(std::string_view head, std::int64_t file_bytes) {
  if (!is_gguf(head)) return refused("it does not begin with GGUF");
  Bytes in(head.substr(kMagic.size()));
  const auto version = in.number<std::uint32_t>();
  const auto tensors = in.number<std::uint64_t>(), keys = in.number<std::uint64_t>();
  if (in.ended()) return cut_short(TensorFormat::gguf);
  if (version != 2 && version != 3) {
    return Error{ErrorCode::unsupported, "", fmt::format("GGUF version {} is not known", version),
                 "versions 2 and 3, little-endian"};
  }
  if (tensors > kMostTensors || keys > kMostKeys) {
    return refused(fmt::format("{} tensors and {} keys", tensors, keys), "", "a million at most");
  }
  TensorFile out{.format = TensorFormat::gguf};
  RIDGELINE_TRY(const Json metadata, read_metadata(in, keys));
  if (in.ended()) return cut_short(TensorFormat::gguf);
  std::int64_t furthest = 0;
  for (std::uint64_t i = 0; i < tensors; ++i) {
    std::int64_t end = 0;
    RIDGELINE_TRY(Tensor tensor, read_tensor(in, end));
    furthest = std::max(furthest, end);
    out.tensors.push_back(std::move(tensor));
  }
  if (furthest > file_bytes - in.at()) return refused("its tensors lie beyond its end");
  RIDGELINE_CHECK(refuse_twins(out.tensors));
  RIDGELINE_CHECK(refuse_overlaps(out.tensors));
  out.metadata = metadata.dump(-1, ' ', false, Json::error_handler_t::replace);
  return out;
}

Result<TensorFile> read_safetensors(std::string_view head, std::int64_t file_bytes) {
  constexpr std::int64_t kMostHeader = 100'000'000;  // [safetensors-format]
  Bytes in(head);
  const auto size = in.number<std::uint64_t>();
  constexpr std::size_t kPrefix = sizeof(std::uint64_t);
  if (in.ended() || size > kMostHeader || size > head.size() - kPrefix) {
    return cut_short(TensorFormat::safetensors);
  }
  auto parsed = parse_wide_object(head.substr(kPrefix, size));
  if (!parsed) {
    Error error = parsed.error();
    error.message = "its header: " + error.message;
    return error;
  }
  const nlohmann::json& json = *parsed;
  if (json.size() > static_cast<std::size_t>(kMostTensors)) return refused("too many tensors");
  TensorFile out{.format = TensorFormat::safetensors};
  const std::int64_t data = file_bytes - static_cast<std::int64_t>(kPrefix + size);
  for (const auto& [name, value] : json.items()) {
    if (name == "__metadata__") continue;
    RIDGELINE_TRY(Tensor tensor, tensor_of_json(name, value, data));
    out.tensors.push_back(std::move(tensor));
  }
  std::sort(out.tensors.begin(), out.tensors.end(),
            [](const Tensor& a, const Tensor& b) { return a.from < b.from; });
  RIDGELINE_CHECK(refuse_overlaps(out.tensors));
  return out;
}

Result<std::vector<std::string>> shards_of_index(std::string_view text) {
  RIDGELINE_TRY(const nlohmann::json index, parse_wide_object(text));
  const auto map = index.find("weight_map");
  if (map == index.end() || !map->is_object()) return refused("has no weight_map");
  std::set<std::string> out;
  for (const auto& [tensor, file] : map->items()) {
    const std::string name = file.is_string() ? file.get<std::string>() : "";
    if (name.empty() || name.find('/') != std::string::npos) {
      return refused("tensor " + tensor + " is in no file beside it");
    }
    out.insert(name);
  }
  return std::vector<std::string>(out.begin(), out.end());
}

const char* tensor_kind(std::string_view name) {
  const std::string text = lower(name);
  if (text == "output.weight") return "head";
  for (const Word& word : kWords) {
    if (text.find(word.part) != std::string::npos) return word.kind;
  }
  return "other";
}

}  // namespace ridgeline::catalog
