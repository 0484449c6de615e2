// Catalog: names -> models and machines, with the source of every number. The only reader of
// `data/`.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ridgeline/base/result.h"
#include "ridgeline/spec/machine.h"
#include "ridgeline/spec/model.h"

namespace ridgeline::catalog {

enum class EntryKind : std::uint8_t {
  model,
  accelerator,
  machine,
  fabric,
  space,
  engine,
  grid,        // electricity: carbon intensity, price
  site,        // data centres of an operator: PUE, WUE
  filesystem,  // bandwidths of shared and local storage
  failure,     // how often the parts of a fleet fail
  price,       // of an accelerator, bought and rented
  kernel       // curves of an accelerator's kernels
};

inline std::span<const char* const> names_of(EntryKind) {
  static constexpr std::array<const char*, 12> kNames = {
      "model", "accelerator", "machine",    "fabric",  "space", "engine",
      "grid",  "site",        "filesystem", "failure", "price", "kernel"};
  return kNames;
}

// One registry file, not yet parsed.
struct Entry {
  EntryKind kind = EntryKind::model;
  std::string name;
  std::vector<std::string> aliases;
  std::string_view text;  // the JSON file; the catalog that holds the entry keeps it
};

// Remembers the models and machines that it has read. Safe to be used by several threads.
class Catalog {
 public:
  Catalog(Catalog&&) noexcept;
  Catalog& operator=(Catalog&&) noexcept;
  ~Catalog();

  // The registry embedded in the binary.
  static const Catalog& embedded();

  // The same, with the user's files of `directory` (laid out as data/) laid over it. `where` of
  // errors is the file.
  static Result<Catalog> with_overlay(const std::string& directory);

  // Names of a kind, sorted.
  std::vector<std::string> names(EntryKind kind) const;

  // By name or alias, case-insensitive. Error unknown_name lists the nearest; `where` is empty.
  Result<const Entry*> find(EntryKind kind, std::string_view name) const;

  // Entries of a kind, sorted by name.
  std::vector<const Entry*> entries(EntryKind kind) const;

  // By name, parsed. A machine is a node, a cluster, or an accelerator (one device, no levels).
  Result<Model> model(std::string_view name) const;
  Result<Machine> machine(std::string_view name) const;
  Result<Accelerator> accelerator(std::string_view name) const;

  // A machine of the registry that was read before, and how one becomes known.
  std::optional<Machine> remembered_machine(std::string_view name) const;
  void remember_machine(std::string_view name, const Machine& machine) const;

 private:
  struct Memory;

  Catalog();
  const Entry* lookup(EntryKind kind, std::string_view name) const;

  std::vector<Entry> entries_;     // sorted by kind, name
  std::deque<std::string> texts_;  // of the user's files
  std::unique_ptr<Memory> memory_;
};

// A model from the text of a Hugging Face config.json. `name` labels it. Errors name the key
// ("/num_hidden_layers"); an architecture that is not understood is `unsupported`, by its name.
Result<Model> import_config(std::string_view json_text, std::string_view name);

}  // namespace ridgeline::catalog
