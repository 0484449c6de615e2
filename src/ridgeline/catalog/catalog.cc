#include "ridgeline/catalog/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "ridgeline/base/text.h"
#include "ridgeline/catalog/config_reader.h"
#include "ridgeline/catalog/entry_json.h"
#include "ridgeline/catalog/read_machine.h"
#include "ridgeline/catalog/registry.h"

namespace ridgeline::catalog {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

bool before(const Entry& a, const Entry& b) {
  return a.kind != b.kind ? a.kind < b.kind : a.name < b.name;
}

const char* name_of(EntryKind kind) {
  return names_of(kind)[static_cast<std::size_t>(kind)];
}

// "RTX 4090", "rtx_4090" and "rtx-4090" are one name.
bool same_name(std::string_view a, std::string_view b) {
  const auto plain = [](unsigned char c) { return c == ' ' || c == '_' ? '-' : std::tolower(c); };
  const auto same = [&](unsigned char x, unsigned char y) { return plain(x) == plain(y); };
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), same);
}

bool answers_to(const Entry& entry, std::string_view name) {
  return same_name(entry.name, name) ||
         std::any_of(entry.aliases.begin(), entry.aliases.end(),
                     [&](const std::string& alias) { return same_name(alias, name); });
}

Error io_error(const std::string& path, const std::string& what) {
  return Error{ErrorCode::io, path, what,
               "a folder laid out as data/: models/, accelerators/, ..."};
}

Result<std::string> read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file) return io_error(path.string(), "cannot be read");
  return text.str();
}

Result<std::vector<std::string>> aliases_of(const Json& json, const std::string& path) {
  std::vector<std::string> out;
  const auto it = json.find("aliases");
  if (it == json.end()) return out;
  for (const Json& alias : *it) {
    if (!it->is_array() || !alias.is_string()) {
      return Error{ErrorCode::bad_value, path + ":/aliases", "aliases is a list of names", ""};
    }
    out.push_back(alias.get<std::string>());
  }
  return out;
}

// The file's text goes to `texts`.
Result<Entry> read_entry(EntryKind kind, const fs::path& path, std::deque<std::string>& texts) {
  RIDGELINE_TRY(std::string text, read_file(path));
  texts.push_back(std::move(text));
  auto json = parse_json_object(texts.back());
  if (!json) {
    Error error = json.error();
    error.where = path.string() + (error.where.empty() ? "" : ":" + error.where);
    return error;
  }
  RIDGELINE_TRY(std::vector<std::string> aliases, aliases_of(*json, path.string()));
  return Entry{kind, path.stem().string(), std::move(aliases), texts.back()};
}

// The JSON files of one folder in the order of their names; none when there is no such folder.
Result<std::vector<fs::path>> json_files(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code problem;
  if (!fs::is_directory(folder, problem)) return out;
  for (fs::directory_iterator it(folder, problem), end; !problem && it != end;
       it.increment(problem)) {
    if (it->path().extension() == ".json") out.push_back(it->path());
  }
  if (problem) return io_error(folder.string(), problem.message());
  std::sort(out.begin(), out.end());
  return out;
}

void lay_over(std::vector<Entry>& entries, Entry entry) {
  const auto same = [&](const Entry& e) {
    return e.kind == entry.kind && same_name(e.name, entry.name);
  };
  entries.erase(std::remove_if(entries.begin(), entries.end(), same), entries.end());
  // A name of the user's wins over an alias of ours.
  for (Entry& other : entries) {
    if (other.kind != entry.kind) continue;
    const auto taken = [&](const std::string& alias) { return answers_to(entry, alias); };
    other.aliases.erase(std::remove_if(other.aliases.begin(), other.aliases.end(), taken),
                        other.aliases.end());
  }
  entries.push_back(std::move(entry));
}

Result<Model> model_of_entry(const Entry& entry) {
  RIDGELINE_TRY(const Json json, entry_json(entry));
  const auto config = json.find("config");
  if (config == json.end()) return import_config(entry.text, entry.name);  // a bare config.json
  auto model = import_config(config->dump(), entry.name);
  if (!model) return model.error();
  const auto source = json.find("source");
  if (source != json.end() && source->is_string()) model->source = source->get<std::string>();
  const auto repository = json.find("repository");
  if (repository != json.end() && repository->is_string()) {
    model->source += ": " + repository->get<std::string>();
  }
  const auto published = json.find("published_params");
  if (published != json.end() && published->is_object()) {
    const auto value = published->find("value");
    if (value != published->end() && value->is_number_integer()) {
      model->published_params = value->get<std::int64_t>();
    }
  }
  return model;
}

}  // namespace

