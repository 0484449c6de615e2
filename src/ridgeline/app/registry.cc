// list, show, import: the registries and what is derived from a config.json.
#include <fmt/format.h>

#include "ridgeline/app/command.h"
#include "ridgeline/app/files.h"
#include "ridgeline/app/input.h"
#include "ridgeline/app/json_view.h"
#include "ridgeline/app/resolve.h"
#include "ridgeline/app/tensor_model.h"
#include "ridgeline/base/text.h"
#include "ridgeline/catalog/show.h"
#include "ridgeline/physics/parameters.h"

namespace ridgeline::app {
namespace {

using catalog::EntryKind;

// "models" and "model" both name a kind.
Result<EntryKind> kind_named(const std::string& typed) {
  std::string name = lower(typed);
  if (name.size() > 1 && name.back() == 's') name.pop_back();
  const auto names = names_of(EntryKind{});
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (name == names[i]) return static_cast<EntryKind>(i);
  }
  return Error{ErrorCode::unknown_name, "",
               fmt::format("\"{}\" is no registry", typed.substr(0, 80)),
               fmt::format("give {}", fmt::join(names, ", "))};
}

Result<EntryKind> kind_of(const InputReader& reader, const Origins& origins) {
  if (!reader.has("kind")) {
    return Error{ErrorCode::missing, origins.where("/kind"), "no registry is named",
                 fmt::format("give {}", fmt::join(names_of(EntryKind{}), ", "))};
  }
  RIDGELINE_TRY(const std::string text, reader.text("kind"));
  auto kind = kind_named(text);
  if (!kind) return origins.placed(kind.error(), "/kind");
  return kind;
}

const char* name_of(EntryKind kind) {
  return names_of(kind)[static_cast<std::size_t>(kind)];
}

std::string mixer_text(const Attention& a) {
  if (a.kind != AttentionKind::softmax) return names_of(a.kind)[static_cast<std::size_t>(a.kind)];
  return fmt::format("{} query, {} key/value heads of {}", a.heads, a.kv_heads, a.head_dim);
}

std::string ffn_text(const Ffn& f) {
  std::string out;
  if (f.width > 0) out = fmt::format("dense {}", f.width);
  if (!f.moe()) return out.empty() ? "none" : out;
  if (!out.empty()) out += " and ";
  out += fmt::format("{} experts of {}, {} active", f.experts, f.expert_width, f.top_k);
  if (f.shared_width > 0) out += fmt::format(", shared {}", f.shared_width);
  return out;
}

Json layer_table(const Model& model) {
  Json out = Json::array();
  for (std::size_t k = 0; k < model.kinds.size(); ++k) {
    std::int64_t count = 0;
    for (const std::uint8_t index : model.layers) count += index == k ? 1 : 0;
    const LayerKind& kind = model.kinds[k];
    const std::int64_t seen =
        kind.attention.window > 0 ? kind.attention.window : kind.attention.chunk;
    out.push_back({{"layers", count},
                   {"mixer", mixer_text(kind.attention)},
                   {"window", seen > 0 ? Json(seen) : Json(nullptr)},
                   {"feed_forward", ffn_text(kind.ffn)},
                   {"mixer_params", physics::attention_params(kind.attention, model.hidden)},
                   {"feed_forward_params", physics::ffn_params(kind.ffn, model.hidden)},
                   {"norm_params", kind.norm_params}});
  }
  return out;
}

Json model_basis(const Model& model) {
  Json sources = Json::array();
  if (!model.source.empty()) sources.push_back({{"field", "model"}, {"source", model.source}});
  return {{"level", "datasheet"},
          {"why", Json::array({"counted from the widths of the config"})},
          {"sources", std::move(sources)},
          {"interval", nullptr}};
}

Json registry_basis() {
  return {{"level", "datasheet"},
          {"why", Json::array({"as stated by the sources of each field"})},
          {"sources", Json::array()},
          {"interval", nullptr}};
}

void add_notes(const Json& notes, std::vector<report::Section>& out) {
  if (!notes.empty()) out.emplace_back(report::Heading{"Notes"});
  for (const Json& note : notes) out.emplace_back(report::Line{note.value("message", "")});
}

// One row of "key, value" per plain member, for CSV.
Json key_rows(const Json& result) {
  Json out = Json::array();
  for (const auto& [key, value] : result.items()) {
    if (!value.is_structured()) out.push_back({{"key", key}, {"value", value}});
  }
  return out;
}

report::Document described(const char* command, Json inputs, const Json& result, Json basis,
                           const Json& notes) {
  report::Document out;
  out.sections = sections_of(result);
  add_notes(notes, out.sections);
  out.csv = rows_of(key_rows(result));
  out.tree = envelope(command, std::move(inputs), result, std::move(basis), notes);
  return out;
}

struct ModelView {
  Precision kv = Precision::bf16;
  physics::MlaForm mla = physics::MlaForm::latent;
};

Result<ModelView> model_view(const InputReader& reader) {
  ModelView view;
  RIDGELINE_TRY(const std::size_t kv, reader.choice("kv_precision"));
  RIDGELINE_TRY(const std::size_t mla, reader.choice("mla"));
  view.kv = static_cast<Precision>(kv);
  view.mla = static_cast<physics::MlaForm>(mla);
  return view;
}

Json model_result(const Model& model, const ModelView& view, Json& notes) {
  Json result = catalog::show_model(model, view.kv, view.mla, notes);
  result["layer_kinds"] = layer_table(model);
  return result;
}

// The model that "name" or "model" gives; both given: an error.
Result<NamedModel> shown_model(const Request& request, const Context& context, const char* key) {
  const auto given = [&](const char* name) {
    const auto it = request.input.find(name);
    return it == request.input.end() || it->is_null() ? nullptr : &*it;
  };
  const Json* name = given(key);
  const Json* model = given("model");
  if (name != nullptr && model != nullptr) {
    return Error{ErrorCode::conflict, request.origins.where("/model"),
                 "a name and a model are given", "keep one of them"};
  }
  const bool by_name = model == nullptr;
  return model_of(by_name ? name : model, request.origins,
                  by_name ? fmt::format("/{}", key) : "/model", context);
}

// A file of weights: its tensors, and what follows from the config that goes with it.
Result<report::Document> describe_tensors(const Request& request, const Context& context,
                                          const char* key, const ModelView& view) {
  const std::string name = request.input[key].get<std::string>();
  auto read = read_tensor_model(name, context);
  if (!read) return request.origins.placed(read.error(), pointer_of(key));
  Json notes = Json::array(), result = Json::object();
  if (read->config) {
    const auto model = catalog::import_config(read->config->dump(), stem_of(name));
    if (model) {
      result = model_result(*model, view, notes);
    } else {
      const Error& error = model.error();
      read->why_no_config = fmt::format("{}: {}", error.where, error.message);
    }
  }
  if (!read->why_no_config.empty()) {
    notes.push_back({{"code", "no_architecture"}, {"message", read->why_no_config}});
  }
  result.update(tensors_json(read->file));
  const std::optional<double> bits = read->bits_per_weight();
  result["bits_per_weight"] = bits ? Json(*bits) : Json(nullptr);
  Json basis{{"level", "datasheet"},
             {"why", Json::array({"counted from the tensors that the file's header lists"})},
             {"sources", Json::array()},
             {"interval", nullptr}};
  return described(request.command.c_str(), {{key, name}}, result, std::move(basis), notes);
}

Result<report::Document> show_a_model(const Request& request, const Context& context,
                                      const InputReader& reader) {
  RIDGELINE_TRY(const ModelView view, model_view(reader));
  const auto name = request.input.find("name");
  if (name != request.input.end() && names_tensor_file(*name)) {
    return describe_tensors(request, context, "name", view);
  }
  RIDGELINE_TRY(const NamedModel named, shown_model(request, context, "name"));
  Json notes = Json::array();
  const Json result = model_result(named.model, view, notes);
  Json inputs{{"kind", "model"},
              {named.input.is_string() ? "name" : "model", named.input},
              {"kv_precision", names_of(Precision{})[static_cast<std::size_t>(view.kv)]},
              {"mla", view.mla == physics::MlaForm::latent ? "latent" : "expanded"}};
  return described("show", std::move(inputs), result, model_basis(named.model), notes);
}

}  // namespace

