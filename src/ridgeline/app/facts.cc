#include "ridgeline/app/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ridgeline/app/input.h"
#include "ridgeline/base/text.h"
#include "ridgeline/catalog/show.h"

namespace ridgeline::app {
namespace {

using catalog::EntryKind;

struct FactName {
  Field field;
  std::array<const char*, 2> wanted;  // solvers that have one of these members take the name
  std::array<EntryKind, 2> kinds;     // registries to look in, in turn
};
constexpr std::array kNames = {
    FactName{{"site", FieldKind::text, "",
              "a site or a grid of the registry, for what is not given of PUE, WUE, carbon, price"},
             {"pue", "carbon_intensity"},
             {EntryKind::site, EntryKind::grid}},
    FactName{
        {"grid", FieldKind::text, "", "a grid of the registry, for its carbon intensity and price"},
        {"carbon_intensity", "kwh_price"},
        {EntryKind::grid, EntryKind::site}},
    FactName{
        {"device", FieldKind::text, "", "an accelerator of the registry, for its power and prices"},
        {"unit_cost", "embodied_per_device"},
        {EntryKind::price, EntryKind::accelerator}},
    FactName{{"storage", FieldKind::text, "", "a filesystem of the registry, for its bandwidths"},
             {"filesystem_limit", "storage_bandwidth"},
             {EntryKind::filesystem, EntryKind::filesystem}},
    FactName{
        {"failure_rates", FieldKind::text, "", "failures of the registry, for the parts of a node"},
        {"parts", "parts"},
        {EntryKind::failure, EntryKind::failure}},
};

bool has(std::span<const Member> members, std::string_view name) {
  return std::any_of(members.begin(), members.end(),
                     [&](const Member& m) { return m.name == name; });
}

// A solver that has a member of the name itself reads it itself.
bool takes(std::span<const Member> members, const FactName& name) {
  if (has(members, name.field.name)) return false;
  return has(members, name.wanted[0]) || has(members, name.wanted[1]);
}

bool is_given(const Json& input, std::span<const Member> members, const Member& wanted) {
  for (const auto& [key, value] : input.items()) {
    double factor = 0;
    if (!value.is_null() && find_member(members, lower(key), factor) == &wanted) return true;
  }
  return false;
}

// Entries of that name: a price list and an accelerator may both have one.
Result<std::vector<const catalog::Entry*>> entries_named(const FactName& fact,
                                                         const std::string& name,
                                                         const Context& context) {
  std::vector<const catalog::Entry*> out;
  std::optional<Error> problem;
  for (const EntryKind kind : fact.kinds) {
    const auto entry = context.catalog->find(kind, name);
    if (!entry) {
      if (!problem) problem = entry.error();
    } else if (std::find(out.begin(), out.end(), *entry) == out.end()) {
      out.push_back(*entry);
    }
  }
  if (out.empty()) return *problem;
  return out;
}

std::string source_of(const Json& shown, const std::string& key) {
  for (const Json& row : shown.value("sources", Json::array())) {
    if (row.value("field", "") == key) return row.value("source", "");
  }
  return "";
}

// Puts the entry's numbers where the object has none.
void fill(const Json& shown, const std::string& entry, std::span<const Member> members,
          Json& object, Json& sources) {
  for (const auto& [key, value] : shown.items()) {
    double factor = 0;
    const Member* member = find_member(members, key, factor);
    const bool fits = member != nullptr && (value.is_number() || key == "parts");
    if (!fits || is_given(object, members, *member)) continue;
    object[key] = value;
    std::string stem = key.substr(0, key.rfind('_'));
    std::string source = source_of(shown, key);
    if (source.empty()) source = source_of(shown, stem);
    sources.push_back({{"field", key}, {"source", source.empty() ? entry : source}});
  }
}

Status fill_from(const FactName& fact, const std::string& name, const Context& context,
                 std::span<const Member> members, Json& object, Json& sources) {
  RIDGELINE_TRY(const auto entries, entries_named(fact, name, context));
  for (const catalog::Entry* entry : entries) {
    Json notes = Json::array();
    RIDGELINE_TRY(const Json shown, catalog::show_entry(*entry, *context.catalog, notes));
    fill(shown, entry->name, members, object, sources);
  }
  return Ok{};
}

// Regions by name become objects with the numbers of their grid.
Status expand_regions(const Context& context, std::span<const Member> members, Json& input,
                      Json& sources) {
  const auto regions = input.find("regions");
  if (regions == input.end() || !has(members, "regions")) return Ok{};
  RIDGELINE_TRY(const std::vector<Json> items, items_of(*regions));
  Json out = Json::array();
  for (const Json& item : items) {
    if (!item.is_string()) {
      out.push_back(item);
      continue;
    }
    Json region{{"name", item}};
    const Status filled =
        fill_from(kNames[1], item.get<std::string>(), context, members, region, sources);
    if (!filled) return inside_of("/regions", filled.error());
    out.push_back(std::move(region));
  }
  input["regions"] = std::move(out);
  return Ok{};
}

}  // namespace

std::vector<Field> fact_fields(std::span<const Member> members) {
  std::vector<Field> out;
  for (const FactName& name : kNames) {
    if (takes(members, name)) out.push_back(name.field);
  }
  return out;
}

Result<Filled> with_facts(const Request& request, std::span<const Member> members,
                          const Context& context) {
  Filled out{.request = request};
  Json& input = out.request.input;
  for (const FactName& fact : kNames) {
    const auto given = request.input.find(fact.field.name);
    if (!takes(members, fact) || given == request.input.end() || given->is_null()) continue;
    const std::string pointer = pointer_of(fact.field.name);
    if (!given->is_string()) {
      return Error{ErrorCode::bad_value, request.origins.where(pointer),
                   fmt::format("{} is {}, not a name", fact.field.name, kind_name(*given)),
                   fmt::format("see: ridgeline list {}s",
                               names_of(fact.kinds[0])[static_cast<std::size_t>(fact.kinds[0])])};
    }
    const Status filled =
        fill_from(fact, given->get<std::string>(), context, members, input, out.sources);
    if (!filled) return request.origins.placed(filled.error(), pointer);
  }
  const Status regions = expand_regions(context, members, input, out.sources);
  if (!regions) return request.origins.placed(regions.error(), "/regions");
  return out;
}

}  // namespace ridgeline::app
