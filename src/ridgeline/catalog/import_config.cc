// Hugging Face config.json -> Model: which family it is, and the dispatch to its importer.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "ridgeline/base/text.h"
#include "ridgeline/catalog/catalog.h"
#include "ridgeline/catalog/families.h"
#include "ridgeline/physics/parameters.h"

namespace ridgeline::catalog {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMostParams = 1e17;

// A decoder of Llama's make: what a model of bare field names is taken for.
constexpr Traits kPlain{.windows = Windows::every};
constexpr Family kPlainFamily{"", "", import_decoder, &kPlain};

// Where wrappers of several modalities keep the language model.
constexpr std::array<const char*, 4> kNested = {"text_config", "language_config", "llm_config",
                                                "thinker_config"};

const Family* by_type(const std::string& type) {
  for (const Family& family : families()) {
    if (family.model_type == type) return &family;
  }
  return nullptr;
}

const Family* by_architecture(const std::string& name) {
  for (const Family& family : families()) {
    if (family.architecture == name) return &family;
  }
  return nullptr;
}

Error unknown(const std::string& where, const char* what, const std::string& name) {
  std::vector<std::string> known;
  for (const Family& family : families()) {
    known.emplace_back(what == std::string_view("architecture") ? family.architecture
                                                                : family.model_type);
  }
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  std::string hint = did_you_mean(name, known);
  if (hint.empty())
    hint = fmt::format("{} families are understood, for example llama", known.size());
  return Error{ErrorCode::unsupported, where,
               fmt::format("the {} \"{}\" is not understood", what, name.substr(0, 80)), hint};
}

// Keys by which bare field names are known to be of one family.
struct Telltale {
  const char* key;
  const char* model_type;
};
constexpr std::array kTelltales = {
    Telltale{"block_configs", "nemotron-nas"},
    Telltale{"hybrid_override_pattern", "nemotron_h"},
    Telltale{"linear_num_value_heads", "qwen3_next"},
    Telltale{"attn_layer_period", "jamba"},
    Telltale{"compress_ratios", "deepseek_v4"},
};

struct Place {  // the object of the language model inside the file
  const Json* object;
  std::string pointer;
};

Result<Place> language_model(const Json& file) {
  Place place{&file, ""};
  bool deeper = true;
  while (deeper) {
    deeper = false;
    for (const char* key : kNested) {
      const auto it = place.object->find(key);
      if (it == place.object->end() || it->is_null()) continue;
      const std::string where = place.pointer + "/" + key;
      if (!it->is_object() || it->empty()) {
        return Error{ErrorCode::bad_value, where, fmt::format("{} is no object with keys", key),
                     "give the config of the language model there, or leave the key out"};
      }
      place = {&*it, place.pointer + "/" + key};
      deeper = true;
      break;
    }
  }
  return place;
}

struct Identity {
  std::string type;          // of the language model; may be empty
  std::string architecture;  // of the file; may be empty
  bool stated = false;       // the file has `architectures`
};

Identity identify(ConfigReader& in, ConfigReader& whole) {
  Identity id;
  id.type = in.text({"model_type"});
  const std::vector<std::string> inner = in.texts("architectures");
  const std::vector<std::string> outer = whole.texts("architectures");
  id.stated = !inner.empty() || !outer.empty();
  if (!inner.empty()) {
    id.architecture = inner.front();
  } else if (!outer.empty()) {
    id.architecture = outer.front();
  }
  return id;
}

// The family; an unknown architecture counts as known when the language model inside it is.
Result<const Family*> choose(const Identity& id, const Place& place, ConfigReader& in,
                             ConfigReader& whole) {
  const bool nested = !place.pointer.empty();
  const Family* of_type = id.type.empty() ? nullptr : by_type(id.type);
  const Family* of_architecture =
      id.architecture.empty() ? nullptr : by_architecture(id.architecture);
  if (nested && of_type != nullptr) return of_type;
  if (of_architecture != nullptr) {
    // kimi_k2 is a DeepseekV3ForCausalLM: the type is only a name then, unless it is a family's.
    return of_type != nullptr && of_type->import == of_architecture->import ? of_type
                                                                            : of_architecture;
  }
  if (!id.architecture.empty()) return unknown("/architectures/0", "architecture", id.architecture);
  if (of_type != nullptr) return of_type;
  if (!id.type.empty()) return unknown(place.pointer + "/model_type", "model type", id.type);
  const std::string outer = whole.text({"model_type"});
  if (!outer.empty() && by_type(outer) != nullptr) return by_type(outer);
  if (!outer.empty()) return unknown("/model_type", "model type", outer);
  for (const Telltale& telltale : kTelltales) {
    if (in.has({telltale.key})) return by_type(telltale.model_type);
  }
  return &kPlainFamily;
}

Status check_size(const Model& model) {
  const double params = physics::approximate_params(model);
  if (params <= kMostParams) return Ok{};
  return Error{ErrorCode::out_of_range, "/hidden_size",
               fmt::format("these sizes make a model of {:.3g} parameters", params),
               fmt::format("at most {:.0g}", kMostParams)};
}

Result<Model> import_object(const Json& file, std::string_view name) {
  if (file.empty()) {
    return Error{ErrorCode::missing, "/num_hidden_layers", "the model is empty",
                 "give it the fields of a config.json: num_hidden_layers, hidden_size, ..."};
  }
  RIDGELINE_TRY(const Place place, language_model(file));
  std::optional<Error> problem;
  ConfigReader in(*place.object, place.pointer, problem);
  ConfigReader whole(file, "", problem);
  const Identity id = identify(in, whole);
  if (problem) return *problem;
  RIDGELINE_TRY(const Family* family, choose(id, place, in, whole));
  if (problem) return *problem;
  Draft draft{in, whole, *family, id.stated, {}};
  draft.model.name = std::string(name);
  draft.model.architecture =
      id.architecture.empty() ? std::string(family->architecture) : id.architecture;
  family->import(draft);
  if (problem) return *problem;
  RIDGELINE_CHECK(check_size(draft.model));
  return std::move(draft.model);
}

}  // namespace

Result<Model> import_config(std::string_view json_text, std::string_view name) {
  RIDGELINE_TRY(const Json file, parse_json_object(json_text));
  return import_object(file, name);
}

}  // namespace ridgeline::catalog