// What was read before, by name in lower case.
struct Catalog::Memory {
  std::mutex mutex;
  std::map<std::string, Model, std::less<>> models;
  std::map<std::string, Machine, std::less<>> machines;
};

Catalog::Catalog() : memory_(std::make_unique<Memory>()) {}
Catalog::Catalog(Catalog&&) noexcept = default;
Catalog& Catalog::operator=(Catalog&&) noexcept = default;
Catalog::~Catalog() = default;

const Catalog& Catalog::embedded() {
  static const Catalog kEmbedded = [] {
    Catalog catalog;
    for (const RegistryFile& file : registry_files()) {
      catalog.entries_.push_back({file.kind,
                                  std::string(file.name),
                                  {file.aliases.begin(), file.aliases.end()},
                                  file.text});
    }
    std::sort(catalog.entries_.begin(), catalog.entries_.end(), before);
    return catalog;
  }();
  return kEmbedded;
}

Result<Catalog> Catalog::with_overlay(const std::string& directory) {
  std::error_code problem;
  if (!fs::is_directory(directory, problem)) return io_error(directory, "is no folder");
  Catalog catalog;
  catalog.entries_ = embedded().entries_;
  const auto kinds = names_of(EntryKind{});
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const fs::path folder = fs::path(directory) / (std::string(kinds[k]) + "s");
    RIDGELINE_TRY(const std::vector<fs::path> files, json_files(folder));
    for (const fs::path& file : files) {
      RIDGELINE_TRY(Entry entry, read_entry(static_cast<EntryKind>(k), file, catalog.texts_));
      lay_over(catalog.entries_, std::move(entry));
    }
  }
  std::sort(catalog.entries_.begin(), catalog.entries_.end(), before);
  return catalog;
}

std::vector<std::string> Catalog::names(EntryKind kind) const {
  std::vector<std::string> out;
  for (const Entry& entry : entries_) {
    if (entry.kind == kind) out.push_back(entry.name);
  }
  return out;
}

std::vector<const Entry*> Catalog::entries(EntryKind kind) const {
  std::vector<const Entry*> out;
  for (const Entry& entry : entries_) {
    if (entry.kind == kind) out.push_back(&entry);
  }
  return out;
}

const Entry* Catalog::lookup(EntryKind kind, std::string_view name) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.kind == kind && answers_to(entry, name);
  });
  return found == entries_.end() ? nullptr : &*found;
}

Result<const Entry*> Catalog::find(EntryKind kind, std::string_view name) const {
  if (const Entry* entry = lookup(kind, name)) return entry;
  std::vector<std::string> known;
  for (const Entry* entry : entries(kind)) {
    known.push_back(entry->name);
    known.insert(known.end(), entry->aliases.begin(), entry->aliases.end());
  }
  std::string hint = did_you_mean(name, known);
  if (hint.empty()) hint = fmt::format("see: ridgeline list {}s", name_of(kind));
  return Error{ErrorCode::unknown_name, "",
               fmt::format("there is no {} \"{}\"", name_of(kind), name.substr(0, 80)), hint};
}

Result<Model> Catalog::model(std::string_view name) const {
  RIDGELINE_TRY(const Entry* entry, find(EntryKind::model, name));
  {
    const std::lock_guard lock(memory_->mutex);
    const auto known = memory_->models.find(entry->name);
    if (known != memory_->models.end()) return known->second;
  }
  RIDGELINE_TRY(Model model, model_of_entry(*entry));
  const std::lock_guard lock(memory_->mutex);
  memory_->models.try_emplace(entry->name, model);
  return model;
}

std::optional<Machine> Catalog::remembered_machine(std::string_view name) const {
  const std::string lowered = lower(name);
  const std::lock_guard lock(memory_->mutex);
  const auto known = memory_->machines.find(lowered);
  if (known == memory_->machines.end()) return std::nullopt;
  return known->second;
}

void Catalog::remember_machine(std::string_view name, const Machine& machine) const {
  const std::lock_guard lock(memory_->mutex);
  memory_->machines.try_emplace(lower(name), machine);
}

Result<Accelerator> Catalog::accelerator(std::string_view name) const {
  RIDGELINE_TRY(const Entry* entry, find(EntryKind::accelerator, name));
  RIDGELINE_TRY(const Json fields, accelerator_fields(*entry));
  Accelerator base;
  base.name = entry->name;
  return read_accelerator(fields, base);
}

Result<Machine> Catalog::machine(std::string_view name) const {
  return named_machine(*this, name, 0);
}

}  // namespace ridgeline::catalog
