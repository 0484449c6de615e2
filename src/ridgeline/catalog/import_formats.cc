#include "ridgeline/catalog/import_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "ridgeline/base/text.h"

namespace ridgeline::catalog {
namespace {

struct NamedFormat {
  const char* name;
  Precision precision;
};

constexpr std::array kFormats = {
    NamedFormat{"float32", Precision::fp32},    NamedFormat{"float", Precision::fp32},
    NamedFormat{"fp32", Precision::fp32},       NamedFormat{"float16", Precision::fp16},
    NamedFormat{"half", Precision::fp16},       NamedFormat{"fp16", Precision::fp16},
    NamedFormat{"bfloat16", Precision::bf16},   NamedFormat{"bf16", Precision::bf16},
    NamedFormat{"auto", Precision::bf16},       NamedFormat{"float8_e4m3fn", Precision::fp8},
    NamedFormat{"float8_e5m2", Precision::fp8}, NamedFormat{"fp8", Precision::fp8},
    NamedFormat{"int8", Precision::int8},
};

void read_weight_precision(Draft& draft, ConfigReader& in) {
  std::string name = in.text({"dtype", "torch_dtype"});
  if (name.empty()) return;
  if (name.rfind("torch.", 0) == 0) name = name.substr(6);
  for (const NamedFormat& format : kFormats) {
    if (name == format.name) {
      draft.model.weight_precision = format.precision;
      return;
    }
  }
  in.fail(ErrorCode::bad_value, in.has({"dtype"}) ? "dtype" : "torch_dtype",
          fmt::format("the number format \"{}\" is not known", name),
          "bfloat16, float16 or float32");
}

// A format by the bits of its elements; the kind is "int" or "float".
std::optional<Precision> by_bits(std::int64_t bits, const std::string& kind) {
  if (bits == 4) return kind == "float" ? Precision::fp4 : Precision::int4;
  if (bits == 8) return kind == "float" ? Precision::fp8 : Precision::int8;
  return std::nullopt;
}

void fail_bits(ConfigReader& in, std::int64_t bits) {
  in.fail(ErrorCode::unsupported, "bits",
          fmt::format("weights of {} bits are not understood", bits), "4 or 8");
}

// Integer formats with one 16-bit scale and one zero point per group.
void read_grouped(ConfigReader& in, Quantization& q) {
  const std::int64_t bits = in.integer({"bits", "w_bit", "nbits"}, 4, 1, 32);
  const std::optional<Precision> precision = by_bits(bits, "int");
  if (!precision) return fail_bits(in, bits);
  q.precision = *precision;
  const std::int64_t group = in.integer({"group_size", "q_group_size"}, 128, -1, kMostWidth);
  q.group_size = std::max<std::int64_t>(group, 0);
  if (q.group_size > 0) {
    q.scale_bits = 16;
    q.zero_bits = bits;
  }
}

void read_fp8(ConfigReader& in, Quantization& q) {
  q.precision = Precision::fp8;
  const std::vector<std::int64_t> block = in.integers("weight_block_size", 1, kMostWidth);
  if (block.size() == 2) {
    q.group_size = in.product(block[0], block[1], "weight_block_size");
    q.scale_bits = 32;
  }
}

void read_bitsandbytes(ConfigReader& in, Quantization& q) {
  const bool four = in.flag({"load_in_4bit", "_load_in_4bit"}, false);
  q.precision = four ? Precision::int4 : Precision::int8;
  if (four) {
    q.group_size = 64;
    q.scale_bits = in.flag({"bnb_4bit_use_double_quant"}, false) ? 8 : 32;
  }
}

// compressed-tensors: the first group's weights decide.
void read_compressed_tensors(ConfigReader& in, Quantization& q) {
  for (ConfigReader& group : in.members("config_groups")) {
    if (!group.is_object("weights")) continue;
    ConfigReader weights = group.child("weights");
    const std::int64_t bits = weights.integer({"num_bits"}, 8, 1, 32);
    const std::optional<Precision> precision = by_bits(bits, weights.text({"type"}, "int"));
    if (!precision) return fail_bits(weights, bits);
    q.precision = *precision;
    q.group_size = std::max<std::int64_t>(weights.integer({"group_size"}, 0, -1, kMostWidth), 0);
    if (q.precision == Precision::fp4 && q.group_size == 16) {
      q.precision = Precision::nvfp4;
      q.group_size = 0;
    }
    q.scale_bits = q.group_size > 0 ? 16 : 0;
    return;
  }
}

void read_modelopt(ConfigReader& in, Quantization& q) {
  const std::string algorithm = lower(in.text({"quant_algo"}, "fp8"));
  if (algorithm.find("nvfp4") != std::string::npos) {
    q.precision = Precision::nvfp4;
  } else if (algorithm.find("fp8") != std::string::npos) {
    q.precision = Precision::fp8;
  } else if (algorithm.find("int4") != std::string::npos ||
             algorithm.find("w4a") != std::string::npos) {
    q.precision = Precision::int4;
    q.group_size = in.integer({"group_size"}, 128, 1, kMostWidth);
    q.scale_bits = 16;
  } else if (algorithm.find("int8") != std::string::npos) {
    q.precision = Precision::int8;
  } else {
    in.fail(ErrorCode::unsupported, "quant_algo",
            fmt::format("the quantisation \"{}\" is not understood", algorithm),
            "FP8, NVFP4, INT4 or INT8");
  }
}

void read_method(ConfigReader& in, Quantization& q) {
  const std::string method = lower(q.method);
  if (method == "awq" || method == "gptq" || method == "hqq" || method == "auto-round") {
    read_grouped(in, q);
  } else if (method == "fp8" || method == "fbgemm_fp8" || method == "finegrained_fp8") {
    read_fp8(in, q);
  } else if (method == "mxfp4") {
    q.precision = Precision::mxfp4;
  } else if (method == "bitsandbytes") {
    read_bitsandbytes(in, q);
  } else if (method == "compressed-tensors") {
    read_compressed_tensors(in, q);
  } else if (method == "modelopt" || method == "modelopt_fp4" || method == "nvfp4") {
    read_modelopt(in, q);
  } else if (method == "eetq") {
    q.precision = Precision::int8;
  } else {
    in.fail(ErrorCode::unsupported, "quant_method",
            fmt::format("the quantisation \"{}\" is not understood", q.method),
            "fp8, awq, gptq, mxfp4, bitsandbytes, compressed-tensors or modelopt");
  }
}

void read_quantization(Draft& draft, ConfigReader& holder) {
  ConfigReader in = holder.child("quantization_config");
  Quantization q;
  q.method = in.text({"quant_method"});
  if (q.method.empty()) {
    in.fail(ErrorCode::missing, "quant_method", "quant_method is missing", "fp8, awq, gptq, ...");
    return;
  }
  for (const char* key :
       {"modules_to_not_convert", "ignore", "ignored_layers", "exclude_modules"}) {
    for (std::string& name : in.texts(key)) q.not_converted.push_back(std::move(name));
  }
  read_method(in, q);
  draft.model.quantization = std::move(q);
}

// Rotary types whose `max_position_embeddings` is the scaled length already.
bool scaled_already(const std::string& type) {
  return type == "longrope" || type == "su" || type == "llama3" || type == "default" ||
         type == "mrope" || type == "proportional" || type == "gptj";
}

std::int64_t scaled(double original, double factor) {
  return static_cast<std::int64_t>(std::min(std::floor(original * factor), 9e15));
}

// The limit after rotary scaling. Gemma 3 states its limit with the scaling of its global layers.
std::int64_t rotary_limit(Draft& draft, std::int64_t limit) {
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    if (!draft.in.is_object(key)) continue;
    ConfigReader rope = draft.in.child(key);
    const std::string type = rope.text({"rope_type", "type"}, "default");
    if (scaled_already(type) || !rope.has({"factor"})) continue;
    const double factor = rope.real({"factor"}, 1);
    const std::int64_t original =
        rope.tokens({"original_max_position_embeddings"},
                    draft.in.tokens({"original_max_position_embeddings"}));
    if (original > 0) return std::max(limit, scaled(static_cast<double>(original), factor));
    if (draft.family.traits->sizes.max_context > 0) continue;
    return scaled(static_cast<double>(limit), factor);
  }
  return limit;
}

}  // namespace

std::int64_t read_max_context(Draft& draft) {
  ConfigReader& in = draft.in;
  const std::int64_t of_class = draft.from_file ? draft.family.traits->sizes.max_context : 0;
  const std::int64_t stated =
      in.tokens({"max_position_embeddings", "max_sequence_length", "n_positions", "max_seq_len",
                 "n_ctx", "seq_length", "max_sequence_len"},
                of_class);
  const std::int64_t limit = stated > 0 ? rotary_limit(draft, stated) : 0;
  return in.integer({"model_max_length"}, limit, 1, kMostTokens);
}

void read_formats(Draft& draft) {
  const bool inner = draft.in.has({"dtype", "torch_dtype"});
  read_weight_precision(draft, inner ? draft.in : draft.whole);
  if (draft.whole.has({"quantization_config"})) {
    read_quantization(draft, draft.whole);
  } else if (draft.in.has({"quantization_config"})) {
    read_quantization(draft, draft.in);
  }
}

}  // namespace ridgeline::catalog