Result<report::Document> answer_list(const Request& request, const Context& context) {
  RIDGELINE_TRY(const Command* command, find_command("list"));
  const InputReader reader(request.input, request.origins, *command);
  RIDGELINE_TRY(const EntryKind kind, kind_of(reader, request.origins));
  auto rows = catalog::list_entries(*context.catalog, kind);
  if (!rows) return rows.error();
  report::Document out;
  out.sections.emplace_back(table_of(*rows));
  out.csv = rows_of(*rows);
  out.tree =
      envelope("list", {{"kind", name_of(kind)}}, {{"count", rows->size()}, {"entries", *rows}},
               registry_basis(), Json::array());
  return out;
}

Result<report::Document> answer_show(const Request& request, const Context& context) {
  RIDGELINE_TRY(const Command* command, find_command("show"));
  const InputReader reader(request.input, request.origins, *command);
  RIDGELINE_TRY(const EntryKind kind, kind_of(reader, request.origins));
  if (kind == EntryKind::model) return show_a_model(request, context, reader);
  for (const char* only_models : {"kv_precision", "mla", "model"}) {
    if (!reader.has(only_models)) continue;
    return Error{ErrorCode::conflict, request.origins.where(pointer_of(only_models)),
                 fmt::format("{} belongs to show model", only_models), "leave it out"};
  }
  if (!reader.has("name")) {
    return Error{ErrorCode::missing, request.origins.where("/name"), "no name is given",
                 fmt::format("see: ridgeline list {}s", name_of(kind))};
  }
  RIDGELINE_TRY(const std::string name, reader.text("name"));
  auto entry = context.catalog->find(kind, name);
  if (!entry) return request.origins.placed(entry.error(), "/name");
  Json notes = Json::array();
  auto result = catalog::show_entry(**entry, *context.catalog, notes);
  if (!result) return request.origins.placed(result.error(), "/name");
  return described("show", {{"kind", name_of(kind)}, {"name", (*entry)->name}}, *result,
                   registry_basis(), notes);
}

Result<report::Document> answer_import(const Request& request, const Context& context) {
  const auto file = request.input.find("file");
  if (file != request.input.end() && names_tensor_file(*file)) {
    return describe_tensors(request, context, "file", {});
  }
  RIDGELINE_TRY(const NamedModel named, shown_model(request, context, "file"));
  Json notes = Json::array();
  const Json result = model_result(named.model, {}, notes);
  return described("import", {{"model", named.input}}, result, model_basis(named.model), notes);
}

}  // namespace ridgeline::app
